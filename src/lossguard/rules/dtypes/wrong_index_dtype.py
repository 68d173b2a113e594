"""LG107."""

from __future__ import annotations

from lossguard.contracts.contract import Meaning
from lossguard.contracts.dtypes import FIRST_INEXACT, INT64_MAX, is_whole
from lossguard.findings import Certainty, Finding, Fix, Severity, Step
from lossguard.rules.case import Case, Part
from lossguard.rules.rule import CANNOT_TELL, HOLDS, Answer, Rule, breaks, changes_values, lossless, passes
from lossguard.rules.saying import INDEX_OPERATIONS, TorchMessage


class WrongIndexDtype(Rule):
    """An index is held in a dtype that the operation does not take for indices.

    Why it matters
        embedding, gather and their kin need int64 or int32; one_hot and take_along_dim need int64. In
        `x[index]` a bool or uint8 tensor is no index at all but a mask: it selects, it does not look up.

    Usual causes
        Token ids that went through a float tensor or a data frame; a label mask read as bytes;
        `torch.Tensor([...])`, which is float32.

    Fix safety
        `.long()` is lossless when every value is finite, whole and small enough for its dtype.
    """

    code = "LG107"
    seek = "dtype"
    explains = frozenset({"LG110", "LG210"})
    quotes_torch = False  # each operation has words of its own
    says = (
        TorchMessage(
            (
                "Expected tensor for argument #1 'indices' to have one of the following scalar "
                "types: Long, Int; but got torch.FloatTensor instead (while checking arguments for embedding)"
            ),
            versions="1.8 and later; before, int64 only",
            shows=(
                "for argument #{n:number} 'indices' to have {} but got {?torch.}{?cuda.}{?CUDA}{?CPU}"
                "{index_dtype}{Tensor|Type} instead"
            ),
            certainty=Certainty.CERTAIN,
            weight=70,
        ),
        TorchMessage(
            "gather(): Expected dtype int64 for index",
            versions="1.5 and later",
            shows="(): Expected dtype {int64|int32/int64|int32 or int64} for index",
            certainty=Certainty.CERTAIN,
            weight=70,
        ),
        TorchMessage(
            "IndexError: tensors used as indices must be long, int, byte or bool tensors",
            shows="tensors used as indices must be long",
            certainty=Certainty.CERTAIN,
            weight=70,
        ),
        TorchMessage(
            "When performing advanced indexing the indexing objects must be LongTensors or convertible to LongTensors",
            versions="0.2 to 0.3",
            shows="indexing objects must be LongTensors",
            certainty=Certainty.CERTAIN,
            weight=70,
        ),
        TorchMessage(
            "one_hot is only applicable to index tensor of type LongTensor.",
            versions="1.1 and later",
            shows="one_hot is only applicable to index tensor",
            certainty=Certainty.CERTAIN,
            weight=70,
        ),
        TorchMessage(
            "torch.take_along_dim(): dtype of indices should be Long but got Int",
            versions="1.9 and later",
            shows="dtype of indices should be Long but got {index_dtype}",
            certainty=Certainty.CERTAIN,
            weight=70,
        ),
        TorchMessage(
            "Expected object of scalar type Long but got scalar type Float for argument #3 'index'",
            versions="1.0 to 1.5",
            shows=(
                "Expected object of scalar type Long but got scalar type {index_dtype} for "
                "argument #{n:number} {index|indices}"
            ),
        ),
        TorchMessage(
            ("Expected object of type torch.LongTensor but found type torch.IntTensor for argument #3 'index'"),
            versions="0.3 and 0.4",
            shows=(
                "Expected object of type {?Variable[}torch.{?cuda.}LongTensor{?]} but found type "
                "{?Variable[}torch.{?cuda.}{index_dtype:dtype}Tensor{?]} for argument "
                "#{n:number} {index|indices}"
            ),
        ),
        TorchMessage(
            "expected scalar type Long but found Float",
            shows="expected scalar type Long but found {index_dtype}",
            ops=INDEX_OPERATIONS,
            certainty=Certainty.POSSIBLE,
            weight=40,
        ),
        TorchMessage(
            (
                "IndexError: only integers, slices (`:`), ellipsis (`...`), None and long or "
                "byte Variables are valid indices (got float)"
            ),
            shows="are valid indices (got {index_kind})",
            weight=60,
        ),
        TorchMessage(
            ("UserWarning: indexing with dtype torch.uint8 is now deprecated, please use a dtype torch.bool instead."),
            versions="1.2 and later",
            shows="indexing with dtype torch.uint8 is now deprecated",
            weight=60,
            because="a uint8 index is read as a mask, not as positions",
            warns=True,
        ),
        TorchMessage(
            ("The shape of the mask [2] at index 0 does not match the shape of the indexed tensor [3, 4] at index 0"),
            shows=("The shape of the mask {shape} at index {number} does not match the shape of the indexed tensor"),
            certainty=Certainty.POSSIBLE,
            because="a uint8 or bool index is read as a mask",
        ),
        TorchMessage(
            "'weight' must be 2-D",
            versions="1.13 and later",
            shows="weight must be 2-D",
            ops=INDEX_OPERATIONS,
            certainty=Certainty.POSSIBLE,
            because="F.embedding takes the indices first and the table second",
        ),
    )
    verify = "print(index.dtype)"
    remedies = (changes_values("cast the indices, if every value is a whole number", "index.long()"),)
    examples = (
        breaks("F.embedding", "torch.tensor([1.0, 2.0]), torch.randn(5, 3)", "raises RuntimeError"),
        breaks("torch.gather", "torch.randn(2, 3), 1, torch.tensor([[0.0], [1.0]])", "raises RuntimeError"),
        breaks("F.one_hot", "torch.tensor([1, 2], dtype=torch.int32), 5", "raises RuntimeError"),
        breaks("torch.Tensor.__getitem__", "torch.randn(3, 2), torch.tensor([0.0, 1.0])", "raises IndexError"),
        passes("F.embedding", "torch.tensor([1, 2]), torch.randn(5, 3)"),
        passes("torch.Tensor.__getitem__", "torch.randn(3), torch.tensor([True, False, True])"),
    )

    def look(self, case: Case) -> Answer:
        """Broken when an index has a dtype that is not taken, or one that makes it a mask."""
        found: list[Finding] = []
        for part in case.meaning(Meaning.INDICES):
            dtype = part.facts.dtype
            if part.facts.kind not in {None, "tensor"}:
                continue
            if dtype is None:
                return CANNOT_TELL
            if case.takes(part, dtype) is False:
                found.append(self._refused(case, part, dtype))
            elif dtype == "uint8" and part.spec.plain_values:
                found.append(self._mask(case, part))
        return found or HOLDS

    def _refused(self, case: Case, part: Part, dtype: str) -> Finding:
        taken = " or ".join(sorted(case.accepted(part) or {"int64"} - {"bool"}))
        message = f"{case.loss} needs indices as {taken}; {part.name} is {dtype}"
        return self.finding(case, part, message, fixes=[_fix(part, dtype)], samples=True)

    def _mask(self, case: Case, part: Part) -> Finding:
        return self.finding(
            case,
            part,
            f"{case.loss} reads a uint8 tensor as a mask, not as indices; {part.name} is uint8",
            severity=Severity.WARNING,
            certainty=Certainty.LIKELY,
            fixes=[changes_values("say which is meant", f"{part.name}.long()", "an index; .bool() is a mask")],
        )


def _fix(part: Part, dtype: str) -> Fix:
    facts, title, code = part.facts, f"cast {part.name} to int64", f"{part.name}.long()"
    if is_whole(dtype) and dtype != "uint64":
        return lossless(title, code, "every value is whole", Step("cast", "int64"))
    proven = facts.all_finite and facts.fractional == 0 and not facts.out_of_bounds and not facts.inexact
    if dtype == "uint64":
        if facts.largest is not None and facts.largest <= INT64_MAX:
            return lossless(title, code, "every value fits", Step("cast", "int64"))
        return changes_values("give indices that int64 holds: larger ones would become negative")
    if proven and dtype in FIRST_INEXACT:
        return lossless(title, code, "every value is finite, whole and in range", Step("cast", "int64"))
    return changes_values(title, code, "fractions are cut off, and NaN becomes -9223372036854775808")
