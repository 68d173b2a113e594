"""The abstract interpreter: what is known at each point of a program, without running it."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Final

from lossguard.lint.effects import Effects
from lossguard.lint.joining import join, join_all
from lossguard.lint.values import Class, Const, Function, Instance, Loader, Seq, Spot, Table, Unknown, Value

if TYPE_CHECKING:
    from lossguard.lint.project import Source

#: How many calls within calls are followed, how deep expressions may nest, and how many steps one function may take.
_DEEPEST_CALL: Final = 6
_DEEPEST: Final = 90
_STEPS: Final = 6_000
#: Decorators that leave what a function returns as it is.
_HARMLESS: Final = frozenset(
    {"staticmethod", "classmethod", "property", "no_grad", "inference_mode", "wraps", "lru_cache", "cache", "override"}
    | {"abstractmethod", "cached_property", "enable_grad", "profile", "jit", "export", "ignore", "compile", "autocast"}
)


class Exhausted(Exception):
    """A function takes more steps than it is worth."""


class State:
    """What is known of variables and attributes at one point; `dead` where no control flow arrives."""

    __slots__ = ("dead", "heap", "names")

    def __init__(self, names: dict[str, Value] | None = None, heap: dict[tuple[Any, str], Value] | None = None) -> None:
        self.names: dict[str, Value] = {} if names is None else names
        self.heap: dict[tuple[Any, str], Value] = {} if heap is None else heap
        self.dead = False

    def copy(self) -> State:
        """A copy that changes by itself."""
        twin = State(dict(self.names), dict(self.heap))
        twin.dead = self.dead
        return twin

    def become(self, other: State) -> None:
        """Take over what another state knows."""
        self.names.clear()
        self.names.update(other.names)
        self.heap.clear()
        self.heap.update(other.heap)
        self.dead = other.dead


def joined(one: State, other: State) -> State:
    """What is known where two paths meet: what both say."""
    if one.dead or other.dead:
        return (other if one.dead else one).copy()
    names = {name: _either(value, other.names.get(name)) for name, value in one.names.items()}
    names.update({name: Unknown() for name in other.names if name not in one.names})
    heap = {key: _either(value, other.heap.get(key)) for key, value in one.heap.items()}
    heap.update({key: Unknown() for key in other.heap if key not in one.heap})
    return State(names, heap)


def _either(one: Value, other: Value | None) -> Value:
    return one if one is other else Unknown() if other is None else join(one, other)


class Frame:
    """One function at work, or a module's body."""

    def __init__(self, source: Source, state: State, scope: Any = None, owner: Class | None = None) -> None:
        self.source, self.state, self.scope, self.owner = source, state, scope, owner
        self.returns: list[Value] = []
        self.yields: list[Value] = []
        #: How many conditions that could not be decided stand around the statement at hand.
        self.undecided = 0
        self.receiver: Value | None = None
        #: Where a failure is expected, as in `with pytest.raises(...)`.
        self.expects_failure = False
        self.forward_only = False
        #: What is known where `break` and `continue` leave the loop at hand.
        self.exits: list[State] = []

    def spot(self, node: ast.expr) -> Spot:
        """The place of a node in this frame's file."""
        return Spot(self.source, node)


