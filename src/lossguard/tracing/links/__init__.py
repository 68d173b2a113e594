"""One step back: from an expression to those that it has its value from."""
