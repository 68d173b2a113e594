"""A finding: data first, text last. It pickles, compares and goes into JSON as it is."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import Any

from lossguard.records import dataclass, field


class Severity(StrEnum):
    """`error` when torch fails on this call or the loss is NaN; `warning` when the number lies."""

    ERROR = "error"
    WARNING = "warning"


class Certainty(StrEnum):
    """How sure the diagnosis is. Values that were seen make it certain."""

    CERTAIN = "certain"
    LIKELY = "likely"
    POSSIBLE = "possible"


class Safety(StrEnum):
    """Whether a fix keeps every label as it is."""

    LOSSLESS = "lossless"
    CHANGES_VALUES = "changes-values"


@dataclass(frozen=True, slots=True)
class Step:
    """What a lossless fix does to a tensor: the name of a step of fixing, and its argument."""

    name: str
    argument: int | str | None = None


class Scope(StrEnum):
    """What a fix was judged on, and what it changes: the batch at hand, the whole dataset, or a line of the source."""

    BATCH = "batch"
    DATASET = "dataset"
    SOURCE = "source"


@dataclass(frozen=True, slots=True)
class Fix:
    """One way out, with its safety and how it was checked. Only a lossless one may be applied unasked."""

    title: str
    safety: Safety
    code: str = ""
    #: Why it is lossless here, or what it would change.
    reason: str = ""
    #: How fixing applies it; None for what only the user can do.
    step: Step | None = None
    #: The line to change, when it is not the call itself: there the fault came in.
    place: Place | None = None
    scope: Scope = Scope.BATCH
    #: How it was checked; empty if it was not.
    checked: str = ""
    #: What in the rest of the data it would not do for, where that was seen; then it is good for this batch only.
    only_batch: str = ""
    #: An expression over the call's arguments that must hold, or the fix is none.
    provided: str = ""
    #: For words without code: code that does to the values what the words would, to check them by.
    proof: str = ""

    @property
    def tag(self) -> str:
        """How far it can be trusted, in a word: `safe`, `decision` or `unchecked`."""
        if self.code and not self.checked:
            return "unchecked"
        return "safe" if self.safety is Safety.LOSSLESS and self.checked else "decision"

    def to_dict(self) -> dict[str, Any]:
        """The fix as JSON shows it."""
        shown: dict[str, Any] = {
            "title": self.title,
            "safety": str(self.safety),
            "code": self.code,
            "reason": "; ".join(
                filter(None, (self.reason, self.only_batch and f"for this batch only: {self.only_batch}"))
            ),
            "place": self.place.to_dict() if self.place else None,
            "scope": str(self.scope),
            "checked": self.checked,
        }
        return {key: value for key, value in shown.items() if value}


@dataclass(frozen=True, slots=True)
class Place:
    """A line of the user's."""

    file: str
    line: int
    code: str = ""
    #: Counted from 1; 0 where it is not known.
    column: int = 0
    #: The last line, where it is not the first: a fix takes the place of all of them.
    end_line: int = 0

    @property
    def where(self) -> str:
        """`train.py:31`; in a notebook, as its tracebacks put it: `Cell In[4], line 2`."""
        return f"{self.file}, line {self.line}" if self.file.startswith("Cell In[") else f"{self.file}:{self.line}"

    def to_dict(self) -> dict[str, Any]:
        """The place as JSON shows it."""
        column = {"column": self.column} if self.column else {}
        last = {"end_line": self.end_line} if self.end_line else {}
        return {"file": self.file, "line": self.line, **column, **last, "code": self.code}


@dataclass(frozen=True, slots=True)
class Origin:
    """A line at which the fault came in, with what it was before and after."""

    place: Place
    variable: str = ""
    before: str = ""
    after: str = ""
    #: What else is known of this step: `column "label": 3 missing values made it float64`.
    note: str = ""

    def to_dict(self) -> dict[str, Any]:
        """The origin as JSON shows it."""
        extra = {"variable": self.variable, "before": self.before, "after": self.after, "note": self.note}
        return {**self.place.to_dict(), **{key: value for key, value in extra.items() if value}}


