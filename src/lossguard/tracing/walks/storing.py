"""Back through files that the program wrote itself and read again."""

from __future__ import annotations

import ast
import os
from typing import Any

from lossguard.operations.roles import OF_TEXT, STORING
from lossguard.tracing.links.recorded import last_run
from lossguard.tracing.links.statements import Statement
from lossguard.tracing.program.binding import called_name
from lossguard.tracing.program.reaching import Path
from lossguard.tracing.symptoms.effects import dtype_named
from lossguard.tracing.symptoms.symptom import Judgement
from lossguard.tracing.walks.judging import judged_whole
from lossguard.tracing.walks.steps import Chain, handed_on, is_of_use
from lossguard.tracing.walks.walk import Walk


def read_again(walk: Walk, node: ast.Call, callee: Any, at: Statement, path: Path) -> tuple[Chain] | None:
    """Behind a call that reads a file: back from what was written into it; None if nothing was, or nothing bad."""
    package = _package(callee)
    reading = f"{package}.{called_name(node)}"
    writers = STORING.get(reading)
    told = walk.symptom.about == "dtype" and dtype_named(node) is not None
    if writers is None or told or is_of_use(walk.symptom):
        return None
    found = [
        (call, moment, place)
        for name, place in writers.items()
        for call, moment in walk.construction.calls(name)
        if place < 0 or _package(moment.evaluate(call.func)) == package
    ]
    files = [_files(call, moment) & _files(node, at) for call, moment, _ in found]
    if any(files):
        found = [site for site, same in zip(found, files, strict=True) if same]
    if len(found) != 1:
        return None
    call, moment, place = found[0]
    moment = _as_it_ran(walk, moment)
    written = _written(call, place, path)
    judged = judged_whole(walk.symptom, written[0], moment, written[1]) if written is not None else Judgement.GOOD
    if written is None or judged in {Judgement.GOOD, Judgement.NEITHER}:
        return None
    unsure = reading in OF_TEXT and judged is Judgement.UNKNOWN
    return (None if unsure else handed_on("", walk.back(written[0], moment, written[1]), moment),)


def _package(callee: Any) -> str:
    return str(getattr(callee, "__module__", "")).partition(".")[0].lstrip("_")


def _files(node: ast.Call, at: Statement) -> set[str]:
    """The paths among the arguments of a call, as far as they are known."""
    given = [at.evaluate(argument) for argument in node.args]
    return {os.fspath(value) for value in given if isinstance(value, str | os.PathLike)}


def _written(call: ast.Call, place: int, path: Path) -> tuple[ast.expr, Path] | None:
    """What a call writes, of which a part is at `path`."""
    if place < 0:
        return (call.func.value, path) if isinstance(call.func, ast.Attribute) else None
    by_word = next((word.value for word in call.keywords if path and word.arg == path[0]), None)
    spread = next((word.value for word in call.keywords if word.arg is None), None)
    if by_word is not None:
        return by_word, path[1:]
    whole = spread if spread is not None else call.args[place] if place < len(call.args) else None
    return (whole, path) if whole is not None else None


def _as_it_ran(walk: Walk, moment: Statement) -> Statement:
    """A statement as it was recorded, if it was."""
    recorder = walk.world.recorder
    calls: list[Any] = list(recorder.modules.values()) if recorder is not None else []
    source, node = moment.scope.source, moment.scope.node
    for call in calls:  # which grows
        own = call.code.co_filename == source.filename and source.function_of(call.code) is node
        if own and (ran := last_run(call, moment.statement, None)) is not None:
            return ran
        calls.extend(inner for visit in call.visits for inner in visit.calls)
    return moment
