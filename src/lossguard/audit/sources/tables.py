"""Tables in files: Parquet, Arrow and Feather, CSV and TSV, JSON lines."""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from typing import Any, Final
from urllib.parse import unquote

import pyarrow as pa

from lossguard.audit.column import Column
from lossguard.audit.feeding import from_python
from lossguard.audit.sources.part import Loading, Source
from lossguard.audit.trouble import CannotAudit, nearest
from lossguard.records import dataclass, replace

#: So many labels are in memory at a time, for each thread; where a label is a text, so many.
_LABELS: Final = 1 << 20
_TEXTS: Final = 1 << 17
_TEXT_BLOCK: Final = 8 << 20
#: What the columns of labels are usually called, the likeliest first.
USUAL: Final = ("target", "label", "labels", "targets", "class", "y", "category", "rating", "species")


@dataclass(frozen=True, slots=True)
class ParquetPart:
    """A few row groups of one Parquet file, or the value that the names of its folders give to all rows."""

    name: str
    path: str
    column: str
    groups: tuple[int, ...]
    constant: str | None = None

    def batches(self) -> Iterator[Any]:
        """One column of the row groups, some rows at a time."""
        with open_parquet(self.path) as file:
            if self.constant is not None:
                rows = sum(file.metadata.row_group(group).num_rows for group in self.groups)
                yield pa.repeat(pa.scalar(_typed(self.constant)), rows)
                return
            rows = _rows_at_a_time(file.metadata, self.groups, self.column)
            for batch in file.iter_batches(
                rows, row_groups=list(self.groups), columns=[self.column], use_threads=False
            ):
                yield _column_of(batch, self.column)


