"""From what a user names to a source: a path, an address, an object by its name, or an object itself."""

from __future__ import annotations

import os
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import numpy as np
import pyarrow as pa

from lossguard.audit.sources import arrays, images, tables
from lossguard.audit.sources.arrays import ArrayPart, sliced
from lossguard.audit.sources.datasets import DatasetPart, LoaderPart, collated
from lossguard.audit.sources.importing import is_object, load_object
from lossguard.audit.sources.part import Limits, Loading, Source
from lossguard.audit.sources.places import check_there, matching
from lossguard.audit.trouble import CannotAudit
from lossguard.paths import shown_path
from lossguard.records import dataclass, replace

NO_LIMITS: Final = Limits()


def open_source(source: Any, target: str | None, limits: Limits = NO_LIMITS, *, full: bool = False) -> Source:
    """The source behind a path or an object; `target` names the column or field with the labels."""
    opened = _opened(source, target, limits, full=full)
    loading = opened.loading
    if target is not None or loading is None or not loading.column:
        return opened
    note = f"{loading.column!r} holds the labels, chosen by its name; --target chooses another"
    return replace(opened, notes=(*opened.notes, note))


def _opened(source: Any, target: str | None, limits: Limits, *, full: bool) -> Source:
    if isinstance(source, os.PathLike):
        source = os.fspath(source)
    if isinstance(source, list | tuple) and source and all(isinstance(each, os.PathLike) for each in source):
        return _of_paths(list(map(os.fspath, source)), target)
    if not isinstance(source, str):
        return _of_object(source, type(source).__name__, target, limits, full=full)
    if "://" in source:
        from lossguard.audit.sources.database import database_source

        return database_source(source, target)
    if not Path(source).exists() and is_object(source):
        return _of_object(load_object(source), source, target, limits, full=full)
    return _of_paths([source], target)


def _of_paths(paths: list[str], target: str | None) -> Source:
    source = paths[0] if len(paths) == 1 else f"{paths[0]} and {len(paths) - 1:,} more"
    try:
        return _of_path(source, target) if len(paths) == 1 else _of_files(source, paths, target)
    except PermissionError as error:
        raise CannotAudit(f"{error.filename or source} cannot be read: you have no permission") from None
    except (OSError, pa.ArrowException, ValueError, EOFError, zipfile.BadZipFile) as error:
        if isinstance(error, CannotAudit):
            raise
        said = str(getattr(error, "strerror", None) or error).strip().partition("\n")[0]
        raise CannotAudit(f"{source} cannot be read: {said}") from error


def _of_path(source: str, target: str | None) -> Source:
    path = Path(source)
    check_there(source)
    if path.is_dir():
        return _of_folder(path, target)
    return _of_files(source, [source] if path.exists() else matching(source), target)


def _of_files(name: str, paths: list[str], target: str | None) -> Source:
    endings = {tables.ending(path) for path in paths}
    if ".tar" in endings:
        from lossguard.audit.sources.shards import shard_source

        return shard_source(name, paths, target)
    if all(tables.is_table(path) for path in paths):
        return tables.table_source(name, paths, target)
    if endings <= set(arrays.ENDINGS):
        return arrays.array_source(name, paths, target)
    if endings <= set(images.MASKS):
        return images.mask_source(name, paths)
    known = [*tables.PARQUET, *tables.ARROW, *tables.JSON, *tables.TEXT, *arrays.ENDINGS, *images.MASKS, ".tar"]
    raise CannotAudit(
        f"{name} has an ending that is not known ({', '.join(sorted(endings))}); known: {', '.join(known)}"
    )


def _of_folder(root: Path, target: str | None) -> Source:
    files = sorted(_files(root))
    tabled = [str(file) for file in files if tables.is_table(file.name)]
    others = [str(file) for file in files if tables.ending(file.name) in {*arrays.ENDINGS, ".tar"}]
    pictures = [file for file in files if file.suffix.lower() in images.IMAGES]
    if tabled and not pictures:
        source = _huggingface(root, tabled)
        return tables.table_source(str(root), source, target)
    if others and not pictures:
        return _of_files(str(root), others, target)
    if not pictures:
        raise CannotAudit(f"{root} holds no file of labels: no table, array, shard or image")
    if any(file.parent == root for file in pictures):
        return images.mask_source(str(root), [str(file) for file in pictures])
    folders = {each.name: 0 for each in sorted(root.iterdir()) if each.is_dir() and not each.name.startswith(".")}
    for file in pictures:
        folders[file.relative_to(root).parts[0]] += 1
    return images.folder_source(root, folders)


def _huggingface(root: Path, paths: list[str]) -> list[str]:
    """The Arrow files of a dataset saved to disk, or of several in one dictionary, without what describes them."""
    if any((root / name).exists() for name in ("dataset_info.json", "state.json", "dataset_dict.json")):
        return [path for path in paths if tables.ending(path) in tables.ARROW]
    return paths


def _files(root: Path) -> Iterator[Path]:
    for folder, inner, names in os.walk(root):
        inner[:] = [name for name in inner if not name.startswith((".", "_"))]
        yield from (Path(folder, name) for name in names if not name.startswith((".", "_")))


