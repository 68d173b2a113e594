"""What libraries for images say: detection, segmentation, medical images. A row a text."""

from __future__ import annotations

from typing import Final

from lossguard.explain.causes import (
    ARGUMENT,
    AXIS,
    BATCH,
    COLUMN,
    DEVICE,
    DTYPES,
    FLOAT,
    FRACTIONS,
    HALF,
    INDEX_DTYPE,
    MASKS,
    NAN_TARGET,
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
    # Older and lesser known words of detectors
    Text("YOLO", "Model accepts {classes} classes labeled from 0", ((RANGE, 80),), _YOLO),
    Text("YOLO", "however you {labeled|labelled} a class {target_value}", ((RANGE, 80),), _YOLO),
    Text("YOLO", "Possible class labels are 0", ((RANGE, 75),), _YOLO),
    Text("Ultralytics", "Label class {value:word} exceeds", ((RANGE, 78),), _YOLO),
    Text(
        "detectron2",
        "Category ids in annotations are not in [1, #categories]",
        ((RANGE, 60),),
        "a map from the ids of the json to 0, 1, 2, ... is applied; NUM_CLASSES must be their number",
        certainty=POSSIBLE,
        warns=True,
    ),
    Text(
        "detectron2",
        "but this id does not exist in categories of the json file",
        ((RANGE, 75),),
        "categories of the json: every category_id of an annotation must be there",
    ),
    Text(
        "mmdetection",
        "Add comma if number of classes is 1",
        ((RANGE, 55), (ARGUMENT, 50)),
        "classes = ('name',) in the config, with the comma",
    ),
    Text("mmdetection", "The last dim of cls_scores should equal to num_classes", ((SHAPE, 60), (RANGE, 50)), _HEAD),
    Text(
        "mmdetection",
        "become infinite or NaN",
        NOT_FINITE,
        "lr and grad_clip in the config, and boxes without area",
        "",
        POSSIBLE,
    ),
    Text(
        "mmdetection",
        "exceeds pred dimension",
        ((ARGUMENT, 50), (RANGE, 45)),
        "topk of the accuracy against num_classes",
        "",
        POSSIBLE,
    ),
    Text(
        "mmpretrain",
        "The number of subfolders({n:number}) doesnt match the number of specified classes",
        ((RANGE, 65),),
        _HEAD,
    ),
    Text("mmpretrain", "doesnt match the num_classes", ((SHAPE, 60), (RANGE, 55)), _HEAD),
    Text("mmpretrain", "should be equal to the num_classes", ((SHAPE, 60), (RANGE, 55)), _HEAD),
    Text("mmpretrain", "pred and target {array|tensor} must be(N, num_classes)", ((ONE_HOT, 50), (SHAPE, 60)), _HEAD),
    Text(
        "mmsegmentation",
        "usually the segmentation map is 2D, but got",
        ((SHAPE, 65), (ONE_HOT, 45)),
        "a mask in colours: read it with one channel, or reduce_zero_label and the palette",
        warns=True,
    ),
    Text(
        "mmsegmentation",
        "palette does not match classes",
        ((RANGE, 45),),
        "classes and palette of the dataset's metainfo",
        certainty=POSSIBLE,
    ),
    Text(
        "super-gradients",
        "Mismatch of target shape: {} and prediction shape",
        MASKS,
        "num_classes of the model against the masks: (N, H, W) of indices",
    ),
    Text("super-gradients", "class_id={target_value} invalid", ((RANGE, 75),)),
    Text("super-gradients", "Some annotations have class ids that are not in the list of classes", ((RANGE, 75),)),
    Text("super-gradients", "Number of classes in dataset JSON do not match", ((RANGE, 65),)),
    Text("super-gradients", "Labels must be in [N] format", ((SHAPE, 60), (COLUMN, 55))),
    Text("timm", "out of range for dataset with {classes} classes", ((RANGE, 70),), "--num-classes"),
    Text(
        "timm",
        "targets must have {n:number} entries, got",
        ((SHAPE, 65), (ONE_HOT, 40)),
        "--num-classes against the width of the targets",
    ),
    Text(
        "timm",
        "expects dense {?floating-point }targets shaped(batch, num_classes)",
        ((SHAPE, 60), (REAL, 50)),
        "one column of zeros and ones for each class",
    ),
    Text("timm", "requires binary targets", ((UNIT_TARGET, 55), (ARGUMENT, 50)), "--mixup 0 --cutmix 0 --smoothing 0"),
    Text("timm", "Label index must be non-negative", ((RANGE, 60), (SENTINEL, 55))),
    # Words of medical libraries
    Text("MONAI", "and y - {} - should have the same shape", MASKS, _ONE_HOT_Y),
    Text(
        "MONAI",
        "y_pred and y should be one-hot encoded",
        ((SHAPE, 60), (ONE_HOT, 50)),
        "AsDiscrete(to_onehot=...) on both",
    ),
    Text("MONAI", "labels should have a channel with length equals to one", ((ONE_HOT, 60), (SHAPE, 55)), _ONE_HOT_Y),
    Text(
        "MONAI",
        "indicates not using One-Hot format label, must provide num_classes",
        ((ONE_HOT, 55), (SHAPE, 50)),
        "num_classes",
    ),
    Text(
        "MONAI",
        "The length of alpha({n:number}) must match the number of classes",
        ((WEIGHT, 80),),
        "alpha of FocalLoss: one number, or one for each class",
    ),
    Text("MONAI", "The number of class_weight({n:number}) must match", ((WEIGHT, 80),)),
    Text(
        "MONAI",
        "{logits|regression|targets|result|axis|IoU|area|GIoU} is NaN or Inf",
        NOT_FINITE,
        "learning rate, amp, and boxes without volume",
        "",
        POSSIBLE,
    ),
    Text("MONAI", "NaN or Inf in predicted", NOT_FINITE, "learning rate, amp, and boxes without volume", "", POSSIBLE),
    Text(
        "MONAI",
        "Label shape {} is different from image shape",
        ((SHAPE, 70),),
        "image and label of the same datalist entry",
    ),
    Text("MONAI", "image and label should have matching spatial sizes", ((SHAPE, 70),)),
    Text("MONAI", "Only supports single channel labels", ((ONE_HOT, 60), (SHAPE, 55))),
    Text("MONAI", "Number of labels should equal to number of boxes", ((BATCH, 65),)),
    Text("MONAI", "bg_label should be smaller than any foreground", ((RANGE, 60),)),
    Text(
        "MONAI",
        "y_pred should have at least {n:number} dimensions",
        ((SHAPE, 60), (AXIS, 50)),
        "metrics take (B, C, ...): keep batch and channel",
    ),
    Text(
        "MONAI",
        "should have {3|4|5|three|four|five|at least two|at least three} dimensions",
        ((SHAPE, 55), (AXIS, 50)),
        "metrics take (B, C, ...): keep batch and channel",
        "names labels",
        POSSIBLE,
    ),
    Text(
        "nnU-Net",
        "Found unexpected labels in the training dataset",
        ((RANGE, 70), (SENTINEL, 45)),
        "labels in dataset.json against np.unique of the masks",
    ),
    Text(
        "nnU-Net",
        "Found these unexpected values",
        ((RANGE, 70), (SENTINEL, 45)),
        "labels in dataset.json against np.unique of the named file",
    ),
    Text("nnU-Net", "Segmentation contains NaN values", ((NAN_TARGET, 80),), "np.isnan of each file in labelsTr"),
    Text(
        "nnU-Net",
        "Shape mismatch between segmentation and corresponding images",
        ((SHAPE, 80),),
        "image and mask of the named case",
    ),
    Text("nnU-Net", "unexpected number of channels in predicted_probabilities", ((SHAPE, 60), (RANGE, 45))),
    Text(
        "nnU-Net",
        "not all training cases have a label",
        ((NO_TENSOR, 40),),
        "labelsTr: a file of the same name for each image",
        certainty=POSSIBLE,
    ),
    Text(
        "kornia",
        "Prediction and target need to be of same size, and target should not be one-hot",
        ((ONE_HOT, 60), (SHAPE, 55)),
    ),
    Text("kornia", "Inputs must be in the same device. Got:", ((DEVICE, 65),)),
    Text("kornia", "Expected tensors of equal shapes, but got", ((SHAPE, 60),), "", "names labels", POSSIBLE),
    Text("kornia", "Invalid {input|target} shape, we expect {}NxCxHxW", ((SHAPE, 55), (AXIS, 50))),
    Text("kornia", "input and target shapes must be the same", MASKS),
)
