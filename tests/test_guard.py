"""The guard inside a process: what it says, how often, whom it leaves alone, and what it leaves behind."""

from __future__ import annotations

import pickle
import threading
import warnings
from pathlib import Path

import pytest
import torch
import torch.nn.functional as F  # noqa: N812 - its usual name
from torch import nn

import lossguard
from lossguard.guard.calls import examining, patching
from lossguard.guard.calls.sites import is_due
from lossguard.rules.registry import UnknownRule


def logits(rows: int = 4, classes: int = 5, seed: int = 0) -> torch.Tensor:
    return 3 * torch.randn(rows, classes, generator=torch.Generator().manual_seed(seed))


def codes(watch: lossguard.guard) -> list[str]:
    return [finding.code for finding in watch.report]


LABELS = torch.tensor([0, 1, 2, 3])


def test_an_exception_keeps_type_and_text_and_gets_one_note() -> None:
    with pytest.raises(RuntimeError) as plain:
        F.cross_entropy(logits(), LABELS.float())
    with lossguard.guard() as watch, pytest.raises(RuntimeError) as caught:
        F.cross_entropy(logits(), LABELS.float())
    assert (type(caught.value), str(caught.value)) == (type(plain.value), str(plain.value))
    assert len(caught.value.__notes__) == 1
    assert "LG101" in caught.value.__notes__[0]
    lossguard.autopsy(caught.value)
    assert len(caught.value.__notes__) == 1
    assert codes(watch) == ["LG101"]


def test_what_torch_accepts_is_said_once_for_each_call_site() -> None:
    with lossguard.guard() as watch, warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        for _ in range(40):
            F.nll_loss(logits(), LABELS)
        F.nll_loss(logits(), LABELS)
    assert [warning.category for warning in said] == [lossguard.LossWarning] * 2
    assert {warning.filename for warning in said} == {__file__}
    assert codes(watch) == ["LG301", "LG301"]
    assert watch.report.findings[0].evidence["first_step"] == 1


def test_every_trip_is_counted_but_not_every_one_is_looked_at() -> None:
    scores = torch.tensor([[5.0, -1.0], [-2.0, 7.0]])
    with lossguard.guard() as watch, warnings.catch_warnings():
        warnings.simplefilter("ignore", lossguard.LossWarning)
        for _ in range(100):
            F.nll_loss(scores, torch.tensor([0, 1]))
    assert watch.report.findings[0].evidence["times"] == 100


def test_the_deep_look_comes_at_powers_of_two() -> None:
    assert [number for number in range(1, 40) if is_due(number)] == [1, 2, 4, 8, 16, 32]


@pytest.mark.parametrize(("deep", "found"), [("always", ["LG303"]), ("never", []), ("schedule", [])])
def test_deep_says_when_the_input_is_looked_at(deep: str, found: list[str]) -> None:
    """The third call of a site is none of the schedule's."""
    given = [logits(), logits(), logits().softmax(1)]
    with warnings.catch_warnings(), lossguard.guard(deep=deep) as watch:  # type: ignore[arg-type]
        warnings.simplefilter("ignore", lossguard.LossWarning)
        for scores in given:
            F.cross_entropy(scores, LABELS)
    assert codes(watch) == found


def test_a_nan_loss_is_looked_at_whenever_it_comes() -> None:
    with lossguard.guard() as watch, warnings.catch_warnings():
        warnings.simplefilter("ignore", lossguard.LossWarning)
        for labels in [LABELS] * 6 + [torch.full((4,), -100)]:
            F.cross_entropy(logits(), labels)
    assert codes(watch) == ["LG208"]
    assert watch.report.findings[0].evidence["first_step"] == 7


def test_an_infinite_loss_is_looked_at_whenever_it_comes() -> None:
    with lossguard.guard() as watch, warnings.catch_warnings():
        warnings.simplefilter("ignore", lossguard.LossWarning)
        for target in [torch.ones(4)] * 6 + [torch.tensor([0.0, 1.0, float("-inf"), 2.0])]:
            F.smooth_l1_loss(torch.zeros(4), target)
    assert codes(watch) == ["LG203"]
    assert watch.report.findings[0].evidence["first_step"] == 7


def test_after_a_nan_loss_the_weights_are_at_fault_and_no_line_is() -> None:
    """One step makes them NaN; the scores of the next are a consequence, with gradients and without."""
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(3, 4), nn.ReLU(), nn.Linear(4, 1))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    x, bad = torch.randn(5, 3), torch.tensor([[1.0], [0.0], [float("nan")], [1.0], [2.0]])
    with lossguard.guard() as watch, warnings.catch_warnings():
        warnings.simplefilter("ignore", lossguard.LossWarning)
        for target in (bad, torch.ones(5, 1)):
            optimizer.zero_grad()
            F.mse_loss(model(x), target).backward()
            optimizer.step()
        with torch.no_grad():
            F.mse_loss(model(x), torch.ones(5, 1))
    assert codes(watch) == ["LG203", "LG207", "LG207"]
    for finding in watch.report.findings[1:]:
        assert "weights" in finding.cause
        assert not finding.origin


