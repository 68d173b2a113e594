import torch
from torch.utils.data import Dataset

TAGS = ["O", "B-PER", "I-PER", "B-LOC", "I-LOC"]
PAD_TAG = -100

RAW = """\
Anna/B-PER lives/O in/O Bonn/B-LOC
Mr/O Tom/B-PER Hill/I-PER left/O
New/B-LOC York/I-LOC is/O big/O
we/O like/O Acme/B-ORG a/O
trains/O to/O Rome/B-LOC stop/O
Oslo/B-LOC is/O cold/O
"""


def read_sentences():
    return [[tuple(tok.rsplit("/", 1)) for tok in line.split()] for line in RAW.splitlines()]


class NerDataset(Dataset):
    def __init__(self, sentences, max_len=4):
        self.sentences = sentences
        self.max_len = max_len
        self.word2id = {"<pad>": 0}
        for sent in sentences:
            for word, _ in sent:
                self.word2id.setdefault(word.lower(), len(self.word2id))
        self.tag2id = {tag: i for i, tag in enumerate(TAGS)}

    def __len__(self):
        return len(self.sentences)

    def _pad(self, ids, value):
        return ids + [value] * (self.max_len - len(ids))

    def __getitem__(self, item):
        sent = self.sentences[item]
        words = [self.word2id[w.lower()] for w, _ in sent]
        tags = [self.tag2id.get(t, -1) for _, t in sent]  # guilty
        return torch.tensor(self._pad(words, 0)), torch.tensor(self._pad(tags, PAD_TAG))
