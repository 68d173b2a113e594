from torch import nn
import torch.nn.functional as F


class CharLM(nn.Module):
    def __init__(self, vocab_size, hidden):
        super().__init__()
        self.embed = nn.Embedding(vocab_size, hidden, padding_idx=0)
        self.gru = nn.GRU(hidden, hidden, batch_first=True)
        self.proj = nn.Linear(hidden, vocab_size)

    def forward(self, src):
        states, _ = self.gru(self.embed(src))
        return self.proj(states)

    def loss(self, src, tgt):
        logits = self(src)
        return F.cross_entropy(logits.transpose(1, 2), tgt, ignore_index=0)
