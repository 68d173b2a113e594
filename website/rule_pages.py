"""The page of each rule, made from its docstring, its texts and its examples, and the lists of rules and texts."""

from __future__ import annotations

import inspect
import itertools
import re
from html import escape
from typing import Final

import torch

from lossguard.rules.registry import all_rules
from lossguard.rules.rule import Rule
from website.examples import before_and_after, fixed, program, report_of, said_by_torch
from website.texts import Text, all_texts, texts_of

_FAMILIES: Final = {
    "1": "Dtypes",
    "2": "Values",
    "3": "Meaning",
    "4": "Shapes and lengths",
    "5": "The call itself",
}
_TITLES: Final = {"Why it matters": "Why it matters", "Usual causes": "Usual causes", "Fix safety": "How to fix it"}
_LONGEST: Final = 155
#: How many texts of a kind are to be seen at once.
_OPEN: Final = 8


def rule_pages() -> dict[str, str]:
    """The pages by their path: each rule under its code, and once more under its name."""
    pages: dict[str, str] = {}
    for rule in all_rules():
        body = _body(rule)
        head = _head(rule)
        pages[f"rules/{rule.code}.md"] = f"---\n{head}---\n{body}"
        pages[f"rules/{rule.name}.md"] = f"---\n{head}canonical: {rule.code}\n---\n{body}"
    return pages


def rule_list() -> str:
    """All rules by family, a line each."""
    parts = [
        "# All rules",
        "",
        "Every fault has one code and one name, on every device and in every torch version.",
        "",
    ]
    for digit, rules in itertools.groupby(all_rules(), key=lambda rule: rule.code[2]):
        parts += [f"## {_FAMILIES[digit]}", "", "| rule | the fault |", "|---|---|"]
        parts += [f"| [{rule.code} {rule.name}]({rule.code}.md) | {_inline(rule.summary)} |" for rule in rules]
        parts.append("")
    return "\n".join(parts)


def rule_navigation() -> str:
    """The rules as MkDocs takes them into its navigation, by family."""
    lines = []
    for digit, rules in itertools.groupby(all_rules(), key=lambda rule: rule.code[2]):
        lines.append(f"      - {_FAMILIES[digit]}:\n")
        lines += [f"          - {rule.code} {rule.name}: rules/{rule.code}.md\n" for rule in rules]
    return "".join(lines)


def text_list() -> str:
    """All texts in the order of their letters, each with its rule."""
    pairs = all_texts()
    parts = [
        "# Errors by their text",
        "",
        f"{len({text.words for _, text in pairs})} texts of torch and the libraries around it, by their letters.",
        "The search above finds a text that you paste into it; [the box](explain.md) reads whole tracebacks and logs.",
        "",
    ]
    letters = sorted({_letter(text) for _, text in pairs})
    parts += [*(f"[{letter}](#{letter.lower().replace(' ', '-')})" for letter in letters), "{: .jumps }", ""]
    for letter, group in itertools.groupby(pairs, key=lambda pair: _letter(pair[1])):
        parts += [f"## {letter}", "", '<ul class="texts">']
        for words, same in itertools.groupby(group, key=lambda pair: pair[1].words):
            said = (f"<span>{_link(rule)} {escape(text.when)}</span>" for rule, text in same)
            parts.append(f"<li><code>{escape(words)}</code>{''.join(said)}</li>")
        parts += ["</ul>", ""]
    return "\n".join(parts)


def _link(rule: Rule) -> str:
    return f'<a href="../rules/{rule.code}/">{rule.code} {rule.name}</a>'


def _letter(text: Text) -> str:
    first = re.sub(r"^\W+", "", text.words)[:1].upper()
    return first if first.isalpha() else "0 to 9"


def _head(rule: Rule) -> str:
    """What search engines and lists show of the page."""
    words = next((text.words for text in texts_of(rule)), "")
    description = f"{rule.summary} {words}"[:_LONGEST].replace('"', "'").replace("\\", "")
    return f'title: "{rule.code} {rule.name}"\ndescription: "{description}"\n'


def _body(rule: Rule) -> str:
    parts = [f"# {rule.code} {rule.name}", "", f"{_inline(rule.summary)}", "{: .lead }", ""]
    parts += [
        "[How to fix it](#how-to-fix-it) [Before and after](#before-and-after) [Explain my own error](../explain.md)",
        "{: .jumps }",
        "",
    ]
    parts += _said(rule)
    parts += _looks(rule)
    for heading, paragraph in _sections(rule):
        parts += [f"## {_TITLES[heading]}", "", _inline(paragraph), ""]
        if heading == "Usual causes" and rule.verify:
            parts += [
                "To see whether it is this fault, run just before the loss:",
                "",
                "```python",
                rule.verify,
                "```",
                "",
            ]
    parts += _example(rule)
    parts += _more(rule)
    return "\n".join(parts)


