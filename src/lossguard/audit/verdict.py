"""The judge, asked about a column: contract and facts in, findings with the rows that show them out."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Final

from lossguard.audit.column import Column, offenders_of
from lossguard.audit.demand import Demand
from lossguard.contracts.contract import Meaning
from lossguard.diagnosis import diagnose
from lossguard.facts.facts import Facts, Offender
from lossguard.facts.observation import Observation
from lossguard.findings import Finding, Fix, Safety, Sample, Scope
from lossguard.records import replace

#: Which kinds of rows show a fault; the others have no row of their own, as a dtype has none.
_SHOWN_BY: Final = {
    "LG203": ("null", "nan", "infinite"),
    "LG204": ("fractional",),
    "LG201": ("below", "above"),
    "LG202": ("below", "above"),
    "LG205": ("below", "above"),
    "LG212": ("below", "above"),
    "LG213": ("below",),
    "LG209": ("inexact",),
    "LG109": ("below", "above"),
    "LG502": ("word",),
}
#: What names a sample: the row of a file, the item of a dataset.
Name = Callable[[int], str]


def judge(column: Column, demand: Demand, name: Name) -> list[Finding]:
    """Every fault of the column, the most useful first."""
    classes = classes_of(column, demand)
    shape = column.shape
    facts = column.facts
    if facts.bounds is not None and demand.classes is None:
        facts = replace(facts, bounds=replace(facts.bounds, high=classes))
    target = replace(facts, shape=shape, offenders=offenders_of(column.firsts))
    given = Facts(kind="tensor", shape=demand.input_shape(shape, facts.rows, classes), device="cpu", storage="strided")
    findings = diagnose(demand.contract, Observation({"input": given, demand.target.name: target}))
    marks = {finding.evidence["mark"] for finding in findings if "mark" in finding.evidence}
    return [_placed(finding, column, marks, name) for finding in findings]


def classes_of(column: Column, demand: Demand) -> int:
    """The number of classes: what was said, or one more than the largest label, or how many words there are."""
    if demand.classes is not None:
        return demand.classes
    if demand.target.meaning is not Meaning.CLASS_INDICES:
        return 1
    rows = column.facts.rows
    if rows is not None and rows.read and column.inner:
        return column.inner[0]
    largest = column.facts.largest
    if largest is None and column.words:
        return len(column.words)
    return 1 if largest is None or not math.isfinite(largest) else max(int(largest) + 1, 1)


def _placed(finding: Finding, column: Column, marks: set[int], name: Name) -> Finding:
    """The finding with the rows that show it: its own mark where it is about one, else what is no mark."""
    mark = finding.evidence.get("mark")
    samples = [
        _sample(offender, kind, name)
        for kind in _SHOWN_BY.get(finding.code, ())
        for offender in column.firsts.get(kind, ())
        if (offender.value not in marks if mark is None else offender.value == mark)
    ]
    fixes = tuple(_checked(fix, column) for fix in finding.fixes)
    ordered = sorted(samples, key=lambda sample: sample.index or 0)[:10]
    evidence = {key: value for key, value in finding.evidence.items() if key != "device"}
    return replace(finding, samples=tuple(ordered), fixes=fixes, evidence=evidence)


def _sample(offender: Offender, kind: str, name: Name) -> Sample:
    row, *place = offender.position
    value = None if kind == "null" else offender.value
    return Sample(value=value, index=row, position=tuple(place) or None, key=name(row))


def _checked(fix: Fix, column: Column) -> Fix:
    """A fix that the facts prove lossless, proved on every label and not on a batch of them."""
    if fix.safety is not Safety.LOSSLESS:
        return replace(fix, scope=Scope.DATASET)
    return replace(fix, scope=Scope.DATASET, checked=f"all {column.facts.count or 0:,} labels were read")
