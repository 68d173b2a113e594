"""Pasted code without an error: what the linter finds in it, or what its words alone decide.

The one place where `explain` asks about source code. Words are for fragments in which the linter finds nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from lossguard.explain import causes as rule
from lossguard.explain.operations import calls_a_result_of_a_loss
from lossguard.records import dataclass

_ENTROPY: Final = r"\b(?:cross_entropy\(|crossentropyloss\b|sparse_categorical_crossentropy\()"
_WITH_LOGITS: Final = r"\b(?:binary_cross_entropy_with_logits|bcewithlogitsloss)\b"
_SOFTMAX: Final = r"(?<!log_)(?<!log)(?<![a-z]_)softmax\b(?!_?loss)"
_SIGMOID: Final = r"(?<!log)sigmoid\b"
_LOG_SOFTMAX: Final = r"\blog_?softmax\b"
_KL: Final = r"\b(?:kl_div\(|kldivloss\b)"
_LOG: Final = r"\.log\(|torch\.log\(|log_softmax|logsoftmax"
#: A loss that is called or made in code, and how much a finding of the linter weighs.
_CODE: Final = r"(?:Loss\(|cross_entropy\(|nll_loss\(|_loss\(|kl_div\(|embedding\(|gather\(|one_hot\()"
_OF_LINT: Final = 94
_SHORT: Final = 15
#: Beyond this many lines a program is lint's to read.
_LONG: Final = 60
#: The two arguments of a call of a loss, the second up to its end; brackets one deep.
_CALL: Final = (
    r"(?:entropy\w{0,20}|criteri\w{1,3}|crit|loss\w{0,6}|loss_fn)\((?:\)\()?"
    r"((?:[^(),\n]|\([^()\n]{0,80}\)){1,100}), ?((?:[^(),\n]|\((?:[^()\n]|\([^()\n]{0,60}\)){0,80}\)){1,100})"
)
#: What an argument of a loss shows: which one, its pattern, the rule and why.
_ENTROPY_TAKES: Final = (
    (
        "input",
        r"\.argmax\(|\.max\(\w{0,6}=?1\)\[1\]",
        rule.WHOLE_INPUT,
        "argmax gives class numbers; the loss takes the scores",
    ),
    ("target", r"one_hot\((?!.*float)", rule.ONE_HOT, "one_hot gives rows of integers; the loss takes class indices"),
    (
        "target",
        r"\.unsqueeze\((?:1|-1)\)$|\.view\(-1, ?1\)$",
        rule.COLUMN,
        "the labels get an axis of size 1; the loss takes (N,)",
    ),
    (
        "target",
        r"^torch\.(?:tensor|floattensor)\(\[[\d., ]*\d\.[\d., ]*\]\)$",
        rule.FLOAT,
        "the labels are written as floats",
    ),
)
#: What follows an activation whose result is read, not trained on.
_TAKEN: Final = r"[^\n]{0,60}(?:argmax|\.max\(|topk|\.cpu\(|numpy|\.item\()"
_PAIRS: Final = (
    (
        _ENTROPY,
        _SOFTMAX,
        rule.LOGITS,
        "a softmax stands before cross_entropy, which takes logits and has its own",
        "print(output.sum(1))",
    ),
    (
        _ENTROPY,
        _LOG_SOFTMAX,
        rule.LOGITS,
        "log_softmax stands before cross_entropy, which takes logits and has its own: nll_loss takes what it gives",
        "print(output.exp().sum(1))",
    ),
    (
        _WITH_LOGITS,
        _SIGMOID,
        rule.LOGITS,
        "a sigmoid stands before a loss that takes logits and has its own",
        "print(output.min(), output.max())",
    ),
    (
        r"\bnll_?loss\b",
        _SOFTMAX,
        rule.PROBABILITIES,
        "a softmax stands before nll_loss, which takes log-probabilities",
        "print(output.max())",
    ),
)


@dataclass(frozen=True, slots=True)
class CodeFault:
    """A fault that code alone shows: the module of its rule, its weight, why, and a line that verifies it."""

    module: str
    weight: int
    because: str
    verify: str = ""
    #: Whether the code shows it from end to end; else its parts are there, and what joins them is not.
    is_shown: bool = True


def faults_in_code(text: str) -> list[CodeFault]:
    """What the code in a text decides by itself."""
    if found := list(_linted(text)):
        return found
    lowered = text.lower()
    if lowered.count("\n") > _LONG:
        return []
    return [*_twice(lowered), *_arguments(lowered), *_without_logarithm(lowered), *_called_twice(text)]


def _linted(text: str) -> Iterator[CodeFault]:
    """What the linter finds, which is loaded only for what looks like code with a loss in it."""
    if not re.search(_CODE, text):
        return
    from lossguard.lint.linting import findings_in_code
    from lossguard.rules.registry import find_rule

    for finding in findings_in_code(text):
        module = type(find_rule(finding.code)).__module__.removeprefix("lossguard.rules.")
        yield CodeFault(module, _OF_LINT, finding.message, is_shown=False)


def _twice(code: str) -> Iterator[CodeFault]:
    """An activation before a loss that has it inside, or a missing logarithm."""
    is_short = code.count("\n") < _SHORT
    for loss, activation, module, because, verify in _PAIRS:
        if (
            not re.search(loss, code)
            or not re.search(activation, code)
            or (activation == _SOFTMAX and re.search(_LOG, code))
        ):
            continue
        if is_short and not re.search(activation + _TAKEN, code):
            yield CodeFault(module, 62, because, verify, is_shown=False)


def _arguments(code: str) -> Iterator[CodeFault]:
    """What the arguments of a loss are, where they are written out in its call or made in a line above."""
    if not re.search(_ENTROPY, code) or re.search(r"\b(?:binary_cross_entropy|bceloss|bcewithlogitsloss)", code):
        return
    for given, wanted in re.findall(_CALL, code)[:20]:
        made = (
            re.search(rf"^\s*{re.escape(wanted)} ?= ?([^\n]{{1,200}})", code, re.MULTILINE)
            if wanted.isidentifier()
            else None
        )
        target = made[1] if made else wanted
        for subject, pattern, module, because in _ENTROPY_TAKES:
            if re.search(pattern, given if subject == "input" else target):
                yield CodeFault(module, 90, because)


def _without_logarithm(code: str) -> Iterator[CodeFault]:
    """A call of kl_div whose first argument is no logarithm, as far as the call shows."""
    if re.search(_KL, code) and any("log" not in given for given, _ in re.findall(_CALL, code)[:20]):
        because = "kl_div takes log-probabilities, and this call shows no logarithm"
        yield CodeFault(rule.PROBABILITIES, 60, because, "print(output.exp().sum(1))", is_shown=False)
        yield CodeFault(rule.SCORES, 50, because, "print(output.exp().sum(1))", is_shown=False)


def _called_twice(text: str) -> Iterator[CodeFault]:
    """A functional loss whose result is called."""
    if calls_a_result_of_a_loss(text.split("\n")):
        yield CodeFault(rule.LOSS_CLASS, 90, "the functional loss gives the number; it is not called once more")
