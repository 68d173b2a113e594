"""What the callbacks of Lightning and of the Trainer cost in a sound training: `python bench/frameworks.py`.

A round trains without and with the callback, side by side, in an order that rotates; shown are medians over rounds, of
CPU time on one thread. "guard" is the same training under `lossguard.guard()` instead, and "again" is the noise: a
callback should cost what the guard costs.
"""

from __future__ import annotations

import contextlib
import logging
import statistics
import sys
import tempfile
import time
import warnings
from collections.abc import Callable
from typing import Any

import torch
import torch.nn.functional as F  # noqa: N812 - its usual name
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

import lossguard

STEPS = 150


def lightning_fit() -> Callable[[bool], None]:
    """A small training of Lightning."""
    import lightning.pytorch as lightning

    from lossguard.integrations.lightning import LossguardCallback

    logging.getLogger("lightning.pytorch").setLevel(logging.ERROR)

    class Net(lightning.LightningModule):  # type: ignore[misc]
        def __init__(self) -> None:
            super().__init__()
            self.net = nn.Sequential(nn.Linear(64, 256), nn.ReLU(), nn.Linear(256, 10))

        def training_step(self, batch: Any, batch_idx: int) -> Any:
            del batch_idx
            return F.cross_entropy(self.net(batch[0]), batch[1])

        def configure_optimizers(self) -> Any:
            return torch.optim.SGD(self.parameters(), 0.01)

    data = TensorDataset(torch.randn(STEPS * 32, 64), torch.randint(10, (STEPS * 32,)))

    def fit(with_callback: bool) -> None:
        trainer = lightning.Trainer(
            max_epochs=1, accelerator="cpu", logger=False, enable_checkpointing=False, enable_progress_bar=False,
            enable_model_summary=False, callbacks=[LossguardCallback()] if with_callback else [],
        )  # fmt: skip
        trainer.fit(Net(), DataLoader(data, batch_size=32))

    return fit


def trainer_train() -> Callable[[bool], None]:
    """A small training of the Trainer."""
    import transformers

    from lossguard.integrations.transformers import LossguardCallback

    config = transformers.BertConfig(vocab_size=100, hidden_size=32, num_hidden_layers=1, num_attention_heads=2,
                                     intermediate_size=64, num_labels=5)  # fmt: skip
    data = [{"input_ids": torch.arange(16) % 100, "labels": number % 5} for number in range(STEPS * 8)]

    def train(with_callback: bool) -> None:
        with tempfile.TemporaryDirectory() as folder:
            settings = transformers.TrainingArguments(
                folder, max_steps=STEPS, per_device_train_batch_size=8, report_to=[], use_cpu=True, disable_tqdm=True,
                save_strategy="no", logging_strategy="no",
            )  # fmt: skip
            callbacks = [LossguardCallback()] if with_callback else []
            model = transformers.BertForSequenceClassification(config)
            with contextlib.redirect_stdout(None):
                transformers.Trainer(model=model, args=settings, train_dataset=data, callbacks=callbacks).train()

    return train


def guarded(work: Callable[[bool], None]) -> None:
    """The same work under a guard, without a callback."""
    with lossguard.guard():
        work(False)


def measure(work: Callable[[bool], None], rounds: int) -> dict[str, float]:
    """CPU seconds of each way to train, as ratios to the plain one: medians of paired rounds."""
    ways: dict[str, Callable[[], None]] = {
        "plain": lambda: work(False),
        "again": lambda: work(False),
        "callback": lambda: work(True),
        "guard": lambda: guarded(work),
    }
    taken: dict[str, list[float]] = {name: [] for name in ways}
    for number in range(rounds + 1):
        names = list(ways)
        for name in names[number % 4 :] + names[: number % 4]:
            start = time.process_time()
            ways[name]()
            if number:  # the first round warms up
                taken[name].append(time.process_time() - start)
    return {
        name: statistics.median(one / plain for one, plain in zip(times, taken["plain"], strict=True))
        for name, times in taken.items()
    }


def main() -> int:
    """Print a line for each framework."""
    torch.set_num_threads(1)
    warnings.simplefilter("ignore")
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 5
    for title, make in (("Lightning", lightning_fit), ("Trainer", trainer_train)):
        ratios = measure(make(), rounds)
        print(f"{title:10} " + ", ".join(f"{name} {ratio:.3f}" for name, ratio in ratios.items()))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
