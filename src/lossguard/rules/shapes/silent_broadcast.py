"""LG406."""

from __future__ import annotations

from lossguard.contracts.contract import Relation, Role
from lossguard.contracts.relations import broadcast
from lossguard.contracts.shapes import Shape, show
from lossguard.findings import Certainty, Finding, Fix, Severity, Step
from lossguard.rules.case import Case, Part
from lossguard.rules.rule import CANNOT_TELL, HOLDS, Answer, Rule, breaks, changes_values, lossless, passes
from lossguard.rules.saying import TorchMessage


class SilentBroadcast(Rule):
    """Input and target are broadcast to a shape that neither has: (N, 1) against (N,) becomes (N, N).

    Why it matters
        Every prediction is then compared with every target. The loss is a plausible number, its best
        answer is the mean of all targets, and the model learns exactly that. Some losses warn; many,
        gaussian_nll_loss and kl_div among them, say nothing. A target that is (N, N) already, because it
        was itself computed from (N, 1) and (N,), is no better.

    Usual causes
        A model with one output gives (N, 1) and the labels are (N,); a `squeeze` on one side only; a
        target with an axis of its own; rewards of (N,) added to values of (N, 1).

    Fix safety
        Giving the target the shape of the input, with the same number of values, is lossless.
    """

    code = "LG406"
    seek = "broadcast"
    explains = frozenset({"LG405"})
    says = (
        TorchMessage(
            (
                "UserWarning: Using a target size (torch.Size([4])) that is different to the "
                "input size (torch.Size([4, 1])). This will likely lead to incorrect results due "
                "to broadcasting."
            ),
            shows=(
                "Using a target size (torch.Size({target_shape})) that is different to the input "
                "size (torch.Size({input_shape})). This will likely lead to incorrect results "
                "due to broadcasting"
            ),
            certainty=Certainty.CERTAIN,
            weight=70,
            warns=True,
        ),
    )
    verify = "print(input.shape, target.shape)"
    examples = (
        breaks("F.mse_loss", "torch.randn(8, 1), torch.randn(8)", "warns UserWarning"),
        breaks("F.smooth_l1_loss", "torch.randn(8, 1), torch.randn(8, 1) + torch.randn(8)", "warns UserWarning"),
        breaks("F.poisson_nll_loss", "torch.randn(8), torch.ones(8, 1)", "silent"),
        breaks("F.gaussian_nll_loss", "torch.randn(8, 1), torch.randn(8), torch.ones(8, 1)", "silent"),
        breaks("F.kl_div", "torch.randn(8, 1).log_softmax(0), torch.rand(1, 8), reduction='sum'", "silent"),
        passes("F.mse_loss", "torch.randn(8, 1), torch.randn(8, 1)"),
        passes("F.margin_ranking_loss", "torch.randn(8, 1), torch.randn(1, 5), torch.ones(1, 1)"),
        passes("F.kl_div", "torch.zeros(4, 1, 3), torch.rand(1, 5, 3), reduction='none'"),
        passes("F.kl_div", "torch.randn(8, 3).log_softmax(1), torch.randn(3).softmax(0), reduction='batchmean'"),
    )

    def look(self, case: Case) -> Answer:
        """Broken when what two arguments broadcast to is larger than each of them, or already is all with all."""
        reading, target = case.meant.reading, case.target
        if reading is None or case.meant.fits is None:
            return CANNOT_TELL
        if not case.meant.fits:
            return HOLDS
        for relation in reading.relations:
            if relation.kind != "broadcast" or relation.axis is not None or target is None:
                continue
            compared = target.name in relation.arguments and not _weights(case).intersection(relation.arguments)
            if compared and not _on_purpose(case, target, relation) and (shapes := _enlarged(case, target, relation)):
                return self._describe(case, target, relation, shapes)
        return HOLDS

    def _describe(self, case: Case, target: Part, relation: Relation, shapes: list[Shape]) -> Finding:
        result = broadcast(shapes) or ()
        shown = " and ".join(f"{name} {show(shape)}" for name, shape in zip(relation.arguments, shapes, strict=True))
        return self.finding(
            case,
            target,
            f"{case.loss} compares value with value; {shown} become {show(result)} by broadcasting"
            f"{', with a warning of torch only' if relation.warned else ', without a word'}",
            severity=Severity.WARNING,
            certainty=Certainty.CERTAIN,
            fixes=[_fix(case, target)],
            result_shape=list(result),
        )


def _weights(case: Case) -> set[str]:
    return {part.name for part in case.parts if part.spec.role is Role.WEIGHT}


def _on_purpose(case: Case, target: Part, relation: Relation) -> bool:
    """Whether axes of size 1 were lined up by hand, to compare all with all.

    So it is when the target is not what enlarges the result, as in a ranking of two lists; or when the shapes have
    equally many axes and every single comparison is handed back.
    """
    shapes = {name: case.shapes.get(name) for name in relation.arguments}
    known = [shape for shape in shapes.values() if shape is not None]
    others = [shape for name, shape in shapes.items() if name != target.name and shape is not None]
    if len(others) > 1 and broadcast(others) == broadcast(known):
        return True
    return case.contract.reduction == "none" and len({len(shape) for shape in known}) == 1


def _enlarged(case: Case, target: Part, relation: Relation) -> list[Shape] | None:
    """The shapes, if broadcasting makes one that none of them is, or has made the target all with all before."""
    shapes = [case.shapes.get(name) for name in relation.arguments]
    known = [shape for shape in shapes if shape is not None]
    if len(known) < len(shapes):
        return None
    result = broadcast(known)
    if result is None or (result in known and not (relation.warned and _is_all_with_all(case, target))):
        return None
    return known


def _is_all_with_all(case: Case, target: Part) -> bool:
    """Whether a target of (N, N) stands against N predictions."""
    shape, mine = case.input.facts.shape if case.input else None, target.facts.shape
    if not shape or mine is None:
        return False
    many = shape[0]
    return many > 1 and shape in {(many,), (many, 1)} and mine == (many, many)


def _fix(case: Case, target: Part) -> Fix:
    shape, mine = case.input.facts.shape if case.input else None, target.facts.shape
    if shape is None or mine is None:
        return changes_values("give input and target the same shape")
    for axis in range(len(mine)):
        if mine[axis] == 1 and mine[:axis] + mine[axis + 1 :] == shape:
            reason = "the values and their order stay"
            return lossless("drop the extra axis", f"{target.name}.squeeze({axis})", reason, Step("squeeze", axis))
    for axis in range(len(mine) + 1):
        if (*mine[:axis], 1, *mine[axis:]) == shape:
            reason = "the values and their order stay"
            return lossless("add the axis", f"{target.name}.unsqueeze({axis})", reason, Step("unsqueeze", axis))
    return changes_values("give input and target the same shape")
