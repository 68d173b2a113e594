"""A tensor of the wrong dtype."""
