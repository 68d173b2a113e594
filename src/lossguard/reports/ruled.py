"""Findings as linters print them: `path:line:column: code message`, with the change that is offered below."""

from __future__ import annotations

from collections.abc import Sequence

from lossguard.findings import Certainty, Finding
from lossguard.reports.lines import plain


def render(findings: Sequence[tuple[Finding, Sequence[str]]], *, files: int, fixed: int = 0) -> str:
    """All findings, each with its small diff, and a line that counts them."""
    lines: list[str] = []
    for finding, diff in findings:
        lines.extend(_block(finding, diff))
    found = len(findings)
    counted = f"{found} finding{'' if found == 1 else 's'} in {files:,} file{'' if files == 1 else 's'}"
    safe = sum(any(fix.safety == "lossless" and fix.place for fix in finding.fixes) for finding, _ in findings)
    offered = f"; {safe} can be fixed with --fix" if safe else ""
    return "\n".join([*lines, f"{counted}{f', {fixed} fixed' if fixed else ''}{offered}"])


def _block(finding: Finding, diff: Sequence[str]) -> list[str]:
    place = finding.place
    where = f"{place.file}:{place.line}:{place.column or 1}: " if place is not None else ""
    sure = "" if finding.certainty is Certainty.CERTAIN else f" ({finding.certainty})"
    lines = [plain(f"{where}{finding.severity}[{finding.code}] {finding.name}: {finding.message}{sure}")]
    for origin in finding.origin:
        after = f"    -> {origin.after}" if origin.after else ""
        lines.append(plain(f"  origin  {origin.place.file}:{origin.place.line}    {origin.place.code}{after}"))
    offered = next((fix for fix in finding.fixes if fix.place is not None), None)
    if offered is not None and diff:
        lines.append(plain(f"  fix     {offered.title} ({'safe' if offered.safety == 'lossless' else 'unsafe'})"))
        lines.extend("    " + plain(line) for line in diff)
    elif finding.fixes:
        first = finding.fixes[0]
        lines.append(plain(f"  fix     {first.title}{f': {first.code}' if first.code else ''}"))
    return lines
