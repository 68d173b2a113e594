"""LG504."""

from __future__ import annotations

from lossguard.findings import Certainty
from lossguard.rules.case import Case
from lossguard.rules.rule import HOLDS, Answer, Rule, breaks, changes_values, passes
from lossguard.rules.saying import TorchMessage


class LossClassCalledAsFunction(Rule):
    """The class of a loss is called with input and target, where an instance belongs.

    Why it matters
        `nn.CrossEntropyLoss(logits, target)` makes a module with the logits as class weights and the
        target as a retired flag. Torch then fails on the truth value of a tensor, or says nothing.

    Usual causes
        The second pair of brackets is missing, or the function of the same purpose was meant.

    Fix safety
        Both forms compute the same loss.
    """

    code = "LG504"
    seek = "call"
    says = (
        TorchMessage(
            "RuntimeError: Boolean value of Tensor with more than one value is ambiguous",
            shows="bool{?ean} value of Tensor with more than one value is ambiguous",
            weight=80,
            needs="loss class",
            because="the class takes its second argument for a retired flag and asks whether it is true",
        ),
        TorchMessage(
            "RuntimeError: Boolean value of Tensor with more than one value is ambiguous",
            shows="bool{?ean} value of Tensor with more than one value is ambiguous",
            certainty=Certainty.POSSIBLE,
            needs="loss line",
        ),
        TorchMessage(
            "AttributeError: 'CrossEntropyLoss' object has no attribute 'backward'",
            shows="loss object has no attribute {backward|item|detach|mean}",
            weight=70,
        ),
        TorchMessage(
            "TypeError: unsupported operand type(s) for +: 'int' and 'CrossEntropyLoss'",
            shows="unsupported operand type(s) for {}loss",
            weight=60,
            because="what is added up is the module, not its result",
        ),
        TorchMessage(
            "TypeError: CrossEntropyLoss.__init__() takes from 1 to 6 positional arguments but 7 were given",
            shows="__init__() takes {} positional arguments but {n:number} were given",
            weight=80,
            needs="loss class",
        ),
        TorchMessage(
            "TypeError: __init__() got an unexpected keyword argument 'target'",
            shows="__init__() got an unexpected keyword argument {target|input|labels}",
            weight=80,
            needs="loss class",
        ),
        TorchMessage(
            "TypeError: CrossEntropyLoss.forward() missing 1 required positional argument: 'target'",
            versions="all versions, on Python 3.10 and later",
            shows="loss.forward() missing {n:number} required positional argument",
            weight=60,
            cause="An instance of the loss was called with one value, or the values were given to the class.",
        ),
        TorchMessage(
            "TypeError: forward() missing 1 required positional argument: 'target'",
            shows="forward() missing {n:number} required positional argument{?s}: {?input and }target",
            certainty=Certainty.POSSIBLE,
            needs="a loss",
            cause="An instance of the loss was called with one value, or the values were given to the class.",
        ),
    )
    verify = "print(type(loss))"
    remedies = (
        changes_values("for example: make an instance first", "loss_fn = nn.CrossEntropyLoss()"),
        changes_values("then call it", "loss_fn(input, target)"),
    )
    examples = (
        breaks("nn.CrossEntropyLoss", "torch.randn(3, 5), torch.tensor([0, 1, 4])", "raises RuntimeError"),
        passes("nn.CrossEntropyLoss()", "torch.randn(3, 5), torch.tensor([0, 1, 4])"),
    )

    def look(self, case: Case) -> Answer:
        """Broken when the call was one of the class."""
        if not case.observation.class_as_function:
            return HOLDS
        shown = case.contract.shown
        given = ", ".join(case.observation.arguments) or "input, target"
        return self.finding(
            case,
            "input",
            f"{shown} is a class: it needs an instance before it takes input and target",
            fixes=[
                changes_values("make an instance first", f"{shown}()({given})"),
                changes_values("use the function", f"F.{case.loss}({given})"),
            ],
        )
