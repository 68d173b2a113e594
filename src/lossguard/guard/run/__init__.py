"""`lossguard run`: a program, its processes and its report."""
