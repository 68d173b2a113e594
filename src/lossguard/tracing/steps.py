"""Steps: the statements on the way from the line that made a value bad to the loss."""

from __future__ import annotations

import ast
from dataclasses import dataclass, replace

from lossguard.tracing.evaluating import UNKNOWN
from lossguard.tracing.moments import Moment
from lossguard.tracing.symptoms import Judgement, Symptom


@dataclass(frozen=True, slots=True)
class Step:
    """A statement on the way: the guilty one, or one that handed the bad value on."""

    file: str
    line: int
    code: str
    variable: str = ""
    before: str = ""
    after: str = ""
    note: str = ""
    #: The expression that made it bad; None for a step that only hands on.
    guilty: ast.expr | None = None
    moment: Moment | None = None


#: The steps, the oldest first; None when it cannot be told, empty when the way leads in a circle.
Chain = list[Step] | None


def step_at(
    line: int, at: Moment, variable: str = "", before: str = "", after: str = "", guilty: ast.expr | None = None
) -> Step:
    """A step at a line of a moment's file."""
    source = at.scope.source
    return Step(source.filename, line, source.line(line), variable, before, after, "", guilty, at)


def handed_on(name: str, chain: Chain, moment: Moment) -> Chain:
    """`chain`, and then the statement that handed the value on, in the variable `name`."""
    if not chain:
        return chain
    step = step_at(moment.statement.lineno, moment, name)
    last = chain[-1]
    if (last.file, last.line) == (step.file, step.line):
        return [*chain[:-1], last if last.variable else replace(last, variable=name)]
    return [*chain, step]


def agreed(chains: list[list[Step]]) -> Chain:
    """The chain, if all begin at the same line."""
    told = [chain for chain in chains if chain]
    guilty = {(chain[0].file, chain[0].line) for chain in told}
    return told[0] if len(guilty) == 1 else None if guilty or not chains else []


def line_of(node: ast.expr, at: Moment) -> int:
    """The line of an expression: of a method's call, that of the method's name."""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        return node.func.end_lineno or node.lineno
    return getattr(node, "lineno", at.statement.lineno)


def is_wilful(step: Step) -> bool:
    """Whether an infinity is written out in a statement: it was meant."""
    for node in ast.walk(step.moment.statement) if step.moment else ():
        word = node.value if isinstance(node, ast.Constant) else getattr(node, "attr", getattr(node, "id", ""))
        if isinstance(word, str) and word.lower().lstrip("+-") in {"inf", "infinity"}:
            return True
    return False


def is_of_kind(step: Step, symptom: Symptom) -> bool:
    """Whether a step gave what can have the symptom at all, as far as is known: only a tensor, where that counts."""
    value = step.moment.evaluate(step.guilty) if step.moment is not None and step.guilty is not None else UNKNOWN
    return symptom.behind is None or value is UNKNOWN or symptom.judge(value) is Judgement.BAD


def is_constant(chain: Chain, symptom: Symptom) -> bool:
    """Whether a label is out of range that is a constant of the program: what matters is where it is used."""
    return (
        symptom.name == "outside" and chain is not None and any(isinstance(s.guilty, ast.Constant) for s in chain[:1])
    )
