from torch import nn


def build_model(n_features, n_classes, hidden):
    return nn.Sequential(
        nn.Linear(n_features, hidden),
        nn.ReLU(),
        nn.LayerNorm(hidden),
        nn.Linear(hidden, n_classes),
    )
