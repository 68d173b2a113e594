"""LG101."""

from __future__ import annotations

from lossguard.contracts.contract import Meaning
from lossguard.contracts.dtypes import is_floating
from lossguard.findings import Finding, Severity
from lossguard.rules.case import Case, Part
from lossguard.rules.casting import cast_repair
from lossguard.rules.rule import CANNOT_TELL, HOLDS, Answer, Rule, Saying, breaks, passes


class FloatClassTarget(Rule):
    """Class indices are held in a floating dtype.

    Why it matters
        A class index picks an entry of a row, so the loss wants int64 and refuses floats, even floats
        that look like integers: 1.0, 2.0, 0.0. The dtype counts, not the values. On Apple's Metal the
        target is cast without a word instead, and a NaN becomes a class.

    Usual causes
        A data-frame column with one missing value is float64 as a whole. `torch.Tensor([...])` makes
        float32, `torch.tensor([...])` keeps integers. A division, a mean, a normalisation, a collate
        function that stacks floats, `.float()` on the whole batch, one array for features and label.

    Repair safety
        `target.long()` is lossless when every value is finite, whole, in range and small enough for its
        dtype to be exact. It is never so for NaN (it becomes -9223372036854775808) or fractions (they
        are cut off). Better is to make the label an integer where it is read.
    """

    code = "LG101"
    says = (
        Saying("expected target dtype to be Long or Byte, but got Float", versions="2.12 and later"),
        Saying(
            "\"nll_loss_forward_reduce_cuda_kernel_2d_index\" not implemented for 'Float'",
            "CUDA",
            "1.10 to 2.11",
        ),
        Saying("expected scalar type Long but found Float", "CPU", "1.4 to 2.11"),
    )
    examples = (
        breaks(
            "F.nll_loss",
            "torch.randn(4, 5).log_softmax(1), torch.tensor([1.0, 2.0, 0.0, 4.0])",
            "raises RuntimeError",
        ),
        breaks("nn.CrossEntropyLoss()", "torch.randn(4, 5), torch.Tensor([1, 2, 0, 4])", "raises RuntimeError"),
        passes("F.cross_entropy", "torch.randn(4, 5), torch.tensor([1, 2, 0, 4])"),
        passes("F.cross_entropy", "torch.randn(4, 5), torch.randn(4, 5).softmax(1)"),
    )

    def look(self, case: Case) -> Answer:
        """Broken when a class-index argument has a floating dtype."""
        found: list[Finding] = []
        for part in case.meaning(Meaning.CLASS_INDICES):
            if part.facts.dtype is None:
                return CANNOT_TELL
            if is_floating(part.facts.dtype) and part.facts.kind == "tensor":
                found.append(self._describe(case, part))
        return found or HOLDS

    def _describe(self, case: Case, part: Part) -> Finding:
        raises = case.is_enforced(part, "dtype")
        return self.finding(
            case,
            part,
            f"{case.loss} needs class indices as int64; {part.name} is {part.facts.dtype}",
            severity=Severity.ERROR if raises else Severity.WARNING,
            repairs=[cast_repair(case, part)],
        )
