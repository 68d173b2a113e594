"""LG105."""

from __future__ import annotations

from lossguard.contracts.dtypes import word_for
from lossguard.findings import Finding
from lossguard.rules.case import Case
from lossguard.rules.rule import (
    CANNOT_TELL,
    HOLDS,
    Answer,
    Rule,
    Saying,
    breaks,
    changes_values,
    lossless,
    passes,
)

_WIDTH = {"bfloat16": 8, "float16": 11, "float32": 24, "float64": 53}


class DtypeDisagreement(Rule):
    """Two tensors of a call have different dtypes where the loss needs them to agree.

    Why it matters
        The kernel reads both with one element type. It refuses a float64 weight beside float32 logits.

    Usual causes
        Class weights computed with numpy or scikit-learn are float64. Under autocast or with a half
        precision model the logits are float16 or bfloat16 and the weights stayed float32.

    Repair safety
        Casting weights to the logits' dtype rounds them when the logits are narrower: harmless for
        training, but no longer the same numbers. Casting to a wider dtype is lossless.
    """

    code = "LG105"
    says = (Saying("expected scalar type Float but found Double"),)
    examples = (
        breaks(
            "F.cross_entropy",
            "torch.randn(4, 3), torch.tensor([0, 1, 2, 0]), weight=torch.ones(3, dtype=torch.float64)",
            "raises RuntimeError",
        ),
        breaks(
            "nn.NLLLoss(weight=torch.ones(3))",
            "torch.randn(4, 3).double().log_softmax(1), torch.tensor([0, 1, 2, 0])",
            "raises RuntimeError",
        ),
        passes("F.cross_entropy", "torch.randn(4, 3), torch.tensor([0, 1, 2, 0]), weight=torch.ones(3)"),
        passes(
            "F.cross_entropy",
            "torch.randn(4, 3), torch.randn(4, 3).softmax(1), weight=torch.ones(3, dtype=torch.float64)",
        ),
    )

    def look(self, case: Case) -> Answer:
        """Broken when an argument that must share another's dtype does not."""
        found: list[Finding] = []
        for part in case.parts:
            other = part.spec.same_dtype_as
            if other is None or part.facts.kind not in {None, "tensor"}:
                continue
            mine, theirs = part.facts.dtype, case.observation.arguments[other].dtype
            if mine is None or theirs is None:
                return CANNOT_TELL
            if mine == theirs:
                continue
            widens = _WIDTH.get(mine, 99) < _WIDTH.get(theirs, 0)
            make = lossless if widens else changes_values
            repair = make(
                f"cast {part.name} to the dtype of {other}",
                f"{part.name}.to({other}.dtype)",
                f"{theirs} holds every {mine}" if widens else f"{theirs} may round what {mine} holds",
            )
            message = f"{case.loss} needs {part.name} in the dtype of {other}, {theirs}; {part.name} is {mine}"
            said = f"expected scalar type {word_for(theirs)} but found {word_for(mine)}"
            found.append(self.finding(case, part, message, repairs=[repair], said=said))
        return found or HOLDS
