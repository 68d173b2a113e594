"""LG104."""

from __future__ import annotations

from lossguard.contracts.contract import Meaning
from lossguard.contracts.dtypes import FIRST_INEXACT, is_whole
from lossguard.findings import Certainty, Finding, Fix, Severity, Step
from lossguard.rules.case import Case, Part
from lossguard.rules.rule import (
    CANNOT_TELL,
    HOLDS,
    Answer,
    Rule,
    breaks,
    changes_values,
    lossless,
    passes,
)
from lossguard.rules.saying import REAL_LOSSES, TorchMessage


class IntegerTargetForRealLoss(Rule):
    """A target of integers or truth values, where the loss computes with real numbers.

    Why it matters
        A loss that multiplies with its target, or subtracts it, needs it in a floating dtype. Some losses
        say so at once; huber_loss runs forward and fails in backward. cross_entropy takes a target of
        the input's shape for class probabilities, which are real numbers too.

    Usual causes
        Labels of 0 and 1 read as integers; a comparison, which gives truth values; counts. For
        cross_entropy: several classes that may be true at once, a case for
        binary_cross_entropy_with_logits, or an input that lost its class axis.

    Fix safety
        A cast to the input's dtype is lossless for labels that the dtype holds exactly; 0 and 1 always are.
    """

    code = "LG104"
    seek = "whole"
    explains = frozenset({"LG105"})
    says = (
        TorchMessage(
            "Expected floating point type for target with class probabilities, got Long",
            versions="1.10 and later",
            shows="Expected floating point type for target with class probabilities, got {target_dtype:whole}",
            ops=frozenset({"cross_entropy", "linear_cross_entropy"}),
            certainty=Certainty.POSSIBLE,
            weight=45,
            because="a target of the input's shape is read as probabilities",
        ),
        TorchMessage(
            "Found dtype Long but expected Float",
            versions="1.5 and later",
            shows="found{? the} dtype {target_dtype:whole} but expect{?ed} {input_dtype:float}",
            ops=REAL_LOSSES,
            weight=60,
        ),
        TorchMessage(
            "result type Float can't be cast to the desired output type Long",
            versions="1.5 and later",
            shows=("result type {input_dtype:float} can't be cast to the desired output type {target_dtype:whole}"),
            ops=REAL_LOSSES,
            certainty=Certainty.POSSIBLE,
            weight=60,
            because="the loss is computed into a tensor of the target's dtype, which cannot hold it",
        ),
        TorchMessage(
            "expected dtype Float but got dtype Long",
            versions="1.3 and 1.4",
            shows="expected dtype {input_dtype:float} but got dtype {target_dtype:whole}",
            ops=REAL_LOSSES,
            weight=60,
            because="backward computes in the input's dtype",
        ),
        TorchMessage(
            "expected backend CUDA and dtype Float but got backend CUDA and dtype Long",
            versions="1.0 to 1.3",
            shows=(
                "expected {backend|device} {device} and dtype {input_dtype:float} but got {backend|device} {device} "
                "and dtype {target_dtype:whole}"
            ),
            ops=REAL_LOSSES,
            certainty=Certainty.POSSIBLE,
            weight=60,
        ),
        TorchMessage(
            "Expected object of type torch.FloatTensor but found type torch.LongTensor for argument #2 'other'",
            versions="1.4 and before",
            shows=(
                "Expected object of {?scalar }type {?Variable[}{?torch.}{?cuda.}{input_dtype:float}{?Tensor}{?]} but "
                "{found|got scalar} type {?Variable[}{?torch.}{?cuda.}{target_dtype:whole}{?Tensor}{?]} for "
                "argument #{n:number} 'other'"
            ),
            ops=REAL_LOSSES,
            certainty=Certainty.POSSIBLE,
            weight=50,
            needs="loss",
            because="the loss multiplies input and target, or takes their difference",
        ),
        TorchMessage(
            "expected Float tensor (got Long tensor)",
            versions="0.3 and before",
            shows="expected {input_dtype:float} tensor (got {target_dtype:whole} tensor)",
            ops=REAL_LOSSES,
            certainty=Certainty.POSSIBLE,
        ),
        TorchMessage(
            "Expected object of scalar type Float but got scalar type Long for argument #2 'target'",
            versions="1.0 to 1.4",
            shows=(
                "Expected object of scalar type {input_dtype:float} but got scalar type "
                "{target_dtype:whole} for argument #{n:number} 'target'"
            ),
            certainty=Certainty.CERTAIN,
            weight=70,
        ),
        TorchMessage(
            ("Expected object of type torch.FloatTensor but found type torch.LongTensor for argument #2 'target'"),
            versions="0.3 and 0.4",
            shows=(
                "Expected object of type {?Variable[}torch.{?cuda.}{input_dtype:float}Tensor{?]} "
                "but found type {?Variable[}torch.{?cuda.}{target_dtype:whole}Tensor{?]} for "
                "argument #{n:number} 'target'"
            ),
            certainty=Certainty.CERTAIN,
            weight=70,
        ),
        TorchMessage(
            (
                "FloatBCECriterion_updateOutput received an invalid combination of arguments - "
                "got (int, torch.FloatTensor, torch.LongTensor, ..."
            ),
            versions="0.3 and before",
            shows=(
                "{BCE|MSE|SmoothL1|Abs|DistKLDiv|SoftMargin}Criterion_updateOutput received an "
                "invalid combination of arguments - got (int, "
                "torch.{?cuda.}{input_dtype:float}Tensor, torch.{?cuda.}{target_dtype:whole}Tensor"
            ),
            certainty=Certainty.CERTAIN,
            weight=70,
        ),
        TorchMessage(
            (
                "is_same_size received an invalid combination of arguments - got "
                "(torch.FloatTensor), but expected (torch.LongTensor other)"
            ),
            versions="0.3 and before",
            shows=(
                "is_same_size received an invalid combination of arguments - got "
                "(torch.{?cuda.}{input_dtype:float}Tensor), but expected "
                "(torch.{?cuda.}{target_dtype:whole}Tensor"
            ),
            ops=REAL_LOSSES,
            weight=70,
            because="the target asks the input whether it has the same size, and takes its own type only",
        ),
        TorchMessage(
            "Check failed: at::canCast( resultType, out.scalar_type())",
            devices="XLA",
            shows="Check failed: at::canCast(",
            ops=REAL_LOSSES,
            certainty=Certainty.POSSIBLE,
            because="the loss is computed into a tensor of the target's dtype, which cannot hold it",
        ),
        TorchMessage(
            "expected FloatTensor but found LongTensor",
            versions="0.4 and before",
            shows=(
                "expected {?type }{?torch.}{?cuda.}{input_dtype:float}Tensor but {found|got} "
                "{?type }{?torch.}{?cuda.}{target_dtype:whole}Tensor"
            ),
            ops=REAL_LOSSES,
            certainty=Certainty.POSSIBLE,
            needs="loss line",
        ),
        TorchMessage(
            "Subtraction, the `-` operator, with a bool tensor is not supported.",
            versions="1.2 and later",
            shows="Subtraction, the - operator, with {a|two} bool tensor{?s} is not supported",
            ops=REAL_LOSSES,
            certainty=Certainty.POSSIBLE,
            needs="loss or labels",
            because="the loss takes the difference of input and target, or 1 minus the target",
        ),
        TorchMessage(
            "kl_div: Integral inputs not supported.",
            versions="1.13 and later",
            shows="kl_div: Integral inputs not supported",
            weight=60,
        ),
    )
    verify = "print(target.dtype, input.dtype)"
    remedies = (changes_values("cast the target", "target.float()"),)
    examples = (
        breaks("F.binary_cross_entropy", "torch.rand(4), torch.tensor([0, 1, 1, 0])", "raises RuntimeError"),
        breaks(
            "F.binary_cross_entropy_with_logits", "torch.randn(4), torch.tensor([0, 1, 1, 0])", "raises RuntimeError"
        ),
        breaks("F.l1_loss", "torch.randn(4), torch.tensor([True, False, True, True])", "raises RuntimeError"),
        breaks("F.huber_loss", "torch.randn(4), torch.tensor([1, 2, 3, 4])", "silent"),
        breaks("F.cross_entropy", "torch.randn(2, 3), torch.tensor([[1, 1, 0], [0, 1, 1]])", "raises RuntimeError"),
        passes("F.cross_entropy", "torch.randn(2, 3), torch.tensor([[0.5, 0.5, 0.0], [0.0, 0.5, 0.5]])"),
        passes("F.mse_loss", "torch.randn(4), torch.tensor([1, 2, 3, 4])"),
    )

    def look(self, case: Case) -> Answer:
        """Broken when a target that must be floating holds integers."""
        target = case.target
        if target is None or target.facts.dtype is None:
            return CANNOT_TELL
        whole = is_whole(target.facts.dtype) and target.facts.kind in {None, "tensor"}
        labels = {Meaning.CLASS_INDICES, Meaning.LABEL_SEQUENCES}
        if not whole or target.spec.meaning in labels:
            return HOLDS
        if target.spec.meaning is Meaning.CLASS_PROBABILITIES and _has_no_logits(case):
            # Without logits, what their shape makes of the target tells nothing.
            return HOLDS
        if case.takes(target, target.facts.dtype) is False:
            return self._describe(case, target, Severity.ERROR)
        if target.spec.backward_like is not None and not case.observation.forward_only:
            return self._describe(case, target, Severity.WARNING)
        return HOLDS

    def _describe(self, case: Case, target: Part, severity: Severity) -> Finding:
        dtype, shape = target.facts.dtype, "a target of the input's shape as "
        if target.spec.meaning is Meaning.CLASS_PROBABILITIES:
            needs = f"reads {shape}{target.spec.meaning} and needs them floating"
        elif severity is Severity.WARNING:
            needs = f"needs {target.name} in the dtype of {target.spec.backward_like} for backward"
        else:
            needs = f"needs {target.name} in a floating dtype"
        return self.finding(
            case,
            target,
            f"{case.loss} {needs}; {target.name} is {dtype}",
            severity=severity,
            cause=_cause(target),
            fixes=[_fix(case, target), *_for_several(case, target)],
        )


