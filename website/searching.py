"""The index of the site's search: every text of a rule by itself, every page by its sections."""

from __future__ import annotations

import json
import re
from html import unescape
from pathlib import Path
from typing import Final

from website.texts import all_texts

_ARTICLE: Final = re.compile(r"<article[^>]*>(.*?)</article>", re.DOTALL)
_HEADING: Final = re.compile(r'<h[12] id="([^"]*)"[^>]*>(.*?)</h[12]>', re.DOTALL)
_LONGEST: Final = 1_500


def write_index(site: Path) -> None:
    """Write `search.json`: rows of address, title, words, and the weight of the text of an error, or 0."""
    rows: list[tuple[str, str, str, int]] = [
        (f"rules/{rule.code}/", f"{rule.code} {rule.name}", text.words, text.weight) for rule, text in all_texts()
    ]
    for page in sorted(site.rglob("index.html")):
        html = page.read_text(encoding="utf-8")
        # Rules under their names are there under their codes, and the list of texts is what is searched.
        if 'rel="canonical"' not in html and page.parent.name != "errors" and (article := _ARTICLE.search(html)):
            address = page.parent.relative_to(site).as_posix().removeprefix(".")
            rows.extend(_sections(f"{address}/" if address else "", article[1]))
    (site / "assets" / "search.json").write_text(json.dumps(rows, separators=(",", ":")), encoding="utf-8")


def _sections(address: str, article: str) -> list[tuple[str, str, str, int]]:
    parts = _HEADING.split(article)
    page = _plain(parts[2]) if len(parts) > 2 else address
    return [
        (
            address if number == 0 else f"{address}#{anchor}",
            page if number == 0 else f"{page}: {_plain(title)}",
            _plain(body)[:_LONGEST],
            0,
        )
        for number, (anchor, title, body) in enumerate(zip(parts[1::3], parts[2::3], parts[3::3], strict=True))
    ]


def _plain(html: str) -> str:
    words = re.sub(r'<a class="headerlink".*?</a>|<[^>]+>', " ", html)
    return re.sub(r"\s+", " ", unescape(words)).replace("\u00b6", "").strip()
