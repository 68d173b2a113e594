"""LG407."""

from __future__ import annotations

from lossguard.contracts.shapes import fill, show
from lossguard.rules.case import Case
from lossguard.rules.rule import CANNOT_TELL, HOLDS, Answer, Rule, Saying, breaks, changes_values, passes


class WeightLengthMismatch(Rule):
    """The class weights do not have one entry for each class.

    Why it matters
        `weight[c]` multiplies the loss of class c, so its length is the number of classes, on one axis.

    Usual causes
        Weights counted on a split that lacks a class; a background or padding class added to the model
        and not to the weights; weights for samples given as weights for classes.

    Repair safety
        Which class lacks its weight is for you to say.
    """

    code = "LG407"
    says = (Saying("weight tensor should be defined either for all 5 classes or no classes", versions="all versions"),)
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
        passes("F.cross_entropy", "torch.randn(2, 5), torch.tensor([0, 1]), weight=torch.ones(5)"),
    )

    def look(self, case: Case) -> Answer:
        """Broken when the weights' shape is not the one the layout asks for."""
        weight, layout = case.weight, case.meant.layout
        if weight is None:
            return HOLDS
        if layout is None or weight.facts.shape is None:
            return CANNOT_TELL
        shape = weight.facts.shape
        if layout.bind(weight.name, shape, case.meant.sizes) is not None or weight.facts.kind != "tensor":
            return HOLDS
        wanted = fill(layout.shapes[weight.name][0], case.meant.sizes) or ()
        length = f"has {shape[0]} entries" if len(shape) == 1 else f"is {show(shape)}"
        return self.finding(
            case,
            weight,
            f"{case.loss} needs one weight for each of {case.classes} classes, {show(wanted)}; {weight.name} {length}",
            repairs=[changes_values("give one weight for each class", f"{weight.name} = torch.ones({case.classes})")],
            classes=case.classes,
        )
