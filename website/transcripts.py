"""What commands really print, without the paths of the machine that ran them."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from functools import cache
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).resolve().parent.parent
#: Where the programs stand that are shown.
FOLDER: Final = ROOT / "demo" / "programs"
_TRACEBACK: Final = re.compile(r"(Traceback \(most recent call last\):\n)(?:[ \t].*\n|\n)+")
_SHOWN: Final = re.compile(r"^```transcript\n(.*?)\n```$", re.MULTILINE | re.DOTALL)


@cache
def output_of(command: str, *, colour: bool = False, columns: int = 0) -> str:
    """What the command prints on both streams; the frames of a traceback are left out."""
    settings = {"FORCE_COLOR": "1", "COLUMNS": str(columns)} if colour else {"NO_COLOR": "1"}
    kept = {name: value for name, value in os.environ.items() if name not in {"FORCE_COLOR", "NO_COLOR", "COLUMNS"}}
    line = re.sub(r"\blossguard (?=run|explain|lint|audit|rule)", f"{sys.executable} -m lossguard ", command)
    ran = subprocess.run(  # noqa: S602 - our own commands
        line,
        shell=True,
        cwd=FOLDER,
        env={**kept, **settings},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    return _TRACEBACK.sub(r"\1  ...\n", ran.stdout).strip("\n")


def with_transcripts(page: str) -> str:
    """The page with each block of commands run: ```` ```transcript ````, a command a line."""
    return _SHOWN.sub(lambda block: f"```console\n{_ran(block[1])}\n```", page)


def _ran(commands: str) -> str:
    return "\n\n".join(f"$ {command}\n{output_of(command)}" for command in commands.splitlines())