def test_a_table_of_nan_is_no_failure_of_the_lookup() -> None:
    with lossguard.guard(strict=True):
        assert F.embedding(torch.tensor([0, 1]), torch.full((2, 3), float("nan"))).isnan().all()


def test_strict_raises_what_would_be_a_warning() -> None:
    with lossguard.guard(strict=True), pytest.raises(lossguard.LossError, match="LG301") as caught:
        F.nll_loss(logits(), LABELS)
    assert caught.value.report.findings[0].code == "LG301"
    again = pickle.loads(pickle.dumps(caught.value))  # noqa: S301 - our own bytes
    assert (type(again), str(again)) == (type(caught.value), str(caught.value))


def test_a_warning_can_be_made_an_error_by_the_standard_filters() -> None:
    with warnings.catch_warnings(), lossguard.guard():
        warnings.simplefilter("error", lossguard.LossWarning)
        with pytest.raises(lossguard.LossWarning):
            F.nll_loss(logits(), LABELS)


def test_a_ctc_label_of_minus_one_is_an_exception_and_no_abort() -> None:
    log_probs = torch.randn(10, 2, 5).log_softmax(2).requires_grad_()
    lengths = torch.tensor([10, 10]), torch.tensor([3, 3])
    with lossguard.guard(), pytest.raises(IndexError, match="LG211") as caught:
        F.ctc_loss(log_probs, torch.tensor([[1, -1, 2], [3, 2, 1]]), *lengths)
    assert isinstance(caught.value, lossguard.LossError)


def test_a_ctc_label_is_checked_at_every_call() -> None:
    log_probs, lengths = torch.randn(10, 1, 5).log_softmax(2), (torch.tensor([10]), torch.tensor([1]))
    with lossguard.guard():
        for label in (1, 2, 3, 4, 1, 2):
            F.ctc_loss(log_probs, torch.tensor([[label]]), *lengths)
        with pytest.raises(lossguard.LossError, match="LG211"):
            F.ctc_loss(log_probs, torch.tensor([[500]]), *lengths)


def test_fix_goes_on_and_says_so_once() -> None:
    expected = F.cross_entropy(logits(), LABELS)
    with lossguard.guard(fix=True) as watch, warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        for _ in range(3):
            assert torch.equal(F.cross_entropy(logits(), LABELS.double()), expected)
            assert torch.equal(nn.CrossEntropyLoss()(logits(), LABELS.unsqueeze(1).float()), expected)
    assert len(said) == 3
    assert all("fixed" in str(warning.message) for warning in said)
    assert {finding.severity for finding in watch.report} == {"warning"}


def test_fix_refuses_what_would_lose_a_label() -> None:
    with lossguard.guard(fix=True) as watch, pytest.raises(RuntimeError) as caught:
        F.cross_entropy(logits(), torch.tensor([0.0, 1.5, 2.0, 3.0]))
    assert "LG204" in caught.value.__notes__[0]
    assert codes(watch) == ["LG204"]


def test_fix_reaches_a_loss_below_two_wrappers() -> None:
    scores = torch.rand(4, 1)
    target = torch.tensor([0.0, 1.0, 1.0, 0.0])
    with warnings.catch_warnings(), lossguard.guard(fix=True) as watch:
        warnings.simplefilter("ignore", lossguard.LossWarning)
        fixed = F.binary_cross_entropy(scores, target.unsqueeze(1).long())
    assert torch.equal(fixed, F.binary_cross_entropy(scores, target.unsqueeze(1)))
    assert codes(watch) == ["LG104"]


def test_allow_takes_codes_and_names_and_lists_the_nearest_of_others() -> None:
    with lossguard.guard(allow=["logits-as-log-probabilities"]) as watch:
        F.nll_loss(logits(), LABELS)
    assert codes(watch) == []
    with pytest.raises(UnknownRule, match="logits-as-log-probabilities"):
        lossguard.guard(allow=["logits-as-log-probability"])


def test_a_remark_on_the_line_allows() -> None:
    with lossguard.guard() as watch:
        F.nll_loss(logits(), LABELS)  # lossguard: allow LG301
        F.nll_loss(
            logits(),
            LABELS,
        )  # lossguard: allow logits-as-log-probabilities
    assert codes(watch) == []


def test_a_remark_that_names_no_rule_says_so() -> None:
    with lossguard.guard(), warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        F.nll_loss(logits(), LABELS)  # lossguard: allow LG999
    assert "no rule 'LG999'" in str(said[0].message)
    assert "LG301" in str(said[1].message)


def test_the_project_file_allows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    project = tmp_path / "pyproject.toml"
    (tmp_path / "deep").mkdir()
    monkeypatch.chdir(tmp_path / "deep")
    project.write_text('[tool.lossguard]\nallow = ["LG301"]\n')
    with lossguard.guard() as watch:
        F.nll_loss(logits(), LABELS)
    assert codes(watch) == []
    project.write_text('[tool.lossguard]\nallow = ["LG31"]\n')
    with pytest.raises(UnknownRule, match=r"pyproject\.toml.*LG301"):
        lossguard.guard()


