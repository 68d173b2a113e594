"""From what the words tell to findings: the facts they hold are laid before the same judge as any others."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from importlib import import_module
from typing import Any, Final

from lossguard.contracts.contract import Contract, Role
from lossguard.contracts.dtypes import WORDS
from lossguard.contracts.loss import Loss, Settings
from lossguard.diagnosis import diagnose
from lossguard.explain.candidates import Candidate
from lossguard.explain.choosing import choose
from lossguard.explain.index_words import LOSSES
from lossguard.explain.operations import operation
from lossguard.explain.telling import Telling
from lossguard.facts.facts import Facts
from lossguard.facts.observation import Observation
from lossguard.findings import Alternative, Certainty, Finding, Fix, Safety, Severity
from lossguard.records import replace
from lossguard.rules.case import Case
from lossguard.rules.rule import HOLDS, Rule
from lossguard.rules.saying import anchors, bare

#: How torch's messages of all times call the dtypes, in lower case.
_DTYPES: Final = {**WORDS, "long int": "int64", "unsigned char": "uint8"}
_CERTAINTIES: Final = list(Certainty)
_ARGUMENTS: Final = ("target", "input", "weight", "index")
_GIVEN: Final = frozenset({Role.INPUT, Role.TARGET})
#: Stands for the loss in sentences when the text does not name it.
_SOME_LOSS: Final = "the loss"
_MOST: Final = 6
#: What the words tell of values, whichever fault they are told for.
_VALUES: Final = frozenset({"target_value", "index_value", "classes", "size"})
_LONGEST_QUOTE: Final = 220
_LONGEST_LINE: Final = 20_000


def findings_of(telling: Telling, found: list[Candidate]) -> tuple[Finding, ...]:
    """A finding for each candidate, the likeliest first; what the facts rule out or explain is left away."""
    confirmed: dict[str, Finding] = {}
    explained: set[str] = set()
    left: list[Candidate] = []
    for candidate in found:
        judged, ruled_out = _judge(telling, candidate)
        if judged is not None:
            confirmed[candidate.rule.code] = _merged(telling, candidate, judged)
            if _tells_shapes(candidate):
                explained |= candidate.rule.explains | candidate.rule.explains_everywhere
        if not ruled_out or candidate.saying.warns:
            left.append(candidate)
    # What torch has said is never ruled out altogether: the facts in its words may be fewer than those it saw.
    left = [candidate for candidate in left if candidate.rule.code not in explained & confirmed.keys()] or found[:1]
    if any(_tells_shapes(candidate) for candidate in found):
        # Shapes that were told decide; words alone come second.
        left.sort(key=lambda candidate: candidate.rule.code not in confirmed)
    shared = _shared(found)
    shown = tuple(
        _chosen(telling, shared, candidate, confirmed.get(candidate.rule.code) or _from_words(telling, candidate))
        for candidate in left[:_MOST]
    )
    if telling.is_late and not telling.asserts and len(shown) > 1:
        return (replace(shown[0], alternatives=tuple(map(_alternative, shown[1:]))),)
    is_clear = len(shown) == 1 and shown[0].certainty is Certainty.CERTAIN
    return (replace(shown[0], verify=""),) if is_clear else shown


def _shared(found: list[Candidate]) -> dict[str, str]:
    """The values that any of the candidates was told: they are all of one text."""
    values = {name: value for each in reversed(found) for name, value in each.told.items() if name in _VALUES}
    return {**values, "target_value": values["index_value"]} if "index_value" in values else values


def _chosen(telling: Telling, shared: Mapping[str, str], candidate: Candidate, finding: Finding) -> Finding:
    """The finding with the cause and the fix that the text chooses on top of those that the rule has."""
    cause, fix, keeps = choose(candidate.rule.code, {**shared, **candidate.told}, telling)
    fixes = finding.fixes
    if fix is not None and not any(known.safety is Safety.LOSSLESS for known in fixes):
        fixes = (fix, *[known for known in fixes if keeps and known.code and known.code != fix.code][:1])
    if candidate.look:
        fixes = (Fix(candidate.look, Safety.CHANGES_VALUES),)
    cause = candidate.saying.cause or ("" if candidate.look else cause) or finding.cause
    return replace(finding, fixes=fixes, cause=cause)


def _alternative(finding: Finding) -> Alternative:
    return Alternative(finding.code, finding.name, finding.message, finding.verify)


def _tells_shapes(candidate: Candidate) -> bool:
    return "input_shape" in candidate.told and "target_shape" in candidate.told


def _judge(telling: Telling, candidate: Candidate) -> tuple[Finding | None, bool]:
    """What the judge says of one candidate: its finding, and whether the facts rule it out.

    Torch has refused this call, so the reading that counts is one under which the rule is broken.
    """
    contract = _contract(telling.loss or _stand_in(candidate))
    if contract is None:
        return None, False
    contract = contract if telling.loss else replace(contract, loss=_SOME_LOSS)
    answers = []
    for reading in contract.readings:
        arguments = _facts(candidate.told, telling, {argument.name: argument.role for argument in reading.arguments})
        if not arguments:
            return None, False
        one = replace(contract, readings=(reading,))
        observation = Observation(arguments, None, _version(telling.torch))
        judged = diagnose(one, observation, [candidate.rule])
        if judged:
            return judged[0], False
        answers.append(candidate.rule.look(Case(one, observation)))
    return None, _tells_shapes(candidate) and all(answer is HOLDS for answer in answers)


def _stand_in(candidate: Candidate) -> str:
    """A loss to judge by when the text names none: one of the rule's own examples, if it says these words."""
    examples = [operation(example.loss) or "" for example in candidate.rule.examples if example.breaks]
    saying = [name for name in examples if name in candidate.saying.ops]
    return (saying or examples or [""])[0]


