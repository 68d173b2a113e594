from collections.abc import Callable
from dataclasses import dataclass

import pandas as pd

TASKS: dict[str, "Task"] = {}


@dataclass
class Task:
    name: str
    classes: int
    make: Callable[[pd.DataFrame], pd.Series]
    weight: float = 1.0


def task(name: str, classes: int, weight: float = 1.0):
    def register(function):
        TASKS[name] = Task(name, classes, function, weight)
        return function
    return register


@task("carrier", classes=3)
def carrier(frame: pd.DataFrame) -> pd.Series:
    return frame["carrier"].map({"air": 0, "road": 1, "sea": 2})


@task("late", classes=2, weight=0.5)
def late(frame: pd.DataFrame) -> pd.Series:
    return (frame["delivered"] - frame["promised"]).gt(pd.Timedelta(days=1))  # guilty
