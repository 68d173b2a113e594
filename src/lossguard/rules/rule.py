"""What a rule is. A rule is one file; its class's docstring is its page."""

from __future__ import annotations

import re
from collections.abc import Iterable
from enum import Enum, StrEnum
from typing import Any, ClassVar, Final

from lossguard.contracts.dtypes import word_for
from lossguard.findings import Certainty, Finding, Fix, Safety, Sample, Severity, Step
from lossguard.records import dataclass
from lossguard.rules.case import Case, Part
from lossguard.rules.saying import TorchMessage as TorchMessage  # noqa: PLC0414 - rules may import it from here
from lossguard.rules.saying import bare, to_pattern

#: A message of torch is cut here; the traceback has the whole.
_LONGEST_QUOTE: Final = 200


class Cost(StrEnum):
    """What a rule must know: metadata are free, values must be read, deep ones are many."""

    METADATA = "metadata"
    VALUES = "values"
    DEEP = "deep"


class Silence(Enum):
    """The answers that are no findings."""

    HOLDS = "holds"
    CANNOT_TELL = "cannot tell"


HOLDS = Silence.HOLDS
CANNOT_TELL = Silence.CANNOT_TELL

#: Broken is a finding, or several; otherwise the rule holds or cannot tell.
Answer = Finding | list[Finding] | Silence


@dataclass(frozen=True, slots=True)
class Example:
    """A call that breaks the rule or keeps it, and what torch itself makes of it.

    `loss` and `arguments` are source code, run in tests with `torch`, `nn`, `F` and `numpy` in reach.
    """

    loss: str
    arguments: str
    #: "raises TypeName", "nan", "infinite", "silent" (wrong, without a word) or "sound".
    torch: str
    breaks: bool = True

    @property
    def call(self) -> str:
        """The call as a user would write it."""
        return f"{self.loss}({self.arguments})"


def breaks(loss: str, arguments: str, torch: str) -> Example:
    """An example that the rule must find."""
    return Example(loss, arguments, torch)


def passes(loss: str, arguments: str, torch: str = "sound") -> Example:
    """A near neighbour that the rule must leave alone."""
    return Example(loss, arguments, torch, breaks=False)


class Rule:
    """A fault, how to see it in facts, and what to do about it."""

    code: ClassVar[str]
    #: What tracing looks for on the way back from the argument: a word of `tracing.symptoms.seeking`, or nothing.
    seek: ClassVar[str] = ""
    #: The same for what may as well be sound, and is told only if that is found.
    suspects: ClassVar[str] = ""
    cost: ClassVar[Cost] = Cost.METADATA
    #: Codes that are consequences of this fault: not said again for the same argument.
    explains: ClassVar[frozenset[str]] = frozenset()
    #: Codes that are consequences of this fault in any argument.
    explains_everywhere: ClassVar[frozenset[str]] = frozenset()
    #: Codes that are said after this one: they read values for what these are only if this fault is none.
    precedes: ClassVar[frozenset[str]] = frozenset()
    #: Whether this is said only when no other error is.
    last_resort: ClassVar[bool] = False
    says: ClassVar[tuple[TorchMessage, ...]] = ()
    #: Whether the first saying is what torch says whenever this is broken, and not of one case among several.
    quotes_torch: ClassVar[bool] = True
    #: One line of code to run, which tells this fault from others that have the same words.
    verify: ClassVar[str] = ""
    #: What to change where nothing is known of the call but torch's words; a look knows better.
    remedies: ClassVar[tuple[Fix, ...]] = ()
    #: The operations that these are for; empty when they are for all.
    remedies_for: ClassVar[frozenset[str]] = frozenset()
    examples: ClassVar[tuple[Example, ...]] = ()

    def look(self, case: Case) -> Answer:
        """Look at a call: findings, or that it holds, or that the facts do not tell."""
        raise NotImplementedError

    @property
    def name(self) -> str:
        """The name, from the class: FloatClassTarget is float-class-target."""
        return re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "-", type(self).__name__).lower()

    @property
    def page(self) -> str:
        """The documentation, as written on top of the class."""
        return type(self).__doc__ or ""

    @property
    def summary(self) -> str:
        """The first line of the page: the fault in a sentence."""
        return self.page.strip().partition("\n")[0]

    def finding(
        self,
        case: Case,
        part: Part | str,
        message: str,
        *,
        severity: Severity = Severity.ERROR,
        certainty: Certainty = Certainty.CERTAIN,
        fixes: Iterable[Fix] = (),
        cause: str = "",
        samples: bool = False,
        refused: bool = True,
        suspected: bool = False,
        **evidence: Any,
    ) -> Finding:
        """A finding about `part`, with its facts as evidence."""
        known = {} if isinstance(part, str) else part.facts.evidence()
        offenders = part.facts.offenders if samples and not isinstance(part, str) else None
        return Finding(
            code=self.code,
            name=self.name,
            severity=severity,
            certainty=certainty,
            loss=case.loss,
            argument=part if isinstance(part, str) else part.name,
            message=message,
            evidence={**known, **evidence},
            samples=tuple(Sample(value=o.value, position=o.position, count=o.count) for o in offenders or ()),
            fixes=tuple(fixes),
            cause=cause,
            torch_says=self._quote(case, part, severity) if self.quotes_torch else "",
            refused=refused and severity is Severity.ERROR,
            seek=self.suspects if suspected else self.seek,
            suspected=suspected,
        )

    def _quote(self, case: Case, part: Part | str, severity: Severity) -> str:
        """What torch says of this fault in this loss on this device; empty where it says nothing."""
        fitting = [
            saying
            for saying in self.says
            if (not saying.ops or case.loss in saying.ops)
            and _device_of(part) in saying.devices
            and (severity is Severity.ERROR or saying.warns)
        ]
        outcome = case.observation.outcome
        heard = outcome.raised if outcome is not None and severity is Severity.ERROR else None
        saying = next(iter(fitting), None)
        if heard is not None and (said := _matching(fitting, heard)) is not None:
            # What torch did say is better than what it might.
            words = heard if said.text.partition(": ")[0].isidentifier() else heard.partition(": ")[2]
            return f"{said.versions} on {said.devices}: {words[:_LONGEST_QUOTE]}"
        if saying is None or isinstance(part, str):
            return str(saying or "")
        values = [offender.value for offender in part.facts.offenders or ()]
        known = {f"{other.spec.role}_dtype": word_for(other.facts.dtype) for other in case.parts if other.facts.dtype}
        return saying.quoted(**known, **({"value": f"{values[0]:g}"} if values else {}))


def _matching(sayings: Iterable[TorchMessage], heard: str) -> TorchMessage | None:
    """The saying whose words these are."""
    text = bare(heard)
    return next((saying for saying in sayings if saying.shows and re.search(to_pattern(saying.shows), text)), None)


def _device_of(part: Part | str) -> str:
    device = "cpu" if isinstance(part, str) else part.facts.device or "cpu"
    return "CUDA" if device.startswith("cuda") else "CPU"


def lossless(title: str, code: str, reason: str, step: Step | None = None) -> Fix:
    """A fix that keeps every label."""
    return Fix(title, Safety.LOSSLESS, code, reason, step)


def changes_values(title: str, code: str = "", reason: str = "", provided: str = "", proof: str = "") -> Fix:
    """A fix that is a decision about the data: shown, never applied unasked."""
    return Fix(title, Safety.CHANGES_VALUES, code, reason, provided=provided, proof=proof)


def count(number: int, noun: str, plural: str = "") -> str:
    """`1 value`, `3 values`."""
    return f"{number:,} {noun if number == 1 else plural or noun + 's'}"
