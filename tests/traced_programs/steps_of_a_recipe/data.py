import numpy as np
import torch
from sklearn.preprocessing import LabelEncoder
from torch.utils.data import DataLoader, TensorDataset

from listings import listings
from recipe import DEFAULT


class ListingData:
    def __init__(self, batch: int = 30) -> None:
        table = DEFAULT.bake(listings())
        self.encoder = LabelEncoder()
        y = self.encoder.fit_transform(table.pop("outcome"))
        x = table.to_numpy(dtype=np.float32, copy=True)
        self.width = x.shape[1]
        self.dataset = TensorDataset(torch.from_numpy(x), torch.from_numpy(y))
        self.batch = batch

    def batches(self) -> DataLoader:
        return DataLoader(self.dataset, batch_size=self.batch)
