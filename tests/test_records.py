"""Records: the library's frozen dataclasses in all that can be seen, but for what they cost to make."""

from __future__ import annotations

import copy
import dataclasses
import functools
import pickle
from typing import Any

import pytest

from lossguard.records import dataclass, field, replace


@dataclass(frozen=True, slots=True)
class Point:
    """A record with every kind of field."""

    x: int
    y: str = "a"
    z: dict[str, int] = field(default_factory=dict)


@dataclass(frozen=True)
class Deeper(Point):
    """A record that adds a field to another's."""

    depth: int = 0


def test_fields_come_by_place_and_by_name() -> None:
    assert Point(1, z={"k": 2}) == Point(x=1, y="a", z={"k": 2})
    assert Deeper(1, "b", {}, 4).depth == 4
    assert repr(Point(1)) == "Point(x=1, y='a', z={})"


def test_a_made_default_belongs_to_one_record() -> None:
    assert Point(1).z is not Point(1).z


def test_records_of_different_classes_differ() -> None:
    assert Point(1) != Deeper(1)
    plain: object = (1, "a", {})
    assert Point(1) != plain


def test_equal_records_have_equal_hashes_and_what_cannot_be_hashed_says_so() -> None:
    @dataclass(frozen=True)
    class Plain:
        """Nothing but a number."""

        x: int

    assert hash(Plain(1)) == hash(Plain(1))
    with pytest.raises(TypeError):
        hash(Point(1))


@pytest.mark.parametrize("change", [replace, dataclasses.replace])
def test_a_changed_copy_is_a_record_of_the_same_class(change: Any) -> None:
    assert change(Deeper(1, depth=2), x=5) == Deeper(5, depth=2)


@pytest.mark.parametrize("change", [replace, dataclasses.replace])
def test_what_was_worked_out_is_not_taken_along(change: Any) -> None:
    @dataclass(frozen=True)
    class Doubled:
        """A number, and its double when asked."""

        x: int

        @functools.cached_property
        def double(self) -> int:
            """Twice the number."""
            return 2 * self.x

    one = Doubled(1)
    assert one.double == 2
    assert change(one, x=2).double == 4


@pytest.mark.parametrize("change", [replace, dataclasses.replace])
def test_a_change_of_what_is_not_there_is_a_type_error(change: Any) -> None:
    with pytest.raises(TypeError):
        change(Point(1), w=2)


def test_the_library_sees_a_dataclass() -> None:
    assert dataclasses.is_dataclass(Point(1))
    assert [found.name for found in dataclasses.fields(Deeper)] == ["x", "y", "z", "depth"]
    assert dataclasses.asdict(Point(1)) == {"x": 1, "y": "a", "z": {}}


def test_records_pickle_and_copy() -> None:
    point = Point(1, "b", {"k": 2})
    assert pickle.loads(pickle.dumps(point)) == point  # noqa: S301 - our own bytes
    assert copy.deepcopy(point) == copy.copy(point) == point


def test_records_stay_as_they_are() -> None:
    point: Any = Point(1)
    with pytest.raises(dataclasses.FrozenInstanceError):
        point.x = 2
    with pytest.raises(dataclasses.FrozenInstanceError):
        del point.x


@pytest.mark.parametrize(
    ("args", "kwargs", "told"),
    [
        ((), {}, "needs x"),
        ((1, "a", {}, 4), {}, "takes 3"),
        ((1,), {"x": 2}, "x twice"),
        ((1,), {"q": 2}, "no field q"),
    ],
)
def test_a_wrong_call_is_a_type_error_that_says_why(args: Any, kwargs: Any, told: str) -> None:
    with pytest.raises(TypeError, match=told):
        Point(*args, **kwargs)


def test_what_is_not_frozen_is_refused() -> None:
    with pytest.raises(TypeError, match="frozen"):
        dataclass(frozen=False)
