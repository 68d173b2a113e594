"""LG201."""

from __future__ import annotations

import math

from lossguard.contracts.contract import Meaning
from lossguard.findings import Certainty, Finding, Fix, Severity
from lossguard.records import replace
from lossguard.rules.case import Case, Part
from lossguard.rules.out_of_range import counts_from_one, out_of_range
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
from lossguard.rules.saying import CLASS_LOSSES, TorchMessage


class ClassIndexOutOfRange(Rule):
    """A class index is negative, or not below the number of classes.

    Why it matters
        Classes count from 0, so C classes are 0 to C - 1. On the CPU torch raises. On CUDA an assert
        fires inside the kernel, the error appears at some later line and the device is lost to the
        process. Apple's Metal checks nothing and computes with whatever lies there.

    Usual causes
        Labels that count from 1. A last layer with too few outputs. A class that only the validation
        set has. A token id from another tokenizer. Class ids of the data set that are not contiguous.

    Fix safety
        None is lossless: shifting, clamping or dropping labels, and widening the last layer, are
        decisions. The values tell which is likely; look at the data before taking it.
    """

    code = "LG201"
    seek = "class numbers"
    cost = Cost.VALUES
    says = (
        TorchMessage(
            "IndexError: Target 5 is out of bounds.",
            devices="CPU",
            versions="1.4 and later",
            shows="Target {target_value} is out of bounds",
            weight=60,
        ),
        TorchMessage(
            "Assertion `t >= 0 && t < n_classes` failed",
            devices="CUDA",
            shows="{t|cur_target} >= 0 && {t|cur_target} < n_classes",
            weight=60,
            because="the kernel checks each label before it reads the input at that class",
        ),
        TorchMessage(
            "Assertion `t < n_classes` failed",
            devices="CUDA",
            versions="2.1 and later, for uint8 targets",
            shows="Assertion {t|cur_target} < n_classes",
        ),
        TorchMessage(
            "Target 5 out of bounds at ClassNLLCriterion.c:57",
            devices="CPU",
            versions="1.3 and before",
            shows="Target {target_value} out of bounds",
            weight=60,
        ),
        TorchMessage(
            "IndexError: Target A is out of bounds.",
            devices="CPU",
            shows="Target {word} is out of bounds",
            certainty=Certainty.POSSIBLE,
            weight=40,
            because="a uint8 label is printed as a character",
        ),
        TorchMessage(
            "target out of range",
            devices="CPU",
            shows="target out of range",
            ops=CLASS_LOSSES,
            certainty=Certainty.POSSIBLE,
        ),
        TorchMessage(
            "argument #2 'target' is out of range",
            devices="CPU",
            shows="argument #{n:number} 'target' is out of range",
            weight=60,
        ),
        TorchMessage(
            'Assertion `target_k >= 0 && target_k < dim && "target index is out of bounds"` failed',
            devices="CUDA",
            versions="2.0 and later",
            shows="target_k >= 0 && target_k < ",
            weight=60,
        ),
        TorchMessage(
            "Target values should be in [0, 19], but values in range [0, 20] were found.",
            shows=(
                "Target values should be in [0, {n:number}], but values in range "
                "[{lowest:number}, {highest:number}] were found"
            ),
            certainty=Certainty.CERTAIN,
            weight=70,
        ),
        TorchMessage(
            "Class values must be smaller than num_classes.",
            shows="Class values must be smaller than num_classes",
            certainty=Certainty.POSSIBLE,
            weight=40,
        ),
        TorchMessage(
            "Class values must be non-negative.",
            shows="Class values must be non-negative",
            weight=65,
            cause="Labels of places to ignore, -1 or -100, which have no row in a one-hot table.",
        ),
        TorchMessage(
            "Label class 15 exceeds nc=2 in data.yaml. Possible class labels are 0-1",
            devices="YOLOv5",
            shows="Label class {target_value} exceeds nc={classes:number}",
            certainty=Certainty.CERTAIN,
            weight=70,
        ),
        TorchMessage(
            "Target classes exceed model classes",
            devices="YOLOv3",
            shows="Target classes exceed model classes",
            certainty=Certainty.CERTAIN,
            weight=70,
        ),
        TorchMessage(
            "CUDA error: device-side assert triggered",
            devices="CUDA",
            shows="device-side assert triggered",
            certainty=Certainty.POSSIBLE,
            weight=40,
            needs="no assert",
            because="the assert itself is printed on stderr, and not in the exception",
        ),
        TorchMessage(
            "CUDA error: CUBLAS_STATUS_ALLOC_FAILED when calling `cublasCreate(handle)`",
            devices="CUDA",
            shows="CUBLAS_STATUS_{ALLOC_FAILED|NOT_INITIALIZED|EXECUTION_FAILED|INTERNAL_ERROR}",
            certainty=Certainty.POSSIBLE,
            weight=20,
            needs="no assert",
            because="a device that failed an assert cannot make anything new",
        ),
        TorchMessage(
            "cublas runtime error : resource allocation failed",
            devices="CUDA",
            versions="1.4 and before",
            shows="cublas runtime error :",
            certainty=Certainty.POSSIBLE,
            weight=20,
            needs="no assert",
        ),
        TorchMessage(
            "CUDA error: unspecified launch failure",
            devices="CUDA",
            shows="unspecified launch failure",
            certainty=Certainty.POSSIBLE,
            weight=30,
            needs="no assert",
        ),
        TorchMessage(
            "CUDA error: an illegal memory access was encountered",
            devices="CUDA",
            shows="an illegal memory access was encountered",
            certainty=Certainty.POSSIBLE,
            weight=20,
            needs="no assert",
        ),
        TorchMessage(
            "index out of bounds: 0 <= tmp21 < 5L",
            versions="2.0 and later, compiled",
            shows="index out of bounds: 0 <= {} <",
            certainty=Certainty.POSSIBLE,
            weight=40,
        ),
        TorchMessage(
            "index 5 is out of bounds for dimension 1 with size 5",
            shows="index {target_value} is out of bounds for dimension {n:number} with size {classes:number}",
            ops=CLASS_LOSSES,
            certainty=Certainty.POSSIBLE,
            weight=40,
            because="with label smoothing and class weights cross_entropy gathers",
        ),
        TorchMessage(
            "index 12 is out of bounds for dimension 1 with size 10",
            devices="CPU",
            shows="index {target_value} is out of bounds for dimension {n:number} with size {classes:number}",
            certainty=Certainty.POSSIBLE,
            weight=45,
            needs="labels",
            cause="The index is a label, and the axis has one place for each class: fewer than there are labels.",
        ),
    )
    verify = "print(target.min(), target.max(), input.shape)"
    remedies = (
        changes_values("if labels count from 1, count from 0", "target - 1"),
        changes_values(
            "if the last layer is too small, give it an output for each class", "nn.Linear(features, classes)"
        ),
    )
    examples = (
        breaks("F.cross_entropy", "torch.randn(3, 5), torch.tensor([1, 5, 3])", "raises IndexError"),
        breaks("F.nll_loss", "torch.randn(3, 5).log_softmax(1), torch.tensor([-7, 0, 3])", "raises IndexError"),
        breaks("F.multi_margin_loss", "torch.randn(2, 3), torch.tensor([0, 3])", "raises RuntimeError"),
        breaks("F.multilabel_margin_loss", "torch.randn(3), torch.tensor([0, 3, -1])", "raises RuntimeError"),
        breaks(
            "nn.AdaptiveLogSoftmaxWithLoss(64, 20, [5, 10])",
            "torch.randn(2, 64), torch.tensor([0, 20])",
            "raises RuntimeError",
        ),
        breaks(
            "F.linear_cross_entropy", "torch.randn(2, 4), torch.randn(3, 4), torch.tensor([0, 3])", "raises IndexError"
        ),
        passes("F.multilabel_margin_loss", "torch.randn(3), torch.tensor([0, 2, -1])"),
        passes("F.cross_entropy", "torch.randn(3, 5), torch.tensor([0, 4, -100])"),
        passes("F.cross_entropy", "torch.randn(3, 5), torch.tensor([0, 4, 7]), ignore_index=7"),
    )

    def look(self, case: Case) -> Answer:
        """Broken when a label that is no sentinel lies outside the classes."""
        found: list[Finding] = []
        for part in case.meaning(Meaning.CLASS_INDICES):
            outside = out_of_range(part)
            if outside is None:
                return CANNOT_TELL
            if outside.others:
                found.append(self._describe(case, part, outside.others))
        return found or HOLDS

    def _describe(self, case: Case, part: Part, number: int) -> Finding:
        bounds = part.facts.bounds
        low, high = (bounds.least, bounds.limit - 1) if bounds else (0, None)
        values = [*(part.facts.below_values or {}), *(part.facts.above_values or {})]
        cause, fixes = _cause(case, part)
        return self.finding(
            case,
            part,
            f"{case.loss} needs class indices from {low} to {high}; {count(number, 'label')} of "
            f"{part.facts.count:,} {'is' if number == 1 else 'are'} outside: {_listed(values)}",
            severity=Severity.ERROR if case.is_enforced(part, "bounds") else Severity.WARNING,
            certainty=Certainty.CERTAIN,
            cause=cause,
            fixes=fixes,
            samples=True,
            classes=case.classes,
            outside=values,
        )


