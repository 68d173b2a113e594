"""A contract file: what the labels of a data set are, in TOML, for the next audit to compare."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from lossguard.audit.report import AuditReport
from lossguard.audit.split import Split
from lossguard.audit.trouble import CannotAudit
from lossguard.audit.writing import written_whole
from lossguard.records import replace

#: By so much the share of a class may differ from what it was.
_TOLERANCE: Final = 0.05


def save(report: AuditReport, path: str) -> None:
    """Write what these labels are."""
    lines = ["# What these labels are. `lossguard audit ... --contract` compares.", ""]
    lines += [f"loss = {json.dumps(report.demand.loss if report.demand else '')}"]
    lines += [f"classes = {report.classes}"] if report.classes is not None else []
    lines += [f"ignore_index = {report.ignore_index}"] if report.ignore_index is not None else []
    lines += [f"tolerance = {_TOLERANCE}  # by so much the share of a class may differ"]
    for split in report.splits:
        facts = split.whole.facts
        lines += ["", f"[splits.{json.dumps(split.name)}]", f"samples = {split.whole.samples}"]
        lines += [f"dtype = {json.dumps(facts.dtype)}"] if facts.dtype else []
        lines += [f"missing = {facts.null or 0}"]
        lines += ["", f"[splits.{json.dumps(split.name)}.counts]"]
        lines += [f"{json.dumps(str(label))} = {times}" for label, times in split.counts().items()]
    with written_whole(path) as temporary:
        Path(temporary).write_text("\n".join(lines) + "\n", encoding="utf-8")


def load(path: str) -> dict[str, Any]:
    """A contract, as plain data."""
    try:
        found = tomllib.loads(Path(path).read_text(encoding="utf-8"))
    except OSError as error:
        raise CannotAudit(f"{path} cannot be read: {error.strerror}") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise CannotAudit(f"{path} is no contract: {error}") from None
    kinds: Any
    for key, kinds in {"classes": int, "ignore_index": int, "tolerance": (int, float), "splits": dict}.items():
        if key in found and not isinstance(found[key], kinds):
            raise CannotAudit(f"{path}: {key} is {found[key]!r}, which it cannot be")
    return found


def compared(report: AuditReport, path: str) -> AuditReport:
    """The report, with what differs from the contract."""
    contract = load(path)
    differences = list(_of_all(report, contract))
    for split in report.splits:
        known = contract.get("splits", {}).get(split.name)
        if not isinstance(known, dict):
            differences.append(f"{split.name}: the contract knows no split of this name")
        else:
            differences += [
                f"{split.name}: {text}" for text in _of_split(split, known, contract.get("tolerance", _TOLERANCE))
            ]
    return replace(report, differences=tuple(differences))


def _of_all(report: AuditReport, contract: Mapping[str, Any]) -> Iterator[str]:
    now = {"loss": report.demand.loss if report.demand else None, "classes": report.classes}
    for key, value in {**now, "ignore_index": report.ignore_index}.items():
        if key in contract and contract[key] != value:
            yield f"{key} was {contract[key]} and is {value}"


def _of_split(split: Split, known: Mapping[str, Any], tolerance: float) -> Iterator[str]:
    facts = split.whole.facts
    if "dtype" in known and known["dtype"] != facts.dtype:
        yield f"dtype was {known['dtype']} and is {facts.dtype}"
    if facts.null and facts.null > known.get("missing", 0):
        yield f"{known.get('missing', 0):,} labels were missing and {facts.null:,} are"
    before = {str(label): times for label, times in known.get("counts", {}).items()}
    after = {str(label): times for label, times in split.counts().items()}
    if not before:
        return
    for label in [label for label in after if label not in before][:20]:
        yield f"label {label} is new ({after[label]:,} times)"
    for label in [label for label in before if label not in after][:20]:
        yield f"label {label} is gone ({before[label]:,} before)"
    all_before, all_after = sum(before.values()), max(sum(after.values()), 1)
    for label in before.keys() & after.keys():
        was, now = before[label] / all_before, after[label] / all_after
        if abs(was - now) > tolerance:
            yield f"label {label} had a share of {was:.1%} and has {now:.1%}"
