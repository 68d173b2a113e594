"""What expressions give, worked out from values that are known."""
