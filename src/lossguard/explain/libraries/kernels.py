"""What torch's own kernels and compilers say under a loss that frames or code name. A row a text."""

from __future__ import annotations

from typing import Final

from lossguard.explain.causes import (
    ARGUMENT,
    AXIS,
    BATCH,
    BROADCAST,
    CTC_LABEL,
    CTC_LENGTHS,
    DEVICE,
    DTYPES,
    FLOAT,
    FRACTIONS,
    HALF,
    INDEX_DTYPE,
    INPUT_NO_TENSOR,
    NAN_INPUT,
    NARROW,
    NO_TENSOR,
    ONE_HOT,
    RANGE,
    REAL,
    SENTINEL,
    SHAPE,
    WEIGHT,
    WHOLE_INPUT,
)
from lossguard.explain.libraries.text import POSSIBLE, Text

TEXTS: Final[tuple[Text, ...]] = (
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
    Text(
        "torch on XLA",
        "Size of broadcast_dimensions has to match operands rank",
        ((ONE_HOT, 55), (SHAPE, 50)),
        "",
        "speaks of a loss",
    ),
    Text(
        "torch on XLA",
        "Input dimension should be either 1 or equal to the output dimension",
        ((SHAPE, 55), (WEIGHT, 50)),
        "input.shape, target.shape and weight.shape: one weight for each class, one label for each row",
        "speaks of a loss",
    ),
    Text(
        "torch on XLA",
        "with incompatible shapes: {} and",
        ((SHAPE, 50), (BROADCAST, 35)),
        "",
        "speaks of a loss",
        POSSIBLE,
    ),
    # What losses of sequences say of their arguments
    Text("torch", "targets must be integral", ((FLOAT, 70), (FRACTIONS, 30))),
    Text("torch", "log_probs tensor must not be empty", ((SHAPE, 60), (CTC_LENGTHS, 55))),
    Text(
        "torch",
        (
            "for argument #2 targets to have scalar type {} but got "
            "{?torch.}{?cuda.}{?CUDA}{?CPU}{?MPS}{target_dtype:float}"
        ),
        ((FLOAT, 60),),
    ),
    Text(
        "torch",
        (
            "for argument #2 targets to have scalar type {} but got "
            "{?torch.}{?cuda.}{?CUDA}{?CPU}{?MPS}{target_dtype:whole}"
        ),
        ((NARROW, 60),),
        "targets.long(), or .int() for cuDNN",
    ),
    Text(
        "torch",
        "-dimensional tensor, but got {n:number}-dimensional tensor for argument #1 log_probs",
        ((AXIS, 65), (SHAPE, 60)),
        "log_probs is (T, N, C): time first, then batch, then classes",
    ),
    Text(
        "torch",
        (
            "-dimensional tensor, but got {n:number}-dimensional tensor for argument #{m:number} "
            "{targets|input_lengths|target_lengths}"
        ),
        ((CTC_LENGTHS, 65), (SHAPE, 60)),
    ),
    Text(
        "torch",
        "ctc_loss() received an invalid combination of arguments",
        ((NO_TENSOR, 65), (CTC_LENGTHS, 50)),
        "targets is a tensor; both lengths are tensors or tuples of whole numbers",
    ),
    Text(
        "cuDNN",
        "CUDNN_STATUS_{word}",
        ((CTC_LENGTHS, 60), (CTC_LABEL, 55)),
        (
            "int32 targets on the CPU without a 0 make cuDNN compute the loss; with torch.backends.cudnn.enabled = "
            "False torch does, and says what is wrong"
        ),
        "ctc call",
        POSSIBLE,
    ),
    Text(
        "torch",
        "{?Cudnn}CtcLossBackward{word} returned nan values",
        ((CTC_LENGTHS, 60), (NAN_INPUT, 50)),
        "",
        "",
        POSSIBLE,
    ),
    # What an argument of the wrong kind makes Python or torch say
    Text("torch", "Negation, the - operator, on a bool tensor is not supported", ((REAL, 60),), "", "a loss"),
    Text(
        "torch",
        "one_hot(): argument {input|tensor|self} (position 1) must be Tensor, not",
        ((NO_TENSOR, 50), (INPUT_NO_TENSOR, 45)),
        "torch.as_tensor(labels)",
    ),
    Text(
        "torch",
        "the derivative for target is not implemented",
        ((ARGUMENT, 50),),
        "the arguments are swapped, or the target has a gradient: loss_fn(output, target.detach())",
    ),
    Text(
        "torch",
        "embedding{kernel} not implemented for {index_dtype:float}",
        ((INDEX_DTYPE, 70),),
        "ids.long()",
        "",
        POSSIBLE,
    ),
    Text("torch", "Assertion {input.size() == target.size()|input.sizes() == target.sizes()}", ((SHAPE, 60),)),
    Text(
        "torch",
        "Assertion {THTensor_(nElement)|THCTensor_(nElement)|THTensor|THIndexTensor}{}target",
        ((SHAPE, 50), (BATCH, 45)),
        "",
        "",
        POSSIBLE,
    ),
    Text("torch", "Assertion {class_idx|label|labels|class_index|target}{} >= 0", ((RANGE, 65), (SENTINEL, 45))),
    Text("torch", "Expected a value of type Tensor for argument target but instead found type", ((NO_TENSOR, 80),)),
    Text(
        "torch",
        "Expected a value of type Tensor{}for argument input but instead found type",
        ((INPUT_NO_TENSOR, 80),),
        "",
        "a loss",
    ),
)