class Interpreter:
    """Follows values through one project and tells `judge` of each call of a loss."""

    def __init__(self, project: Any) -> None:
        from lossguard.lint.expressions import EVALUATIONS
        from lossguard.lint.statements import EXECUTIONS

        self._evaluations, self._executions = EVALUATIONS, EXECUTIONS
        self.project = project
        self.effects = Effects()
        self.frames: list[Frame] = []
        self.calls: list[ast.AST] = []
        self.depth = 0
        self.steps = 0
        self.found: list[Any] = []
        #: The call at work, which stands for those that a library makes.
        self.node: ast.Call | None = None
        #: What functions returned that were called with arguments of which nothing is known.
        self._answers: dict[Any, tuple[Value, list[Any]]] = {}
        #: How often an attribute of an object was given a value: what its methods give may depend on it.
        self.writes: dict[Any, int] = {}
        self._bodies: dict[Class, dict[str, Value]] = {}
        self._made: dict[Class, tuple[Instance, dict[tuple[Any, str], Value]]] = {}

    @property
    def frame(self) -> Frame:
        """The function at work."""
        return self.frames[-1]

    def evaluate(self, node: ast.expr) -> Value:
        """What an expression is known to be."""
        self.steps -= 1
        if self.steps < 0:
            raise Exhausted
        evaluation = self._evaluations.get(type(node))
        if evaluation is None or self.depth > _DEEPEST:
            return Unknown()
        self.depth += 1
        try:
            return evaluation(self, node)
        finally:
            self.depth -= 1

    def execute(self, body: list[ast.stmt]) -> None:
        """Follow statements until the control flow leaves them."""
        for statement in body:
            if self.frame.state.dead:
                return
            self.steps -= 1
            if self.steps < 0:
                raise Exhausted
            execution = self._executions.get(type(statement))
            if execution is not None and self.depth <= _DEEPEST:
                self.depth += 1
                try:
                    execution(self, statement)
                finally:
                    self.depth -= 1

    @contextmanager
    def within(self, frame: Frame) -> Iterator[Frame]:
        """Work in a frame, and leave it again."""
        self.frames.append(frame)
        try:
            yield frame
        finally:
            self.frames.pop()

    def run_function(self, function: Function) -> None:
        """Follow a function by itself: its parameters are unknown, an object has what its `__init__` gave it."""
        self.steps = _STEPS
        state = State()
        receiver = None
        if function.owner is not None and function.node.args.args and not _is_static(function.node):
            receiver = self._some_instance(function.owner, state)
        try:
            self.steps = _STEPS
            self._enter(function, receiver, (), {}, state, standalone=True)
        except Exhausted:
            return

    def _some_instance(self, cls: Class, state: State) -> Value:
        """An object of a class, made with arguments that are not known."""
        if cls in self._made:
            known, heap = self._made[cls]
            state.heap.update(heap)
            return known
        instance = Instance(cls)
        silent, self.found = self.found, []
        with self.within(Frame(cls.module, state)):
            try:
                self.initialise(instance, (), {}, standalone=True)
            except Exhausted:
                state.heap.clear()
        self.found = silent
        changed = self.project.attributes_set_elsewhere(cls)
        for key in list(state.heap):
            if key[0] is instance and key[1] in changed:
                state.heap[key] = Unknown(key[1])
        self._made[cls] = (instance, dict(state.heap))
        return instance

    def apply(self, function: Value, *args: Value) -> Value:
        """What a function gives that is handed to a library: a collate function, one for `map`."""
        from lossguard.lint.library import call_value

        return Unknown() if self.node is None else call_value(self, function, args, {}, self.node)

    def meet(self, one: State, other: State) -> State:
        """What is known where two paths meet; it costs as many steps as there are things known."""
        self.steps -= (len(one.names) + len(one.heap)) // 8
        return joined(one, other)

    def call(self, function: Function, args: tuple[Value, ...], kwargs: dict[str, Value]) -> Value:
        """What a function of the project returns for these arguments."""
        node = function.node
        if len(self.calls) >= _DEEPEST_CALL or self.calls.count(node) > 1 or isinstance(node, ast.AsyncFunctionDef):
            return Unknown()
        if (
            not isinstance(node, ast.Lambda)
            and not function.is_bare
            and not all(map(_is_harmless, node.decorator_list))
        ):
            return self._call_decorated(function, node, args, kwargs)
        nothing_new = not kwargs and all(type(value) is Unknown for value in args)
        moment = (function.module.changes, self.writes.get(function.receiver, 0))
        key = (node, function.receiver, len(args), self.frame.expects_failure, moment)
        if nothing_new and key in self._answers:
            answer, told = self._answers[key]
            self.found.extend(told)
            return answer
        found = len(self.found)
        self.calls.append(node)
        try:
            answer = self._enter(function, function.receiver, args, kwargs, State({}, self.frame.state.heap))
        finally:
            self.calls.pop()
        if nothing_new and moment[1] == self.writes.get(function.receiver, 0):
            self._answers[key] = (answer, self.found[found:])
        return answer

    def _call_decorated(
        self, function: Function, node: ast.FunctionDef, args: tuple[Value, ...], kwargs: dict[str, Value]
    ) -> Value:
        """Call what the decorators of the project make of a function; others may make anything of it."""
        value: Value = Function(node, function.module, function.scope, None, function.owner, is_bare=True)
        with self.within(Frame(function.module, State(), function.scope)):
            for decorator in reversed(node.decorator_list):
                if _is_harmless(decorator):
                    continue
                made = self.evaluate(decorator)
                value = self.call(made, (value,), {}) if isinstance(made, Function) else Unknown()
        if not isinstance(value, Function):
            return Unknown()
        given = args if function.receiver is None else (function.receiver, *args)
        return self.call(value, given, kwargs)

    def _enter(
        self,
        function: Function,
        receiver: Value | None,
        args: tuple[Value, ...],
        kwargs: dict[str, Value],
        state: State,
        *,
        standalone: bool = False,
    ) -> Value:
        node = function.node
        outer = self.frames[-1] if self.frames else None
        given = args if receiver is None else (receiver, *args)
        with self.within(Frame(function.module, state, function.scope, function.owner)) as frame:
            frame.receiver = receiver
            if outer is not None and not standalone:
                frame.expects_failure, frame.forward_only = outer.expects_failure, outer.forward_only
            if not self._bind(node, given, kwargs, standalone=standalone):
                return Unknown()
            if isinstance(node, ast.Lambda):
                return self.evaluate(node.body)
            frame.forward_only = frame.forward_only or any(map(_stops_gradients, node.decorator_list))
            self.execute(node.body)
            return self._returned(node, frame)

    def _returned(self, node: ast.FunctionDef | ast.AsyncFunctionDef, frame: Frame) -> Value:
        if frame.yields:
            return Loader(join_all(frame.yields) or Unknown())
        values = list(frame.returns)
        if not frame.state.dead and values:
            return Unknown()
        if not values:
            works = any(isinstance(step, ast.Assign) for step in node.body) and frame.owner is not None
            return Const(None) if works and node.name == "forward" and not frame.state.dead else Unknown()
        return join_all(values) or Unknown()

    def _bind(
        self,
        node: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda,
        args: tuple[Value, ...],
        kwargs: dict[str, Value],
        *,
        standalone: bool,
    ) -> bool:
        """Put arguments at their parameters; whether that is possible."""
        spec, names = node.args, self.frame.state.names
        positional = [*spec.posonlyargs, *spec.args]
        if len(args) > len(positional) and spec.vararg is None:
            return False
        for parameter, value in zip(positional, args, strict=False):
            names[parameter.arg] = value
        extra = {
            name: value for name, value in kwargs.items() if name not in {p.arg for p in positional + spec.kwonlyargs}
        }
        if extra and spec.kwarg is None:
            return False
        defaults = dict(zip([p.arg for p in positional[::-1]], spec.defaults[::-1], strict=False))
        defaults |= {p.arg: d for p, d in zip(spec.kwonlyargs, spec.kw_defaults, strict=True) if d is not None}
        for parameter in [*positional, *spec.kwonlyargs]:
            if parameter.arg in kwargs:
                names[parameter.arg] = kwargs[parameter.arg]
            elif parameter.arg not in names:
                default = defaults.get(parameter.arg)
                known = default is not None and not standalone
                names[parameter.arg] = self.evaluate(default) if known and default else self._parameter(parameter)
        if spec.vararg is not None:
            rest = Seq("tuple", args[len(positional) :])
            names[spec.vararg.arg] = Unknown(spec.vararg.arg) if standalone else rest
        if spec.kwarg is not None:
            names[spec.kwarg.arg] = Unknown(spec.kwarg.arg) if standalone else Table(extra)
        return True

    def _parameter(self, parameter: ast.arg) -> Value:
        """A parameter of which only its annotation tells something."""
        from lossguard.lint.values import Data, Whole

        annotation = ast.unparse(parameter.annotation) if parameter.annotation is not None else ""
        if annotation in {"torch.Tensor", "Tensor"}:
            return Data()
        if annotation == "int":
            return Whole(parameter.arg)
        return Unknown(parameter.arg)

    def initialise(
        self, instance: Instance, args: tuple[Value, ...], kwargs: dict[str, Value], *, standalone: bool = False
    ) -> None:
        """Follow the `__init__` of an object's class, so that its attributes are known."""
        cls = instance.cls
        if isinstance(cls, str):
            return
        self._class_attributes(instance, cls, standalone=standalone)
        for each in cls.lineage():
            if "__init__" in each.methods:
                method = Function(each.methods["__init__"], each.module, each.scope, instance, each)
                if standalone:
                    state = State({}, self.frame.state.heap)
                    self._enter(method, instance, args, kwargs, state, standalone=True)
                else:
                    self.call(method, args, kwargs)
                return
            if "dataclass" in decorators(each.node):
                self._fill_fields(instance, cls, args, kwargs, standalone=standalone)
                return

    def _fill_fields(
        self, instance: Instance, cls: Class, args: tuple[Value, ...], kwargs: dict[str, Value], *, standalone: bool
    ) -> None:
        """What the `__init__` of a dataclass does, which nobody writes."""
        names = cls.fields()
        given = {**dict(zip(names, args, strict=False)), **kwargs}
        heap = self.frame.state.heap
        for name in names:
            if name in given or standalone or (instance, name) not in heap:
                heap[instance, name] = given.get(name, Unknown(name))
        if "__post_init__" in cls.methods and not standalone:
            self.call(Function(cls.methods["__post_init__"], cls.module, cls.scope, instance, cls), (), {})

    def _class_attributes(self, instance: Instance, cls: Class, *, standalone: bool) -> None:
        """What the bodies of the classes give: of an object that any subclass may have made, only that it is there."""
        for each in reversed(list(cls.lineage())):
            for name, value in ({} if standalone else self.class_body(each)).items():
                self.frame.state.heap[instance, name] = value
            for name in each.constants() if standalone else ():
                self.frame.state.heap[instance, name] = Unknown(name)

    def class_body(self, cls: Class) -> dict[str, Value]:
        """The values that stand in the body of a class and are not changed elsewhere."""
        if cls not in self._bodies:
            self._bodies[cls] = {}
            changed = self.project.attributes_set_elsewhere(cls) | self.project.stored_through_names(self.frame.source)
            if "setattr(" in cls.module.text or "setattr(" in self.frame.source.text:
                return {}
            frame = Frame(cls.module, State(), cls.scope)
            with self.within(frame):
                for statement in cls.node.body:
                    if isinstance(statement, ast.Assign | ast.AnnAssign) and statement.value is not None:
                        self.execute([statement])
            values = {name: _default(value) for name, value in frame.state.names.items() if name not in changed}
            self._bodies[cls] = values
        return self._bodies[cls]


def _default(value: Value) -> Value:
    """The default of a field of a dataclass, out of `field(default=...)`."""
    if isinstance(value, Instance) and value.cls == "dataclasses.field":
        return value.kwargs.get("default", Unknown())
    return value


def _is_static(node: Any) -> bool:
    return any(_decorator_name(decorator) == "staticmethod" for decorator in getattr(node, "decorator_list", []))


def _decorator_name(decorator: ast.expr) -> str:
    node = decorator.func if isinstance(decorator, ast.Call) else decorator
    return node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else "?"


def _is_harmless(decorator: ast.expr) -> bool:
    return _decorator_name(decorator) in _HARMLESS


def _stops_gradients(decorator: ast.expr) -> bool:
    return _decorator_name(decorator) in {"no_grad", "inference_mode"}


def decorators(node: Any) -> set[str]:
    """The names of a function's decorators."""
    return {_decorator_name(decorator) for decorator in node.decorator_list}
