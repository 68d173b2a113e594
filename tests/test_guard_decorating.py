"""A guard on functions of every kind: watched in each of their steps, and nothing else is."""

from __future__ import annotations

import asyncio
import inspect
import traceback
import warnings
from collections.abc import AsyncGenerator, Generator, Iterator
from typing import Any

import pytest
import torch
import torch.nn.functional as F  # noqa: N812 - its usual name

import lossguard
from lossguard.guard.calls import patching

LOGITS, LABELS = torch.randn(4, 3, generator=torch.Generator().manual_seed(0)) * 5 + 9, torch.tensor([0, 1, 2, 0])

pytestmark = pytest.mark.filterwarnings("ignore::lossguard.LossWarning")


def bad() -> torch.Tensor:
    """A call that a guard warns of."""
    return F.nll_loss(LOGITS, LABELS)


def codes(watch: lossguard.guard) -> list[str]:
    return [finding.code for finding in watch.report.findings]


def test_a_coroutine_is_watched_while_it_runs_and_others_are_not() -> None:
    watch = lossguard.guard()

    @watch
    async def step(number: int) -> int:
        """Keeps its name."""
        await asyncio.sleep(0)
        bad()
        return number

    async def other() -> None:
        for _ in range(3):
            await asyncio.sleep(0)
            F.cross_entropy(LOGITS.softmax(1), LABELS)  # would be LG303

    async def main() -> list[Any]:
        return list(await asyncio.gather(step(1), other(), step(2)))

    assert inspect.iscoroutinefunction(step)
    assert (step.__name__, step.__doc__) == ("step", "Keeps its name.")
    assert asyncio.run(main()) == [1, None, 2]
    assert codes(watch) == ["LG301"]
    assert patching.installed() == ()


def test_a_generator_is_watched_between_its_values_and_its_consumer_is_not() -> None:
    watch = lossguard.guard()

    @watch
    def steps() -> Generator[Any, Any, int]:
        got = yield 1
        bad()
        try:
            yield got
        except KeyError:
            yield 3
        return 4

    def outer() -> Iterator[Any]:
        yield (yield from steps())

    assert inspect.isgeneratorfunction(steps)
    run = steps()
    assert next(run) == 1
    F.cross_entropy(LOGITS.softmax(1), LABELS)
    assert run.send(2) == 2
    assert run.throw(KeyError()) == 3
    assert list(outer()) == [1, None, 4]
    run.close()
    assert codes(watch) == ["LG301"]
    assert patching.installed() == ()


def test_an_asynchronous_generator_is_watched() -> None:
    watch = lossguard.guard()

    @watch
    async def steps() -> AsyncGenerator[torch.Tensor, None]:
        for _ in range(2):
            await asyncio.sleep(0)
            yield bad()

    async def main() -> int:
        count = 0
        async for _ in steps():
            F.cross_entropy(LOGITS.softmax(1), LABELS)
            count += 1
        early = steps()
        await anext(early)
        await early.aclose()
        return count

    assert inspect.isasyncgenfunction(steps)
    assert asyncio.run(main()) == 2
    assert codes(watch) == ["LG301"]
    assert patching.installed() == ()


def test_an_error_in_any_of_them_is_explained_and_leaves_nothing_behind() -> None:
    watch = lossguard.guard()
    wrong = LABELS + 9

    @watch
    async def coroutine() -> None:
        F.cross_entropy(LOGITS, wrong)

    @watch
    def generator() -> Iterator[torch.Tensor]:
        yield F.cross_entropy(LOGITS, wrong)

    @watch
    def plain() -> None:
        F.cross_entropy(LOGITS, wrong)

    for run in (lambda: asyncio.run(coroutine()), lambda: list(generator()), plain):
        with pytest.raises(IndexError) as caught:
            run()
        assert len(caught.value.__notes__) == 1
        assert patching.installed() == ()
    assert codes(watch) == ["LG201"] * 3
    frames = [frame.filename for frame in traceback.extract_tb(caught.value.__traceback__)]
    assert not any("lossguard/guard" in name for name in frames)


def test_methods_of_all_kinds_are_watched() -> None:
    watch = lossguard.guard()

    class Trainer:
        @watch
        @staticmethod
        def one() -> torch.Tensor:
            return bad()

        @watch
        @classmethod
        def two(cls) -> torch.Tensor:
            assert cls is Trainer
            return bad()

        @watch
        async def three(self) -> torch.Tensor:
            return bad()

    with warnings.catch_warnings():
        Trainer().one()
        Trainer.two()
        asyncio.run(Trainer().three())
    assert watch.report.findings[0].evidence["times"] == 3
