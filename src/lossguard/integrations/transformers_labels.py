"""The labels of a training set against the classes of the model, before the Trainer takes its first step."""

from __future__ import annotations

import ast
import types
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any, Final

from lossguard.findings import Finding, Fix, Safety, Sample, Scope
from lossguard.guard.calls.sites import place_at
from lossguard.paths import source_lines
from lossguard.reports.report import Report
from lossguard.tracing.evidence.twin import ask_twin
from lossguard.tracing.program.sources import users_sources

#: This many labels are looked at before the training; what comes later is seen when its batch comes.
_MOST: Final = 1_000_000
_IGNORED: Final = -100
#: Seconds that a sample may take which is asked for once more.
_PATIENCE: Final = 5.0

#: What was found, and the arguments of a loss by which a fix can be checked.
Ahead = tuple[Report, Mapping[str, Any]]
_NOTHING: Final[Ahead] = (Report(), {})


def judged_ahead(args: Any, model: Any, loader: Any, frame: types.FrameType | None) -> Ahead:
    """Labels that the model has no class for, as far as column and model are within reach; nothing is raised.

    Nobody is accused for what stands in a column: the dataset and the collate function may still change it. So the
    first bad row is asked for as the loader would, in a twin; only what comes out bad there is told.
    """
    try:
        return _judged(tuple(args.label_names or ("labels", "label")), model, loader, frame)
    except Exception:  # noqa: BLE001 - a dataset may refuse anything; the guard sees the labels when their batch comes
        return _NOTHING


def _judged(names: tuple[str, ...], model: Any, loader: Any, frame: types.FrameType | None) -> Ahead:
    classes = _classes(model)
    column, labels = _labels_of(getattr(loader, "dataset", None), names)
    if classes is None or labels is None:
        return _NOTHING
    import torch

    from lossguard.judging import check

    rows = torch.as_tensor(labels)
    flat = rows.flatten()
    if flat.is_floating_point() or flat.numel() == 0:
        return _NOTHING
    # One row of scores, seen as many: whether a label is in range does not depend on them.
    scores = torch.zeros(1, classes).expand(flat.numel(), classes)
    found = check("cross_entropy", scores, flat, ignore_index=_IGNORED, deep=False)
    width = flat.numel() // len(rows)
    told = [each for each in found.findings if each.samples]
    if not told or not _comes_out_bad(loader, _row(told[0].samples[0], width), names, classes):
        return _NOTHING
    report = Report(tuple(_of_column(each, classes, column, flat, width, frame) for each in told))
    return report, {"input": scores, "target": flat}


def _classes(model: Any) -> int | None:
    """How many classes a model for classification has; None for any other."""
    config = getattr(model, "config", None)
    classes = getattr(config, "num_labels", None)
    kind = getattr(config, "problem_type", None)
    if not isinstance(classes, int) or classes < 2 or kind not in {None, "single_label_classification"}:
        return None
    return classes if "Classification" in type(model).__name__ else None


def _labels_of(dataset: Any, names: Iterable[str]) -> tuple[str, Any]:
    """The label column of a dataset that holds it as a whole, or of the one that it is a part of."""
    held, indices = vars(dataset), vars(dataset).get("indices")
    if "dataset" in held and indices is not None:
        column, labels = _labels_of(held["dataset"], names)
        return column, labels if labels is None else _array(labels)[_array(indices)]
    for name in names:
        whole: Any = held.get(name)
        if name in (getattr(dataset, "column_names", None) or ()):
            # A dataset of Hugging Face: this column alone, through whatever selection there is.
            whole = dataset.select_columns([name]).with_format("numpy")[:_MOST][name]
        if isinstance(whole, list | tuple) and whole and all(type(each) is int for each in whole[:_MOST]):
            whole = _array(whole[:_MOST])
        if hasattr(whole, "dtype") and hasattr(whole, "shape") and str(whole.dtype) != "object":
            return name, whole[:_MOST]
    return "", None


def _array(values: Any) -> Any:
    import torch

    return torch.as_tensor(values)


