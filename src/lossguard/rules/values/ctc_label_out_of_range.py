"""LG211."""

from __future__ import annotations

from lossguard.contracts.contract import Meaning
from lossguard.findings import Certainty, Finding, Fix, Severity
from lossguard.rules.case import Case, Part
from lossguard.rules.rule import (
    CANNOT_TELL,
    HOLDS,
    Answer,
    Cost,
    Rule,
    breaks,
    changes_values,
    count,
    passes,
)
from lossguard.rules.saying import CTC, TorchMessage

_CALL = "torch.randn(6, 1, 5).log_softmax(2), torch.tensor([[{}]]), torch.tensor([6]), torch.tensor([3])"


class CtcLabelOutOfRange(Rule):
    """A label of ctc_loss is negative, not below the number of classes, or the blank itself.

    Why it matters
        Torch checks no label of ctc_loss, on any device. A label out of range reads and writes beside the
        buffer: a garbage loss, or a process that dies of a corrupted heap some time later. The blank
        inside a label sequence gives a number that means nothing.

    Usual causes
        Padding of -1 or -100 that the target lengths do not cut off; labels that count from 1 in a model
        whose last class is C - 1; a blank that is not where the labels leave room for it; lengths of
        another batch.

    Fix safety
        None is lossless. Padding beyond the target lengths is never read and may be anything.
    """

    code = "LG211"
    seek = "values"
    cost = Cost.VALUES
    quotes_torch = False  # each operation has words of its own
    says = (
        TorchMessage(
            (
                'Assertion `label >= 0 && label < num_labels && "ctc_loss: target label out of '
                'range [0, num_labels)"` failed'
            ),
            devices="CUDA",
            versions="builds after 2.13",
            shows="label >= 0 && label < num_labels",
            certainty=Certainty.CERTAIN,
            weight=80,
        ),
        TorchMessage(
            "ctc_loss: target label out of range",
            versions="builds after 2.13",
            shows="ctc_loss: target label out of range",
            certainty=Certainty.CERTAIN,
            weight=80,
        ),
        TorchMessage(
            "free(): invalid next size (fast)",
            devices="CPU",
            shows="free(): invalid {pointer|size|next size}",
            ops=CTC,
            certainty=Certainty.POSSIBLE,
            weight=40,
            because="ctc_loss checks no label and writes beside its memory",
        ),
        TorchMessage(
            "double free or corruption (out)",
            devices="CPU",
            shows="double free or corruption",
            ops=CTC,
            certainty=Certainty.POSSIBLE,
            weight=40,
        ),
        TorchMessage(
            "malloc(): corrupted top size",
            devices="CPU",
            shows="malloc(): {corrupted|invalid|memory corruption|unsorted|mismatching}",
            ops=CTC,
            certainty=Certainty.POSSIBLE,
            weight=40,
        ),
        TorchMessage(
            "munmap_chunk(): invalid pointer",
            devices="CPU",
            shows="munmap_chunk(): invalid pointer",
            ops=CTC,
            certainty=Certainty.POSSIBLE,
            weight=40,
        ),
        TorchMessage(
            "corrupted size vs. prev_size",
            devices="CPU",
            shows="corrupted size vs. prev_size",
            ops=CTC,
            certainty=Certainty.POSSIBLE,
            weight=40,
        ),
        TorchMessage(
            "CUDA error: an illegal memory access was encountered",
            devices="CUDA",
            shows="an illegal memory access was encountered",
            ops=CTC,
            certainty=Certainty.POSSIBLE,
            weight=40,
            needs="no assert",
            because="ctc_loss checks no label on the device",
        ),
    )
    verify = "print(targets.min(), targets.max(), log_probs.shape[-1], blank)"
    examples = (
        breaks("F.ctc_loss", _CALL.format("1, -1, 2"), "corrupts"),
        breaks("F.ctc_loss", _CALL.format("1, 5, 2"), "corrupts"),
        breaks("F.ctc_loss", _CALL.format("1, 0, 2"), "silent"),
        passes("F.ctc_loss", _CALL.format("1, 2, 2")),
        passes("F.ctc_loss", _CALL.format("1, 2, 2, -1")),
    )

    def look(self, case: Case) -> Answer:
        """Broken when a label within its length is out of bounds or the blank."""
        found: list[Finding] = []
        for part in case.meaning(Meaning.LABEL_SEQUENCES):
            facts = part.facts
            if facts.out_of_bounds is None or facts.excluded is None:
                return CANNOT_TELL
            if facts.out_of_bounds:
                found.append(self._outside(case, part, facts.out_of_bounds))
            elif facts.excluded:
                found.append(self._blank(case, part, facts.excluded))
        return found or HOLDS

    def _outside(self, case: Case, part: Part, number: int) -> Finding:
        values = [*(part.facts.below_values or {}), *(part.facts.above_values or {})]
        shown = ", ".join(f"{value:g}" for value in values[:6])
        return self.finding(
            case,
            part,
            f"{case.loss} needs labels from 0 to {(case.classes or 1) - 1} and checks none; {count(number, 'label')} "
            f"within the target lengths {'is' if number == 1 else 'are'} outside: {shown}, which corrupts memory",
            cause="padding that the target lengths do not cut off" if -1 in values or -100 in values else "",
            fixes=[_shortened(case, part)],
            samples=True,
            outside=values,
        )

    def _blank(self, case: Case, part: Part, number: int) -> Finding:
        blank = part.facts.bounds.excluded if part.facts.bounds else 0
        return self.finding(
            case,
            part,
            f"{case.loss} uses {blank} as the blank, which no label may be; {count(number, 'label')} within the "
            f"target lengths {'is' if number == 1 else 'are'} {blank}",
            severity=Severity.WARNING,
            cause="labels that count from 0 beside a blank of 0, or padding that the lengths do not cut off",
            fixes=[changes_values("leave room for the blank", f"{part.name} + 1", "and one more class")],
            samples=True,
        )


def _shortened(case: Case, part: Part) -> Fix:
    """The lengths without the padding, where each sample has a row of its own and padding is negative."""
    title, facts = "make the target lengths end before the padding", part.facts
    if facts.shape is None or len(facts.shape) != 2 or facts.above:
        return changes_values(title)
    first, lengths = case.parts[0].name, f"({part.name} >= 0).sum(1)"
    code = f"F.{case.loss}({first}, {part.name}.clamp(min=0), input_lengths, {lengths})"
    return changes_values(title, code, "padding counts no longer")
