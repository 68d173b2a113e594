"""From signs to faults that are possible: what each sign, with each loss and each word of code, has meant."""

from __future__ import annotations

from typing import Final

from lossguard.explain import causes as rule
from lossguard.explain.candidates import Candidate, best_of, rule_in
from lossguard.explain.pasted_code import CodeFault, faults_in_code
from lossguard.explain.signs import Signs, signs_of
from lossguard.explain.telling import Telling
from lossguard.explain.told_shapes import Misfit, misfits
from lossguard.findings import Certainty
from lossguard.records import dataclass
from lossguard.rules.saying import BINARY, CLASS_LOSSES, CTC, REAL_LOSSES, TorchMessage

_CUT: Final = "values.truncated_class_target"
_DOMAIN: Final = "values.value_outside_domain"

_ENTROPY: Final = frozenset({"cross_entropy", "linear_cross_entropy"})
_NLL: Final = frozenset({"nll_loss"})
_KL: Final = frozenset({"kl_div"})
_MEANS: Final = frozenset({"mse_loss", "l1_loss", "smooth_l1_loss", "huber_loss"})
_ANY: Final[frozenset[str]] = frozenset()
#: Where the text names no loss at all.
_UNNAMED: Final = frozenset({"none"})


@dataclass(frozen=True, slots=True)
class Symptom:
    """With this sign, one of these losses and all of these words, this fault is possible."""

    sign: str
    #: Empty where the loss does not matter.
    losses: frozenset[str]
    words: tuple[str, ...]
    module: str
    weight: int
    #: Why, in a sentence that begins with what was seen.
    because: str


