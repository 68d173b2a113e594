from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pandas as pd

Step = Callable[[pd.DataFrame], pd.DataFrame]


def unit_price(frame: pd.DataFrame) -> pd.DataFrame:
    return frame.assign(unit_price=frame["price"] / frame["area"] / 1000.0)


def log_counts(frame: pd.DataFrame) -> pd.DataFrame:
    with np.errstate(divide="ignore"):
        logged = {c: np.log(frame[c]) for c in ("views", "age_days")}  # guilty
    return frame.assign(**logged)


def shrink(frame: pd.DataFrame) -> pd.DataFrame:
    return frame.assign(area=frame["area"] / 100.0).drop(columns="price")


@dataclass
class Recipe:
    steps: list[Step]

    def bake(self, frame: pd.DataFrame) -> pd.DataFrame:
        for step in self.steps:
            frame = step(frame)
        return frame


DEFAULT = Recipe([unit_price, log_counts, shrink])
