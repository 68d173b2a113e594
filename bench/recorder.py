"""What the recorder costs while it is on: `python bench/recorder.py`.

Each program runs plain and recorded, side by side in each round; shown are medians of CPU time. The recorder ends by
itself, so a long program pays once. Exits with 1 if one takes more than 1.3 times its time and more than a fifth of a
second besides, or more than two seconds in all.
"""

from __future__ import annotations

import linecache
import statistics
import sys
import time
from typing import Any

import torch

from lossguard.tracing.evidence import recorders

ROUNDS = 7
ALLOWED_RATIO = 1.3
ALLOWED_SECONDS = 2.0
#: Less than this nobody notices, whatever the ratio.
UNNOTICED = 0.2

PROGRAMS = {
    "a loop of a million lines": """
rows = []
for number in range(500_000):
    rows.append(number % 10)
""",
    "a function called 300,000 times": """
def code(text):
    kind = len(text)
    return kind % 3

codes = [code(text) for text in ["ab", "abc", "abcd"] * 100_000]
""",
    "a function of many short loops": """
def count(words):
    found = {}
    for word in words:
        found[word] = found.get(word, 0) + 1
    return found

for number in range(20_000):
    count(["a", "b", "a", "c"])
""",
    "a block of pandas": """
import numpy as np
import pandas as pd

generator = np.random.default_rng(0)
frame = pd.DataFrame({"a": generator.normal(size=4000), "label": generator.integers(0, 5, 4000)})
for _ in range(8):
    frame["b"] = frame["a"].rolling(5).mean()
    frame["c"] = frame.groupby("label")["a"].transform("mean")
    clean = frame.dropna().reset_index(drop=True)
    wide = clean.pivot_table(index="label", values=["a", "b"], aggfunc="mean")
    merged = clean.merge(wide.reset_index(), on="label", suffixes=("", "_mean"))
    words = merged["label"].map({0: "x", 1: "y", 2: "z", 3: "u", 4: "v"})
    codes = words.astype("category").cat.codes.to_numpy().astype("int64")
""",
    "two steps of a perceptron": """
import torch
from torch import nn

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = nn.Linear(64, 128)
        self.second = nn.Linear(128, 10)

    def forward(self, x):
        x = torch.relu(self.first(x))
        return self.second(x)

model = Net()
optimizer = torch.optim.Adam(model.parameters())
for step in range(2):
    x, y = torch.randn(64, 64), torch.randint(10, (64,))
    loss = nn.functional.cross_entropy(model(x), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
""",
    "two steps of a convolution": """
import torch
from torch import nn

model = nn.Sequential(nn.Conv2d(3, 32, 3), nn.ReLU(), nn.Conv2d(32, 64, 3), nn.AdaptiveAvgPool2d(1), nn.Flatten())
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for step in range(2):
    x, y = torch.randn(32, 3, 32, 32), torch.randint(10, (32,))
    loss = nn.functional.cross_entropy(model(x), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
""",
}


def seconds(code: Any, *, recorded: bool) -> float:
    """CPU seconds of one run."""
    scope: dict[str, Any] = {"__name__": "program"}
    start = time.process_time()
    if recorded:
        recorders.begin()
    exec(code, scope)  # noqa: S102 - our own program
    recorders.end()
    return time.process_time() - start


def main() -> int:
    """Print the figures, and say whether the recorder keeps within what it may cost."""
    torch.set_num_threads(1)
    dear = False
    for name, text in PROGRAMS.items():
        filename = f"<{name}>"
        linecache.cache[filename] = (len(text), None, text.splitlines(keepends=True), filename)
        code = compile(text, filename, "exec")
        seconds(code, recorded=False)
        pairs = [(seconds(code, recorded=False), seconds(code, recorded=True)) for _ in range(ROUNDS)]
        plain = statistics.median(one for one, _ in pairs)
        ratio = statistics.median(other / one for one, other in pairs)
        added = statistics.median(other - one for one, other in pairs)
        print(f"{name:<34}{plain * 1e3:8.1f} ms, recorded {ratio:5.2f} times, {added * 1e3:7.1f} ms more")
        dear |= (ratio > ALLOWED_RATIO and added > UNNOTICED) or added > ALLOWED_SECONDS
    print("dearer than it may be" if dear else "the recorder keeps within what it may cost")
    return 1 if dear else 0


if __name__ == "__main__":
    sys.exit(main())
