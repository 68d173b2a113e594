"""LG507."""

from __future__ import annotations

from lossguard.findings import Certainty, Finding, Severity
from lossguard.rules.case import Case
from lossguard.rules.rule import CANNOT_TELL, HOLDS, Answer, Rule, breaks, changes_values, passes
from lossguard.rules.saying import ALL_LOSSES, TorchMessage


class UnsupportedLayout(Rule):
    """A sparse, quantized or otherwise packed tensor, which the loss has no kernel for.

    Why it matters
        Losses read plain strided memory. For most packed layouts torch says that the operator could not
        be run; for some pairs it computes, and nothing promises what.

    Usual causes
        One-hot labels from a sparse encoder; the output of a quantized model that was not dequantized.

    Fix safety
        `to_dense()` and `dequantize()` give the values that the packed tensor stands for.
    """

    code = "LG507"
    explains = frozenset({"LG101", "LG102", "LG103", "LG104", "LG105", "LG106", "LG109", "LG110", "LG402"})
    says = (
        TorchMessage(
            "Could not run 'aten::_log_softmax' with arguments from the 'SparseCPU' backend.",
            shows=(
                "with arguments from the {sparse|quantized|mkldnn|nestedtensor}{?cpu}{?cuda}{?csrcpu}{?csrcuda} backend"
            ),
            ops=ALL_LOSSES,
            certainty=Certainty.POSSIBLE,
            weight=60,
        ),
    )
    verify = "print(input.layout, target.layout)"
    examples = (
        breaks(
            "F.cross_entropy",
            "torch.randn(3, 5).to_sparse(), torch.tensor([0, 1, 4])",
            "raises NotImplementedError",
        ),
        breaks(
            "F.cross_entropy",
            "torch.randn(3, 5), torch.tensor([0, 1, 4]).to_sparse()",
            "raises NotImplementedError",
        ),
        passes("F.cross_entropy", "torch.randn(3, 5).to_sparse().to_dense(), torch.tensor([0, 1, 4])"),
    )

    def look(self, case: Case) -> Answer:
        """Broken when an argument is not strided."""
        found: list[Finding] = []
        outcome = case.observation.outcome
        runs = outcome is not None and outcome.raised is None and not outcome.nan
        for part in case.parts:
            storage = part.facts.storage
            if storage is None and part.facts.kind == "tensor":
                return CANNOT_TELL
            if storage in {None, "strided"}:
                continue
            if runs and not case.contract.is_loss:
                # Rows of packed tables are picked by kernels of their own.
                continue
            code = f"{part.name}.{'dequantize' if storage == 'quantized' else 'to_dense'}()"
            message = f"{case.loss} needs plain strided tensors; {part.name} is {storage}"
            severity = Severity.WARNING if runs else Severity.ERROR
            fixes = [changes_values("unpack it", code)]
            found.append(self.finding(case, part, message, severity=severity, fixes=fixes))
        return found or HOLDS
