"""Notebooks: `%lossguard on|off`, `%%lossguard` for one cell, and a report that survives being converted."""

from __future__ import annotations

import re
import sys
from typing import Any

import pytest

import lossguard
from lossguard.guard import active
from lossguard.guard.calls import patching

pytestmark = pytest.mark.filterwarnings("default")

FIRST = """%load_ext lossguard
import torch, torch.nn.functional as F
x = torch.ones(8, 5).softmax(1)
y = torch.arange(8) % 5"""
SILENT = "loss = F.cross_entropy(x, y)\nloss.item() > 0"
CELLS = (
    FIRST,
    "%lossguard off",
    SILENT,
    f"%%lossguard\n{SILENT}",
    f"%%lossguard --allow LG303\n{SILENT}",
    "%%lossguard\n\nF.nll_loss(x.log(), y / 1)",
    "%%lossguard --strict\nF.cross_entropy(x, y)",
    "%lossguard on",
    "F.nll_loss(x.log(),\n    y / 1)",
)


@pytest.fixture(scope="module")
def notebook() -> Any:
    """A notebook that a kernel of its own has run."""
    client, form = pytest.importorskip("nbclient"), pytest.importorskip("nbformat")
    pytest.importorskip("ipykernel")
    made = form.v4.new_notebook(cells=[form.v4.new_code_cell(source) for source in CELLS])
    client.NotebookClient(made, allow_errors=True, timeout=600, kernel_name="python3").execute()
    return made


def shown(notebook: Any, number: int, kind: str = "text/plain") -> str:
    """What a cell has displayed, in one form."""
    outputs = notebook.cells[number - 1].outputs
    return "\n".join(each.data[kind] for each in outputs if kind in each.get("data", {}))


def test_a_cell_is_guarded_by_itself(notebook: Any) -> None:
    assert shown(notebook, 3) == "True"
    assert "at       Cell In[4], line 2    loss = F.cross_entropy(x, y)" in shown(notebook, 4)
    assert "origin   Cell In[1], line 3" in shown(notebook, 4)
    assert shown(notebook, 4).startswith("True\n")
    assert shown(notebook, 5) == "True\nsound"


def test_a_failing_cell_shows_one_traceback_and_what_was_found(notebook: Any) -> None:
    for number, place, kind in ((6, "line 3", "RuntimeError"), (7, "line 2", "LossValueError"), (9, "line 1", "")):
        errors = [each for each in notebook.cells[number - 1].outputs if each.output_type == "error"]
        assert len(errors) == 1
        assert kind in errors[0].ename
        assert f"at       Cell In[{number}], {place}" in shown(notebook, number)


def test_converted_to_html_it_folds_and_knows_dark_pages(notebook: Any) -> None:
    page, _ = pytest.importorskip("nbconvert").HTMLExporter().from_notebook_node(notebook)
    blocks = re.findall(r'<div class="lossguard".*?</details>.*?</div>', page, re.DOTALL)
    assert len(blocks) == 4
    for block in blocks:
        assert re.search(r'<details open(="")?><summary>', block)
        assert "prefers-color-scheme:dark" in block
        assert '[data-jp-theme-light="false"] .lossguard' in block


def test_a_cell_that_fails_is_a_failed_cell_and_unloading_leaves_nothing() -> None:
    interactive = pytest.importorskip("IPython.core.interactiveshell")
    shell = interactive.InteractiveShell.instance()
    try:
        shell.run_cell(FIRST, store_history=True)
        shell.run_cell("%lossguard off")
        assert not active.EVERYWHERE
        done = shell.run_cell("%%lossguard\nF.nll_loss(x.log(), y / 1)", store_history=True)
        assert isinstance(done.error_in_exec, RuntimeError)
        with pytest.warns(lossguard.LossWarning, match="LG303"):
            assert shell.run_cell(f"%%lossguard\n{SILENT}", store_history=True).success
        assert not shell.run_cell("%%lossguard --nonsense\n1").success
        shell.run_line_magic("unload_ext", "lossguard")
        assert patching.installed() == ()
        assert shell.find_cell_magic("lossguard") is None
    finally:
        interactive.InteractiveShell.clear_instance()
        sys.displayhook = sys.__displayhook__
