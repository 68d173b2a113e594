"""How many small changes of the code do the tests notice? Each is tried in a fork of a process that has torch loaded.

    python bench/mutate.py --sample 200          a seeded sample of all mutants, and the share that was noticed
    python bench/mutate.py --only facts/ --list  what would be tried

A mutant changes one comparison, `and` or `or`, `not`, sum or product, number or truth value, or returns None. Texts,
tables of examples and annotations are left alone. Only the tests that belong to a module are run.
"""

from __future__ import annotations

import argparse
import ast
import copy
import importlib.abc
import importlib.machinery
import importlib.util
import os
import random
import re
import signal
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any, Final

ROOT: Final = Path(__file__).parents[1]
SOURCE: Final = ROOT / "src"
#: Which tests belong to which part; the first pattern that fits a path counts.
TESTS: Final = (
    ("lossguard/facts/", "facts meaning_words survivors reading_reports check fix rule_examples"),
    ("lossguard/fixing/", "survivors fix unplanned rule_examples"),
    ("lossguard/diagnosis", "check golden unplanned rule_examples"),
    ("lossguard/rules/saying", "rule_pages reading_reports explain"),
    ("lossguard/rules/", "rule_examples meaning_words survivors golden check fix unplanned rule_pages reading_reports"),
)
#: Names of tables whose rows are texts and examples: what they say is compared with torch, not their numbers.
_TABLES: Final = frozenset({"says", "examples", "remedies", "verify", "__slots__", "__all__"})
_SWAPS: Final[dict[type[ast.AST], type[ast.AST]]] = {
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
    ast.And: ast.Or,
    ast.Or: ast.And,
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Div,
    ast.Div: ast.Mult,
    ast.BitAnd: ast.BitOr,
    ast.BitOr: ast.BitAnd,
    ast.FloorDiv: ast.Mult,
    ast.Mod: ast.Mult,
}
#: A test run that takes longer hangs, which is noticed.
_LIMIT: Final = 600


@dataclass(frozen=True)
class Mutant:
    """One change of one file."""

    path: Path
    #: Which node of the tree is changed, and which part of it.
    node: int
    part: int
    line: int
    said: str

    @property
    def module(self) -> str:
        """The name by which the module is imported."""
        return ".".join(self.path.relative_to(SOURCE).with_suffix("").parts).removesuffix(".__init__")

    def source(self) -> ast.Module:
        """The changed module."""
        tree = ast.parse(self.path.read_text(encoding="utf-8"))
        if self.node < 0:
            return tree
        _change(list(ast.walk(tree))[self.node], self.part)
        return ast.fix_missing_locations(tree)


def mutants_of(path: Path) -> list[Mutant]:
    """Every change that is made to a file."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    left_alone = {id(node) for found in _left_alone(tree) for node in ast.walk(found)}
    found = []
    for number, node in enumerate(ast.walk(tree)):
        if id(node) in left_alone or not hasattr(node, "lineno"):
            continue
        for part in range(len(node.ops) if isinstance(node, ast.Compare) else 1):
            changed = copy.deepcopy(node)
            if _change(changed, part):
                said = f"{_short(node)}  ->  {_short(changed)}"
                found.append(Mutant(path, number, part, node.lineno, said))
    return found


def _short(node: ast.AST) -> str:
    text = " ".join(ast.unparse(node).split())
    return text if len(text) <= 60 else f"{text[:57]}..."


def _left_alone(tree: ast.AST) -> Iterator[ast.AST]:
    """Annotations, texts, tables of examples, and what only the type checker runs."""
    for node in ast.walk(tree):
        if isinstance(node, ast.AnnAssign):
            yield node.annotation
        if isinstance(node, ast.Assign | ast.AnnAssign):
            names = node.targets if isinstance(node, ast.Assign) else [node.target]
            if any(isinstance(name, ast.Name) and name.id in _TABLES for name in names):
                yield node
        if isinstance(node, ast.FunctionDef):
            arguments = node.args
            every = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs, arguments.vararg, arguments.kwarg]
            yield from (each.annotation for each in every if each is not None and each.annotation is not None)
            yield from filter(None, [node.returns])
        if isinstance(node, ast.JoinedStr | ast.Assert):
            yield node
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
            yield node


def _change(node: ast.AST, part: int) -> bool:
    """Change a node in place; whether there was anything to change."""
    match node:
        case ast.Compare():
            node.ops[part] = _swapped(node.ops[part])
        case ast.BoolOp() | ast.BinOp() if type(node.op) in _SWAPS:
            node.op = _swapped(node.op)
        case ast.UnaryOp(op=ast.Not()):
            # Twice negated is the truth value that the operand has.
            node.operand = ast.UnaryOp(ast.Not(), node.operand)
        case ast.Constant(value=bool()):
            node.value = not node.value
        case ast.Constant(value=int() | float()):
            node.value = node.value + 1  # type: ignore[operator]
        case ast.Return(value=ast.expr() as value) if not (isinstance(value, ast.Constant) and value.value is None):
            node.value = ast.Constant(None)
        case _:
            return False
    return True


def _swapped(operator: Any) -> Any:
    return _SWAPS[type(operator)]()


class _Instead(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Gives the changed module to whoever imports it."""

    def __init__(self, mutant: Mutant) -> None:
        self._mutant = mutant

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        """The spec of the one module that is changed."""
        del path, target
        if fullname != self._mutant.module:
            return None
        file = self._mutant.path
        inner = [str(file.parent)] if file.name == "__init__.py" else None
        return importlib.util.spec_from_file_location(fullname, file, loader=self, submodule_search_locations=inner)

    def exec_module(self, module: ModuleType) -> None:
        """Run the changed source."""
        exec(compile(self._mutant.source(), str(self._mutant.path), "exec"), vars(module))  # noqa: S102 - our own code


