"""Which reading and which layout of a contract the shapes of a call select, and the sizes they bind."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from lossguard.contracts.contract import Argument, Contract, Layout, Reading, Role
from lossguard.contracts.relations import holds
from lossguard.contracts.shapes import Shape
from lossguard.records import dataclass, field


@dataclass(frozen=True, slots=True)
class Interpretation:
    """How a call is read. What the shapes do not decide is None."""

    reading: Reading | None
    layout: Layout | None = None
    sizes: Mapping[str, Shape] = field(default_factory=dict)
    #: Whether all known shapes fit the layout; None while one of them is unknown.
    fits: bool | None = None

    def size(self, name: str) -> int | None:
        """The size called `name`, such as the number of classes "C"."""
        found = self.sizes.get(name)
        return found[0] if found else None

    def dtypes(self, argument: Argument) -> frozenset[str] | None:
        """The dtypes that `argument` may have here; None if any may be."""
        if self.layout is not None and argument.name in self.layout.dtypes:
            return self.layout.dtypes[argument.name]
        return argument.dtypes


#: The last call that was read: facts are made and judged one after the other, and the next call is often alike.
_LAST: list[tuple[Contract, Mapping[str, Shape | None], Interpretation]] = []


def interpret(contract: Contract, shapes: Mapping[str, Shape | None]) -> Interpretation:
    """Read a call of `contract` whose arguments have these shapes."""
    for known, like, answer in _LAST:
        if known is contract and like == shapes:
            return answer
    answer = _interpret(contract, shapes)
    _LAST[:] = [(contract, dict(shapes), answer)]
    return answer


def _interpret(contract: Contract, shapes: Mapping[str, Shape | None]) -> Interpretation:
    readings = contract.readings_for(shapes)
    if len(readings) != 1:
        return Interpretation(None)
    reading = readings[0]
    for layout in reading.layouts:
        sizes = _bind(layout, reading.leaders, shapes)
        if sizes is None:
            return Interpretation(reading)
        if sizes is not _NO_FIT:
            return Interpretation(reading, layout, sizes, _fits(reading, layout, sizes, shapes))
    return Interpretation(reading, fits=False)


_NO_FIT: Final[dict[str, Shape]] = {}


def _bind(layout: Layout, leaders: tuple[str, ...], shapes: Mapping[str, Shape | None]) -> Mapping[str, Shape] | None:
    """The sizes that the leaders bind in this layout; None while a shape is unknown."""
    sizes: dict[str, Shape] = {}
    for leader in leaders:
        shape = shapes.get(leader)
        if shape is None:
            return None
        bound = layout.bind(leader, shape, sizes)
        if bound is None:
            return _NO_FIT
        sizes = bound
    return sizes


def _fits(
    reading: Reading, layout: Layout, sizes: Mapping[str, Shape], shapes: Mapping[str, Shape | None]
) -> bool | None:
    """Whether the shapes fit together; weights have a rule of their own."""
    answer: bool | None = True
    weights = {argument.name for argument in reading.arguments if argument.role is Role.WEIGHT}
    for argument in reading.arguments:
        absent = argument.name not in shapes and not argument.required
        if argument.name in weights or argument.name not in layout.shapes or absent:
            continue
        shape = shapes.get(argument.name)
        if shape is None:
            answer = None
        elif layout.bind(argument.name, shape, sizes) is None:
            return False
    for relation in reading.relations:
        if weights.isdisjoint(relation.arguments):
            held = holds(relation, shapes)
            if held is False:
                return False
            answer = None if held is None else answer
    return answer
