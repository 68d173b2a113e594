"""A finding as labelled lines: the one form that text, terminal and HTML share."""

from __future__ import annotations

import math
import re
from typing import Any, Final

from lossguard.findings import Finding, Fix, Sample
from lossguard.records import dataclass, replace

#: Everything a terminal might obey, and the marks that turn text around.
_CONTROL: Final = (
    r"\x1b\[[0-?]*[ -/]*[@-~]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)|\x1b.?|"
    r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]"
)
#: What ends a line, for some reader or other.
_LINE_END: Final = r"\r\n|[\n\r\t\x0b\x0c\x1c-\x1e\x85\u2028\u2029]"
#: Half a character, as file names on Linux may have; no stream can write it.
_HALF: Final = r"[\ud800-\udfff]"
_LONGEST: Final = 400
#: What is said of a way out that has no code to try and no reason of its own.
_UNEXPLAINED: Final = "only you can know what was meant; there is no code to check"
#: The labels take as many columns, and more where one is longer.
_LABEL: Final = 8


@dataclass(frozen=True, slots=True)
class Line:
    """One line of a finding: a label, what it says, the code of a place that it names, and an aside."""

    label: str
    text: str
    aside: str = ""
    #: What it is: a place, prose, or how far a fix can be trusted.
    kind: str = ""
    code: str = ""

    @property
    def rest(self) -> str:
        """What stands behind the text on the same line."""
        return plain("    ".join(filter(None, (self.code, self.aside))))


def plain(text: str) -> str:
    """The text on one line, without anything a terminal would obey, cut where it is endless."""
    # Whatever these patterns look for is not printable.
    shown = text if text.isprintable() else re.sub(_HALF, "?", re.sub(_CONTROL, "", re.sub(_LINE_END, " ", text)))
    return shown if len(shown) <= _LONGEST else shown[: _LONGEST - 3] + "..."


def headline(finding: Finding) -> str:
    """The first line: severity, code, name, message."""
    return plain(f"{finding.severity}[{finding.code}] {finding.name}: {finding.message}")


def lines_of(finding: Finding) -> list[Line]:
    """All other lines, in the order in which they help."""
    lines: list[Line] = []
    if finding.place is not None:
        lines.append(Line("at", finding.place.where, "", "place", finding.place.code))
    if described := describe(finding.evidence):
        lines.append(Line(finding.argument, described))
    if finding.certainty != "certain":
        lines.append(Line("certainty", str(finding.certainty), kind="prose"))
    if finding.cause:
        lines.append(Line("cause", finding.cause, kind="prose"))
    lines.extend(_origin_lines(finding))
    lines.extend(_fix_line(fix) for fix in finding.fixes)
    if finding.verify:
        lines.append(Line("verify", finding.verify, "run this to see whether it is this fault"))
    lines.extend(
        Line("or", f"{other.code} {other.name}: {other.message}", other.verify) for other in finding.alternatives
    )
    if finding.torch_says:
        lines.append(Line("torch", finding.torch_says))
    lines.append(Line("more", f"lossguard rule {finding.code}"))
    return [Line(plain(line.label), plain(line.text), plain(line.aside), line.kind, plain(line.code)) for line in lines]


def label_width(lines: list[Line]) -> int:
    """How many columns the labels of a finding take, so that what they say lines up."""
    return max(_LABEL, *(len(line.label) for line in lines))


def _origin_lines(finding: Finding) -> list[Line]:
    """Where it came from: the lines that made it bad, what a replay could not do, the samples."""
    lines: list[Line] = []
    for number, origin in enumerate(finding.origin):
        change = " -> ".join(filter(None, (origin.before, origin.after)))
        said = "    ".join(filter(None, (change, origin.note)))
        if origin.place == finding.place and not said:
            continue  # it stands above: the call itself is what is wrong
        lines.append(Line("" if number else "origin", origin.place.where, said, "place", origin.place.code))
    if remark := finding.evidence.get("replay"):
        lines.append(Line("replay", str(remark)))
    if any(sample.batch is not None for sample in finding.samples):
        lines.append(Line("sample", _samples(finding)))
    elif finding.samples:
        lines.append(Line("first" if len(finding.samples) > 1 else "where", _where(finding)))
    return lines


def _fix_line(fix: Fix) -> Line:
    """One way out: the line to change or the code, then how far it can be trusted."""
    words = [fix.title if fix.code else "", fix.reason, f"checked: {fix.checked}" if fix.checked else ""]
    said = f"{fix.tag}: " + ("; ".join(filter(None, words)) or _UNEXPLAINED)
    if fix.only_batch:
        said = f"{fix.tag} for this batch only: {fix.only_batch}"
    if fix.place is not None:
        return Line("fix", fix.place.where, said, fix.tag, fix.code or fix.title)
    return Line("fix", fix.code or fix.title, said, fix.tag)


