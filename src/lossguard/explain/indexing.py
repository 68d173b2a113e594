"""The index of sayings, gathered from the rules: `python -m lossguard.explain.indexing` writes it anew.

With it a text loads the few rules whose words it has. A test holds it to the rules.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

from lossguard.contracts.loss import known_losses
from lossguard.rules.registry import all_rules
from lossguard.rules.saying import anchors, to_pattern

_HEAD = '''"""Plain words and pattern of each saying, its rule's module and its number there. Made by `indexing`."""

# ruff: noqa: E501 - a generated table has a line for each saying
# fmt: off
SAYINGS: tuple[tuple[tuple[str, ...], str, str, int], ...] = (
'''
INDEX = Path(__file__).with_name("index.py")


def rows() -> Iterator[tuple[tuple[str, ...], str, str, int]]:
    """Plain words and pattern of each saying that has a template, the module of its rule, and its number there."""
    for rule in all_rules():
        module = type(rule).__module__.removeprefix("lossguard.rules.")
        for number, saying in enumerate(rule.says):
            if saying.shows:
                yield anchors(saying.shows), to_pattern(saying.shows), module, number


def render() -> str:
    """The index as a module."""
    losses = "".join(f"    {json.dumps(name)}: {json.dumps(module)},\n" for name, module in sorted(modules().items()))
    return _HEAD + "".join(_line(*row) for row in rows()) + f")\nLOSSES: dict[str, str] = {{\n{losses}}}\n"


def modules() -> dict[str, str]:
    """The module of each loss's contract."""
    return {loss.name: loss.build.__module__.rpartition(".")[2] for loss in known_losses().values()}


def _line(words: tuple[str, ...], pattern: str, module: str, number: int) -> str:
    quoted = ", ".join(json.dumps(run) for run in words) + ("," if len(words) == 1 else "")
    return f"    (({quoted}), {json.dumps(pattern)}, {json.dumps(module)}, {number}),\n"


if __name__ == "__main__":
    INDEX.write_text(render(), encoding="utf-8")
