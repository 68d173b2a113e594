"""A chain of steps as the lines of a finding: short, the oldest first, with the repair that lasts."""

from __future__ import annotations

import ast
import dataclasses
from typing import Final

from lossguard.findings import Finding, Origin, Place
from lossguard.tracing.moments import Moment
from lossguard.tracing.remedies import remedy
from lossguard.tracing.steps import Chain, Step
from lossguard.tracing.symptoms import Symptom
from lossguard.tracing.tables import column_in, column_note, row_column_in

#: No chain is longer.
_LONGEST: Final = 4


def told(finding: Finding, chain: Chain, symptom: Symptom, remark: str) -> Finding:
    """`finding` with its origin and the repair there; a remark on the replay goes with the evidence."""
    if not chain:
        return dataclasses.replace(finding, evidence={**finding.evidence, "replay": remark}) if remark else finding
    note, columns, missing = _of_tables(chain)
    first = dataclasses.replace(chain[0], note=note, after=chain[0].after or str(finding.evidence.get("dtype", "")))
    origin = tuple(_origin(step) for step in _shortened([first, *chain[1:]]))
    axis = finding.evidence.get("class_axis", 1)
    repair = remedy(first, symptom.name, columns, missing=missing, logarithms=finding.code == "LG302", axis=axis)
    repairs = (*finding.repairs, repair) if repair is not None else finding.repairs
    return dataclasses.replace(finding, origin=origin, repairs=repairs)


def _shortened(chain: list[Step]) -> list[Step]:
    """The guilty step, and of those that hand the value on, the first of each function and the last assignment."""
    kept: list[Step] = [chain[0]]
    for step in chain[1:]:
        last = kept[-1]
        if (step.file, step.line) == (last.file, last.line):
            continue
        if _scope(step) != _scope(last) and step.variable:
            kept.append(step)
    return kept if len(kept) <= _LONGEST else [kept[0], *kept[-_LONGEST + 1 :]]


def _scope(step: Step) -> tuple[str, int]:
    return step.file, id(step.moment.scope.node) if step.moment else 0


def _origin(step: Step) -> Origin:
    return Origin(Place(step.file, step.line, step.code), step.variable, step.before, step.after, step.note)


def _of_tables(chain: list[Step]) -> tuple[str, tuple[str, ...], bool]:
    """What live data frames say of the columns read on the way: a note, their names, whether values may be missing."""
    emptied = any(word in step.code for step in chain for word in ("dropna", "fillna"))
    for step in chain:
        found = column_in(step.moment.statement, step.moment) if step.moment else None
        if found is not None:
            name, series = found
            note = "" if emptied else column_note(series, name)
            return note, (name,), emptied or bool(series.isna().any())
    places: list[tuple[ast.AST, Moment]] = [(step.moment.statement, step.moment) for step in chain if step.moment]
    if (row := row_column_in(places)) is not None:
        name, series = row
        return "" if emptied else column_note(series, name), (name,), emptied or bool(series.isna().any())
    return "", (), True
