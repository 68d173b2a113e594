import numpy as np
import pandas as pd


def write_sales(path, n_stores=6, n_days=120, seed=2):
    rng = np.random.default_rng(seed)
    rows = []
    for store in range(n_stores):
        level = rng.uniform(80, 200)
        for day in range(n_days):
            sales = level * (1 + 0.2 * np.sin(2 * np.pi * day / 7)) + rng.normal(0, 5)
            closed = store in (3, 4) and day in (61, 93)
            rows.append((store, day, day % 7, 0.0 if closed else round(sales, 2)))
    pd.DataFrame(rows, columns=["store", "day", "weekday", "sales"]).to_csv(path, index=False)


def build_feature_table(sales_csv, out_csv):
    frame = pd.read_csv(sales_csv).sort_values(["store", "day"])
    by_store = frame.groupby("store")["sales"]
    for lag in (1, 2, 7):
        frame[f"lag_{lag}"] = by_store.shift(lag) / 100.0
    frame["growth"] = by_store.pct_change()  # guilty
    frame["next_growth"] = frame.groupby("store")["growth"].shift(-1)
    frame["sales"] = frame["sales"] / 100.0
    frame = frame.drop(columns="growth").dropna()
    frame.to_csv(out_csv, index=False)
