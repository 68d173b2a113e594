"""Lint: planted faults are found, their right relatives are not, and every fix that is offered works."""

from __future__ import annotations

import importlib.util
import json
import os
import re
import runpy
import subprocess
import sys
import warnings
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
import torch

import lossguard
from lossguard.contracts.loss import known_losses
from lossguard.lint.files import MENTIONS
from lossguard.lint.linting import Options, Outcome, findings_in_code, lint_paths, lint_text
from lossguard.lint.project import Project

HERE = Path(__file__).parent / "linted"
FAULTS = sorted((HERE / "faults").glob("*.py"))
RIGHT = sorted((HERE / "right").glob("*.py"))
#: Programs that read a file which is not there.
WITHOUT_DATA = {"column_of_frame"}
PROGRAMS = sorted((HERE / "programs").glob("*.py"))


def _linted(text: str, name: str = "train.py") -> Outcome:
    return lint_text(name, text, Options(), Project())


def _codes(text: str, name: str = "train.py") -> list[str]:
    return [each.finding.code for each in _linted(text, name).linted]


def _marks(path: Path, mark: str) -> set[tuple[int, str]]:
    lines = path.read_text(encoding="utf-8").splitlines()
    return {(number, found) for number, line in enumerate(lines, 1) for found in re.findall(rf"# ({mark})$", line)}


@pytest.mark.parametrize("path", FAULTS, ids=lambda path: path.stem)
def test_every_planted_fault_is_found_and_nothing_else(path: Path) -> None:
    found = lint_paths([str(path)], Options()).linted
    places = {(each.finding.place.line, each.finding.code) for each in found if each.finding.place is not None}
    assert places == _marks(path, r"LG\d{3}")


@pytest.mark.parametrize("path", RIGHT, ids=lambda path: path.stem)
def test_right_relatives_are_left_alone(path: Path) -> None:
    assert lint_paths([str(path)], Options()) == Outcome(files=1)


@pytest.mark.parametrize("path", PROGRAMS, ids=lambda path: path.stem)
def test_values_are_followed_through_whole_programs(path: Path) -> None:
    """Each program has the one fault that its first line names, or is sound, as the guard has it too."""
    found = lint_paths([str(path)], Options())
    places = {(each.finding.place.line, each.finding.code) for each in found.linted if each.finding.place is not None}
    assert places == _marks(path, r"LG\d{3}")
    assert not found.problems
    code = path.read_text(encoding="utf-8").partition(":")[0].strip('"')
    assert {code} == ({"sound"} if not places else {found_code for _, found_code in places})


def test_every_fix_of_a_program_is_applied_runs_and_is_sound(tmp_path: Path) -> None:
    """What `--unsafe-fixes` writes ends sound under the guard; where it cannot, nothing is written."""
    fixed = 0
    for path in PROGRAMS:
        copy = tmp_path / path.name
        copy.write_text(path.read_text(encoding="utf-8"), encoding="utf-8")
        if not lint_paths([str(copy)], Options(fix=True, unsafe=True)).fixed:
            assert copy.read_text(encoding="utf-8") == path.read_text(encoding="utf-8")
            continue
        fixed += 1
        assert not lint_paths([str(copy)], Options()).linted, path.stem
        if path.stem not in WITHOUT_DATA:
            with warnings.catch_warnings(), lossguard.guard(strict=True):
                warnings.simplefilter("ignore", UserWarning)
                torch.manual_seed(0)
                runpy.run_path(str(copy), run_name="__main__")
    assert fixed >= 18


def test_there_are_enough_of_both() -> None:
    planted = [mark for path in FAULTS for mark in _marks(path, r"LG\d{3}")]
    assert len(planted) >= 60
    assert len({code for _, code in planted}) >= 20
    assert sum(len(_marks(path, "right")) for path in RIGHT) >= 60


