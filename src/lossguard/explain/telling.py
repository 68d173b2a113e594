"""What a text tells apart from its message: frames, operation, device, torch version, and the failing line."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Final

from lossguard.explain.asserts import DeviceAssert, asserts_in
from lossguard.explain.operations import (
    calls_a_loss_class,
    layer_of_file,
    operation,
    operations_called,
    operations_named,
    speaks_of_a_loss,
    speaks_of_embeddings,
    speaks_of_labels,
)
from lossguard.explain.reading import Frame, clean, frames_of
from lossguard.explain.unrelated import AFTERMATH
from lossguard.findings import Place
from lossguard.records import dataclass
from lossguard.rules.saying import ALL_LOSSES, EVERYTHING, INDEX_OPERATIONS, bare

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


@dataclass(frozen=True, slots=True)
class Telling:
    """A text, read."""

    #: Without case, quotes and line breaks; what templates are held against.
    words: str
    #: The same with no spaces where lines were broken, for terminals that break inside a word.
    joined: str
    frames: tuple[Frame, ...] = ()
    asserts: tuple[DeviceAssert, ...] = ()
    #: How many lines the device printed, those in the middle of a very long text among them.
    assert_lines: int = 0
    #: The operations that failed, as far as the text can be trusted on it.
    operations: frozenset[str] = frozenset()
    #: The operations that frames name, trusted or not.
    hints: frozenset[str] = frozenset()
    #: Lines of code around the failure.
    code: tuple[str, ...] = ()
    torch: str = ""
    device: str = ""
    #: Whether the failure came up later than it happened, so that no frame can be trusted.
    is_late: bool = False

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


#: What a saying may need, as `TorchMessage.needs` has it, and how a text shows it.
_NEEDS: Final[Mapping[str, Callable[[Telling], bool]]] = {
    "labels": lambda told: speaks_of_labels(told.code),
    "no labels": lambda told: bool(told.code) and not speaks_of_labels(told.code),
    "nan": lambda told: re.search(_NAN, told.words) is not None,
    "loss": lambda told: bool(told.operations & ALL_LOSSES and told.frames and told.frames[-1].is_torch),
    "operation": lambda told: bool(told.operations & EVERYTHING),
    "loss class": lambda told: calls_a_loss_class(told.code) or any(frame.is_loss_being_made for frame in told.frames),
    "loss line": lambda told: not told.code or speaks_of_a_loss(told.code),
    "nll loss": lambda told: "nll" in told.words,
    "no assert": lambda told: not told.asserts,
    "index hint": lambda told: (
        not told.asserts and (bool(told.hints & INDEX_OPERATIONS) or speaks_of_embeddings(told.code))
    ),
}


def read(text: str) -> Telling:
    """Read any text: a traceback, a log, a bare line."""
    lines = clean(text)
    words = bare("\n".join(lines))
    joined = "" if len(lines) < 2 or len(words) > 100_000 else bare("".join(line.strip("\r\n") for line in lines))
    frames, asserts = tuple(_frames(lines)), tuple(asserts_in(lines))
    late = bool(asserts) or any(bare(word) in words for word in AFTERMATH)
    code = _code(frames, lines)
    hints = _hints(frames, code)
    return Telling(
        words=words,
        joined=joined,
        frames=frames,
        asserts=asserts,
        assert_lines=max(sum(found.times for found in asserts), text.count("Assertion `") if asserts else 0),
        operations=_failed(_operations(lines, asserts), frozenset() if late else hints, frames),
        hints=hints,
        code=code,
        torch=_torch(words, asserts),
        device=next((device for word, device in _DEVICES if word in words), ""),
        is_late=late and "cuda_launch_blocking=1" not in words.replace(_ADVICE, ""),
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
    return tuple(line for line in lines if "(" in line and "Error" not in line and "ssertion" not in line)


def _failed(named: frozenset[str], hints: frozenset[str], frames: tuple[Frame, ...]) -> frozenset[str]:
    """The operation that failed: the one that is named, or the loss that it is one step of, as torch's frames say."""
    is_step = not named & EVERYTHING and bool(frames) and frames[-1].is_torch
    return hints if not named or (is_step and hints & ALL_LOSSES) else named


def _operations(lines: list[str], asserts: tuple[DeviceAssert, ...]) -> frozenset[str]:
    """The operation that failed, as the kernel says, else the message: both can be trusted."""
    if kernels := {kernel for found in asserts if (kernel := found.operation) is not None}:
        return frozenset(kernels)
    return frozenset([op for line in lines if len(line) < 4000 for op in operations_named(line.lower())][-2:])


def _hints(frames: tuple[Frame, ...], code: tuple[str, ...]) -> frozenset[str]:
    """The operation that failed, as torch's own frames say, else the user's line."""
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
    return next((frozenset(found) for line in reversed(code) if (found := operations_called(line))), frozenset())


def _torch(words: str, asserts: tuple[DeviceAssert, ...]) -> str:
    """The torch version, as the text says it or as the line of an assert tells it."""
    told = next((found.torch for found in asserts if found.torch), "")
    stated = re.search(_VERSION, words) if "torch" in words else None
    return stated[1] if stated else told
