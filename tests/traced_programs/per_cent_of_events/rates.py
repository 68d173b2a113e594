import pandas as pd

from mailings import SEGMENTS, count_events


def open_rates():
    counts = count_events()
    counts["sent"] = counts["open"] + counts["ignore"]
    counts["rate"] = (100 * counts["open"] / counts["sent"]).round(1)  # guilty
    wide = counts.pivot(index=["mailing", "hour", "length", "emoji"], columns="segment", values="rate")
    rates = wide.reset_index().melt(id_vars=["mailing", "hour", "length", "emoji"], value_vars=SEGMENTS,
                                    var_name="segment", value_name="rate").dropna()
    return rates.merge(counts[["mailing", "segment", "sent"]], on=["mailing", "segment"])


def features(rates):
    table = pd.DataFrame({
        "length": (rates["length"] - rates["length"].mean()) / rates["length"].std(),
        "emoji": rates["emoji"],
        "part_of_day": pd.cut(rates["hour"], [0, 9, 12, 17, 24], labels=False),
    })
    return table.join(pd.get_dummies(rates["segment"]).astype(float))


def to_samples():
    rates = open_rates()
    table = features(rates)
    samples = []
    for values, rate, sent in zip(table.to_numpy("float32"), rates["rate"], rates["sent"]):
        samples.append({"x": values, "rate": float(rate), "sent": float(sent)})
    return samples
