"""The site as it was built: its pages, what they link to and what they load."""

from __future__ import annotations

import posixpath
from dataclasses import dataclass, field
from functools import cached_property
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

#: Elements that load what they name, and the attribute that names it.
_LOADS = {("script", "src"), ("img", "src"), ("link", "href"), ("source", "src"), ("iframe", "src")}


@dataclass
class Page(HTMLParser):
    """One page: its links, what it loads, its anchors, and scripts that stand in it."""

    file: Path
    links: list[str] = field(default_factory=list)
    loads: list[str] = field(default_factory=list)
    anchors: set[str] = field(default_factory=set)
    inline: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        super().__init__()
        self.html = self.file.read_text(encoding="utf-8")
        self.feed(self.html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Take down what the element refers to."""
        known = {name: value or "" for name, value in attrs}
        if "id" in known:
            self.anchors.add(known["id"])
        if tag == "a" and "href" in known:
            self.links.append(known["href"])
        is_loaded = known.get("rel") in {None, "stylesheet", "icon"}
        self.loads.extend(known[name] for each, name in _LOADS if each == tag and name in known and is_loaded)
        if tag == "script" and "src" not in known and known.get("type") != "application/json":
            self.inline.append(tag)
        self.inline.extend(name for name in known if name.startswith("on") or name == "style")


@dataclass
class Site:
    """All pages of a built site, by the folder they stand in."""

    folder: Path

    @cached_property
    def pages(self) -> dict[str, Page]:
        """The pages by address: "" is the first, "rules/LG101/" is one of the others."""
        found = sorted(self.folder.rglob("*.html"))
        return {path.parent.relative_to(self.folder).as_posix().strip(".") + "/": Page(path) for path in found}

    def target(self, address: str, link: str) -> str:
        """What a link on the page at `address` leads to, as a path in the site."""
        path = unquote(urlsplit(link).path)
        joined = posixpath.normpath(posixpath.join(address, path)) if path else address
        return joined.strip("/")

    def dead(self) -> list[str]:
        """Links and anchors that lead nowhere."""
        lost = []
        for address, page in self.pages.items():
            for link in [*page.links, *page.loads]:
                parts = urlsplit(link)
                if parts.scheme in {"http", "https", "data", "mailto"}:
                    continue
                where = self.target(address.lstrip("/"), link)
                file = self.folder / where
                if link.startswith("/") or not (file.is_file() or (file / "index.html").is_file()):
                    lost.append(f"{address}: {link}")
                elif parts.fragment and file.is_dir():
                    anchors = self.pages[f"{where}/" if where not in {"", "."} else "/"].anchors
                    if unquote(parts.fragment) not in anchors:
                        lost.append(f"{address}: {link}")
        return lost
