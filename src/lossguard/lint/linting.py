"""`lint`: the faults of losses that source code shows, before anything runs."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from lossguard.allowing import Settings, codes_of, project_settings, remarked_words
from lossguard.findings import Certainty, Finding
from lossguard.lint.files import Problem, Text, collect, decoded, fits, is_worth_parsing, read
from lossguard.paths import shown_path
from lossguard.records import dataclass, field, replace
from lossguard.reports.report import Report
from lossguard.rules.registry import UnknownRule

if TYPE_CHECKING:
    from lossguard.lint.editing import Change
    from lossguard.lint.project import Project

#: From so many files on, processes share the work.
_MANY: Final = 400
#: What pasted code is called: names that it does not import are those that everybody gives.
PASTED: Final = "<pasted>"


@dataclass(frozen=True, slots=True)
class Linted:
    """One finding, with the fixes that can be written into its file."""

    finding: Finding
    changes: tuple[Any, ...] = ()
    #: The changed lines of the first of them.
    diff: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Outcome:
    """What linting has shown: of one file, or of all of them."""

    linted: tuple[Linted, ...] = ()
    problems: tuple[Problem, ...] = ()
    #: Remarks that allow what is not there.
    unused: tuple[Problem, ...] = ()
    files: int = 0
    fixed: int = 0

    def __add__(self, other: Outcome) -> Outcome:
        return Outcome(
            self.linted + other.linted,
            self.problems + other.problems,
            self.unused + other.unused,
            self.files + other.files,
            self.fixed + other.fixed,
        )

    def report(self) -> Report:
        """The findings as any other window reports them; what could not be read is among the subjects."""
        counted = f"{self.files:,} file{'' if self.files == 1 else 's'}"
        notes = [str(problem) for problem in (*self.problems, *self.unused)]
        return Report(tuple(each.finding for each in self.linted), (counted, *notes))


@dataclass(frozen=True, slots=True)
class Options:
    """How to lint."""

    fix: bool = False
    unsafe: bool = False
    unused: bool = False
    allow: frozenset[str] = frozenset()
    jobs: int = 0
    stdin_name: str = "<stdin>"
    settings: Settings = field(default_factory=Settings)


def lint(paths: str | os.PathLike[str] | Iterable[str | os.PathLike[str]]) -> Report:
    """The faults that the source code in these files and folders shows. Nothing in it is imported or run.

    >>> import lossguard
    >>> lossguard.lint("train.py").verdict  # doctest: +SKIP
    'broken'
    """
    given = [paths] if isinstance(paths, str | os.PathLike) else list(paths)
    names = [os.fspath(path) for path in given]
    start = Path(names[0]) if names and names[0] != "-" else Path()
    return lint_paths(names, Options(settings=project_settings(start if start.is_dir() else start.parent))).report()


def lint_paths(paths: Sequence[str], options: Options) -> Outcome:
    """Lint files, folders and the standard input."""
    total, files = Outcome(), list[str]()
    for found in collect(paths, options.settings.exclude, options.settings.folder):
        if isinstance(found, Problem):
            total += Outcome(problems=(found,))
        elif found == "-":
            total += lint_stdin(options)
        else:
            files.append(found)
    jobs = options.jobs or (os.cpu_count() or 1 if len(files) >= _MANY else 1)
    if jobs <= 1 or len(files) < 2:
        return sum(_lint_files(files, options), total)
    return sum(_in_processes(files, options, jobs), total)


def _in_processes(files: list[str], options: Options, jobs: int) -> Iterator[Outcome]:
    """Share the files out in runs of neighbours, which import each other."""
    from concurrent.futures import ProcessPoolExecutor

    size = max(1, -(-len(files) // (jobs * 8)))
    runs = [files[start : start + size] for start in range(0, len(files), size)]
    with ProcessPoolExecutor(jobs) as pool:
        for part in pool.map(_lint_run, runs, [options] * len(runs)):
            yield from part


def _lint_run(files: list[str], options: Options) -> list[Outcome]:
    return list(_lint_files(files, options))


def _lint_files(files: list[str], options: Options) -> Iterator[Outcome]:
    project: Project | None = None
    for path in files:
        text = read(path)
        if isinstance(text, Problem):
            yield Outcome(problems=(text,), files=1)
        elif not is_worth_parsing(text.content):
            yield Outcome(files=1)
        else:
            from lossguard.lint.project import Project

            project = project or Project()
            try:
                yield _lint_file(path, text, options, project)
            except Exception as error:  # noqa: BLE001 - the other files are linted whatever is wrong with one
                words = f"could not be linted, by a fault of lossguard: {type(error).__name__}: {error}"
                yield Outcome(problems=(Problem(path, words),), files=1)
                project = None


def lint_stdin(options: Options) -> Outcome:
    """Lint what comes on the standard input; with `fix`, the fixed text goes to the standard output."""
    name = options.stdin_name
    text = decoded(sys.stdin.buffer.read(), name)
    if isinstance(text, Problem):
        return Outcome(problems=(text,), files=1)
    from lossguard.lint.project import Project

    if options.fix:
        fixed, outcome = _fix(name, text, options, Project())
        sys.stdout.write(fixed)
        return outcome
    return lint_text(name, text.content, options, Project())


def _lint_file(path: str, text: Text, options: Options, project: Project) -> Outcome:
    if not options.fix or path.endswith(".ipynb"):
        return lint_text(path, text.content, options, project)
    content, outcome = _fix(path, text, options, project)
    if content != text.content:
        again = read(path)
        if not isinstance(again, Text) or again.content != text.content:
            return outcome + Outcome(problems=(Problem(path, "has changed while it was linted, and was not fixed"),))
        try:
            Path(path).write_bytes(text.encoded(content))
        except (OSError, UnicodeEncodeError) as error:
            return outcome + Outcome(problems=(Problem(path, f"cannot be written: {error}"),))
    return outcome


def _fix(path: str, text: Text, options: Options, project: Project) -> tuple[str, Outcome]:
    """Apply fixes until none is left: one may uncover another, and none is taken back."""
    from lossguard.lint.editing import applied

    content, fixed = text.content, 0
    for _ in range(5):
        outcome = lint_text(path, content, options, project)
        wanted = [_first(each, unsafe=options.unsafe) for each in outcome.linted]
        changed, taken = applied(content, [change for change in wanted if change is not None])
        if not taken or changed == content:
            break
        content, fixed = changed, fixed + len(taken)
    return content, replace(outcome, fixed=fixed)


def _first(linted: Linted, *, unsafe: bool) -> Change | None:
    return next((change for change in linted.changes if change.is_safe or unsafe), None)


def lint_text(path: str, content: str, options: Options, project: Project) -> Outcome:
    """Lint the text of one file."""
    from lossguard.lint.project import USUAL_NAMES, Source

    cells = None
    if path.endswith(".ipynb"):
        from lossguard.lint.notebooks import to_python

        try:
            content, cells = to_python(content)
        except ValueError as error:
            return Outcome(problems=(Problem(path, f"is no notebook that can be read: {error}"),), files=1)
    source = Source(path, content, cells=cells)
    if path == PASTED:
        source.implied = dict(USUAL_NAMES)
    try:
        source.parse()
    except SyntaxError as error:
        return Outcome(problems=(_syntax_problem(source, error),), files=1)
    except (RecursionError, MemoryError):
        return Outcome(problems=(Problem(path, "nests too deeply to be parsed"),), files=1)
    except ValueError as error:
        return Outcome(problems=(Problem(path, f"cannot be parsed: {error}"),), files=1)
    project.sources[path] = source
    from lossguard.lint.following import faults_in
    from lossguard.lint.telling import told

    found = [told(each) for each in faults_in(source, project)]
    return _allowed(source, found, options)


def _syntax_problem(source: Any, error: SyntaxError) -> Problem:
    line = error.lineno or 0
    old = re.search(r"^\s*print\s+[^(\s=]|^\s*except\s+\w+\s*,\s*\w+\s*:", source.text, re.MULTILINE)
    words = "is Python 2, which is not linted" if old else f"cannot be parsed: {error.msg}"
    if source.cells is not None and line:
        from lossguard.lint.notebooks import cell_at

        cell, line = cell_at(source.cells, line)
        return Problem(f"{shown_path(source.path)}:cell {cell}", words, line)
    return Problem(shown_path(source.path), words, line)


def _allowed(source: Any, found: list[tuple[Linted, range]], options: Options) -> Outcome:
    """Leave out what is allowed: everywhere, in this file, or by a remark on the lines of the statement."""
    everywhere = options.allow | options.settings.allow
    for pattern, codes in options.settings.per_file.items():
        if fits(source.path, pattern, options.settings.folder):
            everywhere |= codes
    remarks, problems = _remarks(source)
    used: set[tuple[int, str]] = set()
    kept: list[Linted] = []
    for linted, lines in found:
        code = linted.finding.code
        here = {(line, code) for line in lines if code in remarks.get(line, frozenset())}
        used |= here
        if not here and code not in everywhere:
            kept.append(linted)
    unused = [
        Problem(shown_path(source.path), f"`lossguard: allow {code}` is not needed", line)
        for line, codes in sorted(remarks.items())
        for code in sorted(codes)
        if (line, code) not in used
    ]
    return Outcome(tuple(kept), tuple(problems), tuple(unused) if options.unused else (), 1)


def _remarks(source: Any) -> tuple[dict[int, frozenset[str]], list[Problem]]:
    remarks: dict[int, frozenset[str]] = {}
    problems: list[Problem] = []
    if "lossguard:" not in source.text:
        return remarks, problems
    for number, line in enumerate(source.lines, 1):
        words = remarked_words(line)
        if words:
            try:
                remarks[number] = codes_of(words)
            except UnknownRule as error:
                problems.append(Problem(shown_path(source.path), str(error), number))
    return remarks, problems


def findings_in_code(text: str) -> tuple[Finding, ...]:
    """The findings in code that somebody pasted, marked as possible; prose around it is left out."""
    from lossguard.lint.pasted import code_in
    from lossguard.lint.project import Project

    outcome = lint_text(PASTED, code_in(text), Options(), Project())
    return tuple(replace(each.finding, certainty=Certainty.POSSIBLE) for each in outcome.linted)
