"""LG101: two cells of a notebook."""

import torch
import torch.nn.functional as F
from torch import nn

import linecache

CELLS = [
    "import torch\nraw = [3, 1, 2, 4] * 10\nlabels = torch.Tensor(raw)  # guilty\n",
    "from torch import nn\nimport torch.nn.functional as F\nmodel = nn.Linear(3, 5)\n"
    "loss = F.cross_entropy(model(torch.ones(40, 3)), labels)\n",
]
notebook = {"__name__": "__main__"}
for number, cell in enumerate(CELLS, 1):
    name = f"<ipython-input-{number}-0a1b2c3d>"
    linecache.cache[name] = (len(cell), None, cell.splitlines(keepends=True), name)
    exec(compile(cell, name, "exec"), notebook)
