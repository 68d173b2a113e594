"""Walks back over links, to the line that made a value bad."""
