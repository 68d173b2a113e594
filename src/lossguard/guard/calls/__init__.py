"""Torch's entry points, wrapped: what is called, from where, and what is worth a look."""
