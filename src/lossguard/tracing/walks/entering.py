"""Back into functions of the user's: those that were recorded, and those that are known as source."""

from __future__ import annotations

import ast
import copy
import functools
import itertools
import time
import types
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, Final

from lossguard.paths import is_users
from lossguard.tracing.evidence.recordings import Recording
from lossguard.tracing.evidence.replay import Activation, replay
from lossguard.tracing.links.classes import caller_of, code_of, is_users_object, makes_object
from lossguard.tracing.links.recognising import yielded
from lossguard.tracing.links.recorded import RecordedStatement, argument_of, at_end, recorded
from lossguard.tracing.links.statements import FunctionView, ReadStatement, Statement, looped
from lossguard.tracing.links.views import results
from lossguard.tracing.program.binding import bound, receiver_of
from lossguard.tracing.program.reaching import EACH, Path, bindings, dotted, is_within
from lossguard.tracing.symptoms.symptom import Judgement
from lossguard.tracing.values.evaluating import UNKNOWN
from lossguard.tracing.values.projecting import project
from lossguard.tracing.walks.judging import judged_whole
from lossguard.tracing.walks.steps import Chain, Step, agreed, handed_on
from lossguard.tracing.walks.walk import Walk

#: So many seconds a call may take that is run again; for so much computing it is, until what it gives is bad.
_SECONDS: Final = 2.0
_PATIENCE: Final = 0.5
#: So many elements of a generator are looked at.
_ELEMENTS: Final = 4096


def one_of(walk: Walk, found: Iterable[tuple[ast.expr, Statement]], path: Path) -> Chain:
    """Of several results or branches those that are bad; they must agree on one line."""
    chains: list[list[Step]] = []
    for node, moment in found:
        if judged_whole(walk.symptom, node, moment, path) in {Judgement.GOOD, Judgement.NEITHER}:
            continue
        chain = handed_on("", walk.back(node, moment, path), moment)
        if chain is None:
            return None
        chains.append(chain)
    return agreed(chains)


def entered_by_source(walk: Walk, node: ast.Call, callee: Any, at: Statement, path: Path) -> tuple[Chain] | None:
    """Into a function of the user's that is only known as source; None if it is none of his."""
    scene = walk.world.entered(node, callee, at)
    if scene is None:
        return None
    each = bool(path) and (path[0] is EACH or isinstance(path[0], int))
    found = _suspended(walk, scene) or results(scene, each=True) if each else []
    rest = path[1:] if found else path
    return (handed_on("", one_of(walk, found or results(scene, each=False), rest), at),)


def _suspended(walk: Walk, scene: FunctionView) -> list[tuple[ast.expr, ReadStatement]]:
    """What a generator that has not come to its end has given last: its names are those of its own live frame."""
    at = walk.world.suspended(scene.scope.node)
    if at is None:
        return []
    at.scene.given = scene.arguments()
    return [(node, moment) for node, moment in results(at.scene, each=True) if moment.statement is at.statement]


def run_again(walk: Walk, node: ast.Call, callee: Any, at: Statement, path: Path) -> tuple[Activation, Path] | None:
    """A call of a function of the user's, run once more with names as they are, until what it gives is bad again."""
    names = _names_in(node, at)
    if names is not None and isinstance(node.func, ast.Name):
        callee = names.get(node.func.id, callee)
    known = is_of_made(node, callee, at) or walk.world.entered(node, callee, at) is not None
    known = known and not isinstance(callee, type)
    return _run_with(walk, names, (node, at), code_of(callee), path) if names is not None and known else None


def _run_with(
    walk: Walk, names: dict[str, Any], site: tuple[ast.Call, Statement], code: types.CodeType | None, path: Path
) -> tuple[Activation, Path] | None:
    tree = ast.fix_missing_locations(ast.Expression(copy.deepcopy(site[0])))
    run = functools.partial(eval, compile(tree, "<lossguard>", "eval"), names)  # noqa: S307 - the user's own, in a twin
    found = _until_bad(walk, run, code, path)
    if found is not None:
        walk.run_again[id(found[0])] = (found[0], *site)
    return found


def made_again(walk: Walk, owner: Any, name: str, path: Path) -> Chain:
    """An attribute of an object of the user's that is made once more: back from the end of its `__init__`."""
    site = walk.construction.site(owner) if walk.symptom.about == "values" else None
    names = _names_in(*site) if site is not None else None
    if site is None or names is None:
        return None
    found = _run_with(walk, names, site, code_of(type(owner).__init__), (name, *path))
    end = at_end(found[0]) if found is not None else None
    attribute = ast.Attribute(ast.Name("self", ast.Load()), name, ast.Load())
    return walk.back(ast.copy_location(attribute, site[0]), end, path) if end is not None else None


