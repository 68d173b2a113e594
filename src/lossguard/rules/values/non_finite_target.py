"""LG203."""

from __future__ import annotations

from lossguard.contracts.contract import Meaning
from lossguard.findings import Certainty, Finding, Fix, Severity
from lossguard.rules.case import Case, Part
from lossguard.rules.rewriting_calls import only_where
from lossguard.rules.rule import CANNOT_TELL, HOLDS, Answer, Cost, Rule, breaks, changes_values, count, passes
from lossguard.rules.saying import TorchMessage


class NonFiniteTarget(Rule):
    """The target holds NaN, infinity, or places without a value.

    Why it matters
        A missing label is no label. As a class index NaN has no meaning, and `.long()` turns it into
        -9223372036854775808, or into class 0 by way of uint8. As a probability or a number it makes the
        loss NaN, and with the first step every weight of the model.

    Usual causes
        A missing value in a table, which also made the whole column floating. A division by zero while
        normalising. A logarithm of zero or of a negative number.

    Fix safety
        None is lossless. Drop these samples, fill in the label, or mark them with the ignore index:
        that is for someone who knows the data.
    """

    code = "LG203"
    seek = "non-finite"
    cost = Cost.VALUES
    explains = frozenset({"LG101", "LG304", "LG305", "LG211"})
    says = (
        TorchMessage(
            "ValueError: cannot convert float NaN to integer",
            devices="numpy and pandas",
            shows="cannot convert float NaN to integer",
            weight=60,
            needs="labels",
        ),
        TorchMessage(
            "ValueError: cannot convert float NaN to integer",
            devices="numpy and pandas",
            shows="cannot convert float NaN to integer",
            certainty=Certainty.POSSIBLE,
            weight=40,
        ),
        TorchMessage(
            "IntCastingNaNError: Cannot convert non-finite values (NA or inf) to integer",
            devices="pandas",
            shows="Cannot convert non-finite values (NA or inf) to integer",
            certainty=Certainty.POSSIBLE,
        ),
        TorchMessage(
            "all elements of target should be between 0 and 1",
            devices="CPU",
            versions="2.1 and later",
            shows="all elements of target should be between 0 and 1",
            certainty=Certainty.POSSIBLE,
            weight=40,
            because="NaN counts as outside",
        ),
        TorchMessage(
            "Assertion `target_val >= zero && target_val <= one` failed",
            devices="CUDA",
            versions="2.1 and later",
            shows="target_val >= zero && target_val <= one",
            certainty=Certainty.POSSIBLE,
            weight=40,
            because="NaN counts as outside",
        ),
    )
    quotes_torch = False
    verify = "print(target.isnan().sum(), target.isinf().sum())"
    remedies = (changes_values("drop the samples without a label", 'frame.dropna(subset=["label"])'),)
    examples = (
        breaks(
            "F.cross_entropy",
            "torch.randn(3, 5), torch.tensor([1.0, float('nan'), 3.0])",
            "raises RuntimeError",
        ),
        breaks("F.cross_entropy", "torch.randn(2, 2), torch.tensor([[float('nan'), 1.0], [0.0, 1.0]])", "nan"),
        passes("F.cross_entropy", "torch.randn(2, 2), torch.tensor([[0.0, 1.0], [0.5, 0.5]])"),
    )

    def look(self, case: Case) -> Answer:
        """Broken when the target has values that are not finite."""
        target = case.target
        if target is None or (target.facts.all_finite is None and not target.facts.null):
            return CANNOT_TELL
        return HOLDS if target.facts.all_finite and not target.facts.null else self._describe(case, target)

    def _describe(self, case: Case, target: Part) -> Finding:
        facts = target.facts
        kinds = [
            count(facts.null or 0, "is missing", "are missing") if facts.null else "",
            count(facts.nan or 0, "value is NaN", "values are NaN") if facts.nan else "",
            count(facts.infinite or 0, "value is infinite", "values are infinite") if facts.infinite else "",
        ]
        said = " and ".join(filter(None, kinds))
        is_class = target.spec.meaning is Meaning.CLASS_INDICES
        is_label = target.spec.meaning in {Meaning.CLASS_INDICES, Meaning.LABEL_SEQUENCES}
        bounded = target.spec.bounds is not None and not target.spec.bounds.whole and case.is_enforced(target, "bounds")
        floating = is_class and not (facts.kind or "").startswith("column")
        harmless = not is_label and case.is_nan is False
        silent = is_class and facts.kind == "tensor" and not case.is_enforced(target, "dtype")
        return self.finding(
            case,
            target,
            f"{case.loss} needs a finite {target.name}; of {facts.count:,} values, {said}",
            severity=Severity.WARNING if harmless or silent else Severity.ERROR,
            cause="a missing value in the label column makes the whole column floating" if floating else "",
            fixes=_fixes(case, target, is_class=is_class),
            samples=True,
            refused=is_label or bounded,
        )


def _fixes(case: Case, target: Part, *, is_class: bool) -> list[Fix]:
    if target.facts.null:
        return [changes_values("drop the rows without a label", f"{target.name}.dropna()")]
    title, condition = "drop the samples without a label", f"{target.name}.isfinite()"
    drop = only_where(case, target, condition, title, cast=".long()" if is_class else "") or [changes_values(title)]
    if not is_class:
        return drop
    ignore = target.facts.bounds.ignore if target.facts.bounds else -100
    code = f"{target.name}.nan_to_num(nan={ignore}).long()"
    return [
        *drop,
        changes_values("leave them out of the loss", code, "a missing label becomes the ignore index"),
    ]
