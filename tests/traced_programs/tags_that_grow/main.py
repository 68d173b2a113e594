"""LG201: a vocabulary grows after the head was made by its length."""

import torch
import torch.nn as nn
from torch.nn.utils.rnn import pad_sequence
from torch.utils.data import DataLoader

from data import Vocab, encode, load_splits


class BiLSTMTagger(nn.Module):
    def __init__(self, n_words, n_tags, dim=32, hidden=32):
        super().__init__()
        self.emb = nn.Embedding(n_words, dim, padding_idx=0)
        self.lstm = nn.LSTM(dim, hidden, batch_first=True, bidirectional=True)
        self.fc = nn.Linear(2 * hidden, n_tags)

    def forward(self, x):
        h, _ = self.lstm(self.emb(x))
        return self.fc(h)


def collate(batch):
    xs = pad_sequence([torch.tensor(w) for w, _ in batch], batch_first=True, padding_value=0)
    ys = pad_sequence([torch.tensor(y) for _, y in batch], batch_first=True, padding_value=-100)
    return xs, ys


def run_epoch(model, loader, criterion, optimizer=None):
    model.train(optimizer is not None)
    total = 0.0
    for xs, ys in loader:
        logits = model(xs)
        loss = criterion(logits.flatten(0, 1), ys.flatten())
        if optimizer is not None:
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        total += loss.item()
    return total / len(loader)


def main():
    torch.manual_seed(1)
    train_sents, dev_sents = load_splits()
    words, tags = Vocab(["<pad>", "<unk>"]), Vocab(["O"])
    train_data = encode(train_sents, words, tags, grow_words=True)
    model = BiLSTMTagger(len(words), len(tags))  # guilty
    dev_data = encode(dev_sents, words, tags, grow_words=False)

    train_loader = DataLoader(train_data, batch_size=20, shuffle=True, collate_fn=collate)
    dev_loader = DataLoader(dev_data, batch_size=20, collate_fn=collate)
    criterion = nn.CrossEntropyLoss(ignore_index=-100)
    optimizer = torch.optim.Adam(model.parameters(), lr=5e-3)
    for epoch in range(3):
        tr = run_epoch(model, train_loader, criterion, optimizer)
        with torch.no_grad():
            dv = run_epoch(model, dev_loader, criterion)
        print(f"epoch {epoch}: train {tr:.4f} dev {dv:.4f}")


if __name__ == "__main__":
    main()
