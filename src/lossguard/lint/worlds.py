"""Sizes that are not known, tried out: a fault counts only if it is there whatever they are.

The judge knows numbers only. So each named size gets numbers, in every way that may matter: two sizes are the same or
are not, a size is one of the numbers in the call, or 1. As soon as one of these worlds is sound, nothing is said.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from lossguard.lint.values import Shape, Symbol

#: Numbers that occur nowhere else, one for each size that differs from all others; small numbers divide each of them.
_STRANGERS: Final = tuple(2520 * prime for prime in (397, 401, 409, 419, 421))
_MOST_SYMBOLS: Final = 5
World = Mapping[Symbol, int]


class Named(int):
    """A size that is not known, as the judge sees it: a number that shows as its name."""

    name: str

    def __new__(cls, value: int, name: str) -> Named:  # noqa: PYI034 - its own class
        """A number with a name."""
        made = super().__new__(cls, value)
        made.name = name
        return made

    def __str__(self) -> str:
        return self.name

    def __repr__(self) -> str:
        return self.name

    def __format__(self, spec: str) -> str:
        return self.name


class Some(Named):
    """A number of values that is not known, but is not none."""

    def __new__(cls, name: str = "some", value: int = 2) -> Some:  # noqa: PYI034 - its own class
        """A count that shows as a word."""
        made = int.__new__(cls, value)
        made.name = name
        return made


ALL: Final = Some("all", 10**12)
SOME: Final = Some()


def worlds(shapes: list[Shape]) -> Iterator[World]:
    """Every way to give numbers to the sizes in these shapes; none if there are too many sizes."""
    every = list(dict.fromkeys(size for shape in shapes for size in shape if isinstance(size, Symbol)))
    times: dict[Symbol, set[int]] = {}
    for size in every:
        times.setdefault(size.base, {1}).add(size.times)
    if len(times) > _MOST_SYMBOLS:
        return
    numbers = sorted({size for shape in shapes for size in shape if isinstance(size, int) and size > 1})
    for world in _assigned(list(times.items()), numbers, {}, 0):
        yield {size: world[size.base] * size.times for size in every}


def _assigned(
    symbols: list[tuple[Symbol, set[int]]], numbers: list[int], chosen: dict[Symbol, int], strangers: int
) -> Iterator[World]:
    if len(chosen) == len(symbols):
        yield dict(chosen)
        return
    symbol, times = symbols[len(chosen)]
    # The same as one before comes first: where sizes agree, calls are sound. Or multiples agree, as 2n and m may.
    choices = [*_STRANGERS[:strangers], *numbers, *(() if symbol.plural else (1,))]
    known = {*numbers, *(chosen[other] * many for other, its in symbols[: len(chosen)] for many in its)}
    choices += sorted(number // many for number in known for many in times if number % many == 0)
    for number in dict.fromkeys((*choices, _STRANGERS[strangers])):
        if number > 1 or not symbol.plural:
            chosen[symbol] = number
            yield from _assigned(symbols, numbers, chosen, strangers + (number == _STRANGERS[strangers]))
            del chosen[symbol]


def resolved(shape: Shape, world: World) -> tuple[int, ...]:
    """The shape in a world; sizes keep their names."""
    return tuple(Named(world[size], size.name) if isinstance(size, Symbol) else size for size in shape)
