"""What a text tells apart from its message: frames, operation, device, torch version, and the failing line."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from itertools import pairwise
from typing import Final

from lossguard.explain.asserts import DeviceAssert, asserts_in
from lossguard.explain.operations import (
    calls_a_loss_class,
    is_statement,
    layer_of_file,
    looks_like_code,
    operation,
    operations_called,
    operations_named,
    speaks_of_a_loss,
    speaks_of_embeddings,
    speaks_of_labels,
)
from lossguard.explain.reading import Frame, clean, errors_in, frames_of
from lossguard.explain.undressing import undress
from lossguard.explain.unrelated import AFTERMATH
from lossguard.findings import Place
from lossguard.records import dataclass, replace
from lossguard.rules.saying import ALL_LOSSES, CLASS_LOSSES, CTC, EVERYTHING, INDEX_OPERATIONS, REAL_LOSSES, bare

# Patterns are compiled where they are first used: most texts need few of them.
_NAN: Final = r"\bnan\b"
_VERSION: Final = r"\b(?:torch|pytorch)[ =:v(]{1,4}(\d\.\d{1,2}(?:\.\d{1,2})?)"
_DEVICES: Final = (("cuda", "cuda"), ("mps", "mps"), (".cu:", "cuda"))
#: What Python writes between the traceback of a cause and that of its consequence.
_CHAINS: Final = ("During handling of the above exception", "The above exception was the direct cause")
#: Torch's own advice to start with CUDA_LAUNCH_BLOCKING, printed where nobody did.
_ADVICE: Final = "consider passing cuda_launch_blocking=1"
#: Short texts may be nothing but a line of code and a message; in long ones only frames count.
_FEW_LINES: Final = 40
#: Lines with one of these are messages, not code.
_NO_CODE: Final = ("Error", "ssertion", "Warning:", "Exception:")
#: A program has at least as many lines.
_A_PROGRAM: Final = 15
#: Of several errors, as many are read by themselves.
_MOST_ERRORS: Final = 8
#: What begins the next error, and how many lines of the last one's message may stand before it.
_NEXT: Final = ("Traceback (most", 'File "', "During handling", "The above exception")
_REST: Final = 12


@dataclass(frozen=True, slots=True)
class Telling:
    """A text, read."""

    #: Without case, quotes and line breaks; what templates are held against.
    words: str
    #: The same with no spaces where lines were broken, for terminals that break inside a word.
    joined: str
    #: The clean lines themselves.
    lines: tuple[str, ...] = ()
    frames: tuple[Frame, ...] = ()
    asserts: tuple[DeviceAssert, ...] = ()
    #: How many lines the device printed, those in the middle of a very long text among them.
    assert_lines: int = 0
    #: The operations that failed, as far as the text can be trusted on it.
    operations: frozenset[str] = frozenset()
    #: Those of them that the message itself names.
    named: frozenset[str] = frozenset()
    #: The operations that frames name, trusted or not.
    hints: frozenset[str] = frozenset()
    #: Lines of code around the failure.
    code: tuple[str, ...] = ()
    #: The exceptions, as the text has them.
    errors: tuple[str, ...] = ()
    torch: str = ""
    device: str = ""
    #: Whether the failure came up later than it happened, so that no frame can be trusted.
    is_late: bool = False
    #: How many letters of an endless text were not read.
    unread: int = 0

    @property
    def is_source(self) -> bool:
        """Whether the text is a program and nothing else: no error, and most lines are statements."""
        if self.asserts or self.frames or len(self.lines) < _A_PROGRAM or errors_in(list(self.lines[-_REST:])):
            return False
        return sum(map(is_statement, self.lines)) > len(self.lines) / 2

    @property
    def place(self) -> Place | None:
        """The user's own last line; None where frames cannot be trusted or are all of others."""
        if self.is_late:
            return None
        own = next((frame for frame in reversed(self.frames) if frame.is_own and frame.file and frame.line), None)
        return None if own is None else Place(own.file, own.line, own.code)

    def shows(self, need: str) -> bool:
        """Whether the text has what a saying needs beyond its words."""
        return not need or _NEEDS[need](self)

    @property
    def loss(self) -> str:
        """The operation that failed, where the text names one of ours."""
        known = sorted(self.operations & EVERYTHING, key=lambda op: (op == "log_softmax", op))
        return known[0] if known else ""


