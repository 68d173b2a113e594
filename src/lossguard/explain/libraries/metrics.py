"""What metrics and training frameworks say. A row a text."""

from __future__ import annotations

from typing import Final

from lossguard.explain.causes import (
    ARGUMENT,
    AXIS,
    BATCH,
    COLUMN,
    FLOAT,
    FRACTIONS,
    MASKS,
    NOT_FINITE,
    ONE_HOT,
    RANGE,
    SENTINEL,
    SHAPE,
    UNIT_INPUT,
    UNIT_TARGET,
)
from lossguard.explain.libraries.text import POSSIBLE, Text

_TASK: Final = "the metric's num_classes, task and ignore_index against the labels that are there"

METRICS: Final[tuple[Text, ...]] = (
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
)
