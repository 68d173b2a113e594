"""LG407."""

from __future__ import annotations

from collections.abc import Mapping

from lossguard.contracts.contract import Meaning, Role
from lossguard.contracts.relations import holds
from lossguard.contracts.shapes import Shape, fill, show
from lossguard.findings import Certainty, Finding
from lossguard.rules.case import Case, Part
from lossguard.rules.rule import CANNOT_TELL, HOLDS, Answer, Rule, breaks, changes_values, lossless, passes
from lossguard.rules.saying import BINARY, TorchMessage


class WeightLengthMismatch(Rule):
    """The class weights do not have one entry for each class.

    Why it matters
        `weight[c]` multiplies the loss of class c, so its length is the number of classes, on one axis.

    Usual causes
        Weights counted on a split that lacks a class; a background or padding class added to the model
        and not to the weights; weights for samples given as weights for classes.

    Fix safety
        Which class lacks its weight is for you to say.
    """

    code = "LG407"
    seek = "length"
    says = (
        TorchMessage(
            (
                "weight tensor should be defined either for all 5 classes or no classes but got "
                "weight tensor of shape: [4]"
            ),
            shows=(
                "weight tensor should be defined either for all {classes:number} classes or no "
                "classes but got weight tensor of shape: {weight_shape}"
            ),
            certainty=Certainty.CERTAIN,
            weight=80,
        ),
        TorchMessage(
            "weight tensor should be defined either for all or no classes",
            shows="weight tensor should be defined either for all",
            certainty=Certainty.CERTAIN,
            weight=70,
        ),
        TorchMessage(
            "input and weights have different number of elements: input[64 x 1] has 64 elements, while weights[64] ...",
            versions="0.4 to 1.1",
            shows="input and weights have different number of elements",
            certainty=Certainty.CERTAIN,
            weight=70,
        ),
        TorchMessage(
            "Weights and input must have the same size.",
            versions="2.5 and later",
            shows="Weights and input must have the same size",
            certainty=Certainty.CERTAIN,
            weight=70,
        ),
        TorchMessage(
            "The size of tensor a (4) must match the size of tensor b (3) at non-singleton dimension 1",
            shows=(
                "The size of tensor a ({n:number}) must match the size of tensor b ({m:number}) "
                "at non-singleton dimension"
            ),
            ops=BINARY,
            certainty=Certainty.POSSIBLE,
            needs="nothing else",
            weight=25,
            because="weight or pos_weight is broadcast against the input",
        ),
    )
    verify = "print(loss_fn.weight.shape, input.shape)"
    remedies = (
        changes_values("count every class, also those without samples", "torch.bincount(labels, minlength=classes)"),
    )
    examples = (
        breaks(
            "F.cross_entropy",
            "torch.randn(2, 5), torch.tensor([0, 1]), weight=torch.ones(4)",
            "raises RuntimeError",
        ),
        breaks(
            "nn.NLLLoss(weight=torch.ones(5, 1))",
            "torch.randn(2, 5).log_softmax(1), torch.tensor([0, 1])",
            "raises RuntimeError",
        ),
        breaks("F.mse_loss", "torch.randn(4), torch.randn(4), weight=torch.ones(3)", "raises ValueError"),
        passes("F.cross_entropy", "torch.randn(2, 5), torch.tensor([0, 1]), weight=torch.ones(5)"),
        passes("F.binary_cross_entropy", "torch.rand(4, 1), torch.rand(4), torch.rand(4, 1)", "raises ValueError"),
    )

    def look(self, case: Case) -> Answer:
        """Broken when the weights' shape is not the one the layout or a relation asks for."""
        layout, reading = case.meant.layout, case.meant.reading
        found: list[Finding] = []
        for part in case.parts:
            shape = part.facts.shape
            if part.spec.role is not Role.WEIGHT or part.facts.kind not in {"tensor", None}:
                continue
            if layout is None or reading is None or shape is None:
                return CANNOT_TELL
            bound = part.name not in layout.shapes or layout.bind(part.name, shape, case.meant.sizes) is not None
            related = [relation for relation in reading.relations if part.name in relation.arguments]
            if not bound or any(holds(relation, _as_meant(case)) is False for relation in related):
                found.append(self._describe(case, part, shape))
        return found or HOLDS

    def _describe(self, case: Case, part: Part, shape: Shape) -> Finding:
        length = f"has {shape[0]} entries" if len(shape) == 1 else f"is {show(shape)}"
        if part.spec.meaning is Meaning.CLASS_WEIGHTS:
            message = f"{case.loss} needs one weight for each of {case.classes} classes; {part.name} {length}"
            fix = changes_values(f"give one weight for each of the {case.classes} classes, also those without samples")
        else:
            target = show(case.target.facts.shape or ()) if case.target else "?"
            message = f"{case.loss} needs weights that fit a target of {target}; {part.name} {length}"
            fix = changes_values("give weights of the target's shape")
        flat = lossless("take the axes of size 1 out", f"{part.name}.flatten()", "the weights and their order stay")
        fixes = [flat, fix] if len(shape) > 1 else [fix]
        return self.finding(case, part, message, fixes=fixes, classes=case.classes)


def _as_meant(case: Case) -> Mapping[str, Shape | None]:
    """The shapes, with that of a target that does not fit as it should be: weights must fit what is fixed, too."""
    layout, target = case.meant.layout, case.target
    if case.meant.fits is not False or layout is None or target is None or target.name not in layout.shapes:
        return case.shapes
    return {**case.shapes, target.name: fill(layout.shapes[target.name][0], case.meant.sizes) or target.facts.shape}
