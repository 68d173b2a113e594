"""The page."""

from __future__ import annotations

from lossguard.audit.report import AuditReport
from lossguard.audit.trouble import CannotAudit


def write_page(report: AuditReport, path: str) -> None:
    """Write it."""
    del report
    raise CannotAudit(f"{path}: there is no page yet")
