"""A chain of steps as the lines of a finding: short, the oldest first; and the fix that lasts."""

from __future__ import annotations

import ast
import dataclasses
import re
from typing import Final

from lossguard.findings import Finding, Fix, Origin, Place, Safety
from lossguard.tracing.links.statements import Statement
from lossguard.tracing.links.tables import (
    Column,
    column_in,
    column_note,
    column_of,
    range_note,
    row_column_in,
    unmapped_note,
)
from lossguard.tracing.remedies.remedy import remedy
from lossguard.tracing.symptoms.symptom import Judgement, Symptom
from lossguard.tracing.walks.steps import Chain, Step

#: No chain is longer.
_LONGEST: Final = 4
#: A plain number as it is described: its type and its value.
_PLAIN: Final = re.compile(r"^(int|float|bool) \S+$")
#: A row of a table, all columns of it.
_ROW: Final = re.compile(r"[\w)]\.i?loc\[[^\[\],:]*\]|iterrows|itertuples|\.values\[[^\[\],:]*\]")
#: What a value has become, where its dtype and shape do not tell.
_WORDS: Final = {
    "non-finite": "not finite",
    "truncated": "not finite",
    "fractional": "not whole",
    "probabilities": "probabilities",
    "scores": "scores",
    "no distribution": "rows do not sum to 1",
    "negative": "negative",
    "unsquashed": "outside 0 to 1",
}


def told(finding: Finding, chain: Chain, symptom: Symptom, remark: str) -> Finding:
    """`finding` with its origin; a remark on the replay goes with the evidence."""
    if not chain:
        return dataclasses.replace(finding, evidence={**finding.evidence, "replay": remark}) if remark else finding
    note, _ = _of_tables(chain, symptom)
    first = dataclasses.replace(_worded(chain[0], symptom, finding), note=_unmapped(chain[0]) or note)
    return dataclasses.replace(finding, origin=tuple(map(_origin, _shortened([first, *chain[1:]]))))


def with_fix(finding: Finding, chain: list[Step], symptom: Symptom) -> Finding:
    """`finding` with the fix at its origin, and its other fixes limited to what is known of the whole column."""
    _, column = _of_tables(chain, symptom)
    if column is not None and column.missing and symptom.about == "dtype":
        finding = dataclasses.replace(
            finding, fixes=tuple(_limited(fix, column.name, column.missing) for fix in finding.fixes)
        )
    first = _worded(chain[0], symptom, finding)
    fix = remedy(first, symptom, finding, column, by_rows=any(_ROW.search(step.code) for step in chain))
    return finding if fix is None else dataclasses.replace(finding, fixes=(fix, *finding.fixes))


def _worded(step: Step, symptom: Symptom, finding: Finding) -> Step:
    """`step`, with what the value was before it and after it in the words of the symptom."""
    if symptom.about == "dtype":
        # Of a plain number the type is what matters, not the value.
        before, after = (" ".join(_PLAIN.sub(r"\1", text).split()) for text in (step.before, step.after))
        before = f"array of {before}" if before and " of " not in before and symptom.behind is not None else before
        return dataclasses.replace(step, before=before, after=after or str(finding.evidence.get("dtype", "")))
    told_by_dtype = _dtype(step.after) != _dtype(step.before) or symptom.name not in _WORDS
    if step.after and step.after != step.before and not symptom.values and told_by_dtype:
        return step
    before = step.before if step.before != step.after else ""
    if symptom.values:
        # One number became another; of arrays that is not to be seen.
        before = before.rpartition(" ")[2] if _PLAIN.match(before) else ""
    shown = ", ".join(f"{value:g}" for value in sorted(symptom.values)[:3]) + ", ..." * (len(symptom.values) > 3)
    after = shown or _WORDS.get(symptom.name, "")
    return dataclasses.replace(step, before=before, after=after)


def _unmapped(step: Step) -> str:
    """What `column.map(table)` did not find in its table."""
    node, at = step.culprit, step.moment
    plain = isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and len(node.args) == 1
    if not plain or at is None or not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
        return ""
    return unmapped_note(at.evaluate(node.func.value), at.evaluate(node.args[0])) if node.func.attr == "map" else ""


def _dtype(text: str) -> str:
    """The dtype in a description."""
    return text.partition("[")[0]


def _shortened(chain: list[Step]) -> list[Step]:
    """The culprit, and of those that hand the value on, the first of each function and the last assignment."""
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


def _of_tables(chain: list[Step], symptom: Symptom) -> tuple[str, Column | None]:
    """What live data frames say of the column that was read on the way, as a note and as numbers."""
    noted = range_note if symptom.values else column_note
    emptied = any(word in step.code for step in chain for word in ("dropna", "fillna"))
    for step in chain:
        found = column_in(step.moment.statement, step.moment) if step.moment else None
        if found is not None and (symptom.about != "values" or symptom.judge(found[1]) is not Judgement.GOOD):
            name, series = found
            return "" if emptied else noted(series, name), column_of(series, name, emptied=emptied)
    places: list[tuple[ast.AST, Statement]] = [(step.moment.statement, step.moment) for step in chain if step.moment]
    if (row := row_column_in(places)) is not None:
        name, series = row
        return "" if emptied else noted(series, name), column_of(series, name, emptied=emptied)
    return "", None


def _limited(fix: Fix, column: str, missing: int) -> Fix:
    """A cast that was checked on one batch, in a column that has more labels than those."""
    if fix.safety is not Safety.LOSSLESS or not fix.checked or fix.only_batch:
        return fix
    labels = "1 label" if missing == 1 else f"{missing:,} labels"
    said = f'{labels} of the column "{column}" {"is" if missing == 1 else "are"} missing'
    return dataclasses.replace(fix, only_batch=said)
