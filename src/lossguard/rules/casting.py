"""When a cast to class indices keeps every label, and what stands in its way otherwise."""

from __future__ import annotations

from lossguard.contracts.dtypes import FIRST_INEXACT, is_floating, largest_of
from lossguard.findings import Fix, Step
from lossguard.rules.case import Case, Part
from lossguard.rules.rule import changes_values, lossless

#: The step that fixing takes.
TO_INT64 = Step("cast", "int64")


def cast_fix(case: Case, part: Part) -> Fix:
    """`.long()`, said to be lossless only where the values prove it."""
    code = f"{part.name}.long()"
    title = f"cast {part.name} to int64"
    doubt = _doubt(part)
    if doubt:
        return changes_values(title, code, doubt)
    classes = case.classes
    reason = "every value is finite, whole" if is_floating(part.facts.dtype or "") else "every value is whole"
    if part.facts.smallest is None:
        reason = f"int64 holds every number of {part.facts.dtype}"
    elif classes is not None:
        reason += f" and below {classes}"
    if part.facts.ignored and part.facts.bounds is not None:
        reason += f", or the ignore index {part.facts.bounds.ignore}"
    return lossless(title, code, reason, TO_INT64)


def _doubt(part: Part) -> str:
    """Why the cast may lose a label; empty when it cannot."""
    facts = part.facts
    if facts.null:
        return "missing labels have no number"
    if not is_floating(facts.dtype or ""):
        return f"{facts.out_of_bounds} out of range before and after" if facts.out_of_bounds else _overflow(part)
    if facts.all_finite is None or facts.fractional is None:
        return "the values are not known here; .long() cuts fractions off and makes -9223372036854775808 of NaN"
    if not facts.all_finite:
        return "NaN and infinity become -9223372036854775808"
    if facts.fractional:
        return f"{facts.fractional} fractions are cut off"
    if facts.inexact:
        limit = FIRST_INEXACT[facts.dtype or ""]
        return f"{facts.dtype} is exact below {limit} only; larger labels may be rounded already"
    if facts.out_of_bounds:
        return f"{facts.out_of_bounds} out of range before and after"
    return "" if facts.out_of_bounds is not None else "the number of classes is not known here"


def _overflow(part: Part) -> str:
    """Why integers may be other labels that wrapped around in a narrow dtype; empty when they cannot."""
    facts, bounds, dtype = part.facts, part.facts.bounds, part.facts.dtype or ""
    largest = largest_of(dtype)
    # Truth values are made by comparing, not by casting labels: True is class 1 and nothing else.
    if bounds is None or largest is None or dtype == "bool" or not isinstance(bounds.high, int):
        return ""
    if bounds.high - 1 > largest:
        return f"{dtype} holds labels to {largest} only; larger ones may have become others already"
    if bounds.ignore is None or facts.smallest is None or facts.largest is None:
        return ""
    wrapped = bounds.ignore % (largest + 1 if dtype.startswith("u") else 2 * (largest + 1))
    is_there = wrapped != bounds.ignore and facts.smallest <= wrapped <= facts.largest
    return f"the ignore index {bounds.ignore} may have become {wrapped} in {dtype}" if is_there else ""
