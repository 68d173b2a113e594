"""What metrics and training frameworks say. A row a text."""

from __future__ import annotations

from typing import Final

from lossguard.explain.causes import (
    ARGUMENT,
    AXIS,
    BATCH,
    COLUMN,
    DTYPES,
    FLOAT,
    FRACTIONS,
    HALF,
    LOGITS,
    MASKS,
    NAN_INPUT,
    NAN_TARGET,
    NO_TENSOR,
    NOT_FINITE,
    ONE_HOT,
    RANGE,
    SENTINEL,
    SHAPE,
    UNIT_INPUT,
    UNIT_TARGET,
    WEIGHT,
    WHOLE_INPUT,
)
from lossguard.explain.libraries.text import POSSIBLE, Text

_TASK: Final = "the metric's num_classes, task and ignore_index against the labels that are there"

TEXTS: Final[tuple[Text, ...]] = (
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
    Text("ignite", "Infinite or NaN tensor found", NOT_FINITE, "", "", POSSIBLE),
    Text("ignite", "TerminateOnNan: Output", NOT_FINITE, "", "", POSSIBLE),
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
    Text("Lightning", "The loss returned in {} is {nan|inf}", NOT_FINITE, "", "", POSSIBLE),
    Text("Lightning", "Detected nan and/or inf values in", NOT_FINITE, "", "", POSSIBLE),
    Text("Lightning", "{?=} {nan|inf} is not finite", NOT_FINITE, "", "", POSSIBLE),
    Text("pytorch-metric-learning", "labels must be a 1D tensor", ((COLUMN, 60), (ONE_HOT, 50))),
    Text("pytorch-metric-learning", "Number of embeddings must equal number of labels", ((BATCH, 80),)),
    Text(
        "TabNet",
        "unkown targets from training",
        ((RANGE, 70),),
        "a class that the training part does not have: split by class",
    ),
    Text(
        "Keras",
        "Arguments target and output must have the same rank",
        ((SHAPE, 60), (ONE_HOT, 45), (COLUMN, 40)),
        "sparse_categorical_crossentropy takes indices, categorical_crossentropy one-hot rows",
    ),
    Text(
        "Keras",
        "output must have rank (ndim) target.ndim",
        ((SHAPE, 60), (COLUMN, 45)),
        "sparse_categorical_crossentropy takes labels with one axis less than the output",
    ),
    Text(
        "Keras",
        "but the output argument was produced by a {Sigmoid|Softmax} activation",
        ((LOGITS, 80),),
        "from_logits=False, or no activation on the last layer",
        warns=True,
    ),
    Text(
        "Keras",
        "Logits y_pred are expected to be a tensor of shape",
        ((AXIS, 60), (SHAPE, 55)),
        "(batch, time, classes)",
    ),
    Text(
        "Keras",
        "In loss categorical_focal_crossentropy, expected y_pred.shape",
        ((SHAPE, 60), (ARGUMENT, 30)),
        "one output: binary_focal_crossentropy",
    ),
    Text("Keras", "Data and targets have to be of same length", ((BATCH, 70),)),
    Text(
        "Keras", "expects 2D inputs with shape(batch_size, output_dim)", ((SHAPE, 60), (COLUMN, 45)), "", "", POSSIBLE
    ),
    Text(
        "fastai",
        "Label{?s} {} {was|were} not included in the training dataset",
        ((RANGE, 60),),
        "a class that is in the validation part only: split by class, or give vocab=",
        certainty=POSSIBLE,
    ),
    Text(
        "fastai",
        "Couldnt infer the number of classes",
        ((RANGE, 45),),
        "c= of DataLoaders, or a CategoryBlock for y",
        certainty=POSSIBLE,
        warns=True,
    ),
    Text("ignite", "Incoherent types between input", ((DTYPES, 55),), "", "", POSSIBLE),
    Text("ignite", "Input data number of classes has changed from", ((SHAPE, 60), (RANGE, 50))),
    Text("ignite", "y_pred must {?at least }have shape {?of }(batch_size, num_classes", ((SHAPE, 60), (AXIS, 50))),
    Text("ignite", "y must {?at least }have shape of (batch_size", ((SHAPE, 60), (ONE_HOT, 50))),
    Text("ignite", "Invalid shapes of y", MASKS),
    Text("ignite", "Expected y_pred to be 3D(N, S, C) and y to be 2D", ((SHAPE, 60), (AXIS, 55))),
    Text(
        "torchmetrics",
        "Expected the shape of preds should be(N, C, ...) and the shape of target should be(N, ...)",
        ((SHAPE, 60), (AXIS, 50), (ONE_HOT, 40)),
        _TASK,
    ),
    Text(
        "torchmetrics",
        "Expected {?argument }preds {?tensor }to be {?a }float",
        ((WHOLE_INPUT, 60),),
        "scores, not predicted classes",
    ),
    Text("torchmetrics", "Expected 1D labels, got", ((ONE_HOT, 55), (COLUMN, 55), (SHAPE, 50))),
    Text("torchmetrics", "Encountered nan values in tensor", NOT_FINITE, "", "", POSSIBLE),
    Text(
        "torchmetrics", "is expected to have 3 dimensions, [batch_size, seq_len, vocab_size]", ((SHAPE, 60), (AXIS, 50))
    ),
    Text("torchmetrics", "match the second dimension of input, but got", ((SHAPE, 60),), "num_outputs"),
    Text("TabNet", "Targets should be 2D", ((SHAPE, 60),), "y.reshape(-1, 1) for a single regression"),
    Text(
        "TabNet",
        "Given labels are of size {} while they should be",
        ((ONE_HOT, 60), (COLUMN, 50)),
        "y.argmax(1); TabNetMultiTaskClassifier for several labels",
    ),
    Text(
        "TabNet",
        "Values on the target must have the same type",
        ((NO_TENSOR, 45), (FLOAT, 40)),
        "one type in y: a missing value makes it float",
        certainty=POSSIBLE,
    ),
    Text(
        "pytorch-widedeep",
        "multiclass classification problem but the size of the output layer is set to 1",
        ((SHAPE, 60), (RANGE, 60)),
        "pred_dim=number of classes",
    ),
    Text("pytorch-widedeep", "All target values must be >=0", ((RANGE, 50), (SENTINEL, 40)), "", "", POSSIBLE),
    Text("skorch", "The target data should be 1-dimensional", ((COLUMN, 65), (ONE_HOT, 55))),
    Text("catalyst", "number of targets and predicted outputs do not match", ((BATCH, 70),)),
    Text("catalyst", "Onehot target does not match size of confusion matrix", ((SHAPE, 60), (RANGE, 50))),
    Text("catalyst", "Weights dimension 1 should be the same as that of target", ((WEIGHT, 60), (SHAPE, 50))),
    Text("tsai", "y contains nan values", ((NAN_TARGET, 70),), warns=True),
    Text(
        "DeepSpeed",
        "OVERFLOW! Rank {n:number} Skipping step",
        ((HALF, 60), (NAN_INPUT, 45)),
        "some skipped steps are normal; if all are, bf16 in place of fp16",
        certainty=POSSIBLE,
        warns=True,
    ),
    Text("GluonTS", "Forecast contains NaN values", NOT_FINITE, "", "", POSSIBLE),
)
