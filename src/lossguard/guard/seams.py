"""The places where other parts of lossguard are asked for help, and may fail without harm; loaded when they are."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from dataclasses import replace
from types import FrameType
from typing import Any, Protocol

from lossguard.contracts.call import read_call
from lossguard.findings import Finding, Fix, Place
from lossguard.fixing.checking import checked, ordered
from lossguard.interruptions import let_through
from lossguard.paths import shown_path
from lossguard.reports.report import Report


class Watch(Protocol):
    """What remembers the index lists of data loaders."""

    def install(self) -> None:
        """Begin."""

    def remove(self) -> None:
        """End, and leave no trace."""


def loader_watch() -> Watch | None:
    """A watch for data loaders."""
    from lossguard.tracing.batches.loaders import LoaderWatch

    return LoaderWatch()


def on_the_host(tensor: Any) -> Iterator[Any]:
    """The tensors of the newest batch of a loader that lie on the host and may be what `tensor` was before its move."""
    from lossguard.tracing.batches.loaders import streams
    from lossguard.tracing.batches.samples import leaves

    newest = next(iter(streams()), None)
    if newest is None or not newest.has_batch:
        return
    for _, leaf in leaves(newest.batch):
        is_twin = getattr(leaf, "is_cpu", False) and leaf.shape == tensor.shape and not leaf.is_floating_point()
        if is_twin and leaf.numel():
            yield leaf


def located(
    report: Report,
    arguments: Mapping[str, Any],
    frame: FrameType | None,
    nodes: Mapping[str, ast.expr] | None = None,
    *,
    replay: bool | None = None,
    by_library: bool = False,
) -> Report:
    """`report` with its fixes checked, and with the samples and lines its faults came from, as far as can be told.

    `nodes` are the expressions of the arguments in the source, where they are known. `replay` is whether a dataset
    may be asked for a sample again. `by_library` is whether a library calls the loss and no line of the user's.
    """
    report = _checked(report, arguments, frame)
    if frame is None and not arguments:
        return report
    from lossguard.tracing.locate import locate

    try:
        found = locate(report, arguments, frame, nodes=nodes, replay=replay)
    except Exception as error:  # noqa: BLE001 - a finding without its origin is worth more than a failure in its stead
        let_through(error)
        found = report
    told = map(_without_unwritten, found.findings) if by_library else found.findings
    return replace(found, findings=tuple(map(_shortened, told)))


def _checked(report: Report, arguments: Mapping[str, Any], frame: FrameType | None) -> Report:
    """`report` with the fixes that hold good on this call, on all labels where they are at hand, as lines to write."""
    if not report.findings or not arguments:
        return report
    import torch

    from lossguard.audit.tensors import facts_of_all
    from lossguard.facts.torch_versions import one_thread
    from lossguard.facts.unwarned import unwarned
    from lossguard.tracing.remedies.call_lines import on_lines
    from lossguard.tracing.remedies.whole_labels import judged_on_all

    try:
        call = read_call(report.findings[0].loss, (), arguments)
        with torch._C.DisableTorchFunction(), unwarned(), one_thread():  # noqa: SLF001 - the public twin leaves modes on
            tried = [checked(finding, report.findings, call) for finding in report.findings]
            tried = [judged_on_all(finding, call, frame, facts_of_all) for finding in tried]
        return replace(report, findings=tuple(on_lines(finding, frame, call.arguments) for finding in tried))
    except Exception as error:  # noqa: BLE001 - a finding with unchecked fixes is worth more than none
        let_through(error)
        return report


def _without_unwritten(finding: Finding) -> Finding:
    """The finding without changes of a call that the user has not written.

    If there is no line of his own to change, they are told in words: what is called `target` there is no name here.
    """
    if any(fix.place is not None for fix in finding.fixes):
        return replace(finding, fixes=tuple(fix for fix in finding.fixes if fix.place is not None or not fix.code))
    return replace(finding, fixes=tuple(map(_in_words, finding.fixes)))


def _in_words(fix: Fix) -> Fix:
    """A fix of an expression as what has to be done before a library is given it."""
    if not fix.code:
        return fix
    return replace(fix, title=f"{fix.title}, before the library that calls the loss is given it", code="", step=None)


def _shortened(finding: Finding) -> Finding:
    """The finding with the files of its origin and its fixes named as its own place is."""
    origin = tuple(replace(step, place=_short(step.place)) for step in finding.origin)
    fixes = [r if r.place is None else replace(r, place=_short(r.place)) for r in finding.fixes]
    return replace(finding, origin=origin, fixes=ordered(fixes))


def _short(place: Place) -> Place:
    return replace(place, file=shown_path(place.file))


def explained(text: str) -> Report | None:
    """What the words of a crash tell, when no loss was seen in it."""
    from lossguard import explain

    try:
        return explain(text)
    except Exception as error:  # noqa: BLE001 - an explanation is a bonus; the crash itself must come through
        let_through(error)
        return None
