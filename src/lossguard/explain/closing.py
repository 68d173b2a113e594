"""The last lines of an explanation: what the text is about, and what to do next. Three lines, not seventy words."""

from __future__ import annotations

from typing import Final

from lossguard.explain.telling import Telling
from lossguard.findings import Certainty
from lossguard.reports.report import Report, Verdict

#: That it is broken was seen; how sure the cause is, is another matter.
_DOUBTS: Final = {Certainty.CERTAIN: "", Certainty.LIKELY: "probably ", Certainty.POSSIBLE: "possibly "}


def subjects(report: Report, telling: Telling, others: int) -> tuple[str, ...]:
    """What was found where, in a line; then how much of a long text, or how many other errors, that leaves."""
    known = [*_what(report, telling), f"torch {telling.torch}" if telling.torch else "", telling.device]
    if telling.asserts:
        count = telling.assert_lines
        known.append(f"{count:,} assert {'line' if count == 1 else 'lines'} of the device")
    first = (
        report.subjects[:1]
        if report.verdict in {Verdict.UNRELATED, Verdict.UNKNOWN}
        else (", ".join(filter(None, known)),)
    )
    rest = []
    if others:
        rest.append(f"the first of {others + 1} different errors in the text")
    if telling.unread:
        rest.append(f"{telling.unread:,} letters of a long text lie between its errors and were not read")
    return (*first, *rest)


def _what(report: Report, telling: Telling) -> list[str]:
    """The fault, the operation and the line."""
    if not report.findings:
        return [telling.loss]
    first = report.findings[0]
    where = f" at {first.place.file}:{first.place.line}" if first.place else ""
    inside = f" in {telling.loss}" if telling.loss else ""
    return [f"{_DOUBTS[first.certainty]}{first.name}{inside}{where}"]


def advice(report: Report, telling: Telling) -> tuple[str, ...]:
    """What to do next, in two lines at most."""
    script = next((frame.file for frame in telling.frames if frame.is_own and frame.file.endswith(".py")), "train.py")
    watched = f"lossguard run {script}    names the sample and the line that made it bad"
    if report.verdict is Verdict.UNKNOWN:
        whole = "paste the whole text, from Traceback to the last line, with what the device printed above it"
        return whole, watched.replace(
            "names the sample and the line that made it bad", "watches every loss while it runs"
        )
    if report.verdict is Verdict.UNRELATED:
        return ()
    if telling.is_late:
        return (
            f"CUDA_LAUNCH_BLOCKING=1 python {script}    in a new process gives the true line; this is an after-effect",
            watched,
        )
    codes = [finding.code for finding in report.findings[:3]]
    if len(codes) > 1:
        return f"run the verify lines just before the loss: they decide between {', '.join(codes)}", watched
    return (watched,)
