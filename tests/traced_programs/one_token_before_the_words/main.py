"""LG210: a token is put before words that were cut to the longest length."""

import random

import torch
import torch.nn as nn

from tokenizer import PAD, WordTokenizer

MAX_LEN = 16
TOPICS = {
    "sports": "goal match coach league final striker keeper cup season fans".split(),
    "economy": "bank market shares inflation euro wages tax budget export growth".split(),
    "weather": "storm rain sunny wind snow flood degrees cloud heat frost".split(),
}
FILLER = "the of after in new big says from over with for before as more".split()


def headlines(n, seed):
    rng = random.Random(seed)
    out = []
    for _ in range(n):
        topic = rng.randrange(len(TOPICS))
        words = list(TOPICS.values())[topic]
        length = min(int(rng.gauss(9, 3.5)) + 3, 24)
        text = " ".join(rng.choice(words if rng.random() < 0.4 else FILLER) for _ in range(max(length, 3)))
        out.append((text, topic))
    return out


class HeadlineTransformer(nn.Module):
    def __init__(self, vocab_size, n_classes, dim=32, heads=4, max_len=MAX_LEN):
        super().__init__()
        self.tok = nn.Embedding(vocab_size, dim, padding_idx=PAD)
        self.pos = nn.Embedding(max_len, dim)
        layer = nn.TransformerEncoderLayer(dim, heads, 64, dropout=0.1, batch_first=True)
        self.encoder = nn.TransformerEncoder(layer, num_layers=1, enable_nested_tensor=False)
        self.head = nn.Linear(dim, n_classes)

    def forward(self, ids):
        positions = torch.arange(ids.size(1), device=ids.device)
        h = self.tok(ids) + self.pos(positions)
        h = self.encoder(h, src_key_padding_mask=ids == PAD)
        return self.head(h[:, 0])


def batches(rows, tokenizer, size, shuffle=False):
    rows = list(rows)
    if shuffle:
        random.shuffle(rows)
    for i in range(0, len(rows), size):
        texts, topics = zip(*rows[i:i + size])
        yield torch.tensor(tokenizer.batch(texts, MAX_LEN)), torch.tensor(topics)


if __name__ == "__main__":
    random.seed(2)
    torch.manual_seed(2)
    train, valid = headlines(200, seed=20), headlines(60, seed=21)
    tokenizer = WordTokenizer([t for t, _ in train])
    model = HeadlineTransformer(len(tokenizer), len(TOPICS))
    optimizer = torch.optim.AdamW(model.parameters(), lr=2e-3)
    criterion = nn.CrossEntropyLoss()
    for epoch in range(3):
        model.train()
        for ids, topics in batches(train, tokenizer, 20, shuffle=True):
            loss = criterion(model(ids), topics)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        model.eval()
        with torch.no_grad():
            right = sum((model(i).argmax(1) == t).sum().item() for i, t in batches(valid, tokenizer, 30))
        print(f"epoch {epoch}: loss {loss.item():.3f}, accuracy {right / len(valid):.2f}")
