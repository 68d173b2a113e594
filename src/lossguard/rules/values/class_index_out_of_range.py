"""LG201."""

from __future__ import annotations

from lossguard.contracts.contract import Meaning
from lossguard.findings import Certainty, Finding, Repair, Severity
from lossguard.rules.case import Case, Part
from lossguard.rules.rule import (
    CANNOT_TELL,
    HOLDS,
    Answer,
    Cost,
    Rule,
    Saying,
    breaks,
    changes_values,
    count,
    passes,
)
from lossguard.rules.strays import counts_from_one, strays_of


class ClassIndexOutOfRange(Rule):
    """A class index is negative, or not below the number of classes.

    Why it matters
        Classes count from 0, so C classes are 0 to C - 1. On the CPU torch raises. On CUDA an assert
        fires inside the kernel, the error appears at some later line and the device is lost to the
        process. Apple's Metal checks nothing and computes with whatever lies there.

    Usual causes
        Labels that count from 1. A last layer with too few outputs. A class that only the validation
        set has. A token id from another tokenizer. Class ids of the data set that are not contiguous.

    Repair safety
        None is lossless: shifting, clamping or dropping labels, and widening the last layer, are
        decisions. The values tell which is likely; look at the data before taking it.
    """

    code = "LG201"
    cost = Cost.VALUES
    says = (
        Saying("IndexError: Target 5 is out of bounds.", "CPU", "1.4 and later"),
        Saying("Assertion `t >= 0 && t < n_classes` failed", "CUDA"),
    )
    examples = (
        breaks("F.cross_entropy", "torch.randn(3, 5), torch.tensor([1, 5, 3])", "raises IndexError"),
        breaks("F.nll_loss", "torch.randn(3, 5).log_softmax(1), torch.tensor([-7, 0, 3])", "raises IndexError"),
        passes("F.cross_entropy", "torch.randn(3, 5), torch.tensor([0, 4, -100])"),
        passes("F.cross_entropy", "torch.randn(3, 5), torch.tensor([0, 4, 7]), ignore_index=7"),
    )

    def look(self, case: Case) -> Answer:
        """Broken when a label that is no sentinel lies outside the classes."""
        found: list[Finding] = []
        for part in case.meaning(Meaning.CLASS_INDICES):
            strays = strays_of(part)
            if strays is None:
                return CANNOT_TELL
            if strays.others:
                found.append(self._describe(case, part, strays.others))
        return found or HOLDS

    def _describe(self, case: Case, part: Part, number: int) -> Finding:
        bounds = part.facts.bounds
        low, high = (bounds.least, bounds.limit - 1) if bounds else (0, None)
        values = [*(part.facts.below_values or {}), *(part.facts.above_values or {})]
        cause, repairs = _cause(case, part)
        return self.finding(
            case,
            part,
            f"{case.loss} needs class indices from {low} to {high}; {count(number, 'label')} of "
            f"{part.facts.count:,} {'is' if number == 1 else 'are'} outside: {_listed(values)}",
            severity=Severity.ERROR if case.is_enforced(part, "bounds") else Severity.WARNING,
            certainty=Certainty.CERTAIN,
            cause=cause,
            repairs=repairs,
            samples=True,
            classes=case.classes,
            outside=values,
        )


def _listed(values: list[int | float]) -> str:
    shown = [f"{value:g}" if isinstance(value, float) else str(value) for value in values[:6]]
    return ", ".join(shown) + (", ..." if len(values) > 6 else "")


def _cause(case: Case, part: Part) -> tuple[str, list[Repair]]:
    """What the values say about how this came about, and what one could decide."""
    facts, classes = part.facts, case.classes
    if classes is None or facts.smallest is None or facts.largest is None:
        return "", []
    widen = f"give the last layer {_whole(facts.largest) + 1} outputs"
    if counts_from_one(part):
        return (
            f"no label is 0 and the largest is {classes}: the labels count from 1",
            [
                changes_values("count from 0", f"{part.name} - 1", "every label moves by one"),
                changes_values(widen),
            ],
        )
    if not facts.below and facts.largest == classes:
        return (
            f"labels run from {_whole(facts.smallest)} to {classes}: the last layer is one class short",
            [changes_values(widen)],
        )
    if not facts.below:
        return (
            f"the largest label is {_whole(facts.largest)}, and the last layer has {classes} classes",
            [changes_values(widen, reason="only if all these classes are meant")],
        )
    if not facts.above:
        return "negative labels: a mark for missing labels, or an arithmetic slip", []
    return "labels on both sides of the range: these are no class indices of this model", []


def _whole(value: float) -> int | float:
    return int(value) if isinstance(value, float) and value.is_integer() else value
