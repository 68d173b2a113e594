import torch
import torch.nn.functional as F


def assign(targets, num_anchors, num_classes):
    labels, boxes, positive = [], [], []
    for t in targets:
        lab = torch.full((num_anchors,), num_classes, dtype=torch.long)  # guilty
        box = torch.zeros(num_anchors, 4)
        lab[t["anchor_ids"]] = t["labels"]
        box[t["anchor_ids"]] = t["boxes"]
        pos = torch.zeros(num_anchors, dtype=torch.bool)
        pos[t["anchor_ids"]] = True
        labels.append(lab)
        boxes.append(box)
        positive.append(pos)
    return torch.stack(labels), torch.stack(boxes), torch.stack(positive)


def detection_loss(out, targets, num_classes, box_weight=2.0):
    labels, boxes, pos = assign(targets, out["logits"].shape[1], num_classes)
    cls = F.cross_entropy(out["logits"].flatten(0, 1), labels.flatten())
    reg = F.smooth_l1_loss(out["deltas"][pos], boxes[pos])
    return {"cls": cls, "box": box_weight * reg}
