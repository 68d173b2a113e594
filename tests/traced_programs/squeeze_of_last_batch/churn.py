import torch
from torch.utils.data import Dataset


class ChurnTable(Dataset):
    cardinalities = {"plan": 3, "region": 6}
    num_numeric = 4

    def __init__(self, rows):
        g = torch.Generator().manual_seed(0)
        self.cats = torch.stack([torch.randint(0, c, (rows,), generator=g) for c in self.cardinalities.values()], 1)
        self.nums = torch.randn(rows, self.num_numeric, generator=g)
        self.churned = (self.nums[:, 0] + 0.5 * self.cats[:, 0] > 1.0)

    def __len__(self):
        return len(self.churned)

    def __getitem__(self, i):
        return {"cats": self.cats[i], "nums": self.nums[i], "churned": bool(self.churned[i])}


def collate_rows(rows):
    cats = torch.stack([r["cats"] for r in rows])
    nums = torch.stack([r["nums"] for r in rows])
    churned = torch.tensor([r["churned"] for r in rows], dtype=torch.float32)
    return cats, nums, churned
