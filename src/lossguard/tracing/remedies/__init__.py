"""What to write at the line where the fault came in."""
