"""Images: masks whose pixels are labels, and folders whose names are classes."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import numpy as np
import pyarrow as pa

from lossguard.audit.feeding import Labelled
from lossguard.audit.sources.part import Source
from lossguard.audit.trouble import CannotAudit, needs
from lossguard.records import dataclass

MASKS: Final = (".png", ".tif", ".tiff", ".bmp", ".gif")
IMAGES: Final = (*MASKS, ".jpg", ".jpeg", ".webp", ".ppm", ".pgm")
#: Modes whose pixels are numbers as they stand; a palette's pixels are its indices, which are the labels.
_NUMBERS: Final = {"1": "bool", "L": "uint8", "P": "uint8", "I;16": "uint16", "I": "int32", "F": "float32"}
#: How many masks are one part.
_TOGETHER: Final = 64


@dataclass(frozen=True, slots=True)
class MaskPart:
    """Some mask images. The labels are the pixels."""

    name: str
    paths: tuple[str, ...]

    def batches(self) -> Iterator[Any]:
        """One image after the other, each a sample."""
        for path in self.paths:
            yield _pixels(path)


def _pixels(path: str) -> Any:
    try:
        from PIL import Image, UnidentifiedImageError
    except ModuleNotFoundError:
        raise needs("pillow", "images", path) from None
    try:
        with Image.open(path) as image:
            mode = "I;16" if image.mode.startswith("I;16") else image.mode
            pixels = np.asarray(image)
    except (OSError, UnidentifiedImageError, SyntaxError, ValueError) as error:
        raise CannotAudit(f"{path} cannot be read: {error}") from None
    if mode in _NUMBERS:
        return pixels[None]
    colours = pixels[..., :3].astype(np.uint32)
    if mode == "LA":
        colours = np.repeat(pixels[..., :1], 3, axis=2).astype(np.uint32)
    packed = (colours[..., 0] << 16) | (colours[..., 1] << 8) | colours[..., 2]
    different, codes = np.unique(packed, return_inverse=True)
    words = pa.array([f"{mode} #{colour:06x}" for colour in different])
    labels = pa.ListArray.from_arrays([0, codes.size], pa.DictionaryArray.from_arrays(codes.reshape(-1), words))
    return Labelled(labels, mode, "column of colours")


@dataclass(frozen=True, slots=True)
class FolderPart:
    """The images of one class: the label is the folder's number among the sorted names."""

    name: str
    label: int
    count: int

    def batches(self) -> Iterator[Any]:
        """The label, as often as there are images."""
        yield np.full(self.count, self.label, np.int64)


def mask_source(name: str, paths: list[str]) -> Source:
    """Masks, one image a sample."""
    parts = tuple(MaskPart(path, (path,)) for path in paths)
    return Source(name, parts, unit="image", files=tuple(paths))


def folder_source(root: Path, folders: dict[str, int]) -> Source:
    """A tree of one folder for each class, as ImageFolder reads it."""
    names = sorted(folders)
    parts = tuple(FolderPart(str(root / name), number, folders[name]) for number, name in enumerate(names))
    return Source(
        str(root), parts, unit="image", names=tuple(names), notes=("labels are the names of folders, sorted",)
    )