SYMPTOMS: Final[tuple[Symptom, ...]] = (
    # Below zero
    Symptom(
        "negative",
        BINARY,
        (),
        rule.UNIT_TARGET,
        80,
        "binary cross-entropy is below 0 only when a target is below 0 or above 1",
    ),
    Symptom(
        "negative",
        _ANY,
        ("normalised",),
        rule.UNIT_TARGET,
        75,
        "a mask that is normalised like an image is no longer 0 and 1",
    ),
    Symptom(
        "negative",
        _ANY,
        ("sigmoid",),
        rule.UNIT_TARGET,
        65,
        "a loss below 0 after a sigmoid: targets above 1, such as 255",
    ),
    Symptom(
        "negative",
        _NLL,
        (),
        rule.SCORES,
        80,
        "nll_loss is below 0 when it is given scores that are no log-probabilities",
    ),
    Symptom("negative", _NLL, ("softmax",), rule.PROBABILITIES, 85, "nll_loss of softmax output lies between -1 and 0"),
    Symptom("negative", _NLL, (), rule.PROBABILITIES, 70, "nll_loss of probabilities lies between -1 and 0"),
    Symptom(
        "negative",
        _KL,
        ("log",),
        rule.SOFT,
        85,
        "with log-probabilities given, kl_div is below 0 only for a target that does not sum to 1",
    ),
    Symptom("negative", _KL, (), rule.PROBABILITIES, 80, "kl_div is below 0 when its input is no logarithm"),
    Symptom("negative", _KL, (), rule.SCORES, 70, "kl_div is below 0 when its input is raw scores"),
    Symptom("negative", _KL, (), rule.SOFT, 60, "kl_div is below 0 when the target does not sum to 1"),
    Symptom(
        "negative",
        _ENTROPY,
        (),
        rule.SOFT,
        60,
        "cross_entropy is below 0 only for probability targets that are none, or negative weights",
    ),
    Symptom("negative", _ENTROPY, (), rule.ARGUMENT, 45, "a negative class weight makes cross_entropy negative"),
    Symptom("negative", CTC, (), rule.SCORES, 75, "ctc_loss is below 0 when it is given scores without log_softmax"),
    Symptom(
        "negative",
        frozenset({"gaussian_nll_loss", "poisson_nll_loss"}),
        (),
        _DOMAIN,
        20,
        "a density may exceed 1, so this loss may be below 0",
    ),
    Symptom(
        "negative", _UNNAMED, (), rule.UNIT_TARGET, 50, "a binary cross-entropy with targets outside 0 to 1 is below 0"
    ),
    Symptom("negative", _UNNAMED, (), rule.SCORES, 45, "nll_loss of raw scores is below 0"),
    Symptom("negative", _UNNAMED, (), rule.PROBABILITIES, 35, "nll_loss of probabilities lies between -1 and 0"),
    # Not finite
    Symptom(
        "inf",
        CTC,
        (),
        rule.CTC_LENGTHS,
        90,
        "ctc_loss is inf for a sample with more labels than frames, repeats counted twice",
    ),
    Symptom(
        "nan", CTC, (), rule.CTC_LENGTHS, 80, "an infinite ctc_loss turns into NaN with the next step of the optimizer"
    ),
    Symptom(
        "nan",
        CTC,
        (),
        rule.CTC_LABEL,
        60,
        "a label that is the blank, or beyond the classes, makes ctc_loss read foreign memory",
    ),
    Symptom("nan", CTC, (), rule.NAN_INPUT, 55, "the log-probabilities hold NaN"),
    Symptom("inf", CTC, (), rule.CTC_LABEL, 55, "a label that is the blank, or beyond the classes"),
    Symptom("nan", _ANY, ("ignored",), rule.IGNORED, 88, "the mean over a batch whose labels are all ignored is 0 / 0"),
    Symptom("inf", _ANY, ("half",), rule.HALF, 85, "float16 ends at 65504"),
    Symptom("nan", _ANY, ("half",), rule.HALF, 75, "float16 ends at 65504, and inf minus inf is NaN"),
    Symptom("nan", _ANY, ("missing",), rule.NAN_TARGET, 84, "a missing value in the target is NaN, and so is its loss"),
    Symptom("nan", _ANY, ("minus infinity",), rule.NAN_INPUT, 82, "a score of -inf times 0 is NaN"),
    Symptom("nan", BINARY, ("sigmoid",), rule.NAN_INPUT, 62, "the network gives NaN before the sigmoid does"),
    Symptom("nan", _KL, (), rule.NAN_INPUT, 66, "log of 0 in the input: take log_softmax"),
    Symptom("nan", _NLL, (), rule.NAN_INPUT, 66, "log of a softmax that came out 0: take log_softmax"),
    Symptom("nan", _MEANS, (), rule.NAN_TARGET, 64, "a regression target with a missing value"),
    Symptom("nan", _MEANS, (), _DOMAIN, 40, "a root or logarithm of a negative number on the way to the loss"),
    Symptom("nan at once", _ANY, (), rule.NAN_TARGET, 58, "NaN from the first step on is most often in the data"),
    Symptom(
        "nan at once", _ANY, (), rule.NAN_INPUT, 56, "NaN from the first step on: features, or weights of the network"
    ),
    Symptom(
        "nan later", _ANY, (), rule.NAN_INPUT, 58, "NaN from some step on: one sample, or weights that have blown up"
    ),
    Symptom("nan later", _ANY, (), rule.NAN_TARGET, 54, "NaN from some step on: the first batch with a missing value"),
    Symptom("nan", _ANY, (), rule.NAN_INPUT, 50, "the input of the loss holds NaN or infinity"),
    Symptom("nan", _ANY, (), rule.NAN_TARGET, 48, "the target holds NaN"),
    Symptom("nan", CLASS_LOSSES, (), rule.IGNORED, 40, "the mean over a batch whose labels are all ignored is 0 / 0"),
    Symptom("inf", _ANY, (), rule.NAN_INPUT, 52, "log of 0, or scores that have blown up"),
    Symptom("inf", _ANY, (), rule.HALF, 40, "float16 ends at 65504"),
    # Stays where it is
    Symptom(
        "at chance",
        _ENTROPY,
        ("softmax",),
        rule.LOGITS,
        92,
        "cross_entropy takes logits and has its own softmax: after a second one it hardly moves",
    ),
    Symptom(
        "stuck",
        _ENTROPY,
        ("softmax",),
        rule.LOGITS,
        90,
        "cross_entropy takes logits and has its own softmax: after a second one it hardly moves",
    ),
    Symptom(
        "stuck",
        frozenset({"binary_cross_entropy_with_logits"}),
        ("sigmoid",),
        rule.LOGITS,
        90,
        "the loss has its own sigmoid: after a second one all values lie between 0.5 and 0.73",
    ),
    Symptom(
        "at chance",
        frozenset({"binary_cross_entropy_with_logits"}),
        ("sigmoid",),
        rule.LOGITS,
        90,
        "the loss has its own sigmoid: after a second one all values lie between 0.5 and 0.73",
    ),
    Symptom(
        "at chance",
        _ANY,
        (),
        rule.LOGITS,
        55,
        "the loss stays at the logarithm of the number of classes: a softmax or sigmoid twice is one cause",
    ),
    Symptom(
        "stuck",
        _MEANS,
        (),
        rule.BROADCAST,
        60,
        "with (N, 1) against (N,) every prediction is compared with every target, and the mean wins",
    ),
    Symptom("stuck", _ENTROPY | BINARY, (), rule.LOGITS, 50, "a softmax or sigmoid before a loss that has its own"),
    Symptom("layout", CLASS_LOSSES, (), rule.AXIS, 60, "cross_entropy takes the classes on axis 1: NCHW, not NHWC"),
    Symptom(
        "beyond one", _ANY, (), rule.UNIT_TARGET, 78, "an overlap above 1: the masks hold 255 or other values above 1"
    ),
    Symptom("zero", CTC, (), rule.CTC_LENGTHS, 60, "zero_infinity makes a loss 0 whose text is longer than its frames"),
    Symptom("broadcast", _MEANS, (), rule.BROADCAST, 88, "(N, 1) against (N,) becomes (N, N)"),
    Symptom("broadcast", _ANY, ("loss call",), rule.BROADCAST, 60, "(N, 1) against (N,) becomes (N, N)"),
    # Too good
    Symptom("perfect", _ANY, ("cast",), _CUT, 85, "a cast to integers makes every label between 0 and 1 a 0"),
    Symptom("zero", _ANY, ("cast",), _CUT, 80, "a cast to integers makes every label between 0 and 1 a 0"),
    Symptom("perfect", _ANY, (), _CUT, 45, "all labels are the same class, as after a cast of fractions"),
    Symptom(
        "zero",
        CLASS_LOSSES,
        (),
        rule.AXIS,
        50,
        "cross_entropy over one class is 0: the network has one output, or the classes stand on another axis",
    ),
    Symptom("zero", _ANY, (), _CUT, 40, "all labels are the same class, as after a cast of fractions"),
    Symptom("zero", REAL_LOSSES, (), rule.UNIT_TARGET, 10, "the target is the input"),
)


