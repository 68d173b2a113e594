"""What pages, logs and terminals put around a text is taken off; an endless text is read around its errors."""

from __future__ import annotations

import re
from typing import Final

from lossguard.records import dataclass

#: Texts longer than this are read at both ends and around every different line that looks like an error.
LONGEST: Final = 300_000
_HEAD: Final = 20_000
_TAIL: Final = 60_000
_BEFORE: Final = 4_000
_AFTER: Final = 3_000
_MOST_PLACES: Final = 80
_MOST_HITS: Final = 120_000
#: What differs between lines that say the same: numbers, also in hexadecimal.
_NUMBERS: Final = dict.fromkeys(map(ord, "0123456789abcdef,.[]() "))
#: What a line has that tells of an error, in any library's words.
_SIGNS: Final = (
    "Traceback (most",
    "Error:",
    "Error(",
    "Exception:",
    "Assertion",
    "Warning:",
    "not implemented for",
    "not supported",
    "out of bounds",
    "out of range",
    "must be",
    "should be",
    "must match",
    "xpected ",
    "exceed",
    "mismatch",
    "device-side assert",
    "illegal memory",
    "not finite",
    " is nan",
    " is NaN",
    "Unexpected label",
)

# Patterns are compiled where they are first used: most texts need few of them.
_ESCAPES: Final = r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)?|.)?|\x9b[0-?]*[ -/]*[@-~]"
_TAGS: Final = (
    r"</?(?:span|pre|code|div|b|i|em|strong|font|a|td|tr|th|table|tbody|li|ul|ol|h[1-6]|"
    r"details|summary|samp|kbd|tt|p|br|"
    r"blockquote|hr|img|sup|sub|section|article|mark|small)(?:\s[^<>]{0,300})?/?>"
)
_BREAKS: Final = ("<br", "</p", "</div", "</li", "</tr", "</pre", "</h", "<p", "<div", "<li", "<tr")
_ENTITY: Final = r"&(?:#\d{1,6}|#[xX][0-9a-fA-F]{1,6}|[a-zA-Z]{2,10});"
#: A text that a program wrote as one string: `\n` stands where lines ended.
_IN_A_STRING: Final = (
    r"Traceback \(most recent call last\):\\{1,2}n|\\{1,2}n\s{1,8}File |"
    r'\\{1,2}n[A-Z]\w{1,60}(?:Error|Exception|Warning)\b|\\"'
)
_IN_STRING: Final = r"\\(?:u([0-9a-fA-F]{4})|([nrt\"'/\\]))"
_CHARACTERS: Final = {"n": "\n", "r": "\n", "t": "\t"}

_UNSEEN: Final = dict.fromkeys(
    [
        *(*range(9), 11, 12, *range(14, 32), *range(127, 160), 0xAD, 0x61C, 0x180E),
        *(*range(0x200B, 0x2010), *range(0x202A, 0x202F), *range(0x2060, 0x2070), 0xFEFF),
    ]
)
_PLAIN: Final = str.maketrans(
    (
        "\u00a0\u2007\u202f\u3000\u201c\u201d\u201e\u201f\u00ab\u00bb\u2018\u2019\u201a\u201b"
        "\u2013\u2212\uff08\uff09\uff1a\uff0c\uff1d"
    ),
    '    """"""\'\'\'\'--():,=',
    "",
)
_DRESS: Final = {**_UNSEEN, **_PLAIN, 0x2026: "..."}


@dataclass(frozen=True, slots=True)
class Undressed:
    """A text without its dress, and how much of it was left out."""

    text: str
    #: How many letters of the whole were not read.
    unread: int = 0


def undress(text: str) -> Undressed:
    """The text without tags, entities, escapes, marks and curly quotes; an endless one cut to what counts."""
    whole = len(text)
    text = _excerpt(text) if whole > LONGEST else text
    unread = whole - len(text)
    if "\x1b" in text or "\x9b" in text:
        text = re.sub(_ESCAPES, "", text)
    if "\\" in text:
        text = _unquoted(text)
    if "<" in text and ">" in text:
        text = re.sub(_TAGS, _untagged, text)
    if "&" in text and re.search(_ENTITY, text):
        import html

        text = html.unescape(text)
    return Undressed(text.replace("\r\n", "\n").replace("\r", "\n").translate(_DRESS), unread)


def _untagged(tag: re.Match[str]) -> str:
    return "\n" if tag[0].lower().startswith(_BREAKS) else ""


def _unquoted(text: str) -> str:
    """The text with the lines of what a logger wrote as one string, or as a string in a string; paths stay."""
    for _ in range(2):
        if not re.search(_IN_A_STRING, text):
            break
        lines = (
            _decoded(line) if "\\" in line and re.search(_IN_A_STRING, line) else line for line in text.split("\n")
        )
        text = "\n".join(lines)
    return text.replace("\\_", "_")


def _decoded(line: str) -> str:
    return re.sub(_IN_STRING, _character, line)


def _character(found: re.Match[str]) -> str:
    if found[1] is None:
        return _CHARACTERS.get(found[2], found[2])
    code = int(found[1], 16)
    return "" if 0xD800 <= code <= 0xDFFF else chr(code)


def _excerpt(text: str) -> str:
    """Both ends of the text, and what stands around each different line that looks like an error, in order."""
    spans = [(0, _HEAD), (len(text) - _TAIL, len(text))]
    places = sorted({place for sign in _SIGNS for place in _different(text, sign)})
    # The first tell the cause, the last the end; what is between is most often their echo.
    kept = places if len(places) <= _MOST_PLACES else places[: _MOST_PLACES // 2] + places[-_MOST_PLACES // 2 :]
    spans += [(max(0, place - _BEFORE), min(len(text), place + _AFTER)) for place in kept]
    parts: list[str] = []
    end = 0
    for start, stop in sorted(spans):
        if stop > end:
            parts.append(text[max(start, end) : stop])
            end = stop
    return "\n".join(parts)


def _different(text: str, sign: str) -> list[int]:
    """Where lines with this sign stand, one place for all that differ in numbers only."""
    seen: dict[str, int] = {}
    start = text.find(sign)
    for _ in range(_MOST_HITS):
        if start < 0 or len(seen) >= _MOST_PLACES:
            break
        begin = max(text.rfind("\n", max(0, start - 120), start) + 1, start - 40)
        line = text[begin : start + 80].partition("\n")[0]
        seen.setdefault(line.translate(_NUMBERS), start)
        start = text.find(sign, start + len(sign) + 8)
    return list(seen.values())
