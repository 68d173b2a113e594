"""`--html FILE`: the audit as one page, which opens offline, by day and by night, on a phone too."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from html import escape
from pathlib import Path
from typing import Any, Final

from lossguard.audit import charts
from lossguard.audit.report import AuditReport
from lossguard.audit.split import Split
from lossguard.audit.writing import written_whole
from lossguard.findings import Finding, Sample
from lossguard.reports.lines import lines_of, number, plain

#: So many files, rows and classes are listed; how many more there are is said.
_LISTED: Final = 200
_COMPARED: Final = 30
#: No more of a label than this is shown.
_LONGEST: Final = 80
_STYLE: Final = """
:root{color-scheme:light dark;--back:#fff;--ink:#1c2024;--soft:#667;--line:#8883;--card:#8881;
--bad:#c62828;--warn:#9a5b00;--good:#1b7a33}
@media(prefers-color-scheme:dark){:root{--back:#15181c;--ink:#e6e8ea;--soft:#9aa3ad;
--bad:#ff7b72;--warn:#e3b341;--good:#56d364}}
*{box-sizing:border-box}
body{margin:0;background:var(--back);color:var(--ink);font:15px/1.5 system-ui,sans-serif}
main{max-width:940px;margin:0 auto;padding:1.2rem}
h1{font-size:1.5rem;margin:.2rem 0}h2{font-size:1.1rem;margin:2rem 0 .5rem}
.verdict{border-left:6px solid var(--tone);padding:.6rem 1rem;background:var(--card);border-radius:4px}
.verdict h1{color:var(--tone)}.broken,.error{--tone:var(--bad)}.suspicious,.warning{--tone:var(--warn)}
.sound{--tone:var(--good)}.unknown{--tone:var(--soft)}
.soft{color:var(--soft)}
.finding{border-left:4px solid var(--tone);padding:.4rem .9rem;margin:.8rem 0;background:var(--card);border-radius:4px}
.finding h3{font-size:1rem;margin:.2rem 0}.finding h3 b{color:var(--tone)}
dl{display:grid;grid-template-columns:5.5rem 1fr;gap:.1rem .8rem;margin:.4rem 0}dt{color:var(--soft)}
dd{margin:0;overflow-wrap:anywhere;font-family:ui-monospace,monospace;font-size:13px}
.scroll{overflow-x:auto}table{border-collapse:collapse;width:100%;font-size:14px}
th,td{text-align:left;padding:.25rem .7rem .25rem 0;border-bottom:1px solid var(--line);white-space:nowrap}
td.n,th.n{text-align:right;font-variant-numeric:tabular-nums}
figure{margin:.6rem 0}figure svg{max-width:100%;height:auto;color:var(--ink)}.narrow{display:none}
@media(max-width:600px){.wide{display:none}.narrow{display:block}main{padding:.8rem}
dl{grid-template-columns:1fr}dt{margin-top:.3rem}}
"""


def write_page(report: AuditReport, path: str) -> None:
    """Write the page, whole or not at all."""
    page = render(report)
    with written_whole(path) as temporary:
        Path(temporary).write_text(page, encoding="utf-8")


def render(report: AuditReport) -> str:
    """The page as text. Everything that came from data is escaped."""
    body = "".join(_sections(report))
    title = f"{report.verdict}: {', '.join(report.subjects)}"
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width,initial-scale=1">'
        f'<link rel="icon" href="data:,"><title>{_text(title)}</title><style>{_STYLE}</style></head>'
        f"<body><main>{body}</main></body></html>\n"
    )


def _sections(report: AuditReport) -> Iterator[str]:
    from lossguard import __version__

    yield _verdict(report)
    yield from map(_finding, report.findings)
    if report.differences:
        yield "<h2>Different from the contract</h2>" + _list(report.differences)
    for split in report.splits:
        yield _split(report, split)
    if len(report.splits) > 1:
        yield _drift(report)
    yield f'<p class="soft">lossguard {_text(__version__)}; rows count from 0</p>'


def _verdict(report: AuditReport) -> str:
    loss = report.demand.loss if report.demand is not None else "the loss"
    said = {
        "broken": f"{loss} will not take these labels",
        "suspicious": f"{loss} takes these labels, but look at this",
        "sound": f"{loss} takes every label",
    }.get(str(report.verdict), "nothing can be said")
    facts = "".join(f"<dt>{_text(label)}</dt><dd>{_text(text)}</dd>" for label, text in report.summary)
    return (
        f'<section class="verdict {report.verdict}"><h1>{_text(report.verdict)}: {_text(said)}</h1>'
        f'<div class="soft">{_text("; ".join(report.subjects))}</div></section><dl>{facts}</dl>'
    )


def _finding(finding: Finding) -> str:
    lines = "".join(
        f'<dt>{_text(line.label)}</dt><dd>{_text(line.text)} <span class="soft">{_text(line.rest)}</span></dd>'
        for line in lines_of(finding)
        if line.label not in {"first", "where"}
    )
    rows = ""
    if finding.samples:
        placed = any(sample.position for sample in finding.samples)
        cells = [
            [sample.key or str(sample.index), *([_place(sample)] if placed else []), _value(sample.value)]
            for sample in finding.samples
        ]
        rows = _table(["first rows", *(["place"] if placed else []), "value"], cells)
    return (
        f'<section class="finding {finding.severity}"><h3><b>{_text(finding.code)} {_text(finding.name)}</b>: '
        f"{_text(finding.message)}</h3><dl>{lines}</dl>{rows}</section>"
    )


def _place(sample: Sample) -> str:
    return " ".join(map(str, sample.position or ()))


def _value(value: Any) -> str:
    shown = "missing" if value is None else number(value)
    return shown if len(shown) <= _LONGEST else shown[:_LONGEST] + "…"


def _split(report: AuditReport, split: Split) -> str:
    title = f"Classes of {split.name}" if len(report.splits) > 1 else "Classes"
    counts = split.counts()
    parts = [f"<h2>{_text(title)}</h2>"]
    if counts:
        names, unit, classes = split.source.names, split.source.unit, report.classes
        parts.append(_chart(lambda width: charts.histogram(counts, names, unit, width, classes)))
        parts.append(_told(report, split))
    elif split.from_footers:
        parts.append("<p>The footers of the files gave the answer; --full counts the classes.</p>")
    else:
        parts.append("<p>There are too many different labels to count them, or none.</p>")
    parts.append(_dtypes(report, split))
    files = split.files()
    if len(files) > 1:
        parts.append(f"<h2>Files</h2>{_files(files)}")
    return "".join(parts)


def _told(report: AuditReport, split: Split) -> str:
    """What else there is to say about the classes of a split."""
    lines = []
    absent = split.absent(report.classes or 0, report.ignore_index)
    if absent:
        shown = ", ".join(map(str, absent[:_COMPARED])) + (", ..." if len(absent) > _COMPARED else "")
        lines.append(f"classes without a label: {shown} ({len(absent):,} of {report.classes:,})")
    marks = split.marks(report.ignore_index)
    lines += [f"{mark}, a usual mark for no label: {n:,}" for mark, n in marks.items()]
    ratio = split.imbalance(report.ignore_index)
    if ratio is not None and ratio > 1:
        lines.append(f"the largest class has {ratio:,.1f} times the labels of the smallest")
    return _list(lines)


def _dtypes(report: AuditReport, split: Split) -> str:
    """The way from what the source holds to what the loss takes."""
    kinds = sorted({f"{kind.facts.dtype}" for kind in split.kinds})
    wanted = report.demand.target.dtypes if report.demand is not None else None
    steps = [" and ".join(kinds) or "nothing", " or ".join(sorted(wanted)) if wanted else "any dtype"]
    origin = [f"{o.place.file}:{o.place.line} {o.place.code}" for finding in report.findings for o in finding.origin]
    path = " → ".join([steps[0], *dict.fromkeys(origin), f"the loss takes {steps[1]}"])
    return f"<p><b>dtype</b> {_text(path)}</p>"


def _files(files: dict[str, Any]) -> str:
    rows = []
    for name, column in list(files.items())[:_LISTED]:
        facts = column.facts
        known = facts.smallest is not None and facts.smallest <= (facts.largest or 0)
        span = f"{number(facts.smallest)} to {number(facts.largest)}" if known else ""
        wrong = [getattr(facts, key) or 0 for key in ("null", "nan", "fractional", "below", "above")]
        rows.append([name, f"{column.samples:,}", str(facts.dtype), span, *(f"{n:,}" if n else "" for n in wrong)])
    more = f'<p class="soft">{len(files) - _LISTED:,} more files</p>' if len(files) > _LISTED else ""
    heads = ["file", "samples", "dtype", "range", "missing", "NaN", "fractional", "below", "above"]
    return _table(heads, rows) + more


def _drift(report: AuditReport) -> str:
    counted = [(split.name, split.counts()) for split in report.splits]
    heads = ["split", "samples", "dtype", "different labels", "missing", "NaN"]
    rows = []
    for split in report.splits:
        facts = split.whole.facts
        counted_ones = [split.whole.samples, len(split.counts()), facts.null or 0, facts.nan or 0]
        samples, different, missing, nan = (f"{each:,}" for each in counted_ones)
        rows.append([split.name, samples, str(facts.dtype), different, missing, nan])
    labels: dict[Any, float] = {}
    for _, counts in counted:
        for label, times in counts.items():
            labels[label] = labels.get(label, 0) + times / max(sum(counts.values()), 1)
    top = sorted(
        sorted(labels, key=lambda label: -labels[label])[:_COMPARED], key=lambda label: (str(type(label)), label)
    )
    data = [
        {"label": plain(str(label))[:40], "split": name, "share": counts.get(label, 0) / max(sum(counts.values()), 1)}
        for label in top
        for name, counts in counted
    ]
    chart = _chart(lambda width: charts.shares(data, width)) if data else ""
    return f"<h2>Splits</h2>{_table(heads, rows)}{_list(report.drift())}{chart}"


def _chart(draw: Any) -> str:
    return "".join(f'<figure class="{name}">{draw(width)}</figure>' for name, width in charts.WIDTHS.items())


def _table(heads: list[str], rows: Iterable[list[str]]) -> str:
    head = "".join(f"<th>{_text(each)}</th>" for each in heads)
    body = "".join("<tr>" + "".join(f"<td>{_text(cell)}</td>" for cell in row) + "</tr>" for row in rows)
    return f'<div class="scroll"><table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>'


def _list(lines: Iterable[str]) -> str:
    items = "".join(f"<li>{_text(line)}</li>" for line in lines)
    return f"<ul>{items}</ul>" if items else ""


def _text(text: Any) -> str:
    return escape(plain(str(text)))
