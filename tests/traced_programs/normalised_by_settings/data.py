import torch
from sklearn.datasets import load_digits
from torch.utils.data import Dataset


class DigitImages(Dataset):
    def __init__(self, n, transform):
        self.images = load_digits().images[:n]
        self.transform = transform

    def __len__(self):
        return len(self.images)

    def __getitem__(self, i):
        image = torch.tensor(self.images[i], dtype=torch.float32)
        return self.transform(image)
