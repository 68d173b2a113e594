"""Cases that no other test has: each is here because a change of the code once went unnoticed without it."""

from __future__ import annotations

from typing import Any

import pytest
import torch

import lossguard
from lossguard import CannotFix
from lossguard.contracts.contract import Bounds
from lossguard.explain.candidates import _agree
from lossguard.facts.facts import Facts, Offender
from lossguard.findings import Certainty, Finding, Place, Safety, Severity
from lossguard.guard.ledger import Entered, Ledger
from lossguard.guard.run.writing import _merged


@pytest.mark.parametrize(
    ("dtype", "label", "ignore"),
    [(torch.float16, 2049, 2048), (torch.float32, 2**24 + 1, 2**24), (torch.bfloat16, 257, 256)],
)
def test_a_label_that_was_rounded_to_the_ignore_index_is_not_dropped(
    dtype: torch.dtype, label: int, ignore: int
) -> None:
    """Halfway between two values of the dtype the even one is taken, and here it is the ignore index."""
    target = torch.tensor([3, label]).to(dtype)
    assert int(target[1]) == ignore
    for classes in (label + 1, ignore + 9, ignore // 2):
        costs = torch.zeros(1, 1).expand(2, classes)
        with pytest.raises(CannotFix):
            lossguard.fix("nll_loss", costs, target, ignore_index=ignore)
    fixed = lossguard.fix("nll_loss", torch.zeros(2, 5), target, ignore_index=ignore)
    assert fixed.tolist() == [3, ignore], "no class of five can have been rounded so far"


def test_offenders_add_up_only_where_both_sides_have_them_within_the_same_bounds() -> None:
    one, five = Offender(9, (1,)), Bounds(0, 5)
    known = Facts(offenders=(one,), bounds=five)
    assert (known + Facts(offenders=(one,), bounds=five)).offenders == (one, Offender(9, (1,), 1))
    assert (known + Facts(bounds=five)).offenders is None
    assert (Facts(bounds=five) + known).offenders is None
    assert (known + Facts(offenders=(one,), bounds=Bounds(0, 7))).offenders is None


@pytest.mark.parametrize(("name", "value", "other"), [("weights_finite", True, False), ("softmax_axis", 1, 0)])
def test_what_two_tensors_do_not_agree_on_is_unknown(name: str, value: object, other: object) -> None:
    def facts(held: object) -> Facts:
        return Facts(**{name: held})  # type: ignore[arg-type]

    assert getattr(facts(value) + facts(value), name) == value
    assert getattr(facts(value) + facts(other), name) is None


def test_two_dtypes_that_are_the_same_are_not_what_a_text_is_about() -> None:
    assert _agree({"input_dtype": "float", "target_dtype": "float"})
    assert not _agree({"input_dtype": "float", "target_dtype": "long"})
    assert not _agree({"target_dtype": "float"})


def test_shapes_in_a_text_rule_out_what_they_do_not_show() -> None:
    report = lossguard.explain("RuntimeError: size mismatch (got input: [2, 3, 3, 5] , target: [2, 3, 3])")
    assert report.findings[0].code == "LG404"
    assert "LG403" not in [finding.code for finding in report]


@pytest.mark.parametrize(("classes", "safety"), [(128, Safety.LOSSLESS), (129, Safety.CHANGES_VALUES)])
def test_a_narrow_dtype_is_safe_up_to_the_last_class_that_it_holds(classes: int, safety: Safety) -> None:
    target = torch.tensor([0, 127], dtype=torch.int8)
    (finding,) = lossguard.check("nll_loss", torch.zeros(2, classes), target)
    casts = [fix for fix in finding.fixes if fix.code == "target.long()"]
    assert [fix.safety for fix in casts] == [safety]


def finding(code: str = "LG303", line: int = 1, severity: Severity = Severity.WARNING) -> Finding:
    """Some finding at some line."""
    return Finding(code, "n", severity, Certainty.CERTAIN, "cross_entropy", "input", "", place=Place("train.py", line))


def test_a_ledger_takes_in_what_other_processes_have_found() -> None:
    ledger = Ledger()
    ledger.enter("site", finding(), 5)
    ledger.add([Entered(finding(), 3, 2, 8), Entered(finding(line=9), 1, 4, 4)])
    ledger.add([Entered(finding(line=9), 2, 3, 6), Entered(finding("LG101", severity=Severity.ERROR), 1, 1)])
    found = [
        (entry.code, entry.place.line if entry.place else 0, *(entry.evidence[key] for key in ("times", "first_step")))
        for entry in ledger.report()
    ]
    assert found == [("LG101", 1, 1, 1), ("LG303", 1, 4, 2), ("LG303", 9, 3, 3)]


def test_ranks_of_one_job_write_one_report() -> None:
    def data(verdict: str, *severities: str, rank: int) -> dict[str, Any]:
        found = [{"code": "LG101", "severity": severity, "rank": rank} for severity in severities]
        return {"verdict": verdict, "findings": found, "unwatched": []}

    first = _merged(None, data("suspicious", "warning", rank=1), "job", 1)
    both = _merged(first, data("broken", "error", rank=0), "job", 0)
    assert (both["verdict"], both["ranks"]) == ("broken", [0, 1])
    assert [found["severity"] for found in both["findings"]] == ["error", "warning"]
    later = _merged(both, data("sound", rank=2), "job", 2)
    assert (later["verdict"], later["ranks"], len(later["findings"])) == ("broken", [0, 1, 2], 2)
    again = _merged(later, data("sound", rank=0), "job", 0)
    assert [found["rank"] for found in again["findings"]] == [1]
    assert _merged(later, data("sound", rank=0), "another job", 0)["ranks"] == [0]
