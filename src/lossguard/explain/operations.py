"""Which operation a text speaks of: names of functions, modules, kernels and C++ symbols, as data."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

#: A piece of a name (lower case) and the operation it stands for; the first that fits counts.
_STEMS: Final = (
    ("binary_cross_entropy_with_logits", "binary_cross_entropy_with_logits"),
    ("bcewithlogits", "binary_cross_entropy_with_logits"),
    ("binary_cross_entropy", "binary_cross_entropy"),
    ("bceloss", "binary_cross_entropy"),
    ("bce_loss", "binary_cross_entropy"),
    ("bcecriterion", "binary_cross_entropy"),
    ("bce_functor", "binary_cross_entropy"),
    ("gaussian_nll", "gaussian_nll_loss"),
    ("gaussiannll", "gaussian_nll_loss"),
    ("poisson_nll", "poisson_nll_loss"),
    ("poissonnll", "poisson_nll_loss"),
    ("linear_cross_entropy", "linear_cross_entropy"),
    ("cross_entropy", "cross_entropy"),
    ("crossentropy", "cross_entropy"),
    ("nll_loss", "nll_loss"),
    ("nllloss", "nll_loss"),
    ("classnllcriterion", "nll_loss"),
    ("adaptivelogsoftmax", "AdaptiveLogSoftmaxWithLoss"),
    ("log_softmax", "log_softmax"),
    ("logsoftmax", "log_softmax"),
    ("multilabel_soft_margin", "multilabel_soft_margin_loss"),
    ("multilabelsoftmargin", "multilabel_soft_margin_loss"),
    ("multilabel_margin", "multilabel_margin_loss"),
    ("multilabelmargin", "multilabel_margin_loss"),
    ("multi_margin", "multi_margin_loss"),
    ("multimargin", "multi_margin_loss"),
    ("soft_margin", "soft_margin_loss"),
    ("softmargin", "soft_margin_loss"),
    ("margin_ranking", "margin_ranking_loss"),
    ("marginranking", "margin_ranking_loss"),
    ("hinge_embedding", "hinge_embedding_loss"),
    ("hingeembedding", "hinge_embedding_loss"),
    ("cosine_embedding", "cosine_embedding_loss"),
    ("cosineembedding", "cosine_embedding_loss"),
    ("triplet_margin", "triplet_margin_loss"),
    ("tripletmargin", "triplet_margin_loss"),
    ("ctc_loss", "ctc_loss"),
    ("ctcloss", "ctc_loss"),
    ("lossctc", "ctc_loss"),
    ("torch_ctc", "ctc_loss"),
    ("warp_ctc", "ctc_loss"),
    ("ctc_criterion", "ctc_loss"),
    ("criterion_ctc", "ctc_loss"),
    ("get_target_prime", "ctc_loss"),
    ("kl_div", "kl_div"),
    ("kldiv", "kl_div"),
    ("smooth_l1", "smooth_l1_loss"),
    ("smoothl1", "smooth_l1_loss"),
    ("huber", "huber_loss"),
    ("mse_loss", "mse_loss"),
    ("mseloss", "mse_loss"),
    ("msecriterion", "mse_loss"),
    ("l1_loss", "l1_loss"),
    ("l1loss", "l1_loss"),
    ("embedding_bag", "embedding_bag"),
    ("embeddingbag", "embedding_bag"),
    ("embedding", "embedding"),
    ("indexselect", "embedding"),
    ("index_select", "index_select"),
    ("vectorized_gather", "gather"),
    ("scatter_gather", "gather"),
    ("gather", "gather"),
    ("scatter", "scatter"),
    ("one_hot", "one_hot"),
    ("take_along_dim", "take_along_dim"),
    ("index_put", "index_put"),
    ("index_add", "index_add"),
    ("indexfunc", "index_add"),
    ("index_copy", "index_copy"),
    ("index_fill", "index_fill"),
)

#: Names of calls that are no loss and no index operation: what fails in one of them is no fault of ours.
_OTHERS_LISTED: Final = (
    "linear addmm mm matmul bmm baddbmm einsum conv1d conv2d conv3d convnd conv_transpose2d "
    "_conv_forward layer_norm batch_norm group_norm instance_norm rms_norm scaled_dot_product_attention "
    "multi_head_attention_forward clamp_ clamp clip_ pow div mul add sub add_ mul_ sub_ div_ multinomial "
    "normalize interpolate grid_sample lstm gru rnn dropout cat stack pad relu gelu softmax sigmoid tanh "
    "max_pool2d avg_pool2d masked_fill where topk sort cumsum load load_state_dict to cuda "
)
_OTHERS: Final = frozenset(_OTHERS_LISTED.split())
_CALL: Final = r"([A-Za-z_]\w{1,80})\("
#: Words after which, or before which, a message names the operation that failed, ours or not.
_THEN_NAME: Final = ("in call to ", "in method ", "checking arguments for ")
_NAME_THEN: Final = ("not implemented for", "_updateoutput")
#: The same for what may be an operation and may be anything.
_THEN_SOME_NAME: Final = (
    "at::native::",
    "torch_xla::ir::ops::",
    "could not run 'aten::",
    "call_function <function ",
    "call_function <built-in function ",
    "call_function <built-in method ",
)
_SOME_NAME_THEN: Final = ("(): ",)
#: The file of a kernel tells the operation where a build leaves the kernel's name out.
_FILES: Final = {
    "nllloss2d.cu": "nll_loss",
    "classnllcriterion.cu": "nll_loss",
    "classnllcriterion.c": "nll_loss",
    "spatialclassnllcriterion.cu": "nll_loss",
    "bcecriterion.cu": "binary_cross_entropy",
    "lossctc.cu": "ctc_loss",
    "multimarginloss.cu": "multi_margin_loss",
    "indexing.cu": "embedding",
    "thctensorindex.cu": "embedding",
    "embeddingbag.cu": "embedding_bag",
    "scattergatherkernel.cu": "gather",
    "thctensorscattergather.cu": "gather",
    "indexkernel.cu": "getitem",
}

#: Files of torch's modules that are layers; in some versions of torch their frames name no function.
_LAYERS: Final = frozenset(["conv.py", "linear.py", "batchnorm.py", "normalization.py", "instancenorm.py", "rnn.py"])

#: The failing line is about labels when it has one of these in a name.
_LABELS: Final = (
    r"(?i)label|target|\bgt_|_gt\b|y_true|\bgt\b|truth|\by\b|"
    r"(?<!attention_)(?<!attn_)(?<!padding_)mask|gt_classes|\btcls|\btgt_?"
)
#: It is about a loss when it calls one, or takes the gradient of one.
_A_LOSS: Final = (
    r"(?i)^\s*\w{0,20}loss\w{0,10}\s?[-+*/]?= ?|(?:loss|criteri\w{1,3}|crit|bce|mse|nll|"
    r"entropy)\w{0,30}(?:\[[^\]]{0,20}\])?\(|\.backward\("
)
#: It is about embeddings when one has that name.
_EMBEDDINGS: Final = r"(?i)embed|token_type|position_ids|input_ids"
#: A call or an assignment; and what is a sentence all the same: four plain words in a row.
_CODE: Final = r"[\w\])]\(|\b\w+ ?[-+*/]?= ?\S|^\s*(?:return|assert|for|with|if|raise) "
_SENTENCE: Final = r"(?:\b[A-Za-z']{2,15} ){4}[A-Za-z']{2,}"
#: What a line has that shows a result, and is no bare source.
_SHOWN: Final = (
    r"tensor\((?:nan|-?inf|-?\d)|->|=>|\b(?:is|are|gives|becomes|returns|goes|prints) (?:nan|inf|negative|-)|"
    r"^\s*\w*(?:loss|acc|cost)\w* ?= ?-?(?:\d+\.\d|nan|inf)"
)
#: A line of source: a keyword in its place, an assignment, a call that is all of the line, the rest of one.
_STATEMENT: Final = (
    r"\s*(?:(?:def|class|if|elif|else|for|while|with|try|except|finally)\b.*:\s*(?:#.*)?$|return\b|import \w|"
    r"from \S+ import|raise \w|assert |yield |pass$|break$|continue$|@\w|[\])}]+,?:?\s*$|"
    r"[A-Za-z_][\w.]*(?:\[[^\]]{0,60}\])?(?:, ?[\w.]+){0,6}(?:: ?[A-Za-z_][\w.\[\]]{0,40})? ?[-+*/|@%]?=(?!=)|"
    r"[A-Za-z_][\w.]*\(.*[,(\[{)]\s*(?:#.*)?$|[\w.'\"=*\[\]() -]+,\s*$)"
)
#: A functional loss whose result is called once more.
_RESULT_CALL: Final = r"\b(?:F|functional)\.[a-z]\w{2,40}\((?:[^()]|\([^()]{0,80}\)){1,120}\)\("
#: A loss's class called with two values, as if it were the function.
_CLASS_CALL: Final = r"\b[A-Z]\w{1,40}Loss\(\s{0,4}[A-Za-z_][\w.\[\]:]{0,60}\s{0,4},"


def operation(name: str) -> str | None:
    """The loss or index operation that `name`, of a function, module, kernel or symbol, belongs to."""
    lowered = name.lower()
    return next((op for stem, op in _STEMS if stem in lowered), None)


def operation_of_file(file: str) -> str | None:
    """The operation whose kernels stand in `file`."""
    return _FILES.get(file.replace("\\", "/").rpartition("/")[2].lower())


def layer_of_file(file: str) -> tuple[str, ...]:
    """The layer whose module stands in `file`, of those that are no loss."""
    folder, _, name = file.replace("\\", "/").rpartition("/nn/modules/")
    return (name.removesuffix(".py"),) if folder and name in _LAYERS else ()


def operations_called(code: str) -> tuple[str, ...]:
    """The operations that a line of code calls; one that is none of ours comes out under its own name."""
    found = []
    for name in re.findall(_CALL, code[:2000]):
        op = operation(name) or (name if name in _OTHERS else None)
        if op is not None:
            found.append(op)
    return tuple(dict.fromkeys(found))


def operations_named(message: str) -> tuple[str, ...]:
    """The operations that a message of torch, in lower case, names itself; one of others under its own name."""
    named = _names(message, _THEN_NAME, _NAME_THEN)
    found = [operation(name) or name.removeprefix("wrapper_").removeprefix("cuda_").strip("_") for name in named]
    for name in _names(message, _THEN_SOME_NAME, _SOME_NAME_THEN):
        found += [known] if (known := operation(name)) else [name] if name in _OTHERS else []
    return tuple(dict.fromkeys(found))


def _names(message: str, before: tuple[str, ...], after: tuple[str, ...]) -> list[str]:
    """The names that stand right after one of the words `before`, or right before one of those `after`."""
    places = [(words, message.find(words)) for words in before + after]
    found = []
    for words, place in places:
        if place < 0:
            continue
        if words in before:
            name = re.match(r"(\w{2,80})", message[place + len(words) : place + len(words) + 80])
        else:
            name = re.search(r"(\w{2,80})\W{0,2}(?:is )?$", message[max(0, place - 90) : place])
        found += [name[1]] if name else []
    return found


def is_statement(line: str) -> bool:
    """Whether a line is a statement of Python as it stands: not a message, not a line of a log."""
    return bool(re.match(_STATEMENT, line[:400])) and not re.search(_SHOWN, line[:400].lower())


def looks_like_code(line: str) -> bool:
    """Whether a line is code rather than a sentence: it calls or assigns, and does not run on in plain words."""
    return bool(re.search(_CODE, line[:2000])) and not re.search(_SENTENCE, line[:2000])


def speaks_of_labels(code: Iterable[str]) -> bool:
    """Whether a line of code has a name in it that stands for labels."""
    return any(re.search(_LABELS, line[:2000]) for line in code)


def speaks_of_a_loss(code: Iterable[str]) -> bool:
    """Whether a line of code calls something that has the name of a loss, or takes a gradient."""
    return any(re.search(_A_LOSS, line[:2000]) for line in code)


def speaks_of_embeddings(code: Iterable[str]) -> bool:
    """Whether a line of code has a name in it that stands for embeddings or their indices."""
    return any(re.search(_EMBEDDINGS, line[:2000]) for line in code)


def calls_a_loss_class(code: Iterable[str]) -> bool:
    """Whether a line of code gives two values to the class of a loss."""
    return any(re.search(_CLASS_CALL, line[:2000]) for line in code)


def calls_a_result_of_a_loss(code: Iterable[str]) -> bool:
    """Whether a line of code calls what a functional loss gave."""
    return any(re.search(_RESULT_CALL, line[:2000]) and speaks_of_a_loss([line]) for line in code)
