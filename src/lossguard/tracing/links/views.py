"""Scenes: the functions and modules that are alive on the stack, and those that are only source."""

from __future__ import annotations

import ast
import functools
import gc
import itertools
import linecache
import math
import types
from collections.abc import Callable, Iterator, Mapping
from pathlib import PurePath
from typing import Any, Final

from lossguard.paths import is_users
from lossguard.tracing.evidence.recorder import Recorder
from lossguard.tracing.links.classes import called_of, caller_of, is_users_object
from lossguard.tracing.links.comprehensions import FRAMES, BoundStatement
from lossguard.tracing.links.recorded import RecordedStatement, last_run, recorded
from lossguard.tracing.links.statements import Defined, FunctionView, ReadStatement, Statement
from lossguard.tracing.program.binding import bound, called_name, receiver_of
from lossguard.tracing.program.reaching import Scope, bindings
from lossguard.tracing.program.sources import Source, own_nodes, source_of, users_frames, users_sources, variables_of
from lossguard.tracing.program.writes import Writes
from lossguard.tracing.values.evaluating import UNKNOWN

#: How many functions are worked out inside one another.
_DEEP: Final = 12

Given = Mapping[str, tuple[ast.expr, Statement]]


class ProgramView:
    """The user's program as it stands: the frames from the loss outwards, and their modules."""

    def __init__(
        self, frame: types.FrameType | None, line: int | None = None, recorder: Recorder | None = None
    ) -> None:
        self.frames = users_frames(frame)
        #: What was recorded while the program ran, if it is to be believed.
        self.recorder = recorder
        #: The line at which the first frame called the loss, if it has gone on since.
        self._line = line if self.frames and self.frames[0] is frame else None
        self._scenes: dict[types.FrameType, ReadStatement | None] = {}
        self._modules: dict[int, list[Statement]] = {}
        self._entered: dict[tuple[int, int, int], tuple[object, FunctionView | None]] = {}
        self._inside = 0
        self._generators: list[types.FrameType | None] | None = None

    def moment(self, frame: types.FrameType) -> ReadStatement | None:
        """Where a live frame stands now."""
        if frame not in self._scenes:
            self._scenes[frame] = self._read(frame)
        return self._scenes[frame]

    def standing(self, frame: types.FrameType) -> Statement | None:
        """Where a live frame stands now, which may be in a turn of a comprehension."""
        if frame.f_code.co_name not in FRAMES:
            here = self.moment(frame)
            ran = here.recorded(here.statement) if here is not None else None
            fresh = self.recorder is not None and self.recorder.is_fresh
            return here if ran is None or not fresh else ran.now(variables_of(frame))
        around = users_frames(frame.f_back)[:1]
        outer = self.standing(around[0]) if around else None
        return BoundStatement.of_frame(frame, outer) if outer is not None else None

    def defines(self, name: str) -> bool:
        """Whether a function or a method of the program has this name."""
        trees = [source.tree for source in users_sources(self.frames[0])] if self.frames else []
        nodes = [node for tree in trees for node in ast.walk(tree)]
        return any(isinstance(node, ast.FunctionDef) and node.name == name for node in nodes)

    def suspended(self, function: ast.AST) -> ReadStatement | None:
        """Where the only generator of a function stands that waits to go on; None if there is none, or several."""
        if self._generators is None:
            gc.unfreeze()  # what a twin leaves alone is not listed
            self._generators = [each.gi_frame for each in gc.get_objects() if type(each) is types.GeneratorType]
        waiting = [frame for frame in self._generators if frame is not None and is_users(frame.f_code.co_filename)]
        found = [moment for moment in map(self.moment, waiting) if moment and moment.scope.node is function]
        return found[0] if len(found) == 1 else None

    def _read(self, frame: types.FrameType) -> ReadStatement | None:
        source = source_of(frame.f_code.co_filename)
        node = source.function_of(frame.f_code) if source else None
        if source is None or node is None:
            return None
        line = self._line if self._line and frame is self.frames[0] else frame.f_lineno
        whole = isinstance(node, ast.Lambda)
        statement = source.statement_of(node) if whole else source.statement_at(line, node)
        if statement is None:
            return None
        scene = FunctionView(
            Scope(source, node),
            frame.f_globals,
            live=variables_of(frame),
            now=statement,
            caller=lambda: self._caller(frame),
            around=lambda name: self.around(frame.f_globals, name),
            recorded=self._recorded(frame, statement),
        )
        return ReadStatement(scene, statement)

    def _recorded(
        self, frame: types.FrameType, now: ast.stmt
    ) -> Callable[[ast.stmt | None], RecordedStatement | None] | None:
        """How to find what a statement of a live frame did when it ran last."""
        recorder = self.recorder
        recording = recorder.of_frame(frame) if recorder is not None else None
        if recorder is None or recording is None or recording.is_broken:
            return None
        fresh = recorder.is_fresh

        def find(statement: ast.stmt | None) -> RecordedStatement | None:
            return None if statement is None else last_run(recording, statement, None if fresh else now)

        return find

    def _caller(self, frame: types.FrameType) -> Given:
        """What the user's frame that called `frame` gave for its parameters."""
        outer = next((moment for moment in map(self.standing, users_frames(frame.f_back)[:1]) if moment), None)
        if outer is None:
            return {}
        name, owner = frame.f_code.co_name, frame.f_locals.get("self")
        for node in ast.walk(outer.statement):
            if not isinstance(node, ast.Call):
                continue
            callee = outer.evaluate(node.func)
            is_module = name in {"forward", "__call__"} and callee is owner is not None
            if called_name(node) == name or is_module or getattr(callee, "__code__", None) is frame.f_code:
                given = bound(node, frame.f_code, receiver=receiver_of(node, outer.evaluate))
                return {key: (value, outer) for key, value in given.items()}
        return {}

    def around(self, names: Mapping[str, Any], name: str) -> list[Statement]:
        """The module that defines an outer name, or the function around, if it is alive."""
        for frame in self.frames:
            here = self.moment(frame) if frame.f_code.co_name != "<module>" else None
            if here is not None and frame.f_globals is names and name in here.scope.names:
                return [here]
        return [moment for moment in self.module(names) if moment.defines(name)][:1]

    def module(self, names: Mapping[str, Any]) -> list[Statement]:
        """The module whose names these are: alive, or at its end; of a notebook, every cell, the newest first."""
        if id(names) not in self._modules:
            self._modules[id(names)] = []
            self._modules[id(names)] = self._read_module(names)
        return self._modules[id(names)]

    def _read_module(self, names: Mapping[str, Any]) -> list[Statement]:
        found: list[Statement] = []
        for frame in self.frames:
            if frame.f_code.co_name == "<module>" and frame.f_globals is names:
                found.extend(filter(None, [self.moment(frame)]))
        if found and not _is_cell(found[0].scope.source.filename):
            return found
        filename = names.get("__file__")
        files = [filename] if isinstance(filename, str) else []
        if not found or _is_cell(found[0].scope.source.filename):
            files.extend(_cells())
        known = {moment.scope.source.filename for moment in found}
        sources = [source_of(name) for name in files if name not in known and is_users(name)]
        return [*found, *(moment for source in sources if source for moment in _at_end(source, names, self.recorder))]

    def function(self, function: Any, given: Given, preset: Mapping[str, Any]) -> FunctionView | None:
        """A function of the user's, entered by a call in the source."""
        code = getattr(function, "__code__", None)
        if code is None or not is_users(code.co_filename):
            return None
        source = source_of(code.co_filename)
        node = source.function_of(code) if source else None
        if source is None or node is None or isinstance(node, ast.Module):
            return None
        names = function.__globals__
        cells = zip(code.co_freevars, function.__closure__ or (), strict=False)
        closed = {name: cell.cell_contents for name, cell in cells if _is_filled(cell)}
        around = lambda name: self.around(names, name)  # noqa: E731 - one of three ways to look
        return FunctionView(Scope(source, node), {**names, **closed}, preset=preset, given=given, around=around)

    def ran(self, moment: Statement) -> Statement:
        """A statement that is read in the source as it was recorded, if its function ran to its end, and once."""
        if self.recorder is None or not isinstance(moment, ReadStatement) or moment.scene.live is not None:
            return moment
        own = [
            call for call in self.recorder.calls() if moment.scope.source.function_of(call.code) is moment.scope.node
        ]
        once = len(own) == 1 and own[0].ended and not own[0].is_broken
        return (last_run(own[0], moment.statement, None) if once else None) or moment

    def setters(self, owner: Any, name: str, at: Statement | None = None) -> list[Defined]:
        """The recorded lines that gave an attribute the value that it had at a moment, or has now."""
        found: list[Defined] = []
        clock = getattr(at, "clock", math.inf)
        for recording, number in self.recorder.setters(owner, name, clock) if self.recorder is not None else ():
            moment = recorded(recording, number)
            written = recording.lines.get(recording.visits[number].line, Writes())
            roots = [root for root, word in written.attributes if word == name]
            own = [d for root in roots for d in bindings(moment.statement, f"{root}.{name}")] if moment else []
            found.extend((definition, moment) for definition in own if moment is not None)
            if any(not definition.partial for definition in own):
                return found
        return []

    def alterations(self, owner: Any, name: str, at: Statement) -> Iterator[tuple[RecordedStatement, str, Any, Any]]:
        """The lines before `at` that may have changed what an attribute holds without setting it, the last first.

        Each with the name by which it has the attribute, and what that held before and after.
        """
        recorder, clock = self.recorder, getattr(at, "clock", math.inf)
        held = recorder.held(owner, name, clock) if recorder is not None else []
        for (recording, number, after), (_, _, before) in itertools.pairwise(held):
            moment = recorded(recording, number)
            written = recording.lines.get(recording.visits[number].line, Writes())
            roots = [root for root, word in written.attributes if word == name]
            if moment is None or any(bindings(moment.statement, f"{root}.{name}") for root in roots):
                return
            yield moment, f"{roots[0]}.{name}" if roots else name, before, after

    def written_by_functions(self, names: Mapping[str, Any], name: str, clock: float) -> list[Defined]:
        """The recorded lines of functions that gave a module's name its value before a moment, the last first."""
        found: list[tuple[float, Defined]] = []
        for call in self.recorder.calls() if self.recorder is not None else ():
            code = call.code
            outer = name in code.co_names and name not in (*code.co_varnames, *code.co_cellvars, *code.co_freevars)
            own = call.globals is names and outer and code.co_name != "<module>"
            for number, when in enumerate(call.clocks if own else ()):
                moment = recorded(call, number) if when < clock else None
                written = bindings(moment.statement, name) if moment is not None else []
                found.extend((when, (definition, moment)) for definition in written if moment is not None)
        found.sort(key=lambda pair: -pair[0])
        last = next((place for place, (_, pair) in enumerate(found) if not pair[0].partial), len(found))
        return [pair for _, pair in found[: last + 1]]

    def entered(self, node: ast.Call, callee: Any, at: Statement) -> FunctionView | None:
        """The function of the user's that a call in the source goes to; None if it is none of his."""
        owner = getattr(at, "scene", None) or getattr(at, "activation", None) or at
        key = (id(node), id(owner), id(callee))
        if key not in self._entered:
            self._entered[key] = ((owner, callee), self._enter(node, callee, at))
        return self._entered[key][1]

    def _enter(self, node: ast.Call, callee: Any, at: Statement) -> FunctionView | None:
        preset: dict[str, Any] = {}
        if isinstance(node.func, ast.Attribute):
            owner = at.evaluate(node.func.value)
            if owner is not UNKNOWN and not isinstance(owner, types.ModuleType):
                preset = {"self": owner}
        function = callee
        if callee is UNKNOWN and isinstance(node.func, ast.Name):
            # An object that is gone by now is known by its class.
            kinds = at.kinds(node.func.id)
            function = called_of(*kinds) if len(kinds) == 1 else UNKNOWN
        if is_users_object(callee) and not isinstance(callee, type | types.FunctionType | types.MethodType):
            preset, function = {"self": callee}, caller_of(callee)
        function = _undecorated(getattr(function, "__func__", function))
        if not isinstance(function, types.FunctionType):
            return None
        receiver = receiver_of(node, at.evaluate)
        # A method that is called by a name of its own, as a decorator does, is given its object.
        method = False if isinstance(callee, types.FunctionType) and isinstance(node.func, ast.Name) else None
        words = bound(node, function.__code__, method=method, receiver=receiver)
        scene = self.function(function, {key: (value, at) for key, value in words.items()}, preset)
        if scene is not None and not _spreads(node):
            scene.defaults = _defaults(function)
        return scene

    def result(self, node: ast.Call, callee: Any, at: Statement) -> Any:
        """What a call of a function of the user's gives, where its source alone tells that."""
        if (
            self._inside > _DEEP
            or getattr(callee, "_forward_hooks", None)
            or getattr(callee, "_forward_pre_hooks", None)
        ):
            return UNKNOWN
        scene = self.entered(node, callee, at)
        found = results(scene, each=False) if scene is not None else []
        if scene is None or len(found) != 1 or not _is_sure(found[0][1]):
            return UNKNOWN
        self._inside += 1
        try:
            return found[0][1].evaluate(found[0][0])
        finally:
            self._inside -= 1


