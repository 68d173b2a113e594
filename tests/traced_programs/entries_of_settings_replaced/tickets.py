"""Support tickets: a subject, a body, and how urgent it was."""
import random

URGENCY = ("low", "normal", "high")
STEMS = {"low": ["question", "typo", "suggestion", "colour"], "normal": ["slow", "login", "export", "invoice"],
         "high": ["outage", "lost", "security", "crash"]}
FILLER = "the our since please when page user account again it still after update".split()


def ticket(rng: random.Random):
    urgency = rng.choice(URGENCY)
    stems = STEMS[urgency]
    subject = [rng.choice(stems), rng.choice(FILLER)]
    body = [rng.choice(stems if rng.random() < 0.3 else FILLER) for _ in range(rng.randint(4, 12))]
    if rng.random() < 0.2:
        body.append(f"ref{rng.randint(100, 999)}")
    return subject + ["<sep>"] + body, urgency


def tickets(n: int, seed: int):
    rng = random.Random(seed)
    return [ticket(rng) for _ in range(n)]
