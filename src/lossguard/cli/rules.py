"""`lossguard rules` and `lossguard rule CODE-OR-NAME`: the rule book."""

from __future__ import annotations

import argparse
import inspect
import json
import sys
from typing import Any

from lossguard.rules.registry import UnknownRule, all_rules, find_rule
from lossguard.rules.rule import Rule
from lossguard.rules.saying import newest_first


def add_commands(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add both commands to the parser."""
    every = commands.add_parser(
        "rules",
        help="list all faults that lossguard knows",
        description="List every rule: its code, its name and the fault in a sentence.",
    )
    _add_format(every)
    every.set_defaults(run=list_rules)
    one = commands.add_parser(
        "rule",
        help="explain one rule, by code or name",
        description="Show the page of one rule: why it matters, usual causes, how safe its fixes are, examples.",
        epilog="examples:\n  lossguard rule LG201\n  lossguard rule class-index-out-of-range",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    one.add_argument("rule", metavar="CODE-OR-NAME", help="LG101, or float-class-target")
    _add_format(one)
    one.set_defaults(run=show_rule)


def _add_format(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--format", choices=("text", "json"), default="text", help="how to print (default: text)")


def list_rules(options: argparse.Namespace) -> int:
    """Print all rules."""
    rules = all_rules()
    if options.format == "json":
        print(json.dumps([_summary(rule) for rule in rules], indent=2))
        return 0
    width = max(len(rule.name) for rule in rules)
    for rule in rules:
        print(f"{rule.code}  {rule.name:<{width}}  {rule.summary}")
    print("\n`lossguard rule CODE` explains one of them.")
    return 0


def show_rule(options: argparse.Namespace) -> int:
    """Print the page of one rule."""
    try:
        rule = find_rule(options.rule)
    except UnknownRule as error:
        print(f"lossguard: {error}", file=sys.stderr)
        return 2
    if options.format == "json":
        print(json.dumps(_everything(rule), indent=2))
    else:
        print(page(rule))
    return 0


def page(rule: Rule) -> str:
    """The page of a rule as text: its docstring, what torch says, its examples."""
    parts = [f"{rule.code} {rule.name}", "", inspect.cleandoc(rule.page)]
    if rule.says:
        parts += ["", "What torch says", *(f"    {saying}" for saying in newest_first(rule.says))]
    if rule.examples:
        parts += ["", "Examples"]
        for example in rule.examples:
            mark = f"broken; torch: {example.torch}" if example.breaks else "fine"
            parts += [f"    # {mark}", f"    {example.call}"]
    return "\n".join(parts)


def _summary(rule: Rule) -> dict[str, Any]:
    return {"code": rule.code, "name": rule.name, "summary": rule.summary, "cost": str(rule.cost)}


def _everything(rule: Rule) -> dict[str, Any]:
    examples = [{"call": e.call, "breaks": e.breaks, "torch": e.torch} for e in rule.examples]
    says = [{"text": s.text, "devices": s.devices, "versions": s.versions} for s in rule.says]
    return {**_summary(rule), "page": inspect.cleandoc(rule.page), "says": says, "examples": examples}
