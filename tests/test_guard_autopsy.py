"""The autopsy: whatever wraps, groups or renames an exception, the loss in it is found, and the user's line."""

from __future__ import annotations

import sys
import warnings

import pytest
import torch
import torch.nn.functional as F  # noqa: N812 - its usual name
from torch import nn

import lossguard
from lossguard.guard.calls import patching


def fail() -> None:
    F.cross_entropy(torch.randn(3, 5), torch.tensor([0, 1, 7]))  # the loss


def caught(function: object = fail) -> Exception:
    try:
        function()  # type: ignore[operator]
    except Exception as error:  # noqa: BLE001 - whatever it is
        return error
    raise AssertionError("nothing was raised")


def test_a_bare_exception() -> None:
    error = caught()
    report = lossguard.autopsy(error)
    (finding,) = report.findings
    assert finding.code == "LG201"
    assert finding.place is not None
    assert finding.place.code.endswith("# the loss")
    assert finding.place.file.endswith("test_guard_autopsy.py")
    assert len(error.__notes__) == 1
    assert lossguard.autopsy(error) == report
    assert len(error.__notes__) == 1


def test_what_it_was_raised_from() -> None:
    def wrapped() -> None:
        try:
            fail()
        except IndexError as error:
            raise ValueError("step 7 failed") from error

    assert [finding.code for finding in lossguard.autopsy(caught(wrapped))] == ["LG201"]


def test_what_was_being_handled() -> None:
    def wrapped() -> None:
        try:
            fail()
        except IndexError:
            raise KeyError("while cleaning up")  # noqa: B904 - that is what people write

    assert [finding.code for finding in lossguard.autopsy(caught(wrapped))] == ["LG201"]


def test_a_group() -> None:
    group = ExceptionGroup("workers", [ValueError("other"), caught()])
    assert [finding.code for finding in lossguard.autopsy(group)] == ["LG201"]


def test_a_circle_of_causes_ends() -> None:
    one, other = ValueError("one"), ValueError("other")
    one.__cause__, other.__cause__ = other, one
    assert lossguard.autopsy(one).findings == ()


def test_errors_of_torchs_python_code() -> None:
    error = caught(lambda: F.binary_cross_entropy(torch.rand(4, 2), torch.rand(4)))
    assert [finding.code for finding in lossguard.autopsy(error)] == ["LG405"]


def test_a_class_called_like_a_function() -> None:
    error = caught(lambda: nn.CrossEntropyLoss(torch.randn(3, 5), torch.tensor([0, 1, 2])))
    assert lossguard.autopsy(error).findings[0].code == "LG504"


def test_a_loss_inside_a_module_of_the_users() -> None:
    class Mine(nn.Module):
        def forward(self, x: torch.Tensor) -> torch.Tensor:
            return F.nll_loss(x, torch.tensor([0.0, 1.0]))  # mine

    error = caught(lambda: Mine()(torch.randn(2, 3).log_softmax(1)))
    (finding,) = lossguard.autopsy(error).findings
    assert finding.code == "LG101"
    assert finding.place is not None
    assert finding.place.code.endswith("# mine")


def test_what_has_no_loss_in_it_is_not_blamed_on_one() -> None:
    error = caught(lambda: torch.randn(2, 3) @ torch.randn(2, 3))
    report = lossguard.autopsy(error)
    assert report.findings == ()
    assert report.verdict in {"unrelated", "unknown"}
    assert not hasattr(error, "__notes__")


@pytest.mark.filterwarnings("ignore:.*torch.jit.script")
def test_scripted_code_is_explained_by_its_words() -> None:
    pytest.importorskip("lossguard.explain.explaining")

    def scripted(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
        return F.cross_entropy(x, y)

    function = torch.jit.script(scripted)
    error = caught(lambda: function(torch.randn(3, 5), torch.tensor([0, 1, 7])))
    assert [finding.code for finding in lossguard.autopsy(error)] == ["LG201"]


def test_compiled_code_keeps_the_frame_of_the_loss() -> None:
    try:
        compiled = torch.compile(F.cross_entropy, backend="eager")
    except AssertionError:
        pytest.skip("torch 2.6 compiles no function of its own by itself")
    error = caught(lambda: compiled(torch.randn(3, 5), torch.tensor([0, 1, 7])))
    assert [finding.code for finding in lossguard.autopsy(error)] == ["LG201"]
    torch._dynamo.reset()


def test_an_exception_without_a_traceback() -> None:
    assert lossguard.autopsy(ValueError("nothing known")).findings == ()


def test_running_out_of_memory_in_a_loss_is_no_fault_of_the_loss(monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        raise torch.OutOfMemoryError("CUDA out of memory")

    monkeypatch.setattr(torch._C._nn, "cross_entropy_loss", full)
    error = caught(lambda: F.cross_entropy(torch.randn(3, 5), torch.tensor([0, 1, 2])))
    assert lossguard.autopsy(error).findings == ()


def test_the_shell_of_ipython_is_guarded_and_shows_findings(capsys: pytest.CaptureFixture[str]) -> None:
    interactive = pytest.importorskip("IPython.core.interactiveshell")
    shell = interactive.InteractiveShell.instance()
    try:
        shell.run_line_magic("load_ext", "lossguard")
        assert patching.installed() != ()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            shell.run_cell("import torch\ntorch.nn.functional.nll_loss(torch.randn(2, 3), torch.tensor([0., 1.]))")
        shown = capsys.readouterr().out
        assert "LG101" in shown
        assert "RuntimeError" in shown
        shell.run_line_magic("unload_ext", "lossguard")
        assert patching.installed() == ()
    finally:
        interactive.InteractiveShell.clear_instance()
        sys.displayhook = sys.__displayhook__
