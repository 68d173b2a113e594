from torch import nn


def mlp(n_in, width):
    return nn.Sequential(nn.Flatten(), nn.Linear(n_in, width), nn.ReLU(), nn.Linear(width, width), nn.ReLU())


def single(n_in, width):
    return nn.Sequential(nn.Flatten(), nn.Linear(n_in, width), nn.Tanh())


def linear_head(width, n_out):
    return nn.Linear(width, n_out)


def log_prob_head(width, n_out):
    return nn.Sequential(nn.Dropout(0.1), nn.Linear(width, n_out), nn.LogSoftmax(dim=1))


BACKBONES = {"mlp": mlp, "single": single}
HEADS = {"linear": linear_head, "log_prob": log_prob_head}
LOSSES = {"ce": nn.CrossEntropyLoss, "nll": nn.NLLLoss}


class Classifier(nn.Module):
    def __init__(self, backbone, head):
        super().__init__()
        self.backbone = backbone
        self.head = head

    def forward(self, x):
        return self.head(self.backbone(x))
