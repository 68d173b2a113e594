"""LG108."""

from __future__ import annotations

from lossguard.contracts.contract import Role
from lossguard.findings import Certainty, Finding, Fix, Severity
from lossguard.rules.case import Case, Part
from lossguard.rules.rule import CANNOT_TELL, HOLDS, Answer, Cost, Rule, breaks, changes_values, passes
from lossguard.rules.saying import ALL_LOSSES, TorchMessage

_HALVES = frozenset({"float16", "bfloat16"})
_LARGEST = 65504


class HalfPrecisionUnsupported(Rule):
    """Half precision where the loss has no kernel for it, or where the result overflows.

    Why it matters
        Some losses have no float16 or bfloat16 code on this device. Others run and overflow: float16 ends
        at 65504, so a squared error is infinite from a difference of 256 on, and so is a sum over many.

    Usual causes
        A model in half precision, or autocast, in front of a loss that wants float32; `reduction="sum"`.

    Fix safety
        Computing the loss in float32 changes the rounding, for the better.
    """

    code = "LG108"
    seek = "unsupported dtype"
    cost = Cost.DEEP
    explains = frozenset({"LG110"})
    says = (
        TorchMessage(
            "\"nll_loss_out_frame\" not implemented for 'Half'",
            devices="CPU",
            versions="2.2 and before",
            shows="nll_loss{kernel} {?is }not implemented for {?type }{?torch.}{?cuda.}{input_dtype:half}",
            certainty=Certainty.CERTAIN,
            weight=70,
        ),
        TorchMessage(
            "\"log_softmax_lastdim_kernel_impl\" not implemented for 'Half'",
            devices="CPU",
            versions="2.1 and before",
            shows="log_softmax{kernel} {?is }not implemented for {?type }{?torch.}{?cuda.}{input_dtype:half}",
            weight=60,
        ),
        TorchMessage(
            "\"binary_cross_entropy\" not implemented for 'Half'",
            devices="CPU",
            shows=(
                "{binary_cross_entropy|smooth_l1|huber|mse|l1_|kl_div|ctc_loss|multi_margin|multi"
                "label_margin}{kernel} {?is }not implemented for {?type }{?torch.}{?cuda.}{input_dtype:half}"
            ),
            weight=70,
        ),
        TorchMessage(
            "torch.nn.functional.binary_cross_entropy and torch.nn.BCELoss are unsafe to autocast.",
            devices="CUDA",
            versions="1.6 and later",
            shows="binary_cross_entropy and torch.nn.BCELoss are unsafe to autocast",
            certainty=Certainty.CERTAIN,
            weight=80,
        ),
        TorchMessage(
            "_thnn_nll_loss_forward not supported on CPUType for Half",
            versions="1.0 to 1.4",
            shows="loss{?2d}_forward not supported on {word} for {input_dtype:half}",
            weight=60,
        ),
        TorchMessage(
            "\"clamp_min_cpu\" not implemented for 'Half'",
            devices="CPU",
            shows="{word} not implemented for {input_dtype:half}",
            ops=ALL_LOSSES,
            weight=40,
            needs="loss",
            because="the kernel is one step of the loss",
        ),
        TorchMessage(
            (
                "Expected scalar_type == ScalarType::Float || inputTensor.scalar_type() == ScalarType::Int || "
                "scalar_type == ScalarType::Bool to be true, but got false."
            ),
            devices="Metal",
            shows="Expected scalar_type == ScalarType::Float || inputTensor.scalar_type() == ScalarType::Int",
            certainty=Certainty.POSSIBLE,
            because="Metal sums float32, int32 and bool only; a model in bfloat16 fails there",
        ),
        TorchMessage(
            "value cannot be converted to type at::Half without overflow",
            shows="cannot be converted to type at::Half without overflow",
            certainty=Certainty.POSSIBLE,
        ),
    )
    verify = "print(input.dtype, torch.is_autocast_enabled())"
    remedies = (changes_values("compute the loss in float32", "loss_fn(output.float(), target)"),)
    examples = (
        breaks(
            "F.multi_margin_loss", "torch.randn(3, 4).half(), torch.tensor([0, 1, 2])", "raises NotImplementedError"
        ),
        breaks("F.mse_loss", "torch.full((4,), 300.0).half(), torch.zeros(4).half()", "infinite"),
        passes("F.multi_margin_loss", "torch.randn(3, 4), torch.tensor([0, 1, 2])"),
        passes("F.mse_loss", "torch.full((4,), 3.0).half(), torch.zeros(4).half()"),
    )

    def look(self, case: Case) -> Answer:
        """Broken when half precision is refused, or finite halves give an infinite loss."""
        part = case.role(Role.INPUT)
        if part is None:
            return HOLDS
        dtype = part.facts.dtype
        if dtype is None:
            return CANNOT_TELL
        if dtype not in _HALVES or part.facts.kind not in {None, "tensor"}:
            return HOLDS
        accepted = case.accepted(part)
        if accepted is not None and dtype not in accepted and "float32" in accepted:
            return self._describe(case, part, f"{case.loss} has no kernel for {dtype}", Severity.ERROR)
        if case.is_infinite and part.facts.all_finite and dtype == "float16":
            said = f"{case.loss} is infinite: float16 ends at {_LARGEST}"
            return self._describe(case, part, said, Severity.WARNING)
        return HOLDS

    def _describe(self, case: Case, part: Part, said: str, severity: Severity) -> Finding:
        return self.finding(
            case,
            part,
            f"{said}; {part.name} is {part.facts.dtype}",
            severity=severity,
            certainty=Certainty.CERTAIN if severity is Severity.ERROR else Certainty.LIKELY,
            fixes=_fixes(case, part),
        )


def _fixes(case: Case, part: Part) -> list[Fix]:
    """float32 for the loss alone; but under autocast a loss of probabilities is refused in any dtype."""
    if case.observation.autocast and part.spec.bounds is not None:
        return [
            changes_values("leave out the sigmoid and take the loss for logits, which autocast knows how to compute")
        ]
    return [changes_values("compute the loss in float32", f"{part.name}.float()")]