def _undecorated(function: Any) -> Any:
    """A function without what Python and torch put around it that changes nothing in what it gives."""
    if isinstance(function, functools._lru_cache_wrapper):  # noqa: SLF001 - the class has no other name
        return function.__wrapped__
    code = getattr(function, "__code__", None)
    # `@torch.no_grad()` and its kin, whose wrapper has another name in each version.
    silent = code is not None and PurePath(code.co_filename).parts[-3:] == ("torch", "utils", "_contextlib.py")
    return getattr(function, "__wrapped__", function) if silent else function


def _spreads(node: ast.Call) -> bool:
    """Whether a call may give more than is written in it."""
    starred = any(isinstance(argument, ast.Starred) for argument in node.args)
    return starred or any(word.arg is None for word in node.keywords)


def _defaults(function: types.FunctionType) -> dict[str, Any]:
    """The defaults of a function's parameters that are constants."""
    code, values = function.__code__, function.__defaults__ or ()
    names = code.co_varnames[: code.co_argcount][code.co_argcount - len(values) :]
    found = {**dict(zip(names, values, strict=True)), **(function.__kwdefaults__ or {})}
    return {name: value for name, value in found.items() if isinstance(value, bool | int | float | str | None)}


def _is_sure(moment: ReadStatement) -> bool:
    """Whether a function's only `return` ends it in any case: nothing is yielded, and no condition stands around it."""
    node = moment.scope.node
    if isinstance(node, ast.Lambda):
        return True
    if isinstance(node, ast.AsyncFunctionDef) or any(isinstance(n, ast.Yield | ast.YieldFrom) for n in own_nodes(node)):
        return False
    return any(statement is moment.statement for statement in node.body)


