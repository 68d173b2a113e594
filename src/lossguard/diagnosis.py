"""The judge: a contract and facts in, findings out. Pure, without torch, files or devices."""

from __future__ import annotations

from collections.abc import Iterable

from lossguard.contracts.contract import Contract
from lossguard.facts.observation import Observation
from lossguard.findings import Certainty, Finding, Severity
from lossguard.rules.case import Case
from lossguard.rules.rule import Rule, Silence

_SEVERITIES = list(Severity)
_CERTAINTIES = list(Certainty)


def diagnose(
    contract: Contract, observation: Observation, rules: Iterable[Rule] | None = None, *, suspected: bool = False
) -> list[Finding]:
    """Every fault that the facts show, once each, the most useful first; on request also what is only suspected."""
    if rules is None:
        from lossguard.rules.registry import all_rules

        rules = all_rules()
    case = Case(contract, observation)
    found: list[tuple[Rule, Finding]] = []
    for rule in rules:
        answer = rule.look(case)
        if isinstance(answer, Silence):
            continue
        findings = answer if isinstance(answer, list) else [answer]
        found.extend((rule, finding) for finding in findings)
    found = [(rule, finding) for rule, finding in found if suspected or not finding.suspected]
    told = [(rule, finding) for rule, finding in found if not _is_explained(finding, found)]
    return [finding for _, finding in sorted(told, key=_usefulness)]


def _is_explained(finding: Finding, found: list[tuple[Rule, Finding]]) -> bool:
    """Whether another finding is the cause of this one."""
    if any(rule.last_resort for rule, own in found if own is finding):
        return any(other.is_error for _, other in found if other is not finding)
    return any(
        finding.code in rule.explains_everywhere
        or (finding.code in rule.explains and finding.argument == other.argument)
        for rule, other in found
        if other is not finding
    )


def _usefulness(judged: tuple[Rule, Finding]) -> tuple[int, int, int, str, str]:
    """Errors first, then what is surest; a call that is none comes before what is in its arguments."""
    rule, finding = judged
    about_the_call = 0 if finding.code.startswith("LG5") else 1
    return (
        _SEVERITIES.index(finding.severity),
        _CERTAINTIES.index(finding.certainty),
        about_the_call,
        min({finding.code, *rule.precedes}),
        # Where a rule precedes another, theirs is the same place but for this.
        "" if rule.precedes else finding.code,
    )
