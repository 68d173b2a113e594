"""What a guard must not leave behind: notes, frames, memory, warnings, threads, entries of a profile."""

from __future__ import annotations

import copy
import gc
import io
import json
import pickle
import subprocess
import sys
import textwrap
import traceback
import warnings
import weakref
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
import torch.nn.functional as F  # noqa: N812 - its usual name
from torch.profiler import ProfilerActivity, profile
from torch.utils.data import DataLoader, Dataset

import lossguard
from lossguard.facts.torch_versions import one_thread, version_of, why_unsupported
from lossguard.facts.unwarned import unwarned
from lossguard.findings import Severity
from lossguard.guard.errors import attach, reported
from lossguard.guard.looking import outcome_of
from lossguard.tracing.batches.loaders import streams

X = torch.randn(6, 5, generator=torch.Generator().manual_seed(1))
Y = torch.tensor([0, 1, 2, 3, 4, 0])
LOUD = X * 5 + 9
quiet = pytest.mark.filterwarnings("ignore::lossguard.LossWarning")

FAILING: list[Callable[[], Any]] = [
    lambda: F.cross_entropy(X, Y + 9),
    lambda: F.nll_loss(X, Y.float()),
    lambda: F.binary_cross_entropy(X.sigmoid(), Y),
    lambda: F.gaussian_nll_loss(X, X, -X.abs()),
    lambda: torch.gather(X, 1, Y[:, None] + 9),
    lambda: torch.gather(X, dim=1, index=Y[:, None] + 9),
    lambda: torch.ctc_loss(X, Y, Y, Y, 0, 9),
    lambda: F.embedding(Y + 9, X),
    lambda: X.take_along_dim(Y.float()[:, None], 1),
    lambda: F.cross_entropy(X, target=Y.tolist()),  # type: ignore[arg-type]
]


def failure(call: Callable[[], Any]) -> tuple[type, str, list[tuple[str, int]], list[str]]:
    """How a call fails, as a program sees it."""
    with pytest.raises(Exception) as caught:  # noqa: PT011 - whatever it is, it must be the same
        call()
    frames = [(frame.filename, frame.lineno or 0) for frame in traceback.extract_tb(caught.value.__traceback__)][1:]
    return caught.type, str(caught.value), frames, getattr(caught.value, "__notes__", [])


@pytest.mark.parametrize("call", FAILING)
def test_an_exception_has_its_own_type_text_and_frames(call: Callable[[], Any]) -> None:
    plain = failure(call)
    with lossguard.guard() as watch:
        guarded = [failure(call) for _ in range(3)]
    assert [each[:3] for each in guarded] == [plain[:3]] * 3
    assert watch.session.troubles == []


def test_without_notes_the_exception_is_left_alone_and_an_autopsy_tells() -> None:
    with lossguard.guard(notes=False) as watch:
        with pytest.raises(IndexError, match=r"out of bounds\.$") as caught:
            F.cross_entropy(X, Y + 9)
        assert not hasattr(caught.value, "__notes__")
        assert [finding.code for finding in lossguard.autopsy(caught.value).findings] == ["LG201"]
    assert [finding.code for finding in watch.report.findings] == ["LG201"]
    with pytest.raises(RuntimeError) as left, lossguard.guard(notes=False):
        torch.linspace(0, 1, 3) @ torch.ones(9, 9)  # explained by its words, if at all
    assert not hasattr(left.value, "__notes__")


def test_what_we_refuse_ends_at_the_users_line() -> None:
    with lossguard.guard(strict=True), pytest.raises(lossguard.LossError) as caught:
        F.nll_loss(LOUD, Y)
    names = [frame.filename for frame in traceback.extract_tb(caught.value.__traceback__)]
    assert not any("lossguard" in name.replace("\\", "/").split("/src/")[-1].split("/")[0] for name in names)
    assert names[-1].endswith("functional.py")


def test_an_error_that_is_not_explained_at_once_is_explained_when_it_leaves() -> None:
    def fail(index: torch.Tensor) -> None:
        torch.gather(X, 1, index)

    def leave_with(error: BaseException, watch: lossguard.guard) -> None:
        with watch:
            raise error

    with lossguard.guard() as watch:
        for _ in range(70):
            with pytest.raises(RuntimeError) as caught:
                fail(Y[:, None] + 9)
        assert reported(caught.value) is None
        sent = pickle.loads(pickle.dumps(caught.value))  # noqa: S301 - our own bytes
        assert sent.lossguard_call is None
        with pytest.raises(RuntimeError):
            leave_with(caught.value, watch)
    assert [finding.code for finding in lossguard.autopsy(caught.value).findings] == ["LG210"]
    assert len(caught.value.__notes__) == 1


