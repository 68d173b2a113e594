"""How two values join: what both say where paths meet, and what they are together in one sequence."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

from lossguard.lint.values import (
    Const,
    Data,
    Function,
    Instance,
    Library,
    Loader,
    Number,
    Seq,
    Shape,
    Size,
    Symbol,
    Table,
    Unknown,
    Value,
    number_kind,
    numbers_of,
)

_MOST_VARIANTS: Final = 40
#: How many items of a sequence are kept apart.
_MOST_ITEMS: Final = 2000


def join_all(values: Iterable[Value]) -> Value | None:
    """What all of these say; None for none of them."""
    result: Value | None = None
    for value in values:
        result = value if result is None else join(result, value)
    return result


def join(one: Value, other: Value) -> Value:
    """What both say. Two that differ in kind say nothing."""
    if one is other:
        return one
    if type(one) is type(other) and isinstance(one, Const | Library) and _is_same(one, other):
        return one
    if (number := _join_numbers(one, other, shared=True)) is not None:
        return number
    if isinstance(one, Data) and isinstance(other, Data):
        return _join_data(one, other)
    if isinstance(one, Seq) and isinstance(other, Seq):
        return _join_sequences(one, other)
    if isinstance(one, Table) and isinstance(other, Table) and one.items.keys() == other.items.keys():
        return Table({key: join(value, other.items[key]) for key, value in one.items.items()})
    if isinstance(one, Loader) and isinstance(other, Loader):
        return Loader(join(one.element, other.element))
    if isinstance(one, Function) and isinstance(other, Function) and one.node is other.node:
        return one if one.receiver is other.receiver else Unknown()
    return Unknown()


def _is_same(one: Value, other: Value) -> bool:
    """Whether two are equal, and of one type: True is not 1."""
    return one == other and type(getattr(one, "value", None)) is type(getattr(other, "value", None))


def _join_sequences(one: Seq, other: Seq) -> Value:
    if one.kind != other.kind:
        return Unknown()
    if one.items is not None and other.items is not None and len(one.items) == len(other.items):
        items = tuple(join(a, b) for a, b in zip(one.items, other.items, strict=True))
        return Seq(one.kind, items, names=one.names if one.names == other.names else ())
    if () in (one.items, other.items):
        # An empty list says nothing of its items.
        full = other if one.items == () else one
        return Seq(one.kind, None, element_of(full))
    elements = [element_of(one), element_of(other)]
    known = [element for element in elements if element is not None]
    return Seq(one.kind, None, join_all(known) if len(known) == 2 else None)


def element_of(value: Value) -> Value | None:
    """What every item of a sequence is; numbers that are written down are all among them."""
    if not isinstance(value, Seq) or not value.items:
        return value.element if isinstance(value, Seq) else None
    result = value.items[0]
    for item in value.items[1:]:
        if item is not result:
            result = together(result, item)
            if type(result) is Unknown:
                break
    return result


def put_together(one: Seq, other: Seq) -> Seq:
    """Two sequences, one after the other: the items of both, or what each of them is."""
    if one.items is not None and other.items is not None and len(one.items) + len(other.items) <= _MOST_ITEMS:
        return Seq(one.kind, (*one.items, *other.items))
    if () in (one.items, other.items):
        full = other if one.items == () else one
        return Seq(one.kind, full.items, full.element)
    elements = [element for element in map(element_of, (one, other)) if element is not None]
    return Seq(one.kind, None, together(*elements) if len(elements) == 2 else None)


def together(one: Value, other: Value) -> Value:
    """What something is that is the one at times and the other at times."""
    if (number := _join_numbers(one, other, shared=False)) is not None:
        return number
    if isinstance(one, Seq) and isinstance(other, Seq) and one.items and other.items and one.kind == other.kind:
        same = len(one.items) == len(other.items) and one.names == other.names
        items = tuple(together(a, b) for a, b in zip(one.items, other.items, strict=False))
        return Seq(one.kind, items, names=one.names) if same else join(one, other)
    if isinstance(one, Table) and isinstance(other, Table) and one.items.keys() == other.items.keys():
        return Table({key: together(value, other.items[key]) for key, value in one.items.items()})
    if isinstance(one, Instance) and isinstance(other, Instance) and one.cls is other.cls and one is not other:
        either = Instance(one.cls)
        either.variants = (*(one.variants or (one,)), *(other.variants or (other,)))
        return either if len(either.variants) <= _MOST_VARIANTS else Unknown()
    return join(one, other)


def _join_numbers(one: Value, other: Value, *, shared: bool) -> Number | None:
    """Two numbers of one kind: what both say, or, where both are there, what they are together."""
    kind = number_kind(one)
    if kind is None or kind is not number_kind(other):
        return None
    mine, theirs = numbers_of(one), numbers_of(other)
    if shared:
        return kind(holds=tuple(number for number in mine if number in theirs))
    held = {number for number in (*mine, *theirs) if number == number}  # noqa: PLR0124 - NaN has no order
    complete = all(isinstance(each, Const) or (isinstance(each, Number) and each.complete) for each in (one, other))
    ends = (min(held), max(held)) if len(held) > 1 else tuple(held)
    return kind(holds=ends, complete=complete and bool(held))


def _agreed(one: Any, other: Any) -> Any:
    return one if one == other else None


def _join_data(one: Data, other: Data) -> Data:
    holds = tuple(number for number in one.holds if number in other.holds)
    return Data(
        kind=_agreed(one.kind, other.kind),
        dtype=_agreed(one.dtype, other.dtype),
        shape=_join_shapes(one.shape, other.shape),
        device=_agreed(one.device, other.device),
        maker=_agreed(one.maker, other.maker),
        axis=_agreed(one.axis, other.axis),
        outputs_last=one.outputs_last and other.outputs_last,
        one_hot=one.one_hot and other.one_hot,
        holds=holds,
        complete=one.complete and other.complete and holds == one.holds == other.holds,
        fractional=_agreed(one.fractional, other.fractional),
        missing=one.missing and other.missing,
        row_sum=_agreed(one.row_sum, other.row_sum),
        columns={
            name: join(column, other.columns[name]) for name, column in one.columns.items() if name in other.columns
        },
        items=one.items if one.items == other.items and type(one.items) is type(other.items) else None,
        dtype_at=one.dtype_at,
        maker_at=one.maker_at if one.maker_at == other.maker_at else None,
        shape_at=one.shape_at,
    )


def _join_shapes(one: Shape | None, other: Shape | None) -> Shape | None:
    if one is None or other is None or len(one) != len(other):
        return None
    return tuple(a if a == b else _either(a, b) for a, b in zip(one, other, strict=True))


def _either(one: Size, other: Size) -> Symbol:
    plural = all(
        (isinstance(size, Symbol) and size.plural) or (isinstance(size, int) and size > 1) for size in (one, other)
    )
    return Symbol(one.name if isinstance(one, Symbol) else "n", plural=plural)
