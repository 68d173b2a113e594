"""LG101: the reader of a text is told to make real numbers of all columns."""

# CS 446 - Homework 2, problem 3: feed-forward network on the banknote data
import numpy as np
import torch
import torch.nn as nn
import tempfile, os

np.random.seed(0)
torch.manual_seed(0)

# Part (a): generate the file that was handed out with the homework
folder = tempfile.mkdtemp()
fname = os.path.join(folder, "banknote.txt")
n = 400
cls = np.random.randint(0, 2, n)
feats = np.random.randn(n, 4) + np.stack([2 * cls, -cls, 0.5 * cls, np.zeros(n)], 1)
np.savetxt(fname, np.hstack([feats, cls[:, None]]), delimiter=",", fmt="%.5f")


# Part (b): load and split
def load_data(path, frac=0.75):
    raw = np.genfromtxt(path, delimiter=",", dtype=np.float32)  # guilty
    np.random.shuffle(raw)
    cut = int(frac * raw.shape[0])
    tr, te = raw[:cut], raw[cut:]
    mu, sd = tr[:, :-1].mean(0), tr[:, :-1].std(0)
    tr[:, :-1] = (tr[:, :-1] - mu) / sd
    te[:, :-1] = (te[:, :-1] - mu) / sd
    return tr, te


# Part (c): the network
class TwoLayerNet(nn.Module):
    def __init__(self, d_in, d_hidden, d_out):
        super().__init__()
        self.l1 = nn.Linear(d_in, d_hidden)
        self.l2 = nn.Linear(d_hidden, d_out)

    def forward(self, x):
        h = torch.tanh(self.l1(x))
        return self.l2(h)


# Part (d): training with minibatch SGD
def train(net, X, Y, lr=0.1, epochs=10, bs=25):
    loss_fn = nn.CrossEntropyLoss()
    optimizer = torch.optim.SGD(net.parameters(), lr=lr)
    history = []
    for e in range(epochs):
        order = torch.randperm(X.shape[0])
        total = 0
        for i in range(0, X.shape[0], bs):
            idx = order[i:i + bs]
            optimizer.zero_grad()
            out = net(X[idx])
            loss = loss_fn(out, Y[idx])
            loss.backward()
            optimizer.step()
            total += loss.item()
        history.append(total)
        print("epoch", e, "loss", total)
    return history


tr, te = load_data(fname)
X_train, Y_train = torch.from_numpy(tr[:, :-1]), torch.from_numpy(tr[:, -1])
X_test, Y_test = torch.from_numpy(te[:, :-1]), torch.from_numpy(te[:, -1])
net = TwoLayerNet(4, 10, 2)
train(net, X_train, Y_train)
with torch.no_grad():
    print("test accuracy", (net(X_test).argmax(1) == Y_test).float().mean().item())
