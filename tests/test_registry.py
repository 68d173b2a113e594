"""Adding a rule touches one file: a rule is known by being there."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch

from lossguard.contracts.call import read_call
from lossguard.diagnosis import diagnose
from lossguard.facts.observation import observe_call
from lossguard.rules.registry import UnknownRule, all_rules, discover_folder, find_rule

NEW_RULE = '''
"""LG999."""

from lossguard.findings import Severity
from lossguard.rules.case import Case
from lossguard.rules.rule import CANNOT_TELL, HOLDS, Answer, Rule, breaks


class LonelySample(Rule):
    """A batch of one sample.

    Why it matters
        Batch normalisation has nothing to normalise.

    Usual causes
        The last batch of an epoch.

    Fix safety
        Dropping it is a decision.
    """

    code = "LG999"
    examples = (breaks("F.cross_entropy", "torch.randn(1, 5), torch.tensor([0])", "silent"),)

    def look(self, case: Case) -> Answer:
        """Broken when the target has one label."""
        if case.target is None or case.target.facts.count is None:
            return CANNOT_TELL
        if case.target.facts.count != 1:
            return HOLDS
        return self.finding(case, case.target, "one sample", severity=Severity.WARNING)
'''


def test_a_file_in_a_folder_is_a_rule(tmp_path: Path) -> None:
    (tmp_path / "lonely_sample.py").write_text(NEW_RULE, encoding="utf-8")
    (rule,) = discover_folder(tmp_path)
    assert (rule.code, rule.name, rule.summary) == ("LG999", "lonely-sample", "A batch of one sample.")
    call = read_call("cross_entropy", (torch.randn(1, 5), torch.tensor([0])), {})
    found = diagnose(call.contract, observe_call(call), [*all_rules(), rule])
    assert [finding.name for finding in found] == ["lonely-sample"]
    assert found[0].evidence["dtype"] == "int64"


def test_rules_of_the_package_are_found_without_a_list() -> None:
    codes = [rule.code for rule in all_rules()]
    assert codes == sorted(codes)
    wanted = [101, 102, 103, 105, 106, 109, 201, 202, 203, 204, 207, 208, 209, 213, 301, 302, 303, 304, 305]
    wanted += [401, 402, 403, 404, 405, 407, 501, 502, 503, 504, 505]
    assert {f"LG{number}" for number in wanted} <= set(codes)


@pytest.mark.parametrize("word", ["LG101", "lg101", "float-class-target", " Float-Class-Target "])
def test_a_rule_is_found_by_code_or_name(word: str) -> None:
    assert find_rule(word).code == "LG101"


@pytest.mark.parametrize(
    ("word", "nearest"),
    [("LG1011", "LG101"), ("float-target", "LG101"), ("class-out-of-range", "LG201"), ("", "lossguard rules")],
)
def test_a_wrong_word_names_the_nearest(word: str, nearest: str) -> None:
    with pytest.raises(UnknownRule, match=nearest):
        find_rule(word)
