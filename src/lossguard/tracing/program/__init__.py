"""The program as it is written: its source, and which names its lines write."""
