"""sound: images and labels are moved, in a comprehension over the batch."""
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
data = TensorDataset(torch.rand(20, 8), torch.randint(0, 3, (20,)))
model = nn.Linear(8, 3).to(device)
criterion = nn.CrossEntropyLoss(weight=torch.tensor([1.0, 2.0, 3.0])).to(device)
for batch in DataLoader(data, batch_size=5):
    x, y = [part.to(device) for part in batch]
    criterion(model(x), y).backward()
