"""LG503."""

from __future__ import annotations

from lossguard.rules.case import Case
from lossguard.rules.rule import CANNOT_TELL, HOLDS, Answer, Rule, Saying, breaks, changes_values, passes


class InputNotATensor(Rule):
    """The input is a tuple, a model-output object, an array or None.

    Why it matters
        The loss needs the tensor of logits, and many models return it wrapped.

    Usual causes
        Recurrent layers return `(output, state)`; inception in training mode returns its auxiliary output
        too; Hugging Face models return an object with `.logits`; a forward without `return` gives None.

    Repair safety
        Which part of the output holds the logits is the model's secret; its documentation tells.
    """

    code = "LG503"
    explains = frozenset({"LG106", "LG110", "LG207", "LG301", "LG302", "LG303"})
    explains_everywhere = frozenset({"LG404", "LG405", "LG403", "LG201", "LG202"})
    says = (Saying("TypeError: cross_entropy_loss(): argument 'input' (position 1) must be Tensor, not tuple"),)
    examples = (
        breaks("F.cross_entropy", "(torch.randn(3, 5), None), torch.tensor([0, 1, 4])", "raises TypeError"),
        breaks("F.cross_entropy", "None, torch.tensor([0, 1, 4])", "raises TypeError"),
        passes("F.cross_entropy", "torch.randn(3, 5), torch.tensor([0, 1, 4])"),
    )

    def look(self, case: Case) -> Answer:
        """Broken when the input is known to be something else than a tensor."""
        facts = case.observation.arguments.get("input")
        if facts is None or facts.kind is None:
            return CANNOT_TELL
        if facts.kind == "tensor":
            return HOLDS
        what, code, title = _advice(facts.kind)
        return self.finding(
            case,
            case.input or "input",
            f"{case.loss} needs a tensor as its input; this is {what}",
            repairs=[changes_values(title, code)],
        )


def _advice(kind: str) -> tuple[str, str, str]:
    if kind == "none":
        return "None", "", "return the logits from forward()"
    if kind in {"tuple", "list"}:
        return f"a {kind}", "output[0]", "take the logits out of it"
    if kind == "array":
        return "a numpy array", "", "keep the model's output a tensor: numpy cuts the gradient off"
    return f"an object of class {kind}", "output.logits", "take the logits out of it"
