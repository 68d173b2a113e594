"""Calls that are none: not a tensor, not here, not like this."""
