"""All labels of a tensor, by the kernel of the audit: what the guard checks a fix with where a dataset is at hand."""

from __future__ import annotations

from typing import Any

from lossguard.contracts.contract import Bounds
from lossguard.facts.facts import Facts


def facts_of_all(values: Any, bounds: Bounds) -> Facts:
    """The facts of every value, read in blocks; numpy is needed, and no pyarrow."""
    from lossguard.audit.kernel import Scanner

    dtype = str(values.dtype).removeprefix("torch.")
    values = values.detach().cpu()
    held = values.float() if dtype.startswith(("bfloat", "float8")) else values
    scanner = Scanner("tensor", dtype, bounds)
    scanner.add(held.numpy(), lambda number: (number,))
    return scanner.column().facts
