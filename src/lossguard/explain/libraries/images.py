"""What libraries for images say: detection, segmentation, medical images. A row a text."""

from __future__ import annotations

from typing import Final

from lossguard.explain.causes import (
    ARGUMENT,
    COLUMN,
    DTYPES,
    FLOAT,
    FRACTIONS,
    HALF,
    INDEX_DTYPE,
    MASKS,
    NARROW,
    NO_TENSOR,
    NOT_FINITE,
    ONE_HOT,
    RANGE,
    REAL,
    SENTINEL,
    SHAPE,
    UNIT_TARGET,
    WEIGHT,
)
from lossguard.explain.libraries.text import POSSIBLE, Text

_YOLO: Final = (
    "nc and names in the data's yaml against the first column of the label files; delete the .cache file after"
)
_ONE_HOT_Y: Final = (
    "DiceLoss(to_onehot_y=True) takes indices with one channel, (N, 1, ...); without it, give one-hot masks"
)
_HEAD: Final = (
    "num_classes of every head in the config against the dataset's classes; background is not counted in mmdet"
)

IMAGES: Final[tuple[Text, ...]] = (
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
    Text("mmsegmentation", "is not a subset of classes", ((RANGE, 40),), _HEAD, certainty=POSSIBLE),
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
        "detectron2", "Loss became infinite or NaN", NOT_FINITE, "SOLVER.BASE_LR, and boxes without area", "", POSSIBLE
    ),
    Text("detectron2", "Predicted boxes or scores contain Inf/NaN", NOT_FINITE, "SOLVER.BASE_LR", "", POSSIBLE),
    Text("mmengine", "loss become infinite or NaN", NOT_FINITE, "", "", POSSIBLE),
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
        POSSIBLE,
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
)
