import torch.nn.functional as F

LOSS_FOR_KIND = {
    "multiclass": F.cross_entropy,
    "binary": F.binary_cross_entropy,
    "regression": F.smooth_l1_loss,
}


class MultiTaskLoss:
    def __init__(self, specs):
        self.specs = specs

    def __call__(self, outputs, batch):
        parts = {}
        for spec in self.specs:
            fn = LOSS_FOR_KIND[spec.kind]
            parts[spec.name] = spec.weight * fn(outputs[spec.name], batch[spec.name])
        return sum(parts.values()), parts
