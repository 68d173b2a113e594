"""Reports: data that adds up, pickles and goes into JSON; and nothing of a stranger's gets through in words."""

from __future__ import annotations

import io
import json
import pickle
import re
from html.parser import HTMLParser
from typing import Any

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

import lossguard
from lossguard import Finding, Report
from lossguard.findings import Certainty, Fix, Origin, Place, Safety, Sample, Severity
from lossguard.reports.lines import plain
from lossguard.reports.report import Verdict
from lossguard.reports.terminal import wants_colour, write


def finding(text: str = "words", severity: Severity = Severity.ERROR, **fields: Any) -> Finding:
    """A finding with `text` wherever a stranger's text may stand."""
    return Finding(
        code="LG101",
        name="float-class-target",
        severity=severity,
        certainty=Certainty.LIKELY,
        loss="nll_loss",
        argument=fields.pop("argument", "target"),
        message=text,
        cause=text,
        torch_says=text,
        evidence={"dtype": text, "shape": [2], "device": text, "smallest": 0, "largest": 1},
        place=Place(text, 3, text),
        origin=(Origin(Place(text, 4, text), text, text, text),),
        samples=(Sample(value=1.5, position=(0,), index=7, batch=1),),
        fixes=(
            Fix(text, Safety.LOSSLESS, text, text),
            Fix(text, Safety.CHANGES_VALUES, text, text),
            Fix(text, Safety.CHANGES_VALUES),
        ),
        **fields,
    )


def in_colour(report: Report, monkeypatch: pytest.MonkeyPatch) -> str:
    """What a terminal with colour is sent."""
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm-256color")
    stream = io.StringIO()
    write(report, stream)
    return stream.getvalue()


HOSTILE = {
    "html": "<script>alert(1)</script>",
    "attribute": '" onmouseover="alert(1)" x=\'',
    "image": "</code></td><img src=x onerror=alert(1)>",
    "entity": "&lt;b&gt;",
    "colour": "\x1b[31mred\x1b[0m",
    "clear screen": "\x1b[2J\x1b[H",
    "title": "\x1b]0;owned\x07",
    "link": "\x1b]8;;http://evil.example\x1b\\click\x1b]8;;\x1b\\",
    "unfinished": "\x1b]52;c;aGk=",
    "device control": "\x1bP+q544e\x1b\\",
    "one byte csi": "\x9b31mred",
    "backspace": "safe\x08\x08\x08\x08evil",
    "carriage return": "safe\revil",
    "newline": "first\nerror[LG999] forged: line",
    "other newlines": "first\u2028second\u2029third\x85fourth\x0bfifth\x0csixth",
    "bidi": "abc\u202edcba\u202c \u2066x\u2069 \u200f \u061c",
    "nul": "a\x00b",
    "markup of rich": "[bold red]loud[/bold red] [link=http://evil.example]x[/link]",
    "surrogate": "name\udc80.py",
    "endless": "x" * 100_000,
}
#: The only control sequences that may reach a terminal: colours of our own.
COLOUR = re.compile(r"\x1b\[[0-9;]*m")
OBEYED = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u061c\u2028-\u202e\u2066-\u2069\ud800-\udfff]")


@pytest.mark.parametrize("text", HOSTILE.values(), ids=list(HOSTILE))
def test_nothing_a_terminal_obeys_gets_into_text(text: str) -> None:
    report = Report((finding(f"a {text} b"),), (text,))
    shown = str(report)
    assert not OBEYED.search(shown)
    assert len(shown.splitlines()) == len(str(Report((finding("words"),), ("words",))).splitlines())
    assert len(shown) < 20_000
    shown.encode()


