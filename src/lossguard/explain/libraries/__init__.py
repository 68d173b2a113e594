"""What other libraries say before torch does, and what torch's kernels say under a loss. One table, a row a text."""

from __future__ import annotations

from typing import Final

from lossguard.explain.libraries.images import IMAGES
from lossguard.explain.libraries.kernels import KERNELS
from lossguard.explain.libraries.language import LANGUAGE
from lossguard.explain.libraries.metrics import METRICS
from lossguard.explain.libraries.text import Text

TEXTS: Final[tuple[Text, ...]] = IMAGES + METRICS + LANGUAGE + KERNELS
