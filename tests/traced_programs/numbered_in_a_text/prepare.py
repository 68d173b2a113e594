"""Builds the raw utterance file, the vocabulary and the label map."""
import csv
import json
import random

TEMPLATES = {
    "book_flight": ["book a flight to {c}", "i need a plane ticket to {c}"],
    "cancel": ["cancel my trip to {c}", "please drop the booking for {c}"],
    "greet": ["hello there", "good morning team"],
    "hotel": ["find me a hotel in {c}", "any room free in {c} tonight"],
    "weather": ["how is the weather in {c}", "will it rain in {c} today"],
}
CITIES = ["paris", "oslo", "rome", "tokyo", "lima"]


def write_utterances(path, n, rng):
    with open(path, "w", newline="") as fh:
        writer = csv.DictWriter(fh, fieldnames=["text", "intent"])
        writer.writeheader()
        for _ in range(n):
            intent = rng.choice(sorted(TEMPLATES))
            text = rng.choice(TEMPLATES[intent]).format(c=rng.choice(CITIES))
            writer.writerow({"text": text, "intent": intent})


def build_vocab(texts):
    tokens = sorted({tok for text in texts for tok in text.split()})
    vocab = {"<pad>": 0, "<unk>": 1}
    for tok in tokens:
        vocab[tok] = len(vocab)
    return vocab


def build_label_map(intents):
    return {name: idx for idx, name in enumerate(sorted(set(intents)), start=1)}  # guilty


def run(root, n=240, seed=0):
    root.mkdir(parents=True, exist_ok=True)
    write_utterances(root / "utterances.csv", n, random.Random(seed))
    with open(root / "utterances.csv") as fh:
        rows = list(csv.DictReader(fh))
    (root / "vocab.json").write_text(json.dumps(build_vocab(r["text"] for r in rows)))
    labels = build_label_map(r["intent"] for r in rows)
    (root / "labels.json").write_text(json.dumps(labels, indent=2))
