"""The public surface: few names, all lazy, all documented; examples in docstrings run."""

from __future__ import annotations

import doctest
import importlib
import pkgutil
import re
from pathlib import Path

import pytest

import lossguard

MODULES = sorted(
    entry.name for entry in pkgutil.walk_packages(lossguard.__path__, "lossguard.") if "__main__" not in entry.name
)


def test_every_name_is_there_and_documented() -> None:
    assert lossguard.__all__ == sorted(lossguard.__all__)
    assert {"CannotFix", "Finding", "Report", "UnknownLoss", "check", "fix"} <= set(lossguard.__all__)
    for name in lossguard.__all__:
        assert getattr(lossguard, name).__doc__, name


def test_the_surface_stays_small() -> None:
    assert len(lossguard.__all__) <= 18


def test_dir_shows_the_surface_and_nothing_else() -> None:
    assert set(dir(lossguard)) == {*lossguard.__all__, "__version__"}


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="no attribute 'chekc'"):
        _ = lossguard.chekc


def test_version_is_a_version_and_in_the_changelog() -> None:
    assert re.fullmatch(r"\d+\.\d+\.\d+([a-z]+\d+)?", lossguard.__version__)
    changelog = Path(__file__).resolve().parent.parent / "CHANGELOG.md"
    assert lossguard.__version__ in changelog.read_text(encoding="utf-8")


def test_the_package_is_typed() -> None:
    assert (Path(lossguard.__file__).parent / "py.typed").exists()


# A framework that is imported may use what torch is about to give up.
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
@pytest.mark.parametrize("name", ["lossguard", *MODULES])
def test_examples_in_docstrings_run(name: str) -> None:
    try:
        module = importlib.import_module(name)
    except ModuleNotFoundError as error:
        if str(error.name).startswith("lossguard"):
            raise
        pytest.skip(f"{error.name} is not installed")
    failed, _ = doctest.testmod(module)
    assert failed == 0


def test_some_docstrings_have_examples() -> None:
    """The test above is no test of nothing."""
    finder = doctest.DocTestFinder()
    tested = [
        test
        for name in ("lossguard.judging", "lossguard.contracts.shapes")
        for test in finder.find(importlib.import_module(name))
        if test.examples
    ]
    assert len(tested) >= 3
