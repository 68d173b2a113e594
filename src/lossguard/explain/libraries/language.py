"""What libraries for text, speech and graphs say. A row a text."""

from __future__ import annotations

from typing import Final

from lossguard.explain.causes import (
    ARGUMENT,
    BATCH,
    CTC_LABEL,
    CTC_LENGTHS,
    CTC_NOT_FINITE,
    FLOAT,
    HALF,
    INDEX,
    INDEX_DTYPE,
    NAN_INPUT,
    NAN_TARGET,
    NARROW,
    NO_TENSOR,
    NOT_FINITE,
    ONE_HOT,
    RANGE,
    SHAPE,
)
from lossguard.explain.libraries.text import POSSIBLE, Text

_EDGES: Final = (
    "assert data.edge_index.max() < data.num_nodes: number the nodes of each graph 0, 1, 2, ... without gaps"
)
_RECIPE: Final = "output_neurons and the tokenizer's size, and that no text is longer than its frames"

LANGUAGE: Final[tuple[Text, ...]] = (
    # Text and speech
    Text(
        "transformers",
        (
            "Token indices sequence length is longer than the specified maximum sequence length "
            "for this model({index_value} > {size})"
        ),
        ((INDEX, 80),),
        "tokenizer(..., truncation=True, max_length=...): the position table has no more rows",
        warns=True,
    ),
    Text(
        "transformers",
        "Label values must be <= vocab_size",
        ((CTC_LABEL, 75), (RANGE, 60)),
        "vocab_size=len(processor.tokenizer)",
    ),
    Text(
        "transformers",
        "number of labels should be {greater than one|>=0}",
        ((ARGUMENT, 50), (SHAPE, 40)),
        "num_labels of the config",
    ),
    Text(
        "transformers",
        "Token ID {index_value} out of range",
        ((INDEX, 70),),
        "model.resize_token_embeddings(len(tokenizer))",
    ),
    Text(
        "simpletransformers",
        "shape [-1, {n:number}] is invalid for input of size",
        ((SHAPE, 50), (ONE_HOT, 35)),
        "with several labels for a text, the column holds a list of num_labels zeros and ones",
        "labels of a model",
        POSSIBLE,
    ),
    Text("sentence-transformers", "expects a model with 1 output label", ((SHAPE, 60),), "num_labels=1"),
    Text(
        "sentence-transformers", "expects {?labels to be }a list of {labels|per-query}", ((NO_TENSOR, 50), (SHAPE, 45))
    ),
    Text("sentence-transformers", "does not match number of labels per query", ((BATCH, 60), (SHAPE, 50))),
    Text(
        "fairseq",
        "Minimum loss scale reached",
        ((HALF, 60), (NAN_INPUT, 50), (NAN_TARGET, 30)),
        "one run with --fp16 off: if it is still not finite, it is the data",
        "",
        POSSIBLE,
    ),
    Text("fairseq", "Logits and Targets tensor shapes dont match", ((SHAPE, 60), (BATCH, 50))),
    Text("fairseq", "gradients are Nan/Inf", NOT_FINITE, "", "", POSSIBLE),
    Text(
        "apex",
        "Gradient overflow. Skipping step",
        ((HALF, 60), (NAN_INPUT, 50)),
        "some skipped steps are normal; if all are, compute the loss in float32",
        "",
        POSSIBLE,
        warns=True,
    ),
    Text(
        "DeepSpeed",
        "Current loss scale already at minimum",
        ((HALF, 60), (NAN_INPUT, 50), (NAN_TARGET, 30)),
        "",
        "",
        POSSIBLE,
    ),
    Text("ESPnet", "got nan grad", ((CTC_LENGTHS, 70), (NAN_INPUT, 50), (CTC_LABEL, 40)), "", "", POSSIBLE),
    Text("ESPnet", "Target has blank tokens", ((CTC_LABEL, 80),)),
    Text("ESPnet", "The grad norm is nan", NOT_FINITE, "", "", POSSIBLE, warns=True),
    Text("SpeechBrain", "Loss is not finite and patience is exhausted", CTC_NOT_FINITE, _RECIPE, "ctc", POSSIBLE),
    Text("SpeechBrain", "Loss is not finite and patience is exhausted", NOT_FINITE, "", "", POSSIBLE),
    Text("SpeechBrain", "Predictions and targets should be same length", ((SHAPE, 70), (BATCH, 30))),
    Text(
        "NeMo, torchaudio",
        "{input|output|target} length mismatch",
        ((CTC_LENGTHS, 70),),
        "lengths in frames after the encoder; target lengths without padding",
    ),
    Text("NeMo, torchaudio", "Must have a {?label }length per example", ((CTC_LENGTHS, 70), (BATCH, 40))),
    Text(
        "torchaudio",
        "must be int32 type",
        ((NARROW, 40), (FLOAT, 40)),
        "rnnt_loss wants int32: .int()",
        "ctc",
        POSSIBLE,
    ),
    Text("warp-ctc", "warp_ctc{}invalid", ((CTC_LABEL, 60), (CTC_LENGTHS, 55)), "", "", POSSIBLE),
    # Graphs
    Text(
        "PyG", "Found indices in edge_index that are larger than {n:number}(got {index_value})", ((INDEX, 90),), _EDGES
    ),
    Text("PyG", "Found negative indices in edge_index(got {index_value})", ((INDEX, 90),), _EDGES),
    Text("PyG", "all indices in edge_index point to valid indices", ((INDEX, 90),), _EDGES),
    Text("PyG", "edge_index contains {larger|negative} indices", ((INDEX, 90),), _EDGES),
    Text("PyG", "EdgeIndex contains {larger|negative} indices", ((INDEX, 90),), _EDGES),
    Text(
        "PyG", "Expected edge_index to be of integer type(got {index_kind})", ((INDEX_DTYPE, 90),), "edge_index.long()"
    ),
    Text("PyG", "EdgeIndex holds an unsupported data type", ((INDEX_DTYPE, 90),), "edge_index.long()"),
    Text(
        "PyG",
        "propagate only supports integer tensors of shape [2, num_messages]",
        ((INDEX_DTYPE, 70), (SHAPE, 40)),
        "edge_index.long(), (2, edges)",
    ),
    Text("DGL", "is out of the range [0:", ((INDEX, 80),), "node and edge ids against num_nodes() and num_edges()"),
)
