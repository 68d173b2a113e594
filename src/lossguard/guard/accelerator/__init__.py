"""What is checked on an accelerator without waiting for it."""
