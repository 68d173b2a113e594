"""All rules, found by looking into the folders: adding one touches no list."""

from __future__ import annotations

import importlib
import importlib.util
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from types import ModuleType

from lossguard.rules.rule import Rule


class UnknownRule(LookupError):
    """No rule has this code or name; the text lists the nearest."""


@cache
def all_rules() -> tuple[Rule, ...]:
    """Every rule of the package, by code."""
    return discover(importlib.import_module("lossguard.rules"))


def discover(package: ModuleType) -> tuple[Rule, ...]:
    """Every rule in the modules of `package` and of the folders in it, by code."""
    rules = [rule for module in _modules(package) for rule in _rules_in(module)]
    by_code: dict[str, Rule] = {}
    for rule in rules:
        if rule.code in by_code:
            raise ValueError(f"{rule.code} is both {by_code[rule.code].name} and {rule.name}")
        by_code[rule.code] = rule
    return tuple(by_code[code] for code in sorted(by_code))


def discover_folder(folder: Path) -> tuple[Rule, ...]:
    """Every rule in the files of `folder`, which need not belong to the package."""
    rules = []
    for path in sorted(folder.glob("*.py")):
        spec = importlib.util.spec_from_file_location(f"lossguard_rules_{folder.name}_{path.stem}", path)
        if spec is None or spec.loader is None:
            continue
        module = importlib.util.module_from_spec(spec)
        sys.modules[spec.name] = module
        spec.loader.exec_module(module)
        rules.extend(_rules_in(module))
    return tuple(sorted(rules, key=lambda rule: rule.code))


def find_rule(word: str) -> Rule:
    """The rule with this code or name, in any case; raise `UnknownRule` naming the nearest."""
    wanted = word.strip().lower()
    for rule in all_rules():
        if wanted in {rule.code.lower(), rule.name}:
            return rule
    import difflib

    names = {**{rule.name: rule for rule in all_rules()}, **{rule.code.lower(): rule for rule in all_rules()}}
    near = {names[match].code: names[match].name for match in difflib.get_close_matches(wanted, names, n=5, cutoff=0.5)}
    listed = ", ".join(f"{code} {name}" for code, name in list(near.items())[:3])
    hint = f"the nearest: {listed}" if listed else "`lossguard rules` lists them all"
    raise UnknownRule(f"there is no rule {word!r}; {hint}")


def _modules(package: ModuleType) -> Iterator[ModuleType]:
    """Every module of a package, as `pkgutil` finds them, which would load half of the library for that."""
    folder = Path(package.__path__[0])
    for name in sorted({entry.name.partition(".")[0] for entry in folder.iterdir()} - {"__init__", "__pycache__", ""}):
        if name.isidentifier():
            module = importlib.import_module(f"{package.__name__}.{name}")
            yield module
            if hasattr(module, "__path__"):
                yield from _modules(module)


def _rules_in(module: ModuleType) -> list[Rule]:
    own = [value for value in vars(module).values() if isinstance(value, type) and issubclass(value, Rule)]
    return [cls() for cls in own if cls.__module__ == module.__name__ and "code" in vars(cls)]
