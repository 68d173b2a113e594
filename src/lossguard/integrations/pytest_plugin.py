"""`pytest --lossguard`: every test runs guarded, and what was found stands where pytest shows things.

Nothing that a test sees changes: exceptions stay as torch made them, no warning is issued inside a test, and torch is
not imported before a test does it. A failing loss gets its diagnosis as a section of the test's report; what raised
nothing is listed in the summary with the test's name, and fails the test under `--lossguard=strict`.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Generator, Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import pytest

from lossguard.guard.run.importing import when_torch_is_imported

if TYPE_CHECKING:
    from lossguard.findings import Finding
    from lossguard.guard.guarding import guard
    from lossguard.guard.session import Settings

_OPTIONS: Final = (
    ("--lossguard", "on", "run every test guarded; what torch accepts and should not is listed in the summary"),
    ("--lossguard=strict", "strict", "the same, and a test fails by what torch accepts and should not"),
    ("--lossguard=off", "off", "run no test guarded, whatever the ini file says"),
)
_NAME: Final = "lossguard"
#: Findings travel with a test's report, from xdist's workers too.
_CARRIED: Final = "lossguard_findings"


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add what switches the plugin on."""
    group = parser.getgroup("lossguard", "watch the losses of every test")
    # Each form is an option of its own: with an optional value, `--lossguard tests` would take the folder for it.
    for option, mode, said in _OPTIONS:
        group.addoption(option, dest=_NAME, action="store_const", const=mode, help=said)
    group.addoption("--lossguard-report", metavar="FILE", type=Path, help="write the findings of all tests as JSON")
    parser.addini("lossguard", "true, strict or false: whether tests run guarded (default: false)", default="false")


def pytest_configure(config: pytest.Config) -> None:
    """Explain the marker, and begin if this was asked for."""
    config.addinivalue_line(
        "markers",
        "lossguard(allow=[...], strict=False): which rules this test may break, and whether it must break none",
    )
    mode = _mode_of(config)
    if mode != "off":
        config.pluginmanager.register(_Watching(config, strict=mode == "strict"), "lossguard-watching")


def _mode_of(config: pytest.Config) -> str:
    asked = config.getoption(_NAME)
    if asked is not None:
        return str(asked)
    word = str(config.getini("lossguard")).strip().lower()
    words = {"true": "on", "on": "on", "1": "on", "yes": "on", "strict": "strict"}
    if word not in {*words, "false", "off", "0", "no", ""}:
        raise pytest.UsageError(f"lossguard in the ini file is true, strict or false; this is {word!r}")
    return words.get(word, "off")


