"""Steps: the statements on the way from the line that made a value bad to the loss."""

from __future__ import annotations

import ast
import itertools
from dataclasses import dataclass, replace
from typing import Any, Final

from lossguard.operations.table import named
from lossguard.tracing.links.recognising import is_made_of_sizes, is_many
from lossguard.tracing.links.statements import Statement
from lossguard.tracing.program.binding import called_name
from lossguard.tracing.program.reaching import dotted
from lossguard.tracing.program.sources import own_nodes
from lossguard.tracing.symptoms.effects import CREATES, dtype_named, effect_of
from lossguard.tracing.symptoms.symptom import Judgement, Symptom, described, shape_of
from lossguard.tracing.values.evaluating import UNKNOWN

#: Calls that make a tensor of an array.
_OF_ARRAYS: Final = named("dtype", "of-array")


@dataclass(frozen=True, slots=True)
class Step:
    """A statement on the way: the culprit, or one that handed the bad value on."""

    file: str
    line: int
    code: str
    variable: str = ""
    before: str = ""
    after: str = ""
    note: str = ""
    #: The expression that made it bad; None for a step that only hands on.
    culprit: ast.expr | None = None
    moment: Statement | None = None
    #: The expression by which a variable got bad values and none of another kind; None where it got a whole table.
    taken: ast.expr | None = None
    #: Whether the expression is known to have given something good, so that it is no culprit.
    is_good: bool = False


#: The steps, the oldest first; None when it cannot be told, empty when the way leads in a circle.
Chain = list[Step] | None


def step_at(
    line: int, at: Statement, variable: str = "", before: str = "", after: str = "", culprit: ast.expr | None = None
) -> Step:
    """A step at a line of a moment's file."""
    source = at.scope.source
    return Step(source.filename, line, source.line(line), variable, before, after, "", culprit, at)


def handed_on(
    name: str, chain: Chain, moment: Statement, taken: ast.expr | None = None, call: ast.Call | None = None
) -> Chain:
    """`chain`, and then the statement that handed the value on, in the variable `name`; `taken` if nothing else was.

    Where it was a `call` of a function, its own line counts, of a statement that goes over several.
    """
    if not chain:
        return chain
    line = moment.statement.lineno if call is None else line_of(call, moment)
    step = replace(step_at(line, moment, name), taken=taken)
    last = chain[-1]
    if (last.file, last.line) == (step.file, step.line):
        same = replace(last, variable=last.variable or name, taken=last.taken or taken)
        return [*chain[:-1], same]
    return [*chain, step]


def taken_over(chain: Chain, symptom: Symptom) -> Chain:
    """`chain` from where something was taken out of data that was read, if not the data is wrong but that use of it.

    Numbers of classes that begin at 1 and small dtypes are sound in a file; what is missing in one is not. So is a
    number to which the program gives a name, as it does to the one of what is left out; where it is put in counts.
    """
    if symptom.name in {"column", "rows"}:
        return used_alone(chain) if symptom.name == "column" else filtered_alone(chain or [], symptom)
    if chain and len(chain) > 1 and symptom.about == "kind" and _gives_several(chain[0]):
        return [replace(chain[1], culprit=chain[1].taken, after=chain[0].after), *chain[2:]]
    if chain and symptom.values and _is_one_of_named(chain[0]):
        # Its number is not its place among them: whoever stores it takes it for that.
        stores = [
            place for place, step in enumerate(chain) if step.moment and isinstance(step.moment.statement, ast.Expr)
        ]
        return chain[stores[0] :] if stores else None
    if chain and len(chain) > 1 and symptom.values and _is_named_number(chain[0]):
        return [replace(chain[1], culprit=chain[1].taken), *chain[2:]]
    if chain and len(chain) > 1 and is_of_use(symptom) and chain[1].taken is not None and _is_image(chain):
        return taken_over([replace(chain[1], culprit=chain[1].taken), *chain[2:]], symptom)
    narrow = symptom.name == "whole" or (symptom.name.startswith("dtype ") and "float" not in symptom.name)
    born = chain[0] if chain and (narrow or is_of_use(symptom)) else None
    if not chain or born is None or born.culprit is None or (born.taken is not None and not narrow):
        return chain
    calls = [node for node in ast.walk(born.culprit) if isinstance(node, ast.Call | ast.Compare)]
    written = symptom.name == "whole" and not calls
    if not written and not any(effect_of(node, symptom.name) is CREATES for node in calls):
        return chain
    own = [number for number, step in enumerate(chain) if step.taken is not None]
    if not own and not narrow:
        return None  # no line says what it is used for
    place = own[0] if own else 0
    if narrow:
        place = next((number for number in own if makes_tensor(chain[number].taken)), place)
    return [replace(chain[place], culprit=chain[place].taken or chain[place].culprit), *chain[place + 1 :]]


