"""Print the table of rules by window: each mark is something that was seen to happen, not a claim."""

from __future__ import annotations

import re
import warnings
from pathlib import Path
from typing import Any

import torch
from torch import nn

import lossguard
from lossguard.contracts.call import read_loss
from lossguard.explain.libraries.table import TEXTS
from lossguard.explain.symptoms import SYMPTOMS
from lossguard.rules.registry import all_rules
from lossguard.rules.rule import Rule

ROOT = Path(__file__).parents[1]
HEAD = """\
# Rules and windows

Through which window each rule can be seen.

- *check, guard*: an example of the rule breaks and is found live, in the test suite.
- *audit*: the target of such an example alone, with the loss and the number of classes, is enough.
- *explain*: words of torch, of another library, or the course of a loss lead to it.
- *lint*: it is planted in source in `tests/linted` and found there.

This page is made by `make docs`.

| code | name | check, guard | audit | explain | lint |
|---|---|---|---|---|---|"""


def planted() -> set[str]:
    """The codes that are planted in source and found there by a test."""
    files = (ROOT / "tests" / "linted").rglob("*.py")
    return {code for path in files for code in re.findall(r"# (LG\d{3})$", path.read_text("utf-8"), re.MULTILINE)}


def explained(rule: Rule) -> str:
    """What leads `explain` to a rule: words of torch, of others, or a course of the loss."""
    module = type(rule).__module__.removeprefix("lossguard.rules.")
    words = ["torch"] if any(saying.shows for saying in rule.says) else []
    if any(module in str(text) for text in TEXTS):
        words.append("libraries")
    if any(row.module == module for row in SYMPTOMS):
        words.append("symptoms")
    return ", ".join(words)


def audited(rule: Rule) -> bool:
    """Whether the target of a breaking example is enough for an audit to name the rule."""
    return any(rule.code in _audit(example) for example in rule.examples if example.breaks)


def _audit(example: Any) -> set[str]:
    names = {"torch": torch, "nn": nn, "F": nn.functional}
    loss = read_loss(example.loss)
    try:
        torch.manual_seed(0)
        arguments = eval(f"(lambda *args, **kwargs: args)({example.arguments})", names)  # noqa: S307 - our own examples
        shape = tuple(arguments[0].shape)
        classes = shape[1] if len(shape) > 1 else shape[0]
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            report = lossguard.audit(arguments[1], loss=loss.name, classes=classes)
    except Exception:  # noqa: BLE001 - an example that is no target of a data set
        return set()
    return {finding.code for finding in report}


def main() -> None:
    """Print the page."""
    print(HEAD)
    in_source = planted()
    for rule in all_rules():
        live = any(example.breaks for example in rule.examples)
        marks = ["yes" if live else "", "yes" if audited(rule) else "", explained(rule)]
        print(f"| {rule.code} | {rule.name} | {' | '.join([*marks, 'yes' if rule.code in in_source else ''])} |")


if __name__ == "__main__":
    main()
