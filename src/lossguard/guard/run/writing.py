"""What a run leaves behind: lines or JSON on stderr, and a file that several ranks write together."""

from __future__ import annotations

import contextlib
import json
import os
import sys
import threading
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any, Final

from lossguard.findings import Finding
from lossguard.reports.formats import DOCUMENTS, rendered
from lossguard.reports.report import Report, Verdict
from lossguard.reports.terminal import write
from lossguard.rules.rule import count

_GRAVITY: Final = [str(verdict) for verdict in Verdict]


def say(text: str) -> None:
    """A line on stderr; nothing where the program has closed it or never had one."""
    with contextlib.suppress(Exception):
        sys.stderr.write(text + "\n")
        sys.stderr.flush()


def show(report: Report, already: Report, troubles: Sequence[str], unwatched: Iterable[str], *, form: str) -> None:
    """Say what was found, on stderr: stdout is the program's own. What a traceback has shown is not said twice."""
    with contextlib.suppress(Exception):
        sys.stdout.flush()
    with contextlib.suppress(Exception):
        if form == "text":
            _show_text(report, already, list(unwatched))
        elif form == "json":
            say(json.dumps(_as_data(report, unwatched, ended=True), indent=2))
        else:
            say(rendered(report, form))
    for trouble in troubles:
        say(f"lossguard: a fault of its own, please report it: {trouble}")


def _show_text(report: Report, already: Report, unwatched: Sequence[str]) -> None:
    shown = {_identity(finding) for finding in already.findings}
    rest = tuple(finding for finding in report.findings if _identity(finding) not in shown)
    if rest and sys.stderr is not None:
        say("\nlossguard: seen in this run\n")
        write(Report(rest, tuple(_counted(finding) for finding in rest)), sys.stderr)
    if unwatched and report.findings:
        say(f"lossguard: not watched, because it runs in a process of its own: {'; '.join(unwatched)}")


def _identity(finding: Finding) -> tuple[Any, ...]:
    return (finding.code, finding.argument, finding.place)


def _counted(finding: Finding) -> str:
    times, first = finding.evidence.get("times", 1), finding.evidence.get("first_step", 1)
    examined = finding.evidence.get("examined", times)
    return f"{finding.code} in {times:,} of {count(examined, 'call')} examined, first at call {first}"


def _as_data(report: Report, unwatched: Iterable[str], *, ended: bool) -> dict[str, Any]:
    """The report as JSON has it, with what only a run knows: what was not watched, whether it has ended."""
    data: dict[str, Any] = json.loads(report.to_json())
    return {**data, "ended": ended, "unwatched": list(unwatched)}


class ReportFile:
    """The file of `--report`. It is whole at any moment, and ranks of one job write into one, one after the other."""

    def __init__(self, path: Path, form: str = "json") -> None:
        self._path = path
        #: Documents of other formats cannot be joined: each rank writes one of its own.
        self._form = form if form in DOCUMENTS else "json"
        self._lock = threading.Lock()

    def write(self, report: Report, *, unwatched: Iterable[str], ended: bool) -> OSError | None:
        """Write what is known by now; the error if that cannot be done, for the program must not feel it."""
        data = _as_data(report, unwatched, ended=ended)
        # Whoever holds the lock was interrupted by this very thread, or is about to write: both may be passed over.
        if not self._lock.acquire(timeout=60 if ended else 0):
            return None
        try:
            rank = os.environ.get("RANK", "")
            if self._form != "json":
                self._replace(rendered(report, self._form) + "\n", f"-{rank}" if rank.isdecimal() else "")
            elif rank.isdecimal():
                self._join(data, int(rank))
            else:
                self._replace(json.dumps(data, indent=2) + "\n")
        except OSError as error:
            return error
        finally:
            self._lock.release()
        return None

    def _replace(self, text: str, rank: str = "") -> None:
        """Write the file in one step; what is no plain file, a pipe for one, is written to as it is."""
        path = self._path.with_name(f"{self._path.stem}{rank}{self._path.suffix}")
        if path.exists() and not path.is_file():
            path.write_text(text, encoding="utf-8")
            return
        half = path.with_name(f".{path.name}.{os.getpid()}")
        try:
            half.write_text(text, encoding="utf-8")
            half.replace(path.resolve())
        except OSError:
            half.unlink(missing_ok=True)
            raise

    def _join(self, data: dict[str, Any], rank: int) -> None:
        for finding in data["findings"]:
            finding["rank"] = rank
        with _locked(self._path) as file:
            merged = _merged(_read(file), data, _job(), rank)
            file.seek(0)
            file.truncate()
            file.write(json.dumps(merged, indent=2) + "\n")


def _merged(before: dict[str, Any] | None, data: dict[str, Any], job: str, rank: int) -> dict[str, Any]:
    """This rank's report joined to those of the ranks before, if they are of the same job."""
    if before is None or before.get("job") != job:
        return {**data, "job": job, "ranks": [rank]}
    others = [finding for finding in before["findings"] if finding.get("rank") != rank]
    findings = sorted([*others, *data["findings"]], key=lambda finding: (finding["severity"], finding["rank"]))
    # What this rank said before may have been another verdict; the findings of all others still stand.
    gravest = [data["verdict"], *({"error": "broken"}.get(finding["severity"], "suspicious") for finding in others)]
    return {
        **data,
        "verdict": min(gravest, key=_GRAVITY.index),
        "findings": findings,
        "unwatched": list(dict.fromkeys([*before.get("unwatched", []), *data["unwatched"]])),
        "job": job,
        "ranks": sorted({*before["ranks"], rank}),
    }


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