@cache
def _contract(name: str) -> Contract | None:
    """The contract of a loss with all its settings left alone; only its own module is loaded."""
    if name not in LOSSES:
        return None
    module = import_module(f"lossguard.contracts.losses.{LOSSES[name]}")
    loss = next(value for value in vars(module).values() if isinstance(value, Loss) and value.name == name)
    settings = {setting: loss.defaults.get(setting) for setting in loss.parameters if setting not in loss.tensors}
    return loss.build(Settings(settings))


def _facts(told: Mapping[str, str], telling: Telling, roles: Mapping[str, Role]) -> dict[str, Facts]:
    """What the words tell of each argument, under the name that the loss has for it."""
    known: dict[str, Facts] = {}
    for word in _ARGUMENTS:
        name = word if word in roles else next((name for name, role in roles.items() if role == word), None)
        facts = _facts_of(told, word, telling.device)
        if name is not None and facts is not None:
            known[name] = facts
    if not known:
        return known
    # A loss was called with all of these, whether or not the words speak of them.
    return {**{name: Facts() for name, role in roles.items() if role in _GIVEN}, **known}


def _facts_of(told: Mapping[str, str], word: str, device: str) -> Facts | None:
    dtype, shape, kind = (told.get(f"{word}_{fact}") for fact in ("dtype", "shape", "kind"))
    if dtype is None and shape is None and kind is None:
        return None
    return Facts(
        kind="tensor" if kind is None else "none" if kind == "nonetype" else kind.rpartition(".")[2],
        dtype=None if dtype is None else _DTYPES.get(dtype, dtype),
        shape=None if shape is None else sizes(shape),
        device=device or None,
    )


def sizes(shape: str) -> tuple[int, ...] | None:
    """The sizes in `[4, 1]`, or as old versions of torch write it, `[4 x 1]` and `4x1`; None if one is a name."""
    written = [size.strip() for size in shape.strip("[]() ").replace("x", ",").split(",") if size.strip()]
    return tuple(map(int, written)) if all(size.isdigit() for size in written) else None


def _version(torch: str) -> tuple[int, int] | None:
    numbers = torch.split(".")
    return (int(numbers[0]), int(numbers[1])) if len(numbers) > 1 and all(n.isdigit() for n in numbers[:2]) else None


def _merged(telling: Telling, candidate: Candidate, judged: Finding) -> Finding:
    """The judge's finding, no surer than the words allow, with what only the text knows."""
    surer = max(_CERTAINTIES.index(judged.certainty), _CERTAINTIES.index(candidate.certainty))
    if _tells_shapes(candidate):
        # Both shapes were seen: the judge has confirmed the fault on them.
        surer = min(surer, _CERTAINTIES.index(Certainty.LIKELY))
    return replace(
        judged,
        loss=telling.loss,
        severity=_severity(candidate),
        certainty=_CERTAINTIES[surer],
        evidence={**judged.evidence, **_evidence(telling, candidate, judged.argument)},
        place=telling.place,
        cause=judged.cause or _cause(candidate),
        torch_says=_says(telling, candidate),
        verify=candidate.verify or candidate.rule.verify,
    )


