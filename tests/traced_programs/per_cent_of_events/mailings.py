import random

import pandas as pd

SEGMENTS = ["new", "loyal", "dormant"]


def send_log(mailings=300, seed=27):
    rng = random.Random(seed)
    for mailing in range(mailings):
        hour, length, emoji = rng.randint(6, 21), rng.randint(15, 90), rng.random() < 0.3
        for segment in SEGMENTS:
            chance = 0.1 + 0.15 * (segment == "loyal") + 0.05 * emoji + 0.1 * (hour in (8, 9, 20))
            sent = rng.randint(20, 60)
            for _ in range(sent):
                event = "open" if rng.random() < chance else "ignore"
                yield mailing, segment, hour, length, int(emoji), event


def count_events():
    columns = ["mailing", "segment", "hour", "length", "emoji", "event"]
    log = pd.DataFrame(send_log(), columns=columns)
    counts = log.pivot_table(index=columns[:5], columns="event", aggfunc="size", fill_value=0).reset_index()
    counts.columns.name = None
    return counts