def is_of_made(node: ast.Call, callee: Any, at: Statement) -> bool:
    """Whether something is called that another call of the user's gave, and that is gone: `Scale(2)(x)`."""
    maker = at.evaluate(node.func.func) if callee is UNKNOWN and isinstance(node.func, ast.Call) else UNKNOWN
    code = code_of(maker)
    return makes_object(maker) or (code is not None and is_users(code.co_filename))


def _until_bad(
    walk: Walk, action: Callable[[], Any], code: types.CodeType | None, path: Path
) -> tuple[Activation, Path] | None:
    """The call that gave something bad, and the path to it, when an action of the user's is done once more.

    This is a twin, which may do so. What is random is asked for more than once; of a generator, each element.
    """
    limit, patience = min(walk.deadline, time.monotonic() + _SECONDS), time.process_time() + _PATIENCE
    given: list[Any] = []  # kept, since a generator that is let go of runs on to its end

    def act() -> tuple[Any, Path]:
        given.append(action())
        return _first_bad(walk, given[-1], path)

    while walk.may_replay and time.process_time() < patience:
        found = replay(act, limit)
        if found.failure:
            return None
        result, rest = found.result
        if result is not UNKNOWN and walk.symptom.judge(project(result, rest)) in {Judgement.BAD, Judgement.UNKNOWN}:
            giving = [root for root in found.roots if root.code is code or (root.ended and root.returned is result)]
            return (giving[-1], rest) if giving else None
    return None


def _first_bad(walk: Walk, result: Any, path: Path) -> tuple[Any, Path]:
    """A result and the path in it; of an iterator the first element that is bad, and the path in that."""
    if not isinstance(result, Iterator):
        return result, path
    for item in itertools.islice(result, _ELEMENTS):
        if walk.is_bad(project(item, path[1:])):
            return item, path[1:]
    return UNKNOWN, path


def given_for(walk: Walk, name: str, moment: Statement) -> tuple[ast.expr, Statement] | None:
    """What the caller gave for a parameter, also in a call that was run again."""
    activation = getattr(moment, "activation", None)
    if (known := moment.argument(name)) is not None:
        return known
    _, node, at = walk.run_again.get(id(activation), (None, None, None))
    if node is None or at is None or activation is None:
        return None
    found = bound(node, activation.code, receiver=receiver_of(node, at.evaluate)).get(name)
    return None if found is None else (found, at)


def _names_in(node: ast.expr, at: Statement) -> dict[str, Any] | None:
    """The values of the names in an expression, else those that they have now; None if one has none."""
    inner = [each for each in ast.walk(node) if isinstance(each, ast.Name)]
    own = {each.id for each in inner if isinstance(each.ctx, ast.Store)}
    own |= {each.arg for each in ast.walk(node) if isinstance(each, ast.arg)}
    live = getattr(getattr(at, "scene", None), "live", None) or {}
    found = {each.id: _held(each.id, at, live) for each in inner if each.id not in own}
    return None if any(value is UNKNOWN for value in found.values()) else found


def _held(name: str, at: Statement, live: Mapping[str, Any]) -> Any:
    """What a name held: of what the statement writes over, that of before; of the variable of a loop, one element."""
    value, pairs = at.value(name), at.definitions(name)
    if value is UNKNOWN and bindings(at.statement, name):
        before = [looped(moment, one.value, one.path) for one, moment in pairs if one.value and not one.partial]
        value = next((each for each in before if each is not UNKNOWN), UNKNOWN)
    of_loop = len(pairs) == 1 and pairs[0][0].path[:1] == (EACH,)
    return live.get(name, value) if value is UNKNOWN or of_loop else value


def into_module(walk: Walk, module: Any, at: Statement, path: Path) -> Chain:
    """Into the `forward` of a module of the user's that something else called: as it was recorded, else as source."""
    function = caller_of(module)
    calls = [call for call in at.calls if call.code is code_of(function)]
    if calls:
        return into(walk, worst(walk, calls[::-1], path), path)
    scene = walk.world.function(function, {}, {"self": module}) if function is not None else None
    return one_of(walk, results(scene, each=False), path) if scene is not None else None


def iterated(walk: Walk, value: Any, path: Path) -> Chain:
    """A loop over an object of the user's with an `__iter__` of its own."""
    function = getattr(type(value), "__iter__", None) if is_users_object(value) else None
    if function is not None and (found := _until_bad(walk, lambda: iter(value), code_of(function), (EACH, *path))):
        return into(walk, *found)
    scene = walk.world.function(function, {}, {"self": value}) if function is not None else None
    if scene is None:
        return None
    # An `__iter__` without a `yield` gives something else to loop over.
    each = results(scene, each=True)
    return one_of(walk, each, path) if each else one_of(walk, results(scene, each=False), (EACH, *path))


def changed(walk: Walk, name: str, at: Statement, path: Path) -> Chain:
    """The statement that was seen to turn what a name holds from good to bad, without assigning it."""
    return _altered(walk, [(moment, name, *held) for moment, *held in at.alterations(name)], path)


