"""LG408."""

from __future__ import annotations

from lossguard.contracts.contract import Meaning, Role
from lossguard.contracts.shapes import show
from lossguard.findings import Certainty, Finding, Fix, Severity
from lossguard.records import replace
from lossguard.rules.case import Case, Part
from lossguard.rules.rule import CANNOT_TELL, HOLDS, Answer, Cost, Rule, breaks, changes_values, count, passes
from lossguard.rules.saying import TorchMessage

_LOGS = "torch.randn(6, 2, 5).log_softmax(2), torch.ones(2, 3).long()"
#: A batch whose longest length is at most this part of its steps is padded for no sample.
_FEW = 0.75


class CtcLengthsMismatch(Rule):
    """The lengths given to ctc_loss do not fit its tensors, or a label sequence is longer than its input.

    Why it matters
        Lengths say how much of each row is read. Torch refuses lengths that are too long, negative or too
        few. A target that needs more steps than its input has cannot be aligned: the loss is infinite.

    Usual causes
        Lengths from before a convolution or pooling shortened the input; lengths of characters beside
        labels of words; the last, smaller batch with lengths made for a full one.

    Fix safety
        Correct lengths come from where the tensors are made. `zero_infinity=True` hides what cannot be
        aligned.
    """

    code = "LG408"
    seek = "lengths"
    cost = Cost.VALUES
    explains_everywhere = frozenset({"LG405"})
    says = (
        TorchMessage(
            "Expected input_lengths to have value at most 10, but got value 11",
            versions="1.3 and later",
            shows=(
                "Expected {input_lengths|target_lengths} to have value at {most|least} "
                "{n:number}, but got value {m:number}"
            ),
            certainty=Certainty.CERTAIN,
            weight=70,
        ),
        TorchMessage(
            ("Expected tensor to have size at least 5 at dimension 1, but got size 4 for argument #2 'targets'"),
            versions="1.0 and later",
            shows=(
                "Expected tensor to have size {?at least }{n:number} at dimension {m:number}, "
                "but got size {k:number} for argument #2 'targets'"
            ),
            certainty=Certainty.CERTAIN,
            weight=70,
        ),
        TorchMessage(
            "input_lengths must be of size batch_size",
            shows="_lengths must be {of size batch_size|integral}",
            certainty=Certainty.CERTAIN,
            weight=70,
        ),
    )
    verify = "print(log_probs.shape, targets.shape, input_lengths, target_lengths)"
    remedies = (
        changes_values(
            "take the input lengths from what the model gives, (T, N, C)",
            "torch.full((log_probs.size(1),), log_probs.size(0))",
        ),
    )
    examples = (
        breaks("F.ctc_loss", f"{_LOGS}, torch.tensor([6, 7]), torch.tensor([2, 3])", "raises RuntimeError"),
        breaks("F.ctc_loss", f"{_LOGS}, torch.tensor([6, 6]), torch.tensor([2, 4])", "raises RuntimeError"),
        breaks("F.ctc_loss", f"{_LOGS}, torch.tensor([6]), torch.tensor([2, 3])", "raises RuntimeError"),
        breaks("F.ctc_loss", f"{_LOGS}, torch.tensor([6, 1]), torch.tensor([2, 3])", "infinite"),
        passes("F.ctc_loss", f"{_LOGS}, torch.tensor([6, 6]), torch.tensor([2, 3])"),
    )

    def look(self, case: Case) -> Answer:
        """Broken when lengths are out of bounds, too few, or too short for the targets."""
        parts = [part for part in case.meaning(Meaning.LENGTHS) if part.spec.role is Role.LENGTHS and part.spec.bounds]
        if not parts:
            return HOLDS
        layout, found = case.meant.layout, list[Finding]()
        for part in parts:
            shape = part.facts.shape
            if layout is None or shape is None:
                return CANNOT_TELL
            if layout.bind(part.name, shape, case.meant.sizes) is None:
                found.append(self._too_few(case, part))
            elif part.facts.out_of_bounds:
                found.append(self._outside(case, part, part.facts.out_of_bounds))
        if not found and case.is_infinite:
            found.append(self._leaves_steps_out(case, parts[0]) or self._cannot_align(case, parts[-1]))
        return found or HOLDS

    def _too_few(self, case: Case, part: Part) -> Finding:
        wanted = case.meant.size("N") or 1
        number = part.facts.count
        message = f"{case.loss} needs one length for each of {wanted} samples; {part.name} has {number}"
        leader = case.meant.reading.leaders[0] if case.meant.reading else ""
        shape = case.shapes.get(leader)
        if shape is not None and len(shape) == 3 and shape[0] == number:
            cause = f"{leader} {show(shape)} is taken for (time, batch, classes), and looks like (batch, time, classes)"
            rest = ", ".join(other.name for other in case.parts if other.name != leader)
            fix = changes_values("put the time first", f"F.{case.loss}({leader}.transpose(0, 1), {rest})")
            return self.finding(case, part, message, cause=cause, fixes=[fix])
        return self.finding(case, part, message, fixes=[changes_values("give one length for each sample")])

    def _outside(self, case: Case, part: Part, number: int) -> Finding:
        bounds = part.facts.bounds
        longest = bounds.limit - 1 if bounds else "?"
        return self.finding(
            case,
            part,
            f"{case.loss} needs lengths from 0 to {longest}; {count(number, 'length')} in {part.name} "
            f"{'is' if number == 1 else 'are'} outside",
            fixes=_measured(case, part),
            samples=True,
        )

    def _leaves_steps_out(self, case: Case, part: Part) -> Finding | None:
        """Where the longest length is far below the steps that there are: lengths are made wrong, not labels."""
        bounds, longest = part.facts.bounds, part.facts.largest
        steps = bounds.limit - 1 if bounds is not None and bounds.limit is not None else 0
        if longest is None or part.name != "input_lengths" or longest > _FEW * steps:
            return None
        return self.finding(
            case,
            part,
            f"{case.loss} is infinite: a label sequence needs more steps than {part.name} leaves it, "
            f"{longest:,} of {steps:,} at most",
            severity=Severity.WARNING,
            certainty=Certainty.LIKELY,
            cause="a batch is as long as its longest input: lengths are shortened by more than the model shortens it",
            fixes=[changes_values("compute the lengths by what the model's own layers do to them")],
            steps=steps,
        )

    def _cannot_align(self, case: Case, part: Part) -> Finding:
        # Whether the labels are too many or the steps too few, no line tells.
        found = self.finding(
            case,
            part,
            f"{case.loss} is infinite: a label sequence needs more steps than its input has",
            severity=Severity.WARNING,
            certainty=Certainty.CERTAIN if part.facts.offenders else Certainty.LIKELY,
            samples=True,
            fixes=[changes_values("drop or shorten such samples", "zero_infinity=True", "hides their loss")],
        )
        return replace(found, seek="")


def _measured(case: Case, part: Part) -> list[Fix]:
    """The lengths as the tensors have them: all steps, where the input is not padded."""
    told = changes_values("compute the lengths from the tensors as the loss gets them")
    leader = case.parts[0].name
    if part.name != "input_lengths":
        return [told]
    whole = f"torch.full_like({part.name}, {leader}.size(0))"
    return [told, changes_values("take all steps of each sample", whole, "if none is padded")]
