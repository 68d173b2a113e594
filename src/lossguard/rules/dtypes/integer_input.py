"""LG106."""

from __future__ import annotations

from lossguard.contracts.contract import Meaning, Role
from lossguard.contracts.dtypes import FLOATS, is_whole
from lossguard.findings import Certainty, Finding
from lossguard.rules.case import Case
from lossguard.rules.rewriting_calls import swapped
from lossguard.rules.rule import CANNOT_TELL, HOLDS, Answer, Rule, breaks, changes_values, passes
from lossguard.rules.saying import REAL_LOSSES, TorchMessage


class IntegerInput(Rule):
    """The input holds integers or truth values; a loss needs the model's real-valued output.

    Why it matters
        Integers have no gradient, so nothing could be learned from this loss even if it were computed.

    Usual causes
        The predicted classes (`logits.argmax(1)`) are given instead of the logits; input and target are
        swapped; the model's output was rounded or cast.

    Fix safety
        A cast would make the call run and teach nothing. Give the logits as the model made them.
    """

    code = "LG106"
    seek = "whole"
    explains = frozenset({"LG301", "LG302", "LG303", "LG206"})
    explains_everywhere = frozenset({"LG105"})
    says = (
        TorchMessage(
            "\"log_softmax_lastdim_kernel_impl\" not implemented for 'Long'",
            devices="CPU",
            versions="1.9 and later",
            shows=("softmax{kernel} {?is }not implemented for {?type }{?torch.}{?cuda.}{input_dtype:whole}"),
            weight=70,
        ),
        TorchMessage(
            "\"nll_loss_out_frame\" not implemented for 'Long'",
            shows="nll_loss{kernel} {?is }not implemented for {?type }{?torch.}{?cuda.}{input_dtype:whole}",
            certainty=Certainty.CERTAIN,
            weight=70,
        ),
        TorchMessage(
            "\"mse_cpu\" not implemented for 'Long'",
            shows=(
                "{mse|smooth_l1|huber|l1|binary_cross_entropy|kl_div}_c{kernel} {?is }not "
                "implemented for {?type }{?torch.}{?cuda.}{input_dtype:whole}"
            ),
            weight=60,
        ),
        TorchMessage(
            "_thnn_nll_loss_forward not supported on CPUType for Long",
            versions="1.0 to 1.4",
            shows="loss{?2d}_forward not supported on {word} for {input_dtype:whole}",
            weight=60,
        ),
        TorchMessage(
            "nll_loss_forward is not implemented for type torch.LongTensor",
            versions="0.4",
            shows="loss{?2d}_forward is not implemented for type torch.{?cuda.}{input_dtype:whole}Tensor",
            weight=60,
        ),
        TorchMessage(
            "Function square_i64 was not found in the library",
            devices="Metal",
            shows="Function {word}_i64 was not found in the library",
            ops=REAL_LOSSES,
            certainty=Certainty.POSSIBLE,
            needs="operation",
        ),
        TorchMessage(
            "only Tensors of floating point dtype can require gradients",
            shows="only Tensors of floating point {?and complex }dtype can require gradients",
            certainty=Certainty.POSSIBLE,
        ),
    )
    verify = "print(input.dtype)"
    examples = (
        breaks("F.cross_entropy", "torch.randint(5, (4, 5)), torch.tensor([0, 1, 2, 3])", "raises NotImplementedError"),
        breaks(
            "F.nll_loss", "torch.zeros(4, 5, dtype=torch.int64), torch.zeros(4).long()", "raises NotImplementedError"
        ),
        breaks("F.mse_loss", "torch.tensor([1, 2]), torch.tensor([1, 3])", "raises NotImplementedError"),
        passes("F.cross_entropy", "torch.randn(4, 5), torch.tensor([0, 1, 2, 3])"),
        passes("F.mse_loss", "torch.tensor([1, 2]), torch.tensor([1.0, 3.0])"),
    )

    def look(self, case: Case) -> Answer:
        """Broken when an input is whole and the loss takes floats only."""
        found: list[Finding] = []
        for part in case.parts:
            dtype = part.facts.dtype
            if part.spec.role is not Role.INPUT or part.facts.kind not in {None, "tensor"}:
                continue
            if dtype is None:
                return CANNOT_TELL
            if is_whole(dtype) and (case.takes(part, dtype) is False or _all_whole(case, part.name)):
                found.append(
                    self.finding(
                        case,
                        part,
                        f"{case.loss} needs {part.spec.meaning} in a floating dtype; {part.name} is {dtype}",
                        cause=_cause(case),
                        fixes=[
                            *swapped(case),
                            changes_values("give the model's output itself, before argmax, round or a cast"),
                        ],
                    )
                )
        return found or HOLDS


def _all_whole(case: Case, name: str) -> bool:
    """Whether the kernel would get integers because nothing it promotes is floating."""
    reading = case.meant.reading
    if reading is None or name not in reading.one_float_of:
        return False
    dtypes = [case.observation.arguments[other].dtype for other in reading.one_float_of]
    return all(dtype is not None and is_whole(dtype) for dtype in dtypes)


def _cause(case: Case) -> str:
    if case.target is not None and case.target.facts.dtype in FLOATS:
        return "input and target may be swapped: the target is floating"
    if case.target is not None and case.target.spec.meaning is Meaning.CLASS_INDICES:
        return "predicted classes in place of the logits they came from"
    return "predictions that were rounded or cast, which cuts the gradient off as well"
