import csv
import json

import torch
from torch.nn.utils.rnn import pad_sequence
from torch.utils.data import DataLoader, Dataset, random_split


class IntentDataset(Dataset):
    def __init__(self, cfg):
        self.vocab = json.loads((cfg.root / "vocab.json").read_text())
        self.label_map = json.loads((cfg.root / "labels.json").read_text())
        self.max_len = cfg.max_len
        with open(cfg.root / "utterances.csv") as fh:
            self.rows = list(csv.DictReader(fh))

    @property
    def num_classes(self):
        return len(self.label_map)

    def encode(self, text):
        unk = self.vocab["<unk>"]
        return [self.vocab.get(t, unk) for t in text.split()][: self.max_len]

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, i):
        row = self.rows[i]
        return self.encode(row["text"]), self.label_map[row["intent"]]


def collate(samples):
    ids, labels = zip(*samples)
    tokens = pad_sequence([torch.tensor(x) for x in ids], batch_first=True)
    return {"tokens": tokens, "labels": torch.tensor(labels)}


def build_loaders(dataset, cfg, seed):
    n_val = len(dataset) // 5
    gen = torch.Generator().manual_seed(seed)
    train, val = random_split(dataset, [len(dataset) - n_val, n_val], generator=gen)
    return (
        DataLoader(train, cfg.batch_size, shuffle=True, collate_fn=collate),
        DataLoader(val, cfg.batch_size, collate_fn=collate),
    )
