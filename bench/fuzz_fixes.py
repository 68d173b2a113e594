"""Targets over every pair of dtypes, fixed and compared: `python bench/fuzz_fixes.py [TARGETS] [FIRST-SEED]`.

Each target is made from labels that are known, near the limits of some dtype. It is fixed for a loss whose input has
another dtype. What comes back must hold the same numbers, one by one, and torch must take it; or it is refused.
"""

from __future__ import annotations

import collections
import random
import sys
import time
from typing import Any, Final

import torch
import torch.nn.functional as F  # noqa: N812 - its usual name

import lossguard
from lossguard import CannotFix

FLOATS: Final = (torch.float64, torch.float32, torch.float16, torch.bfloat16)
SMALL: Final = (torch.float8_e4m3fn, torch.float8_e4m3fnuz, torch.float8_e5m2, torch.float8_e5m2fnuz)
INTEGERS: Final = (
    *(torch.int64, torch.int32, torch.int16, torch.int8, torch.uint8, torch.uint16, torch.uint32, torch.uint64),
)
DTYPES: Final = (*FLOATS, *SMALL, *INTEGERS, torch.bool)
REAL_LOSSES: Final = (
    *(
        "binary_cross_entropy",
        "binary_cross_entropy_with_logits",
        "mse_loss",
        "huber_loss",
        "smooth_l1_loss",
        "l1_loss",
    ),
    *("kl_div", "poisson_nll_loss", "soft_margin_loss"),
)
EDGES: Final = tuple(
    sign * (2**power + step)
    for power in (0, 1, 3, 4, 7, 8, 11, 15, 16, 24, 31, 32, 53, 62, 63, 64)
    for step in (-1, 0, 1)
    for sign in (1, -1)
)
REALS: Final = (0.0, 0.5, 0.1, 1e-8, 2.0**-14, 2.0**-25, 65504.0, 65536.0, 1e30, 3e38, 1.5, -0.25)


def exact(tensor: torch.Tensor) -> list[Any]:
    """The numbers of a tensor as Python's own, whatever the dtype; NaN as a word."""
    wide = tensor.to(torch.float64) if tensor.is_floating_point() else tensor
    return ["nan" if value != value else value for value in wide.flatten().tolist()]  # noqa: PLR0124 - only NaN is not itself


def real_target(rng: random.Random, dtype: torch.dtype) -> torch.Tensor:
    """Numbers near some limit, in `dtype`, as far as they can be made."""
    chosen = [rng.choice((*REALS, *map(float, EDGES))) for _ in range(rng.randint(1, 4))]
    if dtype.is_floating_point:
        return torch.tensor(chosen, dtype=torch.float64).to(dtype)
    if dtype is torch.bool:
        return torch.tensor([value > 0 for value in chosen])
    low, high = torch.iinfo(dtype).min, torch.iinfo(dtype).max
    return torch.tensor([max(low, min(high, int(value))) for value in chosen], dtype=dtype)


def of_reals(rng: random.Random) -> tuple[str, str]:
    """A loss of real numbers: what became of one target."""
    mine, theirs = rng.choice(DTYPES), rng.choice((*FLOATS, torch.float32))
    target = real_target(rng, mine)
    scores = torch.rand(target.shape).to(theirs)
    return outcome(rng.choice(REAL_LOSSES), (scores, target), target, f"{mine} beside {theirs}")


def of_classes(rng: random.Random) -> tuple[str, str]:
    """A loss of class indices: labels that are known go through a dtype, in a shape that may be wrong."""
    classes = max(1, rng.choice((2, 3, 5, 17, 129, 256, 257, 300, 2049, 2050, 4100)) + rng.randint(-1, 1))
    near = [value for value in (*range(4), *EDGES, classes - 1, classes - 2) if 0 <= value < classes]
    labels = torch.tensor([rng.choice(near) for _ in range(rng.randint(1, 5))])
    dtype = rng.choice(DTYPES)
    labels = labels.clamp(max=1) if dtype is torch.bool else labels
    target = labels.to(dtype)
    shape = rng.choice(("flat", "flat", "column"))
    costs = torch.zeros(1, 1).expand(len(labels), classes)
    given = target.unsqueeze(1) if shape == "column" else target
    loss = rng.choice(("nll_loss", "cross_entropy", "multi_margin_loss"))
    if loss == "multi_margin_loss":
        costs = costs.contiguous()
    # What torch takes as uint8 stays as it is, wrapped around before or not.
    wanted = target if dtype is torch.uint8 else labels
    return outcome(loss, (costs, given), wanted, f"{dtype} {shape} of {classes} classes")


