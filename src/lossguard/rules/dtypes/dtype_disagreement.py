"""LG105."""

from __future__ import annotations

from lossguard.contracts.contract import Role
from lossguard.contracts.dtypes import AUTOCAST_FLOATS, COMMON_FLOATS, has_fewer_digits, holds_every, word_for
from lossguard.findings import Certainty, Finding, Fix, Severity, Step
from lossguard.rules.case import Case, Part
from lossguard.rules.rule import CANNOT_TELL, HOLDS, Answer, Rule, breaks, changes_values, lossless, passes
from lossguard.rules.saying import ALL_LOSSES, CLASS_LOSSES, REAL_LOSSES, TorchMessage


class DtypeDisagreement(Rule):
    """Two tensors of a call have different dtypes where the loss needs them to agree.

    Why it matters
        The kernel reads both with one element type. It refuses a float64 weight beside float32 logits.
        Where torch does not refuse, the loss takes the dtype of one side: a float16 target beside float32
        logits makes binary_cross_entropy_with_logits a float16 number, and huber_loss fails in backward.

    Usual causes
        Targets and class weights computed with numpy or scikit-learn are float64. Under autocast or with
        a half precision model the logits are float16 or bfloat16 and the rest stayed float32.

    Fix safety
        Casting to a wider dtype is lossless. Casting to a narrower one is so for values that it holds
        exactly, as it does 0 and 1; otherwise it rounds, harmless for training, but other numbers.
    """

    code = "LG105"
    seek = "dtype of a tensor"
    says = (
        TorchMessage(
            "expected scalar type Float but found Double",
            shows="expected scalar type {input_dtype:wide} but found {weight_dtype:wide}",
            ops=CLASS_LOSSES,
            certainty=Certainty.POSSIBLE,
            weight=60,
            needs="nothing else",
            cause="The class weights are not in the dtype of the input; numpy and scikit-learn make them float64.",
        ),
        TorchMessage(
            "expected scalar type Half but found Float",
            shows="expected scalar type {input_dtype:float} but found {weight_dtype:float}",
            ops=CLASS_LOSSES,
            certainty=Certainty.POSSIBLE,
            weight=55,
            needs="a loss",
            cause="The network computes in half precision and the class weights are float32, or the other way round.",
        ),
        TorchMessage(
            "expected scalar type Float but found Long",
            shows="expected scalar type {input_dtype:float} but found {weight_dtype:whole}",
            ops=CLASS_LOSSES,
            certainty=Certainty.POSSIBLE,
            weight=60,
            needs="operation",
            cause="The class weights are whole numbers: counts, or made with `torch.LongTensor(...)`.",
        ),
        TorchMessage(
            "Found dtype Double but expected Float",
            versions="1.5 and later",
            shows="found{? the} dtype {target_dtype:float} but expect{?ed} {input_dtype:float}",
            ops=REAL_LOSSES,
            weight=60,
        ),
        TorchMessage(
            "expected dtype Double but got dtype Float",
            versions="1.3 and 1.4",
            shows="expected dtype {input_dtype:float} but got dtype {target_dtype:float}",
            ops=REAL_LOSSES,
            weight=60,
            because="backward computes in the input's dtype",
        ),
        TorchMessage(
            "expected backend CPU and dtype Float but got backend CPU and dtype Double",
            versions="1.0 to 1.3",
            shows=(
                "expected {backend|device} {device} and dtype {input_dtype:float} but got {backend|device} {device} "
                "and dtype {target_dtype:float}"
            ),
            ops=REAL_LOSSES,
            certainty=Certainty.POSSIBLE,
            weight=60,
        ),
        TorchMessage(
            "Expected object of type torch.FloatTensor but found type torch.DoubleTensor for argument #2 'other'",
            versions="1.4 and before",
            shows=(
                "Expected object of {?scalar }type {?Variable[}{?torch.}{?cuda.}{input_dtype:float}{?Tensor}{?]} but "
                "{found|got scalar} type {?Variable[}{?torch.}{?cuda.}{target_dtype:float}{?Tensor}{?]} for "
                "argument #{n:number} 'other'"
            ),
            ops=REAL_LOSSES,
            certainty=Certainty.POSSIBLE,
            weight=50,
            needs="loss",
            because="the loss multiplies input and target, or takes their difference",
        ),
        TorchMessage(
            "expected Double tensor (got Float tensor)",
            versions="0.3 and before",
            shows="expected {input_dtype:float} tensor (got {target_dtype:float} tensor)",
            ops=REAL_LOSSES,
            certainty=Certainty.POSSIBLE,
        ),
        TorchMessage(
            "Expected object of scalar type Float but got scalar type Double for argument #2 'target'",
            versions="1.0 to 1.4",
            shows=(
                "Expected object of scalar type {input_dtype:float} but got scalar type "
                "{target_dtype:float} for argument #{n:number} 'target'"
            ),
            certainty=Certainty.CERTAIN,
            weight=70,
        ),
        TorchMessage(
            (
                "Expected object of scalar type Float but got scalar type Double for argument #3 "
                "'weight' in call to _thnn_nll_loss_forward"
            ),
            versions="1.0 to 1.9",
            shows=(
                "Expected object of scalar type {input_dtype:float} but got scalar type "
                "{weight_dtype:float} for argument #3 'weight{?s}'"
            ),
            ops=ALL_LOSSES,
            weight=60,
        ),
        TorchMessage(
            ("Expected object of type torch.FloatTensor but found type torch.DoubleTensor for argument #2 'target'"),
            versions="0.3 and 0.4",
            shows=(
                "Expected object of type {?Variable[}torch.{?cuda.}{input_dtype:float}Tensor{?]} "
                "but found type {?Variable[}torch.{?cuda.}{target_dtype:float}Tensor{?]} for "
                "argument #{2 target|1 target|3 weight|3 weights}"
            ),
            weight=60,
        ),
        TorchMessage(
            (
                "FloatMSECriterion_updateOutput received an invalid combination of arguments - "
                "got (int, torch.FloatTensor, torch.DoubleTensor, ..."
            ),
            versions="0.3 and before",
            shows=(
                "{BCE|MSE|SmoothL1|Abs|DistKLDiv|SoftMargin}Criterion_updateOutput received an "
                "invalid combination of arguments - got (int, "
                "torch.{?cuda.}{input_dtype:float}Tensor, torch.{?cuda.}{target_dtype:float}Tensor"
            ),
            weight=60,
        ),
        TorchMessage(
            (
                "FloatClassNLLCriterion_updateOutput received an invalid combination of arguments - got (int, "
                "torch.FloatTensor, torch.LongTensor, torch.FloatTensor, bool, torch.DoubleTensor, ..."
            ),
            versions="0.3 and before",
            shows=(
                "ClassNLLCriterion_updateOutput received an invalid combination of arguments - got (int, "
                "torch.{?cuda.}{input_dtype:float}Tensor, torch.{?cuda.}LongTensor, torch.{?cuda.}{dtype}Tensor, bool, "
                "torch.{?cuda.}{weight_dtype}Tensor"
            ),
            weight=60,
            cause="The class weights are not in the dtype of the input; numpy and scikit-learn make them float64.",
        ),
        TorchMessage(
            "expected FloatTensor but found DoubleTensor",
            versions="0.4 and before",
            shows=(
                "expected {?type }{?torch.}{?cuda.}{input_dtype:float}Tensor but {found|got} "
                "{?type }{?torch.}{?cuda.}{target_dtype:float}Tensor"
            ),
            ops=REAL_LOSSES,
            certainty=Certainty.POSSIBLE,
            needs="loss line",
        ),
        TorchMessage(
            "Cannot convert a MPS Tensor to float64 dtype as the MPS framework doesn't support float64.",
            devices="Metal",
            versions="1.12 and later",
            shows="Cannot convert a MPS Tensor to float64",
            certainty=Certainty.POSSIBLE,
            needs="nothing else",
            because="Metal has no float64; labels and weights made with numpy are float64",
        ),
        TorchMessage(
            "Trying to convert Double to the MPS backend but it does not have support for that dtype.",
            devices="MPS",
            shows="Trying to convert Double to the MPS backend",
            certainty=Certainty.POSSIBLE,
            needs="nothing else",
            because="Metal has no float64; labels and weights made with numpy are float64",
        ),
        TorchMessage(
            (
                "Index put requires the source and destination dtypes match, got Float for the "
                "destination and Double for the source."
            ),
            shows="Index put requires the source and destination dtypes match",
            certainty=Certainty.POSSIBLE,
        ),
        TorchMessage(
            "scatter(): Expected self.dtype to be equal to src.dtype",
            shows="Expected self.dtype to be equal to src.dtype",
            certainty=Certainty.POSSIBLE,
        ),
    )
    verify = "print(input.dtype, target.dtype, getattr(loss_fn, 'weight', None) is not None and loss_fn.weight.dtype)"
    remedies = (
        changes_values("cast the target to the dtype of the input", "target.to(input.dtype)"),
        changes_values("or the class weights", "weight.to(input.dtype)"),
    )
    examples = (
        breaks(
            "F.cross_entropy",
            "torch.randn(4, 3), torch.tensor([0, 1, 2, 0]), weight=torch.ones(3, dtype=torch.float64)",
            "raises RuntimeError",
        ),
        breaks(
            "nn.NLLLoss(weight=torch.ones(3))",
            "torch.randn(4, 3).double().log_softmax(1), torch.tensor([0, 1, 2, 0])",
            "raises RuntimeError",
        ),
        breaks("F.binary_cross_entropy", "torch.rand(4), torch.rand(4).double()", "raises RuntimeError"),
        breaks("F.binary_cross_entropy_with_logits", "torch.randn(4), torch.rand(4).half()", "silent"),
        breaks("F.huber_loss", "torch.randn(4), torch.randn(4).double()", "silent"),
        passes("F.mse_loss", "torch.randn(4), torch.randn(4).double()"),
        passes("F.cross_entropy", "torch.randn(4, 3), torch.tensor([0, 1, 2, 0]), weight=torch.ones(3)"),
        passes(
            "F.cross_entropy",
            "torch.randn(4, 3), torch.randn(4, 3).softmax(1), weight=torch.ones(3, dtype=torch.float64)",
        ),
    )

    def look(self, case: Case) -> Answer:
        """Broken when an argument that must share another's dtype does not."""
        found: list[Finding] = []
        for part in case.parts:
            if part.facts.kind not in {None, "tensor"}:
                continue
            other, severity = _demanded(case, part)
            if other is None:
                continue
            mine, theirs = part.facts.dtype, case.observation.arguments[other].dtype
            if mine is None or theirs is None:
                return CANNOT_TELL
            narrow = has_fewer_digits(mine, theirs)
            if case.is_autocast and {mine, theirs} <= AUTOCAST_FLOATS:
                continue
            if mine == theirs or (part.spec.sets_result_dtype and not narrow):
                continue
            found.append(self._describe(case, part, other, severity))
        return found or HOLDS

    def _describe(self, case: Case, part: Part, other: str, severity: Severity) -> Finding:
        mine, theirs = part.facts.dtype or "", case.observation.arguments[other].dtype or ""
        message = f"{case.loss} needs {part.name} in the dtype of {other}, {theirs}; {part.name} is {mine}"
        if part.spec.sets_result_dtype:
            message = (
                f"{case.loss} takes the dtype of {part.name}: {other} is {theirs}, {part.name} and the loss {mine}"
            )
        elif severity is Severity.WARNING:
            message += ", and backward will fail"
        said = f"expected scalar type {word_for(theirs)} but found {word_for(mine)}"
        fixes = [_fix(part, other, theirs)]
        return self.finding(case, part, message, severity=severity, fixes=fixes, said=said)


def _demanded(case: Case, part: Part) -> tuple[str | None, Severity]:
    """Whose dtype `part` should have, and what happens if it has not."""
    spec = part.spec
    if spec.same_dtype_as is not None:
        return spec.same_dtype_as, Severity.ERROR
    dtype = part.facts.dtype
    trains = not case.observation.forward_only
    if trains and spec.backward_like is not None and dtype is not None and case.takes(part, dtype):
        return spec.backward_like, Severity.WARNING
    given = case.role(Role.INPUT)
    if spec.sets_result_dtype and given is not None and dtype in COMMON_FLOATS:
        return given.name, Severity.WARNING
    return None, Severity.ERROR


def _fix(part: Part, other: str, theirs: str) -> Fix:
    mine = part.facts.dtype or ""
    title, code = f"cast {part.name} to the dtype of {other}", f"{part.name}.to({other}.dtype)"
    step = Step("cast", theirs)
    if holds_every(theirs, mine):
        return lossless(title, code, f"{theirs} holds every {mine}", step)
    if part.facts.exact_in is not None and theirs in part.facts.exact_in:
        return lossless(title, code, f"{theirs} holds every value here exactly", step)
    return changes_values(title, code, f"{theirs} may round what {mine} holds")