def _rows_at_a_time(footer: Any, groups: tuple[int, ...], column: str) -> int:
    """How many rows are read at a time; few where a row holds many labels."""
    paths = [footer.schema.column(number) for number in range(len(footer.schema.names))]
    found = [number for number, each in enumerate(paths) if f"{each.path}.".startswith(f"{column}.")]
    if not found or not groups:
        return _TEXTS
    texts = paths[found[0]].physical_type.endswith("BYTE_ARRAY")
    chunk = footer.row_group(groups[0]).column(found[0])
    wide: int = max(1, chunk.num_values // max(footer.row_group(groups[0]).num_rows, 1))
    return max(1, (_TEXTS if texts else _LABELS) // wide)


def open_parquet(path: str) -> Any:
    """A Parquet file; its footer is read once, however many of its row groups are parts."""
    import pyarrow.parquet as pq

    return pq.ParquetFile(path, metadata=footer_of(path))


def footer_of(path: str) -> Any:
    """The footer of a Parquet file, kept until the file changes."""
    found = Path(path).stat()
    return _footer(path, found.st_size, found.st_mtime_ns)


@lru_cache(maxsize=64)
def _footer(path: str, size: int, changed: int) -> Any:
    import pyarrow.parquet as pq

    del size, changed
    return pq.read_metadata(path)


def _column_of(batch: Any, column: str) -> Any:
    """The column of a batch, which may stand inside of a structure: `meta.label`."""
    if column in batch.schema.names:
        return batch.column(batch.schema.get_field_index(column))
    outer, *inner = column.split(".")
    found = batch.column(outer)
    for name in inner:
        found = pa.compute.struct_field(found, name)
    return found


def _typed(text: str) -> int | str:
    return int(text) if text.lstrip("-").isdigit() else text


@dataclass(frozen=True, slots=True)
class ArrowPart:
    """An Arrow or Feather file, memory-mapped."""

    name: str
    path: str
    column: str

    def batches(self) -> Iterator[Any]:
        """The column, batch by batch."""
        with pa.memory_map(self.path) as file, _open_arrow(file) as reader:
            count = getattr(reader, "num_record_batches", None)
            every = reader if count is None else (reader.get_batch(number) for number in range(count))
            for batch in every:
                yield _column_of(batch, self.column)


def _open_arrow(file: Any) -> Any:
    try:
        return pa.ipc.open_file(file)
    except pa.ArrowInvalid:
        file.seek(0)
        return pa.ipc.open_stream(file)


@dataclass(frozen=True, slots=True)
class TextPart:
    """A CSV or TSV file. Labels are read as they are spelled, so that a word in the last line is no surprise."""

    name: str
    path: str
    column: str
    delimiter: str

    def batches(self) -> Iterator[Any]:
        """The column as strings, some megabytes at a time."""
        broken: list[Any] = []
        try:
            with self._reader(broken) as reader:
                for batch in reader:
                    yield batch.column(0)
        except pa.ArrowInvalid:
            if not broken:
                raise
            row = broken[0]
            where = f"line {row.number}" if row.number is not None else "a line"
            raise CannotAudit(
                f"{self.name}: {where} has {row.actual_columns} fields, and the header has {row.expected_columns}: "
                f"{row.text[:60]!r}"
            ) from None

    def _reader(self, broken: list[Any]) -> Any:
        from pyarrow import csv

        def refuse(row: Any) -> str:
            broken.append(row)
            return "error"

        return csv.open_csv(
            self.path,
            read_options=csv.ReadOptions(block_size=_TEXT_BLOCK, use_threads=False),
            parse_options=csv.ParseOptions(delimiter=self.delimiter, invalid_row_handler=refuse),
            convert_options=csv.ConvertOptions(
                include_columns=[self.column], column_types={self.column: pa.string()}, strings_can_be_null=True
            ),
        )


@dataclass(frozen=True, slots=True)
class JsonPart:
    """JSON lines: an object in each line."""

    name: str
    path: str
    column: str

    def batches(self) -> Iterator[Any]:
        """The field of all objects, some thousand lines at a time; an object without it has a missing label."""
        with pa.input_stream(self.path, compression="detect") as raw:
            import io

            lines = enumerate(io.TextIOWrapper(raw, encoding="utf-8"), start=1)
            while some := list(itertools.islice(lines, 1 << 15)):
                yield from_python([self._field(number, line) for number, line in some if line.strip()])

    def _field(self, number: int, line: str) -> Any:
        try:
            found = json.loads(line)
        except ValueError as error:
            raise CannotAudit(f"{self.name}: line {number} is no JSON: {error}") from None
        for name in self.column.split("."):
            if not isinstance(found, dict):
                raise CannotAudit(f"{self.name}: line {number} is no object with a field {self.column!r}")
            found = found.get(name)
        return found


@dataclass(frozen=True, slots=True)
class TextSource(Source):
    """CSV files. They have no types: what a column is follows from all of its values, as a reader of tables decides."""

    def settle(self, column: Column) -> Column:
        """Numbers become the dtype that pandas gives them: int64, or float64 with a missing value or a fraction."""
        facts = column.facts
        if facts.kind != "column of strings" or facts.smallest is None or column.wordy:
            return column
        dtype = "float64" if column.floats or facts.null else "int64"
        return replace(column, facts=replace(facts, kind="tensor", dtype=dtype))


#: How each ending is read.
PARQUET: Final = (".parquet", ".pq")
ARROW: Final = (".arrow", ".feather", ".ipc")
JSON: Final = (".jsonl", ".ndjson", ".json")
TEXT: Final = {".csv": ",", ".tsv": "\t", ".tab": "\t"}
_COMPRESSED: Final = (".gz", ".bz2", ".zst", ".lz4", ".brotli", ".snappy")


def ending(path: str) -> str:
    """The ending that tells the format, that of a compression left aside."""
    name = Path(path).name.lower()
    for packed in _COMPRESSED:
        name = name.removesuffix(packed)
    return Path(name).suffix


def is_table(path: str) -> bool:
    """Whether the file's name is one of a table."""
    return ending(path) in {*PARQUET, *ARROW, *JSON, *TEXT}


def table_source(name: str, paths: list[str], target: str | None) -> Source:
    """A source of one file or more, all of one format."""
    endings = {ending(path) for path in paths}
    if len(endings) > 1:
        raise CannotAudit(f"{name} holds files of several formats ({', '.join(sorted(endings))}); give one, by a glob")
    kind = endings.pop()
    if kind in PARQUET:
        return _parquet(name, paths, target)
    column = chosen(_names(paths[0], kind), target, paths[0])
    names = class_names(_arrow_schema(paths[0]), column) if kind in ARROW else ()
    files, loading = tuple(paths), loading_of(name, paths, kind, column)
    if kind in ARROW:
        arrows = tuple(ArrowPart(path, path, column) for path in paths)
        return Source(name, arrows, files=files, names=names, loading=loading)
    if kind in JSON:
        return Source(name, tuple(JsonPart(path, path, column) for path in paths), files=files, loading=loading)
    parts = tuple(TextPart(path, path, column, TEXT[kind]) for path in paths)
    counted = ": row 0 is the first line after the header"
    return TextSource(name, parts, files=files, loading=loading, counted=counted)


#: How pandas reads each format; the path comes first.
_READERS: Final = {
    **dict.fromkeys(PARQUET, "pandas.read_parquet({path})"),
    **dict.fromkeys(ARROW, "pandas.read_feather({path})"),
    **dict.fromkeys(JSON, "pandas.read_json({path}, lines=True)"),
    ".csv": "pandas.read_csv({path})",
    ".tsv": 'pandas.read_csv({path}, sep="\\t")',
    ".tab": 'pandas.read_csv({path}, sep="\\t")',
}


def loading_of(name: str, paths: list[str], kind: str, column: str) -> Loading:
    """How pandas loads a table; of several files, which it does not read at once, the code says `frame`."""
    whole = len(paths) == 1 or (kind in PARQUET and Path(name).is_dir())
    inner = "." in column and kind in PARQUET
    return Loading("" if inner else "frame", _READERS[kind].format(path=json.dumps(name)) if whole else "frame", column)


def _arrow_schema(path: str) -> pa.Schema:
    with pa.memory_map(path) as file, _open_arrow(file) as reader:
        return reader.schema


def class_names(schema: pa.Schema, column: str) -> tuple[str, ...]:
    """What the classes are called, where Hugging Face's datasets have written it into the schema."""
    try:
        features = json.loads((schema.metadata or {})[b"huggingface"])["info"]["features"]
        return tuple(map(str, features[column]["names"]))
    except (KeyError, TypeError, ValueError):
        return ()


def _names(path: str, kind: str) -> list[str]:
    """The names of a file's columns."""
    if kind in ARROW:
        return list(_arrow_schema(path).names)
    if kind in JSON:
        with pa.input_stream(path, compression="detect") as raw:
            first = raw.read(1 << 20).split(b"\n", 1)[0]
        try:
            found = json.loads(first)
        except ValueError:
            found = None
        if not isinstance(found, dict):
            raise CannotAudit(f"{path} has no object in its first line; JSON lines have one in each")
        return list(found)
    with pa.input_stream(path, compression="detect") as raw:
        import csv
        import io

        text = io.TextIOWrapper(raw, encoding="utf-8-sig", newline="")
        return next(csv.reader(text, delimiter=TEXT[kind]), [])


def chosen(names: list[str], target: str | None, path: str) -> str:
    """The column that was asked for, or the one that is usually meant."""
    if not names:
        raise CannotAudit(f"{path} is empty: it has no columns")
    if target is None:
        usual = [name for name in USUAL if name in names]
        if len(names) == 1 or usual:
            return usual[0] if usual else names[0]
        raise CannotAudit(f"{path}: say which column holds the labels with --target{nearest('', names)}")
    if target not in names and target.split(".")[0] not in names:
        raise CannotAudit(f"{path} has no column {target!r}{nearest(target, names)}")
    return target


def _parquet(name: str, paths: list[str], target: str | None) -> Source:
    parts: list[ParquetPart] = []
    for path in paths:
        footer = footer_of(path)
        names, groups = footer.schema.to_arrow_schema().names, footer.num_row_groups
        folders = dict(part.split("=", 1) for part in Path(path).parts[:-1] if "=" in part)
        column = chosen([*names, *folders], target, path)
        constant = unquote(folders[column]) if column in folders and column not in names else None
        parts.extend(ParquetPart(path, path, column, (group,), constant) for group in range(groups))
        if not groups:
            parts.append(ParquetPart(path, path, column, (), constant))
    loading = loading_of(name, paths, PARQUET[0], parts[0].column)
    names = class_names(footer_of(paths[0]).schema.to_arrow_schema(), parts[0].column)
    return Source(name, tuple(parts), files=tuple(paths), names=names, loading=loading)
