"""A report as SARIF 2.1.0, the form in which code hosts take findings of linters, with the page of each rule."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from lossguard import __version__
from lossguard.findings import Finding, Place
from lossguard.reports.lines import plain
from lossguard.rules.registry import find_rule

if TYPE_CHECKING:
    from lossguard.reports.report import Report

_SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"


def render(report: Report) -> str:
    """The findings of one run, and the rules that they are of."""
    codes = sorted({finding.code for finding in report.findings})
    run = {
        "tool": {"driver": {"name": "lossguard", "version": __version__, "rules": [_rule(code) for code in codes]}},
        "columnKind": "unicodeCodePoints",
        "results": [_result(finding, codes) for finding in report.findings],
    }
    return json.dumps({"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]}, indent=2)


def _rule(code: str) -> dict[str, Any]:
    rule = find_rule(code)
    return {
        "id": code,
        "name": rule.name,
        "shortDescription": {"text": rule.summary},
        "fullDescription": {"text": rule.summary},
        "help": {"text": "\n".join(line.strip() for line in rule.page.strip().splitlines())},
    }


def _result(finding: Finding, codes: list[str]) -> dict[str, Any]:
    result: dict[str, Any] = {
        "ruleId": finding.code,
        "ruleIndex": codes.index(finding.code),
        "level": str(finding.severity),
        "message": {"text": plain(f"{finding.name}: {finding.message}")},
        "properties": {"certainty": str(finding.certainty)},
    }
    if finding.place is not None:
        result["locations"] = [_location(finding.place)]
    if finding.origin:
        result["relatedLocations"] = [_location(origin.place) for origin in finding.origin]
    return result


def _location(place: Place) -> dict[str, Any]:
    file, _, cell = place.file.partition(":cell ")
    region: dict[str, Any] = {"startLine": max(place.line, 1)}
    if place.column:
        region["startColumn"] = place.column
    if place.code:
        region["snippet"] = {"text": plain(place.code)}
    location: dict[str, Any] = {
        "physicalLocation": {"artifactLocation": {"uri": _uri(file)}, "region": region},
    }
    if cell:
        location["message"] = {"text": f"cell {cell}, line {place.line} of it"}
    return location


def _uri(file: str) -> str:
    from urllib.parse import quote

    return quote(file.replace("\\", "/"))
