import random

PEOPLE = ["anna", "bob", "carla", "dimitri", "eve"]
CITIES = ["paris", "oslo", "lima", "quito"]
ORGS = ["acme", "globex", "initech"]
EVENTS = ["olympics", "eurovision"]


def make_sentences(n, rng, with_events):
    sents = []
    for _ in range(n):
        s = [(rng.choice(PEOPLE), "B-PER"), ("went", "O"), ("to", "O"), (rng.choice(CITIES), "B-LOC")]
        if rng.random() < 0.5:
            s += [("for", "O"), (rng.choice(ORGS), "B-ORG")]
        if with_events and rng.random() < 0.3:
            s += [("during", "O"), (rng.choice(EVENTS), "B-EVT")]
        sents.append(s)
    return sents


class Vocab:
    def __init__(self, specials=()):
        self.stoi = {}
        for s in specials:
            self.add(s)

    def add(self, tok):
        return self.stoi.setdefault(tok, len(self.stoi))

    def get(self, tok, default):
        return self.stoi.get(tok, default)

    def __len__(self):
        return len(self.stoi)


def encode(sents, words, tags, grow_words):
    out = []
    for s in sents:
        if grow_words:
            w = [words.add(t) for t, _ in s]
        else:
            w = [words.get(t, 1) for t, _ in s]
        y = [tags.add(t) for _, t in s]
        out.append((w, y))
    return out


def load_splits(seed=0):
    rng = random.Random(seed)
    return make_sentences(200, rng, False), make_sentences(60, rng, True)
