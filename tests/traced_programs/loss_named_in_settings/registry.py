from __future__ import annotations

from typing import Any, Callable

from torch import nn

MODELS: dict[str, Callable[..., nn.Module]] = {}


def model(name: str):
    def deco(cls):
        MODELS[name] = cls
        return cls
    return deco


@model("wide")
class WideNet(nn.Module):
    def __init__(self, in_dim: int) -> None:
        super().__init__()
        self.linear = nn.Linear(in_dim, 1)

    def forward(self, x):
        return self.linear(x).flatten()


@model("deep")
class DeepNet(nn.Module):
    def __init__(self, in_dim: int, hidden: int = 32) -> None:
        super().__init__()
        self.net = nn.Sequential(nn.Linear(in_dim, hidden), nn.ReLU(), nn.Linear(hidden, 1))

    def forward(self, x):
        return self.net(x).flatten()


def create_model(spec: dict[str, Any]) -> nn.Module:
    return MODELS[spec["name"]](**spec.get("args", {}))


def create_loss(spec: dict[str, Any]) -> nn.Module:
    return getattr(nn, spec["name"])(**spec.get("args", {}))
