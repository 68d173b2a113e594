"""Two processes on gloo with DistributedDataParallel."""

import os
import tempfile

import torch
import torch.distributed as dist
import torch.multiprocessing as mp
from torch import nn
from torch.nn.parallel import DistributedDataParallel


def worker(rank, store):
    torch.manual_seed(rank)
    dist.init_process_group("gloo", init_method=f"file://{store}", rank=rank, world_size=2)
    model = DistributedDataParallel(nn.Linear(4, 3))
    loss = nn.CrossEntropyLoss()(model(torch.randn(6, 4)), torch.randint(3, (6,)))
    loss.backward()
    total = model.module.weight.grad.sum()
    dist.all_reduce(total)
    if rank == 0:
        print(f"{total.item():.6f}", flush=True)
    dist.destroy_process_group()


if __name__ == "__main__":
    os.environ["OMP_NUM_THREADS"] = "1"
    with tempfile.TemporaryDirectory() as folder:
        mp.spawn(worker, args=(os.path.join(folder, "store"),), nprocs=2)