def _module(path: Path, name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _cases(module: ModuleType) -> dict[str, Callable[[], Any]]:
    return {
        name: value
        for name, value in vars(module).items()
        if callable(value) and not isinstance(value, type) and getattr(value, "__module__", "") == module.__name__
    }


def _function_lines(path: Path) -> dict[str, range]:
    import ast

    tree = ast.parse(path.read_text(encoding="utf-8"))
    return {
        node.name: range(node.lineno, (node.end_lineno or node.lineno) + 1)
        for node in tree.body
        if isinstance(node, ast.FunctionDef)
    }


@pytest.mark.parametrize("path", RIGHT, ids=lambda path: path.stem)
def test_right_relatives_run_and_the_guard_agrees(path: Path) -> None:
    """What lint leaves alone is sound when it runs, as far as it runs without arguments."""
    for name, case in _cases(_module(path, f"right_{path.stem}")).items():
        if case.__code__.co_argcount or name in {"expected_to_fail", "refused_on_purpose"}:
            continue
        with warnings.catch_warnings(), lossguard.guard(strict=True):
            warnings.simplefilter("ignore", UserWarning)
            torch.manual_seed(0)
            case()


@pytest.mark.parametrize("path", FAULTS, ids=lambda path: path.stem)
def test_every_fix_is_applied_runs_and_is_sound(path: Path, tmp_path: Path) -> None:
    """A file is fixed; functions in which nothing is found any more must run, and the guard must agree."""
    copy = tmp_path / path.name
    copy.write_text(path.read_text(encoding="utf-8"), encoding="utf-8")
    before = lint_paths([str(copy)], Options())
    fixed = lint_paths([str(copy)], Options(fix=True, unsafe=True))
    assert fixed.fixed
    text = copy.read_text(encoding="utf-8")
    assert text.count("# LG") == len(before.linted), "comments are kept"
    again = lint_paths([str(copy)], Options(fix=True, unsafe=True))
    assert not again.fixed
    assert copy.read_text(encoding="utf-8") == text
    left = {each.finding.place.line for each in again.linted if each.finding.place is not None}
    lines = _function_lines(copy)
    ran = 0
    for name, case in _cases(_module(copy, f"fixed_{path.stem}")).items():
        if left & set(lines[name]) or name in {"scorer_is_trained", "two_devices"}:
            continue
        ran += 1
        with warnings.catch_warnings(), lossguard.guard(strict=True):
            warnings.simplefilter("ignore", UserWarning)
            torch.manual_seed(0)
            case()
    assert ran >= 2


def test_a_safe_fix_alone_takes_no_decision(tmp_path: Path) -> None:
    path = tmp_path / "train.py"
    path.write_text((HERE / "faults" / "meaning.py").read_text(encoding="utf-8"), encoding="utf-8")
    before = path.read_text(encoding="utf-8")
    assert lint_paths([str(path)], Options(fix=True)).fixed == 0
    assert path.read_text(encoding="utf-8") == before


def test_files_that_mention_every_loss_are_parsed() -> None:
    for loss in known_losses().values():
        names = [name for name in (loss.name, loss.module) if name and loss.home != "operator" and loss.name != "take"]
        assert all(MENTIONS.search(name) for name in names)


TRAIN = """\
import torch
import torch.nn.functional as F

x, y = torch.randn(4, 3), torch.tensor([0, 1, 2, 1])
loss = F.cross_entropy(x.softmax(1), y)
"""


def test_a_remark_allows_and_an_unneeded_one_is_said() -> None:
    allowed = TRAIN.replace("softmax(1), y)", "softmax(1), y)  # lossguard: allow LG303")
    assert _codes(TRAIN) == ["LG303"]
    assert _codes(allowed) == []
    other = TRAIN.replace("softmax(1), y)", "softmax(1), y)  # lossguard: allow probabilities-as-logits, LG101")
    outcome = lint_text("train.py", other, Options(unused=True), Project())
    assert [problem.text for problem in outcome.unused] == ["`lossguard: allow LG101` is not needed"]


def test_settings_allow_and_exclude(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text(
        '[tool.lossguard]\nallow = ["LG101"]\nexclude = ["made/**"]\n'
        '[tool.lossguard.per-file-allow]\n"old/*.py" = ["LG303"]\n',
        encoding="utf-8",
    )
    for name in ("made", "old", "new"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "train.py").write_text(TRAIN, encoding="utf-8")
    report = lossguard.lint(tmp_path)
    places = [Path(finding.place.file).parent.name for finding in report if finding.place is not None]
    assert places == ["new"]


def test_folders_honour_gitignore_and_a_named_folder_is_linted(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    (tmp_path / ".gitignore").write_text("/made\n*.tmp.py\n!keep.tmp.py\ndeep/**/x.py\n", encoding="utf-8")
    for name in ("made/a.py", "a.py", "b.tmp.py", "keep.tmp.py", "deep/er/x.py", "deep/er/y.py"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(TRAIN, encoding="utf-8")
    (tmp_path / "loop").symlink_to(tmp_path)

    def names(path: Path) -> set[str]:
        found = lint_paths([str(path)], Options()).linted
        return {Path(each.finding.place.file).name for each in found if each.finding.place is not None}

    assert names(tmp_path) == {"a.py", "keep.tmp.py", "y.py"}
    assert names(tmp_path / "made") == {"a.py"}


def test_a_project_is_followed_through_its_imports(tmp_path: Path) -> None:
    package = tmp_path / "project"
    package.mkdir()
    (package / "__init__.py").write_text("", encoding="utf-8")
    (package / "model.py").write_text(
        "from torch import nn\nclass Net(nn.Module):\n    def __init__(self):\n        super().__init__()\n"
        "        self.head = nn.Linear(4, 3)\n    def forward(self, x):\n        return self.head(x).softmax(-1)\n"
        "raise SystemExit('nobody runs this')\n",
        encoding="utf-8",
    )
    (package / "train.py").write_text(
        "import torch\nfrom torch.nn import CrossEntropyLoss\nfrom .model import Net\n"
        "def step(batch):\n    x, y = batch\n    net = Net()\n"
        "    loss = CrossEntropyLoss()(net(x), y)\n    loss.backward()\n",
        encoding="utf-8",
    )
    report = lossguard.lint([package])
    assert [finding.code for finding in report] == ["LG303"]
    assert report.findings[0].origin[0].place.file.endswith("model.py")


def test_a_notebook_names_cell_and_line(tmp_path: Path) -> None:
    cells = [
        {"cell_type": "markdown", "source": ["# Training"]},
        {
            "cell_type": "code",
            "source": ["%matplotlib inline\n", "!pip install torch\n", "import torch\n", "from torch import nn"],
        },
        {"cell_type": "code", "source": ["%%bash\n", "rm -rf nothing\n"]},
        {
            "cell_type": "code",
            "source": [
                "files = !ls\n",
                "x = torch.randn(4, 3)\n",
                "nn.CrossEntropyLoss()(x.softmax(1), torch.tensor([0, 1, 2, 0]))",
            ],
        },
    ]
    path = tmp_path / "train.ipynb"
    path.write_text(json.dumps({"cells": cells, "nbformat": 4}), encoding="utf-8")
    finding = lossguard.lint(path).findings[0]
    assert finding.place is not None
    assert finding.place.file.endswith("train.ipynb:cell 4")
    assert (finding.place.line, finding.code) == (3, "LG303")


BAD = {
    "syntax.py": (b"import torch\nloss = (\n", "cannot be parsed"),
    "python2.py": (b"import torch\nprint 'loss'\n", "is Python 2"),
    "latin.py": (b"import torch # loss caf\xe9\n", "is not UTF-8"),
    "utf16.py": ("import torch # loss".encode("utf-16"), "is UTF-16"),
    "null.py": (b"import torch # loss\n\0\0", "null bytes"),
    "unknown.py": (b"# coding: nonsense\nimport torch # loss\n", "encoding"),
    "large.py": (b"import torch # loss\n" + b"x = 1\n" * 900_000, "larger than"),
    "deep.py": (b"import torch\nloss = " + b"(" * 5000 + b")" * 5000, ""),
    "chain.py": (b"import torch\nloss = " + b"-" * 90_000 + b"1\n", ""),
    "broken.ipynb": (b'{"torch": "loss"', "is no notebook"),
    "list.ipynb": (b'["torch", "loss"]', "is no notebook"),
}


def test_bad_files_get_a_line_each_and_the_others_are_linted(tmp_path: Path) -> None:
    for name, (data, _) in BAD.items():
        (tmp_path / name).write_bytes(data)
    (tmp_path / "train.py").write_bytes(b"\xef\xbb\xbf" + TRAIN.encode())
    (tmp_path / "latin1.py").write_bytes(b"# coding: latin-1\n# caf\xe9\n" + TRAIN.encode())
    (tmp_path / "secret.py").mkdir()
    outcome = lint_paths([str(tmp_path), str(tmp_path / "absent.py")], Options())
    said = {Path(problem.path).name: problem.text for problem in outcome.problems}
    for name, (_, words) in BAD.items():
        assert words in said.get(name, ""), name
    assert "no such file" in said["absent.py"]
    found = {Path(each.finding.place.file).name for each in outcome.linted if each.finding.place is not None}
    assert found == {"train.py", "latin1.py"}


def test_a_folder_that_cannot_be_read_gets_a_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "locked").mkdir()
    (tmp_path / "train.py").write_text(TRAIN, encoding="utf-8")
    scan = os.scandir

    def refusing(path: Any) -> Any:
        if str(path).endswith("locked"):
            raise PermissionError(13, "Permission denied", str(path))
        return scan(path)

    monkeypatch.setattr(os, "scandir", refusing)
    outcome = lint_paths([str(tmp_path)], Options())
    assert [Path(problem.path).name for problem in outcome.problems] == ["locked"]
    assert outcome.problems[0].text == "cannot be read: Permission denied"
    assert [each.finding.code for each in outcome.linted] == ["LG303"]


def test_fixing_keeps_mark_encoding_and_line_ends(tmp_path: Path) -> None:
    path = tmp_path / "train.py"
    text = TRAIN.replace("x.softmax(1), y)", "x, y.int())  # größer").replace("\n", "\r\n")
    path.write_bytes(b"\xef\xbb\xbf" + text.encode())
    assert lint_paths([str(path)], Options(fix=True)).fixed == 1
    assert path.read_bytes() == b"\xef\xbb\xbf" + text.replace("y.int())", "y.int().long())").encode()


def test_nested_expressions_end() -> None:
    _linted("import torch\nloss = " + " + ".join(["x"] * 900) + "\n")
    deep = "import torch\n" + "".join(f"{'    ' * depth}if loss:\n" for depth in range(19)) + "    " * 19 + "pass\n"
    _linted(deep)


def test_the_command_line_prints_every_form_and_exit_codes(tmp_path: Path) -> None:
    from lossguard.cli.main import main

    path = tmp_path / "train.py"
    path.write_text(TRAIN, encoding="utf-8")
    (tmp_path / "sound.py").write_text("import torch\n", encoding="utf-8")
    assert main(["lint", str(path), "--format", "json"]) == 1
    assert main(["lint", str(path), "--allow", "LG303"]) == 0
    assert main(["lint", str(tmp_path / "sound.py")]) == 0
    assert main(["lint", str(tmp_path / "absent.py")]) == 2
    assert main(["lint", str(path), "--allow", "nonsense"]) == 2


def test_json_tells_file_line_and_code(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    from lossguard.cli.main import main

    path = tmp_path / "train.py"
    path.write_text(TRAIN, encoding="utf-8")
    main(["lint", str(path), "--format", "json"])
    finding = json.loads(capsys.readouterr().out)["findings"][0]
    assert (finding["code"], finding["place"]["line"], finding["place"]["column"]) == ("LG303", 5, 8)
    assert finding["place"]["file"].endswith("train.py")


def test_text_looks_like_a_linter(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    from lossguard.cli.main import main

    path = tmp_path / "train.py"
    path.write_text(TRAIN, encoding="utf-8")
    main(["lint", str(path)])
    lines = capsys.readouterr().out.splitlines()
    assert re.match(r".*train\.py:5:8: warning\[LG303\] probabilities-as-logits: ", lines[0])
    assert "    -loss = F.cross_entropy(x.softmax(1), y)" in lines
    assert "    +loss = F.cross_entropy(x, y)" in lines
    assert lines[-1] == "1 finding in 1 file"


def test_the_standard_input_is_linted_without_torch_and_nothing_is_run() -> None:
    text = "raise SystemExit('this was run')\n" + TRAIN
    code = (
        "import sys; from lossguard.cli.main import main; "
        "code = main(['lint', '-', '--stdin-filename', 'train.py']); "
        "print(sorted({'torch', 'numpy', 'rich'} & set(sys.modules)), code)"
    )
    result = subprocess.run([sys.executable, "-c", code], input=text, capture_output=True, text=True, check=True)
    assert result.stdout.splitlines()[-1] == "[] 0", "what follows a raise is never reached"
    result = subprocess.run([sys.executable, "-c", code], input=TRAIN, capture_output=True, text=True, check=True)
    assert result.stdout.startswith("train.py:5:8: warning[LG303]")
    assert result.stdout.splitlines()[-1] == "[] 1"


def test_several_processes_say_the_same() -> None:
    one = lint_paths([str(HERE)], Options(jobs=1))
    assert lint_paths([str(HERE)], Options(jobs=2)).report().to_json() == one.report().to_json()


def test_sarif_is_what_code_hosts_take(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    from lossguard.cli.main import main

    path = tmp_path / "a train.py"
    path.write_text(TRAIN, encoding="utf-8")
    main(["lint", str(path), "--format", "sarif"])
    log = json.loads(capsys.readouterr().out)
    assert (log["version"], log["$schema"]) == ("2.1.0", "https://json.schemastore.org/sarif-2.1.0.json")
    (run,) = log["runs"]
    (result,), (rule,) = run["results"], run["tool"]["driver"]["rules"]
    assert run["tool"]["driver"]["name"] == "lossguard"
    assert (result["ruleId"], rule["id"], result["level"]) == ("LG303", "LG303", "warning")
    assert rule["help"]["text"].startswith("The output of softmax or sigmoid")
    place = result["locations"][0]["physicalLocation"]
    assert place["artifactLocation"]["uri"].endswith("a%20train.py")
    assert (place["region"]["startLine"], place["region"]["startColumn"]) == (5, 8)


def test_sarif_fits_the_schema_of_oasis(capsys: pytest.CaptureFixture[str]) -> None:
    """The schema is that of SARIF 2.1.0, cut down to what is used: anything else is refused."""
    jsonschema = pytest.importorskip("jsonschema")
    from lossguard.cli.main import main

    schema = json.loads((HERE.parent / "sarif_2_1_0.json").read_text(encoding="utf-8"))
    main(["lint", str(HERE / "faults"), "--format", "sarif"])
    log = json.loads(capsys.readouterr().out)
    jsonschema.validate(log, schema)
    for spoilt in ({"level": "bad"}, {"message": "plain text"}, {"nonsense": 1}):
        log["runs"][0]["results"][0] |= spoilt
        with pytest.raises(jsonschema.ValidationError):
            jsonschema.validate(log, schema)


def test_a_file_that_cannot_be_opened_or_fails_gets_a_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither what the system refuses nor a fault of our own stops the other files."""
    from lossguard.lint import linting

    for name in ("a.py", "b.py"):
        (tmp_path / name).write_text(TRAIN, encoding="utf-8")
    lint_one = linting._lint_file

    def failing(path: str, *rest: Any) -> Outcome:
        if path.endswith("a.py"):
            raise IndexError("tuple index out of range")
        return lint_one(path, *rest)

    monkeypatch.setattr(linting, "_lint_file", failing)
    outcome = lint_paths([str(tmp_path)], Options())
    assert [problem.text.partition(":")[0] for problem in outcome.problems] == [
        "could not be linted, by a fault of lossguard"
    ]
    assert len(outcome.linted) == 1
    gone = tmp_path / "gone.py"
    gone.symlink_to(tmp_path / "nowhere.py")
    assert "no such file" in str(lint_paths([str(gone)], Options()).problems[0]).lower()


def test_pasted_code_is_linted_among_prose_and_without_imports() -> None:
    text = (
        "Why does my loss not go down?\n\n    net = nn.Sequential(nn.Linear(4, 3), nn.Softmax(1))\n"
        "    for x, y in loader:\n        loss = nn.CrossEntropyLoss()(net(x), y)\n\nThanks in advance!\n"
    )
    (finding,) = findings_in_code(text)
    assert (finding.code, finding.certainty) == ("LG303", "possible")
    assert lossguard.explain(text).findings[0].code == "LG303"
    assert findings_in_code("No code in here, only a loss (of words).") == ()


def test_the_table_of_rules_and_windows_is_up_to_date(capsys: pytest.CaptureFixture[str]) -> None:
    root = HERE.parents[1]
    runpy.run_path(str(root / "docs" / "make_rules.py"))["main"]()
    assert (root / "docs" / "rules.md").read_text(encoding="utf-8") == capsys.readouterr().out, "run `make docs`"


@pytest.mark.parametrize(("form", "words"), [("github", ",line=5,col=8,title=LG303"), ("junit", "<testsuite ")])
def test_forms_of_ci_name_the_finding(
    form: str, words: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    from lossguard.cli.main import main

    path = tmp_path / "train.py"
    path.write_text(TRAIN, encoding="utf-8")
    main(["lint", str(path), "--format", form])
    output = capsys.readouterr().out
    assert words in output
    assert "LG303" in output
