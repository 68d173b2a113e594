"""LG501: the images are moved, the labels are not."""
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
data = TensorDataset(torch.rand(20, 8), torch.randint(0, 3, (20,)))
model = nn.Linear(8, 3).to(device)
criterion = nn.CrossEntropyLoss()
for x, y in DataLoader(data, batch_size=5):
    x = x.to(device)
    criterion(model(x), y).backward()  # LG501
