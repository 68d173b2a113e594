"""LG202: tags are padded with -1, and the loss ignores -100."""
import torch
from torch import nn
from torch.nn.utils.rnn import pad_sequence
from torch.utils.data import DataLoader, Dataset

N_TAGS = 5


class Tagged(Dataset):
    def __init__(self, sentences):
        self.sentences = sentences

    def __len__(self):
        return len(self.sentences)

    def __getitem__(self, i):
        words, tags = self.sentences[i]
        return torch.tensor(words), torch.tensor(tags)


def collate(batch):
    words, tags = zip(*batch)
    return pad_sequence(words, batch_first=True), pad_sequence(tags, batch_first=True, padding_value=-1)


class Tagger(nn.Module):
    def __init__(self):
        super().__init__()
        self.embed = nn.Embedding(100, 16)
        self.rnn = nn.LSTM(16, 16, batch_first=True)
        self.head = nn.Linear(16, N_TAGS)

    def forward(self, words):
        out, _ = self.rnn(self.embed(words))
        return self.head(out)


data = Tagged([([1, 2, 3], [0, 1, 2]), ([4, 5], [3, 4])])
model, criterion = Tagger(), nn.CrossEntropyLoss()
for words, tags in DataLoader(data, batch_size=2, collate_fn=collate):
    logits = model(words)
    loss = criterion(logits.view(-1, N_TAGS), tags.view(-1))  # LG202
