"""`make demo`: the targets that everyone meets sooner or later, judged and fixed; then whole programs."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch
import torch.nn.functional as F  # noqa: N812 - its usual name

import lossguard
from lossguard.reports.terminal import wants_colour, write

CLASSES = 5
HERE = Path(__file__).resolve().parent
PROGRAMS = {
    "missing_label.py": "A training program that dies, with the line that made it die",
    "falling_loss.py": "A training program that lies: its loss falls for ever",
    "ctc_padding.py": "A label that corrupts memory, refused before it does",
}


def heading(number: int, title: str, code: str) -> None:
    """A numbered title and the line of code that is looked at."""
    bold, dim, off = ("\x1b[1m", "\x1b[2m", "\x1b[0m") if wants_colour(sys.stdout) else ("", "", "")
    print(f"\n{bold}{number}. {title}{off}\n{dim}   {code}{off}\n")


def torch_says(loss: Callable[..., torch.Tensor], given: torch.Tensor, target: Any) -> None:
    """What a user without lossguard sees."""
    try:
        print(f"torch:     the loss is {loss(given, target).item():.3f}\n")
    except (RuntimeError, IndexError) as error:
        print(f"torch:     {type(error).__name__}: {error}\n")


def judge(loss: Callable[..., torch.Tensor], given: torch.Tensor, target: Any) -> None:
    """What torch says, then what lossguard says."""
    torch_says(loss, given, target)
    write(lossguard.check(loss, given, target))


def main() -> None:
    """Show all situations, one after the other."""
    torch.manual_seed(0)
    logits = torch.randn(64, CLASSES)
    log_probs = logits.log_softmax(1)
    labels = torch.randint(CLASSES, (64,))

    looks_whole = labels.float()
    heading(1, "A float target that looks like integers", "F.nll_loss(log_probs, target)   # 1.0, 2.0, 0.0, ...")
    judge(F.nll_loss, log_probs, looks_whole)

    heading(2, "The sound one", "F.nll_loss(log_probs, target)   # 1, 2, 0, ...")
    judge(F.nll_loss, log_probs, labels)

    heading(3, "The fixed one", "target = lossguard.fix(F.nll_loss, log_probs, target)")
    fixed = lossguard.fix(F.nll_loss, log_probs, looks_whole)
    same = torch.equal(F.nll_loss(log_probs, fixed), F.nll_loss(log_probs, labels))
    print(f"fixed:    {looks_whole.dtype} became {fixed.dtype}; the loss is that of the true labels: {same}\n")
    write(lossguard.check(F.nll_loss, log_probs, fixed))

    heading(4, "A missing label", "F.cross_entropy(logits, target)   # 1.0, nan, 0.0, ...")
    missing = looks_whole.clone()
    missing[[3, 17]] = float("nan")
    judge(F.cross_entropy, logits, missing)
    refuse(logits, missing)

    heading(5, "Fractions", "F.cross_entropy(logits, target)   # labels that were normalised like features")
    judge(F.cross_entropy, logits, looks_whole / CLASSES)

    heading(6, "Labels out of range", "F.cross_entropy(logits, target)   # 1 to 5 for 5 classes")
    judge(F.cross_entropy, logits, labels + 1)

    heading(7, "Logits in nll_loss", "F.nll_loss(logits, target)   # torch takes it, and the number means nothing")
    judge(F.nll_loss, logits, labels)

    for number, (program, title) in enumerate(PROGRAMS.items(), start=8):
        heading(number, title, f"lossguard run demo/programs/{program}")
        run(program)

    print("\nMore: lossguard rules, lossguard rule LG101, README.md")


def run(program: str) -> None:
    """A real training program, unmodified, under the guard; of its traceback the last line is enough here."""
    command = [sys.executable, "-m", "lossguard", "run", program]
    ran = subprocess.run(  # noqa: S603 - our own programs
        command, cwd=HERE / "programs", capture_output=True, text=True, check=False
    )
    lines = (ran.stdout + ran.stderr).splitlines()
    traceback = next((number for number, line in enumerate(lines) if line.startswith("Traceback")), None)
    if traceback is not None:
        end = next(n for n, line in enumerate(lines) if n > traceback and line and not line.startswith(" "))
        lines[traceback:end] = ["Traceback (most recent call last): ..."]
    print("\n".join(lines))


def refuse(given: torch.Tensor, target: torch.Tensor) -> None:
    """What is no label is not made one."""
    try:
        lossguard.fix(F.cross_entropy, given, target)
    except lossguard.CannotFix as refusal:
        print(f"\nfix:       refused, {refusal.reason}; in the way: {refusal.values} at {refusal.positions}")


if __name__ == "__main__":
    main()
