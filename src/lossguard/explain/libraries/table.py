"""All texts of libraries, in the order of the index."""

from __future__ import annotations

from typing import Final

from lossguard.explain.libraries import images, kernels, language, metrics
from lossguard.explain.libraries.text import Text

PARTS: Final[dict[str, tuple[Text, ...]]] = {
    "images": images.TEXTS,
    "metrics": metrics.TEXTS,
    "language": language.TEXTS,
    "kernels": kernels.TEXTS,
}
TEXTS: Final[tuple[Text, ...]] = tuple(text for part in PARTS.values() for text in part)
