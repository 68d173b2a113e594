"""LG109."""

from __future__ import annotations

from lossguard.contracts.contract import Meaning
from lossguard.findings import Certainty, Finding, Severity
from lossguard.rules.case import Case, Part
from lossguard.rules.casting import cast_fix
from lossguard.rules.rule import CANNOT_TELL, HOLDS, Answer, Rule, breaks, changes_values, passes
from lossguard.rules.saying import CLASS_LOSSES, TorchMessage


class Uint8ClassTarget(Rule):
    """A uint8 target where this layout needs int64, or where uint8 cannot hold the ignore index.

    Why it matters
        uint8 is taken for inputs of one and two dimensions only; images and sequences need int64. And
        uint8 has no negative numbers: an ignore index of -1 became 255 when the mask was made, and -100
        became 156. Such a label is refused as out of range or, with enough classes, trained on.

    Usual causes
        A mask decoded from a PNG; `.byte()`; a padded label array cast to save space.

    Fix safety
        `target.long()` is lossless for what uint8 still holds. A label that wrapped around must be
        fixed where it was made.
    """

    code = "LG109"
    seek = "dtype"
    explains = frozenset({"LG201", "LG202"})
    says = (
        TorchMessage(
            "expected scalar type Long but found Byte",
            devices="CPU, and CUDA for images",
            versions="1.4 to 2.11",
            shows="expected scalar type Long but found {target_dtype:byte}",
            ops=CLASS_LOSSES,
            weight=70,
        ),
        TorchMessage(
            "Expected object of scalar type Long but got scalar type Byte for argument #2 'target'",
            versions="1.0 to 1.9",
            shows=(
                "Expected object of scalar type Long but got scalar type {target_dtype:byte} for "
                "argument #{n:number} 'target'"
            ),
            certainty=Certainty.CERTAIN,
            weight=70,
        ),
        TorchMessage(
            ("Expected object of type torch.LongTensor but found type torch.ByteTensor for argument #2 'target'"),
            versions="0.4",
            shows=(
                "Expected object of type {?Variable[}torch.{?cuda.}LongTensor{?]} but found type "
                "{?Variable[}torch.{?cuda.}{target_dtype:byte}Tensor{?]} for argument #{n:number} 'target'"
            ),
            certainty=Certainty.CERTAIN,
            weight=70,
        ),
        TorchMessage(
            (
                "ClassNLLCriterion_updateOutput received an invalid combination of arguments - "
                "got (int, torch.FloatTensor, torch.ByteTensor, ..."
            ),
            versions="0.3 and before",
            shows=(
                "ClassNLLCriterion_updateOutput received an invalid combination of arguments - "
                "got (int, torch.{?cuda.}{word}, torch.{?cuda.}{target_dtype:byte}Tensor"
            ),
            certainty=Certainty.CERTAIN,
            weight=70,
        ),
        TorchMessage(
            "IndexError: Target 156 is out of bounds.",
            devices="CPU",
            shows="Target 156 is out of bounds",
            ops=CLASS_LOSSES,
            certainty=Certainty.POSSIBLE,
            weight=45,
            because="-100 in uint8 is 156",
        ),
    )
    verify = "print(target.dtype)"
    remedies = (changes_values("cast the labels", "target.long()"),)
    examples = (
        breaks(
            "F.cross_entropy",
            "torch.randn(2, 5, 4, 4), torch.ones(2, 4, 4, dtype=torch.uint8)",
            "raises RuntimeError",
        ),
        breaks(
            "F.cross_entropy",
            "torch.randn(2, 5), torch.tensor([-100, 3]).to(torch.uint8)",
            "raises IndexError",
        ),
        passes("F.cross_entropy", "torch.randn(2, 5), torch.tensor([1, 3], dtype=torch.uint8)"),
        passes("F.cross_entropy", "torch.randn(2, 200), torch.tensor([156, 3], dtype=torch.uint8)"),
    )

    def look(self, case: Case) -> Answer:
        """Broken when the layout refuses uint8, or the ignore index wrapped around."""
        found: list[Finding] = []
        for part in case.meaning(Meaning.CLASS_INDICES):
            if part.facts.dtype is None:
                return CANNOT_TELL
            if part.facts.dtype != "uint8" or part.facts.kind != "tensor":
                continue
            taken = case.takes(part, "uint8")
            if taken is None:
                return CANNOT_TELL
            if not taken:
                found.append(self._refused(case, part))
            elif (wrapped := _wrapped(part)) is not None:
                found.append(self._wrapped_around(case, part, wrapped))
        return found or HOLDS

    def _refused(self, case: Case, part: Part) -> Finding:
        raises = case.is_enforced(part, "dtype")
        return self.finding(
            case,
            part,
            f"{case.loss} needs class indices as int64 for this input; {part.name} is uint8",
            severity=Severity.ERROR if raises else Severity.WARNING,
            fixes=[cast_fix(case, part)],
        )

    def _wrapped_around(self, case: Case, part: Part, wrapped: int) -> Finding:
        ignore = part.facts.bounds.ignore if part.facts.bounds else None
        return self.finding(
            case,
            part,
            f"the ignore index {ignore} does not fit into uint8; it became {wrapped}, which is in {part.name}",
            severity=Severity.ERROR if part.facts.out_of_bounds else Severity.WARNING,
            certainty=Certainty.LIKELY,
            samples=True,
        )


def _wrapped(part: Part) -> int | None:
    """What the ignore index became in uint8, if it is there and no class of its own."""
    facts, bounds = part.facts, part.facts.bounds
    if bounds is None or bounds.ignore is None or bounds.ignore >= 0 or facts.above_values is None:
        return None
    wrapped = bounds.ignore % 256
    if set(facts.above_values) == {wrapped}:
        return wrapped
    # In range it is most likely a class like any other, unless the ignore index was chosen on purpose.
    chosen = bounds.ignore != -100
    return wrapped if chosen and not facts.out_of_bounds and wrapped in {facts.smallest, facts.largest} else None