def _fix(case: Case, target: Part) -> Fix:
    given = case.input
    wanted = given.facts.dtype if given is not None and given.facts.dtype in FIRST_INEXACT else "float32"
    title, code = f"cast {target.name} to {wanted}", f"{target.name}.to(torch.{wanted})"
    low, high = target.facts.smallest, target.facts.largest
    limit = FIRST_INEXACT[wanted or "float32"]
    if low is None or high is None:
        return changes_values(title, code, f"exact only for whole numbers below {limit}; the values are not known here")
    if max(abs(low), abs(high)) >= limit and target.facts.count:
        return changes_values(title, code, f"{wanted} is exact below {limit} only")
    if target.spec.meaning is Meaning.CLASS_PROBABILITIES and not _are_distributions(target):
        return changes_values(title, code, "only if they are meant as probabilities; as labels they would be lost")
    return lossless(title, code, f"{wanted} holds whole numbers below {limit} exactly", Step("cast", wanted))


def _for_several(case: Case, target: Part) -> list[Fix]:
    """The loss for several labels at once, where rows of zeros and ones are taken for class probabilities."""
    if case.input is None or target.spec.meaning is not Meaning.CLASS_PROBABILITIES or target.facts.largest != 1:
        return []
    code = f"F.binary_cross_entropy_with_logits({case.input.name}, {target.name}.float())"
    return [changes_values("take the loss for several labels at once", code)]


def _are_distributions(target: Part) -> bool:
    """Whether every row is one. A single row may as well be the labels of samples whose class axis was lost."""
    rows, shape = target.facts.rows, target.facts.shape
    return rows is not None and rows.probabilities == rows.read and shape is not None and len(shape) > 1


def _has_no_logits(case: Case) -> bool:
    """Whether the input is refused for being whole, as predicted classes are."""
    given = case.input
    dtype = given.facts.dtype if given is not None else None
    return given is not None and dtype is not None and is_whole(dtype) and case.takes(given, dtype) is False


def _cause(target: Part) -> str:
    if target.spec.meaning is not Meaning.CLASS_PROBABILITIES:
        return ""
    if target.facts.shape is not None and len(target.facts.shape) == 1:
        return "one axis only: the input has lost its class axis, or the batch axis was squeezed away"
    if target.facts.largest == 1 and target.facts.smallest == 0:
        return "rows with several ones or none: several labels at once, a case for binary_cross_entropy_with_logits"
    return ""