def _gives_several(step: Step) -> bool:
    """Whether a function returns several things at once: it is right, and whoever takes all of them for one is not."""
    written = step.moment.statement if step.moment is not None else None
    if not isinstance(written, ast.Return) or written.value is not step.culprit:
        return False
    match step.culprit:
        case ast.Tuple(elts=parts):
            return len(parts) > 1
        case ast.Call(func=func):
            return isinstance(step.moment.evaluate(func) if step.moment else None, type)
    return isinstance(step.culprit, ast.Dict)


def _is_image(chain: list[Step]) -> bool:
    """Whether the first line gave a picture, of nothing that was good, which becomes labels further on."""
    name, moment = chain[0].variable, chain[1].moment
    return bool(name) and not chain[0].before and moment is not None and hasattr(moment.value(name), "getbands")


def used_alone(chain: Chain) -> Chain:
    """`chain` from the line that took something of which another line makes data of another shape, and is right.

    Where `x = windows(scaled)` and `y = scaled[12:]`, it is not `scaled` that is wrong.
    """
    steps = chain or []
    for place in range(len(steps) - 1, 0, -1):
        here, taken = steps[place].moment, steps[place].taken
        inside = [each.moment for each in steps if here and each.moment and each.moment.scope.node is here.scope.node]
        uses = _uses(taken, steps[place - 1].variable)
        if here is None or taken is None or not uses:
            continue
        beside = [node for node in own_nodes(here.scope.node) if isinstance(node, ast.Assign)]
        beside = [node for node in beside if node.value is not taken and _uses(node.value, steps[place - 1].variable)]
        own, shapes = here.evaluate(taken), [shape_of(inside[-1].evaluate(node.targets[0])) for node in beside]
        if any(len(shape) > 1 and shape[1:] != shape_of(own)[1:] for shape in shapes):
            before, after = described(here.evaluate(uses[0])), described(own)
            return [replace(steps[place], culprit=taken, before=before, after=after), *steps[place + 1 :]]
    return chain


def filtered_alone(chain: list[Step], symptom: Symptom) -> list[Step]:
    """`chain`, of rows; where a line filters something, from the only later line that goes on with all of it.

    Where `usable = [s for s in samples if s]` and then `labels = tensor([s.label for s in samples])`.
    """
    here, kept = (chain[0].moment, chain[0].culprit) if chain else (None, None)
    match kept:
        case ast.ListComp(generators=[ast.comprehension(iter=ast.Name(id=name), ifs=[_, *_])]) if here is not None:
            inside = [step for step in chain if step.moment and step.moment.scope.node is here.scope.node]
        case _:
            return chain
    end = inside[-1].moment or here
    later = [node for node in own_nodes(here.scope.node) if isinstance(node, ast.Assign) and node.lineno > kept.lineno]
    later = [node for node in later if _uses(node.value, name) and _uses(end.statement, dotted(node.targets[0]))]
    later = [node for node in later if symptom.judge(end.evaluate(node.targets[0])) is Judgement.GOOD]
    if getattr(here.statement, "value", None) is not kept or len(later) != 1:
        return chain
    many = described(end.evaluate(later[0].targets[0]))
    first = step_at(later[0].lineno, end, dotted(later[0].targets[0]), after=many, culprit=later[0].value)
    return [first, *chain[chain.index(inside[-1]) + 1 :]]


def is_only_handed_on(chain: list[Step]) -> bool:
    """Whether all lines after the first leave a value as it is."""
    pairs = [(older.moment, step.moment, step.taken) for older, step in itertools.pairwise(chain)]
    return all(
        isinstance(taken, ast.Name | ast.Attribute | ast.Subscript | None)
        or (before is not None and here is not None and before.scope.node is not here.scope.node)
        for before, here, taken in pairs
    )


