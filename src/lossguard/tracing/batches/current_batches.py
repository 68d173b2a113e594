"""Which delivered batches the program works on at this moment."""

from __future__ import annotations

import ast
import types
from collections.abc import Iterable, Iterator
from typing import Any

from lossguard.operations.roles import LOADERS, NUMBERING, PROGRESS
from lossguard.tracing.batches import fields
from lossguard.tracing.batches.loaders import Stream
from lossguard.tracing.links.views import ProgramView
from lossguard.tracing.program.binding import called_name
from lossguard.tracing.values.placing import same_memory
from lossguard.tracing.values.projecting import is_stream_of

#: No more tensors of one frame are compared.
_MANY = 64


def in_use(streams: Iterable[Stream], arguments: Iterable[Any], frames: Iterable[types.FrameType]) -> list[Stream]:
    """The streams whose last batch is in use: a tensor of it is among the live variables, up to a cast.

    A program that looks ahead has fetched the next batch already; its values would mislead.
    """
    alive = [*_tensors(arguments), *(tensor for frame in frames for tensor in _tensors(frame.f_locals.values()))]
    found: list[Stream] = []
    for stream in streams:
        leaves = [leaf for _, leaf in fields.leaves(stream.batch)] if stream.has_batch else []
        if any(leaf is tensor or same_memory(leaf, tensor) for leaf in leaves for tensor in alive) or any(
            fields.is_equal(leaf, tensor) for leaf in leaves for tensor in alive
        ):
            found.append(stream)
    return found


def looped_over(streams: Iterable[Stream], world: ProgramView) -> list[Stream]:
    """The streams that the loops around the live statements run over: their names have what was delivered last."""
    found: list[Stream] = []
    waiting = [stream for stream in streams if stream.has_batch]
    for moment in filter(None, map(world.moment, world.frames)) if waiting else ():
        parents = moment.scope.source.parents
        node: ast.AST | None = moment.statement
        while isinstance(node, ast.stmt):
            over = _run_over(node.iter) if isinstance(node, ast.For) else ast.Constant(None)
            loader = moment.evaluate(over)
            if isinstance(over, ast.Call) and called_name(over) in LOADERS and len(waiting) == 1:
                loader = waiting[0].iterator
            found.extend(stream for stream in waiting if loader is not None and is_stream_of(stream.iterator, loader))
            node = parents.get(node)
    return found


def _run_over(node: ast.expr) -> ast.expr:
    """What a loop runs over, without what counts its turns or shows them."""
    while isinstance(node, ast.Call) and called_name(node) in NUMBERING | PROGRESS and node.args:
        node = node.args[0]
    return node


def _tensors(values: Iterable[Any]) -> Iterator[Any]:
    """The tensors among `values`, and those one step inside."""
    count = 0
    for value in list(values):
        inner = value.values() if isinstance(value, dict) else value if isinstance(value, list | tuple) else (value,)
        for item in list(inner)[:16]:
            if hasattr(item, "numel") and hasattr(item, "detach"):
                count += 1
                if count > _MANY:
                    return
                yield item