def is_noticed(mutant: Mutant) -> bool:
    """Whether a test fails, or hangs, with this mutant in place."""
    child = os.fork()
    if child == 0:
        code = 1
        try:
            code = _run_tests(mutant)
        finally:
            os._exit(code)
    until = time.monotonic() + _LIMIT
    while time.monotonic() < until:
        ended, status = os.waitpid(child, os.WNOHANG)
        if ended:
            return os.waitstatus_to_exitcode(status) != 0
        time.sleep(0.05)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    return True


def _run_tests(mutant: Mutant) -> int:
    import pytest

    quiet = os.open(os.devnull, os.O_RDWR)
    os.dup2(quiet, 1)
    os.dup2(quiet, 2)
    sys.meta_path.insert(0, _Instead(mutant))
    os.chdir(ROOT)
    path = mutant.path.relative_to(SOURCE).as_posix()
    names = next(tests for prefix, tests in TESTS if path.startswith(prefix)).split()
    code = re.search(r'^    code = "(LG\d+)"', mutant.path.read_text(encoding="utf-8"), re.MULTILINE)
    flags = ["-q", "-x", "-p", "no:cacheprovider", "-p", "no:xdist", "--no-header"]
    # Modules are loaded before pytest could rewrite them.
    flags += ["-W", "ignore::pytest.PytestAssertRewriteWarning"]
    if code is not None:
        # The rule's own examples first: they notice most, and are few.
        own = int(pytest.main([*flags, "-k", code[1], "tests/test_rule_examples.py"]))
        if own:
            return own
        names.remove("rule_examples")
        for name in [name for name in sys.modules if name.startswith(("test_", "conftest"))]:
            del sys.modules[name]
    return int(pytest.main([*flags, *(f"tests/test_{name}.py" for name in names)]))


def main() -> None:
    """Try a sample and print what was not noticed, and the score."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--sample", type=int, default=100, help="so many mutants, chosen by the seed; 0 for all")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only", default="", help="files whose path holds these words")
    parser.add_argument("--list", action="store_true", help="say what would be tried, and end")
    options = parser.parse_args()
    found = {path: path.relative_to(SOURCE).as_posix() for path in sorted(SOURCE.rglob("*.py"))}
    files = [path for path, name in found.items() if name.startswith(tuple(prefix for prefix, _ in TESTS))]
    every = [mutant for path in files if options.only in str(path) for mutant in mutants_of(path)]
    chosen = every if not options.sample else random.Random(options.seed).sample(every, min(options.sample, len(every)))
    print(f"{len(every):,} mutants of {len(files)} files; {len(chosen):,} of them are tried", flush=True)
    if options.list:
        print(*(f"{mutant.path.relative_to(ROOT)}:{mutant.line}  {mutant.said}" for mutant in chosen), sep="\n")
        return
    import hypothesis  # noqa: F401 - loaded once for all forks
    import numpy as np  # noqa: F401 - the same
    import pytest  # noqa: F401 - the same
    import torch

    torch.set_num_threads(1)
    sys.path.insert(0, str(ROOT / "tests"))
    if is_noticed(Mutant(SOURCE / "lossguard/rules/casting.py", -1, 0, 0, "nothing is changed")):
        sys.exit("the tests fail without any change")
    noticed = 0
    for number, mutant in enumerate(chosen, 1):
        if is_noticed(mutant):
            noticed += 1
        else:
            print(f"{mutant.path.relative_to(ROOT)}:{mutant.line}  {mutant.said}", flush=True)
        if number % 20 == 0:
            print(f"    {noticed} of {number} noticed", flush=True)
    print(f"{noticed} of {len(chosen)} mutants were noticed: {noticed / max(1, len(chosen)):.0%}")


if __name__ == "__main__":
    main()
