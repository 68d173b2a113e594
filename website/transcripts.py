"""What commands really print, without the paths of the machine that ran them."""

from __future__ import annotations

import fcntl
import os
import pty
import re
import struct
import subprocess
import sys
import termios
from functools import cache
from pathlib import Path
from typing import Any, Final

from website.terminal import terminal

ROOT: Final = Path(__file__).resolve().parent.parent
#: Where the programs stand that are shown.
FOLDER: Final = ROOT / "demo" / "programs"
_TRACEBACK: Final = re.compile(r"(Traceback \(most recent call last\):\n)(?:[ \t].*\n|\n)+")
_SHOWN: Final = re.compile(r"^```transcript\n(.*?)\n```$", re.MULTILINE | re.DOTALL)
_LINES: Final = 50


def with_transcripts(page: str) -> str:
    """The page with each block of commands run: ```` ```transcript ````, a command a line."""
    return _SHOWN.sub(lambda block: _ran(block[1]), page)


def _ran(commands: str) -> str:
    return "\n\n".join(terminal(command, output_of(command)) for command in commands.splitlines())


@cache
def output_of(command: str) -> str:
    """What the command prints on both streams; the frames of a traceback and the folder are left out."""
    with _started(command, {"NO_COLOR": "1"}, stdout=subprocess.PIPE, stderr=subprocess.STDOUT) as process:
        output = process.communicate()[0]
    return _without_frames(output)


@cache
def output_on_terminal(command: str, columns: int) -> str:
    """The same as a terminal of this width gets it, with colours and broken lines."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", _LINES, columns, 0, 0))
    settings = {"TERM": "xterm-256color", "COLUMNS": str(columns), "COLORTERM": "truecolor"}
    parts = []
    with _started(command, settings, stdout=theirs, stderr=theirs):
        os.close(theirs)
        try:
            while part := os.read(ours, 65536):
                parts.append(part)
        except OSError:  # on Linux, this is how the other side tells that it is closed
            pass
    os.close(ours)
    return _without_frames(b"".join(parts).decode().replace("\r\n", "\n"))


def _started(command: str, settings: dict[str, str], **streams: Any) -> subprocess.Popen[str]:
    """A shell in the folder of the programs, with this Python's lossguard and without settings about colours."""
    unset = {"FORCE_COLOR", "NO_COLOR", "COLUMNS", "LINES", "PYTHONWARNINGS"}
    kept = {name: value for name, value in os.environ.items() if name not in unset}
    line = re.sub(r"\blossguard (?=run|explain|lint|audit|rule)", f"{sys.executable} -m lossguard ", command)
    line = re.sub(r"\bpython (?=-c)", f"{sys.executable} ", line)
    return subprocess.Popen(  # noqa: S602 - our own commands
        line,
        shell=True,
        cwd=FOLDER,
        env={**kept, **settings, "PYTHON_COLORS": "0"},
        stdin=subprocess.DEVNULL,
        text=True,
        **streams,
    )


def _without_frames(output: str) -> str:
    output = output.replace(f"{FOLDER}/", "")
    return _TRACEBACK.sub(r"\1  ...\n", output).strip("\n")