def changed_attribute(walk: Walk, owner: Any, name: str, at: Statement, path: Path) -> Chain:
    """The same for an attribute of an object."""
    return _altered(walk, walk.world.alterations(owner, name, at), path)


def _altered(walk: Walk, found: Iterable[tuple[RecordedStatement, str, Any, Any]], path: Path) -> Chain:
    for moment, name, before, after in found:
        was, now = (project(value, path) if value is not UNKNOWN else UNKNOWN for value in (before, after))
        added = was is UNKNOWN and _lacks(before, path)
        if now is UNKNOWN or not walk.is_bad(now) or (was is UNKNOWN and not added):
            return None
        if (added or walk.symptom.judge(was) is Judgement.GOOD) and not bindings(moment.statement, name):
            return _changed_by(walk, name, moment, path) or _written_by_library(walk, name, moment, before, path)
    return None


def _lacks(value: Any, path: Path) -> bool:
    """Whether a dictionary or a table has no entry yet at a path, or one further in has not."""
    for part in path:
        entries = value if isinstance(value, Mapping) else getattr(value, "columns", None)
        if entries is None or not isinstance(part, str):
            return False
        if part not in entries:
            return True
        value = value[part]
    return False


def _changed_by(walk: Walk, name: str, moment: RecordedStatement, path: Path) -> Chain:
    """Into the call that was given what a name holds, and changed it there."""
    for call in reversed(moment.calls):
        for word in call.code.co_varnames[: call.code.co_argcount]:
            given = argument_of(call, word, moment)
            if given is None or not (dotted(given[0]) == name or is_within(given[0], name)):
                continue
            end, path = at_end(call), path if dotted(given[0]) == name else path[1:]
            inner = ast.copy_location(ast.Name(id=word, ctx=ast.Load()), given[0])
            return handed_on(name, walk.back(inner, end, path), moment) if end is not None else None
    return None


def _written_by_library(walk: Walk, name: str, moment: RecordedStatement, before: Any, path: Path) -> Chain:
    """The call of a library's function that wrote into what it was given; what was only moved in it was bad before."""
    written = moment.statement.value if isinstance(moment.statement, ast.Expr) else None
    if not isinstance(written, ast.Call):
        return None
    parts = [*written.args, *([written.func.value] if isinstance(written.func, ast.Attribute) else [])]
    if name not in map(dotted, parts):
        return None
    if path and walk.symptom.judge(before) is Judgement.BAD:
        whole = ast.copy_location(ast.Name(id=name, ctx=ast.Load()), written)
        return walk.back(whole, moment, (EACH, *path[1:])) if "." not in name else None
    return [walk.culprit(written, moment, variable=name)]


def into(walk: Walk, call: Activation, path: Path) -> Chain:
    """Into a recorded call: back from what it returned."""
    moment = recorded(call)
    if moment is None:
        return None
    node = moment.scope.node
    if isinstance(node, ast.Lambda):
        return handed_on("", walk.back(node.body, moment, path), moment)
    statement = moment.statement
    result, within = (statement.value, ()) if isinstance(statement, ast.Return) else yielded(statement) or (None, ())
    if result is None:
        return _into_generator(walk, call, path)
    if isinstance(statement, ast.Expr) and isinstance(call, Recording) and path:
        # What is yielded is an element of what the call gave.
        path = path[1:]
    path = (*within, *path)
    return handed_on("", walk.back(result, moment, path), moment, _alone(result, path))


def _into_generator(walk: Walk, call: Activation, path: Path) -> Chain:
    """Into a generator that has come to its end: back from the first element that was bad."""
    for number in range(len(call.visits)):
        moment = recorded(call, number)
        result = yielded(moment.statement) if moment is not None and path else None
        if moment is None or result is None:
            continue
        within = (*result[1], *path[1:])
        if walk.is_bad(project(moment.evaluate(result[0]), within)):
            return handed_on("", walk.back(result[0], moment, within), moment)
    return None


def _alone(result: ast.expr, path: Path) -> ast.expr | None:
    """The expression in what a function returns that gives the part at `path`, and nothing else."""
    places, whole = iter(path), result
    while isinstance(result, ast.Tuple):
        place = next(places, None)
        if not isinstance(place, int) or place >= len(result.elts):
            return None
        result = result.elts[place]
    within = list(places)
    return None if any(isinstance(place, str) for place in within) or (within and result is whole) else result


def worst(walk: Walk, calls: list[Activation], path: Path) -> Activation:
    """Of several recorded calls the one that gave something bad."""
    for many in range(len(path), -1, -1):
        for call in calls:
            part = project(call.returned, path[:many])
            if part is not UNKNOWN and walk.symptom.judge(part) is Judgement.BAD:
                return call
    return calls[0]
