"""What to look for on the way back, and how values and operations are judged by it."""
