"""Every rule has a name that is derived, a page under fixed headings, and sentences that keep their grammar."""

from __future__ import annotations

import inspect
import re

import pytest

import lossguard
from examples import EXAMPLES, written
from lossguard.rules.registry import all_rules
from lossguard.rules.rule import Example, Rule

HEADINGS = ["Why it matters", "Usual causes", "Fix safety"]
RULES = pytest.mark.parametrize("rule", all_rules(), ids=lambda rule: rule.code)


@RULES
def test_page_has_its_three_headings_in_order(rule: Rule) -> None:
    lines = inspect.cleandoc(rule.page).splitlines()
    assert [line for line in lines[1:] if line and not line.startswith(" ")] == HEADINGS
    for heading in HEADINGS:
        assert lines[lines.index(heading) + 1].strip(), f"nothing below {heading}"


@RULES
def test_summary_is_one_sentence(rule: Rule) -> None:
    assert re.fullmatch(r"[A-Z][^\n]{10,110}\.", rule.summary), rule.summary


@RULES
def test_name_is_the_class_in_kebab_case_and_the_file_in_snake_case(rule: Rule) -> None:
    assert "".join(part.capitalize() for part in rule.name.split("-")).lower() == type(rule).__name__.lower()
    assert type(rule).__module__.rpartition(".")[2] == rule.name.replace("-", "_")


@RULES
def test_code_has_the_form_of_a_code(rule: Rule) -> None:
    assert re.fullmatch(r"LG[1-9]\d\d", rule.code)


@RULES
def test_rule_has_an_example_that_breaks(rule: Rule) -> None:
    assert any(example.breaks for example in rule.examples)


def test_codes_and_names_are_unique() -> None:
    rules = all_rules()
    assert len({rule.code for rule in rules}) == len({rule.name for rule in rules}) == len(rules)


def test_codes_that_explain_others_exist() -> None:
    known = {rule.code for rule in all_rules()}
    later = {f"LG{number}" for number in (104, 106, 110, 111, 205, 206, 210, 211, 212, 406, 408)}
    for rule in all_rules():
        assert rule.explains | rule.explains_everywhere <= known | later, rule.code


FORBIDDEN = re.compile(r"\b(please|detected|invalid|oops|sorry)\b", re.IGNORECASE)


@pytest.mark.parametrize(
    "example", [e for _, _, e in EXAMPLES if e.breaks], ids=[n for n, _, e in EXAMPLES if e.breaks]
)
def test_sentences_keep_their_grammar(example: Example) -> None:
    call = written(example)
    for finding in lossguard.check(call.loss, *call.args, **call.kwargs):
        sentences = [finding.message, finding.cause, *(r.title for r in finding.fixes)]
        sentences += [fix.reason for fix in finding.fixes]
        for sentence in filter(None, sentences):
            assert not FORBIDDEN.search(sentence), sentence
            assert "\n" not in sentence, sentence
            assert not sentence.endswith((".", "!", " ")), sentence
            assert "None" not in sentence.replace("this is None", ""), sentence
            assert len(sentence) < 200, sentence


@RULES
def test_page_keeps_the_grammar_too(rule: Rule) -> None:
    assert not FORBIDDEN.search(rule.page), rule.code
