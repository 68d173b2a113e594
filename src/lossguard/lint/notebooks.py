"""Notebooks as one Python text: code cells one after the other, with magics and shell lines made harmless."""

from __future__ import annotations

import json
import re
from typing import Any, Final

from lossguard.records import dataclass

#: Magics that take a cell of Python and run it.
_OF_PYTHON: Final = frozenset({"time", "timeit", "capture", "prun", "memit", "mprun"})
_LINE_MAGIC: Final = re.compile(r"^(\s*)(?:[%!?]|[\w.]+\?{1,2}\s*$|.*=\s*[%!])")


@dataclass(frozen=True, slots=True)
class Cell:
    """A code cell: its number among all cells, from 1, and its first line in the text."""

    number: int
    begins: int


def to_python(content: str) -> tuple[str, list[Cell]]:
    """The code of a notebook and where its cells begin; raise ValueError for what is no notebook."""
    notebook: Any = json.loads(content)
    cells = notebook.get("cells") if isinstance(notebook, dict) else None
    if not isinstance(cells, list):
        raise ValueError("this is no notebook of format 4")  # noqa: TRY004 - a fault of the file
    lines: list[str] = []
    places: list[Cell] = []
    for number, cell in enumerate(cells, 1):
        if not isinstance(cell, dict) or cell.get("cell_type") != "code":
            continue
        source = cell.get("source", "")
        text = "".join(map(str, source)) if isinstance(source, list) else str(source)
        places.append(Cell(number, len(lines) + 1))
        lines.extend(_harmless(text.split("\n")))
    return "\n".join(lines) + "\n", places


def _harmless(lines: list[str]) -> list[str]:
    first = lines[0].strip() if lines else ""
    if first.startswith("%%"):
        words = first[2:].split()
        if not words or words[0] not in _OF_PYTHON:
            return ["" for _ in lines]
    made: list[str] = []
    continued = False
    for line in lines:
        found = None if continued else _LINE_MAGIC.match(line)
        is_magic = found is not None and ("%" in line or "!" in line or "?" in line)
        made.append(f"{found[1]}pass" if is_magic and found is not None else line)
        continued = line.rstrip().endswith(("\\", ",", "(", "["))
    return made


def cell_at(cells: list[Cell], line: int) -> tuple[int, int]:
    """The cell that a line of the text is in, and its line there."""
    cell = next(cell for cell in reversed(cells) if cell.begins <= line)
    return cell.number, line - cell.begins + 1
