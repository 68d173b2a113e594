"""`locate`: a report of what is wrong in, the same report with where it came from out."""

from __future__ import annotations

import dataclasses
import types
from collections.abc import Mapping
from typing import Any, ClassVar, Protocol, TypeVar

from lossguard.facts.observation import is_tensor
from lossguard.findings import Finding
from lossguard.tracing.samples import Source, find_source, placed_samples
from lossguard.tracing.stillness import stillness


class Findings(Protocol):
    """A record of findings: `lossguard.Report` is one."""

    __dataclass_fields__: ClassVar[dict[str, dataclasses.Field[Any]]]

    @property
    def findings(self) -> tuple[Finding, ...]:
        """The findings."""


R = TypeVar("R", bound=Findings)


def locate(report: R, arguments: Mapping[str, Any], frame: types.FrameType | None = None) -> R:
    """`report`, its findings with the samples, the lines and the lasting repairs that could be made out.

    `arguments` are the call's own, by name; `frame` is the user's, at the line of the call. Nothing is raised and
    no random state is touched. Where no line is certain, none is named.
    """
    if not report.findings:
        return report
    try:
        with stillness():
            findings = tuple(_located(finding, arguments, frame) for finding in report.findings)
    except Exception:  # noqa: BLE001 - a diagnosis without a place is worth more than a failure in its stead
        return report
    return dataclasses.replace(report, findings=findings)


def _located(finding: Finding, arguments: Mapping[str, Any], frame: types.FrameType | None) -> Finding:
    tensor = arguments.get(finding.argument)
    source = _source_of(tensor)
    if source is not None:
        finding = dataclasses.replace(finding, samples=placed_samples(finding, tensor, source))
    return finding


def _source_of(tensor: Any) -> Source | None:
    return find_source(tensor) if is_tensor(tensor) else None
