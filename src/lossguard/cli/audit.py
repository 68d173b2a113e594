"""`lossguard audit SOURCE`: every label of a data set, held against a loss before training."""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lossguard.cli.layout import help_layout
from lossguard.reports.formats import rendered

if TYPE_CHECKING:
    from lossguard.audit.report import AuditReport

_DESCRIPTION = """\
Look at every label of a data set once: whether the loss takes them, where it does not, what the classes look like.
Nothing is changed; --fix-to writes a copy with the labels as int64, if none is lost."""

_EPILOG = """\
sources:
  labels.parquet, a folder or 'part-*.parquet'   Parquet, CSV, TSV, Arrow, Feather, JSON lines; compressed too
  labels.npy, data.npz, labels.pt, x.safetensors  arrays; no code in a .pt is ever run
  masks/, images/                                 mask images; or a folder for each class
  shards-{000..009}.tar                           WebDataset shards, as a glob
  train.py:train_set, package.data:loader         a Dataset, a DataLoader, a table or an array of your program
  postgresql://host/database                      a table, with --target TABLE.COLUMN

examples:
  lossguard audit train.parquet --target label --classes 10
  lossguard audit train.py:train_set --criterion train.py:criterion --model train.py:model
  lossguard audit --split train=train.csv --split val=val.csv --target label --html labels.html
  lossguard audit data/ --target label --classes 10 --fix-to fixed.parquet --rows-to bad.csv

exit codes: 0 sound or suspicious, 1 broken, 2 bad usage or unreadable input, 130 interrupted"""

_FORMATS = ("text", "json", "github", "junit")


