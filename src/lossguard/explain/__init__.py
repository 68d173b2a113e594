"""The window on pasted text: a traceback, a log, a bare last line. No torch, no code run, nothing sent."""
