"""Arrays and tensors: in memory, and in .npy, .npz, .pt and safetensors files."""

from __future__ import annotations

import contextlib
import json
import math
import pickle
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import numpy as np

from lossguard.audit.feeding import Labelled, from_python
from lossguard.audit.sources.part import Loading, Source
from lossguard.audit.trouble import CannotAudit, nearest, needs
from lossguard.records import dataclass

#: So many values are in memory at a time, where the file is mapped.
_VALUES: Final = 1 << 20
#: So many values are one part, which one thread reads.
_PART: Final = 1 << 22
ENDINGS: Final = (".npy", ".npz", ".pt", ".pth", ".safetensors")


@dataclass(frozen=True, slots=True)
class ArrayPart:
    """An array or a tensor that is there already."""

    name: str
    values: Any

    def batches(self) -> Iterator[Any]:
        """The array, some rows at a time."""
        return chunks(self.values)


def sliced(name: str, values: Any) -> tuple[ArrayPart, ...]:
    """An array in memory as parts that several threads can read; all of them under one name."""
    if isinstance(values, list | tuple) or not getattr(values, "ndim", 1):
        return (ArrayPart(name, values),)
    return tuple(ArrayPart(name, values[start:stop]) for start, stop in _spans(values))


def _spans(values: Any) -> Iterator[tuple[int, int]]:
    """The rows of each part of an array; an array without rows is one part."""
    step = max(1, _PART // _width(values))
    for start in range(0, max(len(values), 1), step):
        yield start, min(start + step, len(values))


def _width(values: Any) -> int:
    """How many values a row has."""
    shape: tuple[int, ...] = getattr(values, "shape", ())
    return max(1, math.prod(shape[1:]))


def chunks(values: Any) -> Iterator[Any]:
    """An array, a tensor or a list, some rows at a time."""
    if isinstance(values, list | tuple):
        yield from (from_python(list(values[n : n + _VALUES])) for n in range(0, len(values), _VALUES))
        return
    if not hasattr(values, "ndim"):
        yield values
        return
    if values.ndim == 0:
        values = values.reshape(1)
    step = max(1, _VALUES // _width(values))
    for start in range(0, max(len(values), 1), step):
        yield as_batch(values[start : start + step])


def as_batch(values: Any) -> Any:
    """A tensor as the array that the kernel reads, under the dtype that the loss will see."""
    if isinstance(values, np.ndarray):
        return values
    if getattr(values, "is_sparse", False) or getattr(values, "is_quantized", False):
        raise CannotAudit("labels in a sparse or quantized tensor are no target of a loss")
    values = values.detach().cpu()
    dtype = str(values.dtype).removeprefix("torch.")
    if dtype.startswith(("bfloat", "float8")):
        return Labelled(values.float().numpy(), dtype)
    return values.numpy()


@dataclass(frozen=True, slots=True)
class NumpyPart:
    """A .npy file, memory-mapped, or an array inside of a .npz file, read as a stream."""

    name: str
    path: str
    key: str | None = None
    #: The first row of a mapped file and the one after the last.
    rows: tuple[int, int] | None = None

    def batches(self) -> Iterator[Any]:
        """The array, some rows at a time."""
        if self.key is not None:
            with zipfile.ZipFile(self.path) as archive, archive.open(f"{self.key}.npy") as member:
                yield from streamed(member)
            return
        mapped = _mapped(self.path)
        yield from chunks(mapped if self.rows is None else mapped[slice(*self.rows)])


def _mapped(path: str) -> Any:
    try:
        return np.load(path, mmap_mode="r", allow_pickle=False)
    except ValueError as error:
        raise CannotAudit(f"{path} cannot be read: {_objects(error)}") from None


def _objects(error: ValueError) -> str:
    text = str(error)
    return (
        "it holds Python objects, which would be run when read; refused"
        if "allow_pickle" in text or "Python objects" in text
        else text
    )


def header_of(member: Any) -> tuple[tuple[int, ...], bool, np.dtype[Any]]:
    """Shape, order and dtype of an array in a stream, which is read up to its first value."""
    version = np.lib.format.read_magic(member)
    read = np.lib.format.read_array_header_1_0 if version == (1, 0) else np.lib.format.read_array_header_2_0
    return read(member)


def streamed(member: Any) -> Iterator[Any]:
    """An array from a stream that cannot be mapped, its header first."""
    shape, fortran, dtype = header_of(member)
    if dtype.hasobject:
        raise CannotAudit("the array holds Python objects, which would be run when read; refused")
    if fortran and len(shape) > 1:
        yield np.frombuffer(member.read(), dtype).reshape(shape, order="F")
        return
    row = max(1, int(np.prod(shape[1:])))
    step = max(1, _VALUES // row)
    left = shape[0] if shape else 1
    while left > 0:
        rows = min(step, left)
        data = member.read(rows * row * dtype.itemsize)
        if len(data) < rows * row * dtype.itemsize:
            raise CannotAudit("the file is cut off in the middle")
        yield np.frombuffer(data, dtype).reshape(rows, *shape[1:])
        left -= rows


@dataclass(frozen=True, slots=True)
class TorchPart:
    """A tensor in a file that torch has saved. No code of the file is ever run."""

    name: str
    path: str
    key: str | None = None

    def batches(self) -> Iterator[Any]:
        """The tensor, some rows at a time."""
        return chunks(pick(load_torch(self.path), self.key, self.path))


def load_torch(path: str) -> Any:
    """What a .pt file holds, if that is nothing but tensors and plain values."""
    try:
        import torch
    except ModuleNotFoundError:
        raise CannotAudit(f"{path} needs torch, which is not installed") from None
    try:
        with contextlib.suppress(RuntimeError):  # files of old versions cannot be mapped
            return torch.load(path, map_location="cpu", weights_only=True, mmap=True)
        return torch.load(path, map_location="cpu", weights_only=True)
    except pickle.UnpicklingError as error:
        if "weights_only" in str(error) or "Unsupported" in str(error):
            raise CannotAudit(
                f"{path} wants to run code when it is loaded; refused. Save the labels alone: torch.save(labels, path)"
            ) from None
        raise CannotAudit(f"{path} cannot be read: it is no file of torch, or is cut off") from None
    except (RuntimeError, EOFError) as error:
        raise CannotAudit(f"{path} cannot be read: {str(error).partition(chr(10))[0]}") from None


def pick(found: Any, target: str | None, path: str) -> Any:
    """The labels among what a file holds: itself, or the entry that was named."""
    key = torch_key(found, target, path)
    return found if key is None else found[key]


def torch_key(found: Any, target: str | None, path: str) -> str | int | None:
    """Where the labels are in what torch has saved; None if that is nothing but labels."""
    if isinstance(found, dict):
        return named_entry(list(map(str, found)), target, path)
    if isinstance(found, list | tuple):
        if target is not None and target.lstrip("-").isdigit():
            return int(target)
        return 1 if len(found) == 2 and all(hasattr(item, "shape") for item in found) else None
    if not hasattr(found, "shape"):
        raise CannotAudit(f"{path} holds {type(found).__name__}, no labels")
    return None


def named_entry(names: list[str], target: str | None, path: str) -> str:
    """The name of the entry that holds the labels."""
    from lossguard.audit.sources.tables import USUAL

    if target is None:
        usual = [name for name in (*USUAL, "train_labels", "y_train") if name in names]
        if usual or len(names) == 1:
            return usual[0] if usual else names[0]
        raise CannotAudit(f"{path}: say which entry holds the labels with --target{nearest('', names)}")
    if target not in names:
        raise CannotAudit(f"{path} has no entry {target!r}{nearest(target, names)}")
    return target


@dataclass(frozen=True, slots=True)
class SafetensorsPart:
    """A tensor in a safetensors file, memory-mapped."""

    name: str
    path: str
    key: str

    def batches(self) -> Iterator[Any]:
        """The tensor, some rows at a time."""
        with open_safetensors(self.path) as file:
            rows = file.get_slice(self.key)
            shape = rows.get_shape()
            if not shape:
                yield from chunks(file.get_tensor(self.key))
                return
            step = max(1, _VALUES // max(1, math.prod(shape[1:])))
            for start in range(0, max(shape[0], 1), step):
                yield as_batch(rows[start : min(start + step, shape[0])])


def open_safetensors(path: str) -> Any:
    """A safetensors file, for tensors of torch or arrays of numpy, whichever is installed."""
    try:
        from safetensors import SafetensorError, safe_open
    except ModuleNotFoundError:
        raise needs("safetensors", "audit", path) from None
    try:
        return safe_open(path, framework="pt" if _has_torch() else "np")
    except SafetensorError as error:
        raise CannotAudit(f"{path} cannot be read: {error}") from None


def _has_torch() -> bool:
    from importlib.util import find_spec

    return find_spec("torch") is not None


def array_source(name: str, paths: list[str], target: str | None) -> Source:
    """A source of array files."""
    parts = tuple(part for path in paths for part in _parts(path, target))
    return Source(
        name, parts, unit="item", files=tuple(paths), loading=_loading(parts[0]) if len(paths) == 1 else Loading()
    )


#: How a program loads each kind of file, and what it gets.
_LOADERS: Final = {
    ".npy": ("array", "numpy.load({path})"),
    ".npz": ("array", "numpy.load({path})"),
    ".safetensors": ("tensor", "safetensors.torch.load_file({path})"),
    ".pt": ("tensor", "torch.load({path})"),
    ".pth": ("tensor", "torch.load({path})"),
}


def _loading(part: Any) -> Loading:
    kind, load = _LOADERS[Path(part.path).suffix.lower()]
    code, key = load.format(path=json.dumps(part.path)), part.key
    if isinstance(part, TorchPart):
        key = torch_key(load_torch(part.path), part.key, part.path)
    shown = "" if key is None else f"[{key if isinstance(key, int) else json.dumps(key)}]"
    return Loading(kind, code + shown, key if isinstance(key, str) else "")


def _parts(path: str, target: str | None) -> Iterator[Any]:
    if path.endswith(".npy"):
        mapped = _mapped(path)
        spans = _spans(mapped) if mapped.ndim else [None]
        yield from (NumpyPart(path, path, rows=span) for span in spans)
    else:
        yield _part(path, target)


def _part(path: str, target: str | None) -> Any:
    if path.endswith(".npz"):
        with zipfile.ZipFile(path) as archive:
            names = [entry.removesuffix(".npy") for entry in archive.namelist() if entry.endswith(".npy")]
        return NumpyPart(path, path, named_entry(names, target, path))
    if path.endswith(".safetensors"):
        with open_safetensors(path) as file:
            return SafetensorsPart(path, path, named_entry(list(file.keys()), target, path))
    return TorchPart(path, path, target)
