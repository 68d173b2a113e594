"""The reference pages: Python names from their docstrings, commands from their parsers."""

from __future__ import annotations

import argparse
import inspect
import os
import re
from typing import Any, Final

import lossguard
from lossguard.cli.main import build_parser

_WIDTH: Final = "84"
_LONG: Final = 80


def python_page() -> str:
    """Every public name with its signature and docstring; classes with what they hold."""
    parts = [
        "# Python interface",
        "",
        "`import lossguard` loads neither torch nor numpy; each name is imported when it is first used.",
        "",
    ]
    for name in sorted(lossguard.__all__, key=lambda each: (each[0].isupper(), each.lower())):
        parts += _entry(f"lossguard.{name}", getattr(lossguard, name), 2)
    return "\n".join(parts)


def _entry(title: str, thing: Any, level: int) -> list[str]:
    short = title.rpartition(".")[2] if level > 2 else title.removeprefix("lossguard.")
    parts = [f"{'#' * level} {short}", "", "```python", f"{title}{_signature(thing)}", "```", ""]
    parts += [_prose(inspect.getdoc(thing) or ""), ""]
    if inspect.isclass(thing):
        parts += _members(title, thing)
    return parts


def _members(title: str, cls: type) -> list[str]:
    """Fields as a table, then methods and properties that have a page of their own."""
    fields = [name for name in getattr(cls, "__annotations__", {}) if not name.startswith("_")]
    parts: list[str] = []
    if fields:
        parts += ["| field | type |", "|---|---|"]
        parts += [f"| `{name}` | `{str(cls.__annotations__[name]).replace('|', chr(92) + '|')}` |" for name in fields]
        parts.append("")
    for name, value in vars(cls).items():
        if name.startswith("_") or name in fields or not inspect.getdoc(value):
            continue
        if inspect.isfunction(value) or isinstance(value, property):
            parts += _entry(f"{title.removeprefix('lossguard.')}.{name}", value, 3)
    return parts


def _signature(thing: Any) -> str:
    if isinstance(thing, property):
        return ""
    try:
        signature = inspect.signature(thing)
    except (TypeError, ValueError):
        return ""
    if list(signature.parameters) == ["args", "kwargs"]:
        return ""  # a record, whose fields are in a table
    shown = _unquoted(str(signature))
    if len(shown) <= _LONG:
        return shown
    # Argument by argument, as the code itself is laid out; brackets and stars stand between them.
    inside, _, result = shown[1:].rpartition(")")
    return "(\n" + "".join(f"    {part},\n" for part in _arguments(inside)) + f"){result}"


def _unquoted(signature: str) -> str:
    """Annotations are text, and are shown without their quotes; defaults keep theirs."""
    return re.sub(r"(: |-> )'([^']*)'", r"\1\2", signature)


def _arguments(inside: str) -> list[str]:
    """The arguments, which commas divide, but not those in brackets."""
    return [part.strip() for part in re.split(r",(?![^\[(]*[\])])", inside)]


def _prose(doc: str) -> str:
    """A docstring as Markdown: examples and indented blocks become code."""
    blocks = []
    for block in doc.split("\n\n"):
        if block.startswith(">>>"):
            blocks.append(f"```pycon\n{re.sub(r'  # doctest: .*', '', block)}\n```")
        elif block.startswith("    "):
            blocks.append(f"```text\n{inspect.cleandoc(block)}\n```")
        else:
            blocks.append(re.sub(r"([<>])", r"\\\1", block))
    return "\n\n".join(blocks)


def command_page() -> str:
    """The help of every command, as it is printed."""
    os.environ["COLUMNS"] = _WIDTH
    parser = build_parser()
    parts = ["# Command line", "", "What `lossguard --help` and `lossguard COMMAND --help` print.", "", _help(parser)]
    for name, command in _commands(parser).items():
        parts += [f"## lossguard {name}", "", _help(command)]
    return "\n".join(parts)


def _help(parser: argparse.ArgumentParser) -> str:
    return f"```{{.text .help}}\n{parser.format_help().rstrip()}\n```\n"


def _commands(parser: argparse.ArgumentParser) -> dict[str, argparse.ArgumentParser]:
    (commands,) = [action for action in parser._actions if isinstance(action, argparse._SubParsersAction)]  # noqa: SLF001 - argparse has no other way
    return dict(commands.choices)