class _Watching:
    """The plugin at work."""

    def __init__(self, config: pytest.Config, *, strict: bool) -> None:
        self._strict = strict
        self._file: Path | None = config.getoption("--lossguard-report")
        self._is_worker = hasattr(config, "workerinput")
        self._found: dict[str, dict[tuple[str, str, str], dict[str, Any]]] = {}
        self._current: pytest.Item | None = None
        self._watch: guard | None = None
        self._is_strict = False
        when_torch_is_imported(self._begin)

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Generator[None, object, object]:
        """Guard a test with its fixtures."""
        self._current = item
        if "torch" in sys.modules:
            self._begin()
        try:
            return (yield)
        finally:
            self._current = None
            if self._watch is not None:
                self._watch.__exit__(None, None, None)
                self._watch = None

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_setup(self, item: pytest.Item) -> None:
        """Fail a test whose marker says what cannot be understood, and no other."""
        _, wrong = _allowed_by(item)
        if wrong:
            pytest.fail(wrong, pytrace=False)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_call(self, item: pytest.Item) -> Generator[None, None, None]:
        """Fail a test that was to be strict and broke a rule without a word."""
        yield
        silent = list(self._silent())
        if silent and self._watch is not None and self._is_strict:
            pytest.fail(_rendered(silent), pytrace=False)
        del item

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(self, item: pytest.Item) -> Generator[None, pytest.TestReport, pytest.TestReport]:
        """Add the diagnosis to a failing test, and what was silent to any."""
        report = yield
        if self._watch is None or item is not self._current or report.when == "teardown":
            return report
        findings = list(self._watch.report.findings) if report.failed else []
        text = _rendered(findings)
        if findings and text not in str(report.longrepr):  # there it stands when it is what failed the test
            report.sections.append((_NAME, text))
        if report.when == "call" or findings:
            kept = findings or list(self._silent())
            setattr(report, _CARRIED, [finding.to_dict() for finding in kept])
            # junit takes them from the last report of a test, which has one for each of its subtests too.
            told = [(_NAME, f"{each.code} {each.name}: {each.message}") for each in kept]
            item.user_properties.extend(each for each in told if each not in item.user_properties)
        return report

    @pytest.hookimpl(tryfirst=True)
    def pytest_exception_interact(self, node: pytest.Item | pytest.Collector, report: pytest.TestReport) -> None:
        """Show the diagnosis before a debugger opens, which shows the traceback alone."""
        terminal = node.config.pluginmanager.getplugin("terminalreporter")
        if terminal is not None and node.config.getoption("usepdb", default=False):
            for text in (text for name, text in report.sections if name == _NAME):
                terminal.section(_NAME, sep="-")
                terminal.line(text)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Gather what a test, here or in a worker, has brought."""
        if carried := getattr(report, _CARRIED, []):
            # A test with subtests reports a fault with each of them, the last time with all that was counted.
            known = self._found.setdefault(report.nodeid, {})
            known.update(((each["code"], each["argument"], str(each.get("place"))), each) for each in carried)

    def pytest_terminal_summary(self, terminalreporter: Any) -> None:
        """List what raised nothing, with the tests in which it happened."""
        by_fault: dict[tuple[str, str, str], list[str]] = {}
        for test, findings in self._found.items():
            for finding in findings.values():
                if finding["severity"] == "warning":
                    place = finding.get("place", {})
                    where = f"{place['file']}:{place['line']}" if place else ""
                    key = (f"{finding['code']} {finding['name']}", where, finding["message"])
                    by_fault.setdefault(key, []).append(test)
        if by_fault:
            terminalreporter.section("lossguard: accepted by torch, and probably not meant", sep="=", yellow=True)
            for (code, where, message), tests in by_fault.items():
                terminalreporter.line(f"{code}: {message}")
                terminalreporter.line(f"  at {where}" if where else "  at an unknown line")
                for test in dict.fromkeys(tests):
                    terminalreporter.line(f"  in {test}")

    def pytest_sessionfinish(self) -> None:
        """Write the file that was asked for; workers leave that to their controller."""
        if self._file is None or self._is_worker:
            return
        from lossguard.reports.report import Report

        findings = [{**finding, "test": test} for test, each in self._found.items() for finding in each.values()]
        severities = {finding["severity"] for finding in findings}
        verdict = "broken" if "error" in severities else "suspicious" if severities else "sound"
        data = {**Report().to_dict(), "verdict": verdict, "findings": findings}
        self._file.write_text(json.dumps(data, indent=2, default=str) + "\n", encoding="utf-8")

    def _begin(self) -> None:
        """Guard the present test, if there is one and nobody guards it yet."""
        if self._current is None or self._watch is not None:
            return
        from lossguard.guard.guarding import guard

        marks = list(self._current.iter_markers(_NAME))
        settings = _settings(_allowed_by(self._current)[0])
        self._is_strict = next((bool(m.kwargs["strict"]) for m in marks if "strict" in m.kwargs), self._strict)
        self._watch = guard.of(settings)
        self._watch.__enter__()

    def _silent(self) -> Iterable[Finding]:
        """What was said of calls that torch took: those it refused are the test's own matter, which may expect it."""
        findings = () if self._watch is None else self._watch.report.findings
        refused = {finding.place for finding in findings if finding.refused}
        return (finding for finding in findings if finding.place not in refused)


def _rendered(findings: Iterable[Finding]) -> str:
    from lossguard.reports.text import render_finding

    return "\n\n".join(map(render_finding, findings))


def _allowed_by(item: pytest.Item) -> tuple[frozenset[str], str]:
    """The codes that the markers of a test allow, and what is wrong with the markers: empty if nothing is."""
    from lossguard.allowing import codes_of
    from lossguard.rules.registry import UnknownRule

    allowed: frozenset[str] = frozenset()
    for mark in item.iter_markers(_NAME):
        if mark.args or not {"allow", "strict"}.issuperset(mark.kwargs):
            return allowed, "the marker lossguard takes allow=[...] and strict=True or False, by name"
        try:
            allowed |= codes_of(mark.kwargs.get("allow", ()))
        except UnknownRule as error:
            return allowed, f"the marker lossguard allows nothing: {error}"
    return allowed, ""


def _settings(allow: frozenset[str]) -> Settings:
    """How a test is guarded: nothing is said inside of it, and nothing is added to what is raised there."""
    from lossguard.allowing import allowed_by_project
    from lossguard.guard.session import Settings

    # Recording every line of a test suite would slow it down; where a fault came from is read and replayed.
    return Settings(notes=False, record="off", quiet=True, allow=allow | allowed_by_project())
