"""Style sheets without the rules that no page can use: the theme's are for every site there may be."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

_CLASS: Final = re.compile(r"\.(-?[A-Za-z_](?:[\w-]|\\.)*)")
_WORD: Final = re.compile(r"[\w-]+")


def trim_styles(site: Path) -> None:
    """Take out of the theme's style sheets what names a class that stands in no page and no script."""
    texts = [path.read_text(encoding="utf-8") for path in (*site.rglob("*.html"), *site.glob("assets/**/*.js"))]
    used = {word for text in texts for word in _WORD.findall(text)}
    for sheet in site.glob("assets/stylesheets/*.css"):
        css = re.sub(r"/\*.*?\*/", "", sheet.read_text(encoding="utf-8"), flags=re.DOTALL)
        sheet.write_text(trimmed(css, used), encoding="utf-8")


def trimmed(css: str, used: set[str]) -> str:
    """The rules that can apply where only these words are used as classes."""
    return "".join(_kept(head, body, used) for head, body in _rules(css))


def _kept(head: str, body: str | None, used: set[str]) -> str:
    if body is None:
        return head
    if head.startswith(("@media", "@supports", "@layer", "@container")):
        inner = trimmed(body, used)
        return f"{head}{{{inner}}}" if inner else ""
    if head.startswith("@"):
        return f"{head}{{{body}}}"
    selectors = [each for each in _split(head) if all(name.replace("\\", "") in used for name in _CLASS.findall(each))]
    return f"{','.join(selectors)}{{{body}}}" if selectors else ""


def _split(head: str) -> list[str]:
    """Selectors, which commas divide, but not those in brackets."""
    return re.split(r",(?![^(\[]*[)\]])", head)


def _rules(css: str) -> Iterator[tuple[str, str | None]]:
    """Each rule as what stands before its braces and in them; a statement without braces has none."""
    start = place = 0
    while place < len(css):
        if css[place] == ";":
            yield css[start : place + 1], None
            start = place = place + 1
        elif css[place] == "{":
            end = _end(css, place)
            yield css[start:place].strip(), css[place + 1 : end]
            start = place = end + 1
        else:
            place = _next(css, place)


def _next(css: str, place: int) -> int:
    """One on, or past a string."""
    if css[place] not in "\"'":
        return place + 1
    end = place + 1
    while css[end] != css[place]:
        end += 2 if css[end] == "\\" else 1
    return end + 1


def _end(css: str, place: int) -> int:
    """The brace that closes the one at `place`."""
    depth = 0
    while True:
        depth += {"{": 1, "}": -1}.get(css[place], 0)
        if depth == 0:
            return place
        place = _next(css, place)
