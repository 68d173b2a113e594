"""Seeded random calls of class-index losses: shapes, dtypes, values and settings, good and bad."""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import Any

import torch

FLOATS = [torch.float32] * 6 + [torch.float64, torch.float16, torch.bfloat16]
ODD_INPUTS = [torch.int64, torch.bool, torch.complex64, torch.uint8, torch.float8_e4m3fn]
INTEGERS = [torch.int64] * 8 + [torch.uint8] * 2 + [torch.int32, torch.int16, torch.int8, torch.bool]
RARE_TARGETS = [torch.uint16, torch.uint32, torch.uint64, torch.complex64, torch.float8_e4m3fn]
FLOAT_TARGETS = [torch.float32, torch.float64, torch.float16, torch.bfloat16]


@dataclass(frozen=True)
class RandomCall:
    """One call: the loss's name, its tensors in order, its settings."""

    loss: str
    input: torch.Tensor
    target: torch.Tensor
    settings: dict[str, Any]

    def describe(self) -> str:
        """Enough to make the call again by hand."""
        return (
            f"{self.loss}({self.input.dtype}{list(self.input.shape)}, {self.target.dtype}"
            f"{list(self.target.shape)}, {self.settings})\ninput {self.input}\ntarget {self.target}"
        )


def random_call(seed: int) -> RandomCall:
    """The call of this seed."""
    dice = random.Random(seed)
    generator = torch.Generator().manual_seed(seed)
    loss = dice.choice(["nll_loss", "cross_entropy", "cross_entropy"])
    if dice.random() < 0.35:
        return _tidy_call(dice, generator, loss)
    shape = _input_shape(dice)
    given = _input(dice, generator, shape)
    classes = shape[1] if len(shape) > 1 else (shape[0] if shape else 1)
    settings = _settings(dice, generator, loss, classes, given)
    target = _target(dice, generator, shape, classes, settings.get("ignore_index", -100), loss)
    return RandomCall(loss, given, target, settings)


def _tidy_call(dice: random.Random, generator: torch.Generator, loss: str) -> RandomCall:
    """A call with nothing odd about it, for the false alarms."""
    shape = tuple(dice.choice([1, 2, 3, 4]) for _ in range(dice.choice([1, 2, 2, 3, 4, 5])))
    axis = min(1, len(shape) - 1)
    given = (torch.randn(shape, generator=generator) * dice.choice([0.1, 1.0, 10.0])).to(dice.choice(FLOATS))
    if loss == "nll_loss":
        given = given.log_softmax(axis)
    settings: dict[str, Any] = {"reduction": dice.choice(["none", "sum", "mean"])}
    if dice.random() < 0.4:
        settings["weight"] = (torch.rand(shape[axis], generator=generator) + 0.1).to(given.dtype)
    if loss == "cross_entropy" and dice.random() < 0.3:
        settings["label_smoothing"] = dice.choice([0.0, 0.1, 1.0])
    if loss == "cross_entropy" and dice.random() < 0.3:
        target = torch.randn(shape, generator=generator).softmax(axis).to(dice.choice(FLOATS))
        return RandomCall(loss, given, target, settings)
    target = torch.randint(shape[axis], shape[:axis] + shape[axis + 1 :], generator=generator)
    if dice.random() < 0.4:
        settings["ignore_index"] = dice.choice([-1, 255, 2**40, 0])
        target = target.masked_fill(torch.rand(target.shape, generator=generator) < 0.2, settings["ignore_index"])
    return RandomCall(loss, given, target, settings)


def _input_shape(dice: random.Random) -> tuple[int, ...]:
    dimensions = dice.choice([1, 1, 2, 2, 2, 2, 3, 3, 4, 4, 5, 0] if dice.random() < 0.2 else [1, 2, 2, 2, 3, 4, 5])
    sizes = [dice.choice([1, 2, 3, 4]) for _ in range(dimensions)]
    if dice.random() < 0.04 and sizes:
        sizes[dice.randrange(len(sizes))] = 0
    if len(sizes) > 1 and dice.random() < 0.1:
        sizes[1] = dice.choice([200, 257, 300])
    return tuple(sizes)


def _input(dice: random.Random, generator: torch.Generator, shape: tuple[int, ...]) -> torch.Tensor:
    values = torch.randn(shape, generator=generator) * dice.choice([0.1, 1.0, 10.0, 1e4, 3e38])
    if dice.random() < 0.15 and values.numel():
        bad = torch.rand(shape, generator=generator) < dice.choice([0.05, 0.5])
        values = values.masked_fill(bad, dice.choice([float("nan"), float("inf"), float("-inf")]))
    if dice.random() < 0.3 and values.ndim:
        values = values.softmax(min(1, values.ndim - 1))
    if dice.random() < 0.3 and values.ndim:
        values = values.log_softmax(min(1, values.ndim - 1))
    dtype = dice.choice(ODD_INPUTS) if dice.random() < 0.06 else dice.choice(FLOATS)
    return values.to(dtype)


