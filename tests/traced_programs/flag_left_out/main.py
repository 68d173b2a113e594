"""LG301: a model makes logarithms of probabilities only if it is told to."""
import torch
import torch.nn as nn
import torch.nn.functional as F
from sklearn.datasets import load_digits
from sklearn.preprocessing import MinMaxScaler

from networks import DigitNet

torch.manual_seed(4)
torch.set_num_threads(1)

digits = load_digits()
X = torch.tensor(MinMaxScaler().fit_transform(digits.data), dtype=torch.float32)
y = torch.tensor(digits.target)
X_lab, y_lab = X[:600], y[:600]
X_unl = X[600:1400]
X_test, y_test = X[1400:], y[1400:]


def accuracy(model):
    model.eval()
    with torch.no_grad():
        return (model(X_test).argmax(1) == y_test).float().mean().item()


# ---- teacher, on labelled digits ----
teacher = DigitNet(hidden=96, log_probs=True)
opt = torch.optim.Adam(teacher.parameters(), lr=3e-3)
for epoch in range(6):
    teacher.train()
    for idx in torch.randperm(len(X_lab)).split(50):
        opt.zero_grad()
        loss = F.nll_loss(teacher(X_lab[idx]), y_lab[idx])
        loss.backward()
        opt.step()
print("teacher accuracy", accuracy(teacher))

# ---- teacher answers on the unlabelled ones ----
teacher.eval()
with torch.no_grad():
    soft = teacher(X_unl).exp()

# ---- student ----
student = DigitNet(hidden=24)  # guilty
opt = torch.optim.Adam(student.parameters(), lr=3e-3)
criterion = nn.KLDivLoss(reduction="batchmean")

for epoch in range(8):
    student.train()
    total = 0.0
    for idx in torch.randperm(len(X_unl)).split(50):
        opt.zero_grad()
        loss = criterion(student(X_unl[idx]), soft[idx])
        loss.backward()
        opt.step()
        total += loss.item() * len(idx)
    print(f"epoch {epoch + 1}: distillation loss {total / len(X_unl):.4f}")

print("student accuracy", accuracy(student))
