"""Where an object of the user's was made, and where its attributes were set."""

from __future__ import annotations

import ast
import functools
import sys
import types
from collections.abc import Iterator, Mapping
from typing import Any, Final

from lossguard.operations.roles import CONSTRUCTING, FIELDS, REGISTERING
from lossguard.paths import is_users, real_path
from lossguard.tracing.links.classes import is_users_object
from lossguard.tracing.links.recognising import branches_of
from lossguard.tracing.links.recorded import recorded
from lossguard.tracing.links.statements import FunctionView, ReadStatement, Statement
from lossguard.tracing.links.views import ProgramView, results
from lossguard.tracing.program.binding import bound, called_name
from lossguard.tracing.program.reaching import Definition, Path, Scope, bindings, parameters
from lossguard.tracing.program.sources import Source, expression_at, own_nodes, source_of
from lossguard.tracing.values.evaluating import UNKNOWN

Site = tuple[ast.Call, Statement]
_DEEP: Final = 8


class Construction:
    """Looks for the calls that made the objects of a program."""

    def __init__(self, world: ProgramView) -> None:
        self._world = world

    def site(self, thing: Any) -> Site | None:
        """The call that made `thing`: as it was recorded, or else as it is read in the source."""
        if (born := self.born(thing)) is not None:
            return born
        found = self._site(thing)
        return None if found is None else (found[0], self._world.ran(found[1]))

    def born(self, thing: Any) -> Site | None:
        """The call that made `thing`, if it was recorded."""
        birth = self._world.recorder.births.of(thing) if self._world.recorder is not None else None
        call = expression_at(birth.code, birth.instruction) if birth is not None else None
        if birth is None or not isinstance(call, ast.Call):
            return None
        if birth.number is not None:
            moment: Statement | None = recorded(birth.recording, birth.number)
        else:
            source = source_of(birth.code.co_filename)
            moment = self.moment_at(source, birth.recording.globals, call) if source is not None else None
        return (call, moment) if moment is not None else None

    def _site(self, thing: Any) -> Site | None:
        """By the variables that hold it, else the only call of its class there is."""
        for name, moment in [*self.holders(thing), *self.holders(thing, inside=True)]:
            for definition, where in self._sources_of(name, moment):
                made = type(thing)
                found = self._followed(definition.value, where, made, definition.path) if definition.value else None
                if found is not None:
                    return found
        for owner, name, _, _ in self._owners(thing):
            if (found := self.site_of_attribute(owner, name)) is not None:
                return found
        calls = [site for site in self.calls(type(thing).__name__) if _makes(site, type(thing))]
        return calls[0] if len(calls) == 1 else None

    def _owners(self, thing: Any) -> Iterator[tuple[Any, str, str, Statement]]:
        """The live objects of the user's that hold `thing` in an attribute: its name, and theirs."""
        for moment in self._moments():
            live = moment.scene.live if isinstance(moment, ReadStatement) else None
            for variable, owner in list((live or {}).items()):
                held = vars(owner) if is_users_object(owner) and hasattr(owner, "__dict__") else {}
                yield from ((owner, name, variable, moment) for name, value in list(held.items()) if value is thing)

    def holding(self, thing: Any) -> Iterator[tuple[ast.expr, Statement]]:
        """The expressions that give `thing` where the program stands: its variables, and attributes of objects."""
        for name, moment in self.holders(thing):
            yield ast.Name(id=name, ctx=ast.Load()), moment
        for _, name, variable, moment in self._owners(thing):
            yield ast.Attribute(ast.Name(id=variable, ctx=ast.Load()), name, ctx=ast.Load()), moment

    def site_of_attribute(self, owner: Any, name: str) -> Site | None:
        """The call that made what an attribute of an object of the user's holds."""
        thing = vars(owner).get(name, vars(owner).get("_modules", {}).get(name))
        found = self.assignments(owner, name)
        value = found[0][0].value if len(found) == 1 else None
        if thing is None or value is None or found[0][0].partial:
            return None
        return self._followed(value, found[0][1], type(thing), found[0][0].path)

    def _sources_of(self, name: str, moment: Statement) -> list[tuple[Definition, Statement]]:
        """The definitions of a name; for a parameter, the expression that the caller gave."""
        found: list[tuple[Definition, Statement]] = []
        for definition, where in moment.definitions(name):
            given = where.argument(name) if definition.parameter else None
            found.append((Definition(None, given[0]), given[1]) if given else (definition, where))
        return found

    def holders(self, thing: Any, *, inside: bool = False) -> Iterator[tuple[str, Statement]]:
        """The live variables that hold `thing`, or a loader or subset of it, the nearest to the loss first."""
        seen: set[int] = set()
        for moment in self._moments():
            if not isinstance(moment, ReadStatement) or id(moment.scene) in seen:
                continue
            seen.add(id(moment.scene))
            for name, value in list((moment.scene.live or {}).items()):
                held = getattr(value, "dataset", None) if inside and hasattr(value, "__dict__") else value
                if held is thing and not name.startswith("_"):
                    yield name, moment

    def _moments(self) -> Iterator[Statement]:
        for frame in self._world.frames:
            moment = self._world.moment(frame)
            if moment is not None:
                yield moment
            yield from self._world.module(frame.f_globals)

    def _followed(self, node: ast.expr, at: Statement, made: type, path: Path = (), depth: int = 0) -> Site | None:
        """From the expression whose part at `path` a variable holds to the call of the class inside it."""
        branches = branches_of(node, at)
        if depth > _DEEP or len(branches) > 1:
            return None
        node = branches[0]
        if isinstance(node, ast.Name | ast.Attribute):
            owner = at.evaluate(node.value) if isinstance(node, ast.Attribute) else UNKNOWN
            set_in = self.assignments(owner, node.attr) if isinstance(node, ast.Attribute) else at.definitions(node.id)
            found = [d for d in set_in if d[0].value is not None]
            definition = found[0] if len(found) == 1 else None
            inner = definition[0].value if definition else None
            if definition is None or inner is None or definition[0].partial:
                return None
            return self._followed(inner, definition[1], made, (*definition[0].path, *path), depth + 1)
        if isinstance(node, ast.Tuple | ast.List) and path and isinstance(path[0], int) and path[0] < len(node.elts):
            return self._followed(node.elts[path[0]], at, made, path[1:], depth + 1)
        if not isinstance(node, ast.Call):
            return None
        callee = at.evaluate(node.func)
        if callee is made or (callee is UNKNOWN and called_name(node) == made.__name__):
            return node, at
        function, made_by = getattr(callee, "__func__", callee), getattr(callee, "__self__", None)
        if isinstance(made_by, type) and isinstance(function, types.FunctionType):
            given = {key: (value, at) for key, value in bound(node, function.__code__).items()}
            scene = self._world.function(function, given, {"cls": made_by})
        else:
            scene = self._world.entered(node, callee, at)
        if scene is not None:
            found_inside = [self._followed(*pair, made, path, depth + 1) for pair in results(scene, each=False)]
            sites = [site for site in found_inside if site is not None]
            return sites[0] if len(sites) == 1 else None
        inside = [self._followed(argument, at, made, (), depth + 1) for argument in node.args]
        sites = [site for site in inside if site is not None]
        return sites[0] if len(sites) == 1 else None

    def calls(self, name: str) -> Iterator[Site]:
        """Every call of this name in the modules of the program."""
        for source, names in self._sources():
            for node in ast.walk(source.tree):
                if isinstance(node, ast.Call) and called_name(node) == name:
                    moment = self.moment_at(source, names, node)
                    if moment is not None:
                        yield node, moment

    def _sources(self) -> Iterator[tuple[Source, Mapping[str, Any]]]:
        seen: set[str] = set()
        found: list[tuple[str, Mapping[str, Any]]] = [(f.f_code.co_filename, f.f_globals) for f in self._world.frames]
        found += [
            (module.scope.source.filename, frame.f_globals)
            for frame in self._world.frames
            for module in self._world.module(frame.f_globals)
        ]
        for name in list(sys.modules):
            module = sys.modules.get(name)
            filename = getattr(module, "__file__", None)
            if (
                isinstance(filename, str)
                and filename.endswith(".py")
                and is_users(filename)
                and self._is_near(filename)
            ):
                found.append((filename, vars(module) if module else {}))
        for filename, names in found:
            source = source_of(filename) if filename not in seen else None
            seen.add(filename)
            if source is not None:
                yield source, names

    def _is_near(self, filename: str) -> bool:
        """Whether the file lies in the folder of one on the stack, or below it."""
        folders = {real_path(frame.f_code.co_filename).rpartition("/")[0] for frame in self._world.frames}
        return any(real_path(filename).startswith(folder + "/") for folder in folders if folder)

    def moment_at(self, source: Source, names: Mapping[str, Any], node: ast.AST) -> Statement | None:
        """The moment of any expression in the source: alive if its function is."""
        statement, around = source.statement_of(node), source.scope_of(node)
        if statement is None:
            return None
        for moment in self._moments():
            if isinstance(moment, ReadStatement) and moment.scope.node is around:
                return ReadStatement(moment.scene, statement)
        if isinstance(around, ast.Module):
            return ReadStatement(FunctionView(Scope(source, source.tree), names, live=names, now=None), statement)
        scene = FunctionView(
            Scope(source, around),
            names,
            caller=lambda: self._sole_call(around, source),
            around=lambda name: self._world.around(names, name),
        )
        return ReadStatement(scene, statement)

    def _sole_call(
        self, function: ast.AST, source: Source, code: types.CodeType | None = None
    ) -> Mapping[str, tuple[ast.expr, Statement]]:
        """The arguments of the only call of a function, by its name; of an `__init__`, by that of its class."""
        called = source.parents.get(function) if getattr(function, "name", "") == "__init__" else function
        name = getattr(called, "name", "")
        calls = list(self.calls(name)) if name else []
        if code is not None:
            calls = [call for call in calls if _goes_to(call, code)]
        if len(calls) != 1 or not isinstance(function, ast.FunctionDef):
            return {}
        call, moment = calls[0]
        words = [word for word in parameters(function) if word not in {"self", "cls"}]
        given = {**dict(zip(words, call.args, strict=False)), **{w.arg: w.value for w in call.keywords if w.arg}}
        given = bound(call, code) if code is not None else given
        return {key: (value, moment) for key, value in given.items()}

    def assignments(self, owner: Any, name: str) -> list[tuple[Definition, Statement]]:
        """The lines that set the attribute, as they were recorded, or else as they are written."""
        return self._world.setters(owner, name) or self.written_assignments(owner, name)

    def written_assignments(self, owner: Any, name: str) -> list[tuple[Definition, Statement]]:
        """The lines of the source that set the attribute from outside, or else those of its class."""
        outside = [
            pair
            for holder, moment in self.holders(owner)
            if moment.scope.assigns(f"{holder}.{name}")
            for pair in moment.definitions(f"{holder}.{name}")
        ]
        return outside or self._in_class(owner, name)

    def _in_class(self, owner: Any, name: str) -> list[tuple[Definition, Statement]]:
        found: list[tuple[Definition, Statement]] = []
        for cls in type(owner).__mro__:
            found.extend(self._in_body(cls, name))
            for function in list(vars(cls).values()):
                inner = getattr(function, "__func__", getattr(function, "fget", function))
                if not isinstance(inner, types.FunctionType) or not is_users(inner.__code__.co_filename):
                    continue
                scene = self._world.function(inner, {}, {"self": owner})
                if scene is not None:
                    scene.caller = lambda inner=inner, scene=scene: self._given_to(owner, inner, scene)
                    found.extend(pair for word, end in _set_in(scene, name) for pair in end.definitions(word))
                    found.extend(_registered_in(scene, name))
        return found

    def _given_to(
        self, owner: Any, method: types.FunctionType, scene: FunctionView
    ) -> Mapping[str, tuple[ast.expr, Statement]]:
        """What was given to a method of an object: to its `__init__`, or in the only call that there is of it."""
        if method.__name__ == "__init__":
            return self._init_given(owner, method)
        return self._sole_call(scene.scope.node, scene.scope.source, method.__code__)

    def default(self, cls: Any, path: Path) -> tuple[ast.expr, Statement] | None:
        """What the body of a class of records gives a field that a call of it was given nothing for."""
        name = path[0] if path else None
        fields = getattr(cls, "__dataclass_fields__", ())
        found = self._in_body(cls, name) if isinstance(name, str) and name in fields else []
        value = found[0][0].value if found else None
        if isinstance(value, ast.Call) and called_name(value) in FIELDS:
            word = next((word for word in value.keywords if word.arg in {"default", "default_factory"}), None)
            value = None if word is None else _made_by(word.value) if word.arg == "default_factory" else word.value
        return (value, found[0][1]) if value is not None else None

    def _in_body(self, cls: type, name: str) -> list[tuple[Definition, Statement]]:
        """What the body of a class itself gives an attribute."""
        module = sys.modules.get(cls.__module__)
        names = vars(module) if module is not None else {}
        own = name in vars(cls) or name in getattr(cls, "__dataclass_fields__", ())
        for moment in self._world.module(names) if own and names else []:
            source = moment.scope.source
            for node in ast.walk(source.tree):
                if isinstance(node, ast.ClassDef) and node.name == cls.__name__:
                    return [
                        (definition, inside)
                        for statement in node.body
                        for definition in bindings(statement, name)
                        if definition.value is not None
                        and (inside := self.moment_at(source, names, statement)) is not None
                    ]
        return []

    def _init_given(self, owner: Any, function: types.FunctionType) -> Mapping[str, tuple[ast.expr, Statement]]:
        """What was given to an `__init__`: by the call of the class, or by that of a class derived from its own."""
        below = [own for cls in type(owner).__mro__ if isinstance(own := vars(cls).get("__init__"), types.FunctionType)]
        place = next((number for number, own in enumerate(below) if own is function), 0)
        if place == 0:
            return self._constructor(owner)
        derived = below[place - 1]
        scene = self._world.function(derived, {}, {"self": owner})
        if scene is None:
            return {}
        scene.caller = lambda: self._init_given(owner, derived)
        for node in own_nodes(scene.scope.node):
            if isinstance(node, ast.Call) and called_name(node) in CONSTRUCTING:
                statement = scene.scope.source.statement_of(node)
                by_super = "super" in ast.unparse(node.func)
                given = bound(node, function.__code__, method=by_super)
                moment = ReadStatement(scene, statement) if statement is not None else None
                return {key: (value, moment) for key, value in given.items()} if moment is not None else {}
        return {}

    def _constructor(self, owner: Any) -> Mapping[str, tuple[ast.expr, Statement]]:
        site = self.site(owner)
        code = getattr(type(owner).__init__, "__code__", None)
        if site is None or code is None:
            return {}
        call, moment = site
        return {key: (value, moment) for key, value in bound(call, code, method=True).items()}

    def field_given(self, owner: Any, name: str) -> tuple[ast.expr, Statement] | None:
        """What a dataclass or a named tuple was given for a field."""
        fields = list(getattr(type(owner), "__dataclass_fields__", {})) or list(getattr(type(owner), "_fields", ()))
        site = self.site(owner) if name in fields else None
        if site is None:
            return None
        call, moment = site
        for word in call.keywords:
            if word.arg == name:
                return word.value, moment
        place = fields.index(name)
        return (call.args[place], moment) if place < len(call.args) else None

    def kept_by_loss(self, at: Statement, name: str, value: Any) -> tuple[ast.expr, Statement] | None:
        """What a loss that is an object was given for an argument that it keeps, as its weights are."""
        for node in ast.walk(at.statement):
            loss = at.evaluate(node.func) if isinstance(node, ast.Call) else UNKNOWN
            if loss is UNKNOWN or value is None:
                continue
            if isinstance(loss, functools.partial) and loss.keywords.get(name) is value:
                site = self.made(node, loss, at)
                words = {word.arg: word.value for word in site[0].keywords if word.arg} if site is not None else {}
            elif getattr(loss, name, None) is value:
                site = self.made(node, loss, at)
                words = bound(site[0], type(loss).__init__.__code__, method=True) if site is not None else {}
            else:
                continue
            return (words[name], site[1]) if site is not None and name in words else None
        return None

    def made(self, node: ast.AST, called: Any, at: Statement) -> Site | None:
        """The call that made the object which `node` calls: by the attribute that holds it, or by the variables."""
        if (born := self.born(called)) is not None:
            return born
        func = node.func if isinstance(node, ast.Call) else None
        owner = at.evaluate(func.value) if isinstance(func, ast.Attribute) else UNKNOWN
        if isinstance(func, ast.Attribute) and is_users_object(owner):
            found = self.site_of_attribute(owner, func.attr)
            if found is not None:
                return found
        return self.site(called)


