"""Shapes that do not fit together."""
