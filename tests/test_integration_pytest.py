"""`pytest --lossguard`: tests see nothing of it, and what was found stands in reports, summary, junit and file."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import textwrap
from pathlib import Path
from typing import Any

import pytest

TESTS = """
    import re, unittest, warnings
    import pytest

    @pytest.fixture
    def scores():
        import torch
        return torch.randn(4, 3) * 5 + 9

    def silent(scores):
        import torch, torch.nn.functional as F
        return F.nll_loss(scores, torch.tensor([0, 1, 2, 0]))

    def raising(scores):
        import torch, torch.nn.functional as F
        return F.nll_loss(scores, torch.tensor([0.0, 1, 2, 0]))

    def test_sound():
        import torch, torch.nn.functional as F
        assert F.mse_loss(torch.ones(3), torch.zeros(3)) == 1

    @pytest.mark.parametrize("times", [1, 2])
    def test_silent(scores, times):
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            silent(scores)

    def test_expected(scores):
        with pytest.raises(RuntimeError, match=r"but got Float$") as caught:
            raising(scores)
        assert not getattr(caught.value, "__notes__", [])

    def test_fails(scores):
        raising(scores)

    @pytest.mark.lossguard(allow=["LG301"])
    def test_allowed(scores):
        silent(scores)

    class TestOld(unittest.TestCase):
        def test_old_style(self):
            import torch
            silent(torch.randn(4, 3) * 5 + 9)

    def documented():
        '''
        >>> import torch
        >>> loss = silent(torch.randn(4, 3) * 5 + 9)
        '''
