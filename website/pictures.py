"""Pictures of terminals, drawn by rich from what commands really print: `python -m website.pictures [--check]`."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable
from html import unescape
from io import StringIO
from typing import Final

from rich._export_format import CONSOLE_SVG_FORMAT
from rich.console import Console
from rich.text import Text

from website.transcripts import ROOT, output_on_terminal

_FOLDER: Final = ROOT / "docs" / "images"
_COLUMNS: Final = 110
#: Rich asks another host for a font; the reader's own does as well, because every word has its width.
_FORMAT: Final = re.sub(r"@font-face \{\{.*?\}\}\s*", "", CONSOLE_SVG_FORMAT, flags=re.DOTALL).replace(
    "font-family: Fira Code, monospace", "font-family: ui-monospace, Menlo, Consolas, 'DejaVu Sans Mono', monospace"
)
#: The pictures by name, and the command whose output each shows.
PICTURES: Final = {
    "run": "lossguard run missing_label.py",
    "silent": "lossguard run falling_loss.py",
    "explain": 'echo "IndexError: Target 10 is out of bounds." | lossguard explain',
    "audit": "lossguard audit labels.csv --target label --classes 3",
    "lint": "lossguard lint softmax_twice.py",
}


def drawn(name: str) -> str:
    """The picture as SVG: the command in the title, what it prints below."""
    command = PICTURES[name]
    console = Console(record=True, width=_COLUMNS, file=StringIO(), force_terminal=True, color_system="truecolor")
    console.print(Text.from_ansi(output_on_terminal(command, _COLUMNS)), soft_wrap=False)
    svg = console.export_svg(title=command, code_format=_FORMAT, unique_id=f"lossguard-{name}")
    return "\n".join(line.rstrip() for line in svg.splitlines()) + "\n"


def words_of(svg: str) -> str:
    """What stands in a picture, without spaces: layout and colours may change with the version of rich."""
    texts = re.findall(r"<text[^>]*>(.*?)</text>", svg, re.DOTALL)
    return re.sub(r"\s", "", unescape("".join(texts)))


def kept(name: str) -> str:
    """The picture as it was drawn last; empty if it never was."""
    file = _FOLDER / f"{name}.svg"
    return file.read_text(encoding="utf-8") if file.is_file() else ""


def stale(names: Iterable[str] = PICTURES) -> list[str]:
    """Those of the pictures that do not show what their command prints now."""
    return [name for name in names if words_of(kept(name)) != words_of(drawn(name))]


def main() -> int:
    """Draw all of them; with `--check`, only name those that are stale."""
    if "--check" not in sys.argv:
        for name in PICTURES:
            (_FOLDER / f"{name}.svg").write_text(drawn(name), encoding="utf-8")
        return 0
    found = stale()
    for name in found:
        print(f"{name}.svg does not show what `{PICTURES[name]}` prints; `make pictures` draws it again")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
