"""What other libraries say before torch does, and what torch's kernels say under a loss. One table, a row a text."""

from __future__ import annotations

from typing import Final

from lossguard.findings import Certainty
from lossguard.records import dataclass

RANGE: Final = "values.class_index_out_of_range"
SENTINEL: Final = "values.undeclared_ignore_index"
IGNORED: Final = "values.every_target_ignored"
INDEX: Final = "values.index_out_of_range"
NAN_INPUT: Final = "values.non_finite_input"
NAN_TARGET: Final = "values.non_finite_target"
UNIT_TARGET: Final = "values.target_outside_unit_interval"
UNIT_INPUT: Final = "values.input_outside_unit_interval"
CTC_LABEL: Final = "values.ctc_label_out_of_range"
FRACTIONS: Final = "values.fractional_class_target"
FLOAT: Final = "dtypes.float_class_target"
NARROW: Final = "dtypes.narrow_integer_class_target"
REAL: Final = "dtypes.integer_target_for_real_loss"
DTYPES: Final = "dtypes.dtype_disagreement"
WHOLE_INPUT: Final = "dtypes.integer_input"
HALF: Final = "dtypes.half_precision_unsupported"
INDEX_DTYPE: Final = "dtypes.wrong_index_dtype"
COLUMN: Final = "shapes.column_target"
ONE_HOT: Final = "shapes.one_hot_target"
BATCH: Final = "shapes.batch_size_mismatch"
AXIS: Final = "shapes.class_axis_misplaced"
SHAPE: Final = "shapes.target_shape_mismatch"
WEIGHT: Final = "shapes.weight_length_mismatch"
CTC_LENGTHS: Final = "shapes.ctc_lengths_mismatch"
DEVICE: Final = "calls.device_mismatch"
NO_TENSOR: Final = "calls.target_not_a_tensor"
INPUT_NO_TENSOR: Final = "calls.input_not_a_tensor"
ARGUMENT: Final = "calls.unsound_loss_argument"
BROADCAST: Final = "shapes.silent_broadcast"

Causes = tuple[tuple[str, int], ...]
#: What a loss that is not finite has been given, when nothing more is said.
NOT_FINITE: Final[Causes] = ((NAN_INPUT, 50), (NAN_TARGET, 40), (HALF, 25))
CTC_NOT_FINITE: Final[Causes] = ((CTC_LENGTHS, 60), (CTC_LABEL, 50), (NAN_INPUT, 45))
MASKS: Final[Causes] = ((SHAPE, 60), (ONE_HOT, 40), (COLUMN, 35))


@dataclass(frozen=True, slots=True)
class Text:
    """A text of a library, the faults that it may mean, and what to look at there."""

    library: str
    #: A template, in the grammar of `rules.saying`.
    shows: str
    #: Modules of rules, and how often each is the fault when these words are said.
    causes: Causes
    look: str = ""
    #: What else the text must show, as for a saying of torch.
    needs: str = ""
    certainty: Certainty = Certainty.LIKELY
    warns: bool = False


_POSSIBLE: Final = Certainty.POSSIBLE
_YOLO: Final = (
    "nc and names in the data's yaml against the first column of the label files; delete the .cache file after"
)
_EDGES: Final = (
    "assert data.edge_index.max() < data.num_nodes: number the nodes of each graph 0, 1, 2, ... without gaps"
)
_ONE_HOT_Y: Final = (
    "DiceLoss(to_onehot_y=True) takes indices with one channel, (N, 1, ...); without it, give one-hot masks"
)
_TASK: Final = "the metric's num_classes, task and ignore_index against the labels that are there"
_HEAD: Final = (
    "num_classes of every head in the config against the dataset's classes; background is not counted in mmdet"
)
_RECIPE: Final = "output_neurons and the tokenizer's size, and that no text is longer than its frames"

