"""How tracing is built, held on its syntax trees: which folder knows which, and where knowledge may stand."""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import lossguard
from lossguard.rules.registry import all_rules
from lossguard.tracing.symptoms.seeking import KNOWN

TRACING = Path(lossguard.__file__).parent / "tracing"
FILES = sorted(TRACING.rglob("*.py"))
#: The folders and files of tracing: none imports from one that comes later.
ORDER = (
    ("program",),
    ("values",),
    ("evidence",),
    ("links",),
    ("symptoms",),
    ("batches",),
    ("walks",),
    ("remedies",),
    ("rendering",),
    ("locate",),
)
RANKS = {name: rank for rank, names in enumerate(ORDER) for name in names}
LONGEST = 400


def _tree(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


def _part(path: Path) -> str:
    """The folder of tracing that a file is in, or its own name."""
    return path.relative_to(TRACING).parts[0].removesuffix(".py")


def _imported(node: ast.AST) -> Iterator[str]:
    """The modules of tracing that are imported, for types alone as well."""
    for inner in ast.walk(node):
        if isinstance(inner, ast.ImportFrom) and (inner.module or "").startswith("lossguard.tracing"):
            whole = inner.module == "lossguard.tracing"
            yield from (f"{inner.module}.{alias.name}" if whole else str(inner.module) for alias in inner.names)


def test_every_folder_has_its_place() -> None:
    assert {_part(path) for path in FILES} - {"__init__"} == set(RANKS)


def test_no_folder_knows_one_that_comes_after_it() -> None:
    wrong = [
        f"{path.relative_to(TRACING)} imports {module}"
        for path in FILES
        for module in _imported(_tree(path))
        if RANKS[module.split(".")[2]] > RANKS.get(_part(path), len(RANKS))
    ]
    assert not wrong


def test_no_code_of_a_rule_stands_in_tracing() -> None:
    found = [f"{path.name}: {code}" for path in FILES for code in re.findall(r"LG\d{3}", path.read_text())]
    assert not found


def test_what_a_rule_seeks_is_known() -> None:
    sought = {word for rule in all_rules() for word in (rule.seek, rule.suspects)} - {""}
    assert sought == KNOWN


def test_symptoms_do_not_walk_source() -> None:
    for path in FILES:
        if _part(path) == "symptoms":
            assert "ast.walk" not in path.read_text(), path.name
            assert not {module for module in _imported(_tree(path)) if module.endswith((".sources", ".reaching"))}


def test_no_name_is_defined_twice() -> None:
    names = Counter(
        node.name
        for path in FILES
        for node in _tree(path).body
        if isinstance(node, ast.ClassDef | ast.FunctionDef) and not node.name.startswith("_")
    )
    assert not [name for name, count in names.items() if count > 1]


def test_no_file_is_long() -> None:
    sizes = {path.name: len(path.read_text().splitlines()) for path in FILES}
    assert not {name: size for name, size in sizes.items() if size > LONGEST}


#: The one file outside of the table of operations that knows calls by their names; and one whose words are being moved.
NAMING_CALLS = {"datasets.py", "remedy.py"}


def _asks_for_a_name(node: ast.AST, names: set[str]) -> bool:
    return any(
        (isinstance(inner, ast.Name) and inner.id in names)
        or (isinstance(inner, ast.Call) and isinstance(inner.func, ast.Name) and inner.func.id == "called_name")
        for inner in ast.walk(node)
    )


def _compared_names(function: ast.FunctionDef) -> Iterator[str]:
    """The comparisons in a function of what is called with a word that is written there."""
    names = {
        target.id
        for inner in ast.walk(function)
        if isinstance(inner, ast.Assign) and _asks_for_a_name(inner.value, set())
        for target in inner.targets
        if isinstance(target, ast.Name)
    }
    for inner in ast.walk(function):
        asked = isinstance(inner, ast.Compare) and _asks_for_a_name(inner.left, names)
        if isinstance(inner, ast.Compare) and asked and any(map(_words, inner.comparators)):
            yield ast.unparse(inner)


def _words(node: ast.AST) -> list[str]:
    """The words that are written out in what something is compared with."""
    match node:
        case ast.Constant(value=str() as word):
            return [word]
        case ast.Set(elts=parts) | ast.Tuple(elts=parts) | ast.List(elts=parts):
            return [word for part in parts for word in _words(part)]
        case ast.BinOp(left=left, right=right):
            return [*_words(left), *_words(right)]
    return []


def test_what_calls_do_is_said_by_the_table_alone() -> None:
    found = [
        f"{path.name}: {comparison}"
        for path in FILES
        if path.name not in NAMING_CALLS
        for function in ast.walk(_tree(path))
        if isinstance(function, ast.FunctionDef)
        for comparison in _compared_names(function)
    ]
    assert not found


def test_the_test_above_can_fail() -> None:
    wrong = "def f(node):\n    name = called_name(node)\n    return name == 'a' or called_name(node) in SAME | {'b'}\n"
    function = ast.parse(wrong).body[0]
    assert isinstance(function, ast.FunctionDef)
    assert len(list(_compared_names(function))) == 2


def _bases() -> dict[str, list[str]]:
    """The classes of tracing with those of tracing that they are derived from."""
    made = [node for path in FILES for node in ast.walk(_tree(path)) if isinstance(node, ast.ClassDef)]
    own = {node.name for node in made}
    return {node.name: [name for base in node.bases if (name := ast.unparse(base)) in own] for node in made}


def _ancestors(name: str, bases: dict[str, list[str]]) -> int:
    return sum(1 + _ancestors(base, bases) for base in bases[name])


def test_no_class_is_derived_from_a_derived_one() -> None:
    bases = _bases()
    assert not {name for name in bases if _ancestors(name, bases) > 1}
