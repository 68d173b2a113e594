"""lossguard finds out why a PyTorch loss fails or lies.

>>> import torch, lossguard
>>> report = lossguard.check("nll_loss", torch.randn(2, 3).log_softmax(1), torch.tensor([1.0, 2.0]))
>>> report.findings[0].name
'float-class-target'
"""

from __future__ import annotations

import sys
from types import ModuleType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from lossguard.audit.auditing import audit
    from lossguard.audit.trouble import CannotAudit
    from lossguard.contracts.call import UnknownLoss
    from lossguard.explain.explaining import explain
    from lossguard.findings import Finding
    from lossguard.guard.autopsy import autopsy
    from lossguard.guard.errors import LossError, LossWarning
    from lossguard.guard.guarding import guard
    from lossguard.judging import CannotFix, check, fix
    from lossguard.lint.linting import lint
    from lossguard.reports.report import Report

__version__ = "0.1.0"

#: Where each public name lives. Nothing is imported before it is used.
_HOMES = {
    "CannotAudit": "lossguard.audit.trouble",
    "CannotFix": "lossguard.judging",
    "Finding": "lossguard.findings",
    "LossError": "lossguard.guard.errors",
    "LossWarning": "lossguard.guard.errors",
    "Report": "lossguard.reports.report",
    "UnknownLoss": "lossguard.contracts.call",
    "audit": "lossguard.audit.auditing",
    "autopsy": "lossguard.guard.autopsy",
    "check": "lossguard.judging",
    "explain": "lossguard.explain.explaining",
    "guard": "lossguard.guard.guarding",
    "fix": "lossguard.judging",
    "lint": "lossguard.lint.linting",
}

#: What IPython asks for at `%load_ext lossguard`; no names for users.
_HOOKS = {
    "load_ipython_extension": "lossguard.integrations.ipython",
    "unload_ipython_extension": "lossguard.integrations.ipython",
}

__all__ = [
    "CannotAudit",
    "CannotFix",
    "Finding",
    "LossError",
    "LossWarning",
    "Report",
    "UnknownLoss",
    "audit",
    "autopsy",
    "check",
    "explain",
    "fix",
    "guard",
    "lint",
]


class _Package(ModuleType):
    """The package itself. A public name stays what it is when the folder of the same name is imported."""

    def __setattr__(self, name: str, value: Any) -> None:
        if not (name in _HOMES and isinstance(value, ModuleType)):
            super().__setattr__(name, value)


sys.modules[__name__].__class__ = _Package


def __getattr__(name: str) -> Any:
    home = _HOMES.get(name) or _HOOKS.get(name)
    if home is None:
        raise AttributeError(f"module 'lossguard' has no attribute {name!r}")
    from importlib import import_module

    value = getattr(import_module(home), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted([*__all__, "__version__"])
