"""One module for each kind of loss; every `Loss` in one of them is known by being there."""
