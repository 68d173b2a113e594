"""Caches of the program, set aside for a replay: a value that is only looked up shows no line that made it.

Functions that `functools` remembers for stand under their name without it, and a dict counts as a cache when one
function of the dataset both looks a key up in it and writes one into it. All is put back afterwards as it was.
"""

from __future__ import annotations

import ast
import contextlib
import functools
import opcode
import sys
import types
from collections import OrderedDict
from collections.abc import Iterator
from typing import Any, Final

from lossguard.paths import is_users
from lossguard.tracing.program.sources import own_nodes, source_of

#: How deep objects in objects are looked into, and how many functions one in another.
_DEEP: Final = 3
_REMEMBERING: Final = functools._lru_cache_wrapper  # noqa: SLF001 - the class has no other name


@contextlib.contextmanager
def set_aside(*holders: Any) -> Iterator[bool]:
    """For as long as it lasts, nothing that the objects or their parts remember is known; yields whether any did."""
    known = [(owner, *entry) for owner in _owners(holders, _DEEP) for entry in _near(owner)]
    functions = {(id(place), name): (place, name, value) for _, place, name, value in known if _remembers(value)}
    dicts = {id(found): found for owner, _, _, value in known for found in _dicts(owner, value) if found}
    kept = [(found, dict(found)) for found in dicts.values()]
    try:
        for found, _ in kept:
            _plain(found).clear(found)
        for place, name, function in functions.values():
            setattr(place, name, function.__wrapped__)
        yield bool(kept or functions)
    finally:
        for place, name, function in functions.values():
            setattr(place, name, function)
        for found, entries in kept:
            _plain(found).clear(found)
            for key, value in entries.items():
                _plain(found).__setitem__(found, key, value)


def _plain(found: dict[Any, Any]) -> type[dict[Any, Any]]:
    """The class whose methods empty and fill a dict without code of the user's."""
    return OrderedDict if isinstance(found, OrderedDict) else dict


def _owners(things: Any, left: int) -> Iterator[Any]:
    """The objects of the user's making among these and in their attributes."""
    for thing in things:
        if left and (any(_modules(thing)) or type(thing).__module__.startswith("torch.utils.data")):
            yield thing
            yield from _owners(list(getattr(thing, "__dict__", {}).values()), left - 1)


def _modules(owner: Any) -> Iterator[tuple[type, types.ModuleType]]:
    """The classes of an object that are the user's, with their modules."""
    for cls in type(owner).__mro__:
        module = sys.modules.get(cls.__module__)
        if module is not None and is_users(getattr(module, "__file__", None) or ""):
            yield cls, module


def _near(owner: Any) -> Iterator[tuple[Any, str, Any]]:
    """What the classes of an object and their modules hold, where these are the user's, with its place and name."""
    for places in _modules(owner):
        yield from ((place, name, value) for place in places for name, value in list(vars(place).items()))


def _remembers(value: Any) -> bool:
    return isinstance(value, _REMEMBERING) and isinstance(value.__wrapped__, types.FunctionType)


def _dicts(owner: Any, value: Any) -> Iterator[dict[Any, Any]]:
    """The dicts that a function of its class, or of the module of that, uses as a cache."""
    for function in _inner(value, _DEEP):
        for word in _caches(function.__code__):
            root, _, attribute = word.partition(".")
            held = vars(owner).get(attribute) if root == "self" else _outer_names(function).get(word)
            if isinstance(held, dict):
                yield held


def _inner(value: Any, left: int) -> Iterator[types.FunctionType]:
    """A function of the user's, and those that it closes over, as a decorator's does."""
    value = getattr(value, "__func__", value)
    if not isinstance(value, types.FunctionType) or not left or not is_users(value.__code__.co_filename):
        return
    yield value
    for cell in value.__closure__ or ():
        with contextlib.suppress(ValueError):
            yield from _inner(cell.cell_contents, left - 1)


def _outer_names(function: types.FunctionType) -> dict[str, Any]:
    """What the names mean that a function does not define itself."""
    found = dict(function.__globals__)
    for name, cell in zip(function.__code__.co_freevars, function.__closure__ or (), strict=False):
        with contextlib.suppress(ValueError):
            found[name] = cell.cell_contents
    return found


@functools.lru_cache(maxsize=4096)
def _caches(code: types.CodeType) -> frozenset[str]:
    """The names and attributes of `self` in which a function both looks a key up and writes one."""
    if code.co_name == "__init__" or opcode.opmap["STORE_SUBSCR"] not in code.co_code[::2]:
        return frozenset()  # most functions write no items at all, and their source need not be read
    source = source_of(code.co_filename)
    node = source.function_of(code) if source is not None else None
    if node is None:
        return frozenset()
    looked_up: set[str] = set()
    written: set[str] = set()
    for inner in own_nodes(node):
        match inner:
            case ast.Compare(ops=[ast.In() | ast.NotIn()], comparators=[base]):
                looked_up.add(ast.unparse(base))
            case ast.Call(func=ast.Attribute(value=base, attr="get")):
                looked_up.add(ast.unparse(base))
            case ast.Subscript(value=base, ctx=ast.Store()):
                written.add(ast.unparse(base))
            case ast.Subscript(value=base, ctx=ast.Load()):
                looked_up.add(ast.unparse(base))
    return frozenset(looked_up & written)
