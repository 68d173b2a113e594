"""Causes and fixes to choose from, a row each: by operation, by sign and size of the value, by the argument named."""

from __future__ import annotations

from typing import Final

from lossguard.explain.choices.choice import Choice
from lossguard.explain.choices.shapes import SHAPES
from lossguard.explain.choices.values import VALUES

CHOICES: Final[tuple[Choice, ...]] = VALUES + SHAPES
