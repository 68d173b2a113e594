"""What torch's own kernels and compilers say under a loss that frames or code name. A row a text."""

from __future__ import annotations

from typing import Final

from lossguard.explain.causes import (
    ARGUMENT,
    BATCH,
    BROADCAST,
    DEVICE,
    DTYPES,
    HALF,
    NO_TENSOR,
    REAL,
    SHAPE,
    WEIGHT,
    WHOLE_INPUT,
)
from lossguard.explain.libraries.text import POSSIBLE, Text

KERNELS: Final[tuple[Text, ...]] = (
    # Kernels under a loss: the loss is named by the frames, the dtype by the words
    Text(
        "torch",
        "{name:word} {?is }not implemented for {?type }{?torch.}{?cuda.}{input_dtype:whole}",
        ((REAL, 42), (WHOLE_INPUT, 40)),
        "",
        "real loss",
        POSSIBLE,
    ),
    Text(
        "torch",
        "{name:word} {?is }not implemented for {?type }{?torch.}{?cuda.}{input_dtype:whole}",
        ((WHOLE_INPUT, 45),),
        "",
        "class loss",
        POSSIBLE,
    ),
    Text(
        "torch",
        "not supported on {word} for {input_dtype:whole}",
        ((REAL, 45), (WHOLE_INPUT, 40)),
        "",
        "real loss",
        POSSIBLE,
    ),
    Text("torch", "not supported on {word} for {input_dtype:whole}", ((WHOLE_INPUT, 45),), "", "class loss", POSSIBLE),
    Text("torch", "not supported on {word} for {input_dtype:half}", ((HALF, 60),), "", "a loss"),
    Text(
        "torch",
        "argument {weight|pos_weight} (position {n:number}) must be Tensor, not",
        ((ARGUMENT, 60), (NO_TENSOR, 50)),
        "torch.as_tensor(weight, dtype=torch.float32)",
    ),
    Text("torch", "to have the same size apart from dimension {n:number}", ((SHAPE, 60), (BATCH, 40))),
    Text(
        "torch",
        "expected scalar type {input_dtype:float} but found {target_dtype:whole}",
        ((REAL, 55), (DTYPES, 40)),
        "",
        "real loss",
    ),
    Text(
        "torch",
        "{name:word} {?is }not implemented for {?type }{?torch.}{?cuda.}{input_dtype:whole}",
        ((WHOLE_INPUT, 38), (REAL, 36)),
        "",
        "loss nearby",
        POSSIBLE,
    ),
    Text(
        "torch",
        "Tensor for argument {name:word} is on {first_device} but expected on {second_device}",
        ((DEVICE, 60),),
        "",
        "loss nearby",
    ),
    Text("torch", "binary_cross_entropy not implemented for {input_dtype:whole}", ((WHOLE_INPUT, 55), (REAL, 45))),
    Text("torch", "not implemented for {input_dtype:half}", ((HALF, 40),), "", "a loss", POSSIBLE),
    Text(
        "torch on Metal",
        "op requires the same element type for all operands",
        ((DTYPES, 50), (REAL, 45)),
        "",
        "nothing else",
        POSSIBLE,
    ),
    Text(
        "torch on Metal",
        "input types {} are not broadcast compatible",
        ((SHAPE, 45), (BROADCAST, 35)),
        "",
        "loss or labels",
        POSSIBLE,
    ),
    Text(
        "torch on Metal",
        "does not support input type {input_dtype} in mps backend",
        ((REAL, 45), (WHOLE_INPUT, 40)),
        "",
        "torch loss",
        POSSIBLE,
    ),
    Text(
        "torch on Metal",
        "Cannot convert a MPS Tensor to float64",
        ((DTYPES, 60),),
        "build it as float32: torch.tensor(x, dtype=torch.float32)",
        "loss or labels",
    ),
    Text(
        "torch on XLA",
        "dimensions of operands to broadcast must",
        ((SHAPE, 50), (WEIGHT, 30)),
        "",
        "loss or labels",
        POSSIBLE,
    ),
)
