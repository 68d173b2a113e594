"""LG102: masks are made int32 in the collate function."""
import torch
from torch import nn
from torch.utils.data import DataLoader


def collate(samples):
    images, masks = zip(*samples)
    return torch.stack(images), torch.stack(masks).int()


samples = [(torch.rand(3, 8, 8), torch.randint(0, 4, (8, 8))) for _ in range(8)]
net = nn.Conv2d(3, 4, 3, padding=1)
for images, masks in DataLoader(samples, batch_size=4, collate_fn=collate):
    loss = nn.CrossEntropyLoss()(net(images), masks)  # LG102
