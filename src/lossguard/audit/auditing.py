"""`audit`: all labels of a source looked at once, and held against a loss."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from lossguard.audit.advice import advised
from lossguard.audit.column import Column, total
from lossguard.audit.demand import Demand, demand_of, with_classes
from lossguard.audit.reading import Progress, Read, read_source
from lossguard.audit.report import AuditReport, counted
from lossguard.audit.sources.part import Limits, Source
from lossguard.audit.sources.places import check_there
from lossguard.audit.split import Split
from lossguard.audit.trouble import CannotAudit, needs
from lossguard.audit.verdict import classes_of, judge
from lossguard.findings import Finding
from lossguard.records import replace


def audit(
    source: Any = None,
    target: str | None = None,
    loss: Any = "cross_entropy",
    classes: int | None = None,
    ignore_index: int | None = None,
    full: bool = False,
    engine: str | None = None,
    *,
    splits: Mapping[str, Any] | None = None,
    criterion: Any = None,
    model: Any = None,
    limit: int | None = None,
    sample_seconds: float = 60.0,
    address: str | None = None,
    progress: Progress | None = None,
) -> AuditReport:
    """Look at every label of `source` and say whether `loss` takes them all.

    `source` is a path, a table, an array, a Dataset, a DataLoader, or the name of one (`train.py:train_set`); `target`
    names the column or the field. `splits` gives several of them, by name. Where the footers of Parquet files prove
    that all is well, no label is read, unless `full` is true. Raises `CannotAudit` for what cannot be read.

    >>> import lossguard
    >>> report = lossguard.audit([0, 1, 2, 2, 7], classes=3)
    >>> report.findings[0].name, report.findings[0].samples[0].key
    ('class-index-out-of-range', 'item 4')
    """
    for each in (source, *(splits or {}).values()):
        check_there(each)
    try:
        from lossguard.audit.sources.opening import open_source
    except ModuleNotFoundError as error:
        raise needs(str(error.name), "audit", "an audit") from None
    demand = demand_of(loss, classes, ignore_index, criterion=criterion, model=model)
    limits = Limits(limit, sample_seconds)
    given = dict(splits or {})
    if source is not None:
        given = {"all" if not given else "source": source, **given}
    if not given:
        raise CannotAudit("there is nothing to audit: give a source, or splits")
    read: list[Split] = []
    for name, each in given.items():
        opened = open_source(each, target, limits, full=full)
        read.append(_read(name, opened, demand, limits, full=full, engine=engine, address=address, progress=progress))
        if read[-1].partial and limit is None:
            break
    report = _judged(tuple(read), demand, interrupted=limit is None and any(split.partial for split in read))
    if report.findings and not report.interrupted:
        from lossguard.audit.origins import with_origins

        return with_origins(report)
    return report


def _read(
    name: str,
    source: Source,
    demand: Demand,
    limits: Limits,
    *,
    full: bool,
    engine: str | None,
    address: str | None,
    progress: Progress | None,
) -> Split:
    if not full:
        from lossguard.audit.footers import columns_from_footers

        known = columns_from_footers(source, demand)
        if known is not None:
            return _split(name, source, Read(total(known), tuple(known)), from_footers=True)
    if engine is None or source.live:
        found = read_source(source, demand.bounds, progress)
    else:
        from lossguard.audit.engines import read_on

        found = read_on(engine, source, demand.bounds, address, progress)
    split = _split(name, source, found)
    limited = limits.samples is not None and split.whole.samples == limits.samples
    return replace(split, partial=found.interrupted or limited)


def _split(name: str, source: Source, read: Read, *, from_footers: bool = False) -> Split:
    return Split(name, source, read.columns, from_footers, read.interrupted, source.settle(read.whole))


def _judged(splits: tuple[Split, ...], demand: Demand, *, interrupted: bool) -> AuditReport:
    """Every split judged, all by the same number of classes."""
    classes = max((classes_of(split.whole, demand) for split in splits), default=1)
    findings: list[Finding] = []
    for split in splits:
        asked = demand if demand.classes is not None or len(splits) == 1 else with_classes(demand, classes)
        for column in split.kinds or [Column() if interrupted else _nothing(asked)]:
            found = [advised(each, split.source.loading, column, asked) for each in judge(column, asked, split.name_of)]
            findings += _told(split, found, several=len(splits) > 1)
    subjects = tuple(f"{split.source.name} ({counted(split.whole.samples, split.source.unit)})" for split in splits)
    return AuditReport(
        tuple(findings), subjects, splits=splits, demand=demand, classes=classes, interrupted=interrupted
    )


def _nothing(demand: Demand) -> Column:
    """A column without labels, whose dtype is no fault."""
    import numpy as np

    from lossguard.audit.feeding import scan

    return scan(
        [np.zeros(0, min(demand.target.dtypes or {"float32"}, key=lambda dtype: dtype != "int64"))], demand.bounds
    )


def _told(split: Split, findings: list[Finding], *, several: bool) -> list[Finding]:
    """Findings that say which split they are of, where there are several."""
    if not several:
        return findings
    return [
        replace(finding, message=f"{split.name}: {finding.message}", evidence={**finding.evidence, "split": split.name})
        for finding in findings
    ]
