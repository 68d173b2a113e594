"""What a text without an error shows: the course of its loss, the losses it names, and words of code that matter."""

from __future__ import annotations

import math
import re
from typing import Final

from lossguard.explain.operations import is_statement, operation
from lossguard.records import dataclass

_VALUE: Final = r"-?\d{1,12}(?:\.\d{1,20})?(?:e[+-]?\d{1,3})?|[+-]?nan|[+-]?inf(?:inity)?"
#: `loss: 2.30`, `train_loss=nan`, `"loss": "14.9"`, `loss is tensor(-0.1)`, `MSE 0.2`.
_LOSS: Final = (
    r"((?:[a-z][\w./-]{0,30}[ _/-])?)(?:loss(?:es)?|cost|nll|bce|kld?|elbo|ctc|mse|cross[ "
    r"_]?entropy)(?:[_/ ]?\w{1,12}){0,2}[\"')\]]{0,3}\s{0,3}"
    r"(?:is|was|of|at|to|near|goes|->|=>|[:=|,])?\s{0,3}[\"'(]?(?:tensor\(\s{0,2}\[{0,2})?(" + _VALUE + r")(?![\w.]*/)"
)
#: Losses that may well be negative, and values that a best loss starts from.
_SIGNED: Final = (
    r"policy|actor|critic|entropy_|entropy |\bpg|gradient|surrogate|\b[dg]_|gan|disc|gen|"
    r"contrast|elbo|reward|\bq_|s[dn]r|advers|flow|gauss|poisson"
)
_SIGNED_TEXT: Final = (
    r"\bppo\b|\bsac\b|\bddpg\b|\ba2c\b|reinforce|wgan|critic|si-?s[dn]r|normali[sz]ing "
    r"flow|elbo|log_std|approx_kl|rollout/|ep_rew|policy_"
)
_START: Final = r"(?:from|best\w{0,12}[ :=]{1,3})\s?\+?inf(?:inity)?\b|\binf(?:inity)?\s?(?:-+>|\u2192|to \d)"
_RESULT: Final = r"(?:->|>>>|=>|\bis|#|^|\n)\s{0,3}tensor\(\s{0,2}(" + _VALUE + r")"
_ACCURACY: Final = (
    r"(?:acc(?:uracy)?|accuray|iou|dice(?: coeff?)?|f1)\w{0,8}[\"')\]]{0,2}\s{0,3}[:=|]?\s{0,3}(" + _VALUE + r")\s?(%?)"
)
#: What cannot exceed 1 while the masks are 0 and 1.
_OVERLAP: Final = r"(?:iou|dice)(?:[ _]?(?:score|coef\w{0,6}))?[\"')\]]{0,2}\s{0,3}[:=|]\s{0,3}(" + _VALUE + r")\s?(%?)"
_PERFECT: Final = 1.001
#: Short names of losses, as people write them.
_SHORT: Final = (
    (r"\bctc\b", "ctc_loss"),
    (r"\bbce[ _]?with[ _]?logits\b", "binary_cross_entropy_with_logits"),
    (r"\bbce\b", "binary_cross_entropy"),
    (r"\bnll\b", "nll_loss"),
    (r"\bmse\b", "mse_loss"),
    (r"\bkl[ -]?d", "kl_div"),
    (r"\bcross[ -]entropy\b", "cross_entropy"),
    (r"\blinear regression\b|\bnn\.linear\(\d{1,6}, ?1\)", "mse_loss"),
)
#: Words of code, and plain marks of data, that tell causes apart.
_WORDS: Final = {
    "softmax": r"(?<!log_)(?<!log)(?<![a-z]_)softmax(?!_?loss)",
    "log": r"log_softmax|logsoftmax|\.log\(|torch\.log\b|np\.log\b",
    "sigmoid": r"(?<!log)sigmoid\b(?!_focal)",
    "half": (
        r"\bfp16\b|\.half\(\)|\bhalf[ -]?precision|\bamp\b|autocast|gradscaler|float16|bf16|mixed precision|loss scale"
    ),
    "ignored": (
        r"-100\b|ignore_index|ignore index|ignore[ _](?:label|id|class)|\b(?:is|are) ignored\b|masked|padding|"
        r"\bno (?:valid|positive|foreground) (?:labels?|targets?|pixels?|box|anchor|samples?)"
    ),
    "missing": (
        r"isnan|\bdropna|fillna|\bnan\b.{0,40}(?:target|label|column|csv|cell)|empty cell|"
        r"missing|read_csv|\bdf\[|\bcsv\b"
    ),
    "cast": r"\.long\(\)|\.int\(\)|astype\(.{0,10}int|dtype=torch\.(?:long|int64)",
    "normalised": r"normalize\(|/ ?255|totensor|standardscaler|minmaxscaler",
    "zero infinity": r"zero_infinity",
    "minus infinity": r"-inf\b",
    "lengths": r"lengths?\b",
    "channels last": r"\bnhwc\b|\bchannels?[ _-]last\b|permute\(0, ?[23], ?1|permute\(0, ?3, ?1, ?2",
    "loss call": r"(?:loss\w{0,6}|criterion)\(",
    "fractions": r"\b0\.(?:25|5|75)\b|mixup|soft label|label_smoothing",
}
_STUCK: Final = (
    r"\bstuck\b|n[o'\u2019]?t (?:\w{1,8} )?(?:decreas|go(?:ing)? down|learn|converg|chang|improv|drop|reduc)|"
    r"plateau|constant|(?:stays?|stayed|remains?) (?:at|near|around|the same|there)|"
    r"hardly moves|more slowly|never (?:goes|drops)"
)
_BELOW: Final = (
    r"(?:loss|nll|bce|kl|entropy)\w{0,14}\b[^\n]{0,60}(?:\bnegative\b(?! (?:log|sampl|pair|"
    r"exampl|class|value of))|below (?:zero|0\b)|less than (?:zero|0\b)|< ?0\b)|"
    r"\bnegative (?:(?:train\w{0,4}|val\w{0,7}|test|kl|bce|nll|ctc|dice|label|class) )?loss\b|gives "
    r"negative values|part that is negative|\bnegative (?:numbers?|values?)\b[^\n]{0,30}\bloss\b"
)
_COLUMN: Final = r"[\[(](\d{1,7}|n|b|bs|m|batch|batch_size|batchsize), ?1[\])]"
_NEAR: Final = 0.02
#: Numbers of classes that are common; for others a constant loss says little.
_COUNTS: Final = (*range(2, 11), 15, 20, 21, 50, 100, 101, 102, 150, 196, 200, 256, 365, 1000, 30522, 32000, 50257)


