"""LG504."""

from __future__ import annotations

from lossguard.rules.case import Case
from lossguard.rules.rule import HOLDS, Answer, Rule, Saying, breaks, changes_values, passes


class LossClassCalledAsFunction(Rule):
    """The class of a loss is called with input and target, where an instance belongs.

    Why it matters
        `nn.CrossEntropyLoss(logits, target)` makes a module with the logits as class weights and the
        target as a retired flag. Torch then fails on the truth value of a tensor, or says nothing.

    Usual causes
        The second pair of brackets is missing, or the function of the same purpose was meant.

    Repair safety
        Both forms compute the same loss.
    """

    code = "LG504"
    says = (Saying("RuntimeError: Boolean value of Tensor with more than one value is ambiguous"),)
    examples = (
        breaks("nn.CrossEntropyLoss", "torch.randn(3, 5), torch.tensor([0, 1, 4])", "raises RuntimeError"),
        passes("nn.CrossEntropyLoss()", "torch.randn(3, 5), torch.tensor([0, 1, 4])"),
    )

    def look(self, case: Case) -> Answer:
        """Broken when the call was one of the class."""
        if not case.observation.class_as_function:
            return HOLDS
        shown = case.contract.shown
        return self.finding(
            case,
            "input",
            f"{shown} is a class: it needs an instance before it takes input and target",
            repairs=[
                changes_values("make an instance first", f"{shown}()(input, target)"),
                changes_values("use the function", f"F.{case.loss}(input, target)"),
            ],
        )
