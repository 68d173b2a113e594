"""From any pasted text to clean lines, frames and exceptions. Text is data: nothing in it is ever run."""

from __future__ import annotations

import re
from typing import Final

from lossguard.records import dataclass

#: Of very many lines, the first and the last are read.
MOST_LINES: Final = 30_000
#: Lines longer than this are read at both ends.
LONGEST_LINE: Final = 20_000

_LEVELS: Final = ("ERROR", "CRITICAL", "WARNING", "INFO", "DEBUG", "STDERR", "stderr")
_FIRST_OF_PREFIX: Final = frozenset("[(>`|+0123456789\u2502\u2503")
#: What launchers, loggers, quotes and boxes put before a line; several may stand one after the other.
_PREFIX: Final = (
    r"\s*(?:"
    r"\[rank\d{1,5}\]:|\[\d{1,5},\d{1,5}\]<std(?:err|out)>:?|\((?:\w{1,40}\s)?pid=\d{1,9}[^()]{0,60}\)|"
    r"\d{1,4}: (?=\s|\w{1,40}Error|Trace)|"
    r"\[?\d{4}-\d\d-\d\d[ T]\d\d:\d\d:\d\d(?:[.,]\d{1,9})?(?:Z|[+-]\d\d:?\d\d)?\]?:?|"
    r"\[?\b(?:ERROR|CRITICAL|WARNING|INFO|DEBUG|STDERR|stderr)\b\]?(?=[ :|-])[:|]?|"
    r"[\w.-]{1,40}\s{1,4}\|(?=\s)|[\u2502\u2503|](?=\s|$)|\+-[+-]{1,80}(?:\s\d{1,4}\s-[+-]{0,80})?|"
    r">(?=\s(?:File|Trace|\s|\w{1,40}Error|```))|```\w{0,12}"
    r")"
)

_LINE_OF_FILE: Final = r", line (\d{1,7})(?:, in (\S.{0,120}))?"
_NUMBER_IN: Final = r":(\d{1,7}),? in (\S{1,120})"
_DEBUGGER: Final = r"\((\d{1,7})\)(\S{1,120})\(\)"
_ARROW: Final = r"\s*(?:-{2,8}>|\u276f|\u2771)\s{0,4}(\d{1,7})[\s\u2502]\s{0,40}(\S.{0,300})"
_EXCEPTION: Final = (
    r"\s*(?:E\s{1,8})?((?:[A-Za-z_][\w.]{0,80}\.)?"
    r"(?:[A-Z]\w{0,60}(?:Error|Exception|Warning|Interrupt|Exit)|Runtime Error))(?::\s?(.*)|\s*$)"
)
_EXCEPTION_WORDS: Final = ("Error", "Exception", "Interrupt", "Exit")
_ELSEWHERE: Final = (
    r"site-packages|dist-packages|[\\/]lib[\\/]python\d|[\\/]torch[\\/]|^torch[\\/]|"
    r"<frozen|<string>|<__array_function__"
)


@dataclass(frozen=True, slots=True)
class Frame:
    """One call of a traceback."""

    file: str
    line: int
    function: str = ""
    code: str = ""

    @property
    def is_own(self) -> bool:
        """Whether the file is the user's: not torch's, not an installed package's, not Python's."""
        return not re.search(_ELSEWHERE, self.file)

    @property
    def is_torch(self) -> bool:
        """Whether the file is torch's own."""
        path = self.file.replace("\\", "/")
        return "/torch/" in path or path.startswith("torch/")

    @property
    def is_loss_being_made(self) -> bool:
        """Whether this is torch at work on a new loss, and not on a call of one."""
        path = self.file.replace("\\", "/")
        return self.is_torch and (
            path.endswith("/nn/_reduction.py") or (path.endswith("/nn/modules/loss.py") and self.function == "__init__")
        )