def symptoms(telling: Telling) -> list[Candidate]:
    """The faults that a text without an error may be about: what its code decides first, then what its loss shows."""
    text = "\n".join(telling.lines)
    found = [_from_code(fault) for fault in faults_in_code(text)]
    if not telling.is_source:
        signs = signs_of(text)
        found += [_candidate(row) for row in SYMPTOMS if _fits(row, signs)]
        found += [_from_shapes(misfit) for misfit in misfits(text)]
    return best_of(found)


def _fits(row: Symptom, signs: Signs) -> bool:
    return (
        row.sign in signs.seen
        and (not row.losses or bool(row.losses & (signs.losses or _UNNAMED)))
        and all(word in signs.words for word in row.words)
    )


def _candidate(row: Symptom) -> Candidate:
    saying = TorchMessage(
        "", certainty=Certainty.POSSIBLE, weight=row.weight, cause=row.because, warns=row.sign not in _FATAL
    )
    return Candidate(rule_in(row.module), saying, {}, row.weight, Certainty.POSSIBLE, verify="")


def _from_shapes(misfit: Misfit) -> Candidate:
    saying = TorchMessage("", certainty=Certainty.POSSIBLE, weight=misfit.weight, cause=misfit.because)
    return Candidate(rule_in(misfit.module), saying, {}, misfit.weight, Certainty.POSSIBLE, verify="")


def _from_code(fault: CodeFault) -> Candidate:
    certainty = Certainty.LIKELY if fault.is_shown else Certainty.POSSIBLE
    saying = TorchMessage(
        "", certainty=certainty, weight=fault.weight, cause=fault.because, warns=fault.module == rule.LOGITS
    )
    return Candidate(rule_in(fault.module), saying, {}, fault.weight, certainty, verify=fault.verify)


_FATAL: Final = frozenset({"nan", "nan at once", "nan later"})