@pytest.mark.parametrize("text", HOSTILE.values(), ids=list(HOSTILE))
def test_nothing_but_our_colours_gets_to_a_terminal(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    report = Report((finding(f"a {text} b"),), (text,))
    sent = in_colour(report, monkeypatch)
    assert COLOUR.search(sent)
    assert not OBEYED.search(COLOUR.sub("", sent))
    # Without the colours it is the plain text, letter for letter.
    shown, written = COLOUR.sub("", sent).splitlines(), str(report).splitlines()
    assert [line.rstrip() for line in shown] == [line.rstrip() for line in written]


class _Tags(HTMLParser):
    """The tags, attributes and text of a page."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: list[tuple[str, tuple[str, ...]]] = []
        self.text = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, tuple(sorted(name for name, _ in attrs))))

    def handle_data(self, data: str) -> None:
        self.text += data


def _parsed(report: Report) -> _Tags:
    parser = _Tags()
    parser.feed(report._repr_html_())
    parser.close()
    return parser


@pytest.mark.parametrize("text", HOSTILE.values(), ids=list(HOSTILE))
def test_no_tag_and_no_attribute_gets_into_html(text: str) -> None:
    hostile, harmless = (_parsed(Report((finding(f"a {words} b"),), ("",))) for words in (text, "words"))
    assert hostile.tags == harmless.tags
    assert not OBEYED.search(hostile.text)
    assert plain(f"a {text} b") in hostile.text


@given(st.text(st.characters(), max_size=60))
def test_plain_is_one_line_that_nobody_obeys(text: str) -> None:
    shown = plain(text)
    assert not OBEYED.search(shown)
    assert len(shown.splitlines()) <= 1
    assert plain(shown) == shown


@pytest.mark.parametrize("text", HOSTILE.values(), ids=list(HOSTILE))
def test_json_carries_any_text_and_is_ascii(text: str) -> None:
    written = Report((finding(text),), (text,)).to_json()
    assert written.isascii()
    assert json.loads(written)["findings"][0]["message"] == text


def test_json_has_no_nan() -> None:
    report = lossguard.check("cross_entropy", torch.randn(2, 5), torch.tensor([1.0, float("nan")]))
    data = json.loads(report.to_json(), parse_constant=pytest.fail)
    assert data["findings"][0]["samples"] == [{"position": 1, "value": "nan"}]


def test_json_has_the_fields_of_schema_1() -> None:
    data = json.loads(lossguard.check("cross_entropy", torch.randn(2, 5), torch.tensor([1.0, 2.0])).to_json())
    assert (data["schema"], data["tool"], data["version"]) == (1, "lossguard", lossguard.__version__)
    assert data["verdict"] == "broken"
    (found,) = data["findings"]
    assert found["code"] == "LG101"
    assert (found["severity"], found["certainty"]) == ("error", "certain")
    assert (found["loss"], found["argument"]) == ("cross_entropy", "target")
    assert found["evidence"]["dtype"] == "float32"
    assert (found["evidence"]["shape"], found["evidence"]["smallest"]) == ([2], 1)
    assert (found["origin"], found["samples"]) == ([], [])
    assert "place" not in found
    assert found["fixes"][0]["code"] == "target.long()"
    assert found["fixes"][0]["safety"] == "lossless"


findings = st.builds(
    finding,
    st.sampled_from(["one", "two", "three"]),
    st.sampled_from(list(Severity)),
    argument=st.sampled_from(["input", "target"]),
)
reports = st.builds(
    Report,
    st.lists(findings, max_size=3, unique_by=lambda found: found.to_dict().__repr__()).map(tuple),
    st.lists(st.sampled_from(["a", "b"]), max_size=2, unique=True).map(tuple),
    st.sampled_from([Verdict.SOUND, Verdict.UNKNOWN, Verdict.UNRELATED]),
)


@given(reports, reports, reports)
def test_reports_add_up(one: Report, two: Report, three: Report) -> None:
    assert (one + two) + three == one + (two + three)
    assert one + one == one
    assert sum([one, two]) == one + two
    assert set((one + two).subjects) == {*one.subjects, *two.subjects}
    assert len(one + two) <= len(one) + len(two)


@given(reports)
def test_reports_pickle(report: Report) -> None:
    assert pickle.loads(pickle.dumps(report)) == report  # noqa: S301 - our own bytes


def test_verdict_is_the_gravest() -> None:
    warning, error = finding(severity=Severity.WARNING), finding()
    assert Report().verdict == "sound"
    assert Report((warning,)).verdict == "suspicious"
    assert Report((warning, error)).verdict == "broken"
    assert Report(otherwise=Verdict.UNRELATED).verdict == "unrelated"
    assert bool(Report((warning,)))
    assert not Report()


def test_adding_something_else_is_a_type_error() -> None:
    with pytest.raises(TypeError):
        _ = Report() + 3  # type: ignore[operator]


@pytest.mark.parametrize(
    ("settings", "terminal", "wanted"),
    [
        ({}, True, True),
        ({}, False, False),
        ({"NO_COLOR": "1"}, True, False),
        ({"TERM": "dumb"}, True, False),
        ({"FORCE_COLOR": "1"}, False, True),
        ({"FORCE_COLOR": "1", "NO_COLOR": "1"}, True, False),
    ],
)
def test_colour_is_for_terminals_that_want_it(
    settings: dict[str, str], terminal: bool, wanted: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("NO_COLOR", "FORCE_COLOR", "TERM"):
        monkeypatch.delenv(name, raising=False)
    for name, value in settings.items():
        monkeypatch.setenv(name, value)
    stream = io.StringIO()
    monkeypatch.setattr(stream, "isatty", lambda: terminal)
    assert wants_colour(stream) is wanted
