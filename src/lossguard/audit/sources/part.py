"""What a source is made of: parts that are read one by one, by any thread, process or machine."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Protocol, runtime_checkable

from lossguard.audit.column import Column
from lossguard.records import dataclass


@runtime_checkable
class Part(Protocol):
    """One part of a source. It pickles wherever its data are reached by a name."""

    @property
    def name(self) -> str:
        """What a report calls the file or object that this part belongs to."""

    def batches(self) -> Iterator[Any]:
        """The labels in their order, as Arrow arrays or numpy arrays with a sample in each row."""


@dataclass(frozen=True, slots=True)
class Loading:
    """How a program loads these labels, as code, so that a fix can be pasted as it stands."""

    #: What it gives: a frame or a series of pandas, a frame of polars, an array, a tensor, a dataset; or none of these.
    kind: str = ""
    code: str = ""
    #: The column or the entry with the labels, where there are several.
    column: str = ""


@dataclass(frozen=True, slots=True)
class Source:
    """Everything that is audited under one name."""

    name: str
    parts: tuple[Part, ...]
    #: What one sample is called: a row, an item, an image.
    unit: str = "row"
    #: The files behind it, whose sizes and times must not change while they are read.
    files: tuple[str, ...] = ()
    #: What the classes are called, where the source says: names of folders, of a ClassLabel.
    names: tuple[str, ...] = ()
    #: Remarks on how the source is read.
    notes: tuple[str, ...] = ()
    #: Whether its parts must be read here, one after the other: a live object of Python.
    live: bool = False
    #: Whether the labels of a live object are in memory; then its parts are read here as well, but by several threads.
    in_memory: bool = False
    #: What is to be known about the numbers of rows, beyond that they count from 0.
    counted: str = ""
    #: None where the labels are read as a program makes them: sample by sample, batch by batch.
    loading: Loading | None = Loading()

    def settle(self, column: Column) -> Column:
        """A column as this kind of source means it; most mean it as it is."""
        return column


@dataclass(frozen=True, slots=True)
class Limits:
    """How far a live object is read: samples in all, seconds for one of them."""

    samples: int | None = None
    seconds: float = 60.0
