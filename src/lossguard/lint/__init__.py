"""The window on source code: facts are read from syntax trees; nothing that is linted is imported or run."""
