"""The command line. Each command is a module; argparse only, so that it starts at once."""