def _names(told: Telling, losses: frozenset[str]) -> bool:
    """Whether the failing line, or the user's frames, name one of these losses."""
    lines = [*told.code, *(frame.code for frame in told.frames)]
    return any(name in losses for line in lines for name in operations_called(line))


def _is_near_a_loss(told: Telling) -> bool:
    """Whether the failing line calls a loss or has a name in it that stands for labels."""
    return (
        bool((told.operations | told.hints) & ALL_LOSSES) or speaks_of_a_loss(told.code) or speaks_of_labels(told.code)
    )


#: What a saying may need, as `TorchMessage.needs` has it, and how a text shows it.
_NEEDS: Final[Mapping[str, Callable[[Telling], bool]]] = {
    "labels": lambda told: speaks_of_labels(told.code),
    "no labels": lambda told: bool(told.code) and not speaks_of_labels(told.code),
    "nan": lambda told: re.search(_NAN, told.words) is not None,
    "loss": lambda told: bool(told.operations & ALL_LOSSES and told.frames and told.frames[-1].is_torch),
    "operation": lambda told: bool(told.operations & EVERYTHING),
    "loss class": lambda told: calls_a_loss_class(told.code) or any(frame.is_loss_being_made for frame in told.frames),
    "loss line": lambda told: not told.code or speaks_of_a_loss(told.code),
    "loss nearby": lambda told: (
        _is_near_a_loss(told) or speaks_of_a_loss(f"{frame.function}( {frame.code}" for frame in told.frames[-3:])
    ),
    "a loss": lambda told: bool(told.operations & ALL_LOSSES or told.hints & ALL_LOSSES) or speaks_of_a_loss(told.code),
    "loss or labels": _is_near_a_loss,
    "nothing else": lambda told: not told.code or _is_near_a_loss(told),
    "real loss": lambda told: bool((told.operations | told.hints) & REAL_LOSSES) or _names(told, REAL_LOSSES),
    "class loss": lambda told: bool((told.operations | told.hints) & CLASS_LOSSES) or _names(told, CLASS_LOSSES),
    "torch loss": lambda told: bool(told.hints & ALL_LOSSES),
    "names labels": lambda told: any(word in told.words for word in ("label", "target", "mask", "y_pred", "y_true")),
    "labels of a model": lambda told: "label" in told.words,
    "ctc": lambda told: "ctc" in told.words or "transducer" in told.words,
    "ctc call": lambda told: bool((told.operations | told.hints) & CTC) or _names(told, CTC),
    "speaks of a loss": lambda told: "loss" in told.words or "entropy" in told.words,
    "nll loss": lambda told: "nll" in told.words,
    "no assert": lambda told: not told.asserts,
    "index hint": lambda told: (
        not told.asserts and (bool(told.hints & INDEX_OPERATIONS) or speaks_of_embeddings(told.code))
    ),
}


def read(text: str) -> list[Telling]:
    """Read any text: a traceback, a log, a bare line. Of several errors each is read by itself, in their order."""
    undressed = undress(text)
    lines = clean(undressed.text)
    asserts = max(text.count("Assertion `"), text.count("Assertion '"))
    whole = _telling(lines, asserts, undressed.unread)
    ends = [number for number, _ in errors_in(lines)[:_MOST_ERRORS]]
    if len(ends) < 2:
        return [whole]
    starts = [0, *(end + 1 for end in ends[:-1])]
    stops = [*ends[1:], len(lines)]
    # What follows an error, up to the next traceback, may be the rest of its message.
    parts = [_part(lines, start, end, stop) for start, end, stop in zip(starts, ends, stops, strict=True)]
    return [*(replace(_telling(part, asserts, undressed.unread), torch=whole.torch) for part in parts), whole]


def _part(lines: list[str], start: int, end: int, stop: int) -> list[str]:
    """The lines of one error: what leads to it, its own line, and what may be the rest of its message."""
    rest = lines[end + 1 : stop]
    cut = next((number for number, line in enumerate(rest) if line.lstrip().startswith(_NEXT)), len(rest))
    return lines[start : end + 1] + rest[: min(cut, _REST)]


