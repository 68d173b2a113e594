"""The forms in which every command can print a report, by the names that `--format` takes."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from lossguard.reports.report import Report

#: Each but JSON is a module of this package with a function `render`.
FORMATS: Final = ("text", "json", "github", "sarif", "junit")
#: Those that other programs read as a file of their own.
DOCUMENTS: Final = frozenset({"sarif", "junit"})


def rendered(report: Report, form: str) -> str:
    """The report in one of these forms."""
    if form == "json":
        return report.to_json()
    return str(import_module(f"lossguard.reports.{form}").render(report))
