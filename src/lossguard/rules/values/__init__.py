"""A tensor whose values are wrong."""
