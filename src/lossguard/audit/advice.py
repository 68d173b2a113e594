"""Fixes in the words of the source: code that loads these very labels and can be pasted as it stands.

The rules speak of a tensor called `target` and of a model. An audit knows the file, the column and every label; of a
model it knows nothing unless one was given.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Final

from lossguard.audit.column import Column
from lossguard.audit.demand import Demand
from lossguard.audit.sources.part import Loading
from lossguard.audit.split import MARKS
from lossguard.findings import Finding, Fix, Safety
from lossguard.records import replace
from lossguard.rules.registry import find_rule

#: What a rule's code does, by how it is written.
_DOES: Final = (
    (r"target\.long\(\)|target\.astype\('int64'\)", "cast"),
    (r"target\.dropna\(\)|.*\[target\.isfinite\(\)\].*", "drop"),
    (r"target\.nan_to_num\(.*", "fill"),
    (r"pandas\.factorize\(.*", "number"),
    (r"target - 1", "shift"),
)
#: How that is written for what a source is loaded as. {it} loads, {column} is the column's name in quotes, {ignore} the
#: ignore index. What stands in no row is said in words.
_WRITTEN: Final[dict[str, dict[str, str]]] = {
    "frame": {
        "cast": '{it}.astype({{{column}: "int64"}})',
        "drop": "{it}.dropna(subset=[{column}])",
        "fill": "{it}.fillna({{{column}: {ignore}}})",
        "number": "pandas.factorize({it}[{column}], sort=True)[0]",
        "shift": "{it}[{column}] - 1",
    },
    "series": {
        "cast": '{it}.astype("int64")',
        "drop": "{it}.dropna()",
        "fill": "{it}.fillna({ignore})",
        "number": "pandas.factorize({it}, sort=True)[0]",
        "shift": "{it} - 1",
    },
    "polars": {
        "cast": "{it}.cast({{{column}: polars.Int64}})",
        "number": '{it}[{column}].rank("dense") - 1',
        "shift": "{it}[{column}] - 1",
    },
    "array": {
        "cast": '{it}.astype("int64")',
        "drop": "{it}[numpy.isfinite({it})]",
        "fill": "numpy.nan_to_num({it}, nan={ignore})",
        "shift": "{it} - 1",
    },
    "tensor": {
        "cast": "{it}.long()",
        "drop": "{it}[{it}.isfinite()]",
        "fill": "{it}.nan_to_num(nan={ignore})",
        "shift": "{it} - 1",
    },
    "dataset": {
        "cast": '{it}.cast_column({column}, datasets.Value("int64"))',
        "drop": "{it}.filter(lambda row: row[{column}] is not None)",
        "number": "{it}.class_encode_column({column})",
    },
    "": {},
}
#: What is said of a last layer, where no model was given, and what is known instead.
_WITHOUT_MODEL: Final = (
    (r"the last layer is one class short", "there is one class more than {classes}"),
    (r"and the last layer has (\S+) classes", r"and \1 classes were asked for"),
    (r"yes and no, and a last layer with one output", "yes and no, and one class"),
    (r"give the last layer (\d+) outputs", r"make it \1 classes: --classes \1, and a last layer with \1 outputs"),
)
#: No model has so many outputs.
_TOO_MANY: Final = 10_000_000


def advised(finding: Finding, loading: Loading | None, column: Column, demand: Demand) -> Finding:
    """The finding with fixes for these labels; those of a live dataset are about its batches and stay as they are."""
    cause = _without_model(finding.cause, demand)
    if loading is None:
        fixes = [replace(fix, title=_without_model(fix.title, demand)) for fix in finding.fixes]
        return replace(finding, cause=cause, fixes=tuple(fixes))
    fixes = [_for_source(fix, loading, column, demand) for fix in finding.fixes if _makes_sense(fix)]
    if "LG202" in find_rule(finding.code).explains:
        fixes += _ignored_marks(column)
    return replace(finding, cause=cause, fixes=tuple({fix.code or fix.title: fix for fix in fixes}.values()))


def _ignored_marks(column: Column) -> Iterator[Fix]:
    """A mask of bytes with 255 for "no label" needs more than a cast."""
    outside = {**(column.facts.below_values or {}), **(column.facts.above_values or {})}
    for mark in (mark for mark in MARKS if mark in outside):
        title = f"leave labels of {mark} out of the loss"
        yield Fix(title, Safety.CHANGES_VALUES, f"ignore_index={mark}", "these labels count no longer")


def _makes_sense(fix: Fix) -> bool:
    """Whether a fix is about labels: the input is unknown here, and so is how it may be swapped with the target."""
    number = re.search(r"give the last layer (\d+) outputs", fix.title)
    if number is not None and int(number[1]) > _TOO_MANY:
        return False
    return "input" not in fix.code or _does(fix.code) == "drop"


def _for_source(fix: Fix, loading: Loading, column: Column, demand: Demand) -> Fix:
    title = _without_model(fix.title, demand).replace("cast target", "cast the labels")
    if not fix.code:
        return replace(fix, title=title, reason=fix.reason or "if that is meant")
    does = _does(fix.code)
    written = _WRITTEN[loading.kind].get(does, "")
    if not written:
        known = not does and "target" not in fix.code
        return replace(fix, title=title, code=fix.code if known else "", reason=fix.reason or "if that is meant")
    names = {"it": loading.code, "column": json.dumps(loading.column), "ignore": demand.ignore_index}
    code, proof = written.format(**names), _proof(does, column, demand)
    if proof and does in {"drop", "fill"} and "cast" in _WRITTEN[loading.kind]:
        code = _WRITTEN[loading.kind]["cast"].format(**{**names, "it": code})
    reason = fix.reason or _told(does, column)
    return replace(fix, title=title, code=code, reason=reason, checked=fix.checked or proof)


def _does(code: str) -> str:
    return next((name for pattern, name in _DOES if re.fullmatch(pattern, code)), "")


def _told(does: str, column: Column) -> str:
    """What a fix changes, in numbers."""
    facts = column.facts
    gone = (facts.null or 0) + (facts.nan or 0)
    if does == "drop" and gone:
        return f"{gone:,} of {column.samples:,} rows" if facts.count == column.samples else f"{gone:,} labels"
    return "missing labels become -1" if does == "number" and facts.null else ""


def _proof(does: str, column: Column, demand: Demand) -> str:
    """How the labels that were read prove a fix that changes values; empty if they do not."""
    facts = column.facts
    if not demand.is_of_classes or facts.fractional or facts.infinite or facts.inexact or facts.smallest is None:
        return ""
    if does in {"drop", "fill"} and not facts.below and not facts.above:
        left = (facts.count or 0) - (facts.null or 0) - (facts.nan or 0)
        return f"the loss takes all {left:,} others" if left else ""
    fits = facts.smallest >= 1 and facts.largest is not None and facts.largest <= (demand.classes or 0)
    return f"the loss takes all {facts.count:,} labels then" if does == "shift" and fits and not facts.null else ""


def _without_model(text: str, demand: Demand) -> str:
    if demand.by_model:
        return text
    for pattern, words in _WITHOUT_MODEL:
        text = re.sub(pattern, words.format(classes=demand.classes), text)
    return text
