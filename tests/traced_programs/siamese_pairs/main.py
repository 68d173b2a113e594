"""LG212: a comparison becomes 0 or 1 in the dataset."""
import torch
from torch import nn

from pairs import make_loader


class Encoder(nn.Module):
    def __init__(self, dim_in=30, dim=16):
        super().__init__()
        self.layers = nn.Sequential(nn.Linear(dim_in, 64), nn.ReLU(), nn.Linear(64, dim))

    def forward(self, x):
        return nn.functional.normalize(self.layers(x), dim=-1)


class SiameseTrainer:
    def __init__(self, encoder, margin=0.2, lr=5e-3):
        self.encoder = encoder
        self.criterion = nn.CosineEmbeddingLoss(margin=margin)
        self.optimizer = torch.optim.Adam(encoder.parameters(), lr=lr)
        self.log = []

    def training_step(self, left, right, same):
        return self.criterion(self.encoder(left), self.encoder(right), same)

    def train(self, loader, epochs):
        for _ in range(epochs):
            for batch in loader:
                loss = self.training_step(*batch)
                self.optimizer.zero_grad()
                loss.backward()
                self.optimizer.step()
                self.log.append(loss.detach().item())
        return self


if __name__ == "__main__":
    torch.manual_seed(4)
    trainer = SiameseTrainer(Encoder()).train(make_loader(batch_size=32), epochs=4)
    print("first", trainer.log[0], "last", trainer.log[-1])
