"""Which faults the words of a text fit, by the sayings of the rules."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import cache
from importlib import import_module
from typing import Final

from lossguard.explain.index import SAYINGS
from lossguard.explain.telling import Telling
from lossguard.findings import Certainty
from lossguard.records import dataclass
from lossguard.rules.rule import Rule
from lossguard.rules.saying import TorchMessage, anchors, to_pattern

_CERTAINTIES: Final = list(Certainty)
#: How far around a saying's words its template is tried, and how many places of one text at most.
_BEFORE: Final = 400
_AFTER: Final = 800
_PLACES: Final = 4


@dataclass(frozen=True, slots=True)
class Candidate:
    """A fault that the words fit, and what the words tell of it."""

    rule: Rule
    saying: TorchMessage
    told: Mapping[str, str]
    weight: int
    certainty: Certainty

    @property
    def is_of_a_call(self) -> bool:
        """Whether the words can only be about a call of ours: they make the fault likely, or speak of a target."""
        return self.certainty is not Certainty.POSSIBLE or any("target" in run for run in anchors(self.saying.shows))


def candidates(telling: Telling) -> list[Candidate]:
    """Every fault that the words fit, once each, the likeliest first."""
    best: dict[str, Candidate] = {}
    for words, pattern, module, number in SAYINGS:
        told = _found(words, pattern, telling)
        if told is None:
            continue
        # Only now is the rule loaded: a text has the words of few.
        rule = _rule(module)
        candidate = _candidate(rule, rule.says[number], told, telling)
        if candidate is not None and candidate.weight > best.get(rule.code, _NONE).weight:
            best[rule.code] = candidate
    return sorted(best.values(), key=lambda candidate: (-candidate.weight, candidate.rule.code))


@cache
def _rule(module: str) -> Rule:
    """The rule in a module of `lossguard.rules`."""
    loaded = import_module(f"lossguard.rules.{module}")
    return next(
        value()
        for value in vars(loaded).values()
        if isinstance(value, type) and issubclass(value, Rule) and value.__module__ == loaded.__name__
    )


def _candidate(rule: Rule, saying: TorchMessage, told: Mapping[str, str], telling: Telling) -> Candidate | None:
    """The candidate that a saying makes, unless the text names another operation or lacks what is needed."""
    named = bool(telling.operations & saying.ops)
    if (saying.ops and telling.operations and not named) or not telling.shows(saying.needs) or _agree(told):
        return None
    surer = max(0, _CERTAINTIES.index(saying.certainty) - (1 if named else 0))
    return Candidate(rule, saying, told, saying.weight + (5 if named else 0), _CERTAINTIES[surer])


def _agree(told: Mapping[str, str]) -> bool:
    """Whether the words name two dtypes, and these are the same: then it is not the dtypes that they are about."""
    dtypes = [value for name, value in told.items() if name.endswith("_dtype")]
    return len(dtypes) > 1 and len(set(dtypes)) == 1


def fits(template: str, telling: Telling) -> bool:
    """Whether a template fits the text."""
    return _found(anchors(template), to_pattern(template), telling) is not None


def _found(words: tuple[str, ...], pattern: str, telling: Telling) -> dict[str, str] | None:
    """What the holes of a template hold in the text; None when its plain words or its pattern are not there."""
    for text in (telling.words, telling.joined):
        if not all(run in text for run in words):
            continue
        for start in _places(text, words[0]):
            found = re.search(pattern, text[max(0, start - _BEFORE) : start + len(words[0]) + _AFTER])
            if found is not None:
                return {name: value for name, value in found.groupdict().items() if value is not None}
    return None


def _places(text: str, words: str) -> Iterator[int]:
    """Where the words stand: the first few places and the last."""
    start, last = text.find(words), text.rfind(words)
    for _ in range(_PLACES):
        if start < 0:
            return
        yield start
        start = text.find(words, start + 1)
    if last >= start >= 0:
        yield last


_NONE: Final = Candidate(Rule(), TorchMessage(""), {}, -1, Certainty.POSSIBLE)
