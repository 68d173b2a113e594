"""What was observed of tensors, as plain data that adds up. Only `from_tensor` knows torch."""
