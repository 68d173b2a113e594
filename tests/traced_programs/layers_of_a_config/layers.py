from torch import nn

ACTIVATIONS = {
    "relu": lambda spec: nn.ReLU(),
    "leaky_relu": lambda spec: nn.LeakyReLU(spec.get("slope", 0.01)),
    "tanh": lambda spec: nn.Tanh(),
    "sigmoid": lambda spec: nn.Sigmoid(),
}


def build_mlp(in_features, specs):
    layers, width = [], in_features
    for spec in specs:
        if spec["type"] == "linear":
            layers.append(nn.Linear(width, spec["out"]))
            width = spec["out"]
        else:
            layers.append(ACTIVATIONS[spec["type"]](spec))
    return nn.Sequential(*layers)
