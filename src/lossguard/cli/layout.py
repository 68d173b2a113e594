"""How help texts are laid out."""

from __future__ import annotations

import argparse
import os


def help_layout(prog: str) -> argparse.HelpFormatter:
    """Descriptions and examples as written, as wide as the terminal.

    Argparse makes a layout for every argument it is told of. Left to itself it loads `shutil` and all its archives
    to learn the width.
    """
    try:
        width = int(os.environ.get("COLUMNS") or os.get_terminal_size().columns)
    except (OSError, ValueError):
        width = 80
    return argparse.RawDescriptionHelpFormatter(prog, width=max(width - 2, 40))
