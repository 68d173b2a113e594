"""LG503."""

from __future__ import annotations

from lossguard.contracts.contract import Role
from lossguard.findings import Certainty, Finding
from lossguard.rules.case import Case
from lossguard.rules.rule import CANNOT_TELL, HOLDS, Answer, Rule, breaks, changes_values, passes
from lossguard.rules.saying import ALL_LOSSES, INDEX_OPERATIONS, TorchMessage


class InputNotATensor(Rule):
    """The input is a tuple, a model-output object, an array or None.

    Why it matters
        The loss needs the tensor of logits, and many models return it wrapped.

    Usual causes
        Recurrent layers return `(output, state)`; inception in training mode returns its auxiliary output
        too; Hugging Face models return an object with `.logits`; a forward without `return` gives None.

    Fix safety
        Which part of the output holds the logits is the model's secret; its documentation tells.
    """

    code = "LG503"
    seek = "not a tensor"
    explains = frozenset({"LG106", "LG110", "LG207", "LG301", "LG302", "LG303"})
    explains_everywhere = frozenset({"LG404", "LG405", "LG403", "LG201", "LG202"})
    says = (
        TorchMessage(
            "TypeError: cross_entropy_loss(): argument 'input' (position 1) must be Tensor, not tuple",
            shows=("argument {input|self|log_probs|input1} (position {n:number}) must be Tensor, not {input_kind}"),
            ops=ALL_LOSSES,
            weight=70,
        ),
        TorchMessage(
            "AttributeError: 'tuple' object has no attribute 'log_softmax'",
            shows="{word} object has no attribute log_softmax",
            weight=70,
        ),
        TorchMessage(
            "TypeError: embedding(): argument 'indices' (position 2) must be Tensor, not tuple",
            shows="argument {indices|index|input|self} (position {n:number}) must be Tensor, not {index_kind}",
            ops=INDEX_OPERATIONS,
            weight=70,
        ),
        TorchMessage(
            "AttributeError: 'tuple' object has no attribute 'dim'",
            shows="{word} object has no attribute {size|dim|shape}",
            ops=ALL_LOSSES,
            certainty=Certainty.POSSIBLE,
            needs="loss nearby",
            because="the loss asks its input for a size",
        ),
    )
    verify = "print(type(output))"
    remedies = (
        changes_values("take the logits out of an output object", "output.logits"),
        changes_values("or the first entry of a tuple", "output[0]"),
    )
    examples = (
        breaks("F.cross_entropy", "(torch.randn(3, 5), None), torch.tensor([0, 1, 4])", "raises TypeError"),
        breaks("F.cross_entropy", "None, torch.tensor([0, 1, 4])", "raises TypeError"),
        passes("F.cross_entropy", "torch.randn(3, 5), torch.tensor([0, 1, 4])"),
    )

    def look(self, case: Case) -> Answer:
        """Broken when an input is known to be something else than a tensor."""
        known = {part.name: part.facts for part in case.parts if part.spec.role in {Role.INPUT, Role.OTHER}}
        known = known or {name: facts for name, facts in case.observation.arguments.items() if name == "input"}
        found: list[Finding] = []
        for name, facts in known.items():
            part = case.named(name)
            if facts.kind is None:
                return CANNOT_TELL
            if facts.kind == "tensor" or (part is not None and part.spec.plain_values):
                continue
            what, code, title = _advice(facts.kind, name)
            message = f"{case.loss} needs a tensor as its {name}; this is {what}"
            found.append(self.finding(case, part or name, message, fixes=[changes_values(title, code)]))
        return found or HOLDS


def _advice(kind: str, name: str) -> tuple[str, str, str]:
    if kind == "none":
        return "None", "", "return the logits from forward()"
    if kind in {"tuple", "list"}:
        return f"a {kind}", f"{name}[0]", "take the logits out of it"
    if kind == "array":
        return "a numpy array", "", "keep the model's output a tensor: numpy cuts the gradient off"
    if kind == "dict":
        return "a dict", f'{name}["logits"]', "take the logits out of it"
    return f"an object of class {kind}", f"{name}.logits", "take the logits out of it"
