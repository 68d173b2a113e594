import torch
import torch.nn as nn


class CharLSTM(nn.Module):
    def __init__(self, n_chars, emb=16, hidden=48, layers=1):
        super().__init__()
        self.emb = nn.Embedding(n_chars, emb)
        self.lstm = nn.LSTM(emb, hidden, layers, batch_first=True)
        self.proj = nn.Linear(hidden, n_chars)

    def forward(self, x, state=None):
        out, state = self.lstm(self.emb(x), state)
        return self.proj(out), state

    @torch.no_grad()
    def sample(self, start, n, itos):
        x, state, text = torch.tensor([[start]]), None, ''
        for _ in range(n):
            logits, state = self(x, state)
            x = torch.multinomial(logits[:, -1].softmax(-1), 1)
            text += itos[x.item()]
        return text