def _from_words(telling: Telling, candidate: Candidate) -> Finding:
    """A finding from the words alone, with what the rule's page says of it."""
    rule = candidate.rule
    summary = rule.summary[:1].lower() + rule.summary[1:].rstrip(".")
    told = ", ".join(f"{name.replace('_', ' ')} {value}" for name, value in _shown(candidate).items())
    argument = _argument(candidate)
    return Finding(
        code=rule.code,
        name=rule.name,
        severity=_severity(candidate),
        certainty=candidate.certainty,
        loss=telling.loss,
        argument=argument,
        message=f"{summary}; the text names {told}" if told else summary,
        evidence=_evidence(telling, candidate, argument),
        place=telling.place,
        fixes=_remedies(telling, candidate),
        cause=_cause(candidate),
        torch_says=_says(telling, candidate),
        verify=candidate.verify or rule.verify,
    )


def _remedies(telling: Telling, candidate: Candidate) -> tuple[Fix, ...]:
    """What a rule has one change when nothing is known but the words, as far as these do not speak against it."""
    rule = candidate.rule
    others = telling.loss and rule.remedies_for and telling.loss not in rule.remedies_for
    fitting = () if others else tuple(fix for fix in rule.remedies if _may_help(fix, telling, candidate))
    safety = _section(rule, "Fix safety")
    return fitting or ((Fix(safety, Safety.CHANGES_VALUES),) if safety else ())


def _may_help(fix: Fix, telling: Telling, candidate: Candidate) -> bool:
    """Whether a fix is about the argument that the words name; and none shifts or widens for a label below 0."""
    named = _NAMED_ARGUMENT.search(telling.words)
    about = {word for word in _ARGUMENTS if fix.code.startswith(f"{word}.")}
    if named is not None and about and named[1] not in about:
        return False
    return candidate.rule.code != "LG201" or not candidate.told.get("target_value", "").startswith("-")


#: How torch names the argument that lies on another device.
_NAMED_ARGUMENT: Final = re.compile(r"for argument (?:#\d+ )?(\w+) in method")


def _severity(candidate: Candidate) -> Severity:
    return Severity.WARNING if candidate.saying.warns else Severity.ERROR


def _says(telling: Telling, candidate: Candidate) -> str:
    """The words of the text that this candidate was known by; the saying itself where they are spread over lines."""
    words = anchors(candidate.saying.shows) or (candidate.saying.text,)
    if not candidate.saying.text:
        return ""
    line = next((line for line in telling.lines if len(line) < _LONGEST_LINE and words[0] in bare(line)), "")
    quoted = _cut(line.strip(), words[0]) or ("" if candidate.library else str(candidate.saying))
    because = candidate.saying.because
    said = f"{quoted}; {because}" if because and quoted else quoted
    return (
        f"{candidate.library}: {said}" if candidate.library not in {"", "torch", "another library"} and said else said
    )


def _cut(line: str, words: str) -> str:
    """A pasted line around the words that count, if it is endless."""
    if len(line) <= _LONGEST_QUOTE:
        return line
    start = max(0, line.lower().find(words.split(maxsplit=1)[0]) - 60)
    return ("..." if start else "") + line[start : start + _LONGEST_QUOTE] + "..."


def _cause(candidate: Candidate) -> str:
    return candidate.saying.cause or _section(candidate.rule, "Usual causes")


def _section(rule: Rule, heading: str) -> str:
    """A section of the rule's page, on one line."""
    _, _, after = rule.page.partition(f"{heading}\n")
    return " ".join(after.partition("\n\n")[0].split())


def _shown(candidate: Candidate) -> dict[str, str]:
    """What the words tell that is worth a mention: all but numbers without a meaning of their own."""
    return {name: value for name, value in candidate.told.items() if len(name) > 1}


def _evidence(telling: Telling, candidate: Candidate, argument: str) -> dict[str, Any]:
    """What the words tell: of the argument that the finding is about, and of the others under their names."""
    evidence: dict[str, Any] = {}
    for name, value in _shown(candidate).items():
        word, _, fact = name.rpartition("_")
        if fact == "shape":
            known = sizes(value)
            evidence[fact if word == argument else name] = value if known is None else list(known)
        elif fact == "dtype":
            evidence[fact if word == argument else name] = _DTYPES.get(value, value)
        else:
            evidence[name] = int(value) if value.lstrip("-").isdigit() else value
    if telling.asserts:
        first = telling.asserts[0]
        evidence["asserts"] = telling.assert_lines
        evidence["kernel"] = first.kernel or f"{first.file}:{first.line}"
    if telling.torch:
        evidence["torch"] = telling.torch
    return evidence


def _argument(candidate: Candidate) -> str:
    """The argument that the fault is in: as the words say, else as the rule's name does."""
    told = [name.partition("_")[0] for name in candidate.told]
    words = candidate.rule.name.split("-")
    for word in _ARGUMENTS:
        if (word in told and f"{word}_dtype" in candidate.told) or word == words[0]:
            return word
    return "index" if candidate.rule.code in {"LG107", "LG210"} else "target"