@dataclass(frozen=True, slots=True)
class Sample:
    """A value that stands in the way, and as much as is known of where it came from."""

    value: int | float | None = None
    position: tuple[int, ...] | None = None
    batch: int | None = None
    #: Counted in `dataset`, which is the base dataset where the loader was given a Subset of it.
    index: int | None = None
    dataset: str = ""
    #: The index in the loader's own dataset, where that is another one.
    subset_index: int | None = None
    #: What else tells the sample: the path in the batch, a key that it carries.
    field: str = ""
    key: str = ""
    #: How many values stand in the way in this sample, of which this is the first.
    count: int = 1

    def to_dict(self) -> dict[str, Any]:
        """The sample as JSON shows it; a position in a flat target is a plain number."""
        position: Any = self.position
        if position is not None:
            position = position[0] if len(position) == 1 else list(position)
        shown = {
            "index": self.index,
            "batch": self.batch,
            "position": position,
            "value": self.value,
            "dataset": self.dataset,
            "subset_index": self.subset_index,
            "field": self.field,
            "key": self.key,
            "count": self.count if self.count > 1 else None,
        }
        return {key: value for key, value in shown.items() if value is not None and value != ""}


@dataclass(frozen=True, slots=True)
class Alternative:
    """Another fault that has the same words, and the line that tells it apart."""

    code: str
    name: str
    message: str
    verify: str = ""

    def to_dict(self) -> dict[str, Any]:
        """The alternative as JSON shows it."""
        return {"code": self.code, "name": self.name, "message": self.message, "verify": self.verify}


@dataclass(frozen=True, slots=True)
class Finding:
    """One fault in one argument of one loss."""

    code: str
    name: str
    severity: Severity
    certainty: Certainty
    loss: str
    argument: str
    message: str
    evidence: Mapping[str, Any] = field(default_factory=dict)
    place: Place | None = None
    origin: tuple[Origin, ...] = ()
    samples: tuple[Sample, ...] = ()
    fixes: tuple[Fix, ...] = ()
    #: The likely cause, told apart by the values: one sentence.
    cause: str = ""
    #: What torch itself says of this fault, and where.
    torch_says: str = ""
    #: One line of code to run, which tells this fault from others that look the same.
    verify: str = ""
    #: Whether torch stops at this fault. False for what it computes with, to NaN or to a wrong number.
    refused: bool = True
    #: What else it may be, the likeliest first, where nothing but an after-effect is known.
    alternatives: tuple[Alternative, ...] = ()
    #: What tracing looks for on the way back from the argument.
    seek: str = ""
    #: Whether it may as well be sound: then it is told only if tracing finds the line that made it so.
    suspected: bool = False

    @property
    def is_error(self) -> bool:
        """Whether torch fails on this call or the loss is NaN."""
        return self.severity is Severity.ERROR

    def to_dict(self) -> dict[str, Any]:
        """The finding as JSON shows it: what is unknown is absent, lists may be empty."""
        shown: dict[str, Any] = {
            "code": self.code,
            "name": self.name,
            "severity": str(self.severity),
            "certainty": str(self.certainty),
            "loss": self.loss,
            "argument": self.argument,
            "message": self.message,
            "cause": self.cause,
            "torch_says": self.torch_says,
            "verify": self.verify,
            "evidence": dict(self.evidence),
            "place": self.place.to_dict() if self.place else None,
            "origin": [origin.to_dict() for origin in self.origin],
            "samples": [sample.to_dict() for sample in self.samples],
            "fixes": [fix.to_dict() for fix in self.fixes],
            "alternatives": [other.to_dict() for other in self.alternatives] or None,
        }
        return {key: value for key, value in shown.items() if value is not None and value != ""}