@dataclass(frozen=True, slots=True)
class Signs:
    """What was seen in a text."""

    #: The values of the loss, in their order.
    values: tuple[float, ...]
    losses: frozenset[str]
    words: frozenset[str]
    #: "negative", "nan at once", "nan later", "nan", "inf", "stuck", "at chance", "zero", "perfect",
    #: "broadcast", "beyond one" (an overlap), "layout" (words of it).
    seen: frozenset[str]
    #: The number of classes whose logarithm the loss stays at.
    classes: int = 0


def signs_of(text: str) -> Signs:
    """Read the signs in a text, in lower case but with its lines."""
    whole = text.lower().replace("`", "").replace("**", "")
    # What a program assigns is not what it printed.
    lowered = re.sub(_START, " ", "\n".join(line for line in whole.split("\n") if not is_statement(line)))
    named = re.findall(_LOSS, lowered)[:4000]
    values = tuple(float(value) for name, value in named if not re.search(_SIGNED, name))
    values += tuple(float(found) for found in re.findall(_RESULT, lowered)[:50])
    accuracies = [
        float(value) / (100 if percent or float(value) > 1.5 else 1)
        for value, percent in re.findall(_ACCURACY, lowered)[:200]
    ]
    overlaps = [(float(value), percent) for value, percent in re.findall(_OVERLAP, lowered)[:200] if not percent]
    words = frozenset(name for name, pattern in _WORDS.items() if re.search(pattern, whole))
    classes = _chance(values)
    seen = _course(values) | _told(lowered, whole)
    if classes:
        seen |= {"at chance"}
    if len(accuracies) > 1 and min(accuracies) >= 0.999:
        seen |= {"perfect"}
    if re.search(_SIGNED_TEXT, whole) or _is_a_score(values, accuracies):
        seen -= {"negative"}
    if any(_PERFECT < value <= _PERFECT + 5 for value, _ in overlaps):
        seen |= {"beyond one"}
    return Signs(values, _losses(whole), words, frozenset(seen), classes)


def _is_a_score(values: tuple[float, ...], scores: list[float]) -> bool:
    """Whether the loss is a score with its sign turned, as some define it: the same digits stand beside it."""
    below = {round(-value, 4) for value in values if -1 <= value < 0}
    return bool(below) and len(below & {round(score, 4) for score in scores}) * 2 >= len(below)


def _losses(lowered: str) -> frozenset[str]:
    """The losses that the text names, in code or in short."""
    named = {operation(name) for name in set(re.findall(r"[a-z_]\w{3,40}", lowered)[:20_000])}
    named |= {loss for pattern, loss in _SHORT if re.search(pattern, lowered)}
    return frozenset(name for name in named if name is not None and name != "log_softmax")


def _course(values: tuple[float, ...]) -> set[str]:
    """How the values of a loss go."""
    seen: set[str] = set()
    finite = [value for value in values if math.isfinite(value)]
    if any(value < 0 for value in finite):
        seen.add("negative")
    if any(math.isinf(value) for value in values):
        seen.add("inf")
    if values and any(math.isnan(value) for value in values):
        seen |= {"nan", "nan at once" if math.isnan(values[0]) else "nan later"}
    if len(finite) >= 2 and all(value == 0 for value in finite):
        seen.add("zero")
    return seen


def _told(lowered: str, whole: str) -> set[str]:
    """What numbers and the words of code say beyond the values themselves."""
    seen: set[str] = set()
    if re.search(r"\bloss|\bnll|cost|\bbce|\bkl|entropy", lowered):
        seen |= {"negative"} if re.search(_BELOW, lowered) else set()
        seen |= {"nan"} if re.search(r"\bnan\b", lowered) else set()
        seen |= {"inf"} if re.search(r"(?<![-\w])\+?inf\b|infinity", lowered) else set()
        seen |= {"stuck"} if re.search(_STUCK, lowered) else set()
    for size in set(re.findall(_COLUMN, whole)):
        if size != "1" and re.search(rf"[\[(]{size},?[\])]", whole):
            seen.add("broadcast")
    if re.search(_WORDS["channels last"], whole):
        seen.add("layout")
    return seen


def _chance(values: tuple[float, ...]) -> int:
    """How many classes there are, if the loss stays at their logarithm: 0.693, 1.0986, 2.3026, 4.605, 6.9078, ..."""
    finite = [value for value in values if math.isfinite(value)]
    if len(finite) < 3 or min(finite) <= 0 or max(finite) - min(finite) > _NEAR * max(finite):
        return 0
    middle = sum(finite) / len(finite)
    return next((classes for classes in _COUNTS if abs(middle - math.log(classes)) <= _NEAR * middle / 2), 0)
