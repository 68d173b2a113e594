"""Above a diagnosis, the frames of a framework are one line; everything else is as Python shows it."""

from __future__ import annotations

import re
import traceback
from collections.abc import Callable
from io import StringIO

import pytest
import torch

import lossguard
from lossguard.guard.errors import attach, words
from lossguard.guard.run.tracebacks import displayed, folded


def framework(package: str) -> Callable[[int, Callable[[], None]], None]:
    """A function of an installed package that calls itself before it calls the user's."""
    names: dict[str, Callable[[int, Callable[[], None]], None]] = {}
    # Two functions in turn, for Python itself shortens one that calls itself.
    source = "def one(n, f): two(n - 1, f) if n else f()\ndef two(n, f): one(n - 1, f) if n else f()"
    exec(compile(source, f"/env/lib/site-packages/{package}/loop.py", "exec"), names)  # noqa: S102 - our own code
    return names["one"]


def fail() -> None:
    raise ValueError("at the user's line")


def caught(work: Callable[[], None]) -> ValueError:
    with pytest.raises(ValueError, match="at the") as found:
        work()
    return found.value


def test_a_long_stretch_of_a_framework_is_one_line() -> None:
    error = caught(lambda: framework("lightning")(20, fail))
    shown = folded(error)
    assert shown is not None
    assert "  [21 frames of lightning]\n" in shown
    assert shown.count("File ") == len(traceback.extract_tb(error.__traceback__)) - 21
    assert shown.endswith("in fail\n    raise ValueError(\"at the user's line\")\nValueError: at the user's line\n")


def test_exceptions_that_came_before_are_shortened_too_and_notes_stay() -> None:
    def chained() -> None:
        try:
            framework("accelerate")(12, fail)
        except ValueError as error:
            error.add_note("error[LG101]")
            raise ValueError("at the end") from error

    shown = folded(caught(chained))
    assert shown is not None
    assert "[13 frames of accelerate]" in shown
    assert "error[LG101]" in shown
    assert "direct cause" in shown


def test_what_is_short_or_of_torch_alone_is_left_to_python() -> None:
    assert folded(caught(lambda: framework("lightning")(2, fail))) is None
    assert folded(caught(lambda: framework("torch")(20, fail))) is None
    assert folded(caught(fail)) is None


class Terminal(StringIO):
    """A stream that says it is a terminal."""

    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize("calls", [0, 20])
def test_a_terminal_gets_the_diagnosis_in_colour_and_in_lines_that_fit(
    monkeypatch: pytest.MonkeyPatch, calls: int
) -> None:
    for name in ("NO_COLOR", "FORCE_COLOR"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.setenv("COLUMNS", "72")
    error = caught(lambda: framework("lightning")(calls, fail))
    report = lossguard.check("cross_entropy", torch.randn(4, 5), torch.tensor([1.0, 2.0, 0.0, 4.0]))
    attach(error, report)
    monkeypatch.setattr("sys.stderr", StringIO())
    assert displayed(error) == folded(error), "a file gets the traceback as it is"
    monkeypatch.setattr("sys.stderr", Terminal())
    shown = displayed(error)
    assert shown is not None
    assert "\x1b[1;31merror[LG101]" in shown
    lines = re.sub(r"\x1b\[[0-9;]*m", "", shown).splitlines()
    start = next(number for number, line in enumerate(lines) if line.startswith("error[LG101]"))
    assert max(map(len, lines[start:])) <= 72
    told = "".join("".join(lines[start:]).split())
    assert told == "".join(words(report).split())
    assert f"{type(error).__name__}: {error}" in lines
