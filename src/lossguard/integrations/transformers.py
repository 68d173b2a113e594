"""`Trainer(..., callbacks=[LossguardCallback()])`: a training of Hugging Face's Trainer under guard.

The classic fault, labels that the model has no class for, is told before the first step: the label column of the
training data is looked at when the training begins.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

from lossguard.findings import Finding
from lossguard.guard.errors import warn_at
from lossguard.guard.log_records import log
from lossguard.integrations.callbacks import Watch, needed
from lossguard.reports.report import Report
from lossguard.reports.text import render_finding

if TYPE_CHECKING:
    from transformers import TrainerCallback
else:
    TrainerCallback = needed("transformers", "transformers").TrainerCallback

#: This many labels are looked at before the training; what comes later is seen when its batch comes.
_MOST: Final = 1_000_000
_IGNORED: Final = -100


class LossguardCallback(TrainerCallback):  # type: ignore[misc]
    """Guard training and evaluation, and compare the labels with `num_labels` before the first step.

    `fix` applies what is lossless and goes on, `strict` makes findings fatal, `allow` names rules that may be broken.
    `report` holds what was found, with epoch and step of the first time.
    """

    def __init__(self, *, fix: bool = False, strict: bool = False, allow: Iterable[str] = ()) -> None:
        self._watch = Watch(fix=fix, strict=strict, allow=allow)
        self._ahead = Report()
        self._training = False

    @property
    def report(self) -> Report:
        """What was found so far."""
        return self._ahead + self._watch.report

    def close(self) -> None:
        """End the guard, for programs that go on after a training that raised: the Trainer calls no hook then."""
        self._training = False
        self._watch.end()

    def on_train_begin(self, args: Any, state: Any, control: Any, **given: Any) -> None:
        """Look at the labels, then begin."""
        del control
        self._training = True
        self._watch.moment = {"epoch": 0, "step": state.global_step, "rank": args.process_index}
        self._ahead = _judged_ahead(args, given.get("model"), given.get("train_dataloader"))
        for finding in self._ahead.findings:
            log(finding)
            warn_at(render_finding(finding), "<labels>", 0, "lossguard", {})
        self._watch.begin()

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


def _judged_ahead(args: Any, model: Any, loader: Any) -> Report:
    """The labels of the training data against the classes of the model, as far as both are within reach."""
    classes = getattr(getattr(model, "config", None), "num_labels", None)
    kind = getattr(getattr(model, "config", None), "problem_type", None)
    if not isinstance(classes, int) or classes < 2 or kind not in {None, "single_label_classification"}:
        return Report()
    if "Classification" not in type(model).__name__:
        return Report()
    column, labels = _labels_of(getattr(loader, "dataset", None), args.label_names or ["labels", "label"])
    if labels is None:
        return Report()
    import torch

    from lossguard.judging import check

    flat = torch.as_tensor(labels).flatten()
    if flat.is_floating_point() or flat.numel() == 0:
        return Report()
    seen, rows = _distinct(flat)
    # One row of scores for each label that occurs: whether it is in range does not depend on how often.
    found = check("cross_entropy", torch.zeros(len(seen), classes), seen, ignore_index=_IGNORED, deep=False)
    return Report(tuple(_in_column(each, classes, column, flat, seen, rows) for each in found.findings if each.samples))


def _distinct(flat: Any) -> tuple[Any, Any]:
    import torch

    seen, places = torch.unique(flat, return_inverse=True)
    rows = torch.full((len(seen),), flat.numel()).scatter_reduce(0, places, torch.arange(flat.numel()), "amin")
    return seen, rows


def _in_column(finding: Finding, classes: int, column: str, flat: Any, seen: Any, rows: Any) -> Finding:
    """The finding, told of the column: how many rows have each label that does not fit, and the first of them."""
    bad = {sample.value for sample in finding.samples}
    counts = {int(value): int((flat == value).sum()) for value in seen if value.item() in bad}
    first = {int(value): int(row) for value, row in zip(seen, rows, strict=True)}
    samples = tuple(replace(each, index=first.get(int(each.value or 0)), position=None) for each in finding.samples)
    told = ", ".join(f"{value} ({number:,})" for value, number in counts.items())
    outside = f"{sum(counts.values()):,} of {flat.numel():,}"
    return replace(
        finding,
        message=f'num_labels is {classes}, so labels go from 0 to {classes - 1}; {outside} in column "{column}" of the '
        f"training data are outside: {told}",
        samples=samples,
        evidence={**finding.evidence, "column": column, "count": flat.numel()},
    )


def _labels_of(dataset: Any, names: Iterable[str]) -> tuple[str, Any]:
    """The label column of a dataset that holds it as a whole; no sample is asked for."""
    for name in names:
        whole: Any = getattr(dataset, name, None)
        if name in (getattr(dataset, "column_names", None) or ()):
            # A dataset of Hugging Face: an array as a whole, through whatever selection there is.
            whole = dataset.with_format("numpy")[:_MOST][name]
        if hasattr(whole, "dtype") and hasattr(whole, "shape") and str(whole.dtype) != "object":
            return name, whole[:_MOST]
    return "", None
