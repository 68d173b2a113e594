"""Which elements of the batch a tensor is made of, by following the program that cut, reordered or joined them.

The program is followed with numbers in place of the elements: what it does to a tensor of the batch is done to a
tensor that holds 0, 1, 2, ... in its place. Only what moves elements and leaves them as they are is followed.
"""

from __future__ import annotations

import ast
from typing import Any, Final

from lossguard.tracing.batches.samples import SOME
from lossguard.tracing.links.statements import Statement, looped
from lossguard.tracing.links.views import ProgramView, results
from lossguard.tracing.program.binding import called_name
from lossguard.tracing.program.reaching import EACH, Definition
from lossguard.tracing.values.evaluating import UNKNOWN

_DEEP: Final = 40
_LARGEST: Final = 10_000_000
#: What leaves every element where it is.
_SAME: Final = frozenset(
    """to cpu cuda long float double half int short bool type type_as clone detach contiguous requires_grad_ data
    as_tensor tensor asarray""".split()  # noqa: SIM905 - so many words read better as text
)
#: What moves elements, under the same name as a method and as a function of torch.
_MOVING: Final = frozenset(
    """view reshape flatten ravel squeeze unsqueeze t transpose permute swapaxes movedim repeat repeat_interleave expand
    tile chunk split tensor_split narrow index_select select flip fliplr roll masked_select unbind take
    unflatten diagonal""".split()  # noqa: SIM905 - so many words read better as text
)
_JOINING: Final = frozenset({"cat", "concat", "concatenate", "stack", "hstack", "vstack"})
#: What is done to the numbers instead; they may lie in another order in memory than the elements do.
_LIKE: Final = {"view": "reshape", "concat": "cat", "concatenate": "cat"}


class Following:
    """The elements of one tensor of the batch, on their way to the loss."""

    def __init__(self, field: Any, world: ProgramView) -> None:
        import torch

        self._field = field
        self._world = world
        self._numbers = torch.arange(field.numel()).reshape(field.shape) if field.numel() <= _LARGEST else SOME

    def order(self, node: ast.AST | None, at: Statement, depth: int = 0) -> Any:
        """The numbers of the elements that `node` is made of, or SOME; None if it is not known to be made of any."""
        if depth > _DEEP or not isinstance(node, ast.expr):
            return None
        if at.evaluate(node) is self._field:
            return self._numbers
        try:
            return self._made(node, at, depth + 1)
        except (RuntimeError, IndexError, TypeError, ValueError, AttributeError):
            return None

    def _made(self, node: ast.expr, at: Statement, depth: int) -> Any:
        match node:
            case ast.Name(id=name):
                return self._defined(at.definitions(name), depth)
            case ast.Tuple(elts=parts) | ast.List(elts=parts):
                return [self.order(part, at, depth) for part in parts]
            case ast.Attribute(value=ast.Name(id=root), attr=word) if at.scope.assigns(f"{root}.{word}"):
                return self._defined(at.definitions(f"{root}.{word}"), depth)
            case ast.Attribute(value=inner, attr="T" | "mT" | "data" as word):
                base = self.order(inner, at, depth)
                return getattr(base, word, base)
            case ast.Subscript(value=inner, slice=key):
                base = self.order(inner, at, depth)
                return base if base is None or base is SOME else _done(lambda chosen: base[chosen], at, [key])
            case ast.Call():
                return self._called(node, at, depth)
        return None

    def _defined(self, found: list[tuple[Definition, Statement]], depth: int) -> Any:
        """By the one definition there is; of several, at most that all are made of the field."""
        orders = [self._from(definition, moment, depth) for definition, moment in found]
        if not orders or any(order is None for order in orders):
            return None
        return orders[0] if len(orders) == 1 else SOME

    def _from(self, definition: Definition, moment: Statement, depth: int) -> Any:
        if definition.parameter and not definition.partial:
            given = moment.argument(definition.parameter)
            return None if given is None else self.order(*given, depth)
        if definition.partial or definition.value is None:
            return None
        if looped(moment, definition.value, definition.path) is self._field:
            return self._numbers
        found = self.order(definition.value, moment, depth)
        for step in definition.path:
            if found is None or found is SOME or step is EACH:
                return None if found is None else SOME
            found = found[step]
        return found

    def _called(self, node: ast.Call, at: Statement, depth: int) -> Any:
        import torch

        name = called_name(node)
        given, owner = list(node.args), node.func.value if isinstance(node.func, ast.Attribute) else None
        if name in _JOINING and given:
            parts = self.order(given[0], at, depth) if isinstance(given[0], ast.List | ast.Tuple) else None
            if parts is None or any(part is None for part in parts):
                return None
            join = getattr(torch, _LIKE.get(name, name))
            along = [*given[1:], *(word.value for word in node.keywords if word.arg in {"dim", "axis"})]
            return SOME if any(part is SOME for part in parts) else _done(lambda *axis: join(parts, *axis), at, along)
        if name in _SAME | _MOVING and owner is not None:
            of_torch = ast.unparse(owner) in {"torch", "np", "numpy"}
            found = self.order(given.pop(0) if of_torch and given else owner, at, depth)
            if found is None or found is SOME or name in _SAME:
                return found
            return _done(getattr(found, _LIKE.get(name, name)), at, given, node.keywords)
        scene = self._world.entered(node, at.evaluate(node.func), at)
        inside = results(scene, each=False) if scene is not None else []
        return self.order(*inside[0], depth) if len(inside) == 1 else None


def _done(function: Any, at: Statement, written: list[ast.expr], keywords: list[ast.keyword] | None = None) -> Any:
    """What a function makes of the values of expressions; SOME if one of them is not known."""
    values = [_on_host(at.evaluate(argument)) for argument in written]
    named = {word.arg or "": _on_host(at.evaluate(word.value)) for word in keywords or ()}
    return SOME if any(value is UNKNOWN for value in [*values, *named.values()]) else function(*values, **named)


def _on_host(value: Any) -> Any:
    """A key, with what is a tensor in it on the host."""
    if isinstance(value, tuple):
        return tuple(_on_host(part) for part in value)
    return value.detach().cpu() if hasattr(value, "detach") else value
