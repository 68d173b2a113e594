import numpy as np
import pandas as pd


def ensure_bars(cfg):
    if cfg.csv_path.exists():
        return
    rng = np.random.default_rng(21)
    frames = []
    for k, ticker in enumerate(cfg.tickers):
        close = 50 * np.exp(np.cumsum(rng.normal(0, 0.01, cfg.days)))
        volume = rng.integers(1_000, 90_000, cfg.days)
        if k == 3:
            volume[[22, 41]] = 0  # trading halts
        frames.append(pd.DataFrame({
            "ticker": ticker,
            "date": pd.date_range("2024-01-01", periods=cfg.days, freq="B"),
            "close": close.round(4),
            "volume": volume,
        }))
    pd.concat(frames).to_csv(cfg.csv_path, index=False)
