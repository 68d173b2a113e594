import torch
from torch import nn


class ReviewEncoder(nn.Module):
    def __init__(self, vocabulary: int, max_length: int, dim: int, heads: int, labels: int):
        super().__init__()
        self.token = nn.Embedding(vocabulary, dim, padding_idx=0)
        self.position = nn.Embedding(max_length, dim)
        layer = nn.TransformerEncoderLayer(dim, heads, 2 * dim, dropout=0.1, batch_first=True)
        self.layers = nn.TransformerEncoder(layer, 1, enable_nested_tensor=False)
        self.head = nn.Linear(dim, labels)

    def forward(self, ids: torch.Tensor) -> torch.Tensor:
        places = torch.arange(ids.shape[1], device=ids.device)
        hidden = self.token(ids) + self.position(places)
        hidden = self.layers(hidden, src_key_padding_mask=ids == 0)
        return self.head(hidden[:, 0])
