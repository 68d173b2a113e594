from torch import nn

ACTIVATIONS = {"relu": nn.ReLU, "gelu": nn.GELU, "sigmoid": nn.Sigmoid, "none": nn.Identity}


def build_mlp(sizes, activation="relu", final="sigmoid"):
    layers = []
    last = len(sizes) - 2
    for k, (a, b) in enumerate(zip(sizes[:-1], sizes[1:])):
        layers.append(nn.Linear(a, b))
        layers.append(ACTIVATIONS[final if k == last else activation]())
    return nn.Sequential(*layers)


class TwoStage(nn.Module):
    def __init__(self, n_in, hidden):
        super().__init__()
        self.trunk = build_mlp([n_in, hidden, hidden], final="relu")
        self.head = build_mlp([hidden, hidden // 2, 1])  # guilty

    def forward(self, x):
        return self.head(self.trunk(x)).flatten()
