"""Two processes: what a rank of Lightning or Accelerate finds is brought home, with its number."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import textwrap
from pathlib import Path
from typing import Any

import pytest

import lossguard

#: Two processes on one machine. Only the second one has targets outside of 0 to 1.
RANKS = """
    import sys, torch, torch.nn.functional as F
    import pytorch_lightning as lightning
    from lossguard.integrations.lightning import LossguardCallback

    class Net(lightning.LightningModule):
        def __init__(self):
            super().__init__()
            self.net = torch.nn.Linear(4, 1)

        def training_step(self, batch, batch_idx):
            target = torch.ones(len(batch), 1) + self.global_rank
            return F.binary_cross_entropy_with_logits(self.net(batch), target)

        def configure_optimizers(self):
            return torch.optim.SGD(self.parameters(), 0.1)

    if __name__ == "__main__":
        callback = LossguardCallback()
        trainer = lightning.Trainer(
            accelerator="cpu", devices=2, strategy="ddp_spawn", max_epochs=1, accumulate_grad_batches=2, logger=False,
            enable_checkpointing=False, enable_progress_bar=False, enable_model_summary=False, callbacks=[callback],
        )
        trainer.fit(Net(), torch.utils.data.DataLoader(torch.randn(16, 4), batch_size=4))
        print(callback.report.to_json())
"""

ACCELERATED = """
    import torch, torch.nn.functional as F
    from accelerate import Accelerator
    accelerator = Accelerator(cpu=True)
    model = torch.nn.Linear(4, 3)
    data = torch.utils.data.TensorDataset(torch.randn(16, 4), torch.arange(16) % 3)
    model, loader = accelerator.prepare(model, torch.utils.data.DataLoader(data, batch_size=4))
    for features, labels in loader:
        accelerator.backward(F.nll_loss(model(features) + 5, labels))
    accelerator.wait_for_everyone()
"""


def script(folder: Path, source: str, *command: str) -> Any:
    """Run a program in processes of its own."""
    (folder / "train.py").write_text(textwrap.dedent(source).lstrip("\n"))
    environment = {**os.environ, "OMP_NUM_THREADS": "1", "PYTHONPATH": str(Path(lossguard.__file__).parents[1])}
    done = subprocess.run(
        [sys.executable, *command],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done


def test_ranks_of_pytorch_lightning_bring_home_what_they_find(tmp_path: Path) -> None:
    pytest.importorskip("pytorch_lightning")
    done = script(tmp_path, RANKS, "train.py")
    (finding,) = json.loads(done.stdout)["findings"]
    assert (finding["code"], finding["place"]["file"], finding["place"]["line"]) == ("LG205", "train.py", 12)
    assert {name: finding["evidence"][name] for name in ("rank", "epoch", "batch_idx")} == {
        "rank": 1, "epoch": 0, "batch_idx": 0,
    }  # fmt: skip


def test_accelerate_launches_two_guarded_processes(tmp_path: Path) -> None:
    pytest.importorskip("accelerate")
    launch = ["-m", "accelerate.commands.launch", "--multi_gpu", "--num_processes", "2", "--num_machines", "1",
              "--mixed_precision", "no", "--dynamo_backend", "no"]  # fmt: skip
    script(tmp_path, ACCELERATED, *launch, "-m", "lossguard", "run", "--report", "found.json", "train.py")
    report = json.loads((tmp_path / "found.json").read_text())
    assert report["ranks"] == [0, 1]
    assert [(each["code"], each["rank"], each["place"]["line"]) for each in report["findings"]] == [
        ("LG301", 0, 8), ("LG301", 1, 8),
    ]  # fmt: skip