def _made_by(factory: ast.expr) -> ast.expr:
    """What a function gives that is called without arguments."""
    return factory.body if isinstance(factory, ast.Lambda) else ast.copy_location(ast.Call(factory, [], []), factory)


def _makes(site: Site, made: type) -> bool:
    callee = site[1].evaluate(site[0].func)
    return callee is made or callee is UNKNOWN


def _goes_to(site: Site, code: types.CodeType) -> bool:
    """Whether a call is one of this function, or of what is not known."""
    callee = site[1].evaluate(site[0].func)
    return callee is UNKNOWN or getattr(getattr(callee, "__func__", callee), "__code__", None) is code


def _set_in(scene: FunctionView, name: str) -> Iterator[tuple[str, Statement]]:
    """The end of a method that sets `self.name`, from where its assignments are looked for."""
    node = scene.scope.node
    if not isinstance(node, ast.Lambda) and scene.scope.assigns(f"self.{name}"):
        yield f"self.{name}", ReadStatement(scene, node.body[-1], at_end=True)


def _registered_in(scene: FunctionView, name: str) -> Iterator[tuple[Definition, Statement]]:
    """`self.register_buffer("name", value)` and its kin, which set an attribute too."""
    for node in own_nodes(scene.scope.node):
        if not isinstance(node, ast.Call) or called_name(node) not in REGISTERING:
            continue
        given = [*node.args, *(word.value for word in node.keywords if word.arg in {"tensor", "param"})]
        statement = scene.scope.source.statement_of(node)
        if statement is not None and len(given) > 1 and getattr(given[0], "value", None) == name:
            yield Definition(statement, given[1]), ReadStatement(scene, statement)
