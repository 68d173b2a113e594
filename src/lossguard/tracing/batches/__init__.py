"""Which batch, which field and which sample a tensor came from."""