TEXTS: Final[tuple[Text, ...]] = (
    # Detection and segmentation
    Text("Ultralytics", "Label class {target_value} exceeds nc={classes}", ((RANGE, 80),), _YOLO),
    Text("Ultralytics", "Label class {target_value} exceeds dataset class count {classes}", ((RANGE, 80),), _YOLO),
    Text("Ultralytics", "negative {label|class} {values|labels}", ((RANGE, 60), (SENTINEL, 40)), _YOLO),
    Text("Ultralytics", "names length {n:number} and nc: {m:number} must match", ((RANGE, 60),), _YOLO),
    Text("Ultralytics", "target classes exceed model classes", ((RANGE, 70),), _YOLO),
    Text(
        "Ultralytics", "labels require 5 columns", ((SHAPE, 60),), "each line of a label file: class x y width height"
    ),
    Text(
        "mmdetection",
        "num_classes({n:number}) in {} does not {matches|match} the length of classes",
        ((RANGE, 70), (SHAPE, 30)),
        _HEAD,
    ),
    Text("mmsegmentation", "Only pred shape [N, C", ((SHAPE, 60), (COLUMN, 45), (ONE_HOT, 40)), _HEAD),
    Text("mmsegmentation", "its label must have at most 2 classes", ((RANGE, 70), (SENTINEL, 50)), _HEAD),
    Text("mmsegmentation", "is not a subset of classes", ((RANGE, 40),), _HEAD, certainty=_POSSIBLE),
    Text("mmsegmentation", "out_channels should be equal to num_classes", ((RANGE, 50), (SHAPE, 40)), _HEAD),
    Text("mmsegmentation", "The shape of pred doesnt match the shape of target", MASKS, _HEAD),
    Text(
        "mmcv",
        "{sigmoid|softmax}{?_}focal{?_}loss_{word} not implemented for {input_dtype:half}",
        ((HALF, 80),),
        "cast the logits with .float() before the focal loss, or take fp16 off for the head",
    ),
    Text("mmcv", "isinstance(target,(torch.LongTensor, torch.cuda.LongTensor))", ((FLOAT, 60), (NARROW, 50))),
    Text(
        "nnU-Net",
        "Unexpected labels found in file",
        ((RANGE, 70), (SENTINEL, 45)),
        (
            "labels in dataset.json against np.unique of the named file: consecutive whole "
            "numbers from 0, nothing interpolated"
        ),
    ),
    Text("nnU-Net", "Some segmentation images contained unexpected labels", ((RANGE, 70), (SENTINEL, 45))),
    Text("nnU-Net", "Labels must be in consecutive order", ((RANGE, 70),), "labels in dataset.json: 0, 1, 2, ..."),
    Text("nnU-Net", "Background label {must be 0|not declared}", ((RANGE, 50),), 'dataset.json: "background": 0'),
    Text("nnU-Net", "ignore label it must have the highest label value", ((SENTINEL, 70), (ARGUMENT, 40))),
    Text(
        "detectron2",
        "Got an invalid category_id={target_value}",
        ((RANGE, 80),),
        "category_id of the dataset's dicts: 0 to MODEL.ROI_HEADS.NUM_CLASSES - 1",
    ),
    Text("detectron2", "fed_loss_cls_weights. Their size should match num_classes", ((WEIGHT, 70),)),
    Text(
        "detectron2", "Loss became infinite or NaN", NOT_FINITE, "SOLVER.BASE_LR, and boxes without area", "", _POSSIBLE
    ),
    Text("detectron2", "Predicted boxes or scores contain Inf/NaN", NOT_FINITE, "SOLVER.BASE_LR", "", _POSSIBLE),
    Text("mmengine", "loss become infinite or NaN", NOT_FINITE, "", "", _POSSIBLE),
    Text("torchvision", "target labels must of int64 type, instead got", ((NARROW, 70), (FLOAT, 60))),
    Text("torchvision", "target {boxes|keypoints} must of float type", ((REAL, 70), (DTYPES, 40))),
    Text("torchvision", "Expected target boxes to be of type Tensor", ((NO_TENSOR, 80),)),
    Text("torchvision", "Expected target boxes to be a tensor of shape [N, 4]", ((SHAPE, 80),)),
    Text("torchvision", "targets should not be None", ((NO_TENSOR, 70),)),
    # Medical images
    Text(
        "MONAI", "ground truth has {different|differing} shape", ((SHAPE, 60), (ONE_HOT, 50), (COLUMN, 40)), _ONE_HOT_Y
    ),
    Text("MONAI", "labels should have a channel with length equal to one", ((ONE_HOT, 60), (SHAPE, 55)), _ONE_HOT_Y),
    Text(
        "MONAI",
        "y_pred and y should have same shapes",
        ((SHAPE, 60), (ONE_HOT, 50)),
        "AsDiscrete(to_onehot=...) on both",
    ),
    Text(
        "MONAI",
        "the number of dimensions for input and target should be the same",
        ((SHAPE, 60), (COLUMN, 40)),
        _ONE_HOT_Y,
    ),
    Text("MONAI", "number of channels for target is neither 1", ((SHAPE, 60), (ONE_HOT, 50)), _ONE_HOT_Y),
    Text("MONAI", "the length of the weight sequence should be the same as the number of classes", ((WEIGHT, 80),)),
    Text("MONAI", "y values must be 0 or 1", ((RANGE, 50), (UNIT_TARGET, 50))),
    Text(
        "MONAI",
        "single channel prediction, {softmax|to_onehot_y|include_background}",
        ((SHAPE, 40),),
        "",
        "",
        _POSSIBLE,
        warns=True,
    ),
    Text("kornia", "weight shape must be(num_of_classes,)", ((WEIGHT, 80),)),
    Text("kornia", "labels must be of {?the same }dtype torch.int64", ((FLOAT, 60), (NARROW, 55), (INDEX_DTYPE, 30))),
    Text("kornia", "Expect long type target value in range", ((RANGE, 60), (FLOAT, 40))),
    Text(
        "smp",
        "output shape is not equal to target shape",
        MASKS,
        "the mode of the loss: multiclass masks have no channel",
    ),
    Text("smp", "Target should be one of the integer types", ((FLOAT, 70), (FRACTIONS, 30))),
    Text("smp", "should be outside the class values range", ((ARGUMENT, 70), (SENTINEL, 40))),
    # Metrics
    Text(
        "torchmetrics",
        "Detected the following values in target",
        ((RANGE, 70), (SENTINEL, 45), (UNIT_TARGET, 40)),
        _TASK,
    ),
    Text("torchmetrics", "Detected the following values in preds", ((UNIT_INPUT, 50), (RANGE, 45)), _TASK),
    Text("torchmetrics", "Detected more unique values in", ((RANGE, 70), (SENTINEL, 45)), _TASK),
    Text("torchmetrics", "The highest label in target should be smaller than", ((RANGE, 70),), _TASK),
    Text("torchmetrics", "target has to be a non-negative tensor", ((RANGE, 60), (SENTINEL, 55)), _TASK),
    Text("torchmetrics", "target has to be an integer tensor", ((FLOAT, 70), (FRACTIONS, 40))),
    Text("torchmetrics", "target to be an int or long tensor", ((FLOAT, 70), (FRACTIONS, 40))),
    Text("torchmetrics", "preds should be probabilities, but values were detected outside", ((UNIT_INPUT, 70),)),
    Text(
        "torchmetrics", "Either preds and target both should have the(same) shape", ((SHAPE, 60), (ONE_HOT, 40)), _TASK
    ),
    Text("torchmetrics", "If preds have one dimension more than target", ((SHAPE, 60), (AXIS, 50), (RANGE, 40)), _TASK),
    Text("torchmetrics", "to be equal to the number of {labels|classes} but got", ((SHAPE, 60), (RANGE, 50)), _TASK),
    Text("torchmetrics", "preds and target {should have|must be of|are expected to have} the same shape", MASKS, _TASK),
    Text(
        "torchmetrics", "Predictions and targets are expected to have the same shape", ((SHAPE, 60), (BATCH, 40)), _TASK
    ),
    Text("ignite", "Infinite or NaN tensor found", NOT_FINITE, "", "", _POSSIBLE),
    Text("ignite", "TerminateOnNan: Output", NOT_FINITE, "", "", _POSSIBLE),
    Text("ignite", "For binary cases, y must be comprised of 0s and 1s", ((RANGE, 50), (UNIT_TARGET, 50))),
    Text(
        "ignite",
        "For binary cases, y_pred must be comprised of 0s and 1s",
        ((UNIT_INPUT, 60),),
        "round it in output_transform",
    ),
    Text("ignite", "y_pred contains {less|fewer} classes than", ((RANGE, 70),)),
    Text("ignite", "does not have correct number of classes", ((SHAPE, 60), (RANGE, 50))),
    # Keras on torch, fastai, Lightning, metric learning
    Text(
        "Keras",
        "target and output must have the same shape",
        ((SHAPE, 60), (ONE_HOT, 40), (BATCH, 30)),
        "sparse_categorical_crossentropy takes indices, categorical_crossentropy one-hot rows",
    ),
    Text(
        "Keras",
        "In loss categorical_crossentropy, expected y_pred.shape",
        ((SHAPE, 60), (ARGUMENT, 30)),
        "one output: binary_crossentropy",
    ),
    Text("fastai", "DiceLoss expects non one-hot targs", ((ONE_HOT, 80), (SHAPE, 40))),
    Text("Lightning", "The loss returned in {} is {nan|inf}", NOT_FINITE, "", "", _POSSIBLE),
    Text("Lightning", "Detected nan and/or inf values in", NOT_FINITE, "", "", _POSSIBLE),
    Text("Lightning", "{?=} {nan|inf} is not finite", NOT_FINITE, "", "", _POSSIBLE),
    Text("pytorch-metric-learning", "labels must be a 1D tensor", ((COLUMN, 60), (ONE_HOT, 50))),
    Text("pytorch-metric-learning", "Number of embeddings must equal number of labels", ((BATCH, 80),)),
    Text(
        "TabNet",
        "unkown targets from training",
        ((RANGE, 70),),
        "a class that the training part does not have: split by class",
    ),
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
        _POSSIBLE,
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
        _POSSIBLE,
    ),
    Text("fairseq", "Logits and Targets tensor shapes dont match", ((SHAPE, 60), (BATCH, 50))),
    Text("fairseq", "gradients are Nan/Inf", NOT_FINITE, "", "", _POSSIBLE),
    Text(
        "apex",
        "Gradient overflow. Skipping step",
        ((HALF, 60), (NAN_INPUT, 50)),
        "some skipped steps are normal; if all are, compute the loss in float32",
        "",
        _POSSIBLE,
        warns=True,
    ),
    Text(
        "DeepSpeed",
        "Current loss scale already at minimum",
        ((HALF, 60), (NAN_INPUT, 50), (NAN_TARGET, 30)),
        "",
        "",
        _POSSIBLE,
    ),
    Text("ESPnet", "got nan grad", ((CTC_LENGTHS, 70), (NAN_INPUT, 50), (CTC_LABEL, 40)), "", "", _POSSIBLE),
    Text("ESPnet", "Target has blank tokens", ((CTC_LABEL, 80),)),
    Text("ESPnet", "The grad norm is nan", NOT_FINITE, "", "", _POSSIBLE, warns=True),
    Text("SpeechBrain", "Loss is not finite and patience is exhausted", CTC_NOT_FINITE, _RECIPE, "ctc", _POSSIBLE),
    Text("SpeechBrain", "Loss is not finite and patience is exhausted", NOT_FINITE, "", "", _POSSIBLE),
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
        _POSSIBLE,
    ),
    Text("warp-ctc", "warp_ctc{}invalid", ((CTC_LABEL, 60), (CTC_LENGTHS, 55)), "", "", _POSSIBLE),
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
    # Kernels under a loss: the loss is named by the frames, the dtype by the words
    Text(
        "torch",
        "{name:word} {?is }not implemented for {?type }{?torch.}{?cuda.}{input_dtype:whole}",
        ((REAL, 42), (WHOLE_INPUT, 40)),
        "",
        "real loss",
        _POSSIBLE,
    ),
    Text(
        "torch",
        "{name:word} {?is }not implemented for {?type }{?torch.}{?cuda.}{input_dtype:whole}",
        ((WHOLE_INPUT, 45),),
        "",
        "class loss",
        _POSSIBLE,
    ),
    Text(
        "torch",
        "not supported on {word} for {input_dtype:whole}",
        ((REAL, 45), (WHOLE_INPUT, 40)),
        "",
        "real loss",
        _POSSIBLE,
    ),
    Text("torch", "not supported on {word} for {input_dtype:whole}", ((WHOLE_INPUT, 45),), "", "class loss", _POSSIBLE),
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
        _POSSIBLE,
    ),
    Text(
        "torch",
        "Tensor for argument {name:word} is on {first_device} but expected on {second_device}",
        ((DEVICE, 60),),
        "",
        "loss nearby",
    ),
    Text("torch", "binary_cross_entropy not implemented for {input_dtype:whole}", ((WHOLE_INPUT, 55), (REAL, 45))),
    Text("torch", "not implemented for {input_dtype:half}", ((HALF, 40),), "", "a loss", _POSSIBLE),
    Text(
        "torch on Metal",
        "op requires the same element type for all operands",
        ((DTYPES, 50), (REAL, 45)),
        "",
        "nothing else",
        _POSSIBLE,
    ),
    Text(
        "torch on Metal",
        "input types {} are not broadcast compatible",
        ((SHAPE, 45), (BROADCAST, 35)),
        "",
        "loss or labels",
        _POSSIBLE,
    ),
    Text(
        "torch on Metal",
        "does not support input type {input_dtype} in mps backend",
        ((REAL, 45), (WHOLE_INPUT, 40)),
        "",
        "torch loss",
        _POSSIBLE,
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
        _POSSIBLE,
    ),
)
