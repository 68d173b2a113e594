import torch
import torch.nn.functional as F


class Mixup:
    def __init__(self, alpha, num_classes):
        self.beta = torch.distributions.Beta(alpha, alpha)
        self.num_classes = num_classes

    def one_hot(self, labels):
        return F.one_hot(labels, self.num_classes).float()

    def __call__(self, images, labels):
        lam = self.beta.sample()
        perm = torch.randperm(len(images))
        mixed = lam * images + (1 - lam) * images[perm]
        targets = lam * labels + (1 - lam) * labels[perm]  # guilty
        return mixed, targets
