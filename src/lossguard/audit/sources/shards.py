"""WebDataset shards: tar files in which the files of one sample stand together under one name."""

from __future__ import annotations

import io
import itertools
import json
import tarfile
from collections.abc import Iterator
from typing import Any, Final

import numpy as np

from lossguard.audit.sources.datasets import collated
from lossguard.audit.sources.part import Source
from lossguard.audit.trouble import CannotAudit, nearest
from lossguard.records import dataclass

#: What the file with the label is usually called, the likeliest first.
_USUAL: Final = ("cls", "target.cls", "label.cls", "class", "label", "target", "cls.txt", "label.txt")
_TOGETHER: Final = 4096


@dataclass(frozen=True, slots=True)
class ShardPart:
    """One shard. It is read as a stream, and nothing in it is unpacked to a disk, whatever its names say."""

    name: str
    path: str
    target: str | None

    def batches(self) -> Iterator[Any]:
        """The labels, some thousand at a time; a sample without one has a missing label."""
        labels = (_label(files, self.target, key, self.path) for key, files in _samples(self.path))
        while some := list(itertools.islice(labels, _TOGETHER)):
            yield collated(some)


def _samples(path: str) -> Iterator[tuple[str, dict[str, bytes]]]:
    """The samples in their order: a name, and the small files under it by what follows its first dot."""
    key, files = "", dict[str, bytes]()
    try:
        with tarfile.open(path, "r|*") as archive:
            for member in archive:
                if not member.isfile():
                    continue
                folder, _, name = member.name.rpartition("/")
                stem, _, extension = name.partition(".")
                if f"{folder}/{stem}" != key and files:
                    yield key, files
                    files = {}
                key = f"{folder}/{stem}"
                opened = archive.extractfile(member)
                files[extension] = opened.read() if opened is not None and _may_hold(extension) else b""
    except (tarfile.TarError, EOFError) as error:
        raise CannotAudit(f"{path} cannot be read: {error}; the shard may be cut off") from None
    if files:
        yield key, files


def _may_hold(extension: str) -> bool:
    """Whether a file is worth reading for labels; images and sounds are not."""
    return extension.rpartition(".")[2].lower() not in {"jpg", "jpeg", "png", "webp", "wav", "flac", "mp3", "mp4"}


def _label(files: dict[str, bytes], target: str | None, key: str, path: str) -> Any:
    field = ""
    if target is None:
        target = next((name for name in _USUAL if name in files), None)
        if target is None:
            raise CannotAudit(f"{path}: say which file of a sample holds its label with --target{nearest('', files)}")
    elif target not in files:
        target, _, field = target.partition(".")
    data = files.get(target)
    return None if data is None else _decoded(data, target, field, f"{path}: {key}.{target}")


def _decoded(data: bytes, extension: str, field: str, where: str) -> Any:
    """A label as WebDataset decodes it: by the last part of the extension."""
    kind = extension.rpartition(".")[2]
    try:
        if kind == "json":
            found = json.loads(data)
            return found.get(field) if field and isinstance(found, dict) else found
        if kind == "npy":
            return np.load(io.BytesIO(data), allow_pickle=False)
        if kind in {"pyd", "pickle", "pkl", "pth"}:
            raise CannotAudit(f"{where} would be run as code when it is read; refused")
        text = data.decode().strip()
    except (ValueError, UnicodeDecodeError) as error:
        raise CannotAudit(f"{where} cannot be read: {error}") from None
    try:
        return int(text) if kind in {"cls", "cls2", "class", "index", "inx", "id", "count"} else text
    except ValueError:
        return text


def shard_source(name: str, paths: list[str], target: str | None) -> Source:
    """A source of shards."""
    return Source(name, tuple(ShardPart(path, path, target) for path in paths), unit="sample", files=tuple(paths))
