import json
from pathlib import Path

import numpy as np
import pandas as pd

from schema import MEASURES, SPECIES, Split


def survey(rows: int = 400, seed: int = 5) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    kind = rng.integers(0, len(SPECIES), rows)
    frame = pd.DataFrame({
        "plot": rng.integers(1, 30, rows),
        "height": 8 + 3 * kind + rng.normal(0, 2, rows),
        "girth": 60 + 12 * kind + rng.normal(0, 15, rows),
        "crown": rng.uniform(1, 9, rows),
        "species": [SPECIES[k].upper() for k in kind],
    })
    frame.loc[rng.choice(rows, 9, replace=False), "species"] = ""
    return frame


def clean(frame: pd.DataFrame) -> pd.DataFrame:
    return (
        frame
        .assign(species=lambda f: f["species"].str.lower())
        .query("species != ''")
        .reset_index(drop=True)
    )


def encode(frame: pd.DataFrame) -> pd.DataFrame:
    category = pd.CategoricalDtype(SPECIES, ordered=False)
    coded = frame.assign(code=lambda f: f["species"].astype(category).cat.codes)  # guilty
    coded[MEASURES] = coded[MEASURES].transform(lambda c: (c - c.mean()) / c.std())
    return coded


def write_cache(frame: pd.DataFrame, folder: Path) -> Path:
    folder.mkdir(exist_ok=True)
    path = folder / "inventory.npz"
    np.savez(path, features=frame[MEASURES].to_numpy("float32"), codes=frame["code"].to_numpy())
    (folder / "names.json").write_text(json.dumps(SPECIES))
    return path


def read_cache(path: Path) -> Split:
    with np.load(path) as archive:
        names = json.loads((path.parent / "names.json").read_text())
        return Split(archive["features"], archive["codes"], names)