def _settings(
    dice: random.Random, generator: torch.Generator, loss: str, classes: int, given: torch.Tensor
) -> dict[str, Any]:
    settings: dict[str, Any] = {}
    if dice.random() < 0.4:
        settings["reduction"] = dice.choice(["none", "sum", "mean", "mean", "average"])
    if dice.random() < 0.3:
        settings["ignore_index"] = dice.choice([0, 1, -1, 255, -100, 2**40, -(2**63), classes - 1, classes])
    if dice.random() < 0.3:
        settings["weight"] = _weight(dice, generator, classes, given)
    if loss == "cross_entropy" and dice.random() < 0.3:
        settings["label_smoothing"] = dice.choice([0.0, 0.1, 0.5, 1.0, 1, -0.1, 1.5, float("nan")])
    return settings


def _weight(dice: random.Random, generator: torch.Generator, classes: int, given: torch.Tensor) -> torch.Tensor:
    length = max(0, classes + dice.choice([0] * 12 + [1, -1]))
    weight = torch.rand(length, generator=generator)
    weight = weight.round(decimals=1) if dice.random() < 0.5 else weight + 0.1
    if dice.random() < 0.15 and length:
        weight[dice.randrange(length)] = dice.choice([0.0, -1.0, float("nan"), float("inf")])
    if dice.random() < 0.1:
        weight = torch.zeros_like(weight)
    if dice.random() < 0.05:
        weight = weight[:, None] if dice.random() < 0.5 else weight.sum()
    same = given.dtype if given.is_floating_point() else torch.float32
    return weight.to(dice.choice([torch.float64, torch.float32, torch.int64]) if dice.random() < 0.1 else same)


def _target(
    dice: random.Random,
    generator: torch.Generator,
    shape: tuple[int, ...],
    classes: int,
    ignore: int,
    loss: str,
) -> torch.Tensor:
    wanted = shape[:1] + shape[2:] if len(shape) > 1 else dice.choice([(), (1,)])
    if dice.random() < 0.15:
        wanted = _odd_shape(dice, shape, wanted)
    if dice.random() < (0.25 if loss == "cross_entropy" else 0.05):
        return _soft(dice, generator, shape)
    low, high = (
        (0, classes) if dice.random() < 0.75 else dice.choice([(-2, classes), (0, classes + 2), (1, classes + 1)])
    )
    labels = torch.randint(low, max(high, low + 1), wanted, generator=generator)
    if labels.numel() and dice.random() < 0.3:
        chosen = torch.rand(wanted, generator=generator) < dice.choice([0.2, 0.6, 1.0])
        labels = labels.masked_fill(chosen, dice.choice([ignore, ignore, 255, -1, -100, classes]))
    return _cast(dice, labels)


def _odd_shape(dice: random.Random, shape: tuple[int, ...], wanted: tuple[int, ...]) -> tuple[int, ...]:
    choices = [
        (*wanted, 1),
        (*wanted[:1], 1, *wanted[1:]),
        shape,
        wanted[:-1],
        tuple(size + 1 for size in wanted),
        shape[:-1],
        tuple(reversed(shape)),
    ]
    return dice.choice(choices)


def _soft(dice: random.Random, generator: torch.Generator, shape: tuple[int, ...]) -> torch.Tensor:
    values = torch.randn(shape, generator=generator)
    if shape and dice.random() < 0.7:
        values = values.softmax(min(1, len(shape) - 1))
    if dice.random() < 0.2:
        values = (values > 0.5).float()
    if dice.random() < 0.1 and values.numel():
        values = values.masked_fill(
            torch.rand(shape, generator=generator) < 0.3, dice.choice([float("nan"), float("inf")])
        )
    return values.to(dice.choice([*FLOATS, *FLOATS, torch.int64, torch.bool, torch.float8_e4m3fn]))


def _cast(dice: random.Random, labels: torch.Tensor) -> torch.Tensor:
    roll = dice.random()
    if roll < 0.75:
        return labels.to(dice.choice(INTEGERS))
    if roll < 0.8:
        return labels.to(dice.choice(RARE_TARGETS))
    floats = labels.to(torch.float64)
    if dice.random() < 0.3:
        floats = floats + 0.5
    if dice.random() < 0.3 and floats.numel():
        floats.view(-1)[0] = float("nan")
    return floats.to(dice.choice(FLOAT_TARGETS))
