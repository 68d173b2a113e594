"""What each loss requires, as plain data. Nothing here imports torch."""
