"""Pasted code without an error: what its words alone decide. The one place where `explain` asks about source code.

The lint window reads source properly; once it is there, `faults_in_code` asks it first, and these are left for code
that does not parse.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from lossguard.explain import libraries as rule
from lossguard.records import dataclass

_LOGITS: Final = "meaning.probabilities_as_logits"
_PROBABILITIES: Final = "meaning.probabilities_as_log_probabilities"
_CLASS_CALL: Final = "calls.loss_class_called_as_function"

_ENTROPY: Final = r"\b(?:cross_entropy\(|crossentropyloss\b|sparse_categorical_crossentropy\()"
_WITH_LOGITS: Final = r"\b(?:binary_cross_entropy_with_logits|bcewithlogitsloss)\b"
_SOFTMAX: Final = r"(?<!log_)(?<!log)(?<![a-z]_)softmax\b(?!_?loss)"
_SIGMOID: Final = r"(?<!log)sigmoid\b"
_LOG: Final = r"\.log\(|torch\.log\(|log_softmax|logsoftmax"
#: A loss's class given two values that are no settings, as if it were the function.
_TWO_VALUES: Final = (
    r"\b(?:nn\.)?([A-Z]\w{0,30}Loss)\(\s{0,4}([a-z_][\w.\[\]:]{0,60})\s{0,4},\s{0,4}([a-z_"
    r"][\w.\[\]:()]{0,60})\s{0,4}\)(?!\s{0,2}\()"
)
_WHOLE_NUMBERS: Final = r"(?:tensor|longtensor|array)\(\s{0,2}(\[[\[\]\s\d,-]{1,2000}\])"
_ROWS: Final = r"(?:randn|rand|zeros|ones|empty)\(\s{0,2}[(\[]?(\d{1,9}), ?(\d{1,9})(?:, ?\d{1,9}){0,4}[)\]]?"
_LITERAL_ROWS: Final = r"tensor\(\s{0,2}\[\s{0,2}\[([\d., e-]{1,300}\.[\d., e-]{0,300})\]"
_LAST_LAYER: Final = r"linear\(\s{0,2}[\w.* ]{1,40},\s{0,2}(\d{1,7})\s{0,2}[,)]"
_IGNORED: Final = r"ignore_ind?e?x\w{0,3}\s{0,2}=\s{0,2}(-?\d{1,6})|ignore_idx\s{0,2}=\s{0,2}(-?\d{1,6})"
_NO_LOSS: Final = -100
_SHORT: Final = 15
#: Beyond this many lines a program is lint's to read.
_LONG: Final = 60
_NEAR: Final = 600
_BINARY: Final = r"\b(?:binary_cross_entropy|bceloss|bcewithlogitsloss)"
#: The two arguments of a call of a loss, the second up to its end; brackets one deep.
_CALL: Final = (
    r"(?:entropy\w{0,20}|criteri\w{1,3}|crit|loss\w{0,6}|loss_fn)\((?:\)\()?"
    r"((?:[^(),\n]|\([^()\n]{0,80}\)){1,100}), ?((?:[^(),\n]|\((?:[^()\n]|\([^()\n]{0,60}\)){0,80}\)){1,100})"
)
_WHOLE_ROW: Final = r"^torch\.tensor\(\[[\d, -]+\]\)$|\.long\(\)$"
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
_BINARY_TAKES: Final = (("target", _WHOLE_ROW, rule.REAL, "the labels are integers; the loss takes floats"),)
#: What follows an activation whose result is read, not trained on.
_TAKEN: Final = r"[^\n]{0,60}(?:argmax|\.max\(|topk|\.cpu\(|numpy|\.item\()"
_PAIRS: Final = (
    (
        _ENTROPY,
        _SOFTMAX,
        _LOGITS,
        "a softmax stands before cross_entropy, which takes logits and has its own",
        "print(output.sum(1))",
    ),
    (
        _WITH_LOGITS,
        _SIGMOID,
        _LOGITS,
        "a sigmoid stands before a loss that takes logits and has its own",
        "print(output.min(), output.max())",
    ),
    (
        r"\bnll_?loss\b",
        _SOFTMAX,
        _PROBABILITIES,
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
    #: The label that is none, where one is written out.
    value: int | None = None


def faults_in_code(text: str) -> list[CodeFault]:
    """What the code in a text decides by itself."""
    lowered = text.lower()
    if lowered.count("\n") > _LONG:
        return list(_called_class(text))
    return [*_called_class(text), *_twice(lowered), *_labels(lowered), *_arguments(lowered)]


def _called_class(code: str) -> Iterator[CodeFault]:
    found = re.search(_TWO_VALUES, code)
    if found is not None and not re.match(r"weights?|class_weights?|margin|self\.\w*weight", found[2]):
        yield CodeFault(
            _CLASS_CALL,
            95,
            "the class of a loss is made first and called then: loss_fn = Loss(), loss_fn(output, target)",
        )


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
        if _joined(code, activation):
            yield CodeFault(module, 91, because, verify)
        elif is_short and not re.search(activation + _TAKEN, code):
            yield CodeFault(module, 62, because, verify, is_shown=False)


def _joined(code: str, activation: str) -> bool:
    """Whether what the activation gives reaches the loss: by a name, as the last step, or in the call itself."""
    called = r"(?:loss\w{0,8}|criteri\w{1,3}|crit|xe|ce|bce|entropy\w{0,20}|loss_?fn)\(\)?\(?"
    if re.search(called + r"[^\n]{0,80}" + activation, code) or re.search(
        rf"return [^\n]{{0,80}}{activation}(?!{_TAKEN})", code
    ):
        return True
    for made in list(re.finditer(r"\b(\w{1,40}) ?= ?[^\n]{0,80}" + activation + rf"(?!{_TAKEN})", code))[:20]:
        # Up to where the name is given to something else.
        after = re.split(rf"\b{made[1]} ?=(?!=)", code[made.end() :][:_NEAR])[0]
        if re.search(called + rf"\s{{0,4}}{made[1]}\b", after) or re.search(rf"return {made[1]}\b", after):
            return True
    return bool(re.search(r"nn\.(?:softmax|sigmoid)\([^\n]{0,20}\)\s{0,40},?\s{0,40}\)", code))


def _labels(code: str) -> Iterator[CodeFault]:
    """Labels that are written out, against the classes that are."""
    if not re.search(_ENTROPY, code) and not re.search(r"\bnll_?loss|\bxe\(|criterion\(", code):
        return
    classes, ignored = _classes(code), _ignored(code)
    for found in re.findall(_WHOLE_NUMBERS, code)[:20]:
        labels = [int(number) for number in re.findall(r"-?\d{1,12}", found)]
        if labels and all(label == ignored for label in labels):
            yield CodeFault(
                rule.IGNORED, 93, f"every label is {ignored}, which is ignored: the mean over nothing is NaN"
            )
            continue
        wrong = [label for label in labels if label != ignored and (label < 0 or (classes and label >= classes))]
        if wrong and len(wrong) < max(2, len(labels)):
            among = f"classes 0 to {classes - 1}" if classes else "classes"
            because = f"the label {wrong[0]} is none of the {among}"
            yield CodeFault(rule.RANGE, 92, because, "print(target.min(), target.max())", value=wrong[0])


def _arguments(code: str) -> Iterator[CodeFault]:
    """What the arguments of a loss are, where they are written out in its call or made in a line above."""
    is_entropy, is_binary = bool(re.search(_ENTROPY, code)), bool(re.search(_BINARY, code))
    if is_entropy == is_binary:
        return
    for given, wanted in re.findall(_CALL, code)[:20]:
        made = (
            re.search(rf"^\s*{re.escape(wanted)} ?= ?([^\n]{{1,200}})", code, re.MULTILINE)
            if wanted.isidentifier()
            else None
        )
        target = made[1] if made else wanted
        for subject, pattern, module, because in _ENTROPY_TAKES if is_entropy else _BINARY_TAKES:
            if re.search(pattern, given if subject == "input" else target):
                yield CodeFault(module, 90, because)


def _classes(code: str) -> int:
    """The number of classes, as the last layer, a random tensor or a written one has it; 0 if none has."""
    if layers := re.findall(_LAST_LAYER, code):
        return int(layers[-1])
    if rows := re.findall(_ROWS, code):
        return int(rows[0][1])
    literal = re.search(_LITERAL_ROWS, code)
    return literal[1].count(",") + 1 if literal else 0


def _ignored(code: str) -> int:
    found = re.search(_IGNORED, code)
    return int(found[1] or found[2]) if found else _NO_LOSS