def of_rows(rng: random.Random) -> tuple[str, str]:
    """One-hot rows on either axis, in any dtype, in shapes where two axes may fit."""
    classes, places = rng.randint(2, 4), rng.choice(((), (2,), (3,), (4,), (2, 2), (3, 3)))
    labels = torch.tensor([rng.randrange(classes) for _ in range(torch.Size((2, *places)).numel())]).view(2, *places)
    rows = F.one_hot(labels, classes)
    rows = rows.movedim(-1, 1) if rng.random() < 0.5 else rows
    scores = torch.zeros(2, classes, *places).log_softmax(1)
    dtype = rng.choice(DTYPES)
    # As probabilities of a loss that reads them so, rows stay what they are.
    given = rows.to(dtype)
    loss = rng.choice(("nll_loss", "cross_entropy"))
    kept = given if loss == "cross_entropy" else labels
    told = f"one-hot {dtype} {tuple(given.shape)} for {tuple(scores.shape)}"
    said, why = outcome(loss, (scores, given), labels, told)
    return outcome(loss, (scores, given), kept, told) if said == "lost" else (said, why)


def of_indices(rng: random.Random) -> tuple[str, str]:
    """An index of an index operation."""
    dtype = rng.choice(DTYPES)
    index = real_target(rng, dtype)[:1]
    values = torch.arange(5.0)
    loss, arguments = rng.choice(
        (
            ("take", (values, index)),
            ("take_along_dim", (values, index, 0)),
            ("index_fill", (values, 0, index, 1.0)),
            ("gather", (values, 0, index)),
            ("index_select", (values, 0, index)),
            ("embedding", (index, torch.rand(5, 2))),
        )
    )
    return outcome(loss, arguments, index, f"index {dtype} {exact(index)}", runs=False)


def outcome(
    loss: str, arguments: tuple[Any, ...], wanted: torch.Tensor, told: str, *, runs: bool = True
) -> tuple[str, str]:
    """`fixed`, `refused`, `lost` or `not taken`, and what of."""
    try:
        fixed = lossguard.fix(loss, *arguments)
    except CannotFix:
        return "refused", ""
    if exact(fixed) != exact(wanted):
        return "lost", f"{loss}: {told}: {exact(wanted)} became {exact(fixed)}"
    if runs:
        try:
            getattr(F, loss)(arguments[0], fixed)
        except Exception as error:  # noqa: BLE001 - whatever torch says of it
            return "not taken", f"{loss}: {told}: {error}"
    return "fixed", ""


def main(targets: int = 200_000, first: int = 0) -> int:
    """Try all targets; print what went wrong; return 1 if anything did."""
    torch.set_num_threads(1)
    started, counts = time.perf_counter(), collections.Counter[str]()
    for seed in range(first, first + targets):
        rng = random.Random(seed)
        said, why = (of_reals, of_classes, of_rows, of_indices)[seed % 4](rng)
        counts[said] += 1
        if why and counts[said] <= 20:
            print(f"seed {seed}: {said}: {why}")
    seconds = time.perf_counter() - started
    print(
        f"{targets:,} targets in {seconds:.0f} s: " + ", ".join(f"{counts[kind]:,} {kind}" for kind in sorted(counts))
    )
    return int(bool(counts["lost"] or counts["not taken"]))


if __name__ == "__main__":
    sys.exit(main(*map(int, sys.argv[1:])))
