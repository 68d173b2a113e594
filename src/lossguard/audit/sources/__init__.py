"""Where labels are read from. Each module knows one kind of source."""
