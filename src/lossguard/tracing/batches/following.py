"""Which elements of the batch a tensor is made of, by following the program that cut, reordered or joined them.

The program is followed with numbers in place of the elements: what it does to a tensor of the batch is done to a
tensor that holds 0, 1, 2, ... in its place. Only what moves elements and leaves them as they are is followed.
"""

from __future__ import annotations

import ast
from typing import Any, Final

from lossguard.tracing.links.statements import Statement, looped
from lossguard.tracing.links.views import ProgramView, results
from lossguard.tracing.program.binding import called_name
from lossguard.tracing.program.reaching import EACH, Definition
from lossguard.tracing.values.evaluating import UNKNOWN

#: Stands for "elements of the field, but which of them cannot be told".
SOME: Final = type("Some", (), {"__repr__": lambda _: "SOME"})()
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


class Following:
    """The elements of one tensor of the batch, on their way to the loss."""

    def __init__(self, field: Any, world: ProgramView) -> None:
        import torch

        self._field = field
        self._world = world
        self._numbers = torch.arange(field.numel()).reshape(field.shape) if field.numel() <= _LARGEST else SOME

    def order(self, node: ast.expr, at: Statement, depth: int = 0) -> Any:
        """The numbers of the elements that `node` is made of, or SOME; None if it is not known to be made of any."""
        if depth > _DEEP:
            return None
        if self._is_field(at.evaluate(node)):
            return self._numbers
        way = getattr(self, f"_of_{type(node).__name__.lower()}", None)
        if way is None:
            return None
        try:
            return way(node, at, depth + 1)
        except (RuntimeError, IndexError, TypeError, ValueError, AttributeError):
            return None

    def _is_field(self, value: Any) -> bool:
        return value is self._field

    def _of_name(self, node: ast.Name, at: Statement, depth: int) -> Any:
        return self._defined(at.definitions(node.id), depth)

    def _defined(self, found: list[tuple[Definition, Statement]], depth: int) -> Any:
        """By the one definition there is; of several, at most that all are made of the field."""
        orders = [self._from(definition, moment, depth) for definition, moment in found]
        if not orders or any(order is None for order in orders):
            return None
        return orders[0] if len(orders) == 1 else SOME

    def _from(self, definition: Definition, moment: Statement, depth: int) -> Any:
        if definition.partial:
            return None
        if definition.parameter:
            given = moment.argument(definition.parameter)
            return None if given is None else self.order(*given, depth)
        if definition.value is None:
            return None
        if self._is_field(looped(moment, definition.value, definition.path)):
            return self._numbers
        found = self.order(definition.value, moment, depth)
        for step in definition.path:
            if found is None or found is SOME or step is EACH:
                return None if found is None else SOME
            found = found[step]
        return found

    def _of_tuple(self, node: ast.Tuple | ast.List, at: Statement, depth: int) -> Any:
        return [self.order(part, at, depth) for part in node.elts]

    _of_list = _of_tuple

    def _of_attribute(self, node: ast.Attribute, at: Statement, depth: int) -> Any:
        if isinstance(node.value, ast.Name) and at.scope.assigns(f"{node.value.id}.{node.attr}"):
            return self._defined(at.definitions(f"{node.value.id}.{node.attr}"), depth)
        base = self.order(node.value, at, depth) if node.attr in {"T", "mT", "data"} else None
        return getattr(base, node.attr, base) if base is not None else None

    def _of_subscript(self, node: ast.Subscript, at: Statement, depth: int) -> Any:
        base = self.order(node.value, at, depth)
        if base is None or base is SOME:
            return base
        key = _on_host(at.evaluate(node.slice))
        return SOME if key is UNKNOWN else base[key]

    def _of_call(self, node: ast.Call, at: Statement, depth: int) -> Any:
        name = called_name(node)
        if name in _JOINING and node.args:
            return self._joined(name, node, at, depth)
        of_torch = isinstance(node.func, ast.Attribute) and ast.unparse(node.func.value) in {"torch", "np", "numpy"}
        if name in _SAME | _MOVING and (isinstance(node.func, ast.Attribute) or of_torch):
            written = [*node.args]
            base = written.pop(0) if of_torch and written else getattr(node.func, "value", None)
            found = self.order(base, at, depth) if isinstance(base, ast.expr) else None
            return (
                found
                if found is None or found is SOME or name in _SAME
                else self._moved(name, found, written, node, at)
            )
        scene = self._world.entered(node, at.evaluate(node.func), at)
        inside = results(scene, each=False) if scene is not None else []
        return self.order(*inside[0], depth) if len(inside) == 1 else None

    def _moved(self, name: str, found: Any, written: list[ast.expr], node: ast.Call, at: Statement) -> Any:
        """Do to the numbers what the program does to the elements."""
        values = [_on_host(at.evaluate(argument)) for argument in written]
        named = {word.arg or "": _on_host(at.evaluate(word.value)) for word in node.keywords}
        if any(value is UNKNOWN for value in [*values, *named.values()]):
            return SOME
        # The numbers may lie in another order in memory than the elements do.
        return getattr(found, "reshape" if name == "view" else name)(*values, **named)

    def _joined(self, name: str, node: ast.Call, at: Statement, depth: int) -> Any:
        import torch

        if not isinstance(node.args[0], ast.List | ast.Tuple):
            return None
        parts = [self.order(part, at, depth) for part in node.args[0].elts]
        rest = [at.evaluate(argument) for argument in node.args[1:]]
        rest += [at.evaluate(word.value) for word in node.keywords if word.arg in {"dim", "axis"}]
        if any(part is None for part in parts):
            return None
        if any(part is SOME for part in parts) or any(value is UNKNOWN for value in rest):
            return SOME
        return getattr(torch, "cat" if name.startswith("con") else name)(parts, *rest)


def _on_host(value: Any) -> Any:
    """A key, with what is a tensor in it on the host."""
    if isinstance(value, tuple):
        return tuple(_on_host(part) for part in value)
    return value.detach().cpu() if hasattr(value, "detach") else value
