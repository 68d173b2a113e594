"""LG502."""

from __future__ import annotations

from lossguard.contracts.contract import Meaning
from lossguard.findings import Certainty, Fix
from lossguard.rules.case import Case, Part
from lossguard.rules.rule import (
    CANNOT_TELL,
    HOLDS,
    Answer,
    Rule,
    breaks,
    changes_values,
    lossless,
    passes,
)
from lossguard.rules.saying import ALL_LOSSES, TorchMessage


class TargetNotATensor(Rule):
    """The target is a list, a tuple, a numpy array, a number or None.

    Why it matters
        Torch's losses take tensors only and stop at anything else.

    Usual causes
        The data set returns plain numbers and no collate function stacks them; labels of strings, which
        the default collate leaves in a list; `(image, label)` unpacked wrongly; a model that returns None.

    Fix safety
        Making a tensor of numbers is lossless when the dtype is given: integers stay integers.
    """

    code = "LG502"
    seek = "not a tensor"
    explains = frozenset({"LG401", "LG402", "LG403", "LG405", "LG501", "LG101", "LG102", "LG103", "LG104", "LG110"})
    says = (
        TorchMessage(
            "TypeError: cross_entropy_loss(): argument 'target' (position 2) must be Tensor, not list",
            shows="argument 'target{?s}' (position {n:number}) must be Tensor, not {target_kind}",
            certainty=Certainty.CERTAIN,
            weight=80,
        ),
        TorchMessage(
            "AttributeError: 'list' object has no attribute 'size'",
            shows=(
                "{list|tuple|nonetype|int|float|str|ndarray|numpy.ndarray} object has no "
                "attribute {size|dim|is_same_size|shape}"
            ),
            ops=ALL_LOSSES,
            certainty=Certainty.POSSIBLE,
            weight=40,
            needs="loss nearby",
            because="the loss asks its target for a size",
        ),
    )
    verify = "print(type(target))"
    remedies = (changes_values("make a tensor of it", "torch.as_tensor(target)"),)
    examples = (
        breaks("F.cross_entropy", "torch.randn(3, 5), [0, 1, 4]", "raises TypeError"),
        breaks("F.nll_loss", "torch.randn(3, 5).log_softmax(1), numpy.array([0, 1, 4])", "raises TypeError"),
        breaks("F.cross_entropy", "torch.randn(3, 5), None", "raises TypeError"),
        passes("F.cross_entropy", "torch.randn(3, 5), torch.tensor([0, 1, 4])"),
    )

    def look(self, case: Case) -> Answer:
        """Broken when the target is known to be something else than a tensor."""
        part = case.partner
        facts = part.facts if part is not None else case.observation.arguments.get("target")
        if facts is None or facts.kind is None:
            return CANNOT_TELL
        if facts.kind == "tensor" or (part is not None and part.spec.plain_values):
            return HOLDS
        kinds = {"none": "None", "array": "a numpy array", "int": "an int"}
        name = part.name if part is not None else "target"
        return self.finding(
            case,
            part or name,
            f"{case.loss} needs a tensor as its {name}; this is {kinds.get(facts.kind, f'a {facts.kind}')}",
            fixes=_fixes(part),
        )


def _fixes(part: Part | None) -> list[Fix]:
    if part is not None and part.facts.kind == "tuple" and part.facts.count is None:
        return [changes_values("take the labels out of it", f"{part.name}[0]")]
    # An array of objects holds words, or lists of several lengths: torch makes no tensor of it.
    if part is None or part.facts.count is None or part.facts.kind is None or part.facts.dtype == "object":
        return [changes_values("give the labels as a tensor")]
    facts, name = part.facts, part.name
    if (facts.kind or "").startswith("column"):
        return [_column_fix(part)]
    make = f"torch.from_numpy({name})" if facts.kind == "array" else f"torch.tensor({name})"
    if part.spec.meaning is not Meaning.CLASS_INDICES:
        rounded = "the numbers are rounded to what the input's dtype can hold"
        return [changes_values("make a tensor of it", f"{make}.to(input.dtype)", rounded)]
    whole = facts.all_finite and facts.fractional == 0
    if whole:
        return [lossless("make a tensor of it", f"{make}.long()", "every value is finite and whole")]
    return [changes_values("make a tensor of it", f"{make}.long()", "fractions are cut off, NaN becomes a number")]


def _column_fix(part: Part) -> Fix:
    """What makes numbers of a column of a table that holds none."""
    facts, name = part.facts, part.name
    if facts.smallest is None:
        return changes_values("give each different label a number", f"pandas.factorize({name}, sort=True)[0]")
    doubt = facts.fractional or facts.null or facts.inexact or not facts.all_finite or facts.out_of_bounds
    code = f"{name}.astype('int64')"
    if doubt or part.spec.meaning is not Meaning.CLASS_INDICES:
        return changes_values("read the labels as numbers", code, "not every one of them is a class index")
    return lossless("read the labels as numbers", code, "every one of them is a class index")