def add_commands(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command to the parser."""
    parser = commands.add_parser(
        "audit",
        help="look at every label of a data set",
        description=_DESCRIPTION,
        epilog=_EPILOG,
        formatter_class=help_layout,
    )
    add = parser.add_argument
    add("source", nargs="*", metavar="SOURCE", help="a file, folder, glob, address, or module:object; or several files")
    add("--target", metavar="COLUMN", help="the column, field or entry with the labels")
    add("--loss", default="cross_entropy", metavar="NAME", help="the loss that will get them (default: cross_entropy)")
    add("--classes", type=int, metavar="N", help="the number of classes; without it, the largest label tells")
    add("--ignore-index", type=int, metavar="K", help="the label that does not count")
    add("--criterion", metavar="MODULE:NAME", help="a live loss, which tells loss, ignore index and class weights")
    add("--model", metavar="MODULE:NAME", help="a live model, whose last layer tells the number of classes")
    add("--full", action="store_true", help="read every label, even where the footers of Parquet files would do")
    add("--split", action="append", default=[], metavar="NAME=SOURCE", help="a source under a name; may be repeated")
    add("--limit", type=int, metavar="N", help="read no more samples of a live object than this")
    add("--sample-seconds", type=float, default=60.0, metavar="S", help="the longest that one sample may take (60)")
    add("--engine", choices=("ray", "spark"), help="read the parts on a cluster")
    add("--address", metavar="ADDRESS", help="the cluster's address, for --engine")
    add("--html", metavar="FILE", help="write a page with charts, which opens offline")
    add("--fix-to", metavar="FILE", help="write a copy with the labels as int64; refused if a label would be lost")
    add("--rows-to", metavar="FILE", help="write every row with a bad label as CSV")
    add("--save-contract", metavar="FILE", help="write what these labels are, for later audits to compare (TOML)")
    add("--contract", metavar="FILE", help="compare with a saved contract; a difference is broken")
    add("--format", choices=_FORMATS, default="text", help="how to print (default: text)")
    parser.set_defaults(run=audit_labels)


def audit_labels(options: argparse.Namespace) -> int:
    """Read, judge, print, write what was asked for."""
    from lossguard.audit.trouble import CannotAudit, Refused

    owner = os.getpid()
    try:
        report = _audited(options)
        if os.getpid() != owner:
            os._exit(0)  # a dataset has forked, and its child came back here
        _print(report, options.format)
        if report.interrupted:
            return 130  # no file is written about a part of the labels
        _write_all(report, options)
    except CannotAudit as error:
        from lossguard.reports.lines import plain

        print(f"lossguard: {plain(str(error))}", file=sys.stderr)
        return 1 if isinstance(error, Refused) else 2
    except KeyboardInterrupt:
        print("lossguard: interrupted before any label was read", file=sys.stderr)
        return 130
    return 1 if report.verdict == "broken" else 0


def _audited(options: argparse.Namespace) -> AuditReport:
    from lossguard.audit.auditing import audit

    if options.contract:
        from lossguard.audit.contract_file import load

        known = load(options.contract)
        options.classes = known.get("classes") if options.classes is None else options.classes
        if options.ignore_index is None and options.criterion is None:
            options.ignore_index = known.get("ignore_index")
    needs_all = any((options.full, options.html, options.rows_to, options.save_contract, options.contract))
    bar = _Bar()
    try:
        report = audit(
            _source(options.source),
            target=options.target,
            loss=options.loss,
            classes=options.classes,
            ignore_index=options.ignore_index,
            full=needs_all or options.fix_to is not None,
            engine=options.engine,
            splits=_splits(options.split),
            criterion=_named(options.criterion),
            model=_named(options.model),
            limit=options.limit,
            sample_seconds=options.sample_seconds,
            address=options.address,
            progress=bar if sys.stderr.isatty() else None,
        )
    finally:
        bar.end()
    if options.contract:
        from lossguard.audit.contract_file import compared

        report = compared(report, options.contract)
    return report


def _source(given: list[str]) -> Any:
    """What was named; several files, as a shell writes them for a pattern, are one source."""
    return [Path(each) for each in given] if len(given) > 1 else given[0] if given else None


def _named(name: str | None) -> Any:
    if name is None:
        return None
    from lossguard.audit.sources.importing import load_object

    return load_object(name)


def _splits(given: list[str]) -> dict[str, str]:
    from lossguard.audit.trouble import CannotAudit

    splits: dict[str, str] = {}
    for each in given:
        name, equals, source = each.partition("=")
        if not equals or not name or not source:
            raise CannotAudit(f"--split is written NAME=SOURCE, as in train=train.csv; {each!r} was given")
        if name in splits:
            raise CannotAudit(f"there are two splits called {name!r}")
        splits[name] = source
    return splits


def _print(report: AuditReport, form: str) -> None:
    if form == "text":
        from lossguard.reports.terminal import write

        write(report)
    else:
        print(rendered(report, form))


def _write_all(report: AuditReport, options: argparse.Namespace) -> None:
    """Write the files that were asked for, each whole or not at all."""
    if options.html:
        from lossguard.audit.page import write_page

        write_page(report, options.html)
    if options.rows_to:
        from lossguard.audit.writing import write_rows

        print(f"{write_rows(report, options.rows_to):,} rows with a bad label: {options.rows_to}", file=sys.stderr)
    if options.save_contract:
        from lossguard.audit.contract_file import save

        save(report, options.save_contract)
    if options.fix_to:
        from lossguard.audit.writing import write_fixed

        print(f"{write_fixed(report, options.fix_to):,} rows written: {options.fix_to}", file=sys.stderr)


class _Bar:
    """Progress on a terminal: one line, which disappears."""

    def __init__(self) -> None:
        self._shown = False

    def __call__(self, done: int, total: int, samples: int) -> None:
        self._shown = True
        print(f"\r{done:,} of {total:,} parts, {samples:,} labels read ", end="", file=sys.stderr, flush=True)

    def end(self) -> None:
        """Take the line away."""
        if self._shown:
            print("\r" + " " * 60 + "\r", end="", file=sys.stderr, flush=True)
