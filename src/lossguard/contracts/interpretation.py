"""Which reading and which layout of a contract the shapes of a call select, and the sizes they bind."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from lossguard.contracts.contract import Argument, Contract, Layout, Reading, Role
from lossguard.contracts.shapes import Shape


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


def interpret(contract: Contract, shapes: Mapping[str, Shape | None]) -> Interpretation:
    """Read a call of `contract` whose arguments have these shapes."""
    readings = contract.readings_for(shapes)
    if len(readings) != 1:
        return Interpretation(None)
    reading = readings[0]
    leader = reading.role(Role.INPUT)
    shape = shapes.get(leader.name) if leader else None
    if leader is None or shape is None:
        return Interpretation(reading)
    for layout in reading.layouts:
        sizes = layout.bind(leader.name, shape)
        if sizes is not None:
            return Interpretation(reading, layout, sizes, _fits(reading, layout, sizes, shapes))
    return Interpretation(reading, fits=False)


def _fits(
    reading: Reading, layout: Layout, sizes: Mapping[str, Shape], shapes: Mapping[str, Shape | None]
) -> bool | None:
    """Whether input and target fit together; weights have a rule of their own."""
    answer: bool | None = True
    for argument in reading.arguments:
        if argument.role is Role.WEIGHT or argument.name not in layout.shapes:
            continue
        shape = shapes.get(argument.name)
        if shape is None:
            answer = None
        elif layout.bind(argument.name, shape, sizes) is None:
            return False
    return answer
