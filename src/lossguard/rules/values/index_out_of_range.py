"""LG210."""

from __future__ import annotations

from lossguard.contracts.contract import Meaning
from lossguard.findings import Certainty, Finding, Fix, Severity
from lossguard.rules.case import Case, Part
from lossguard.rules.rule import (
    CANNOT_TELL,
    HOLDS,
    Answer,
    Cost,
    Rule,
    breaks,
    changes_values,
    count,
    passes,
)
from lossguard.rules.saying import TorchMessage


class IndexOutOfRange(Rule):
    """An index points outside the axis it looks into.

    Why it matters
        On the CPU torch raises, in words that differ from operation to operation. On CUDA an assert
        fires inside a kernel and the device is lost to the process. take_along_dim says nothing since
        2.10 and wraps around, so that the wrong element is taken.

    Usual causes
        A token id of a tokenizer with more words than the embedding has rows; a padding of -1 or -100
        in the ids; categories that the training set did not have; a text longer than the model has
        positions for, 512 in most BERTs; `x[arange, label]` with a label of -1, which is the last class.

    Fix safety
        A larger table, another padding or a dropped row are decisions about the data.
    """

    code = "LG210"
    seek = "values"
    cost = Cost.VALUES
    quotes_torch = False  # each operation has words of its own
    says = (
        TorchMessage(
            "IndexError: index out of range in self",
            devices="CPU",
            versions="1.5 and later",
            shows="index out of range in self",
            certainty=Certainty.CERTAIN,
            weight=70,
        ),
        TorchMessage(
            "Assertion `srcIndex < srcSelectDimSize` failed",
            devices="CUDA",
            shows="srcIndex < srcSelectDimSize",
            certainty=Certainty.CERTAIN,
            weight=70,
        ),
        TorchMessage(
            "index 4 is out of bounds for dimension 1 with size 4",
            devices="CPU",
            versions="1.5 and later",
            shows="index {index_value} is out of bounds for dimension {n:number} with size {size:number}",
            weight=60,
        ),
        TorchMessage(
            "gather(): index N is out of bounds for dimension 1 with size 4",
            shows="index {word} is out of bounds for dimension",
            weight=40,
        ),
        TorchMessage(
            "index out of range: Tried to access index 5 out of table with 4 rows.",
            devices="CPU",
            versions="1.4 and before",
            shows="index out of range: Tried to access index {index_value}",
            certainty=Certainty.CERTAIN,
            weight=70,
            because="the table size printed is one less than it has",
        ),
        TorchMessage(
            "IndexError: out of range: tried to access index 3 on a tensor of 3 elements.",
            shows="out of range: tried to access index {index_value} on a tensor of {size:number} elements",
            certainty=Certainty.CERTAIN,
            weight=70,
        ),
        TorchMessage(
            "index out of range at /pytorch/aten/src/TH/generic/THTensorMath.cpp:343",
            devices="CPU",
            versions="1.1 and before",
            shows="index out of range at {}th{?tensor}",
            weight=60,
        ),
        TorchMessage(
            "INDICES element is out of DATA bounds, id=4 axis_dim=4",
            devices="CPU",
            versions="1.8 and later",
            shows="INDICES element is out of DATA bounds, id={index_value} axis_dim={size:number}",
            certainty=Certainty.CERTAIN,
            weight=70,
        ),
        TorchMessage(
            ('Assertion `ind >=0 && ind < ind_dim_size && "vectorized gather kernel index out of bounds"` failed'),
            devices="CUDA",
            versions="2.8 and later",
            shows="ind >=0 && ind < {ind_dim_size|self_dim_size}",
            certainty=Certainty.CERTAIN,
            weight=70,
        ),
        TorchMessage(
            'Assertion `idx_dim >= 0 && idx_dim < index_size && "index out of bounds"` failed',
            devices="CUDA",
            versions="1.6 and later",
            shows="idx_dim >= 0 && idx_dim < index_size",
            certainty=Certainty.CERTAIN,
            weight=70,
        ),
        TorchMessage(
            "Assertion `indexValue >= 0 && indexValue < src.sizes[dim]` failed",
            devices="CUDA",
            versions="1.9 and before",
            shows="indexValue >= 0 && indexValue < ",
            certainty=Certainty.CERTAIN,
            weight=70,
        ),
        TorchMessage(
            'Assertion `-sizes[i] <= index && index < sizes[i] && "index out of bounds"` failed',
            devices="CUDA",
            shows="index < sizes[i]",
            certainty=Certainty.CERTAIN,
            weight=70,
        ),
        TorchMessage(
            "Assertion `dstIndex < dstAddDimSize` failed",
            devices="CUDA",
            shows="dstIndex < {dstAddDimSize|dstFillDimSize|dstCopyDimSize|dstSelectDimSize}",
            certainty=Certainty.CERTAIN,
            weight=70,
        ),
        TorchMessage(
            "Assertion `0 <= input_idx && input_idx < numRows` failed",
            devices="CUDA",
            versions="2.1 and later",
            shows="{input_idx|input[emb]} < numRows",
            certainty=Certainty.CERTAIN,
            weight=70,
        ),
        TorchMessage(
            "Assertion `input[emb] >= 0 && input[emb] < vocab_size` failed",
            devices="CUDA",
            versions="1.11",
            shows="input[emb] < vocab_size",
            certainty=Certainty.CERTAIN,
            weight=70,
        ),
        TorchMessage(
            (
                'Assertion `!has_invalid_index && "Invalid input index in EmbeddingBag: index '
                'out of range [0, numRows)"` failed'
            ),
            devices="CUDA",
            versions="2.10 and later",
            shows="Invalid input index in EmbeddingBag",
            certainty=Certainty.CERTAIN,
            weight=70,
        ),
        TorchMessage(
            "Index 1 of input takes value 5 which is not in the valid range [0, 5)",
            devices="CPU",
            versions="2.1 and later",
            shows=(
                "Index {n:number} of input takes value {index_value} which is not in the valid range [0, {size:number})"
            ),
            certainty=Certainty.CERTAIN,
            weight=70,
        ),
        TorchMessage(
            "embedding_bag: Expected idx >= 0 && idx < num_embeddings but found idx to be 5",
            devices="CPU",
            versions="1.11 and later",
            shows="Expected idx >= 0 && idx < num_embeddings but found idx to be {index_value}",
            certainty=Certainty.CERTAIN,
            weight=70,
        ),
        TorchMessage(
            "0 <= idx && idx < data_size. Index 0 is out of bounds: -1, range 0 to 10",
            devices="CPU and Metal",
            shows="is out of bounds: {index_value}, range 0 to {size:number}",
            weight=60,
        ),
        TorchMessage(
            "Invalid index in gather at THTensorEvenMoreMath.cpp:654",
            devices="CPU",
            versions="1.5 and before",
            shows="Invalid index in {gather|scatter|scatterAdd}",
            certainty=Certainty.CERTAIN,
            weight=70,
        ),
        TorchMessage(
            "Class values must be smaller than num_classes.",
            versions="1.1 and later",
            shows="Class values must be {smaller than num_classes|non-negative}",
            weight=60,
        ),
        TorchMessage(
            "Class values must be non-negative.",
            versions="1.1 and later",
            shows="Class values must be non-negative",
            weight=70,
            needs="no labels",
        ),
        TorchMessage(
            "index out of bounds: 0 <= tmp21 < 5L",
            versions="2.0 and later, compiled",
            shows="index out of bounds: 0 <= {} <",
            certainty=Certainty.POSSIBLE,
            because="compiled code names its own variable, not yours",
        ),
        TorchMessage(
            "Assertion `index out of bounds` failed",
            devices="CUDA",
            shows="Assertion {}index out of bounds",
            certainty=Certainty.POSSIBLE,
        ),
        TorchMessage(
            "Padding_idx must be within num_embeddings", shows="Padding_idx must be within num_embeddings", weight=60
        ),
        TorchMessage(
            "offsets[-1] can not be greater than input's length 3 but got offsets[-1] of 9",
            devices="CPU",
            shows="offsets[-1] can not be greater than inputs length",
            weight=60,
        ),
        TorchMessage(
            ("offsets[0] has to be 0, i.e., the first sequence in the mini-batch has to start from position 0."),
            devices="CPU",
            shows="offsets[0] has to be 0",
            weight=60,
        ),
        TorchMessage(
            "IndexError                 Traceback (most recent call last)",
            shows="IndexError Traceback (most recent call last)",
            certainty=Certainty.POSSIBLE,
            weight=10,
            because="the message is cut off; an IndexError of torch is an index out of range more often than not",
        ),
        TorchMessage(
            "CUDA error: device-side assert triggered",
            devices="CUDA",
            shows="device-side assert triggered",
            certainty=Certainty.POSSIBLE,
            weight=45,
            needs="index hint",
        ),
        TorchMessage(
            "CUDA error: device-side assert triggered",
            devices="CUDA",
            shows="device-side assert triggered",
            certainty=Certainty.POSSIBLE,
            weight=30,
            needs="no assert",
        ),
        TorchMessage("index out of range", shows="index out of range", certainty=Certainty.POSSIBLE, weight=25),
        TorchMessage(
            "CUDA error: CUBLAS_STATUS_ALLOC_FAILED when calling `cublasCreate(handle)`",
            devices="CUDA",
            shows="CUBLAS_STATUS_{ALLOC_FAILED|NOT_INITIALIZED|EXECUTION_FAILED|INTERNAL_ERROR}",
            certainty=Certainty.POSSIBLE,
            weight=30,
            needs="no assert",
            because="an embedding id out of range fails just before the first linear layer asks for cuBLAS",
        ),
        TorchMessage(
            "cublas runtime error : resource allocation failed",
            devices="CUDA",
            versions="1.4 and before",
            shows="cublas runtime error :",
            certainty=Certainty.POSSIBLE,
            weight=30,
            needs="no assert",
        ),
        TorchMessage(
            "CUDA error: unspecified launch failure",
            devices="CUDA",
            shows="unspecified launch failure",
            certainty=Certainty.POSSIBLE,
            weight=25,
            needs="no assert",
        ),
        TorchMessage(
            "CUDA error: an illegal memory access was encountered",
            devices="CUDA",
            shows="an illegal memory access was encountered",
            certainty=Certainty.POSSIBLE,
            weight=25,
            needs="no assert",
        ),
    )
    verify = "print(index.min(), index.max(), table.shape)"
    remedies_for = frozenset({"embedding", "embedding_bag"})
    remedies = (
        changes_values(
            "of an embedding: a table as large as the largest index asks for", "nn.Embedding(int(ids.max()) + 1, width)"
        ),
        changes_values(
            "of positions: cut what is longer than the model has them for",
            "tokenizer(text, truncation=True, max_length=512)",
        ),
    )
    examples = (
        breaks("F.embedding", "torch.tensor([1, 5]), torch.randn(5, 3)", "raises IndexError"),
        breaks("torch.gather", "torch.randn(2, 3), 1, torch.tensor([[0], [-1]])", "raises RuntimeError"),
        breaks("F.one_hot", "torch.tensor([1, 7]), 5", "raises RuntimeError"),
        breaks("torch.take_along_dim", "torch.randn(2, 3), torch.tensor([[0], [7]]), 1", "silent"),
        breaks("torch.Tensor.__getitem__", "torch.randn(3), torch.tensor([0, 3])", "raises IndexError"),
        breaks("F.embedding_bag", "torch.tensor([[1, 5]]), torch.randn(5, 3)", "raises RuntimeError"),
        breaks("torch.index_select", "torch.randn(3), 0, torch.tensor([3])", "raises IndexError"),
        breaks("torch.scatter", "torch.zeros(1, 3), 1, torch.tensor([[3]]), 1.0", "raises RuntimeError"),
        breaks("torch.scatter_add", "torch.zeros(3), 0, torch.tensor([3]), torch.ones(1)", "raises RuntimeError"),
        breaks(
            "torch.scatter_reduce",
            "torch.zeros(3), 0, torch.tensor([3]), torch.ones(1), 'sum'",
            "raises RuntimeError",
        ),
        breaks("torch.index_add", "torch.zeros(3), 0, torch.tensor([3]), torch.ones(1)", "raises IndexError"),
        breaks("torch.index_copy", "torch.zeros(3), 0, torch.tensor([3]), torch.ones(1)", "raises IndexError"),
        breaks("torch.index_fill", "torch.zeros(3), 0, torch.tensor([3]), 1.0", "raises IndexError"),
        breaks("torch.index_put", "torch.zeros(3), (torch.tensor([3]),), torch.ones(1)", "raises IndexError"),
        breaks("torch.take", "torch.randn(3), torch.tensor([3])", "raises IndexError"),
        passes("F.embedding", "torch.tensor([1, 4]), torch.randn(5, 3)"),
        passes("torch.Tensor.__getitem__", "torch.randn(3), torch.tensor([0, -1])"),
    )

    def look(self, case: Case) -> Answer:
        """Broken when an index is out of bounds."""
        found: list[Finding] = []
        for part in case.meaning(Meaning.INDICES):
            if part.facts.dtype in {"bool", "uint8"} and part.spec.plain_values:
                continue
            if part.facts.out_of_bounds is None:
                return CANNOT_TELL
            if part.facts.out_of_bounds:
                found.append(self._describe(case, part, part.facts.out_of_bounds))
        return found or HOLDS

    def _describe(self, case: Case, part: Part, number: int) -> Finding:
        facts, bounds = part.facts, part.facts.bounds
        values = [*(facts.below_values or {}), *(facts.above_values or {})]
        shown = ", ".join(f"{value:g}" if isinstance(value, float) else str(value) for value in values[:6])
        span = f"from {bounds.least} to {bounds.limit - 1}" if bounds and bounds.limit < 2**62 else "from 0 on"
        return self.finding(
            case,
            part,
            f"{case.loss} needs indices {span}; {count(number, 'index', 'indices')} of {facts.count:,} in "
            f"{part.name} {'is' if number == 1 else 'are'} outside: {shown}",
            severity=Severity.ERROR if case.is_enforced(part, "bounds") else Severity.WARNING,
            certainty=Certainty.CERTAIN,
            cause=_cause(part),
            fixes=_fixes(part),
            samples=True,
            outside=values,
        )


def _fixes(part: Part) -> list[Fix]:
    """One more row for the largest index, where nothing else is wrong and the call says how many there are."""
    facts = part.facts
    if facts.below or facts.largest is None:
        return []
    largest = int(facts.largest)
    if facts.bounds is not None and facts.bounds.setting:
        title = f"make room for {largest}"
        return [changes_values(title, f"{facts.bounds.setting}={largest + 1}", "only if all these are meant")]
    return [changes_values(f"make room for index {largest}", reason="only if all these are meant")]


def _cause(part: Part) -> str:
    facts, bounds = part.facts, part.facts.bounds
    if bounds is None:
        return ""
    if facts.below and set(facts.below_values or ()) <= {-1, -100}:
        return "a mark for padding or a missing value is used as an index"
    if facts.above and not facts.below and facts.largest == bounds.limit:
        return f"the largest index is {facts.largest}: indices that count from 1, or a table one row short"
    return ""
