"""LG403: the hidden state of the wrong layers is flattened into the batch."""

import os

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class SentimentLSTM(nn.Module):
    def __init__(self, vocab=30, emb=8, hidden=12, classes=2):
        super().__init__()
        self.embedding = nn.Embedding(vocab, emb)
        self.lstm = nn.LSTM(emb, hidden, batch_first=True, bidirectional=True)
        self.fc = nn.Linear(hidden, classes)

    def forward(self, x):
        x = self.embedding(x)
        out, (h, c) = self.lstm(x)
        out = out.contiguous().view(-1, 12)  # guilty
        return self.fc(out)


data = TensorDataset(torch.randint(0, 30, (20, 7)), torch.randint(0, 2, (20,)))
loader = DataLoader(data, batch_size=5, num_workers=int(os.environ.get("WORKERS", "0")))
model = SentimentLSTM()
criterion = nn.CrossEntropyLoss()
for inputs, labels in loader:
    output = model(inputs)
    loss = criterion(output, labels)
