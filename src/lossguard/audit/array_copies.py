"""Copies of array files with the labels as int64, all other arrays as they were."""

from __future__ import annotations

import shutil
import zipfile
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np

from lossguard.audit.sources.arrays import (
    NumpyPart,
    SafetensorsPart,
    TorchPart,
    chunks,
    header_of,
    load_torch,
    open_safetensors,
    streamed,
    torch_key,
)
from lossguard.audit.sources.part import Source
from lossguard.audit.trouble import CannotAudit, Refused


def write_numpy(source: Source, path: str) -> int:
    """Copy a .npy file."""
    part = _only(source, NumpyPart)
    mapped = np.load(part.path, mmap_mode="r", allow_pickle=False)
    with Path(path).open("wb") as out:
        _write_labels(out, mapped.shape, chunks(mapped))
    return len(mapped) if mapped.ndim else 1


def write_zipped(source: Source, path: str) -> int:
    """Copy a .npz file; every other member is taken over byte by byte."""
    part = _only(source, NumpyPart)
    rows = 0
    with zipfile.ZipFile(part.path) as old, zipfile.ZipFile(path, "w") as new:
        for entry in old.infolist():
            copy = zipfile.ZipInfo(entry.filename, entry.date_time)
            copy.compress_type = entry.compress_type
            with old.open(entry) as member, new.open(copy, "w", force_zip64=True) as out:
                if entry.filename != f"{part.key}.npy":
                    shutil.copyfileobj(member, out)
                    continue
                with old.open(entry) as again:
                    shape = header_of(again)[0]
                _write_labels(out, shape, streamed(member))
                rows = shape[0] if shape else 1
    return rows


def write_torch(source: Source, path: str) -> int:
    """Copy what torch has saved: a tensor, or a dictionary or a sequence with the labels in it."""
    import torch

    part = _only(source, TorchPart)
    found = load_torch(part.path)
    key = torch_key(found, part.key, part.path)
    labels = torch.as_tensor(found if key is None else found[key])
    fixed = labels.to(torch.int64)
    if not torch.equal(fixed.to(labels.dtype), labels):
        raise Refused("a label would be lost")
    if isinstance(found, dict):
        fixed_all: Any = {**found, key: fixed}
    elif key is not None and isinstance(found, list | tuple):
        items = list(found)
        items[int(key)] = fixed
        fixed_all = type(found)(items)
    else:
        fixed_all = fixed
    try:
        with Path(path).open("wb") as out:
            torch.save(fixed_all, out)
    except RuntimeError as error:  # so torch says that a disk is full
        raise OSError(str(error).partition("\n")[0]) from error
    return len(fixed) if fixed.ndim else 1


def write_safetensors(source: Source, path: str) -> int:
    """Copy a safetensors file with its metadata."""
    part = _only(source, SafetensorsPart)
    with open_safetensors(part.path) as file:
        tensors, metadata = {name: file.get_tensor(name) for name in file.keys()}, file.metadata()  # noqa: SIM118 - no dict
    labels = tensors[part.key]
    if hasattr(labels, "detach"):
        import torch
        from safetensors.torch import save_file

        fixed: Any = labels.to(torch.int64)
    else:
        from safetensors.numpy import save_file

        fixed = labels.astype(np.int64)
    if not (fixed == labels).all():
        raise Refused("a label would be lost")
    save_file({**tensors, part.key: fixed}, path, metadata)
    return len(fixed) if fixed.ndim else 1


def _only(source: Source, kind: Any) -> Any:
    if len(source.files) != 1 or not isinstance(source.parts[0], kind):
        raise CannotAudit("--fix-to copies one file of arrays; there are several")
    return source.parts[0]


def _write_labels(out: Any, shape: tuple[int, ...], batches: Iterable[Any]) -> None:
    np.lib.format.write_array_header_2_0(out, {"descr": "<i8", "fortran_order": False, "shape": shape})
    for batch in batches:
        labels = batch.astype("<i8")
        if not np.array_equal(labels, batch):
            raise Refused("a label would be lost")
        out.write(np.ascontiguousarray(labels).tobytes())
