"""How libraries word a check of a loss's arguments: a few general forms, for those that no table knows."""

from __future__ import annotations

from typing import Final

from lossguard.explain import causes as rule
from lossguard.explain.causes import MASKS, NOT_FINITE, Causes
from lossguard.findings import Certainty
from lossguard.records import dataclass

#: Names of what a model gives and of what it is compared with, in bare text.
GIVEN: Final = (
    r"(?:\w{0,12}_)?(?:inputs?|inp|preds?|predictions?|predicts?|outputs?|logits?|"
    r"y_preds?|y_hat|scores?|probs?|probabilities|seg_logits?)"
)
WANTED: Final = (
    r"(?:\w{0,12}_)?(?:targets?|labels?|ground[ -]?truths?|gts?|truths?|y|y_trues?|"
    r"(?<!attention_)(?<!attn_)(?<!padding_)masks?|references?|annotations?|targs)"
)
#: A name with its shape behind it, as many messages have it.
_SIZE: Final = (
    r"(?:[ _.]?(?:tensors?|shapes?|sizes?|batch[ _]size|dims?|dimensions?))?(?:[ "
    r":=]{0,2}\(?[\[(]?(?:torch\.size)?[\[(\d, x\])]{2,60})?"
)
#: What joins the two names: a word, and what of the second one is compared.
_JOIN: Final = (
    r",? (?:and|&|vs\.?|from|as|than|to|with|(?:not )?equals?(?: to)?)(?: the)?"
    r"(?: (?:shapes?|sizes?|numbers?|lengths?|dimensions?|batch[ _-]size) of(?: the)?)? "
)
_BOTH: Final = rf"\b(?:{GIVEN}{_SIZE}{_JOIN}{WANTED}|{WANTED}{_SIZE}{_JOIN}{GIVEN})\b"
_DIFFER: Final = (
    r"(?:same|match\w*|equal|differ\w*|mismatch\w*|compatible|incompatible|inconsistent|"
    r"consistent|agree|disagree|unequal|!=|not fit)"
)
_UNLIKE: Final = (
    r"(?:!=|does ?(?:not|nt) (?:match|equal|fit)|differs? from|is not equal to|(?:is |are )?different (?:from|to|than))"
)


@dataclass(frozen=True, slots=True)
class Check:
    """A form of words: one of `words` must be there, then the pattern decides."""

    words: tuple[str, ...]
    pattern: str
    causes: Causes
    certainty: Certainty = Certainty.LIKELY
    #: Whether it counts in an error only, and not in a log that goes on.
    needs_error: bool = False


