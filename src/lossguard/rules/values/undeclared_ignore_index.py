"""LG202."""

from __future__ import annotations

from typing import Final

from lossguard.contracts.contract import Meaning
from lossguard.findings import Certainty, Finding, Fix, Severity
from lossguard.records import replace
from lossguard.rules.case import Case, Part
from lossguard.rules.out_of_range import out_of_range
from lossguard.rules.rule import (
    CANNOT_TELL,
    HOLDS,
    Answer,
    Cost,
    Rule,
    breaks,
    changes_values,
    count,
    passes,
)
from lossguard.rules.saying import TorchMessage

#: Labels that count from -1 are those of three classes: no, perhaps, yes. Of more, -1 is rather the mark of padding.
_FEW_CLASSES: Final = 3
_OF_EACH_CLASS: Final = 3


class UndeclaredIgnoreIndex(Rule):
    """A mark for "no label" (255, -1, -100) is in the target, and the loss was not told to ignore it.

    Why it matters
        Void pixels, padding and unlabelled samples carry a number that is no class. Unless it is the
        loss's ignore index it is out of range: an IndexError on the CPU, a dead device on CUDA.

    Usual causes
        Segmentation masks mark void with 255. Padding of -1 meets the default ignore index of -100.
        Labels padded with -100 meet a loss whose ignore index was set to something else. Opinions of
        -1, 0 and 1 are three classes that count from -1, and then nothing is to be ignored.

    Fix safety
        Telling the loss to ignore the value takes these samples out of the loss: most likely meant, but
        a decision, because it changes what is averaged.
    """

    code = "LG202"
    seek = "values"
    cost = Cost.VALUES
    says = (
        TorchMessage(
            "IndexError: Target 255 is out of bounds.",
            devices="CPU",
            versions="1.4 and later",
            shows="Target {-1|255|-100} is out of bounds",
            weight=70,
        ),
        TorchMessage(
            "Assertion `t >= 0 && t < n_classes` failed",
            devices="CUDA",
            shows="{t|cur_target} >= 0 && {t|cur_target} < n_classes",
            certainty=Certainty.POSSIBLE,
        ),
        TorchMessage(
            "Assertion `t < n_classes` failed",
            devices="CUDA",
            versions="2.1 and later, for uint8 targets",
            shows="Assertion {t|cur_target} < n_classes",
            weight=55,
        ),
        TorchMessage(
            "index -1 is out of bounds for dimension 0 with size 2",
            devices="CPU",
            shows="index {-1|-100} is out of bounds for dimension {n:number} with size",
            certainty=Certainty.POSSIBLE,
            weight=45,
        ),
        TorchMessage(
            "Target 255 out of bounds",
            devices="CPU",
            versions="1.3 and before",
            shows="Target {-1|255|-100} out of bounds",
            weight=65,
        ),
        TorchMessage(
            "Class values must be non-negative.",
            versions="1.1 and later",
            shows="Class values must be non-negative",
            certainty=Certainty.POSSIBLE,
            weight=62,
            because="a mark of -1 or -100 has no row in a one-hot table: give it a class first, and mask it after",
        ),
    )
    verify = "print(target.unique(), loss_fn.ignore_index)"
    remedies = (
        changes_values(
            "for example: tell the loss which value means no label", "nn.CrossEntropyLoss(ignore_index=255)"
        ),
    )
    examples = (
        breaks("F.cross_entropy", "torch.randn(4, 21), torch.tensor([0, 255, 3, 255])", "raises IndexError"),
        breaks("F.cross_entropy", "torch.randn(4, 5), torch.tensor([0, -1, 3, 4])", "raises IndexError"),
        breaks("F.cross_entropy", "torch.randn(9, 3), torch.tensor([-1, 0, 1] * 3)", "raises IndexError"),
        breaks(
            "nn.CrossEntropyLoss(ignore_index=0)",
            "torch.randn(3, 5), torch.tensor([0, -100, 3])",
            "raises IndexError",
        ),
        passes("F.cross_entropy", "torch.randn(4, 21), torch.tensor([0, 255, 3, 255]), ignore_index=255"),
        passes("F.cross_entropy", "torch.randn(4, 300), torch.tensor([0, 255, 3, 255])"),
    )

    def look(self, case: Case) -> Answer:
        """Broken when labels out of range are a known mark."""
        found: list[Finding] = []
        for part in case.meaning(Meaning.CLASS_INDICES):
            outside = out_of_range(part)
            if outside is None:
                return CANNOT_TELL
            found.extend(self._describe(case, part, int(mark), n) for mark, n in outside.sentinels.items())
        return found or HOLDS

    def _describe(self, case: Case, part: Part, mark: int, number: int) -> Finding:
        ignore = part.facts.bounds.ignore if part.facts.bounds else None
        kept = _kept(case, part, mark, number)
        found = self.finding(
            case,
            part,
            f"{count(number, 'label')} of {part.facts.count:,} {'is' if number == 1 else 'are'} {mark}, "
            f"which is no class of {case.classes} and not the ignore index ({ignore})",
            severity=Severity.ERROR if case.is_enforced(part, "bounds") else Severity.WARNING,
            certainty=Certainty.CERTAIN,
            cause=kept[0] if kept else "",
            fixes=[*(kept[1:] if kept else ()), _left_out(mark)],
            samples=True,
            mark=mark,
        )
        return replace(found, torch_says=found.torch_says.replace("255", str(mark)))


def _left_out(mark: int) -> Fix:
    return changes_values(
        f"leave labels of {mark} out of the loss", f"ignore_index={mark}", "these labels count no longer"
    )


def _kept(case: Case, part: Part, mark: int, number: int) -> tuple[str, Fix] | None:
    """Why a mark may be a class, and how to keep it; None if nothing says so."""
    classes, facts = case.classes or 0, part.facts
    if (mark, classes) == (255, 2):
        kept = f"make {mark} class 1", f"({part.name} == {mark}).long()", "if there is nothing but 0 beside it"
        return "in a mask of 0 and 255 for two classes, 255 is class 1", changes_values(*kept)
    # So many labels would hardly miss the last class by chance, and of a class there are as many as of others.
    fits = mark == facts.smallest == -1 and facts.largest == classes - 2 > 0 and classes <= _FEW_CLASSES
    total = facts.count or 0
    if not fits or total < _OF_EACH_CLASS * classes or 2 * classes * number < total:
        return None
    shift = changes_values("count from 0", f"{part.name} + 1", "every label moves by one")
    return f"labels from -1 to {classes - 2} are {classes} classes that count from -1", shift