def _listed(values: list[int | float]) -> str:
    shown = [f"{value:g}" if isinstance(value, float) else str(value) for value in values[:6]]
    return ", ".join(shown) + (", ..." if len(values) > 6 else "")


_LABELS_OF_EACH_CLASS = 3


def _cause(case: Case, part: Part) -> tuple[str, list[Fix]]:
    """What the values say about how this came about, and what one could decide."""
    facts, classes = part.facts, case.classes
    if classes is None or facts.smallest is None or facts.largest is None:
        return "", []
    if classes == 1 and facts.smallest == 0 and facts.largest == 1:
        given = case.input.name if case.input else "input"
        single = f"F.binary_cross_entropy_with_logits({given}.squeeze(1), {part.name}.float())"
        return (
            "yes and no, and a last layer with one output",
            [changes_values("take the loss for one output", single), *_widen(case, part)],
        )
    if counts_from_one(part):
        return _from_one(case, part, classes)
    if few := _few(part):
        return few, [
            changes_values("correct or leave out these samples"),
            *(replace(fix, proof="") for fix in _widen(case, part, "only if meant")),
        ]
    if _lonely(part, classes):
        told = f"the largest label is {_whole(facts.largest)}, far beyond the {classes} classes, and few are so"
        return f"{told}: rather a slip in the data", [changes_values("correct or leave out these samples")]
    if not facts.below and facts.largest == classes:
        return (
            f"labels run from {_whole(facts.smallest)} to {classes}: the last layer is one class short",
            _widen(case, part),
        )
    if not facts.below:
        return (
            f"the largest label is {_whole(facts.largest)}, and the last layer has {classes} classes",
            _widen(case, part, "only if all these classes are meant"),
        )
    if not facts.above:
        return "negative labels: a mark for missing labels, or an arithmetic slip", []
    return "labels on both sides of the range: these are no class indices of this model", []


