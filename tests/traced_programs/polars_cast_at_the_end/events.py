import random
from datetime import datetime, timedelta

import polars as pl

DEPOTS = ["AMS", "BER", "CDG", "MAD", "WAW"]


def scan_events(parcels=900, seed=8):
    rng = random.Random(seed)
    start = datetime(2024, 3, 1)
    for parcel in range(parcels):
        moment = start + timedelta(minutes=rng.randint(0, 20000))
        for hop in range(rng.randint(3, 7)):
            moment += timedelta(minutes=rng.randint(15, 600))
            yield {"parcel": parcel, "time": moment, "depot": rng.choice(DEPOTS),
                   "weight": round(rng.uniform(0.1, 30), 2), "hop": hop,
                   "state": rng.choices(["moving", "held", "returned", "delivered"], [6, 2, 1, 3])[0]}


def build_table():
    table = pl.DataFrame(list(scan_events())).sort("parcel", "time")
    table = table.with_columns(
        pl.col("time").diff().over("parcel").dt.total_minutes().fill_null(0).alias("gap"),
        pl.col("weight").rolling_mean(3, min_samples=1).over("parcel").alias("weight_mean"),
        pl.col("time").dt.hour().alias("hour"),
    )
    return table.with_columns(
        pl.col("depot").rank("dense").cast(pl.Int64).sub(1).alias("depot_id"),
        pl.col("state").cast(pl.Enum(["moving", "held", "returned", "delivered"])).alias("state"),
    ).with_columns(state_id=pl.col("state").to_physical().cast(pl.Int16))  # guilty
