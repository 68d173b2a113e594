"""`Learner(..., cbs=LossguardCallback())`: a training of fastai under guard."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from lossguard.integrations.callbacks import Watch, needed
from lossguard.reports.report import Report

if TYPE_CHECKING:
    from fastai.callback.core import Callback
else:
    Callback = needed("fastai.callback.core", "fastai").Callback


class LossguardCallback(Callback):  # type: ignore[misc]
    """Guard `fit` and `validate`; `report` holds what was found, with epoch and batch of the first time.

    `fix` applies what is lossless and goes on, `strict` makes findings fatal, `allow` names rules that may be broken.
    """

    def __init__(self, *, fix: bool = False, strict: bool = False, allow: Iterable[str] = ()) -> None:
        super().__init__()
        self._watch = Watch(fix=fix, strict=strict, allow=allow)
        self._fitting = False

    @property
    def report(self) -> Report:
        """What was found so far."""
        return self._watch.report

    def close(self) -> None:
        """End the guard, for programs that go on after a training that raised: fastai calls no hook then."""
        self._fitting = False
        self._watch.end()

    def before_fit(self) -> None:
        """Begin."""
        self._fitting = True
        self._watch.begin()

    def before_validate(self) -> None:
        """Begin, where it is a validation of its own."""
        self._watch.begin()

    def before_batch(self) -> None:
        """Remember where the training is."""
        learner = self.learn
        stage = "fit" if getattr(learner, "training", False) else "validate"
        self._watch.moment = {"stage": stage, "epoch": getattr(learner, "epoch", 0), "batch_idx": learner.iter}

    def after_validate(self) -> None:
        """End with a validation of its own."""
        if not self._fitting:
            self._watch.end()

    def after_fit(self) -> None:
        """End."""
        self.close()