def _from_one(case: Case, part: Part, classes: int) -> tuple[str, list[Fix]]:
    """No label is 0, and one is the number of classes: how sure it is that they count from 1."""
    seen = f"no label is 0 and the largest is {classes}"
    shift = changes_values("count from 0", f"{part.name} - 1", "every label moves by one")
    # So many labels would hardly miss the class 0 by chance.
    if (part.facts.count or 0) >= _LABELS_OF_EACH_CLASS * classes:
        return f"{seen}: the labels count from 1", [shift, *_widen(case, part)]
    told = f"{seen}: the labels count from 1, or the last layer is one class short"
    shift = replace(shift, title="if the labels count from 1, count from 0")
    if part.facts.smallest == (part.facts.bounds.least if part.facts.bounds else 0) + 1:
        return told, [shift, *_widen(case, part)]
    # A few high labels are no sign of where they begin.
    return told, [*_widen(case, part), replace(shift, code="")]


def _widen(case: Case, part: Part, reason: str = "") -> list[Fix]:
    """One output more for each class that the last layer lacks; nothing for more of them than a layer ever has."""
    needed, given, layout = _whole(part.facts.largest or 0) + 1, case.input, case.meant.layout
    if needed > _WIDEST:
        return []
    lacking, axis = needed - (case.classes or 0), layout.class_axis if layout is not None else None
    proof = ""
    shape = given.facts.shape if given is not None else None
    rows = math.prod(shape) // max(case.classes or 1, 1) if shape is not None else 0
    if given and shape is not None and axis is not None and not part.facts.below and rows * needed <= _MOST_TRIED:
        behind = len(shape) - 1 - axis
        proof = f"{given.name}=F.pad({given.name}, {(*[0] * 2 * behind, 0, int(lacking))}, value=-50.0)"
    return [changes_values(f"give the last layer {needed} outputs", reason=reason, proof=proof)]


def _few(part: Part) -> str:
    """What so few labels beyond the last class mean among so many: rather a slip in the data than a layer too small."""
    facts = part.facts
    outside, labels = facts.above or 0, facts.count or 0
    if facts.below or not outside or labels < _MANY_LABELS or outside * _FEW > labels:
        return ""
    return (
        f"{outside} of {labels:,} labels: wrong in the data, or a class so rare that the last layer was made without it"
    )


def _lonely(part: Part, classes: int) -> bool:
    """Whether few labels lie beyond the classes, and fewer than there would have to be classes more."""
    facts = part.facts
    outside, labels, lacking = facts.above or 0, facts.count or 0, (facts.largest or 0) + 1 - classes
    return not facts.below and outside * _OF_A_BATCH <= labels and lacking > max(outside, 1)


#: In a batch, one label in so many is few.
_OF_A_BATCH = 4
#: No last layer has more outputs; a label beyond that is no class.
_WIDEST = 2**24
#: Wider scores than of so many numbers are not tried: a check must not take the memory that a program needs.
_MOST_TRIED = 2**24
#: Among so many labels, one in so many is few.
_MANY_LABELS = 100
_FEW = 100


def _whole(value: float) -> int | float:
    return int(value) if isinstance(value, float) and value.is_integer() else value
