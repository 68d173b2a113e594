"""One file a rule, a folder a family. A rule is known by being there. Nothing here imports torch."""