def _uses(node: ast.AST | None, name: str) -> list[ast.expr]:
    """Where an expression uses a name, or the attribute of one."""
    return [part for part in ast.walk(node or ast.Pass()) if isinstance(part, ast.expr) and name == dotted(part) != ""]


def is_of_use(symptom: Symptom) -> bool:
    """Whether numbers with a symptom are sound in a file, and only wrong as what they are used for."""
    return symptom.name in {"outside", "outside 0 to 1", "class numbers", "zeros and ones"}


def _is_one_of_named(step: Step) -> bool:
    """Whether it is one of several numbers that a class names for a purpose of its own, as a protocol's are."""
    written = step.moment.statement if step.moment is not None else None
    within = step.moment.scope.source.parents.get(written) if step.moment is not None and written is not None else None
    return isinstance(within, ast.ClassDef) and isinstance(getattr(written, "value", None), ast.Tuple)


def _is_named_number(step: Step) -> bool:
    """Whether a step gives a name to a number that is written out, for all of a module."""
    node = step.culprit.operand if isinstance(step.culprit, ast.UnaryOp) else step.culprit
    if step.moment is None or not isinstance(node, ast.Constant) or not isinstance(step.moment.scope.node, ast.Module):
        return False
    written = step.moment.statement
    return (
        isinstance(written, ast.Assign) and written.value is step.culprit and isinstance(written.targets[0], ast.Name)
    )


def makes_tensor(node: ast.expr | None) -> bool:
    """Whether an expression makes a tensor of an array."""
    return isinstance(node, ast.Call) and called_name(node) in _OF_ARRAYS


def agreed(chains: list[list[Step]]) -> Chain:
    """The chain, if all begin at the same line."""
    told = [chain for chain in chains if chain]
    culprit = {(chain[0].file, chain[0].line) for chain in told}
    return told[0] if len(culprit) == 1 else None if culprit or not chains else []


def line_of(node: ast.expr, at: Statement) -> int:
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


def is_cast(step: Step) -> bool:
    """Whether a step names a dtype in so many words."""
    return isinstance(step.culprit, ast.Call) and dtype_named(step.culprit) is not None


def is_of_layer(step: Step) -> bool:
    """Whether a step calls a layer, which gives what layers of its kind give."""
    called = step.culprit.func if isinstance(step.culprit, ast.Call) else None
    return called is not None and step.moment is not None and hasattr(step.moment.evaluate(called), "forward")


def is_constant(chain: Chain, symptom: Symptom) -> bool:
    """Whether a label is out of range that is a constant of the program: what matters is where it is used.

    One number of many, in a table that is written out, is data.
    """
    first = chain[0] if chain and symptom.name == "outside" else None
    if first is None or first.moment is None or not isinstance(first.culprit, ast.Constant):
        return False
    return not isinstance(
        first.moment.scope.source.parents.get(first.culprit), ast.Call | ast.Tuple | ast.List | ast.Dict
    )


def is_birth(step: Step) -> bool:
    """Whether a value came into being at a step, and had no other shape before."""
    return not step.before and step.culprit is not None and is_made_of_sizes(step.culprit)


def given_to(node: ast.expr, good: list[tuple[ast.expr, Any]], result: Any, symptom: Symptom) -> str:
    """What an operation turned into something bad, in few words.

    Sizes and bounds of what it makes anew are none of it, nor is a table that it looks things up in, nor, where values
    count, a plain number where the result is an array.
    """
    if is_made_of_sizes(node):
        return ""
    values = [value for operand, value in good if not isinstance(operand, ast.Constant)] or [v for _, v in good]
    single = symptom.about != "values" or (result is not UNKNOWN and not is_many(result))
    values = [value for value in values if not isinstance(value, dict) and (is_many(value) or single)]
    return described(values[0]) if values else ""


def written_out(node: ast.expr, at: Statement) -> tuple[ast.expr, Statement]:
    """The expression that a name stands for, where it is the only one."""
    found = at.definitions(node.id) if isinstance(node, ast.Name) else []
    definition, moment = found[0] if len(found) == 1 else (None, at)
    if definition is None or definition.value is None or definition.partial or definition.path:
        return node, at
    return definition.value, moment
