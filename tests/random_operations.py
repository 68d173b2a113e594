"""Seeded random calls of every loss and index operation: good ones, and ones with something off."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import torch

Call = tuple[tuple[Any, ...], dict[str, Any]]
FLOATS = [torch.float32] * 8 + [torch.float64, torch.float16, torch.bfloat16]
DTYPES = [torch.float32, torch.float64, torch.float16, torch.int64, torch.int32, torch.uint8, torch.bool]
REDUCTIONS = ["mean", "mean", "sum", "none", "median"]


class Dice(random.Random):
    """A random generator that also makes tensors."""

    def shape(self) -> tuple[int, ...]:
        """A small shape, now and then empty or scalar."""
        sizes = [self.choice([1, 2, 3, 4]) for _ in range(self.choice([0, 1, 1, 2, 2, 2, 3]))]
        if sizes and self.random() < 0.05:
            sizes[self.randrange(len(sizes))] = 0
        return tuple(sizes)

    def other(self, shape: tuple[int, ...], chance: float = 0.2) -> tuple[int, ...]:
        """The same shape, or now and then another."""
        if self.random() >= chance:
            return shape
        return self.choice([shape[1:], (*shape, 1), shape[:-1], tuple(n + 1 for n in shape), (1, *shape), shape[::-1]])

    def reals(self, shape: tuple[int, ...], scale: float = 1.0) -> torch.Tensor:
        """Normal numbers in a floating dtype, now and then another one, now and then not finite."""
        values = torch.randn(shape, generator=self.torch()) * scale
        if values.numel() and self.random() < 0.08:
            values.view(-1)[0] = self.choice([float("nan"), float("inf"), float("-inf")])
        return values.to(self.choice(DTYPES) if self.random() < 0.12 else self.choice(FLOATS))

    def like(self, tensor: torch.Tensor, values: torch.Tensor) -> torch.Tensor:
        """`values` in the dtype of `tensor`, now and then in another."""
        return values.to(self.choice(DTYPES) if self.random() < 0.2 else tensor.dtype)

    def indices(self, shape: tuple[int, ...], size: int) -> torch.Tensor:
        """Indices below `size`, now and then outside or in another dtype."""
        low, high = (0, size) if self.random() < 0.75 else self.choice([(-1, size), (0, size + 1), (-size, size)])
        values = torch.randint(low, max(high, low + 1), shape, generator=self.torch())
        return values.to(self.choice(DTYPES)) if self.random() < 0.15 else values

    def torch(self) -> torch.Generator:
        """A torch generator that follows this one."""
        return torch.Generator().manual_seed(self.getrandbits(32))

    def settings(self, **own: list[Any]) -> dict[str, Any]:
        """Some of the settings, each from its choices, and a reduction."""
        chosen = {name: self.choice(values) for name, values in own.items() if self.random() < 0.4}
        return {"reduction": self.choice(REDUCTIONS), **chosen} if self.random() < 0.5 else chosen


def _pair(dice: Dice, scale: float = 1.0) -> tuple[torch.Tensor, torch.Tensor]:
    given = dice.reals(dice.shape(), scale)
    return given, dice.like(given, dice.reals(dice.other(tuple(given.shape)), scale))


def _binary(dice: Dice) -> Call:
    shape = dice.shape()
    given = dice.reals(shape)
    if dice.random() < 0.85 and given.is_floating_point():
        given = given.sigmoid()
    target = (torch.rand(dice.other(shape), generator=dice.torch()) * dice.choice([1, 1, 1, 2])).round(decimals=1)
    settings = dice.settings()
    if dice.random() < 0.2:
        settings["weight"] = torch.rand(dice.other(shape))
    return (given, dice.like(given, target)), settings


def _distance(dice: Dice) -> Call:
    settings = dice.settings()
    given, target = _pair(dice)
    if dice.random() < 0.15:
        settings["weight"] = torch.rand(dice.other(tuple(given.shape)))
    return (given, target), settings


def _signs(dice: Dice) -> Call:
    given = dice.reals(dice.shape())
    labels = torch.randint(0, 2, dice.other(tuple(given.shape)), generator=dice.torch()) * 2 - 1
    return (given, labels.to(dice.choice(DTYPES))), dice.settings()


def _two_inputs(dice: Dice) -> Call:
    one, two = _pair(dice)
    rank = dice.choice([tuple(one.shape), tuple(one.shape)[:1], ()])
    return (one, two, torch.ones(rank)), dice.settings(margin=[0.0, 0.5])


def _classes(dice: Dice) -> Call:
    shape = dice.choice([(3, 4), (3, 4), (4,), (2, 3, 4), (1, 1)])
    target = dice.indices(dice.other(shape[:-1], 0.15), shape[-1])
    return (dice.reals(shape), target), dice.settings(margin=[1.0, 2.0], p=[1, 2, 3])


def _many_classes(dice: Dice) -> Call:
    shape = dice.choice([(3, 4), (4,), (1, 1)])
    return (dice.reals(shape), dice.indices(dice.other(shape, 0.15), shape[-1])), dice.settings()


def _triplet(dice: Dice) -> Call:
    one, two = _pair(dice)
    return (one, two, dice.like(one, dice.reals(dice.other(tuple(one.shape), 0.1)))), dice.settings(margin=[1.0, 0.0])


def _gaussian(dice: Dice) -> Call:
    given, target = _pair(dice)
    variance = torch.rand(dice.other(tuple(given.shape), 0.15)) + dice.choice([0.1, 0.1, 0.1, -0.5])
    return (given, target, variance), dice.settings(full=[True])


def _poisson(dice: Dice) -> Call:
    given, target = _pair(dice)
    return (given, target), dice.settings(log_input=[True, False], full=[True, False])


def _divergence(dice: Dice) -> Call:
    shape = dice.shape() or (3,)
    given = dice.reals(shape)
    if dice.random() < 0.8 and given.is_floating_point():
        given = given.log_softmax(-1)
    target = torch.randn(dice.other(shape), generator=dice.torch())
    if dice.random() < 0.8 and target.ndim:
        target = target.softmax(-1)
    settings = {"reduction": dice.choice(["mean", "sum", "none", "batchmean", "median"])}
    return (given, dice.like(given, target)), settings | ({"log_target": True} if dice.random() < 0.2 else {})


def _embedding(dice: Dice) -> Call:
    table = torch.randn(dice.choice([(5, 2), (5, 2), (5, 2), (5,), (0, 2)]))
    return (dice.indices(dice.shape(), len(table)), table), {}


def _bag(dice: Dice) -> Call:
    settings = {"mode": dice.choice(["sum", "mean", "max"])}
    return (dice.indices(dice.choice([(2, 3), (4, 1), (2, 2, 2)]), 5), torch.randn(5, 2)), settings


def _gather(dice: Dice) -> Call:
    data = torch.randn(dice.shape())
    dim = dice.randrange(max(data.ndim, 1))
    size = data.shape[dim] if data.ndim else 1
    return (data, dim, dice.indices(dice.other(tuple(data.shape)), max(size, 1))), {}


def _scatter(dice: Dice) -> Call:
    (data, dim, index), _ = _gather(dice)
    source = torch.ones(dice.other(tuple(index.shape), 0.1), dtype=dice.choice([torch.float32] * 6 + [torch.float64]))
    return (data, dim, index, source), {}


def _select(dice: Dice) -> Call:
    data = torch.randn(dice.shape())
    dim = dice.randrange(max(data.ndim, 1))
    size = data.shape[dim] if data.ndim else 1
    return (data, dim, dice.indices(dice.choice([(3,), (2,), (), (2, 2)]), max(size, 1))), {}


def _one_hot(dice: Dice) -> Call:
    return (dice.indices(dice.shape(), 4),), {"num_classes": dice.choice([4, 4, 5, -1])}


def _index_part(dice: Dice, shape: tuple[int, ...], axis: int) -> Any:
    """One tensor of an index expression: mostly indices, now and then a mask of one or two axes, or a list."""
    size = shape[axis] if axis < len(shape) else 2
    kind = dice.random()
    if kind < 0.12:
        over = dice.other(shape[axis : axis + dice.choice([1, 1, 2])] or (2,), 0.3)
        return torch.rand(over, generator=dice.torch()) < 0.5
    if kind < 0.2:
        return [dice.randrange(size) for _ in range(3)] if size else []
    return dice.indices(dice.choice([(3,), (3,), (3,), (1,), (), (2,), (2, 3)]), max(size, 1))


def _getitem(dice: Dice) -> Call:
    data = torch.randn(dice.choice([(4, 3, 2), (4, 3, 2), (3, 3), (4,), ()]))
    shape = tuple(data.shape)
    first = _index_part(dice, shape, 0)
    form = dice.choice(["one", "two", "slice", "ellipsis", "many"])
    if form == "one":
        return (data, first), {}
    if form == "two":
        return (data, (first, _index_part(dice, shape, 1))), {}
    if form == "slice":
        return (data, (slice(None), _index_part(dice, shape, 1))), {}
    if form == "ellipsis":
        return (data, (..., dice.indices((3,), shape[-1] if shape else 1))), {}
    return (data, tuple(dice.indices((3,), size) for size in shape) + ((first,) if dice.random() < 0.3 else ())), {}


def _index_add(dice: Dice) -> Call:
    (data, dim, index), _ = _select(dice)
    shape = list(data.shape)
    if shape and index.ndim < 2:
        shape[dim] = index.numel()
    return (data, dim, index, torch.ones(dice.other(tuple(shape), 0.1))), {}


def _index_put(dice: Dice) -> Call:
    data = torch.randn(dice.choice([(4, 3), (4, 3), (4, 3, 2), (4,), (1,)]))
    parts = [_index_part(dice, tuple(data.shape), axis) for axis in range(dice.choice([1, 1, 2, 3]))]
    indices = tuple(torch.tensor(part) if isinstance(part, list) else part for part in parts)
    values = torch.ones(dice.choice([(3,), (1,), (2,), (), (3, 3), (3, 1), (1, 1, 3)]), dtype=dice.choice(FLOATS))
    return (data, indices, values), {"accumulate": True} if dice.random() < 0.2 else {}


def _take_along(dice: Dice) -> Call:
    # In range only: out of it torch wraps in silence, which a test of its own shows.
    index = torch.randint(0, 3, dice.other((4, 2), 0.3), generator=dice.torch())
    index = index.to(dice.choice(DTYPES)) if dice.random() < 0.2 else index
    return (torch.randn(4, 3), index, 1), {}


def _take(dice: Dice) -> Call:
    return (torch.randn(4, 3), dice.indices(dice.shape(), 12)), {}


def _linear(dice: Dice) -> Call:
    shape = dice.choice([(2, 4), (2, 4), (4,), (2, 2, 4)])
    table = torch.randn(dice.choice([(3, 4), (3, 4), (3, 4), (3, 5), (3,)]))
    target = dice.indices(dice.other(shape[:-1], 0.15), 3)
    if dice.random() < 0.2:
        target = torch.randn((*shape[:-1], 3), generator=dice.torch()).softmax(-1)
    return (torch.randn(shape), table, target), dice.settings(label_smoothing=[0.0, 0.1, 2.0], ignore_index=[0, -1])


def _ctc(dice: Dice) -> Call:
    # Labels in range only: one outside corrupts memory, which a test of its own shows in a process of its own.
    steps = dice.choice([6, 6, 8])
    logs = torch.randn(steps, 2, 5, generator=dice.torch()).log_softmax(2)
    logs = logs.half() if dice.random() < 0.1 else logs
    labels = torch.randint(1, 5, dice.choice([(2, 3), (2, 3), (3, 3)]), generator=dice.torch())
    given = torch.tensor(dice.choice([[6, 6], [6, 5], [9, 6], [6], [-1, 6]]))
    wanted = torch.tensor(dice.choice([[3, 2], [1, 3], [4, 2], [2], [0, 1]]))
    return (logs, labels, given, wanted), dice.settings(blank=[0, 0, 7], zero_infinity=[True])


MAKERS: dict[str, Callable[[Dice], Call]] = {
    "binary_cross_entropy": _binary,
    "binary_cross_entropy_with_logits": _binary,
    "multilabel_soft_margin_loss": _binary,
    "mse_loss": _distance,
    "l1_loss": _distance,
    "smooth_l1_loss": lambda dice: (_pair(dice), dice.settings(beta=[1.0, 0.0, -1.0])),
    "huber_loss": lambda dice: (_pair(dice), dice.settings(delta=[1.0, 0.5, 0.0])),
    "gaussian_nll_loss": _gaussian,
    "poisson_nll_loss": _poisson,
    "kl_div": _divergence,
    "soft_margin_loss": _signs,
    "hinge_embedding_loss": _signs,
    "margin_ranking_loss": _two_inputs,
    "cosine_embedding_loss": _two_inputs,
    "triplet_margin_loss": _triplet,
    "triplet_margin_with_distance_loss": _triplet,
    "multi_margin_loss": _classes,
    "multilabel_margin_loss": _many_classes,
    "embedding": _embedding,
    "embedding_bag": _bag,
    "gather": _gather,
    "scatter": _scatter,
    "scatter_add": _scatter,
    "index_select": _select,
    "index_fill": lambda dice: ((*_select(dice)[0], 1.0), {}),
    "index_add": _index_add,
    "index_copy": _index_add,
    "index_put": _index_put,
    "scatter_reduce": lambda dice: (_scatter(dice)[0], {"reduce": dice.choice(["sum", "amax", "mean"])}),
    "take": _take,
    "take_along_dim": _take_along,
    "linear_cross_entropy": _linear,
    "ctc_loss": _ctc,
    "one_hot": _one_hot,
    "getitem": _getitem,
}


def random_operation(name: str, seed: int) -> Call:
    """The random call of this operation and seed: its arguments and keyword arguments."""
    return MAKERS[name](Dice(f"{name} {seed}"))
