"""What torch says of a fault, written so that a person can read it and a pasted text can be held against it."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

from lossguard.findings import Certainty
from lossguard.records import dataclass

#: The operations that share their words: what a saying's `ops` is made of.
CLASS_LOSSES: Final = frozenset(
    [
        "nll_loss",
        "cross_entropy",
        "linear_cross_entropy",
        "log_softmax",
        "multi_margin_loss",
        "multilabel_margin_loss",
        "AdaptiveLogSoftmaxWithLoss",
    ]
)
REAL_LOSSES: Final = frozenset(
    [
        "binary_cross_entropy",
        "binary_cross_entropy_with_logits",
        "mse_loss",
        "l1_loss",
        "smooth_l1_loss",
        "huber_loss",
        "kl_div",
        "poisson_nll_loss",
        "gaussian_nll_loss",
        "soft_margin_loss",
        "multilabel_soft_margin_loss",
        "hinge_embedding_loss",
        "margin_ranking_loss",
        "cosine_embedding_loss",
        "triplet_margin_loss",
    ]
)
BINARY: Final = frozenset({"binary_cross_entropy", "binary_cross_entropy_with_logits"})
CTC: Final = frozenset({"ctc_loss"})
ALL_LOSSES: Final = CLASS_LOSSES | REAL_LOSSES | CTC
INDEX_OPERATIONS: Final = frozenset(
    [
        "embedding",
        "embedding_bag",
        "index_select",
        "gather",
        "scatter",
        "one_hot",
        "take_along_dim",
        "index",
        "index_add",
        "index_copy",
        "index_fill",
    ]
)
EVERYTHING: Final = ALL_LOSSES | INDEX_OPERATIONS


@dataclass(frozen=True, slots=True)
class TorchMessage:
    """What torch says of a fault: a text, and where and when it is said.

    `shows` is the same text as a template, for texts that people paste. Its words stand as torch prints
    them (case, quotes and line breaks do not count), and `{...}` are its holes:

        {target_dtype:float}    a fact: of which argument, which kind of fact, and what it may be
        {a|b}                   one of these words
        {?words}                words that may be missing
        {}                      anything, on a short stretch
    """

    text: str
    devices: str = "CPU and CUDA"
    versions: str = "all versions"
    shows: str = ""
    #: The losses and index operations that say so; empty when any may. Another operation's text is another fault's.
    ops: frozenset[str] = frozenset()
    #: How sure the words alone make it; one step surer when the text names one of `ops`.
    certainty: Certainty = Certainty.LIKELY
    #: How often this fault is the one, among those that have the same words; 0 to 100.
    weight: int = 50
    #: What else the text must show: "labels" (named in the failing line), "no labels" (a failing line, and
    #: none named in it), "nan", "operation" (it fails in one of ours), "loss" (in torch's own code of one),
    #: "loss class" (called as a function), "loss line" (a failing line, if there is one, that calls a loss
    #: or backward), "nothing else" (the same, or one that names labels), "a loss", "loss or labels", "loss
    #: nearby" (in one of the last frames), "nll loss", "no assert" (of the device), "index hint" (an index
    #: operation or embeddings in an untrusted frame).
    needs: str = ""
    #: Why torch puts it that way, where the words mislead.
    because: str = ""
    #: What has caused it, where these words tell that better than the rule's page.
    cause: str = ""
    #: Whether torch only warns.
    warns: bool = False

    def __str__(self) -> str:
        return f"{self.versions} on {self.devices}: {self.text}"

    def quoted(self, **known: str) -> str:
        """The saying with what is known of a call, `target_dtype` or a `value`, in place of the example's words."""
        names = {hole: hole.partition(":")[0] for hole in _HOLE.findall(self.shows)}
        filled = {hole: known.get(name, known.get(name.rpartition("_")[2], "")) for hole, name in names.items()}
        if not filled or not all(filled.values()):
            return f"{self.versions} on {self.devices}: {self._without_numbers()}"
        words = _HOLE.sub(lambda match: filled[match[1]], self.shows)
        lead = self.text.partition(": ")[0] + ": " if ": " in self.text and ": " not in words else ""
        stop = "." if self.text.endswith(".") and not words.endswith(".") else ""
        return f"{self.versions} on {self.devices}: {lead}{words}{stop}"

    def _without_numbers(self) -> str:
        """The text without the numbers of its example, which are those of no call at hand."""
        parts = _HOLE.split(self.shows)
        pattern = "".join("(.*?)" if number % 2 else re.escape(part) for number, part in enumerate(parts))
        found = re.search(pattern + "$" * (len(parts) > 1 and not parts[-1]), self.text, re.IGNORECASE)
        if found is None:
            return self.text
        spans = [*(found.span(number + 1) for number in range(len(parts) // 2)), (found.end(), len(self.text))]

        def shown(number: re.Match[str]) -> str:
            return "..." if any(start <= number.start() < end for start, end in spans) else number[0]

        return _NUMBER.sub(shown, self.text)


def newest_first(sayings: Iterable[TorchMessage]) -> list[str]:
    """The sayings as lines, each once: what every version says, then by the newest version that says it."""
    lines = {str(saying): saying.versions for saying in sayings}
    return sorted(lines, key=lambda line: _newest(lines[line]), reverse=True)


def _newest(versions: str) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """The last version of a range and its first; one that is still going on has no last."""
    known = [tuple(map(int, found.split("."))) for found in re.findall(r"\d+\.\d+", versions)]
    if not known or "later" in versions or "after" in versions:
        return (99,), known[0] if known else (99,)
    return known[-1], known[0]


#: Numbers that belong to one call, and not to the place of an argument, a device or a file.
_NUMBER: Final = re.compile(r"(?<![\w.#:`])(?<!position )-?\d[\d.]*(?:, \d+)*(?!\w)")
_HOLE: Final = re.compile(r"\{([^{}]*)\}")
_FLOATS: Final = "float|double|half|bfloat16"
_NARROW: Final = "int|short|char|uint16|uint32|uint64"
#: What a hole may hold. Every one is bounded, so that a template takes linear time on any text.
_KINDS: Final = {
    "float": _FLOATS,
    "wide": "float|double",
    "narrow": _NARROW,
    "whole": f"long int|long|byte|bool|{_NARROW}",
    "half": "half|bfloat16",
    "complex": "complexfloat|complexdouble|complexhalf",
    "long": "long",
    "byte": "byte|unsigned char",
    "bool": "bool",
    "dtype": r"[a-z]{1,20}\d{0,3}",
    "shape": r"[\[(][\w, ]{0,80}[\])]|\d{1,9}(?:x\d{1,9}){1,8}",
    "column": r"\[\d{1,9}, ?1(?:, ?\d{1,9}){0,6}\]",
    "number": r"-?\d{1,20}",
    "device": r"[a-z]{1,12}(?::\d{1,3})?",
    "word": r"[\w.:]{1,80}",
    "kind": r"[\w.]{1,80}",
    "kernel": r"\w{0,80}(?<!_index)",
    "index": r"\w{0,80}_index",
}
_DEFAULT_KINDS: Final = ("dtype", "shape", "device", "kind")
#: Quotes, backticks and stars: markdown and terminals eat them, so none of them counts.
_UNSEEN: Final = dict.fromkeys(map(ord, "`'\"*\u2018\u2019\u201c\u201d"))


def bare(text: str) -> str:
    """The text without case, quotes and line breaks: the form in which templates and texts are compared."""
    spaced = " ".join(text.translate(_UNSEEN).split()).lower()
    return spaced.replace(" (", "(").replace(" ,", ",")


def to_pattern(template: str) -> str:
    """A template as a regular expression for bare text."""
    parts = _HOLE.split(template)
    return "".join(_hole(part) if number % 2 else _words(part) for number, part in enumerate(parts))


def begins(template: str, message: str, enough: int) -> dict[str, str] | None:
    """What the holes hold, when a bare message is the beginning of a template's text and ends within it.

    The message may start in the middle of a line; at least `enough` letters of the template's words must be there.
    """
    parts = _HOLE.split(template)
    # From the longest beginning to the shortest: the words after the last hole may be cut anywhere.
    for last in range(len(parts) - 1, -1, -2):
        head = "".join(_hole(part) if number % 2 else _words(part) for number, part in enumerate(parts[:last]))
        start = head or r"\b(?=" + re.escape(bare(parts[0])[:8]) + ")"
        found = next(reversed(list(re.finditer(start, message))), None)
        if found is None:
            continue
        rest, words = message[found.end() :].strip(), bare(parts[last])
        known = sum(len(bare(part)) for part in parts[:last:2]) + len(rest)
        if known >= enough and words.startswith(rest) and (rest or last):
            return {name: value for name, value in found.groupdict().items() if value is not None}
    return None


def anchors(template: str) -> tuple[str, ...]:
    """The plain words of a template, the longest run first: all of them stand in every text that it fits."""
    literals = {bare(part) for part in _HOLE.split(template)[::2]}
    return tuple(sorted((words for words in literals if len(words) > 1), key=lambda words: (-len(words), words)))


def _words(literal: str) -> str:
    # Anchors are searched letter by letter, so only spaces at the edge of a hole may be missing.
    lead = " ?" if literal[:1].isspace() else ""
    tail = " ?" if literal[-1:].isspace() and literal.strip() else ""
    return lead + re.escape(bare(literal)).replace(r"\ ", " ") + tail


def _hole(inside: str) -> str:
    if not inside:
        return ".{0,160}?"
    if inside.startswith("?"):
        return f"(?:{_words(inside[1:])})?"
    if "|" in inside:
        return f"(?:{'|'.join(_words(word) for word in inside.split('|'))})"
    name, _, kind = inside.partition(":")
    last = name.rpartition("_")[2]
    kind = kind or (last if last in _DEFAULT_KINDS else "number" if name not in _KINDS else name)
    allowed = _KINDS[kind]
    return f"(?:{allowed})" if name == kind else f"(?P<{name}>{allowed})"
