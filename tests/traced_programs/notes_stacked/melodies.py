import numpy as np

SCALE = [0, 2, 4, 5, 7, 9, 11]
NOTES = 36


def walk(rng, length):
    degree = int(rng.integers(4, 14))
    notes = []
    for _ in range(length):
        degree = int(np.clip(degree + rng.choice([-2, -1, 0, 1, 2], p=[0.1, 0.3, 0.2, 0.3, 0.1]), 0, 20))
        notes.append(12 * (degree // 7) + SCALE[degree % 7])
    return notes


def make_tunes(count=300, seed=23):
    rng = np.random.default_rng(seed)
    return [walk(rng, int(rng.integers(40, 90))) for _ in range(count)]


def make_windows(tunes, length=16, hop=8):
    for tune_id, tune in enumerate(tunes):
        for start in range(0, len(tune) - length, hop):
            piece = tune[start:start + length + 1]
            yield {"tune": tune_id, "given": np.array(piece[:-1]), "wanted": np.array(piece[1:])}
