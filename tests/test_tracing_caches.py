"""What a program remembers is set aside for a replay and put back as it was."""

from __future__ import annotations

import functools
from collections import OrderedDict
from typing import Any

from lossguard.tracing.batches.caches import set_aside

NAMES = {0: "zero", 1: "one"}


@functools.cache
def doubled(number: int) -> int:
    return 2 * number


class Remembering:
    """Remembers in a dict and by functools."""

    def __init__(self) -> None:
        self.seen: OrderedDict[int, int] = OrderedDict()
        self.table = {0: 3, 1: 4}

    def __getitem__(self, index: int) -> int:
        if index not in self.seen:
            self.seen[index] = doubled(index) + self.table[index]
        return self.seen[index]

    @functools.lru_cache(maxsize=2)  # noqa: B019 - what is tried
    def name(self, index: int) -> str:
        """The name of a number."""
        return NAMES[index]


def test_what_is_remembered_is_not_known_meanwhile_and_known_again_afterwards() -> None:
    owner = Remembering()
    assert [owner[1], owner[0], owner.name(1)] == [6, 3, "one"]
    entries, memory = owner.seen, vars(Remembering)["name"]
    with set_aside(owner) as remembered:
        assert remembered
        assert not owner.seen
        assert vars(Remembering)["name"] is memory.__wrapped__
        assert owner[0] == 3
    assert owner.seen is entries
    assert list(entries.items()) == [(1, 6), (0, 3)]
    assert vars(Remembering)["name"] is memory
    assert memory.cache_info().currsize == 1


def test_a_table_that_is_only_read_stays() -> None:
    owner = Remembering()
    with set_aside(owner):
        assert owner.table == {0: 3, 1: 4}
        assert NAMES


def test_all_is_put_back_when_the_replay_fails() -> None:
    owner = Remembering()
    owner.seen[5] = 1
    error: Any = None
    try:
        with set_aside(owner):
            owner[7]
    except KeyError as raised:
        error = raised
    assert error is not None
    assert dict(owner.seen) == {5: 1}


def test_an_object_that_remembers_nothing_is_left_alone() -> None:
    with set_aside(object(), None) as remembered:
        assert not remembered
