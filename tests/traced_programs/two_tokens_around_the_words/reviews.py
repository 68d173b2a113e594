import random

GOOD = ["lovely", "sturdy", "perfect", "bright", "easy"]
BAD = ["flimsy", "noisy", "broken", "dull", "awkward"]
NEUTRAL = ["the", "chair", "lamp", "arrived", "on", "monday", "it", "is", "and", "very", "quite", "box"]


def write_reviews(count: int, longest: int, seed: int) -> list[tuple[list[str], int]]:
    rng = random.Random(seed)
    reviews = []
    for _ in range(count):
        label = rng.randrange(2)
        length = min(longest, 6 + int(rng.expovariate(1 / 7)))
        words = [rng.choice(NEUTRAL) if rng.random() < 0.7 else rng.choice(GOOD if label else BAD) for _ in range(length)]
        reviews.append((words, label))
    return reviews