def describe(evidence: Any) -> str:
    """What is known of the argument, in a sentence: `float32[64] on cuda:0; 64 values from 0 to 4`."""
    if "dtype" not in evidence and "shape" not in evidence:
        return ""
    shape = "[" + ", ".join(map(str, evidence.get("shape", ["?"]))) + "]"
    parts = [f"{evidence['dtype']}{shape}" if "dtype" in evidence else f"shape {shape}"]
    if evidence.get("device", "cpu") != "cpu":
        parts[0] += f" on {evidence['device']}"
    if "smallest" in evidence and "largest" in evidence:
        parts.append(_values(evidence))
    kinds = {
        "null": "missing",
        "nan": "NaN",
        "positive_infinity": "inf",
        "negative_infinity": "-inf",
        "ignored": "ignored",
    }
    parts.extend(f"{evidence[key]:,} {word}" for key, word in kinds.items() if evidence.get(key))
    return "; ".join(parts)


def _values(evidence: Any) -> str:
    low, high = number(evidence["smallest"]), number(evidence["largest"])
    span = f"from {low} to {high}" if low != high else f"all {low}"
    total, fractional = evidence.get("count"), evidence.get("fractional")
    if total is None or fractional is None or not str(evidence.get("dtype", "")).startswith(("float", "bfloat")):
        return f"values {span}"
    other = ("nan", "null", "positive_infinity", "negative_infinity")
    whole = total - fractional - sum(evidence.get(key, 0) for key in other)
    if fractional:
        return f"values {span}, {whole:,} of {total:,} whole"
    return f"{whole:,} of {total:,} values are whole numbers{',' if low == high else ''} {span}"


def number(value: Any) -> str:
    """A number as people write it: 4 for 4.0, and no endless digits."""
    if isinstance(value, float):
        if value.is_integer() and abs(value) < 1e16:
            return str(int(value))
        shown = f"{value:.6g}"
        # What lies beside a whole number must not look like it.
        return shown if math.isinf(value) or not float(shown).is_integer() else f"{value:.9g}"
    return str(value)


def _where(finding: Finding) -> str:
    shown = []
    for sample in finding.samples[:5]:
        place = []
        if sample.key or sample.index is not None:
            place.append(sample.key or f"sample {sample.index}")
        if sample.batch is not None:
            place.append(f"batch {sample.batch}")
        if sample.position is not None:
            many = ""
            if sample.count > 1:
                many = f"{_many(finding, sample)} of {finding.argument}[{sample.position[0]}], first "
            place.append(f"{many}{finding.argument}[{', '.join(map(str, sample.position))}]")
        shown.append(f"{', '.join(place)} = {'missing' if sample.value is None else number(sample.value)}")
    more = len(finding.samples) - len(shown)
    return "; ".join(shown) + ("; ..." if more > 0 else "")


def _samples(finding: Finding) -> str:
    """`index 1207 of TrainSet (batch 18, position 55) = 4`, for the first few."""
    samples = _grouped(finding.samples)
    shown = []
    for sample in samples[:3]:
        named = sample.key or ("no index is known" if sample.index is None else "")
        many = f"{_many(finding, sample)} of " * (sample.count > 1)
        if sample.index is not None:
            named = f"{'sample' if many else 'index'} {sample.index}" + (f" of {sample.dataset}" * bool(sample.dataset))
        position = "" if sample.position is None else ", ".join(map(str, sample.position))
        position = f", {'first at ' if many else ''}position {position}" * bool(position)
        shown.append(f"{many}{named} (batch {sample.batch}{position}) = {number(sample.value)}")
    more = len(samples) - len(shown)
    return "; ".join(shown) + (f"; {more} more" if more > 0 else "")


def _grouped(samples: tuple[Sample, ...]) -> list[Sample]:
    """The samples, each once: values of a flattened target may be of one and the same."""
    groups: dict[tuple[object, ...], Sample] = {}
    for number, sample in enumerate(samples):
        key = (sample.dataset, sample.index, sample.batch) if sample.index is not None else (number,)
        known = groups.get(key)
        groups[key] = sample if known is None else replace(known, count=known.count + sample.count)
    return list(groups.values())


def _many(finding: Finding, sample: Sample) -> str:
    """`62 pixels`, where the argument is one of pictures; values otherwise."""
    return f"{sample.count:,} {'pixels' if len(finding.evidence.get('shape', ())) >= 3 else 'values'}"
