import torch
from torch import nn


class Trainer:
    def __init__(self, model, lr, clip=1.0):
        self.model, self.clip = model, clip
        self.loss_function = nn.CrossEntropyLoss()
        self.optimizer = torch.optim.Adam(model.parameters(), lr=lr)
        self.history = []

    def compute(self, batch):
        return self.loss_function(self.model(batch["given"]), batch["wanted"])

    def fit(self, loader, epochs):
        for epoch in range(epochs):
            total = 0.0
            for batch in loader:
                loss = self.compute(batch)
                self.optimizer.zero_grad()
                loss.backward()
                nn.utils.clip_grad_norm_(self.model.parameters(), self.clip)
                self.optimizer.step()
                total += loss.item()
            self.history.append(total / len(loader))
            print("epoch", epoch, self.history[-1])
