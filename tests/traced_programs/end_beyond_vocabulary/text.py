import torch
from torch.nn.utils.rnn import pad_sequence
from torch.utils.data import Dataset


class CharTokenizer:
    def __init__(self, corpus):
        chars = sorted(set("".join(corpus)))
        self.itos = ["<pad>", "<bos>"] + chars
        self.stoi = {c: i for i, c in enumerate(self.itos)}
        self.bos_id = self.stoi["<bos>"]
        self.eos_id = len(self.itos)  # guilty

    @property
    def vocab_size(self):
        return len(self.itos)

    def encode(self, text):
        return [self.bos_id] + [self.stoi[c] for c in text] + [self.eos_id]


class NameDataset(Dataset):
    def __init__(self, names, tok):
        self.names, self.tok = names, tok

    def __len__(self):
        return len(self.names)

    def __getitem__(self, idx):
        ids = torch.tensor(self.tok.encode(self.names[idx]))
        return ids[:-1], ids[1:]


def pad_batch(pairs):
    src, tgt = zip(*pairs)
    return pad_sequence(src, batch_first=True), pad_sequence(tgt, batch_first=True)
