"""The index of sayings, gathered from the rules: `python -m lossguard.explain.indexing` writes it anew.

With it a text loads the few rules whose words it has. A test holds it to the rules.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from lossguard.contracts.loss import known_losses
from lossguard.explain.libraries.table import PARTS, TEXTS
from lossguard.explain.unrelated import UNRELATED, UNRELATED_ALONE
from lossguard.rules.registry import all_rules
from lossguard.rules.saying import TorchMessage, anchors, bare, to_pattern

_HEAD = '''"""Of each saying: words, template, module and number of its rule, what comes before. Made by `indexing`."""

# ruff: noqa: E501 - a generated table has a line for each saying
# fmt: off
SAYINGS: tuple[tuple[tuple[str, ...], str, str, int, str], ...] = (
'''
_WORDS_HEAD = '''"""The plain words of texts that are not torch's, and the module of each loss. Made by `indexing`."""

# fmt: off
'''
INDEX = Path(__file__).with_name("index.py")
WORDS = Path(__file__).with_name("index_words.py")


def rows() -> Iterator[tuple[tuple[str, ...], str, str, int, str]]:
    """Plain words and template of each saying that has a template, the module of its rule, and its number there."""
    for rule in all_rules():
        module = type(rule).__module__.removeprefix("lossguard.rules.")
        for number, saying in enumerate(rule.says):
            if saying.shows:
                yield anchors(saying.shows), saying.shows, module, number, _lead(saying)


def _lead(saying: TorchMessage) -> str:
    """What torch says before the template's first words: a message that is cut off may have no more than that."""
    text = bare(saying.text)
    found = re.search(to_pattern(saying.shows), text)
    lead = text[: found.start()] if found else ""
    return "" if "error" in lead else lead


def render() -> str:
    """The index of what torch says, as a module."""
    return f"{_HEAD}{''.join(_line(*row) for row in rows())})\n"


def render_words() -> str:
    """The index of what others say, and of the losses, as a module."""
    losses = "".join(f"    {json.dumps(name)}: {json.dumps(module)},\n" for name, module in sorted(modules().items()))
    texts = _words("LIBRARIES", (text.shows for text in TEXTS))
    others = _words("OTHERS", (template for template, _ in UNRELATED + UNRELATED_ALONE))
    parts = "".join(f"    ({json.dumps(name)}, {len(rows)}),\n" for name, rows in PARTS.items())
    texts += f"#: The files of the texts, and how many each has.\nPARTS: tuple[tuple[str, int], ...] = (\n{parts})\n"
    return f"{_WORDS_HEAD}{texts}{others}LOSSES: dict[str, str] = {{\n{losses}}}\n"


def _words(name: str, templates: Iterable[str]) -> str:
    """A table of the plain words of templates, in their order."""
    lines = "".join(f"    {_quoted(anchors(template))},\n" for template in templates)
    return f"{name}: tuple[tuple[str, ...], ...] = (\n{lines})\n"


def _quoted(words: tuple[str, ...]) -> str:
    return "(" + ", ".join(json.dumps(run) for run in words) + (",)" if len(words) == 1 else ")")


def modules() -> dict[str, str]:
    """The module of each loss's contract."""
    return {loss.name: loss.build.__module__.rpartition(".")[2] for loss in known_losses().values()}


def _line(words: tuple[str, ...], template: str, module: str, number: int, lead: str) -> str:
    return f"    ({_quoted(words)}, {json.dumps(template)}, {json.dumps(module)}, {number}, {json.dumps(lead)}),\n"


if __name__ == "__main__":
    INDEX.write_text(render(), encoding="utf-8")
    WORDS.write_text(render_words(), encoding="utf-8")