def _comes_out_bad(loader: Any, row: int, names: Iterable[str], classes: int) -> bool:
    """Whether the label of this row is still outside when the loader gives it."""

    def given() -> Iterator[bool]:
        batch = loader.collate_fn([loader.dataset[row]])
        labels = next(_array(batch[name]) for name in ("labels", *names) if name in batch)
        fits = (labels >= 0) & (labels < classes) | (labels == _IGNORED)
        yield not labels.is_floating_point() and not bool(fits.all())

    answer = ask_twin(given, _PATIENCE)
    if answer.value is not None:
        return answer.value
    # There is no twin here, or it had no answer: what no code of the user's touches is as it stands in the column.
    makers = (type(loader.dataset).__module__, type(loader.collate_fn).__module__, loader.collate_fn.__module__)
    written = {str(maker).partition(".")[0] for maker in makers} - {"builtins"}
    changed = (getattr(loader.dataset, "format", None) or {}).get("type") == "custom"
    return written <= {"datasets", "transformers"} and not changed


def _of_column(
    finding: Finding, classes: int, column: str, flat: Any, width: int, frame: types.FrameType | None
) -> Finding:
    """The finding, told of the column: how many rows have each label that does not fit, and the first of them."""
    outside = flat[((flat < 0) | (flat >= classes)) & (flat != _IGNORED)]
    values, counts = outside.unique(return_counts=True)
    pairs = [f"{int(value)} ({int(number):,})" for value, number in zip(values[:6], counts[:6], strict=True)]
    told = ", ".join(pairs) + (", ..." if len(values) > len(pairs) else "")
    message = (
        f"num_labels is {classes}, so labels go from 0 to {classes - 1}; {len(outside):,} of {flat.numel():,} in "
        f'column "{column}" of the training data are outside: {told}'
    )
    samples = tuple(Sample(index=_row(each, width), value=each.value) for each in finding.samples)
    fixes = tuple(_told_of_column(fix, column) for fix in finding.fixes if fix.code)
    if int(values[0]) >= 0:
        fixes += (_more_classes(int(values[-1]) + 1, classes, flat.numel(), frame),)
    return replace(
        finding,
        message=message,
        samples=samples,
        fixes=fixes,
        evidence={**finding.evidence, "column": column, "count": flat.numel()},
    )


def _row(sample: Sample, width: int) -> int:
    """The row of the dataset in which a label stands."""
    return (sample.position or (0,))[0] // width


def _told_of_column(fix: Fix, column: str) -> Fix:
    """A fix in words: what it is code for, the target of a loss, is no name in a program of the Trainer."""
    return replace(fix, title=f'{fix.title}, in column "{column}"', code="", step=None, proof=fix.code)


def _more_classes(needed: int, classes: int, labels: int, frame: types.FrameType | None) -> Fix:
    """More classes, at the line that says how many there are, if there is one and one only."""
    fix = Fix(
        f"load the model with num_labels={needed}",
        Safety.CHANGES_VALUES,
        reason="only if all these classes are meant",
        scope=Scope.SOURCE,
        checked=f"all {labels:,} labels of the column are then in range",
    )
    written = [] if frame is None else list(_lines_with_num_labels(frame, classes))
    if len(written) != 1:
        return fix
    ((file, number),) = written
    line = source_lines(file)[number.lineno - 1].encode()
    code = line[: number.col_offset] + str(needed).encode() + line[number.end_col_offset :]
    return replace(fix, code=code.decode().strip(), place=place_at(file, number.lineno))


def _lines_with_num_labels(frame: types.FrameType, classes: int) -> Iterator[tuple[str, ast.Constant]]:
    """Where the user's source gives the number of classes as a number."""
    for source in users_sources(frame):
        for node in ast.walk(source.tree):
            given: Mapping[str, ast.expr] = (
                {each.arg or "": each.value for each in node.keywords} if isinstance(node, ast.Call) else {}
            )
            value = given.get("num_labels")
            if isinstance(value, ast.Constant) and value.value == classes:
                yield source.filename, value
