"""What the calls of torch, numpy, pandas and their kin do: one table, a row a call."""
