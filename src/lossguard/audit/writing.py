"""What an audit writes: the rows with bad labels, and a copy of the table with its labels as int64."""

from __future__ import annotations

import contextlib
import csv
import io
import json
import os
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final

import pyarrow as pa

from lossguard.audit import array_copies
from lossguard.audit.column import Column
from lossguard.audit.report import AuditReport
from lossguard.audit.sources.arrays import NumpyPart, SafetensorsPart, TorchPart
from lossguard.audit.sources.part import Source
from lossguard.audit.sources.tables import ArrowPart, JsonPart, ParquetPart, TextPart
from lossguard.audit.split import Split
from lossguard.audit.trouble import CannotAudit, Refused

#: What stands in the way of a cast, in the words of a refusal.
_IN_THE_WAY: Final = {
    "null": "missing",
    "word": "no numbers",
    "nan": "NaN",
    "infinite": "infinite",
    "fractional": "fractional",
    "below": "below the first class",
    "above": "beyond the last class",
    "inexact": "so large that they may be rounded",
}


@contextlib.contextmanager
def written_whole(path: str) -> Iterator[str]:
    """A temporary file beside `path` that takes its place at the end; when anything fails, nothing remains of it."""
    folder = Path(path).parent
    try:
        handle, temporary = tempfile.mkstemp(prefix=".lossguard-", dir=folder)
        os.close(handle)
    except OSError as error:
        raise CannotAudit(f"{path} cannot be written: {error.strerror}") from None
    try:
        yield temporary
        with Path(temporary).open("rb+") as file:
            os.fsync(file.fileno())
        mask = os.umask(0)
        os.umask(mask)
        Path(temporary).chmod(0o666 & ~mask)
        Path(temporary).replace(path)
        _sync_folder(folder)
    except OSError as error:
        said = error.strerror or str(error)
        raise CannotAudit(f"{path} cannot be written: {said}; nothing was left behind") from error
    finally:
        Path(temporary).unlink(missing_ok=True)


def _sync_folder(folder: Path) -> None:
    with contextlib.suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def write_rows(report: AuditReport, path: str) -> int:
    """Write every row with a bad label as CSV; the number of rows. The sources are read once more."""
    count = 0
    with written_whole(path) as temporary, Path(temporary).open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["split", "source", "row", "place", "value", "fault"])
        for split in report.splits:
            for line in _bad_rows(report, split):
                writer.writerow(line)
                count += 1
    return count


def _bad_rows(report: AuditReport, split: Split) -> Iterator[list[Any]]:
    from lossguard.audit.feeding import Scan

    bounds = report.demand.bounds if report.demand is not None else None
    rows: dict[str, int] = {}
    for part in split.source.parts:
        for batch in part.batches():
            column = Scan(bounds, sys.maxsize).read([batch])
            start = rows.get(part.name, 0)
            found = [(o.position, o.value, kind) for kind, each in column.firsts.items() for o in each]
            for (row, *place), value, kind in sorted(found, key=lambda bad: (bad[0], bad[2])):
                shown = "" if kind == "null" else value
                yield [split.name, part.name, start + row, " ".join(map(str, place)), shown, _IN_THE_WAY[kind]]
            rows[part.name] = start + column.samples


def write_fixed(report: AuditReport, path: str) -> int:
    """Write the same table with its labels as int64; the number of rows. Refused whole where a label would be lost."""
    if len(report.splits) != 1:
        raise CannotAudit("--fix-to writes the copy of one source; there are several splits")
    split = report.splits[0]
    source = split.source
    if report.demand is None or not report.demand.is_of_classes:
        raise CannotAudit("--fix-to writes class indices, which this loss does not take")
    _check_place(source, path)
    if obstacles := list(_obstacles(split.whole, split)):
        raise Refused(f"nothing was written to {path}: " + "; ".join(obstacles))
    write = _writer(source, path)
    with written_whole(path) as temporary:
        try:
            return write(source, temporary)
        except (pa.ArrowException, ValueError) as error:
            if isinstance(error, CannotAudit):
                raise
            raise Refused(f"nothing was written to {path}: {str(error).partition(chr(10))[0]}") from error


def _check_place(source: Source, path: str) -> None:
    if any(Path(path).exists() and Path(path).samefile(file) for file in source.files if Path(file).exists()):
        raise CannotAudit(f"{path} is the source itself; --fix-to writes a new file")
    if Path(path).exists():
        raise CannotAudit(f"{path} is there already; --fix-to writes a new file")


def _obstacles(column: Column, split: Split) -> Iterator[str]:
    facts = column.facts
    numbers = {"infinite": facts.infinite, "word": column.wordy if facts.smallest is None else 0}
    for kind, words in _IN_THE_WAY.items():
        count = numbers.get(kind, getattr(facts, kind, None))
        if count:
            rows = ", ".join(split.name_of(offender.position[0]) for offender in column.firsts.get(kind, ())[:5])
            yield f"{count:,} labels are {words} ({rows}{', ...' if count > 5 else ''})"


