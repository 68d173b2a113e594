"""What was found, once for each call site, with how often and when first."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import Any

from lossguard.findings import Finding
from lossguard.reports.report import Report

#: A finding is told apart by the call site, the rule and the argument it is about.
Key = tuple[Any, str, str]


@dataclass(slots=True)
class Entered:
    """One finding at one call site."""

    finding: Finding
    times: int
    first_step: int
    #: How many calls were examined for it.
    examined: int = 0

    def take(self, other: Finding) -> None:
        """The same fault once more: what was warned of and is raised now is the error from now on."""
        if other.is_error and other.refused and not self.finding.is_error:
            kept = {name: value for name in ("origin", "samples") if (value := getattr(self.finding, name))}
            lost = {name: value for name, value in kept.items() if not getattr(other, name)}
            self.finding = replace(other, **lost)

    def counted(self) -> Finding:
        """The finding with its counts among the evidence."""
        counts = {"times": self.times, "first_step": self.first_step, "examined": max(self.times, self.examined)}
        return replace(self.finding, evidence={**self.finding.evidence, **counts})


class Ledger:
    """All findings of a session. Threads may write at once; ledgers of other processes are added.

    `keep` is called at each new finding: a process that may be killed puts what it knows in safety then.
    """

    def __init__(self) -> None:
        self.keep: Callable[[Ledger], None] | None = None
        self._entered: dict[Key, Entered] = {}
        self._examined: dict[Key, Callable[[], int]] = {}
        self._lock = threading.Lock()

    def enter(self, site: Any, finding: Finding, step: int, examined: Callable[[], int] = int) -> bool:
        """Write down `finding`; whether it is the first of its kind at this site.

        `examined` tells at any time how many calls of the site have been examined for it.
        """
        key = (site, finding.code, finding.argument)
        with self._lock:
            known = self._entered.get(key)
            if known is None:
                self._entered[key] = Entered(finding, 1, step)
                self._examined[key] = examined
            else:
                known.take(finding)
                known.times += 1
        if known is None and self.keep is not None:
            self.keep(self)
        return known is None

    def count(self, site: Any, codes: Iterable[str]) -> None:
        """Count once more what was found at this site before."""
        with self._lock:
            for key, entered in self._entered.items():
                if key[0] == site and key[1] in codes:
                    entered.times += 1

    def entries(self) -> list[Entered]:
        """Everything written down, in order."""
        with self._lock:
            return [
                replace(entered, examined=entered.examined + self._examined.get(key, int)())
                for key, entered in self._entered.items()
            ]

    def add(self, entries: Iterable[Entered]) -> None:
        """Add what another process has written down; the same finding at the same place is one."""
        with self._lock:
            for other in entries:
                key = _outer_key(other.finding)
                mine = next((own for own in self._entered.values() if _outer_key(own.finding) == key), None)
                if mine is None:
                    self._entered[key, other.finding.code, other.finding.argument] = replace(other)
                else:
                    mine.take(other.finding)
                    mine.times += other.times
                    mine.examined += other.examined
                    mine.first_step = min(mine.first_step, other.first_step)

    def add_new(self, findings: Iterable[Finding]) -> list[Finding]:
        """Add what killed the program, and give what of it was not written down when it happened."""
        new: list[Finding] = []
        for finding in findings:
            key = _outer_key(finding)
            with self._lock:
                mine = next((own for own in self._entered.values() if _outer_key(own.finding) == key), None)
                if mine is not None:
                    mine.take(finding)
            if mine is None:
                self.enter(key[0], finding, 1)
                new.append(finding)
        return new

    def report(self) -> Report:
        """The findings with their counts, errors first, otherwise in the order in which they came.

        That weights are lost is the consequence of a step before: it stands behind what was found until then.
        """
        found = [entered.counted() for entered in self.entries()]
        late = [finding for finding in found[1:] if finding.evidence.get("weights_finite") is False]
        others = [finding for finding in found if all(finding is not other for other in late)]
        return Report((*sorted(others, key=lambda finding: not finding.is_error), *late))


def _outer_key(finding: Finding) -> Key:
    place = finding.place
    return (None if place is None else (place.file, place.line), finding.code, finding.argument)
