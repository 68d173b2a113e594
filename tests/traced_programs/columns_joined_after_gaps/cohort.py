"""Builds the modelling cohort from the two hospital extracts."""
from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd

NUMERIC = ["age", "length_of_stay", "n_medications", "n_prior", "creatinine"]
CATEGORICAL = ["ward", "admission_type"]


@dataclass(frozen=True)
class Cohort:
    train: pd.DataFrame
    valid: pd.DataFrame
    columns: list[str]


def read_visits(folder: Path) -> pd.DataFrame:
    visits = pd.read_csv(folder / "visits.csv", parse_dates=["admitted"])
    visits = visits.drop_duplicates("visit_id", keep="last")
    visits["weekend"] = (visits["admitted"].dt.dayofweek >= 5).astype("float32")
    visits["creatinine"] = visits["creatinine"].fillna(visits["creatinine"].median())
    return visits


def read_outcomes(folder: Path) -> pd.DataFrame:
    """One row a discharged visit: 0 none, 1 within 30 days, 2 within 90 days."""
    outcomes = pd.read_csv(folder / "outcomes.csv")
    return outcomes[["visit_id", "outcome"]]


def scale(frame: pd.DataFrame, columns: list[str]) -> pd.DataFrame:
    centre, spread = frame[columns].mean(), frame[columns].std()
    frame[columns] = (frame[columns] - centre) / spread
    return frame


def build(folder: Path, valid_fraction: float = 0.2, seed: int = 7) -> Cohort:
    visits = read_visits(folder)
    outcomes = read_outcomes(folder)
    cohort = visits.merge(outcomes, on="visit_id", how="left")  # guilty
    open_visits = cohort["outcome"].isna()
    print(f"{len(cohort)} visits, {int(open_visits.sum())} still open")
    cohort = cohort[~open_visits].reset_index(drop=True)

    cohort = scale(cohort, NUMERIC)
    dummies = pd.get_dummies(cohort[CATEGORICAL], dtype="float32")
    cohort = pd.concat([cohort, dummies], axis=1)
    columns = NUMERIC + ["weekend"] + list(dummies.columns)

    order = np.random.default_rng(seed).permutation(len(cohort))
    cut = int(len(order) * valid_fraction)
    return Cohort(cohort.iloc[order[cut:]], cohort.iloc[order[:cut]], columns)