@dataclass(frozen=True, slots=True)
class StreamPart:
    """Anything that speaks the Arrow stream protocol: data frames, relations, tables."""

    name: str
    stream: Any
    target: str | None

    def batches(self) -> Iterator[Any]:
        """The column of one record batch after the other."""
        reader = pa.RecordBatchReader.from_stream(self.stream)
        column = tables.chosen(reader.schema.names, self.target, self.name)
        for batch in reader:
            yield batch.column(reader.schema.get_field_index(column))


@dataclass(frozen=True, slots=True)
class HuggingfacePart:
    """A Hugging Face dataset, whose Arrow file is memory-mapped."""

    name: str
    dataset: Any
    column: str

    def batches(self) -> Iterator[Any]:
        """The column, some rows at a time."""
        for table in self.dataset.select_columns([self.column]).iter(1 << 16):
            yield table.column(self.column)


def _of_object(found: Any, name: str, target: str | None, limits: Limits, *, full: bool) -> Source:
    shown = shown_path(name) if name.endswith(".py") else name
    package = type(found).__module__.partition(".")[0]
    if package == "datasets" and hasattr(found, "features"):
        return _of_huggingface(found, shown, target, limits)
    if package == "pandas":
        values, column = _of_pandas(found, target, shown)
        loading = Loading("frame", "frame", column) if column else Loading("series", "target")
        return Source(shown, sliced(shown, values), live=True, in_memory=True, loading=loading)
    if isinstance(found, np.ndarray) or (hasattr(found, "detach") and hasattr(found, "dtype")):
        loading = Loading("array" if isinstance(found, np.ndarray) else "tensor", "target")
        return Source(shown, sliced(shown, found), unit="item", live=True, in_memory=True, loading=loading)
    if isinstance(found, pa.Array | pa.ChunkedArray):
        return Source(shown, sliced(shown, found), live=True, in_memory=True)
    if hasattr(found, "__arrow_c_stream__"):
        loading = Loading()
        if package == "polars" and hasattr(found, "columns"):
            target = tables.chosen(list(found.columns), target, shown)
            loading = Loading("polars", "frame", target)
        return Source(shown, (StreamPart(shown, found, target),), live=True, loading=loading)
    if isinstance(found, list | tuple) and not any(isinstance(each, list | tuple | dict) for each in found[:1]):
        return Source(
            shown, (ArrayPart(shown, collated(list(found)) if found else np.zeros(0)),), unit="item", live=True
        )
    if hasattr(found, "batch_sampler") and hasattr(found, "dataset"):
        return Source(shown, (LoaderPart(shown, found, target, limits),), unit="sample", live=True, loading=None)
    if hasattr(found, "__getitem__") or hasattr(found, "__iter__"):
        return _of_dataset(found, shown, target, limits, full=full)
    raise CannotAudit(f"{shown} is a {type(found).__name__}: no path, table, array, dataset or loader")


def _of_pandas(found: Any, target: str | None, name: str) -> tuple[Any, str]:
    """The column of a data frame, and its name; NaN stays NaN, because that is what the loss will get."""
    column = ""
    if hasattr(found, "columns"):
        column = tables.chosen(list(map(str, found.columns)), target, name)
        found = found.iloc[:, list(map(str, found.columns)).index(column)]
    if isinstance(found.dtype, np.dtype) and found.dtype.kind in "biuf":
        return found.to_numpy(), column
    return pa.array(found, from_pandas=True), column


def _of_huggingface(found: Any, name: str, target: str | None, limits: Limits) -> Source:
    if not hasattr(found, "num_rows") or isinstance(found, dict):
        part: Any = DatasetPart(name, found, target, limits)
        return Source(name, (part,), unit="sample", live=True, loading=None)
    column = tables.chosen(list(found.column_names), target, name)
    names = tuple(getattr(found.features[column], "names", None) or ())
    if found.format["type"] not in {None, "arrow"}:
        parts = (DatasetPart(name, found, column, limits),)
        return Source(name, parts, unit="sample", names=names, live=True, loading=None)
    part = HuggingfacePart(name, found.with_format("arrow"), column)
    return Source(name, (part,), names=names, live=True, loading=Loading("dataset", "dataset", column))


def _of_dataset(found: Any, name: str, target: str | None, limits: Limits, *, full: bool) -> Source:
    """A dataset; where it keeps its labels aside and hands them out as they are, these are read."""
    by_items = (DatasetPart(name, found, target, limits),)
    labels = getattr(found, "targets", None)
    names = tuple(map(str, getattr(found, "classes", None) or ()))
    if full or target is not None or labels is None or limits.samples is not None or not _hands_out(found, labels):
        return Source(name, by_items, unit="sample", names=names, live=True, loading=None)
    aside = collated(list(labels)) if isinstance(labels, list | tuple) else labels
    note = "labels are read from .targets, which three samples confirm; --full reads every sample"
    parts = (ArrayPart(name, aside),)
    return Source(name, parts, unit="sample", names=names, notes=(note,), live=True, loading=None)


def _hands_out(found: Any, labels: Any) -> bool:
    """Whether a dataset gives its labels as it keeps them: the first, the middle and the last one do."""
    if getattr(found, "target_transform", None) is not None:
        return False  # it may change some labels and leave others
    try:
        if len(found) != len(labels) or not len(found):
            return False
        places = (0, len(found) // 2, len(found) - 1)
        given = collated([found[place][1] for place in places])
        kept = collated([labels[place] for place in places])
        return bool(given.dtype == kept.dtype and (given == kept).all())
    except Exception:  # noqa: BLE001 - then every sample is read, and what is wrong with them is said
        return False
