"""Live objects: datasets and loaders, read as the loss will get them."""

from __future__ import annotations

import contextlib
import itertools
import signal
import sys
import threading
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

import numpy as np

from lossguard.audit.feeding import from_python
from lossguard.audit.sources.arrays import as_batch
from lossguard.audit.sources.importing import raised
from lossguard.audit.sources.part import Limits
from lossguard.audit.sources.tables import USUAL
from lossguard.audit.trouble import CannotAudit, nearest
from lossguard.records import dataclass

#: So many labels are put together as a batch.
_TOGETHER: Final = 256


def field_of(item: Any, target: str | None) -> Any:
    """The label of a sample or a batch: the named or numbered field; else the usual name, or the last of several."""
    if isinstance(item, Mapping):
        if target is None:
            target = next((name for name in USUAL if name in item), None)
            if target is None:
                raise CannotAudit(f"say which field holds the labels with --target{nearest('', map(str, item))}")
        if target not in item:
            raise CannotAudit(f"a sample has no field {target!r}{nearest(target, map(str, item))}")
        return item[target]
    if isinstance(item, list | tuple) and item:
        if target is not None and hasattr(item, target):
            return getattr(item, target)
        place = -1 if target is None else _place(target, len(item))
        return item[place]
    if target is not None and hasattr(item, target):
        return getattr(item, target)
    return item


def _place(target: str, length: int) -> int:
    if not target.lstrip("-").isdigit() or not -length <= int(target) < length:
        raise CannotAudit(
            f"a sample is a tuple of {length}; --target is a number from 0 to {length - 1}, not {target!r}"
        )
    return int(target)


@dataclass(frozen=True, slots=True)
class DatasetPart:
    """A dataset, map-style or iterable: one sample after the other, labels put together as torch's own collate does."""

    name: str
    dataset: Any
    target: str | None
    limits: Limits

    def batches(self) -> Iterator[Any]:
        """The labels, some hundred at a time, with the dtype that they have in a batch."""
        samples = self._samples()
        labels: list[Any] = []
        try:
            for label in samples:
                labels.append(label)
                if len(labels) == _TOGETHER:
                    yield collated(labels)
                    labels = []
        except KeyboardInterrupt:
            if labels:
                yield collated(labels)
            raise
        if labels:
            yield collated(labels)

    def _samples(self) -> Iterator[Any]:
        fetch: Callable[[int], Any]
        length = _length(self.dataset)
        if hasattr(self.dataset, "__getitem__") and length is not None:
            fetch = self.dataset.__getitem__
        else:
            iterator = iter(self.dataset)

            def fetch(_: int) -> Any:
                return next(iterator)

        most = self.limits.samples
        numbers = itertools.count() if length is None else range(length)
        for number in numbers if most is None else itertools.islice(numbers, most):
            try:
                with time_limit(self.limits.seconds):
                    item = fetch(number)
            except (StopIteration, IndexError) as end:
                if isinstance(end, StopIteration) or length is None:
                    return
                raise raised(f"sample {number} of {self.name}", end) from end
            except TookTooLong:
                raise CannotAudit(
                    f"sample {number} of {self.name} took longer than {self.limits.seconds:g} s (--sample-seconds)"
                ) from None
            except CannotAudit:
                raise
            except (Exception, SystemExit) as error:
                raise raised(f"sample {number} of {self.name}", error) from error
            yield field_of(item, self.target)


@dataclass(frozen=True, slots=True)
class LoaderPart:
    """A DataLoader: its own batches, made by its own workers and collate function."""

    name: str
    loader: Any
    target: str | None
    limits: Limits

    def batches(self) -> Iterator[Any]:
        """The labels of one batch after the other."""
        read = 0
        iterator = iter(self.loader)
        for number in itertools.count():
            try:
                with time_limit(self.limits.seconds):
                    batch = next(iterator, _END)
            except TookTooLong:
                raise CannotAudit(
                    f"batch {number} of {self.name} took longer than {self.limits.seconds:g} s (--sample-seconds)"
                ) from None
            except (Exception, SystemExit) as error:
                raise raised(f"batch {number} of {self.name}", error) from error
            if batch is _END:
                return
            labels = collated_batch(field_of(batch, self.target))
            if self.limits.samples is not None:
                labels = labels[: self.limits.samples - read]
            read += len(labels)
            yield labels
            if read == self.limits.samples:
                return


_END: Final = object()


def collated_batch(labels: Any) -> Any:
    """What a loader gives as labels, as the kernel reads it."""
    if hasattr(labels, "detach") or isinstance(labels, np.ndarray):
        return as_batch(labels if labels.ndim else labels.reshape(1))
    if isinstance(labels, list | tuple):
        return collated(list(labels))
    return collated([labels])


def collated(labels: list[Any]) -> Any:
    """Labels of single samples as one batch: what torch's default collate makes of them."""
    shapes = {tuple(getattr(label, "shape", ())) for label in labels}
    kinds = {type(label) for label in labels}
    if len(shapes) > 1:
        return from_python([label.tolist() if hasattr(label, "tolist") else label for label in labels])
    if all(hasattr(label, "detach") for label in labels):
        import torch

        return as_batch(torch.stack(labels))
    if kinds <= {bool, int} or kinds == {float}:
        # Python numbers: bool and int become int64 or bool, float becomes float64, as torch does it.
        array = _plain(labels)
        return from_python(labels) if array is None else array
    if all(isinstance(label, np.ndarray | np.generic) for label in labels):
        return np.stack(labels)
    return from_python([label.tolist() if hasattr(label, "tolist") else label for label in labels])


def _plain(labels: list[Any]) -> Any:
    try:
        array = np.array(labels)
    except OverflowError:
        return None
    return array if array.dtype.kind in "bif" else None


def _length(dataset: Any) -> int | None:
    try:
        return len(dataset)
    except (TypeError, NotImplementedError):
        return None


class TookTooLong(BaseException):
    """A sample took longer than it may. No `except Exception` of a dataset that tries again takes this for its own."""


@contextlib.contextmanager
def time_limit(seconds: float) -> Iterator[None]:
    """Raise TookTooLong in the main thread of a POSIX system after so long; elsewhere there is no limit."""
    if sys.platform == "win32" or seconds <= 0 or threading.current_thread() is not threading.main_thread():
        yield
        return

    def ring(*_: Any) -> None:
        raise TookTooLong

    before = signal.signal(signal.SIGALRM, ring)
    # Once more and ever again: what catches everything in a loop is rung out of it when the loop is elsewhere.
    signal.setitimer(signal.ITIMER_REAL, seconds, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
