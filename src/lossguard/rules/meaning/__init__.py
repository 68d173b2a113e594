"""Numbers that mean something else than the loss takes them for."""
