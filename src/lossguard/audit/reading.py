"""Reading the parts of a source: on threads, in order, with progress, and with what there is when it is interrupted."""

from __future__ import annotations

import os
import threading
import zipfile
import zlib
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any, Final

from lossguard.audit.column import Column, Total
from lossguard.audit.sources.part import Part, Source
from lossguard.audit.trouble import CannotAudit
from lossguard.contracts.contract import Bounds
from lossguard.records import dataclass

#: What readers of files raise for files that are not what they should be.
_UNREADABLE: Final = (
    *(OSError, ValueError, TypeError, NotImplementedError, KeyError, EOFError, ImportError),
    *(zipfile.BadZipFile, zlib.error),
)
#: Called with the parts that are done, all parts, and the samples read so far.
Progress = Callable[[int, int, int], None]


@dataclass(frozen=True, slots=True)
class Read:
    """What was read: all of it added up, and a column without its histogram for each part, in their order."""

    whole: Column
    columns: tuple[Column, ...]
    interrupted: bool = False


def read_of(total: Total, *, interrupted: bool = False) -> Read:
    """What was added up until now."""
    return Read(total.column(), tuple(total.columns), interrupted)


def read_part(part: Part, bounds: Bounds | None, stop: threading.Event | None = None) -> Column:
    """One part, from its first batch to its last; what cannot be read is said in one line."""
    from lossguard.audit.feeding import Scan

    scan = Scan(bounds)
    try:
        return scan.read(_until(part.batches(), stop))
    except CannotAudit:
        raise
    except KeyboardInterrupt:
        raise Interrupted(scan.column()) from None
    except MemoryError as error:
        raise CannotAudit(f"{part.name} cannot be read: there is not enough memory") from error
    except _UNREADABLE as error:
        raise CannotAudit(f"{part.name} cannot be read: {_first_line(error)}") from error


class Interrupted(KeyboardInterrupt):
    """Ctrl-C in the middle of a part, with what was read of it."""

    def __init__(self, column: Column) -> None:
        super().__init__()
        self.column = column


def _first_line(error: BaseException) -> str:
    text = getattr(error, "strerror", None) or str(error)
    return str(text).strip().partition("\n")[0] or type(error).__name__


def _until(batches: Iterator[Any], stop: threading.Event | None) -> Iterator[Any]:
    for batch in batches:
        if stop is not None and stop.is_set():
            return
        yield batch


def read_source(source: Source, bounds: Bounds | None, progress: Progress | None = None) -> Read:
    """All parts of a source; an interrupt gives what was read until then."""
    if (source.live and not source.in_memory) or len(source.parts) == 1:
        return unchanged(source, lambda: _one_by_one(source.parts, bounds, progress))
    return unchanged(source, lambda: _on_threads(source.parts, bounds, progress))


def unchanged(source: Source, reading: Callable[[], Read]) -> Read:
    """What `reading` gives; a file that is another one after it ends the audit."""
    before = _stamps(source.files)
    read = reading()
    changed = [file for file, stamp in _stamps(source.files).items() if stamp != before[file]]
    if changed and not read.interrupted:
        raise CannotAudit(f"{changed[0]} was changed while it was read; nothing is known of it")
    return read


def _stamps(files: Sequence[str]) -> dict[str, tuple[int, int] | None]:
    stamps: dict[str, tuple[int, int] | None] = {}
    for file in files:
        try:
            found = Path(file).stat()
            stamps[file] = (found.st_size, found.st_mtime_ns)
        except OSError:
            stamps[file] = None
    return stamps


def _one_by_one(parts: Sequence[Part], bounds: Bounds | None, progress: Progress | None) -> Read:
    total = Total()
    samples = 0
    try:
        for number, part in enumerate(parts, start=1):
            column = read_part(part, bounds)
            total.add(column)
            samples += column.samples
            if progress is not None:
                progress(number, len(parts), samples)
    except KeyboardInterrupt as interrupt:
        if isinstance(interrupt, Interrupted):
            total.add(interrupt.column)
        return read_of(total, interrupted=True)
    return read_of(total)


def _on_threads(parts: Sequence[Part], bounds: Bounds | None, progress: Progress | None) -> Read:
    """A few parts at a time, so that memory stays flat however many there are."""
    total = Total()
    samples = 0
    stop = threading.Event()
    threads = max(1, min(len(parts), os.cpu_count() or 1))
    waiting: deque[Future[Column]] = deque()
    left = iter(parts)
    with ThreadPoolExecutor(threads) as pool:
        try:
            waiting.extend(pool.submit(read_part, part, bounds, stop) for _, part in zip(range(2 * threads), left))  # noqa: B905
            while waiting:
                column = waiting.popleft().result()
                total.add(column)
                samples += column.samples
                waiting.extend(pool.submit(read_part, part, bounds, stop) for part in [*_some(left)])
                if progress is not None:
                    progress(len(total.columns), len(parts), samples)
        except KeyboardInterrupt:
            stop.set()
            pool.shutdown(cancel_futures=True)
            return read_of(total, interrupted=True)
        except BaseException:
            stop.set()
            pool.shutdown(cancel_futures=True)
            raise
    return read_of(total)


def _some(left: Iterator[Part]) -> Iterator[Part]:
    part = next(left, None)
    if part is not None:
        yield part