def test_one_fault_is_told_once_on_one_exception() -> None:
    with lossguard.guard(), pytest.raises(IndexError) as first:
        F.cross_entropy(X, Y + 9)
    report = lossguard.autopsy(first.value)
    again = IndexError(f"Caught IndexError in worker 0.\n{''.join(traceback.format_exception(first.value))}")
    attach(again, report)
    assert reported(again) is report
    assert not hasattr(again, "__notes__")


class Stubborn(Exception):
    """An exception that answers no question and takes no note."""

    def __getattr__(self, name: str) -> Any:
        raise KeyError(name)

    def __setattr__(self, name: str, value: Any) -> None:
        raise KeyError(name)

    def add_note(self, note: str) -> None:
        """Take no note."""
        raise KeyError(note)


class Duck:
    """What stands for a tensor and fails in a way of its own."""

    @classmethod
    def __torch_function__(cls, *_: Any, **__: Any) -> Any:
        raise Stubborn


class Odd(torch.Tensor):
    """A tensor that does not answer every question."""

    __torch_function__ = torch._C._disabled_torch_function_impl  # type: ignore[assignment]

    @property
    def layout(self) -> Any:  # type: ignore[override]
        """Nothing that is told."""
        raise AttributeError("no layout here")

    @property
    def device(self) -> Any:  # type: ignore[override]
        """Nothing that is told."""
        raise LookupError("no device here")


@quiet
def test_odd_tensors_and_exceptions_are_the_programs_own() -> None:
    odd: Any = X.as_subclass(Odd)
    duck: Any = Duck()
    with lossguard.guard(deep="always") as watch:
        for _ in range(3):
            assert torch.gather(odd, 1, Y[:, None]).shape == (6, 1)
            F.cross_entropy(odd, Y)
            with pytest.raises(Stubborn):
                torch.gather(duck, 1, Y[:, None])
            with pytest.raises(Stubborn):
                F.mse_loss(duck, X)
    assert lossguard.check("cross_entropy", odd, Y).verdict is not None
    del watch
    error = Stubborn()
    attach(error, lossguard.check("cross_entropy", X, Y.float()))
    assert reported(error) is not None


def test_a_fault_that_was_warned_of_and_then_raised_is_one_finding_and_broken() -> None:
    with lossguard.guard() as watch:
        with pytest.warns(lossguard.LossWarning):
            F.nll_loss(LOUD, Y)
        (finding,) = watch.report.findings
        assert watch.report.verdict == "suspicious"
        (site,) = watch.session.sites.values()
        from dataclasses import replace

        raised = replace(finding, severity=Severity.ERROR, refused=True, samples=())
        watch.session.ledger.enter(site.key, raised, 2)
        watch.session.ledger.add_new([raised])
    (found,) = watch.report.findings
    assert (found.is_error, found.evidence["times"], found.evidence["first_step"]) == (True, 2, 1)
    assert found.samples == finding.samples
    assert watch.report.verdict == "broken"


def test_what_was_warned_of_and_fails_in_the_backward_pass_is_one_finding(tmp_path: Path) -> None:
    program = tmp_path / "main.py"
    program.write_text(
        "import numpy as np, torch\n"
        "wanted = torch.from_numpy(np.ones((4, 1)))\n"
        "loss = torch.nn.functional.huber_loss(torch.nn.Linear(2, 1)(torch.rand(4, 2)), wanted)\n"
        "loss.backward()\n"
    )
    words = [sys.executable, "-m", "lossguard", "run", "--report", "report.json", "main.py"]
    result = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, check=False)
    report = json.loads((tmp_path / "report.json").read_text())
    (finding,) = report["findings"]
    assert (report["verdict"], finding["code"], finding["severity"]) == ("broken", "LG105", "error")
    assert (finding["place"]["line"], finding["origin"][0]["line"]) == (3, 2)
    assert "Found dtype Double but expected Float" in finding["torch_says"]
    assert result.returncode == 1


def test_an_exception_is_loaded_where_there_is_no_lossguard() -> None:
    class Elsewhere(pickle.Unpickler):  # noqa: S301 - our own bytes
        def find_class(self, module: str, name: str) -> Any:
            assert not module.startswith("lossguard")
            return super().find_class(module, name)

    with lossguard.guard(), pytest.raises(IndexError) as caught:
        F.cross_entropy(X, Y + 9)
    sent = Elsewhere(io.BytesIO(pickle.dumps(caught.value))).load()
    assert sent.__notes__ == caught.value.__notes__
    assert reported(sent) == reported(copy.deepcopy(caught.value)) == reported(caught.value) is not None
    assert lossguard.autopsy(sent) == reported(caught.value)
    sent.lossguard_report = b"of another version"
    assert reported(sent) is None


