"""The line at which a live dataset makes a label bad: a batch of it once more, looked back through by tracing."""

from __future__ import annotations

import contextlib
from typing import Any, Final

from lossguard.audit.report import AuditReport
from lossguard.audit.sources.datasets import DatasetPart, LoaderPart, field_of
from lossguard.findings import Finding, Place
from lossguard.paths import shown_path
from lossguard.records import replace
from lossguard.reports.report import Report

#: So many samples are fetched again.
_BATCH: Final = 8


def with_origins(report: AuditReport) -> AuditReport:
    """The report, its findings with the lines that made the labels what they are, where one is certain."""
    findings = list(report.findings)
    for split in report.splits:
        part = split.source.parts[0] if split.source.parts else None
        if not isinstance(part, DatasetPart | LoaderPart):
            continue
        for number, finding in enumerate(findings):
            if finding.evidence.get("split", split.name) == split.name:
                with contextlib.suppress(Exception):  # the user's code may do anything; then there is no line
                    findings[number] = _traced(finding, part)
    return replace(report, findings=tuple(findings))


def _traced(finding: Finding, part: DatasetPart | LoaderPart) -> Finding:
    from torch.utils.data import DataLoader, IterableDataset

    from lossguard.tracing.batches.loaders import LoaderWatch
    from lossguard.tracing.locate import locate

    dataset = part.dataset if isinstance(part, DatasetPart) else part.loader.dataset
    streams = isinstance(dataset, IterableDataset) or not hasattr(dataset, "__getitem__")
    row = finding.samples[0].index if finding.samples else 0
    sampler = None if streams else [row or 0, *(n for n in range(min(_BATCH, len(dataset))) if n != row)][:_BATCH]
    collate = part.loader.collate_fn if isinstance(part, LoaderPart) else None
    loader: Any = DataLoader(dataset, batch_size=_BATCH, sampler=sampler, collate_fn=collate)
    with LoaderWatch():
        iterator = iter(loader)
        batch = next(iterator)
        target = field_of(batch, part.target)
        alone = replace(finding, samples=()) if streams else finding
        located = locate(Report((alone,)), {"input": None, finding.argument: target}).findings[0]
    origin = tuple(replace(step, place=_short(step.place)) for step in located.origin)
    fixes = [fix if fix.place is None else replace(fix, place=_short(fix.place)) for fix in _fixes(finding, located)]
    return replace(finding, origin=origin, fixes=tuple(fixes))


def _short(place: Place) -> Place:
    """The place with its file named from the working folder."""
    return replace(place, file=shown_path(place.file))


def _fixes(finding: Finding, located: Finding) -> tuple[Any, ...]:
    """The fix at the line comes first; those of the audit are known to hold for every label and stay as they are."""
    own = {fix.code for fix in finding.fixes}
    return (*(fix for fix in located.fixes if fix.place is not None and fix.code not in own), *finding.fixes)
