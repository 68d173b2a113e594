"""The audit: a promise about every label of a data set, before training."""