def _writer(source: Source, path: str) -> Callable[[Source, str], int]:
    kinds = {type(part) for part in source.parts}
    zipped = any(isinstance(part, NumpyPart) and part.key is not None for part in source.parts)
    writers: dict[type, tuple[tuple[str, ...], Callable[[Source, str], int]]] = {
        ParquetPart: ((".parquet", ".pq"), _write_parquet),
        ArrowPart: ((".arrow", ".feather", ".ipc"), _write_arrow),
        TextPart: ((".csv", ".tsv", ".tab"), _write_text),
        JsonPart: ((".jsonl", ".ndjson", ".json"), _write_json),
        NumpyPart: ((".npz",), array_copies.write_zipped) if zipped else ((".npy",), array_copies.write_numpy),
        TorchPart: ((".pt", ".pth"), array_copies.write_torch),
        SafetensorsPart: ((".safetensors",), array_copies.write_safetensors),
    }
    if len(kinds) != 1 or not kinds <= writers.keys():
        raise CannotAudit(
            f"--fix-to copies files of tables and arrays; {source.name} is none of these: cast the labels where they "
            "are read or made"
        )
    endings, write = writers[kinds.pop()]
    if Path(path).suffix.lower() not in endings:
        raise CannotAudit(f"the copy of {source.name} is of the same format: its name ends in {' or '.join(endings)}")
    return write


def _as_int64(array: Any) -> Any:
    """The labels as int64, by a cast that refuses to lose anything."""
    kind = array.type
    if pa.types.is_dictionary(kind):
        return _as_int64(array.dictionary_decode())
    if pa.types.is_fixed_size_list(kind):
        return array.cast(pa.list_(pa.int64(), kind.list_size))
    if pa.types.is_list(kind) or pa.types.is_large_list(kind):
        return array.cast(pa.list_(pa.int64()))
    if pa.types.is_string(kind) or pa.types.is_large_string(kind):
        try:
            return array.cast(pa.int64())
        except pa.ArrowInvalid:
            return array.cast(pa.float64()).cast(pa.int64())
    return array.cast(pa.float32()).cast(pa.int64()) if pa.types.is_float16(kind) else array.cast(pa.int64())


def _with_labels(batch: Any, column: str) -> Any:
    place = batch.schema.get_field_index(column)
    if place < 0:
        raise CannotAudit(f"the labels stand inside of {column!r}; --fix-to changes columns of their own")
    labels = _as_int64(batch.column(place))
    field = batch.schema.field(place).with_type(labels.type)
    schema = batch.schema.set(place, field)
    arrays = [labels if number == place else batch.column(number) for number in range(batch.num_columns)]
    return pa.RecordBatch.from_arrays(arrays, schema=schema)


def _write_parquet(source: Source, path: str) -> int:
    import pyarrow.parquet as pq

    rows, writer = 0, None
    with contextlib.ExitStack() as stack:
        for part in source.parts:
            assert isinstance(part, ParquetPart)  # noqa: S101 - chosen by that
            if part.constant is not None:
                raise CannotAudit("the labels stand in the names of folders; there is no column to fix")
            file = stack.enter_context(pq.ParquetFile(part.path))
            for batch in file.iter_batches(1 << 16, row_groups=list(part.groups)):
                fixed = _with_labels(batch, part.column)
                if writer is None:
                    packed = file.metadata.row_group(0).column(0).compression
                    writer = stack.enter_context(pq.ParquetWriter(path, fixed.schema, compression=packed))
                writer.write_batch(fixed, row_group_size=1 << 20)
                rows += fixed.num_rows
    return rows


def _write_arrow(source: Source, path: str) -> int:
    from lossguard.audit.sources.tables import _open_arrow

    rows, writer = 0, None
    with contextlib.ExitStack() as stack:
        for part in source.parts:
            assert isinstance(part, ArrowPart)  # noqa: S101 - chosen by that
            reader = stack.enter_context(_open_arrow(stack.enter_context(pa.memory_map(part.path))))
            batches = getattr(reader, "num_record_batches", None)
            for batch in reader if batches is None else map(reader.get_batch, range(batches)):
                fixed = _with_labels(batch, part.column)
                writer = writer or stack.enter_context(pa.ipc.new_file(path, fixed.schema))
                writer.write_batch(fixed)
                rows += fixed.num_rows
    return rows


def _write_text(source: Source, path: str) -> int:
    """All other fields stay as they are spelled."""
    rows = 0
    with Path(path).open("w", encoding="utf-8", newline="") as out:
        for number, part in enumerate(source.parts):
            assert isinstance(part, TextPart)  # noqa: S101 - chosen by that
            writer = csv.writer(out, delimiter=part.delimiter, lineterminator="\n")
            with pa.input_stream(part.path, compression="detect") as raw:
                lines = csv.reader(io.TextIOWrapper(raw, encoding="utf-8-sig", newline=""), delimiter=part.delimiter)
                header = next(lines)
                place = header.index(part.column)
                if not number:
                    writer.writerow(header)
                for line in filter(None, lines):
                    line[place] = str(_whole(line[place]))
                    writer.writerow(line)
                    rows += 1
    return rows


def _whole(text: str) -> int:
    try:
        return int(text)
    except ValueError:
        value = float(text)
        if value != int(value):
            raise Refused(f"nothing was written: {text} has a fraction") from None
        return int(value)


def _write_json(source: Source, path: str) -> int:
    rows = 0
    with Path(path).open("w", encoding="utf-8") as out:
        for part in source.parts:
            assert isinstance(part, JsonPart)  # noqa: S101 - chosen by that
            with pa.input_stream(part.path, compression="detect") as raw:
                for line in filter(str.strip, io.TextIOWrapper(raw, encoding="utf-8")):
                    found = json.loads(line)
                    found[part.column] = _whole(str(found[part.column]))
                    out.write(json.dumps(found, ensure_ascii=False) + "\n")
                    rows += 1
    return rows
