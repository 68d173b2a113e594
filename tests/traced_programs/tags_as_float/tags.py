import random

from sklearn.preprocessing import MultiLabelBinarizer

TOPICS = {
    "sport": "goal team match coach league score".split(),
    "money": "bank market shares profit tax rate".split(),
    "science": "cell star theory data lab orbit".split(),
    "food": "bread soup salt oven taste lemon".split(),
}


def articles(n, seed):
    rng = random.Random(seed)
    texts, tags = [], []
    for _ in range(n):
        chosen = rng.sample(sorted(TOPICS), rng.choice([1, 1, 2, 3]))
        words = [rng.choice(TOPICS[rng.choice(chosen)]) for _ in range(14)]
        texts.append(" ".join(words))
        tags.append(chosen)
    return texts, tags


class TagEncoder:
    def __init__(self):
        self.binarizer = MultiLabelBinarizer()

    def fit(self, tags):
        self.binarizer.fit(tags)
        return self

    def __call__(self, tags):
        return self.binarizer.transform(tags).astype(float)  # guilty
