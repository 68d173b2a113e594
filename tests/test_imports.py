"""Import promises: what is light stays light, and the arrow of imports never points back."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import lossguard

ROOT = Path(lossguard.__file__).resolve().parent
HEAVY = ("torch", "numpy", "rich", "pandas")

#: The stages, the first needs none, the last may need all; those of one line do not know each other.
STAGES = (
    ("inplace", "interruptions", "records"),
    ("operations",),
    ("paths",),
    ("contracts",),
    ("facts",),
    ("findings",),
    ("rules",),
    ("allowing", "diagnosis"),
    ("fixing",),
    ("tracing",),
    ("reports",),
    ("judging",),
    ("lint",),
    ("audit", "explain"),
    ("guard",),  # asks explain about a crash in which it saw no loss
    ("integrations",),
    ("cli",),
    ("__main__",),
)
RANKS = {name: rank for rank, names in enumerate(STAGES) for name in names}


def _loaded_by(code: str) -> set[str]:
    """The heavy packages that a new interpreter has loaded after running `code`."""
    probe = f"{code}\nimport sys; print('LOADED', *sorted(set({HEAVY!r}) & set(sys.modules)))"
    result = subprocess.run([sys.executable, "-c", probe], capture_output=True, text=True, check=True)
    return set(result.stdout.rsplit("LOADED", 1)[1].split())


@pytest.mark.parametrize(
    "code",
    [
        "import lossguard",
        "import lossguard; dir(lossguard); lossguard.Report; lossguard.check",
        "from lossguard.cli.main import main; assert main(['rule', 'LG101']) == 0",
        "from lossguard.cli.main import main; assert main(['rules', '--format', 'json']) == 0",
        "import lossguard; assert lossguard.check('cross_entropy', [[0.2, 0.8]], [1]).verdict == 'broken'",
        "import lossguard; lossguard.check('cross_entropy', [[0.2, 0.8]], [1]).to_json()",
    ],
)
def test_light_things_load_nothing_heavy(code: str) -> None:
    assert _loaded_by(code) == set()


def test_a_fault_is_placed_without_a_part_of_torch_that_takes_long_to_load() -> None:
    probe = (
        "import sys, torch, lossguard\n"
        "report = lossguard.check('cross_entropy', torch.randn(2, 3, 4), torch.full((2, 4), 9))\n"
        "print(report.findings[0].samples[1].position, 'sympy' in sys.modules)"
    )
    result = subprocess.run([sys.executable, "-c", probe], capture_output=True, text=True, check=True)
    assert result.stdout.split("\n")[0] == "(1, 0) False"


@pytest.mark.parametrize(
    ("code", "loaded"),
    [
        ("import lossguard, torch", {"torch"}),
        ("import lossguard.facts.from_tensor", {"torch"}),
        ("import lossguard, rich", {"rich"}),
        ("import lossguard, numpy", {"numpy"}),
    ],
)
def test_the_test_above_can_fail(code: str, loaded: set[str]) -> None:
    assert loaded <= _loaded_by(code)


def test_rich_is_loaded_only_for_colour() -> None:
    show = "import lossguard; from lossguard.reports.terminal import write; write(lossguard.Report())"
    assert _loaded_by("import os; os.environ['NO_COLOR'] = '1'; " + show) == set()
    assert "rich" in _loaded_by("import os; os.environ.pop('NO_COLOR', 0); os.environ['FORCE_COLOR'] = '1'; " + show)


def _imports(path: Path) -> Iterator[tuple[int, str]]:
    """Every module of lossguard that a file imports, inside functions as well, but not for types alone."""
    return _imports_of(ast.parse(path.read_text(encoding="utf-8")))


def _imports_of(node: ast.AST) -> Iterator[tuple[int, str]]:
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.Import):
            yield from ((child.lineno, alias.name) for alias in child.names)
        elif isinstance(child, ast.ImportFrom):
            assert child.level == 0, "imports are written in full"
            yield from ((child.lineno, f"{child.module}.{alias.name}") for alias in child.names)
        else:
            yield from _imports_of(child)


def _stage(module: str) -> str | None:
    """The stage that a module of lossguard belongs to; None for the package itself and for others' modules."""
    parts = module.split(".")
    return parts[1] if parts[0] == "lossguard" and len(parts) > 1 and parts[1] in RANKS else None


def _points_back(own: str, other: str) -> bool:
    return own != other and RANKS[other] >= RANKS[own]


def test_the_arrow_of_imports_never_points_back() -> None:
    wrong = []
    for path in sorted(ROOT.rglob("*.py")):
        own = path.relative_to(ROOT).parts[0].removesuffix(".py")
        if own == "__init__":
            continue
        assert own in RANKS, f"{own} has no place in the order of stages"
        for line, module in _imports(path):
            other = _stage(module)
            if other is not None and _points_back(own, other):
                wrong.append(f"{path.relative_to(ROOT)}:{line} imports {module}")
    assert not wrong, "\n".join(wrong)


def test_from_the_package_itself_only_its_version_is_imported() -> None:
    """`from lossguard import check` inside the package would go around the arrow."""
    for path in sorted(ROOT.rglob("*.py")):
        for line, module in _imports(path):
            package, _, name = module.rpartition(".")
            if package == "lossguard" and _stage(module) is None:
                assert name == "__version__", f"{path.relative_to(ROOT)}:{line} imports {module}"


def test_the_arrow_would_see_a_wrong_import() -> None:
    tree = ast.parse("def late():\n    if True:\n        from lossguard.cli import main\n")
    assert [_stage(module) for _, module in _imports_of(tree)] == ["cli"]
    assert _points_back("rules", "cli")
    assert _points_back("lint", "explain")
    assert not _points_back("cli", "rules")
    assert not _points_back("rules", "rules")


def test_at_module_level_only_what_says_so_imports_torch() -> None:
    """Knowledge (contracts, rules, diagnosis, findings) never imports torch, not even late."""
    for stage in ("contracts", "findings.py", "rules", "diagnosis.py", "reports"):
        paths = [ROOT / stage] if stage.endswith(".py") else sorted((ROOT / stage).rglob("*.py"))
        for path in paths:
            heavy = {module.split(".")[0] for _, module in _imports(path)} & {"torch", "numpy", "pandas"}
            assert not heavy, f"{path.relative_to(ROOT)} imports {heavy}"
