"""Turns the product table into compact arrays on disk."""
import json

import numpy as np

from catalog import product_table


def compact(df):
    """Shrinks the columns before they are cached."""
    out = df.copy()
    for name in out.columns:
        if name.startswith("f"):
            out[name] = out[name].astype("float32")
    out["product"] = out["product"].astype("int8")  # guilty
    out["in_stock"] = out["in_stock"].astype("uint8")
    return out


def run(cfg):
    cfg.workdir.mkdir(exist_ok=True)
    df = compact(product_table(cfg))
    features = [c for c in df.columns if c.startswith("f")] + ["in_stock"]
    np.save(cfg.workdir / "x.npy", df[features].to_numpy(np.float32))
    np.save(cfg.workdir / "y.npy", df["product"].to_numpy())
    meta = {"features": features, "n_classes": cfg.n_products, "rows": len(df)}
    (cfg.workdir / "meta.json").write_text(json.dumps(meta))