def _said(rule: Rule) -> list[str]:
    """Every text, by version and device: what people search for."""
    texts = texts_of(rule)
    own, others = [text for text in texts if text.is_torch], [text for text in texts if not text.is_torch]
    parts = ["## What torch says", ""]
    if own:
        parts += _texts(own)
    else:
        parts += [
            "Nothing that names this fault: torch computes a number, or fails with words about something else.",
            "",
        ]
    if others:
        parts += ["### What other libraries say", "", *_texts(others)]
    return parts


def _texts(texts: list[Text]) -> list[str]:
    """The first few open, all others folded, so that the fix is not pages away; a search in the page opens them."""
    shown, more = texts[:_OPEN], texts[_OPEN:]
    if len(more) == 1:
        shown, more = texts, []
    parts = ['<ul class="texts">', *map(_text_item, shown), "</ul>", ""]
    if more:
        items = "".join(map(_text_item, more))
        parts += [f'<details><summary>{len(more)} more</summary><ul class="texts">{items}</ul></details>', ""]
    return parts


def _text_item(text: Text) -> str:
    why = f"; {escape(text.because)}" if text.because else ""
    return f"<li><code>{escape(text.words)}</code><span>{escape(text.when)}{why}</span></li>"


def _looks(rule: Rule) -> list[str]:
    broken, _ = before_and_after(rule)
    return [
        "## What it looks like",
        "",
        "lossguard says of [the example below](#before-and-after):",
        "",
        report_of(broken),
        "",
    ]


def _example(rule: Rule) -> list[str]:
    broken, kept = before_and_after(rule)
    version = torch.__version__.partition("+")[0]
    parts = ["## Before and after", "", "Broken:", "", "```python", str(program(broken)), "```", ""]
    parts += [f"torch {version} on the CPU:", "", f'<div class="terminal">{escape(said_by_torch(broken))}</div>', ""]
    if changed := fixed(rule, broken):
        title, after = changed
        parts += [f"Sound, as lossguard proposes ({_inline(title)}):", "", "```python", str(after), "```", ""]
    elif kept is not None:
        parts += ["Sound:", "", "```python", str(program(kept)), "```", ""]
    return parts


def _more(rule: Rule) -> list[str]:
    parts = ["## Related rules", ""]
    parts += [f"- [{other.code} {other.name}]({other.code}.md): {_inline(other.summary)}" for other in _related(rule)]
    return [
        *parts,
        "",
        "## Elsewhere",
        "",
        f"- `lossguard rule {rule.code}` shows this page in a terminal.",
        f"- `# lossguard: allow {rule.code}` at the end of a line silences it there.",
        f'- `allow = ["{rule.code}"]` under `[tool.lossguard]` in pyproject.toml silences it everywhere.',
        "- [Paste your own error](../explain.md) to see whether it is this one.",
        "",
    ]


def _related(rule: Rule) -> list[Rule]:
    """Rules that this one explains or is explained by, that share a text with it, and its neighbours in the family."""
    words = {text.words for text in texts_of(rule)}
    scores: dict[str, int] = {}
    for other in all_rules():
        linked = _linked(rule, other) or _linked(other, rule)
        shared = len(words & {text.words for text in texts_of(other)})
        near = other.code[2] == rule.code[2] and abs(int(other.code[2:]) - int(rule.code[2:])) == 1
        scores[other.code] = 3 * linked + min(shared, 3) + near
    best = sorted(all_rules(), key=lambda other: -scores[other.code])
    return [other for other in best if scores[other.code] and other.code != rule.code][:6]


def _linked(rule: Rule, other: Rule) -> bool:
    return other.code in rule.explains | rule.explains_everywhere | rule.precedes


def _sections(rule: Rule) -> list[tuple[str, str]]:
    """The headings of a rule's page and what stands below each."""
    found: list[tuple[str, str]] = []
    for block in inspect.cleandoc(rule.page).split("\n\n")[1:]:
        heading, *lines = block.splitlines()
        if heading in _TITLES:
            found.append((heading, " ".join(line.strip() for line in lines)))
        elif found:
            last, text = found[-1]
            found[-1] = (last, f"{text}\n\n{' '.join(line.strip() for line in block.splitlines())}")
    return found


def _inline(text: str) -> str:
    """The text as Markdown: code in backticks stays, all else is literal."""
    parts = re.split(r"(`[^`]*`)", text)
    return "".join(part if part.startswith("`") else re.sub(r"([\\*_<>\[\]#|])", r"\\\1", part) for part in parts)
