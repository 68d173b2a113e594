"""What was observed of tensors, as plain data that adds up. `from_tensor`, `from_rows`, `from_history` know torch."""