#: The first of each rule counts, so the narrow forms stand before the wide ones.
CHECKS: Final[tuple[Check, ...]] = (
    Check(
        ("device",),
        rf"{_BOTH}.{{0,60}}(?:same|different|on) device|(?:same|different) devices?.{{0,60}}{_BOTH}",
        ((rule.DEVICE, 90),),
    ),
    Check(
        ("type",),
        rf"{_BOTH}.{{0,60}}(?:same|different|match\w*) (?:d|data)?[ _-]?types?\b",
        ((rule.DTYPES, 80), (rule.REAL, 50)),
    ),
    Check(
        ("batch", "samples", "length"),
        (
            rf"{_BOTH}.{{0,80}}(?:{_DIFFER}).{{0,30}}(?:batch|number of samples|length)|batch[ "
            rf"_-]?sizes?.{{0,60}}{_BOTH}.{{0,60}}{_DIFFER}|(?:{_DIFFER}).{{0,30}}batch[ "
            rf"_-]?sizes?.{{0,60}}{_BOTH}"
        ),
        ((rule.BATCH, 75), (rule.SHAPE, 65)),
    ),
    Check(
        ("shape", "size", "dim", "length", "elements", "channel", "match", "labels with shape"),
        rf"{_BOTH}.{{0,120}}{_DIFFER}|{_DIFFER}.{{0,60}}{_BOTH}",
        MASKS,
    ),
    Check(
        ("!=", "match", "equal", "differ", "fit"),
        rf"\b{GIVEN}{_SIZE} {_UNLIKE} (?:the )?{WANTED}\b|\b{WANTED}{_SIZE} {_UNLIKE} (?:the )?{GIVEN}\b",
        MASKS,
    ),
    Check(
        ("shape", "size", "number of", "length"),
        (
            rf"\b{GIVEN}\b(?! image).{{0,40}}(?:same|equal|match\w*)\b.{{0,30}}\b{WANTED}\b(?! image)|"
            rf"\b{WANTED}\b(?! image).{{0,40}}(?:same|equal|match\w*)\b.{{0,30}}\b{GIVEN}\b(?! image)"
        ),
        ((rule.SHAPE, 55), (rule.BATCH, 45)),
        Certainty.POSSIBLE,
        needs_error=True,
    ),
    Check(
        (".shape", ".size(", ".dim(", ".ndim", "len("),
        (
            rf"assert .{{0,20}}\b{GIVEN}\.(?:shape|size|dim|ndim)[^=<>]{{0,30}}== ?{WANTED}\.|"
            rf"assert .{{0,20}}\b{WANTED}\.(?:shape|size|dim|ndim)[^=<>]{{0,30}}== ?{GIVEN}\."
        ),
        MASKS,
    ),
    Check(
        ("assert",),
        (
            r"assert .{0,30}\b(?:targets?|labels?|gts?|y|masks?|classes)\w{0,12}\.(?:max|min)\(.{0,12}[<>]|"
            r"assert\b.{0,40}\b(?:max|min|amax|amin|all)\(.{0,40}(?:targets?|labels?|gts?|classes|cls)\b.{0,30}[<>]|"
            r"assert\b.{0,30}\b(?:targets?|labels?|gts?|cls|class_ids?|c)\w{0,8}(?:\.max\(\))? ?<=? "
            r"?(?:self\.|model\.)?(?:num_class\w*|n_class\w*|nc\b|num_labels|vocab_size)"
        ),
        ((rule.RANGE, 70), (rule.SENTINEL, 45)),
    ),
    Check(
        ("assert",),
        rf"assert\b.{{0,60}}\b{GIVEN}\b.{{0,40}}\b(?:num_class\w*|n_class\w*|nc|num_labels)\b",
        ((rule.SHAPE, 60), (rule.RANGE, 55)),
    ),
    Check(
        ("assert",),
        r"assert\b.{0,60}\b(?:targets?|labels?|gts?|y_true|masks?)\w{0,8}\.(?:dtype|type\(|is_floating)",
        ((rule.FLOAT, 60), (rule.NARROW, 50)),
    ),
    Check(
        ("assert",),
        (
            rf"assert\b.{{0,60}}\b{GIVEN}\b.{{0,50}}(?:shape|size|dim|len|==).{{0,50}}\b{WANTED}\b|"
            rf"assert\b.{{0,60}}\b{WANTED}\b.{{0,50}}(?:shape|size|dim|len|==).{{0,50}}\b{GIVEN}\b"
        ),
        MASKS,
    ),
    Check(
        ("assert",),
        r"assert\b.{0,40}\b(?:targets?|labels?|gts?|y_true)\w{0,8}\.(?:shape|size|dim|ndim)\b",
        MASKS,
    ),
    Check(
        ("assert",),
        r"assert\b.{0,30}(?:isnan|isinf|isfinite)\(.{0,30}(?:loss|preds?|outputs?|logits?|targets?|labels?|scores?)",
        NOT_FINITE,
        Certainty.POSSIBLE,
    ),
    Check(
        ("class", "label"),
        (
            r"(?:labels?|class(?:es)?|targets?)\b.{0,60}\b(?:ids?|index|indices|values?) ?(?:>=?|<) "
            r"?-?\d+.{0,30}\b(?:class|label)"
        ),
        ((rule.RANGE, 70),),
    ),
    Check(
        ("class", "label", "target", "categor"),
        (
            r"(?<!\w)(?:labels?|targets?|class(?:es)?|class[ _]?(?:ids?|index|indices|values?)|"
            r"categor\w{1,3}(?:[ _]?ids?)?)\b.{0,80}(?:out of range|out of bounds|out-of-range|"
            r"outside|exceed\w*|larger than|greater than|higher than|bigger than|not in range|"
            r"not in [\[{(]|must be (?:<|less|smaller|in \[|in range|between|within)|should be (?:<|less|"
            r"smaller|in \[|in range|between|within)|is not (?:in|one of|among)|invalid (?:class|"
            r"label))"
        ),
        ((rule.RANGE, 70), (rule.SENTINEL, 45)),
    ),
    Check(
        ("class", "label", "categor"),
        (
            r"(?:class|label|categor\w{1,3})(?:[ _]?(?:id|index|value))? "
            r"-?\d{1,9}\b.{0,60}\b(?:but|only|num_classes|n_classes|nc)\b"
        ),
        ((rule.RANGE, 66),),
    ),
    Check(
        ("class", "label", "target"),
        (
            r"(?:invalid|unexpected|illegal|negative) (?:class|label|target|category)(?:es|"
            r"s)?(?:[ _]?(?:id|index|value|indices|values))?\b(?! loss)"
        ),
        ((rule.RANGE, 65), (rule.SENTINEL, 45)),
    ),
    Check(
        ("num_class", "number of class", "n_class", "num_labels", "number of labels", "vocab"),
        (
            r"(?:num_classes|number of classes|n_classes|num_labels|number of labels|"
            r"vocab(?:ulary)?[ _]size).{0,100}(?:match\w*|mismatch|differ\w*|not equal|not "
            r"correspond|inconsistent|!=)"
        ),
        ((rule.RANGE, 55), (rule.SHAPE, 50)),
        Certainty.POSSIBLE,
    ),
    Check(
        ("classes",),
        (
            r"\b\d{1,6} (?:classes|labels|categories)\b.{0,40}\b(?:but|while|whereas|vs\.?)\b.{0,60}"
            r"\b(?:model|head|output|config|layer)"
        ),
        ((rule.RANGE, 55), (rule.SHAPE, 40)),
        Certainty.POSSIBLE,
        needs_error=True,
    ),
    Check(
        ("than",),
        (
            rf"\b{GIVEN}\b.{{0,40}}(?:one more|fewer|more|less) (?:dim\w*|axes|axis|"
            rf"classes).{{0,40}}\b{WANTED}\b|shape of {GIVEN} should be.{{0,60}}shape "
            rf"of {WANTED}"
        ),
        ((rule.SHAPE, 60), (rule.AXIS, 45)),
    ),
    Check(
        ("tensor",),
        r"(?<!\w)targets?\b.{0,40}(?:must|should|expected|to ?be)\b.{0,20}tensor,? (?:but|not|instead)",
        ((rule.NO_TENSOR, 65),),
    ),
    Check(
        ("weight",),
        (
            r"class[ _-]?weights?\b.{0,40}(?:length|size|shape|elements|entries)|"
            r"weights?\b.{0,60}(?:number of classes|num_classes|n_classes|each class)|(?:number "
            r"of classes|num_classes).{0,60}\bweights?\b"
        ),
        ((rule.WEIGHT, 75),),
    ),
    Check(
        ("one-hot", "one hot", "onehot", "one_hot"),
        r"(?:labels?|targets?|masks?|y_true).{0,60}one[-_ ]?hot",
        ((rule.ONE_HOT, 70), (rule.SHAPE, 50)),
    ),
    Check(
        ("long", "int64", "int", "integer"),
        (
            r"(?<!\w)(?:labels?|targets?|y_true|masks?|classes)\b.{0,60}(?:must|should|has to|"
            r"have to|needs?|expected|expects?|to be|is not|not)\b.{0,40}\b(?:long|int64|"
            r"integers?|longtensor|int)\b|expected (?:targets?|labels?)\b.{0,30}\b(?:long|int64|"
            r"integers?|longtensor)\b"
        ),
        ((rule.FLOAT, 65), (rule.NARROW, 50), (rule.FRACTIONS, 30)),
    ),
    Check(
        ("float",),
        (
            r"(?<!\w)(?:labels?|targets?|y_true|masks?)\b.{0,60}(?:must|should|has to|expected|to "
            r"be|is not)\b.{0,40}\bfloat"
        ),
        ((rule.REAL, 65), (rule.DTYPES, 45)),
    ),
    Check(
        ("dim", "1-d", "1d", "2d", "3d", "rank", "axes", "shape", "channel"),
        (
            r"(?<!\w)(?:labels?|targets?|y_true|masks?)\b.{0,60}(?:must|should|has to|expected|to "
            r"(?:be|have)|supported)\b.{0,60}(?:\d ?-?d\b|dim\w*|rank|shape|axes|channels?)"
        ),
        ((rule.SHAPE, 60), (rule.COLUMN, 50), (rule.ONE_HOT, 45)),
    ),
    Check(
        ("between 0 and 1", "[0, 1]", "[0,1]", "0 or 1", "0s and 1s", "binary"),
        r"(?<!\w)(?:labels?|targets?|y_true|masks?)\b.{0,60}(?:between 0 and 1|\[0, ?1\]|0 or 1|0s and 1s|binary)",
        ((rule.UNIT_TARGET, 72), (rule.RANGE, 50)),
    ),
    Check(
        ("between 0 and 1", "[0, 1]", "[0,1]", "probabilit"),
        rf"\b{GIVEN}\b.{{0,60}}(?:between 0 and 1|\[0, ?1\]|probabilit)",
        ((rule.UNIT_INPUT, 60), (rule.NAN_INPUT, 40)),
    ),
    Check(
        ("vocab", "token", "embedding"),
        (
            r"(?:token|input|word|piece|position)[ _]?(?:ids?|indices|index)?\b.{0,60}(?:out of "
            r"range|out of bounds|outside|exceed\w*|larger|greater|>=?).{0,60}(?:vocab|embedding|"
            r"table|position|\d)"
        ),
        ((rule.INDEX, 70),),
    ),
    Check(
        ("loss",),
        (
            r"\bloss(?:es)?\b.{0,40}\b(?:nan|infinite|not finite|non-?finite|inf|diverged)\b|"
            r"\b(?:nan|infinite|non-?finite|inf)\b.{0,20}\bloss(?:es)?\b"
        ),
        NOT_FINITE,
        Certainty.POSSIBLE,
        needs_error=True,
    ),
)
