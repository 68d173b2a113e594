"""Where a fact came from: which sample, which field of the batch, which line."""
