"""lossguard finds out why a PyTorch loss fails or lies.

>>> import torch, lossguard
>>> report = lossguard.check("nll_loss", torch.randn(2, 3).log_softmax(1), torch.tensor([1.0, 2.0]))
>>> report.findings[0].name
'float-class-target'
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from lossguard.contracts.call import UnknownLoss
    from lossguard.findings import Finding
    from lossguard.judging import CannotMend, check, mend
    from lossguard.reports.report import Report

__version__ = "0.1.0"

#: Where each public name lives. Nothing is imported before it is used.
_HOMES = {
    "CannotMend": "lossguard.judging",
    "Finding": "lossguard.findings",
    "Report": "lossguard.reports.report",
    "UnknownLoss": "lossguard.contracts.call",
    "check": "lossguard.judging",
    "mend": "lossguard.judging",
}

__all__ = ["CannotMend", "Finding", "Report", "UnknownLoss", "check", "mend"]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'lossguard' has no attribute {name!r}")
    from importlib import import_module

    value = getattr(import_module(_HOMES[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted([*__all__, "__version__"])
