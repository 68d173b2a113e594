"""LG403."""

from __future__ import annotations

from lossguard.contracts.shapes import show
from lossguard.findings import Certainty, Finding
from lossguard.rules.case import Case, Part
from lossguard.rules.rule import CANNOT_TELL, HOLDS, Answer, Rule, breaks, changes_values, passes
from lossguard.rules.saying import TorchMessage
from lossguard.rules.shapes.fitting import misfit, would_fit


class BatchSizeMismatch(Rule):
    """Input and target disagree on the number of samples.

    Why it matters
        Each row of the input needs its own label. When the first axes differ, some rows have none, or
        something that is no sample axis was taken for one.

    Usual causes
        `view(-1, k)` with a k that mixes samples; a sequence flattened on one side only; the image size
        that does not match a hard-coded flatten; a target from another batch; data parallel that split
        one and not the other.

    Fix safety
        Cutting one to the length of the other would pair rows with the wrong labels. Find the reshape.
    """

    code = "LG403"
    seek = "rows"
    explains = frozenset({"LG405"})
    says = (
        TorchMessage(
            "Expected input batch_size (32) to match target batch_size (64).",
            shows=("Expected input batch_size ({input_rows:number}) to match target batch_size ({target_rows:number})"),
            certainty=Certainty.CERTAIN,
            weight=70,
        ),
        TorchMessage(
            "input and target batch or spatial sizes don't match: target [4, 3, 3], input [2, 5, 3, 3]",
            devices="CUDA",
            shows=("input and target batch or spatial sizes dont match: target {target_shape}, input {input_shape}"),
            certainty=Certainty.POSSIBLE,
        ),
        TorchMessage(
            "Assertion `THIndexTensor_(size)(target, 0) == batch_size' failed.",
            devices="CPU",
            versions="1.3 and before",
            shows="(target, 0) == batch_size",
            weight=70,
        ),
        TorchMessage(
            "size mismatch (got input: [4, 5] , target: [3])",
            devices="CPU",
            shows="size mismatch (got input: {input_shape}, target: {target_shape}",
            certainty=Certainty.POSSIBLE,
        ),
    )
    verify = "print(input.shape, target.shape)"
    remedies = (
        changes_values("keep the batch axis when flattening features", "x.flatten(1)"),
        changes_values(
            "flatten both sides of a sequence alike", "loss_fn(logits.reshape(-1, classes), target.reshape(-1))"
        ),
    )
    examples = (
        breaks("F.cross_entropy", "torch.randn(8, 5), torch.zeros(4).long()", "raises ValueError"),
        breaks("F.cross_entropy", "torch.randn(8, 5, 3, 3), torch.zeros(4, 3, 3).long()", "raises ValueError"),
        passes("F.cross_entropy", "torch.randn(8, 5), torch.zeros(8).long()"),
    )

    def look(self, case: Case) -> Answer:
        """Broken when the shapes would fit if only the first sizes were the same."""
        target = case.target
        if target is None or case.meant.fits is None:
            return CANNOT_TELL
        shapes = misfit(case)
        if shapes is None:
            return HOLDS
        shape, labels = shapes
        if len(shape) < 2 or not labels or shape[0] == labels[0]:
            return HOLDS
        if not would_fit(case, shape, (shape[0], *labels[1:])):
            return HOLDS
        return self._describe(case, target, shape[0], labels[0])

    def _describe(self, case: Case, target: Part, rows: int, labels: int) -> Finding:
        given = case.input.name if case.input else "input"
        return self.finding(
            case,
            target,
            f"{case.loss} needs one label for each sample; {given} has {rows} and {target.name} has {labels}",
            cause=_cause(rows, labels),
            fixes=[changes_values("make the first axes agree where the tensors are reshaped")],
            input_shape=list(case.input.facts.shape or ()) if case.input else [],
            shown=show(target.facts.shape or ()),
        )


def _cause(rows: int, labels: int) -> str:
    if labels and rows and rows % labels == 0:
        return f"{rows // labels} rows for each label: a view of the scores spread one sample over several rows"
    if labels and rows and labels % rows == 0:
        each = labels // rows
        return f"{each} labels for each row: a view of the scores joined samples, or the target was flattened"
    return ""
