"""`Trainer(..., callbacks=[LossguardCallback()])`: a training of Hugging Face's Trainer under guard.

The classic fault, labels that the model has no class for, is told before the first step: the label column of the
training data is looked at when the training begins.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from lossguard.guard.calls.sites import users_frame
from lossguard.integrations.callbacks import Watch, needed
from lossguard.integrations.transformers_labels import judged_ahead
from lossguard.reports.report import Report

if TYPE_CHECKING:
    from transformers import TrainerCallback
else:
    TrainerCallback = needed("transformers", "transformers").TrainerCallback


class LossguardCallback(TrainerCallback):  # type: ignore[misc]
    """Guard training and evaluation, and compare the labels with `num_labels` before the first step.

    `fix` applies what is lossless and goes on, `strict` makes findings fatal, `allow` names rules that may be broken.
    `report` holds what was found, with epoch and step of the first time.
    """

    def __init__(self, *, fix: bool = False, strict: bool = False, allow: Iterable[str] = ()) -> None:
        self._watch = Watch(fix=fix, strict=strict, allow=allow)
        self._training = False

    @property
    def report(self) -> Report:
        """What was found so far."""
        return self._watch.report

    def close(self) -> None:
        """End the guard, for programs that go on after a training that raised: the Trainer calls no hook then."""
        self._training = False
        self._watch.end()

    def on_train_begin(self, args: Any, state: Any, control: Any, **given: Any) -> None:
        """Look at the labels, then begin."""
        del control
        self._training = True
        self._watch.moment = {"epoch": 0, "step": state.global_step, "rank": args.process_index}
        self._watch.begin()
        frame = users_frame(sys._getframe())  # noqa: SLF001 - the line that calls `train`
        found, arguments = judged_ahead(args, given.get("model"), given.get("train_dataloader"), frame)
        try:
            self._watch.tell(found, arguments, frame)
        except Exception:
            # Strict, or a filter that makes errors of these warnings: the training ends here.
            self.close()
            raise

    def on_step_begin(self, args: Any, state: Any, control: Any, **given: Any) -> None:
        """Remember where the training is."""
        del control, given
        self._watch.moment = {"epoch": state.epoch, "step": state.global_step, "rank": args.process_index}

    def on_prediction_step(self, args: Any, state: Any, control: Any, **given: Any) -> None:
        """Guard an evaluation that is not part of a training from its second batch on: no hook comes before."""
        del args, state, control, given
        self._watch.begin()

    def on_evaluate(self, args: Any, state: Any, control: Any, **given: Any) -> None:
        """End with an evaluation of its own."""
        del args, state, control, given
        if not self._training:
            self._watch.end()

    def on_train_end(self, args: Any, state: Any, control: Any, **given: Any) -> None:
        """End."""
        del args, state, control, given
        self.close()
