"""LG201: labels of words are spread over tokens, and the special tokens get the next free id."""

import os

import torch
from torch import nn
from torch.nn.utils.rnn import pad_sequence
from torch.utils.data import DataLoader, Dataset

LABELS = ["O", "B-PER", "I-PER", "B-LOC", "I-LOC"]
label2id = {l: i for i, l in enumerate(LABELS)}
SENTENCES = [
    (["Ada", "lives", "in", "Rome"], ["B-PER", "O", "O", "B-LOC"]),
    (["Rome", "is", "old"], ["B-LOC", "O", "O"]),
    (["Bob", "Ray", "left"], ["B-PER", "I-PER", "O"]),
    (["We", "saw", "New", "York"], ["O", "O", "B-LOC", "I-LOC"]),
]


def align_labels(word_ids, labels):
    aligned = []
    for w in word_ids:
        if w is None:
            aligned.append(len(LABELS))  # guilty
        else:
            aligned.append(label2id[labels[w]])
    return aligned


class NER(Dataset):
    def __init__(self, sentences):
        self.sentences = sentences

    def __len__(self):
        return len(self.sentences)

    def __getitem__(self, i):
        words, labels = self.sentences[i]
        word_ids = [None, *range(len(words)), None]
        ids = torch.tensor([1, *[len(w) for w in words], 2])
        return {"input_ids": ids, "labels": torch.tensor(align_labels(word_ids, labels))}


def collate(features):
    return {
        "input_ids": pad_sequence([f["input_ids"] for f in features], batch_first=True),
        "labels": pad_sequence([f["labels"] for f in features], batch_first=True, padding_value=-100),
    }


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.emb = nn.Embedding(20, 8)
        self.cls = nn.Linear(8, len(LABELS))

    def forward(self, input_ids, labels=None):
        logits = self.cls(self.emb(input_ids))
        loss = None
        if labels is not None:
            loss = nn.CrossEntropyLoss()(logits.view(-1, len(LABELS)), labels.view(-1))
        return loss, logits


model = Model()
for batch in DataLoader(NER(SENTENCES), batch_size=2, collate_fn=collate, num_workers=int(os.environ.get("WORKERS", "0"))):
    loss, _ = model(**batch)
    loss.backward()
