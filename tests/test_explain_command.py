"""`lossguard explain`: files, pipes, a pasted text, exit codes, and what it prints."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import lossguard
from lossguard.cli.main import main
from lossguard.reports.terminal import write

LINE = "IndexError: Target 7 is out of bounds."


def _piped(text: bytes, *options: str) -> subprocess.CompletedProcess[bytes]:
    command = [sys.executable, "-m", "lossguard", "explain", *options]
    return subprocess.run(command, input=text, capture_output=True, check=False)


def test_a_file_with_a_fault_exits_1(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "error.txt").write_text(LINE, encoding="utf-8")
    assert main(["explain", str(tmp_path / "error.txt")]) == 1
    assert "error[LG201] class-index-out-of-range" in capsys.readouterr().out


def test_json_is_the_report(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "error.txt").write_text(LINE, encoding="utf-8")
    assert main(["explain", "--format", "json", str(tmp_path / "error.txt")]) == 1
    report = json.loads(capsys.readouterr().out)
    assert (report["schema"], report["verdict"]) == (1, "broken")
    assert report["findings"][0]["name"] == "class-index-out-of-range"


@pytest.mark.parametrize(
    ("form", "words"),
    [("github", "::error title=LG201"), ("sarif", '"ruleId": "LG201"'), ("junit", '<failure message="')],
)
def test_forms_of_ci_name_the_finding(
    form: str, words: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "error.txt").write_text(LINE, encoding="utf-8")
    assert main(["explain", "--format", form, str(tmp_path / "error.txt")]) == 1
    assert words in capsys.readouterr().out


@pytest.mark.parametrize("options", [(), ("-",)])
def test_a_pipe_is_read(options: tuple[str, ...]) -> None:
    result = _piped(LINE.encode(), *options)
    assert result.returncode == 1
    assert b"LG201" in result.stdout
    assert result.stderr == b""


def test_what_powershell_writes_is_read() -> None:
    assert b"LG201" in _piped(LINE.encode("utf-16")).stdout
    assert b"LG201" in _piped(LINE.encode("utf-8-sig")).stdout


@pytest.mark.parametrize(("text", "code"), [("RuntimeError: CUDA out of memory.", 4), ("all is well", 3)])
def test_unknown_and_unrelated_are_not_sound(
    text: str, code: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "error.txt").write_text(text, encoding="utf-8")
    assert main(["explain", str(tmp_path / "error.txt")]) == code
    shown = capsys.readouterr().out.splitlines()
    assert len(shown) <= 3
    assert shown[0].startswith(("unrelated: ", "unknown: "))


@pytest.mark.parametrize("colour", ["", "1"])
@pytest.mark.parametrize("encoding", ["ascii", "latin-1", "cp1252"])
def test_no_encoding_stops_it(encoding: str, colour: str) -> None:
    """What a stream cannot write comes out as an escape."""
    text = f'  File "tr\u00e4in\u2192.py", line 3, in <module>\n    loss = F.nll_loss(x, t)\n{LINE}\n'
    environment = {**os.environ, "PYTHONIOENCODING": encoding, "FORCE_COLOR": colour}
    command = [sys.executable, "-m", "lossguard", "explain"]
    result = subprocess.run(command, input=text.encode(), capture_output=True, check=False, env=environment)
    assert (result.returncode, result.stderr) == (1, b"")
    assert b"in\\u2192.py:3" in result.stdout


@pytest.mark.skipif(sys.platform == "win32", reason="a shell of Unix")
def test_a_closed_stream_is_left_alone() -> None:
    command = f"{sys.executable} -m lossguard explain >&-"
    # Only a shell closes a stream.
    result = subprocess.run(["/bin/sh", "-c", command], input=LINE.encode(), capture_output=True, check=False)
    assert (result.returncode, result.stderr) == (1, b"")
    closed = io.StringIO()
    closed.close()
    write(lossguard.explain(LINE), closed)


@pytest.mark.parametrize("text", ["", " \n "])
def test_an_empty_text_exits_2(text: str) -> None:
    result = _piped(text.encode())
    assert result.returncode == 2
    assert b"no text" in result.stderr
    assert b"Traceback" not in result.stderr


def test_a_missing_file_exits_2(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explain", str(tmp_path / "none.txt")]) == 2
    assert "cannot be read" in capsys.readouterr().err
    assert main(["explain", str(tmp_path)]) == 2


def test_source_is_left_alone_when_asked(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    script = tmp_path / "train.py"
    script.write_text("loss = criterion(output, label)\n", encoding="utf-8")
    error = tmp_path / "error.txt"
    error.write_text(f'  File "{script}", line 1, in f\n{LINE}', encoding="utf-8")
    main(["explain", str(error)])
    assert "criterion(output, label)" in capsys.readouterr().out
    main(["explain", "--no-source", str(error)])
    assert "criterion(output, label)" not in capsys.readouterr().out


@pytest.mark.skipif(sys.platform == "win32", reason="a pseudo-terminal is a thing of Unix")
def test_a_text_pasted_on_a_terminal_ends_with_control_d() -> None:
    import pty

    parent, child = pty.openpty()
    environment = {**os.environ, "NO_COLOR": "1"}
    command = [sys.executable, "-m", "lossguard", "explain"]
    with subprocess.Popen(
        command, stdin=child, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment
    ) as process:
        os.close(child)
        os.write(parent, LINE.encode() + b"\n\x04")
        out, err = process.communicate(timeout=600)
    os.close(parent)
    assert b"Ctrl-D" in err
    assert b"LG201" in out
    assert process.returncode == 1


def test_nothing_heavy_is_loaded() -> None:
    probe = (
        "import sys; from lossguard.cli.main import main; main(['explain', sys.argv[1]]);"
        "heavy = {'torch', 'numpy', 'rich', 'dataclasses', 'inspect', 'json', 'pathlib'};"
        "print('LOADED', sorted(heavy & set(sys.modules)))"
    )
    error = Path(__file__).with_name("explain_texts.py")
    result = subprocess.run([sys.executable, "-c", probe, str(error)], capture_output=True, text=True, check=True)
    assert result.stdout.rsplit("LOADED", 1)[1].strip() == "[]"
