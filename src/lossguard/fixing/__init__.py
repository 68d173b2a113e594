"""Lossless fixes: the steps that keep every label, and nothing else."""
