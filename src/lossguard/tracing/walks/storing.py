"""Back through files that the program wrote itself and read again."""

from __future__ import annotations

import ast
import os
from typing import Any

from lossguard.operations.roles import IN_PIECES, NUMBERING, OF_BYTES, OF_TEXT, SERIALIZING, STORING
from lossguard.tracing.links.recorded import recorded
from lossguard.tracing.links.running import value_of
from lossguard.tracing.links.statements import ReadStatement, Statement
from lossguard.tracing.program.binding import called_name
from lossguard.tracing.program.reaching import EACH, Path
from lossguard.tracing.symptoms.effects import dtype_named
from lossguard.tracing.symptoms.symptom import Judgement
from lossguard.tracing.walks.judging import judged_whole
from lossguard.tracing.walks.steps import Chain, Step, handed_on, is_of_use
from lossguard.tracing.walks.walk import Walk

#: A call that writes, where it stands, and the place of what it writes among its arguments.
Site = tuple[ast.Call, Statement, int]


def read_again(walk: Walk, node: ast.Call, callee: Any, at: Statement, path: Path) -> tuple[Chain] | None:
    """Behind a call that reads a file: back from what was written into it; None if nothing was, or nothing bad."""
    package = _package(callee)
    reading = f"{package}.{called_name(node)}"
    writers = STORING.get(reading)
    told = walk.symptom.about == "dtype" and dtype_named(node) is not None and reading not in OF_BYTES
    if writers is None or told:
        return None
    found = [
        (call, ran, place)
        for name, place in writers.items()
        for call, moment in walk.construction.calls(name)
        if place < 0 or _package(moment.evaluate(call.func)) == package
        for ran in _runs(walk, _beside(moment, at))
    ]
    if len(site := _same_file(found, _files(node, at)) or _same_call(found, at) or _same_entry(found, path)) != 1:
        return None
    if path[:1] == (EACH,) and any(word.arg in IN_PIECES for word in node.keywords):
        path = path[1:]
    call, moment, place = site[0]
    written = _written(call, place, path)
    judged = judged_whole(walk.symptom, written[0], moment, written[1]) if written is not None else Judgement.GOOD
    if written is None or judged in {Judgement.GOOD, Judgement.NEITHER}:
        return None
    unsure = reading in OF_TEXT and judged is Judgement.UNKNOWN
    chain = None if unsure else handed_on("", walk.back(written[0], moment, written[1]), moment)
    # Numbers of classes are sound in a text, unless the program numbered them itself.
    data = reading in OF_TEXT and is_of_use(walk.symptom) and not (chain and _is_numbering(chain[0]))
    return None if data else (chain,)


def _is_numbering(step: Step) -> bool:
    """Whether a line gives things numbers, one after the other."""
    nodes = ast.walk(step.moment.statement) if step.moment is not None else ()
    return any(isinstance(node, ast.Call) and called_name(node) in NUMBERING for node in nodes)


def _package(callee: Any) -> str:
    return str(getattr(callee, "__module__", "")).partition(".")[0].lstrip("_")


def _files(node: ast.Call, at: Statement) -> set[str]:
    """The paths among the arguments of a call, as far as they are known."""
    given = [value_of(argument, at) for argument in node.args]
    return {os.fspath(value) for value in given if isinstance(value, str | os.PathLike)}


def _written(call: ast.Call, place: int, path: Path) -> tuple[ast.expr, Path] | None:
    """What a call writes, of which a part is at `path`."""
    if place < 0:
        # A file has no numbers of rows: those of the table may be others.
        rows = tuple(EACH if isinstance(part, int | slice) else part for part in path)
        return (call.func.value, rows) if isinstance(call.func, ast.Attribute) else None
    by_word = next((word.value for word in call.keywords if path and word.arg == path[0]), None)
    spread = next((word.value for word in call.keywords if word.arg is None), None)
    if by_word is not None:
        return by_word, path[1:]
    whole = spread if spread is not None else call.args[place] if place < len(call.args) else None
    return (whole, path) if whole is not None else None


def _same_file(found: list[Site], files: set[str]) -> list[Site]:
    """Of the calls that write, the last that wrote this file, or gave this very text."""
    return [site for site in found if (_files(site[0], site[1]) | _texts(*site)) & files][-1:]


def _texts(call: ast.Call, at: Statement, _: int) -> set[str]:
    """What a call gives as a text."""
    value = value_of(call, at) if called_name(call) in SERIALIZING else None
    return {value} if isinstance(value, str) else set()


def _same_call(found: list[Site], at: Statement) -> list[Site]:
    """Of the calls that write, the last one in the very call of a function that reads as well."""
    own = getattr(at, "activation", None)
    return [site for site in found if own is not None and getattr(site[1], "activation", None) is own][-1:]


def _same_entry(found: list[Site], path: Path) -> list[Site]:
    """The only call that writes, or the only one that writes an entry of this name; as it ran last."""
    last = {id(call): (call, moment, place) for call, moment, place in found}
    own = [site for site in last.values() if path and any(word.arg == path[0] for word in site[0].keywords)]
    return own if len(last) > 1 else list(last.values())


def _beside(moment: Statement, at: Statement) -> Statement:
    """A statement that is only read, in the very call of its function in which `at` stands, if that is the same one."""
    if isinstance(at, ReadStatement) and moment.scope.node is at.scope.node:
        return ReadStatement(at.scene, moment.statement)
    return moment


def _runs(walk: Walk, moment: Statement) -> list[Statement]:
    """A statement each time that it was seen to run, or else as it is written."""
    recorder = walk.world.recorder
    source, node, found = moment.scope.source, moment.scope.node, list[Statement]()
    for call in recorder.calls() if recorder is not None else ():
        if call.code.co_filename == source.filename and source.function_of(call.code) is node and not call.is_broken:
            ran = [recorded(call, number) for number in range(len(call.visits))]
            found.extend(each for each in ran if each is not None and each.statement is moment.statement)
    return found or [moment]