def _at_end(source: Source, names: Mapping[str, Any], recorder: Recorder | None) -> list[Statement]:
    if not source.tree.body:
        return []
    scene = FunctionView(Scope(source, source.tree), names, live=names, now=None)
    recording = recorder.modules.get(id(names)) if recorder is not None else None
    if recording is not None and recording.ended and not recording.is_broken:
        scene.recorded = lambda statement: last_run(recording, statement, None)
    return [ReadStatement(scene, source.tree.body[-1], at_end=True)]


def _is_filled(cell: types.CellType) -> bool:
    try:
        return cell.cell_contents is not None
    except ValueError:
        return False


def _is_cell(filename: str) -> bool:
    return filename.startswith("<") or "ipykernel" in filename


def _cells() -> list[str]:
    """The cells of a notebook, the newest first; other programs have none."""
    found = [name for name in linecache.cache if isinstance(name, str) and _is_cell(name)]
    return found[::-1]


def results(scene: FunctionView, *, each: bool) -> list[tuple[ast.expr, ReadStatement]]:
    """What a function returns, or yields when `each`; the body of a lambda."""
    node = scene.scope.node
    if isinstance(node, ast.Lambda):
        statement = scene.scope.source.statement_of(node)
        return [] if statement is None else [(node.body, ReadStatement(scene, statement))]
    kind = ast.Yield if each else ast.Return
    found: list[tuple[ast.expr, ReadStatement]] = []
    for inner in own_nodes(node):
        if isinstance(inner, kind) and inner.value is not None:
            statement = scene.scope.source.statement_of(inner)
            if statement is not None:
                found.append((inner.value, ReadStatement(scene, statement)))
    return found
