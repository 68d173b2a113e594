"""LG201: CS231-style homework 3: small CNN on 8x8 digits."""
import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F
from sklearn.datasets import load_digits
from torch.utils.data import DataLoader, Subset, TensorDataset


def get_loaders(batch_size=50):
    digits = load_digits()
    imgs = torch.tensor(digits.images / 16.0, dtype=torch.float32).unsqueeze(1)
    labels = torch.tensor(digits.target)
    full = TensorDataset(imgs, labels)
    order = np.random.RandomState(0).permutation(len(full))
    train, val = Subset(full, order[:1400]), Subset(full, order[1400:])
    return DataLoader(train, batch_size=batch_size, shuffle=True), DataLoader(val, batch_size=200)


class Flatten(nn.Module):
    def forward(self, x):
        return x.view(x.size(0), -1)


class DigitNet(nn.Module):
    def __init__(self):
        super(DigitNet, self).__init__()
        self.conv1 = nn.Conv2d(1, 8, kernel_size=3, padding=1)
        self.conv2 = nn.Conv2d(8, 16, kernel_size=3, padding=1)
        self.flatten = Flatten()
        self.fc1 = nn.Linear(16 * 2 * 2, 32)
        self.fc2 = nn.Linear(32, 9)  # guilty

    def forward(self, x):
        x = F.max_pool2d(F.relu(self.conv1(x)), 2)
        x = F.max_pool2d(F.relu(self.conv2(x)), 2)
        x = self.flatten(x)
        x = F.relu(self.fc1(x))
        return self.fc2(x)


def check_accuracy(loader, model):
    num_correct, num_samples = 0, 0
    model.eval()
    with torch.no_grad():
        for x, y in loader:
            preds = model(x).max(1)[1]
            num_correct += (preds == y).sum().item()
            num_samples += preds.size(0)
    print("Got %d / %d correct (%.2f)" % (num_correct, num_samples, 100 * num_correct / num_samples))


def train(model, optimizer, loader_train, loader_val, epochs=1, print_every=10):
    for e in range(epochs):
        for t, (x, y) in enumerate(loader_train):
            model.train()
            scores = model(x)
            loss = F.cross_entropy(scores, y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            if t % print_every == 0:
                print("Iteration %d, loss = %.4f" % (t, loss.item()))
        check_accuracy(loader_val, model)


torch.manual_seed(231)
loader_train, loader_val = get_loaders()
model = DigitNet()
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
check_accuracy(loader_val, model)
train(model, optimizer, loader_train, loader_val, epochs=2)