def clean(text: str) -> list[str]:
    """The lines of an undressed text, without what launchers, loggers and boxes put before them."""
    lines = [line for line in text.split("\n") if line and not line.isspace()]
    if len(lines) > MOST_LINES:
        lines = lines[: MOST_LINES // 2] + lines[-MOST_LINES // 2 :]
    return [_unprefixed(line) for line in lines]


def _unprefixed(line: str) -> str:
    if len(line) > LONGEST_LINE:
        line = line[: LONGEST_LINE // 2] + " " + line[-LONGEST_LINE // 2 :]
    for _ in range(4):
        if not _may_be_prefixed(line):
            break
        found = re.match(_PREFIX, line)
        if found is None or found.end() == 0:
            break
        line = line[found.end() :]
    # Boxes close each line with a bar.
    stripped = line.rstrip()
    return stripped[:-1].rstrip() if stripped.endswith(("\u2502", "\u2503")) else line


def _may_be_prefixed(line: str) -> bool:
    start = line.lstrip()[:10]
    return start[:1] in _FIRST_OF_PREFIX or start.startswith(_LEVELS) or (" |" in line[:60] and start != "")


def frames_of(lines: list[str]) -> list[Frame]:
    """The frames of all tracebacks in the lines, outermost first, in any of the usual dresses."""
    frames: list[Frame] = []
    for number, line in enumerate(lines):
        if len(line) > 1000:
            continue
        if (arrow := _arrow(line)) is not None:
            _complete(frames, *arrow)
            continue
        found = _frame(line)
        if found is not None:
            frames.append(found if found.code else _with_code(found, lines, number + 1))
    return frames


def _frame(line: str) -> Frame | None:
    """The frame that a line announces: Python's, a notebook's old or new, a box's, a debugger's."""
    if ", line " in line and (found := re.search(_LINE_OF_FILE, line)) is not None:
        file = line[: found.start()].rpartition("File ")[2].strip()
        if "File " in line or file.endswith(('"', ".py")):
            return Frame(file.strip('"'), int(found[1]), (found[2] or "").strip())
    if " in " in line and (found := re.search(_NUMBER_IN, line)) is not None:
        file = line[: found.start()].rpartition("File ")[2].strip()
        if " " not in file and ("File " in line or file.endswith(".py")):
            return Frame(file, int(found[1]), found[2].partition("(")[0])
    if " in " in line and "(" in line:
        file, _, function = line.strip().partition(" in ")
        file = file.partition("](")[0].strip("[]")
        if file and " " not in file and (file.endswith((".py", ".pyx")) or file.startswith("<ipython")):
            return Frame(file, 0, function.partition("(")[0])
    if line.startswith("> ") and (found := re.search(_DEBUGGER, line)) is not None:
        return Frame(line[2 : found.start()], int(found[1]), found[2])
    return None


def _arrow(line: str) -> tuple[int, str] | None:
    if ">" not in line and "\u276f" not in line and "\u2771" not in line:
        return None
    found = re.match(_ARROW, line)
    return None if found is None else (int(found[1]), found[2].strip())


def _complete(frames: list[Frame], line: int, code: str) -> None:
    """Give the line that an arrow marks to the frame above it; without one, to a frame of no file."""
    last = frames[-1] if frames else None
    if last is not None and (last.line in {0, line}) and (not last.code or last.line == line):
        frames[-1] = Frame(last.file, line, last.function, code)
    else:
        frames.append(Frame("", line, "", code))


def _with_code(frame: Frame, lines: list[str], start: int) -> Frame:
    """The frame with the line of code that is printed below it."""
    for line in lines[start : start + 1]:
        code = line.strip().removeprefix("-> ")
        if code and _frame(line) is None and _arrow(line) is None and not re.match(_EXCEPTION, line):
            numbered = re.match(r"\d{1,7} (.*)", code)
            return frame if numbered else Frame(frame.file, frame.line, frame.function, code[:300])
    return frame


def errors_in(lines: list[str]) -> list[tuple[int, str]]:
    """The lines that end in an exception, each different one once: its number, and what it says."""
    found: dict[str, tuple[int, str]] = {}
    for number, line in enumerate(lines):
        if len(line) > 4000 or not any(word in line for word in _EXCEPTION_WORDS):
            continue
        if (match := re.match(_EXCEPTION, line)) is not None and "Traceback (most" not in line:
            said = (match[2] or "").strip()
            found.setdefault(
                match[1] + re.sub(r"[\d\s]", "", said[:80]), (number, f"{match[1]}: {said}" if said else match[1])
            )
    return list(found.values())
