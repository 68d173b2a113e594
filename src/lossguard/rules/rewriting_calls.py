"""Fixes that are another call: arguments in the other order, or without the entries that have no label."""

from __future__ import annotations

from lossguard.findings import Fix
from lossguard.rules.case import Case, Part
from lossguard.rules.rule import changes_values, lossless


def swapped(case: Case) -> list[Fix]:
    """Input and target in the other order; whether the loss takes them so is found out when the fix is checked."""
    if case.input is None or case.target is None or not case.loss.isidentifier():
        # A pasted text need not tell which loss it was.
        return []
    code = f"F.{case.loss}({case.target.name}, {case.input.name})"
    return [lossless("swap input and target", code, "the values stay")]


def only_where(case: Case, target: Part, condition: str, title: str, *, cast: str = "") -> list[Fix]:
    """The same loss of those entries alone for which `condition` holds; empty where they cannot be picked out."""
    given = case.input
    if given is None or given.facts.shape is None or target.facts.shape is None:
        return []
    if target.facts.shape != given.facts.shape and len(target.facts.shape) != 1:
        return []
    code = f"F.{case.loss}({given.name}[{condition}], {target.name}[{condition}]{cast})"
    return [changes_values(title, code, "they count no longer")]
