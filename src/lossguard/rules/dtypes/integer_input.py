"""LG106."""

from __future__ import annotations

from lossguard.contracts.dtypes import FLOATS, is_whole
from lossguard.rules.case import Case
from lossguard.rules.rule import CANNOT_TELL, HOLDS, Answer, Rule, Saying, breaks, changes_values, passes


class IntegerInput(Rule):
    """The input holds integers or truth values; a loss needs the model's real-valued output.

    Why it matters
        Integers have no gradient, so nothing could be learned from this loss even if it were computed.

    Usual causes
        The predicted classes (`logits.argmax(1)`) are given instead of the logits; input and target are
        swapped; the model's output was rounded or cast.

    Repair safety
        A cast would make the call run and teach nothing. Give the logits as the model made them.
    """

    code = "LG106"
    explains = frozenset({"LG301", "LG302", "LG303"})
    says = (Saying("\"log_softmax_lastdim_kernel_impl\" not implemented for 'Long'", "CPU", "1.9 and later"),)
    examples = (
        breaks(
            "F.cross_entropy",
            "torch.randint(5, (4, 5)), torch.tensor([0, 1, 2, 3])",
            "raises NotImplementedError",
        ),
        breaks(
            "F.nll_loss",
            "torch.zeros(4, 5, dtype=torch.int64), torch.zeros(4).long()",
            "raises NotImplementedError",
        ),
        passes("F.cross_entropy", "torch.randn(4, 5), torch.tensor([0, 1, 2, 3])"),
    )

    def look(self, case: Case) -> Answer:
        """Broken when the input is whole and the loss takes floats only."""
        part = case.input
        if part is None or part.facts.dtype is None:
            return CANNOT_TELL
        if not is_whole(part.facts.dtype) or case.takes(part, part.facts.dtype) is not False:
            return HOLDS
        if part.facts.kind not in {None, "tensor"}:
            return HOLDS
        return self.finding(
            case,
            part,
            f"{case.loss} needs {part.spec.meaning} in a floating dtype; {part.name} is {part.facts.dtype}",
            cause=_cause(case),
            repairs=[changes_values("give the model's output itself, before argmax, round or a cast")],
        )


def _cause(case: Case) -> str:
    if case.target is not None and case.target.facts.dtype in FLOATS:
        return "input and target may be swapped: the target is floating"
    return "predicted classes in place of the logits they came from"
