"""Every text that torch and other libraries have for a fault, as a reader meets it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from lossguard.explain.libraries.table import TEXTS
from lossguard.records import dataclass
from lossguard.rules.registry import all_rules
from lossguard.rules.rule import Rule

_HOLE: Final = re.compile(r"\{([^{}]*)\}")


@dataclass(frozen=True, slots=True)
class Text:
    """One text, who says it, and when."""

    words: str
    #: `torch 1.10 to 2.11`, or the name of another library.
    said_by: str
    devices: str = ""
    because: str = ""
    #: How often this fault is the one, among those that have the same words; 1 to 100.
    weight: int = 1
    #: Whether it is torch's own.
    is_torch: bool = True

    @property
    def when(self) -> str:
        """`torch 1.10 to 2.11 on CUDA`."""
        return f"{self.said_by} on {self.devices}" if self.devices else self.said_by


def texts_of(rule: Rule) -> list[Text]:
    """What is said when this rule is broken, each text once: torch's own first, then that of other libraries."""
    found: dict[tuple[str, str], Text] = {}
    for text in (*_of_torch(rule), *_of_others(rule)):
        found.setdefault((text.words, text.when), text)
    return list(found.values())


def all_texts() -> list[tuple[Rule, Text]]:
    """All texts of all rules, in the order of their letters; where several rules have one, the likeliest first."""
    every = [(rule, text) for rule in all_rules() for text in texts_of(rule)]
    return sorted(every, key=lambda pair: (*_letters(pair[1].words), -pair[1].weight, pair[0].code))


def _letters(words: str) -> tuple[str, str]:
    return re.sub(r"^\W+", "", words).lower(), words


def _of_torch(rule: Rule) -> Iterator[Text]:
    for saying in rule.says:
        versions = "torch, all versions" if saying.versions == "all versions" else f"torch {saying.versions}"
        yield Text(saying.text, versions, saying.devices, saying.because, max(saying.weight, 1))


def _of_others(rule: Rule) -> Iterator[Text]:
    """The texts of other libraries whose likeliest cause is this fault."""
    home = type(rule).__module__.partition(".rules.")[2]
    for row in TEXTS:
        if row.causes and max(row.causes, key=lambda cause: cause[1])[0] == home:
            yield Text(_HOLE.sub(_filled, row.shows), row.library or "kernels of torch", is_torch=not row.library)


def _filled(hole: re.Match[str]) -> str:
    """A hole of a template as a reader sees it: its first word, or three dots."""
    inside = hole[1]
    if inside.startswith("?"):
        return inside[1:]
    return inside.partition("|")[0] if "|" in inside else "..."
