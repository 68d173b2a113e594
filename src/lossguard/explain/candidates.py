"""Which faults the words of a text fit: by sayings of the rules, texts of other libraries and general checks."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from importlib import import_module
from typing import Final

from lossguard.explain.index import SAYINGS
from lossguard.explain.index_words import LIBRARIES
from lossguard.explain.operations import is_statement
from lossguard.explain.reading import frames_of
from lossguard.explain.telling import Telling
from lossguard.findings import Certainty
from lossguard.records import dataclass
from lossguard.rules.rule import Rule
from lossguard.rules.saying import TorchMessage, anchors, bare, begins, to_pattern

_CERTAINTIES: Final = list(Certainty)
#: How far around a saying's words its template is tried, and how many places of one text at most.
_BEFORE: Final = 400
_AFTER: Final = 800
_PLACES: Final = 4
#: A message that is cut off is known by at least as many letters of it.
_ENOUGH: Final = 24
#: Words that weigh less are a symptom, not an error.
_WEAK: Final = 30
#: The faults that a loss which is not finite may have: they are weighed together with what else a text shows.
_NOT_FINITE: Final = frozenset({"LG108", "LG203", "LG207", "LG208", "LG211", "LG408"})


@dataclass(frozen=True, slots=True)
class Candidate:
    """A fault that the words fit, and what the words tell of it."""

    rule: Rule
    saying: TorchMessage
    told: Mapping[str, str]
    weight: int
    certainty: Certainty
    #: The library whose words these are; empty for torch's own.
    library: str = ""
    #: What to look at or to change, where the words tell that better than the rule.
    look: str = ""
    #: One line that tells this fault from the others, where the rule's own does not.
    verify: str = ""

    @property
    def is_of_a_call(self) -> bool:
        """Whether the words can only be about a call of ours: they make the fault likely, or speak of a target."""
        if self.library == "another library":
            return False
        if self.library not in {"", "torch"} or self.certainty is not Certainty.POSSIBLE:
            return True
        return any("target" in run for run in anchors(self.saying.shows))


def candidates(telling: Telling) -> list[Candidate]:
    """Every fault that the words fit, once each, the likeliest first."""
    found = best_of([*_of_torch(telling), *_of_libraries(telling)])
    if not found:
        found = best_of(_of_checks(telling))
    return found or best_of(_of_cut_messages(telling))


def best_of(found: Iterable[Candidate]) -> list[Candidate]:
    """The heaviest candidate of each rule, the heaviest first."""
    best: dict[str, Candidate] = {}
    for candidate in found:
        if candidate.rule.code not in best or candidate.weight > best[candidate.rule.code].weight:
            best[candidate.rule.code] = candidate
    return sorted(best.values(), key=lambda candidate: (-candidate.weight, candidate.rule.code))


def is_an_error(found: list[Candidate], telling: Telling) -> bool:
    """Whether words were found that are an error: not just a loss that is not finite, nor a mere mention."""
    if found[0].weight < _WEAK or (found[0].rule.code in _NOT_FINITE and found[0].certainty is Certainty.POSSIBLE):
        return False
    if telling.errors or found[0].library:
        return True
    runs = [run[:12] for run in anchors(found[0].saying.shows)]
    begins_line = (bare(line).partition("error: ")[2] or bare(line) for line in telling.lines[:200])
    return any(line.startswith(run) or line[:40].find(run) >= 0 for line in begins_line for run in runs)


def _of_torch(telling: Telling) -> Iterator[Candidate]:
    """What the rules' own sayings find."""
    for words, template, module, number, _ in SAYINGS:
        told = _found(words, template, telling)
        if told is None:
            continue
        # Only now is the rule loaded: a text has the words of few.
        rule = rule_in(module)
        candidate = _candidate(rule, rule.says[number], told, telling)
        if candidate is not None:
            yield candidate


def _of_libraries(telling: Telling) -> Iterator[Candidate]:
    """What the texts of other libraries, and of kernels under a loss, find."""
    near = [number for number, words in enumerate(LIBRARIES) if has(words, telling)]
    if not near:
        return
    # Loaded when its words are there, as the rules are.
    from lossguard.explain.libraries import text_at

    for row in map(text_at, near):
        told = _found(anchors(row.shows), row.shows, telling)
        if told is None or not telling.shows(row.needs):
            continue
        for module, weight in row.causes:
            saying = TorchMessage(row.shows, shows=row.shows, certainty=row.certainty, weight=weight, warns=row.warns)
            yield Candidate(rule_in(module), saying, told, weight, row.certainty, row.library, row.look)


def _of_checks(telling: Telling) -> Iterator[Candidate]:
    """What general forms of a check find, whichever library wrote it: only in messages, never in code."""
    from lossguard.explain.checks import CHECKS

    for message in messages(telling):
        for check in CHECKS:
            if (
                (telling.errors or not check.needs_error)
                and any(word in message for word in check.words)
                and (found := re.search(check.pattern, message))
            ):
                told = {name: value for name, value in found.groupdict().items() if value is not None}
                for module, weight in check.causes:
                    saying = TorchMessage(found[0], certainty=check.certainty, weight=weight)
                    yield Candidate(rule_in(module), saying, told, weight, check.certainty, "another library")


def _of_cut_messages(telling: Telling) -> Iterator[Candidate]:
    """What a message fits that ends before the template does."""
    for message in messages(telling):
        for words, template, module, number, lead in SAYINGS:
            is_lead = len(message) >= _ENOUGH and lead.startswith(message)
            if not is_lead and not any(run[: _ENOUGH - 4] in message for run in words):
                continue
            told = {} if is_lead else begins(template, message.removeprefix(lead).lstrip(), _ENOUGH - len(lead))
            if told is not None:
                rule = rule_in(module)
                candidate = _candidate(rule, rule.says[number], told, telling)
                if candidate is not None:
                    yield candidate


def messages(telling: Telling) -> list[str]:
    """The bare messages of a text: its errors, and its last lines, which may be a message without a name."""
    said = [error.partition(": ")[2] or error for error in telling.errors]
    # Beside an error a frame and its code are no message, whatever they name and compare.
    code = {frame.code for frame in telling.frames if frame.code} if telling.errors else set()
    last = [line for line in telling.lines[-6:] if line.strip()[:300] not in code]
    last = [line for line in last if not frames_of([line])] if telling.errors else last
    # Nor is a statement, unless it is the check that failed without a message.
    last = [line for line in last if line.lstrip().startswith("assert ") or not is_statement(line)]
    if any(": " not in error for error in telling.errors) and telling.frames:
        said += [telling.frames[-1].code] if telling.frames[-1].code.startswith("assert ") else []
    return list(dict.fromkeys(bare(line[:2000]) for line in [*said, *last] if len(line) > 8))


@cache
def rule_in(module: str) -> Rule:
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
    return _found(anchors(template), template, telling) is not None


def has(words: tuple[str, ...], telling: Telling) -> bool:
    """Whether all plain words of a template stand in the text."""
    return all(run in telling.words for run in words) or (
        bool(telling.joined) and all(run in telling.joined for run in words)
    )


def _found(words: tuple[str, ...], template: str, telling: Telling) -> dict[str, str] | None:
    """What the holes of a template hold in the text; None when its plain words or its pattern are not there."""
    for text in (telling.words, telling.joined):
        if not all(run in text for run in words):
            continue
        pattern = to_pattern(template)
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
