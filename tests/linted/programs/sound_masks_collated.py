"""sound: masks become int64 in the collate function, and 255 is the ignore index."""
import torch
from torch import nn
from torch.utils.data import DataLoader


def collate(samples):
    images, masks = zip(*samples)
    masks = torch.stack(masks).int()
    masks[:, 0] = 255
    return torch.stack(images), masks.long()


samples = [(torch.rand(3, 8, 8), torch.randint(0, 4, (8, 8))) for _ in range(8)]
net = nn.Conv2d(3, 4, 3, padding=1)
criterion = nn.CrossEntropyLoss(ignore_index=255)
for images, masks in DataLoader(samples, batch_size=4, collate_fn=collate):
    loss = criterion(net(images), masks)