"""


def run(folder: Path, *arguments: str) -> Any:
    if not (folder / "test_it.py").exists():
        (folder / "test_it.py").write_text(textwrap.dedent(TESTS))
    return subprocess.run(
        [sys.executable, "-m", "pytest", "-p", "lossguard.integrations.pytest_plugin", "-p", "no:cacheprovider",
         "--doctest-modules", "-rA", *arguments, "test_it.py"],
        cwd=folder, capture_output=True, text=True, timeout=600, check=False, stdin=subprocess.DEVNULL,
        env={**os.environ, "OMP_NUM_THREADS": "1", "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"},
    )  # fmt: skip


def outcomes(done: Any) -> dict[str, str]:
    lines = [line.split(" - ")[0].split() for line in done.stdout.splitlines() if "test_it.py::" in line]
    return {words[1]: words[0] for words in lines if words[0] in {"PASSED", "FAILED", "ERROR"}}


def test_no_outcome_changes_and_everything_is_told(tmp_path: Path) -> None:
    plain = run(tmp_path)
    assert "lossguard:" not in plain.stdout
    done = run(tmp_path, "--lossguard", "--lossguard-report", "found.json", "--junitxml", "junit.xml")
    assert outcomes(done) == outcomes(plain)
    assert sorted(outcomes(plain).values()) == ["FAILED", *["PASSED"] * 7]
    section, summary = done.stdout.split("lossguard: accepted by torch")
    assert "error[LG101]" in section[section.index("test_fails") :]
    for test in ("test_silent[1]", "test_silent[2]", "TestOld::test_old_style", "test_it.documented"):
        assert test in summary
    for test in ("test_allowed", "test_sound", "test_expected"):
        assert f"in test_it.py::{test}" not in summary
    report = json.loads((tmp_path / "found.json").read_text())
    assert report["verdict"] == "broken"
    assert {finding["code"] for finding in report["findings"] if "test_silent" in finding["test"]} == {"LG301"}
    assert "LG101 float-class-target" in (tmp_path / "junit.xml").read_text()


def test_strict_fails_what_is_silent_and_not_allowed(tmp_path: Path) -> None:
    done = run(tmp_path, "--lossguard=strict", "-p", "no:warnings")
    failed = sorted(test.rpartition("::")[2] for test, outcome in outcomes(done).items() if outcome == "FAILED")
    assert failed == ["test_fails", "test_it.documented", "test_old_style", "test_silent[1]", "test_silent[2]"]
    assert "warning[LG301]" in done.stdout


def test_workers_of_xdist_are_guarded(tmp_path: Path) -> None:
    done = run(tmp_path, "-p", "xdist", "-n", "2", "--lossguard", "--lossguard-report", "found.json")
    assert "in test_it.py::test_silent[1]" in done.stdout
    tests = {
        finding["test"].rpartition("::")[2] for finding in json.loads((tmp_path / "found.json").read_text())["findings"]
    }
    assert {"test_silent[1]", "test_silent[2]", "test_fails", "test_old_style"} <= tests


def test_the_ini_file_switches_it_on_and_a_wrong_word_is_said(tmp_path: Path) -> None:
    (tmp_path / "pytest.ini").write_text("[pytest]\nlossguard = strict\n")
    assert outcomes(run(tmp_path, "-k", "test_silent"))["test_it.py::test_silent[1]"] == "FAILED"
    assert outcomes(run(tmp_path, "-k", "test_silent", "--lossguard=off"))["test_it.py::test_silent[1]"] == "PASSED"
    (tmp_path / "pytest.ini").write_text("[pytest]\nlossguard = maybe\n")
    done = run(tmp_path)
    assert done.returncode == pytest.ExitCode.USAGE_ERROR
    assert "true, strict or false" in done.stdout + done.stderr


def test_a_suite_without_torch_stays_without_torch(tmp_path: Path) -> None:
    (tmp_path / "test_it.py").write_text("import sys\ndef test(): assert 'torch' not in sys.modules\n")
    assert run(tmp_path, "--lossguard").returncode == 0


def test_a_marker_that_says_nothing_known_fails_its_own_test_only(tmp_path: Path) -> None:
    marks = ('allow=["nonsense"]', 'allow="LG301"', "permit=1", "'LG301'")
    lines = [f"@pytest.mark.lossguard({mark})\ndef test_{n}(): pass\n" for n, mark in enumerate(marks)]
    (tmp_path / "test_it.py").write_text("import pytest\n" + "\n".join(lines) + "\ndef test_plain(): pass\n")
    done = run(tmp_path, "--lossguard")
    said = {name.rpartition("::")[2]: outcome for name, outcome in outcomes(done).items()}
    assert said == {"test_0": "ERROR", "test_1": "PASSED", "test_2": "ERROR", "test_3": "ERROR", "test_plain": "PASSED"}
    assert "there is no rule 'nonsense'" in done.stdout
    assert "allow=[...] and strict=True or False" in done.stdout


def test_a_debugger_opens_below_the_diagnosis_and_strict_says_it_once(tmp_path: Path) -> None:
    done = run(tmp_path, "--lossguard", "--pdb", "-k", "test_fails")
    before, found, _ = done.stdout.partition("entering PDB")
    assert found
    assert "error[LG101]" in before
    strict = run(tmp_path, "--lossguard=strict", "-k", "test_old_style", "--tb=short")
    assert strict.stdout.count("warning[LG301]") - strict.stdout.count("Failed: warning[LG301]") == 1


def test_a_fault_in_subtests_is_one_fault(tmp_path: Path) -> None:
    (tmp_path / "test_it.py").write_text(
        textwrap.dedent("""
            import unittest, torch, torch.nn.functional as F

            class TestOld(unittest.TestCase):
                def test_sub(self):
                    for number in range(3):
                        with self.subTest(number=number):
                            F.nll_loss(torch.ones(4, 3), torch.tensor([0, 1, 2, 0]))
        """)
    )
    run(tmp_path, "--lossguard", "--lossguard-report", "found.json", "--junitxml", "junit.xml")
    (finding,) = json.loads((tmp_path / "found.json").read_text())["findings"]
    assert finding["evidence"]["times"] == 3
    assert (tmp_path / "junit.xml").read_text().count("LG301 logits-as-log-probabilities") == 1
