"""What a run leaves behind: lines on stderr, JSON on stdout, a file that several ranks write together."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any, Final

from lossguard.findings import Finding
from lossguard.reports.report import Report, Verdict
from lossguard.reports.terminal import write

_GRAVITY: Final = [str(verdict) for verdict in Verdict]


def show(report: Report, already: Report, troubles: Sequence[str], *, as_json: bool) -> None:
    """Say what was found: JSON ends stdout, text goes to stderr; what a traceback has shown is not said twice."""
    sys.stdout.flush()
    if as_json:
        sys.stdout.write(report.to_json() + "\n")
        sys.stdout.flush()
    else:
        _show_text(report, already)
    for trouble in troubles:
        sys.stderr.write(f"lossguard: a fault of its own, please report it: {trouble}\n")
    sys.stderr.flush()


def _show_text(report: Report, already: Report) -> None:
    shown = {_identity(finding) for finding in already.findings}
    rest = tuple(finding for finding in report.findings if _identity(finding) not in shown)
    if not rest:
        return
    sys.stderr.write("\nlossguard: seen in this run\n\n")
    write(Report(rest, tuple(_counted(finding) for finding in rest)), sys.stderr)


def _identity(finding: Finding) -> tuple[Any, ...]:
    return (finding.code, finding.argument, finding.place)


def _counted(finding: Finding) -> str:
    times, first = finding.evidence.get("times", 1), finding.evidence.get("first_step", 1)
    said = "once" if times == 1 else f"{times:,} times"
    return f"{finding.code} {said}, first at call {first}"


def write_file(report: Report, path: Path) -> None:
    """Write the report as JSON. Ranks of one job write into one file, one after the other."""
    data = json.loads(report.to_json())
    rank = os.environ.get("RANK")
    if rank is None:
        path.write_text(json.dumps(data, indent=2) + "\n", encoding="utf-8")
        return
    for finding in data["findings"]:
        finding["rank"] = int(rank)
    with _locked(path) as file:
        merged = _merged(_read(file), data, _job(), int(rank))
        file.seek(0)
        file.truncate()
        file.write(json.dumps(merged, indent=2) + "\n")


def _merged(before: dict[str, Any] | None, data: dict[str, Any], job: str, rank: int) -> dict[str, Any]:
    """This rank's report joined to those of the ranks before, if they are of the same job."""
    if before is None or before.get("job") != job:
        return {**data, "job": job, "ranks": [rank]}
    verdict = min(before["verdict"], data["verdict"], key=_GRAVITY.index)
    others = [finding for finding in before["findings"] if finding.get("rank") != rank]
    findings = sorted([*others, *data["findings"]], key=lambda finding: (finding["severity"], finding["rank"]))
    return {**data, "verdict": verdict, "findings": findings, "job": job, "ranks": sorted({*before["ranks"], rank})}


def _job() -> str:
    """What the ranks of one launch share and no other launch has."""
    names = ("TORCHELASTIC_RUN_ID", "TORCHELASTIC_RESTART_COUNT", "MASTER_ADDR", "MASTER_PORT")
    return "/".join([*(os.environ.get(name, "") for name in names), str(os.getppid())])


def _read(file: IO[str]) -> dict[str, Any] | None:
    file.seek(0)
    try:
        found = json.load(file)
    except ValueError:
        return None
    return found if isinstance(found, dict) else None


@contextmanager
def _locked(path: Path) -> Iterator[IO[str]]:
    with path.open("a+", encoding="utf-8") as file:
        try:
            import fcntl
        except ImportError:
            # No such locks on Windows, where torchrun has no ranks of its own either.
            yield file
            return
        fcntl.flock(file, fcntl.LOCK_EX)
        yield file
