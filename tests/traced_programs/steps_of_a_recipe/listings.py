import numpy as np
import pandas as pd


def listings(rows: int = 300, seed: int = 91) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    area = rng.gamma(6, 15, rows)
    views = rng.negative_binomial(1, 0.02, rows)
    sold = rng.random(rows) < 1 / (1 + np.exp(-(views - 90) / 60))
    return pd.DataFrame({
        "area": area,
        "price": area * rng.normal(3200, 400, rows),
        "views": views,
        "age_days": rng.integers(1, 400, rows),
        "outcome": np.select([sold, rng.random(rows) < 0.3], ["sold", "withdrawn"], "open"),
    })