def test_a_wrong_depth_lists_the_right_ones() -> None:
    with pytest.raises(ValueError, match="'schedule', 'always', 'never'"):
        lossguard.guard(deep="sometimes")  # type: ignore[arg-type]


def originals() -> dict[tuple[str, str], object]:
    return {(each.owner.__name__, each.name): each.torchs_own for each in patching._prepared()[0]}


def assert_torch_is_as_before() -> None:
    assert patching.installed() == ()
    assert len(originals()) > 25
    for each in patching._prepared()[0]:
        assert getattr(each.owner, each.name) is each.torchs_own
    for function in patching._prepared()[1]:
        assert function.function.__code__ is function._original


def test_afterwards_every_name_is_the_original() -> None:
    with lossguard.guard():
        assert torch._C._nn.cross_entropy_loss is not originals()["torch._C._nn", "cross_entropy_loss"]
        with lossguard.guard():
            pass
        assert patching.installed() != ()
    assert_torch_is_as_before()


def test_a_crash_inside_leaves_nothing_behind() -> None:
    with pytest.raises(KeyboardInterrupt), lossguard.guard(), lossguard.guard():
        raise KeyboardInterrupt
    assert_torch_is_as_before()


def test_one_guard_may_be_entered_twice() -> None:
    watch = lossguard.guard()
    with watch, watch, warnings.catch_warnings():
        warnings.simplefilter("ignore", lossguard.LossWarning)
        F.nll_loss(logits(), LABELS)
    assert_torch_is_as_before()
    assert codes(watch) == ["LG301"]


def test_a_decorated_function_is_guarded() -> None:
    watch = lossguard.guard()

    @watch
    def step(scores: torch.Tensor) -> torch.Tensor:
        """A step."""
        return F.nll_loss(scores, LABELS)

    with pytest.warns(lossguard.LossWarning, match="LG301"):
        step(logits())
    assert step.__doc__ == "A step."
    assert_torch_is_as_before()


def test_install_lasts_until_remove() -> None:
    watch = lossguard.guard().install()
    try:
        with pytest.warns(lossguard.LossWarning, match="LG301"):
            F.nll_loss(logits(), LABELS)
    finally:
        watch.remove()
        watch.remove()
    assert_torch_is_as_before()


def test_outside_a_guard_nothing_is_said_while_another_thread_has_one() -> None:
    entered, leave = threading.Event(), threading.Event()
    watch = lossguard.guard()

    def other() -> None:
        with watch:
            entered.set()
            leave.wait(10)

    thread = threading.Thread(target=other)
    thread.start()
    entered.wait(10)
    F.nll_loss(logits(), LABELS)
    leave.set()
    thread.join()
    assert codes(watch) == []


def test_eight_threads_at_once_each_with_its_own_guard() -> None:
    reports: dict[int, list[str]] = {}
    expected = F.cross_entropy(logits(), LABELS)

    def work(number: int) -> None:
        with lossguard.guard(allow=["LG301"] if number % 2 else []) as watch:
            for _ in range(50):
                F.nll_loss(logits(), LABELS)
                assert torch.equal(F.cross_entropy(logits(), LABELS), expected)
            reports[number] = codes(watch)

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", lossguard.LossWarning)
        threads = [threading.Thread(target=work, args=(number,)) for number in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert reports == {number: [] if number % 2 else ["LG301"] for number in range(8)}
    assert_torch_is_as_before()


def test_a_guard_of_the_main_thread_covers_threads_without_one() -> None:
    with warnings.catch_warnings(), lossguard.guard() as watch:
        warnings.simplefilter("ignore", lossguard.LossWarning)
        threads = [threading.Thread(target=F.nll_loss, args=(logits(), LABELS)) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert codes(watch) == ["LG301"]


def test_trouble_of_our_own_never_reaches_the_program(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object, **__: object) -> None:
        raise ZeroDivisionError("our own")

    monkeypatch.setattr(examining, "look", fail)
    with lossguard.guard() as watch:
        expected = F.cross_entropy(logits(), LABELS)
        with pytest.raises(RuntimeError):
            F.cross_entropy(logits(), LABELS.float())
    assert torch.equal(expected, F.cross_entropy(logits(), LABELS))
    assert watch.session.troubles == ["ZeroDivisionError: our own"]


def test_lost_weights_are_told_after_the_fault_that_lost_them() -> None:
    model = nn.Linear(2, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    target = torch.tensor([0.0, -torch.inf])
    with lossguard.guard() as watch, warnings.catch_warnings(action="ignore"):
        for _ in range(2):
            optimizer.zero_grad()
            F.mse_loss(model(torch.ones(2, 2)).squeeze(1), target).backward()
            optimizer.step()
    assert codes(watch) == ["LG203", "LG207"]
    assert [finding.is_error for finding in watch.report] == [False, True]
