import numpy as np
import pandas as pd


def product_table(cfg, seed=0):
    rng = np.random.default_rng(seed)
    product = rng.integers(0, cfg.n_products, cfg.n_rows)
    centers = rng.normal(size=(cfg.n_products, cfg.n_features))
    features = centers[product] + 0.3 * rng.normal(size=(cfg.n_rows, cfg.n_features))
    df = pd.DataFrame(features, columns=[f"f{i:02d}" for i in range(cfg.n_features)])
    df["product"] = product
    df["in_stock"] = rng.random(cfg.n_rows) < 0.9
    return df
