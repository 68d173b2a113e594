import pandas as pd
import torch
from torch.utils.data import Dataset


class VisitDataset(Dataset):
    def __init__(self, frame: pd.DataFrame, columns: list[str], target: str = "outcome"):
        self.features = torch.tensor(frame[columns].to_numpy("float32"))
        self.target = torch.tensor(frame[target].to_numpy())

    def __len__(self) -> int:
        return len(self.target)

    def __getitem__(self, index: int):
        return self.features[index], self.target[index]
