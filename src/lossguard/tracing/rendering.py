"""A chain of steps as the lines of a finding: short, the oldest first; and the fix that lasts."""

from __future__ import annotations

import ast
import dataclasses
import os
import re
import traceback
from typing import Final

from lossguard.findings import Finding, Origin, Place
from lossguard.rules.registry import find_rule
from lossguard.rules.rule import Cost
from lossguard.tracing.links.statements import Statement
from lossguard.tracing.links.tables import column_in, column_note, range_note, row_column_in, unmapped_note
from lossguard.tracing.remedies.remedy import remedy
from lossguard.tracing.remedies.table_lines import Column, limited, table_fix
from lossguard.tracing.symptoms.mismatches import OF_SHAPES
from lossguard.tracing.symptoms.symptom import MISSING, Judgement, Symptom
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
    column = _column(chain, symptom)
    noted = range_note if symptom.values else column_note
    note = noted(column.values, column.name) if column is not None and not column.emptied else ""
    note = _unmapped(chain[0]) or note or chain[0].note
    first = dataclasses.replace(_worded(chain[0], symptom, finding), note=note)
    cause = "" if symptom.name == "rows" else finding.cause  # which was a guess by the two numbers alone
    return dataclasses.replace(finding, cause=cause, origin=tuple(map(_origin, _shortened([first, *chain[1:]]))))


def with_fix(finding: Finding, chain: list[Step], symptom: Symptom) -> Finding:
    """`finding` with the fix at its origin, and its other fixes limited to what is known of the whole column."""
    column = _column(chain, symptom)
    if column is not None and symptom.about == "dtype":
        finding = dataclasses.replace(finding, fixes=tuple(limited(fix, column) for fix in finding.fixes))
    first = _worded(chain[0], symptom, finding)
    by_table = symptom.about == "dtype" or symptom.name in MISSING
    fix = table_fix(first.culprit, first.file, finding, column) if column is not None and by_table else None
    fix = fix or remedy(first, symptom, finding)
    return finding if fix is None else dataclasses.replace(finding, fixes=(fix, *finding.fixes))


def _worded(step: Step, symptom: Symptom, finding: Finding) -> Step:
    """`step`, with what the value was before it and after it in the words of the symptom."""
    if symptom.about == "dtype":
        # Of a plain number the type is what matters, not the value.
        before, after = (" ".join(_PLAIN.sub(r"\1", text).split()) for text in (step.before, step.after))
        before = f"array of {before}" if before and " of " not in before and symptom.behind is not None else before
        return dataclasses.replace(step, before=before, after=after or str(finding.evidence.get("dtype", "")))
    told_by_dtype = step.after.partition("[")[0] != step.before.partition("[")[0] or symptom.name not in _WORDS
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
    match step.culprit:
        case ast.Call(func=ast.Attribute(value=column, attr="map"), args=[table]) if step.moment is not None:
            return unmapped_note(step.moment.evaluate(column), step.moment.evaluate(table))
    return ""


def _shortened(chain: list[Step]) -> list[Step]:
    """The culprit, and of those that hand the value on, the first of each function and the last assignment."""
    kept: list[Step] = [chain[0]]
    for step in chain[1:]:
        told = {(other.file, other.line) for other in kept}
        if step.variable and _scope(step) != _scope(kept[-1]) and (step.file, step.line) not in told:
            kept.append(step)
    return kept if len(kept) <= _LONGEST else [kept[0], *kept[-_LONGEST + 1 :]]


def _scope(step: Step) -> tuple[str, int]:
    return step.file, id(step.moment.scope.node) if step.moment else 0


def _origin(step: Step) -> Origin:
    return Origin(Place(step.file, step.line, step.code), step.variable, step.before, step.after, step.note)


def _column(chain: list[Step], symptom: Symptom) -> Column | None:
    """The column of a live data frame that was read on the way."""
    emptied = any(word in step.code for step in chain for word in ("dropna", "fillna"))
    by_rows = any(_ROW.search(step.code) for step in chain)
    for step in chain:
        found = column_in(step.moment.statement, step.moment) if step.moment else None
        if found is not None and (symptom.about != "values" or symptom.judge(found[1]) is not Judgement.GOOD):
            return Column(*found, emptied, by_rows)
    places: list[tuple[ast.AST, Statement]] = [(step.moment.statement, step.moment) for step in chain if step.moment]
    row = row_column_in(places)
    return None if row is None else Column(*row, emptied, by_rows)


def remarked(finding: Finding, remark: str) -> Finding:
    """`finding` with a remark on the look back, unless its line was found."""
    if finding.origin or "replay" in finding.evidence:
        return finding
    return dataclasses.replace(finding, evidence={**finding.evidence, "replay": remark})


def with_error(finding: Finding, error: BaseException) -> Finding:
    """`finding` as it was before a step failed. Tests ask by the environment to be told of the error."""
    if not os.environ.get("LOSSGUARD_DEBUG"):
        return finding
    told_error = "".join(traceback.format_exception(error)[-3:])
    return dataclasses.replace(finding, evidence={**finding.evidence, "failed": told_error})


def without_example(given: Finding, found: Finding) -> Finding:
    """`found` without the sample that was taken as an example, unless what is wrong is the dtype of each value."""
    named = given.samples or (find_rule(given.code).cost is Cost.METADATA and given.seek not in OF_SHAPES)
    return found if named else dataclasses.replace(found, samples=())
