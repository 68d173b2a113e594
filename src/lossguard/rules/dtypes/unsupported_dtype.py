"""LG110."""

from __future__ import annotations

from lossguard.contracts.contract import Meaning
from lossguard.contracts.dtypes import is_floating, is_whole
from lossguard.findings import Certainty, Finding
from lossguard.rules.case import Case, Part
from lossguard.rules.rule import CANNOT_TELL, HOLDS, Answer, Rule, breaks, changes_values, passes
from lossguard.rules.saying import CLASS_LOSSES, TorchMessage


class UnsupportedDtype(Rule):
    """A dtype that no kernel of this loss takes: complex, an 8-bit float, raw bits.

    Why it matters
        The loss has code for the four common floating dtypes only, and stops at any other.

    Usual causes
        The output of an FFT is complex. Weights or activations were compressed to 8-bit floats. Labels
        were made with numpy's complex functions.

    Fix safety
        Taking the real part, or a wider dtype, is a decision about what the numbers mean; a cast from an
        8-bit float to float32 keeps the values that are left.
    """

    code = "LG110"
    seek = "unsupported dtype"
    explains = frozenset({"LG105"})
    says = (
        TorchMessage(
            "\"log_softmax_lastdim_kernel_impl\" not implemented for 'ComplexFloat'",
            shows=(
                "{log_softmax|host_softmax|nll_loss|mse|smooth_l1|huber|binary_cross_entropy}{ker"
                "nel} {?is }not implemented for {input_dtype:complex}"
            ),
            certainty=Certainty.CERTAIN,
            weight=70,
        ),
        TorchMessage(
            "expected target dtype to be Long or Byte, but got ComplexFloat",
            versions="2.12 and later",
            shows="expected target dtype to be Long or Byte, but got {target_dtype:complex}",
            certainty=Certainty.CERTAIN,
            weight=70,
        ),
        TorchMessage(
            "expected scalar type Long but found ComplexFloat",
            shows="expected scalar type Long but found {target_dtype:complex}",
            ops=CLASS_LOSSES,
            weight=75,
        ),
    )
    verify = "print(input.dtype, target.dtype)"
    examples = (
        breaks(
            "F.cross_entropy",
            "torch.randn(4, 5, dtype=torch.complex64), torch.tensor([0, 1, 2, 3])",
            "raises NotImplementedError",
        ),
        breaks(
            "F.nll_loss",
            "torch.randn(4, 5).log_softmax(1), torch.ones(4, dtype=torch.complex64)",
            "raises RuntimeError",
        ),
        passes("F.cross_entropy", "torch.randn(4, 5, dtype=torch.float64), torch.tensor([0, 1, 2, 3])"),
    )

    def look(self, case: Case) -> Answer:
        """Broken when a dtype is refused and no other rule has a name for it."""
        found: list[Finding] = []
        for part in case.parts:
            dtype = part.facts.dtype
            if dtype is None:
                return CANNOT_TELL
            if part.facts.kind == "tensor" and case.takes(part, dtype) is False and not _has_a_name(part, dtype):
                message = f"{case.loss} has no kernel for {dtype}; {part.name} is {dtype}"
                fix = changes_values(f"give {part.name} in a dtype that the loss takes", _code(part, dtype))
                found.append(self.finding(case, part, message, fixes=[fix]))
        return found or HOLDS


def _has_a_name(part: Part, dtype: str) -> bool:
    """Whether LG101 to LG109 speak of this dtype."""
    if part.spec.meaning is Meaning.INDICES:
        return True
    return is_whole(dtype) or (is_floating(dtype) and part.spec.meaning is Meaning.CLASS_INDICES)


def _code(part: Part, dtype: str) -> str:
    return f"{part.name}.float()" if is_floating(dtype) else f"{part.name}.real"