def test_settings_are_not_kept_alive() -> None:
    def distance(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        return (a - b).abs().sum(1)

    class Closing:
        """A distance that is an object of its own."""

        def __call__(self, a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
            return distance(a, b)

    with lossguard.guard():
        closing = Closing()
        seen = weakref.ref(closing)
        for _ in range(3):
            F.triplet_margin_with_distance_loss(X, X + 1, X - 1, distance_function=closing)
        del closing
        gc.collect()
        assert seen() is None


class Large(Dataset[Any]):
    """Samples of 40 MB, in every kind of batch."""

    def __len__(self) -> int:
        return 3

    def __getitem__(self, index: int) -> Any:
        return {"x": [torch.zeros(10_000_000), "name"], "y": torch.tensor(index)}


def test_what_is_large_in_a_batch_lives_no_longer_than_in_the_program() -> None:
    with lossguard.guard():
        for batch in DataLoader(Large(), batch_size=1, collate_fn=lambda samples: samples[0]):
            (stream,) = streams()
            assert stream.batch["x"][0] is batch["x"][0]
            del stream
            seen = weakref.ref(batch["x"][0])
            kept = batch["y"]
            batch["x"][0] = None
            assert seen() is None
            (stream,) = streams()
            assert stream.batch["x"][0] is None
            assert stream.batch["y"] is kept


def test_a_large_result_is_counted_without_a_copy() -> None:
    result = torch.zeros(3_000_000)
    with profile(activities=[ProfilerActivity.CPU], profile_memory=True) as seen:
        assert outcome_of(result) is not None
    most = max(event.self_cpu_memory_usage for event in seen.key_averages())
    assert most < 100_000
    result[7], result[2_000_000] = float("nan"), float("-inf")
    found = outcome_of(result)
    assert found is not None
    assert (found.nan, found.infinite) == (1, 1)
    assert outcome_of(torch.zeros(0)) is not None


def names(seen: Any) -> list[str]:
    return sorted({event.key for event in seen.key_averages()})


def test_a_profile_shows_the_program_alone() -> None:
    def work() -> None:
        for _ in range(3):
            F.cross_entropy(X, Y)
            F.multi_margin_loss(X, Y)
            F.binary_cross_entropy_with_logits(X, X.sigmoid())

    with profile(activities=[ProfilerActivity.CPU]) as plain:
        work()
    with lossguard.guard(), profile(activities=[ProfilerActivity.CPU]) as guarded:
        work()
    with lossguard.guard(deep="always"), profile(activities=[ProfilerActivity.CPU]) as always:
        work()
    assert names(guarded) == names(always) == names(plain)


@pytest.mark.parametrize("kind", [Warning, UserWarning])
def test_a_filter_for_all_warnings_does_not_end_a_program_that_works(kind: type[Warning]) -> None:
    with warnings.catch_warnings(record=True) as recorded, lossguard.guard() as watch:
        warnings.simplefilter("error", kind)
        F.nll_loss(LOUD, Y)
    assert [str(each.message)[:14] for each in recorded] == ["warning[LG301]"]
    assert [finding.code for finding in watch.report.findings] == ["LG301"]


def test_a_filter_for_our_warnings_makes_errors_of_them() -> None:
    with warnings.catch_warnings(), lossguard.guard():
        warnings.simplefilter("error", lossguard.LossWarning)
        with pytest.raises(lossguard.LossWarning):
            F.nll_loss(LOUD, Y)


@pytest.mark.parametrize("action", ["always", "error"])
def test_a_way_to_show_warnings_that_fails_at_ours_is_no_trouble(action: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: Any, **__: Any) -> None:
        raise KeyError("our own")

    with warnings.catch_warnings(), lossguard.guard() as watch:
        monkeypatch.setattr(warnings, "showwarning", fail)
        warnings.simplefilter(action)
        F.nll_loss(LOUD, Y)
    assert [finding.code for finding in watch.report.findings] == ["LG301"]
    assert watch.session.troubles == []


def test_a_stack_that_the_program_has_used_up_is_no_trouble_of_ours() -> None:
    def deep(left: int) -> torch.Tensor:
        return deep(left - 1) if left else F.nll_loss(LOUD, Y + 9)

    limit, kinds = sys.getrecursionlimit(), set()
    here = len(traceback.extract_stack())
    with lossguard.guard(record="off") as watch:
        sys.setrecursionlimit(here + 150)
        try:
            for left in range(60, 150, 3):
                with pytest.raises((IndexError, RecursionError)) as caught:
                    deep(left)
                kinds.add(caught.type)
        finally:
            sys.setrecursionlimit(limit)
    assert kinds == {IndexError, RecursionError}
    assert watch.session.troubles == []


def test_a_line_of_no_module_is_warned_of_too() -> None:
    space: dict[str, Any] = {"F": F, "x": LOUD, "y": Y}
    with lossguard.guard(), pytest.warns(lossguard.LossWarning):
        exec(compile("F.nll_loss(x, y)", "cell", "exec"), space)  # noqa: S102 - as a notebook does


def test_looking_does_not_show_a_programs_warnings_again() -> None:
    registry: dict[Any, Any] = {}

    def warn() -> None:
        warnings.warn_explicit("mine", UserWarning, "program.py", 1, "program", registry)

    with warnings.catch_warnings(record=True) as recorded:
        warnings.simplefilter("default")
        warn()
        before = list(warnings.filters)
        lossguard.check("mse_loss", X, X[:, :1])
        with lossguard.guard(deep="always"):
            F.cross_entropy(X, Y)
        with unwarned():
            warnings.warn("ours", stacklevel=1)
        warn()
        assert list(warnings.filters) == before
    assert [str(each.message) for each in recorded] == ["mine"]


def test_keywords_go_the_short_way_too(monkeypatch: pytest.MonkeyPatch) -> None:
    from lossguard.guard.calls import preparing, wrapping

    taken: list[str] = []

    def prepared(session: Any, entry: Any, *rest: Any) -> Any:
        taken.append(entry.loss)
        return preparing.prepared(session, entry, *rest)

    monkeypatch.setattr(wrapping, "prepared", prepared)
    index = Y[:, None]
    calls: list[Callable[[], Any]] = [
        lambda: torch.gather(X, dim=1, index=index),
        lambda: torch.gather(X, 1, index=index, sparse_grad=False),
        lambda: F.one_hot(Y, num_classes=5),
        lambda: F.one_hot(num_classes=5, input=Y),  # type: ignore[call-arg] # torch has this word
        lambda: F.kl_div(X.log_softmax(1), X.softmax(1), reduction="batchmean", log_target=False),
        lambda: torch.embedding(weight=X, indices=Y),
        lambda: torch.index_select(index=Y[:2], dim=0, input=X),
    ]
    for call in calls:
        plain = call()
        with lossguard.guard() as watch:
            assert all(torch.equal(call(), plain) for _ in range(6))
        assert watch.session.troubles == []
    assert len(taken) == len(calls)


def one_hot_of(classes: int, **given: Any) -> torch.Tensor:
    return F.one_hot(Y, **given) if given else F.one_hot(Y, classes)


def test_settings_given_by_name_are_settings() -> None:
    with lossguard.guard():
        for classes in (5, 6, 5, 7):
            assert one_hot_of(0, num_classes=classes).shape == (6, classes)
        for _ in range(3):
            F.kl_div(X.log_softmax(1), X.log_softmax(1), reduction="sum", log_target=True)
        with pytest.raises(RuntimeError):
            one_hot_of(0, num_classes=2)


def test_looks_are_taken_on_one_thread_and_the_number_stays() -> None:
    before = torch.get_num_threads()
    with one_thread():
        if sys.platform == "linux":
            assert torch.get_num_threads() == 1
        with one_thread():
            pass
    assert torch.get_num_threads() == before


@pytest.mark.skipif(sys.platform != "linux", reason="there a process is seldom forked")
def test_a_forked_child_can_compute_after_a_look() -> None:
    program = """
        import multiprocessing, warnings, torch, torch.nn.functional as F, lossguard
        warnings.simplefilter("ignore")
        x, y = torch.randn(4, 3), torch.tensor([0, 1, 2, 0])
        def child(queue):
            queue.put(x.max(1).values.sum().item())
        with lossguard.guard(deep="always"):
            F.multi_margin_loss(x, y), F.nll_loss(x * 5 + 9, y), F.mse_loss(x, x)
            lossguard.check("cross_entropy", x, y)  # runs it, too
            lossguard.check("mse_loss", torch.zeros(100, 300), torch.zeros(100, 300))
            context = multiprocessing.get_context("fork")
            queue = context.Queue()
            process = context.Process(target=child, args=(queue,))
            process.start()
            process.join(600)
            print("ended", not process.is_alive())
            process.kill()
    """
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(program)], capture_output=True, text=True, timeout=600, check=False
    )
    assert done.stdout == "ended True\n", done.stderr


def test_an_old_torch_is_named_in_one_sentence() -> None:
    assert why_unsupported("2.2.0+cu121") is None
    assert why_unsupported("2.15.0a0+git123") is None
    said = why_unsupported("1.13.1")
    assert said == "torch 1.13.1 is too old: lossguard supports torch 2.2 and later"
    assert [version_of(text) for text in ("2.10.0", "2", "3.0rc1")] == [(2, 10), (2, 0), (3, 0)]
