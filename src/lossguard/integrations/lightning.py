"""`Trainer(callbacks=[LossguardCallback()])`: a Lightning training under guard, with its findings in the loggers.

For `lightning` and for `pytorch_lightning`, whichever the program has imported; `lightning` where it has neither.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, Final

from lossguard.findings import Finding
from lossguard.integrations.callbacks import Watch, needed
from lossguard.reports.report import Report
from lossguard.reports.text import render_finding

if TYPE_CHECKING:
    from lightning.pytorch import Callback
elif sys.modules.get("pytorch_lightning") is not None and "lightning.pytorch" not in sys.modules:
    Callback = needed("pytorch_lightning", "pytorch-lightning").Callback
else:
    Callback = needed("lightning.pytorch", "lightning").Callback

#: What a moment of a training is told by.
_MOMENT: Final = ("stage", "epoch", "batch_idx", "dataloader_idx", "rank")


class LossguardCallback(Callback):  # type: ignore[misc]
    """Guard fit, validate, test and predict; say what was found once, and write it to the trainer's loggers.

    `fix` applies what is lossless and goes on, `strict` makes findings fatal, `allow` names rules that may be broken;
    with `sanity=False` the sanity check before training is not guarded. `report` holds what was found, with stage,
    epoch, batch, data loader and rank of the first time.
    """

    def __init__(
        self, *, fix: bool = False, strict: bool = False, allow: Iterable[str] = (), sanity: bool = True
    ) -> None:
        super().__init__()
        self._watch = Watch(fix=fix, strict=strict, allow=allow)
        self._sanity = sanity

    @property
    def report(self) -> Report:
        """What was found so far."""
        return self._watch.report

    def setup(self, trainer: Any, pl_module: Any, stage: str) -> None:
        """Begin."""
        del pl_module
        self._watch.moment = {"stage": stage, "rank": trainer.global_rank}
        self._watch.begin()

    def teardown(self, trainer: Any, pl_module: Any, stage: str) -> None:
        """End, and write what was found to the loggers."""
        del pl_module, stage
        self._watch.end()
        self._log(trainer)

    def on_exception(self, trainer: Any, pl_module: Any, exception: BaseException) -> None:
        """Explain what ends the training; Lightning calls no other hook afterwards."""
        del pl_module
        self._watch.examine(exception)
        self._watch.end()
        self._log(trainer)

    def on_sanity_check_start(self, trainer: Any, pl_module: Any) -> None:
        """Leave the sanity check alone, if that was asked for."""
        del trainer, pl_module
        if not self._sanity:
            self._watch.end()

    def on_sanity_check_end(self, trainer: Any, pl_module: Any) -> None:
        """Guard what comes after it."""
        del trainer, pl_module
        self._watch.begin()

    def on_train_batch_start(self, trainer: Any, pl_module: Any, batch: Any, batch_idx: int) -> None:
        """Remember where the training is."""
        del pl_module, batch
        self._at(trainer, "fit", batch_idx, 0)

    def on_validation_batch_start(
        self, trainer: Any, pl_module: Any, batch: Any, batch_idx: int, dataloader_idx: int = 0
    ) -> None:
        """Remember where the validation is."""
        del pl_module, batch
        self._at(trainer, "validate", batch_idx, dataloader_idx)

    def on_test_batch_start(
        self, trainer: Any, pl_module: Any, batch: Any, batch_idx: int, dataloader_idx: int = 0
    ) -> None:
        """Remember where the test is."""
        del pl_module, batch
        self._at(trainer, "test", batch_idx, dataloader_idx)

    def _at(self, trainer: Any, stage: str, batch: int, loader: int) -> None:
        self._watch.moment = {
            "stage": "sanity check" if trainer.sanity_checking else stage,
            "epoch": trainer.current_epoch,
            "batch_idx": batch,
            "dataloader_idx": loader,
            "rank": trainer.global_rank,
        }

    def _log(self, trainer: Any) -> None:
        """The findings as text where a logger takes text, and their number as a metric in all of them."""
        findings = self.report.findings
        text = "\n\n".join(map(_told, findings))
        for logger in trainer.loggers:
            logger.log_metrics({"lossguard/findings": float(len(findings))}, step=trainer.global_step)
            write = getattr(logger.experiment, "add_text", None)
            if findings and callable(write):
                # Text in TensorBoard is Markdown; four blanks keep it as it is.
                write("lossguard", "\n".join(f"    {line}" for line in text.splitlines()), trainer.global_step)
            elif findings and hasattr(logger, "log_text"):
                logger.log_text("lossguard", columns=["finding"], data=[[_told(each)] for each in findings])


def _told(finding: Finding) -> str:
    """A finding as text, with the moment at which it was first seen."""
    moment = ", ".join(f"{name} {finding.evidence[name]}" for name in _MOMENT if name in finding.evidence)
    return f"{render_finding(finding)}\n  seen     {moment}"
