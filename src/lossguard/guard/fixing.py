"""Fixing a call in flight: the arguments with every lossless fix applied, or nothing."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from lossguard.facts.observation import is_tensor
from lossguard.fixing.steps import apply, plan
from lossguard.guard.looking import Look, look_at

Arguments = tuple[tuple[Any, ...], dict[str, Any]]


def fixed_arguments(
    seen: Look, parameters: tuple[str, ...], args: tuple[Any, ...], kwargs: Mapping[str, Any]
) -> Arguments | None:
    """The arguments of a refused call, fixed so that torch takes them; None unless nothing is lost."""
    errors = [finding for finding in seen.report.findings if finding.is_error and finding.refused]
    fixed: dict[str, Any] = {}
    for name in dict.fromkeys(finding.argument for finding in errors):
        steps, value = plan(errors, name), seen.call.arguments.get(name)
        if not steps or not is_tensor(value):
            return None
        fixed[name] = apply(steps, value)
        if fixed[name] is None:
            return None
    after = replace(seen.call, arguments={**seen.call.arguments, **fixed})
    if not fixed or any(finding.refused for finding in look_at(after, deep=False).report.findings):
        return None
    placed = tuple(fixed.get(name, value) for name, value in zip(parameters, args, strict=False))
    named = {name: fixed.get(name, value) for name, value in kwargs.items()}
    return placed, named
