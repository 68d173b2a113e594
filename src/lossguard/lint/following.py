"""One file, followed from its first line: its body, and each of its functions by itself."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache
from typing import Final

from lossguard.contracts.loss import known_losses
from lossguard.lint.interpreter import Exhausted, Frame, Interpreter
from lossguard.lint.judging import Found
from lossguard.lint.project import MODULE_STEPS, Project, Source
from lossguard.lint.values import Class, Function, Imported, Unknown

_GIVEN: Final = re.compile(r"\s*([\w., ]+?)\s*(?::[^=]+)?=(?!=)(.*)")


def faults_in(source: Source, project: Project) -> list[Found]:
    """Every fault of a loss in one file, each once, in the order of the lines."""
    interpreter = project.interpreter or Interpreter(project)
    project.interpreter = interpreter
    interpreter.found = []
    interpreter.effects.default_float = None if "set_default_" in source.text else "float32"
    elsewhere = re.search(r"set_default_|with torch\.device|use_device|mesh_device", source.text) is not None
    interpreter.effects.device = None if elsewhere else "cpu"
    source.is_ready = True
    source.state.names.clear()
    interpreter.steps, source.is_running = MODULE_STEPS, True
    try:
        with interpreter.within(Frame(source, source.state)):
            interpreter.execute(source.parse().body)
    except Exhausted:
        pass
    finally:
        source.is_running = False
    functions = list(_functions(source))
    matter = _names_that_matter(source, functions)
    for function in functions:
        if not matter.isdisjoint(_mentioned(function.node)):
            interpreter.run_function(function)
    return _once(interpreter.found, source)


def _names_that_matter(source: Source, functions: list[Function]) -> set[str]:
    """The names that stand for a loss or an index operation, or for something that uses one."""
    matter = set(_losses().findall(source.text))
    for line in source.lines:
        if "=" in line and (found := _GIVEN.match(line)) and _losses().search(found[2]):
            matter.update(re.findall(r"\w+", found[1]))
    for name, value in source.state.names.items():
        if isinstance(value, Imported) and _losses().search(value.module.source.text):
            matter.add(name)
    mentioned = {function: _mentioned(function.node) for function in functions}
    grown = True
    while grown:
        users = {function.node.name for function, names in mentioned.items() if not names.isdisjoint(matter)}  # type: ignore[union-attr] # none is a lambda
        grown = not users <= matter
        matter |= users
    return matter


@cache
def _losses() -> re.Pattern[str]:
    """The names of losses, of their classes, and of index operations."""
    losses = [loss for loss in known_losses().values() if loss.home != "operator"]
    names = {name for loss in losses for name in (loss.name, loss.module) if name}
    return re.compile(rf"\b(?:{'|'.join(sorted(names))})_?\b")


@cache
def _mentioned(node: ast.AST) -> frozenset[str]:
    """The names that a function calls."""
    calls = (each.func for each in ast.walk(node) if isinstance(each, ast.Call))
    return frozenset(call.attr if isinstance(call, ast.Attribute) else getattr(call, "id", "") for call in calls)


def _functions(source: Source) -> Iterator[Function]:
    """The functions and methods of a file that are not inside of others."""
    todo: list[tuple[ast.AST, Class | None]] = [(node, None) for node in reversed(source.parse().body)]
    while todo:
        node, owner = todo.pop()
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield Function(node, source, None, None, owner)
        elif isinstance(node, ast.ClassDef):
            known = source.state.names.get(node.name)
            cls = known if isinstance(known, Class) and known.node is node else Class(node, source, (Unknown(),))
            todo.extend((item, cls) for item in reversed(node.body))
        elif isinstance(node, ast.If | ast.Try | ast.With):
            todo.extend((item, owner) for item in reversed(list(ast.iter_child_nodes(node))))


def _once(found: list[Found], source: Source) -> list[Found]:
    """Each finding once, of this file only."""
    kept: dict[tuple[int, int, str, str], Found] = {}
    for each in found:
        if each.source is source:
            key = (each.node.lineno, each.node.col_offset, each.finding.code, each.finding.argument)
            kept.setdefault(key, each)
    return [kept[key] for key in sorted(kept)]
