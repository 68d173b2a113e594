"""`NeuralNetClassifier(..., callbacks=[LossguardCallback()])`: a training of skorch under guard."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from lossguard.integrations.callbacks import Watch, needed
from lossguard.reports.report import Report

if TYPE_CHECKING:
    from skorch.callbacks import Callback
else:
    Callback = needed("skorch.callbacks", "skorch").Callback


class LossguardCallback(Callback):  # type: ignore[misc]
    """Guard every `fit`, with its validation; `report` holds what was found, with epoch and batch of the first time.

    `fix` applies what is lossless and goes on, `strict` makes findings fatal, `allow` names rules that may be broken.
    """

    def __init__(self, *, fix: bool = False, strict: bool = False, allow: Iterable[str] = ()) -> None:
        # A callback is cloned by the names of these, as every estimator of scikit-learn is.
        self.fix, self.strict, self.allow = fix, strict, allow
        self._watch = Watch(fix=fix, strict=strict, allow=allow)
        self._batch = 0

    @property
    def report(self) -> Report:
        """What was found so far."""
        return self._watch.report

    def close(self) -> None:
        """End the guard, for programs that go on after a `fit` that raised: skorch calls no hook then."""
        self._watch.end()

    def on_train_begin(self, net: Any, X: Any = None, y: Any = None, **given: Any) -> None:  # noqa: N803 - skorch's name
        """Begin."""
        del net, X, y, given
        self._watch.begin()

    def on_epoch_begin(self, net: Any, **given: Any) -> None:
        """Count batches from 0."""
        del net, given
        self._batch = -1

    def on_batch_begin(self, net: Any, batch: Any = None, training: bool = False, **given: Any) -> None:
        """Remember where the training is."""
        del batch, given
        self._batch += 1
        stage = "fit" if training else "validate"
        self._watch.moment = {"stage": stage, "epoch": len(net.history) - 1, "batch_idx": self._batch}

    def on_train_end(self, net: Any, X: Any = None, y: Any = None, **given: Any) -> None:  # noqa: N803 - skorch's name
        """End."""
        del net, X, y, given
        self.close()
