"""Programs rewritten in ways that change nothing, and which lines of the new programs come from the guilty one.

A rewriting is a row of the table `REWRITINGS`: a name and a function that is given the syntax tree of a file and gives
the new tree, two of them where part of the file moves into another one, or None where it does not apply.
"""

from __future__ import annotations

import ast
import copy
import re
import shutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import rewriting_modules as modules
import rewriting_statements as single
import rewriting_values as values
from rewriting_trees import identifiers, is_marked, mark_line

Change = Callable[[ast.Module], ast.Module | tuple[ast.Module, ast.Module] | None]


@dataclass(frozen=True)
class Rewriting:
    """A way to write a program differently, and which of its files it is for."""

    change: Change
    #: Nothing else may need the names of the file, so only main.py is changed.
    only_main: bool = False
    #: Other files could see the difference, so only a program of one file is changed.
    only_alone: bool = False


REWRITINGS: Final[Mapping[str, Rewriting]] = {
    "arguments": Rewriting(modules.arguments, only_main=True),
    "by_module": Rewriting(modules.by_module, only_main=True),
    "chains": Rewriting(single.chains),
    "closures": Rewriting(values.closures, only_main=True),
    "copied": Rewriting(values.copied, only_main=True),
    "decorated": Rewriting(single.decorated),
    "dicts": Rewriting(values.dicts, only_main=True),
    "generators": Rewriting(single.generators),
    "globals": Rewriting(modules.shared_globals, only_main=True),
    "helpers": Rewriting(single.helpers),
    "inherited": Rewriting(values.inherited, only_main=True),
    "inlined": Rewriting(single.inlined),
    "loops": Rewriting(single.loops),
    "main": Rewriting(modules.main_function, only_main=True),
    "modelled": Rewriting(values.modelled, only_main=True),
    "overloaded": Rewriting(values.overloaded, only_main=True),
    "parameters": Rewriting(modules.parameters, only_main=True),
    "partials": Rewriting(values.partials, only_main=True),
    "phases": Rewriting(single.phases, only_main=True),
    "phases_flat": Rewriting(single.phases_flat, only_main=True),
    "plain": Rewriting(lambda tree: tree),
    "registry": Rewriting(values.registry, only_main=True),
    "renamed": Rewriting(single.renamed, only_main=True),
    "runner": Rewriting(modules.runner, only_main=True),
    "saved": Rewriting(values.saved, only_main=True),
    "settings": Rewriting(values.settings, only_main=True),
    "split": Rewriting(modules.split, only_main=True),
    "state": Rewriting(modules.state, only_main=True),
    "subsets": Rewriting(single.subsets, only_alone=True),
    "temporaries": Rewriting(single.temporaries),
    "tried": Rewriting(modules.tried, only_main=True),
    "wrapped": Rewriting(single.wrapped),
}
#: Names that rewritings add; a program that has one of them already is left alone.
ADDED: Final = re.compile(
    r"(part|before|items|compute|variable|\w+_item)_\d+|warm_(state|net|rate|step|noise|loss|up)|handed_\w+"
    r"|(whole_part|each_batch|parts)_of\w*|compute_the_loss|logged_call|main_entry|(prepare|train)_all|WholeRunner"
    r"|(state|everything|parser|options|settings)_of_run|SettingsOfRun|handed_over|registered|REGISTERED|by_name_of"
    r"|named_batch_\d+|Passing|make_\w+|\w+_itself|Whole\w+"
)


@dataclass(frozen=True)
class Rewritten:
    """A new program and its lines, as file.py:number, that come from the guilty line."""

    script: Path
    guilty: frozenset[str]


def rewritten(name: str, program: Path, folder: Path) -> Rewritten | None:
    """Write a program, a folder with a main.py, into another folder; None if the rewriting does not apply to it."""
    new = _new_files(name, program)
    if new is None:
        return None
    copied = folder / program.name
    shutil.copytree(program, copied, ignore=shutil.ignore_patterns("__pycache__"))
    beside = program.parent / "site-packages"
    if beside.exists():
        shutil.copytree(beside, folder / beside.name, dirs_exist_ok=True)
    guilty = set[str]().union(*(_write(tree, copied / file) for file, tree in new.items()))
    return Rewritten(copied / "main.py", frozenset(guilty))


def applies(name: str, program: Path) -> bool:
    """Whether a rewriting changes a program."""
    return _new_files(name, program) is not None


def _new_files(name: str, program: Path) -> dict[str, ast.Module] | None:
    """All files of the new program; None if the rewriting does not apply to it."""
    trees = {path.name: _marked_tree(path) for path in sorted(program.glob("*.py"))}
    if any(ADDED.fullmatch(word) for tree in trees.values() for word in identifiers(tree)):
        return None
    return _changed(REWRITINGS[name], trees)


def _marked_tree(path: Path) -> ast.Module:
    """The tree of a file, with the statement of its guilty line marked."""
    text = path.read_text(encoding="utf-8")
    tree = ast.parse(text)
    for number, line in enumerate(text.splitlines(), 1):
        if line.rstrip().endswith("# guilty"):
            mark_line(tree, number)
    return tree


def _changed(rewriting: Rewriting, trees: Mapping[str, ast.Module]) -> dict[str, ast.Module] | None:
    """All files of the new program; None if none is changed."""
    if rewriting.only_alone and len(trees) > 1:
        return None
    new: dict[str, ast.Module] = {}
    for file, tree in trees.items():
        if file == "main.py" or not rewriting.only_main:
            made = rewriting.change(copy.deepcopy(tree))
            if isinstance(made, tuple):
                new[file], new[f"{modules.PARTS}.py"] = made
            elif made is not None:
                new[file] = made
    return {**trees, **new} if new else None


def _write(tree: ast.Module, path: Path) -> set[str]:
    """Write a file, and find its marked statements again in what was written."""
    text = ast.unparse(ast.fix_missing_locations(tree))
    path.write_text(f"{text}\n", encoding="utf-8")
    found = set[str]()
    for old, new in zip(ast.walk(tree), ast.walk(ast.parse(text)), strict=True):
        assert type(old) is type(new), f"{path}: {ast.dump(old)} was read as {ast.dump(new)}"
        if is_marked(old):
            assert isinstance(new, ast.stmt)
            found.add(f"{path.name}:{new.lineno}")
    return found