def _telling(lines: list[str], assert_lines: int, unread: int) -> Telling:
    """What some lines tell."""
    words = bare("\n".join(lines))
    joined = "" if len(lines) < 2 or len(words) > 100_000 else bare("".join(line.strip("\r\n") for line in lines))
    frames, asserts = tuple(_frames(lines)), tuple(asserts_in(lines))
    errors = tuple(said for _, said in errors_in(lines))
    late = bool(asserts) or any(bare(word) in words for word in AFTERMATH)
    code = _code(frames, lines)
    raising = _raising(frames, lines)
    hints = _hints(frames, raising)
    named = _operations(lines, asserts)
    return Telling(
        words=words,
        joined=joined,
        lines=tuple(lines),
        frames=frames,
        asserts=asserts,
        assert_lines=max(sum(found.times for found in asserts), assert_lines if asserts else 0),
        operations=_failed(named, frozenset() if late else hints, frames),
        named=named,
        hints=hints,
        code=code,
        errors=errors,
        torch=_torch(words, asserts),
        device=next((device for word, device in _DEVICES if word in words), ""),
        is_late=late and "cuda_launch_blocking=1" not in words.replace(_ADVICE, ""),
        unread=unread,
    )


def _frames(lines: list[str]) -> list[Frame]:
    """The frames of the traceback in which torch failed: of several that caused each other, the first that has any."""
    parts: list[list[str]] = [[]]
    for line in lines:
        parts[-1].append(line)
        if line.strip().startswith(_CHAINS):
            parts.append([])
    all_frames = [frames_of(part) for part in parts]
    inner = (frames for frames in all_frames if any(frame.is_torch for frame in frames))
    return next(inner, [frame for frames in all_frames for frame in frames])


def _code(frames: tuple[Frame, ...], lines: list[str]) -> tuple[str, ...]:
    """The user's failing line, or in a short text every line that looks like a call."""
    own = [frame.code for frame in frames if frame.code and not frame.is_torch]
    if own:
        return (own[-1],)
    if len(lines) > _FEW_LINES:
        return ()
    return tuple(line for line in lines if looks_like_code(line) and not any(word in line for word in _NO_CODE))


def _raising(frames: tuple[Frame, ...], lines: list[str]) -> tuple[str, ...]:
    """The lines of code that raised: those of frames, else the one right above the error."""
    own = [frame.code for frame in frames if frame.code and not frame.is_torch]
    if own or frames:
        return tuple(own[-1:])
    if len(lines) > _FEW_LINES:
        return ()
    above = [
        line for line, below in pairwise(lines) if any(word in below for word in _NO_CODE) and looks_like_code(line)
    ]
    return tuple((above or [line for line in lines if looks_like_code(line)])[-1:])


def _failed(named: frozenset[str], hints: frozenset[str], frames: tuple[Frame, ...]) -> frozenset[str]:
    """The operation that failed: the one that is named, or the loss that it is one step of, as torch's frames say."""
    is_step = not named & EVERYTHING and bool(frames) and frames[-1].is_torch
    return hints if not named or (is_step and hints & ALL_LOSSES) else named


def _operations(lines: list[str], asserts: tuple[DeviceAssert, ...]) -> frozenset[str]:
    """The operation that failed, as the kernel says, else the message: both can be trusted."""
    if kernels := {kernel for found in asserts if (kernel := found.operation) is not None}:
        return frozenset(kernels)
    return frozenset([op for line in lines if len(line) < 4000 for op in operations_named(line.lower())][-2:])


def _hints(frames: tuple[Frame, ...], raising: tuple[str, ...]) -> frozenset[str]:
    """The operation that failed, as torch's own frames say, else the line that raised."""
    ours: list[str] = []
    others: list[str] = []
    layers: list[str] = []
    for frame in reversed(frames):
        if not frame.is_torch:
            break
        called = None if "parallel" in frame.file else operation(frame.function)
        ours += [called] if called is not None else []
        others += operations_called(frame.code)
        layers += layer_of_file(frame.file)
    if ours or others or layers:
        return frozenset(ours or others or layers)
    return next((frozenset(found) for line in reversed(raising) if (found := operations_called(line))), frozenset())


def _torch(words: str, asserts: tuple[DeviceAssert, ...]) -> str:
    """The torch version, as the text says it or as the line of an assert tells it."""
    told = next((found.torch for found in asserts if found.torch), "")
    stated = re.search(_VERSION, words) if "torch" in words else None
    return stated[1] if stated else told
