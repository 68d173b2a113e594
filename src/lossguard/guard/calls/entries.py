"""Where losses enter torch: the names that are patched, and how their arguments are laid out there.

Plain data. A loss that has no contract is left alone, and so is a name this torch does not have.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import takewhile
from typing import Any, Final

_REDUCTIONS: Final = {0: "none", 1: "mean", 2: "sum"}
_MODES: Final = {0: "sum", 1: "mean", 2: "max"}
#: Numbers that stand for words below the Python level.
_WORDS: Final[Mapping[str, Mapping[Any, str]]] = {"reduction": _REDUCTIONS, "mode": _MODES}


@dataclass(frozen=True, slots=True)
class Entry:
    """One name in torch through which a loss passes.

    `parameters` are in the order of this name, but called as the loss's contract calls them. `leading` are
    the positions of the two tensors whose shapes decide how the call is read, `rest` are the places of the plain
    settings that decide it as well: never of a tensor, which has no truth value to compare by.
    """

    owner: str
    name: str
    loss: str
    parameters: tuple[str, ...]
    leading: tuple[int, int] = (0, 1)
    rest: slice = field(default_factory=lambda: slice(2, None))
    #: Other words for parameters, as this name calls them.
    keywords: Mapping[str, str] = field(default_factory=dict)
    #: Whether this is a Python function around another entry, of interest only for what it raises itself.
    errors_only: bool = False
    #: Whether torch broadcasts the tensors before this name, so that only its caller knows their shapes.
    expands: bool = False
    #: So many parameters can be given by place; None if all can.
    placed: int | None = None
    #: Whether torch itself refuses on the host what is bad, so that only calls on an accelerator are of interest.
    elsewhere_only: bool = False

    def layout(self, given: int, names: tuple[str, ...]) -> tuple[str, ...]:
        """Which of the arguments called `names` can follow `given` others that stand at their places, in order."""
        known = {self.keywords.get(name, name): name for name in names}
        fitting = takewhile(known.__contains__, self.parameters[given : self.placed])
        return tuple(known[parameter] for parameter in fitting)

    def arguments(self, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> dict[str, Any] | None:
        """The arguments by the names the contract uses; None if they cannot be told apart."""
        if len(args) > len(self.parameters):
            return None
        found = dict(zip(self.parameters, args, strict=False))
        for name, value in kwargs.items():
            known = self.keywords.get(name, name)
            if known not in self.parameters or known in found:
                return None
            found[known] = value
        return {name: self._word(name, value) for name, value in found.items()}

    def _word(self, name: str, value: Any) -> Any:
        words = _WORDS.get(name)
        return words.get(value, value) if words is not None and isinstance(value, int) else value


def _kernel(name: str, loss: str, parameters: str, **more: Any) -> Entry:
    return Entry("torch._C._nn", name, loss, tuple(parameters.split()), keywords={"self": "input"}, **more)


def _operator(name: str, loss: str, parameters: str, **more: Any) -> Entry:
    return Entry("torch", name, loss, tuple(parameters.split()), **{"keywords": {"self": "input"}, **more})


def _function(loss: str, *, tensors: int = 2, errors_only: bool = True) -> Entry:
    """A function of `torch.nn.functional`, whose parameters are those of the contract; `tensors` of them come first."""
    return Entry("torch.nn.functional", loss, loss, (), rest=slice(tensors, None), errors_only=errors_only)


_PAIR = "input target reduction"
#: Operations that take an axis second and indices third, and those that do not: their parameters and places.
_ALONG: Final = {"leading": (0, 2), "rest": slice(1, 2), "placed": 3}
_PICKING: Final[Mapping[str, tuple[str, Mapping[str, Any]]]] = {
    "gather": ("input dim index sparse_grad out", _ALONG),
    "index_select": ("input dim index out", _ALONG),
    "take_along_dim": ("input indices dim", {"placed": 3}),
    "scatter": ("input dim index src value reduce", _ALONG),
    "scatter_add": ("input dim index src", _ALONG),
    "index_add": ("input dim index source alpha", _ALONG),
    "scatter_reduce": ("input dim index src reduce include_self", _ALONG),
    "index_copy": ("input dim index source", _ALONG),
    "index_fill": ("input dim index value", _ALONG),
    "take": ("input index out", {"rest": slice(0), "placed": 2}),
}
#: Those that write into the tensor they are called on.
_WRITING: Final = ("scatter", "scatter_add", "scatter_reduce", "index_add", "index_copy", "index_fill")

ENTRIES: Final[tuple[Entry, ...]] = (
    _kernel("nll_loss_nd", "nll_loss", "input target weight reduction ignore_index", rest=slice(3, None)),
    _kernel(
        "cross_entropy_loss",
        "cross_entropy",
        "input target weight reduction ignore_index label_smoothing",
        rest=slice(3, None),
    ),
    _kernel("binary_cross_entropy", "binary_cross_entropy", "input target weight reduction", rest=slice(3, None)),
    _kernel("mse_loss", "mse_loss", _PAIR, expands=True),
    _kernel("l1_loss", "l1_loss", _PAIR, expands=True),
    _kernel("smooth_l1_loss", "smooth_l1_loss", f"{_PAIR} beta", expands=True),
    _kernel("huber_loss", "huber_loss", f"{_PAIR} delta", expands=True),
    _kernel("soft_margin_loss", "soft_margin_loss", _PAIR),
    _kernel("multi_margin_loss", "multi_margin_loss", "input target p margin weight reduction", rest=slice(5, None)),
    _kernel("multilabel_margin_loss", "multilabel_margin_loss", _PAIR),
    Entry(
        "torch.nn.functional",
        "one_hot",
        "one_hot",
        ("tensor", "num_classes"),
        leading=(0, 0),
        rest=slice(1, None),
        keywords={"self": "tensor", "input": "tensor"},
    ),
    _operator(
        "binary_cross_entropy_with_logits",
        "binary_cross_entropy_with_logits",
        "input target weight pos_weight reduction",
        rest=slice(4, None),
    ),
    _operator("kl_div", "kl_div", f"{_PAIR} log_target", placed=3),
    _operator("poisson_nll_loss", "poisson_nll_loss", "input target log_input full eps reduction"),
    _operator(
        "margin_ranking_loss", "margin_ranking_loss", "input1 input2 target margin reduction", rest=slice(3, None)
    ),
    _operator("hinge_embedding_loss", "hinge_embedding_loss", "input target margin reduction"),
    _operator(
        "cosine_embedding_loss",
        "cosine_embedding_loss",
        "input1 input2 target margin reduction",
        leading=(0, 2),
        rest=slice(3, None),
    ),
    _operator(
        "triplet_margin_loss",
        "triplet_margin_loss",
        "anchor positive negative margin p eps swap reduction",
        rest=slice(3, None),
    ),
    _operator(
        "ctc_loss",
        "ctc_loss",
        "log_probs targets input_lengths target_lengths blank reduction zero_infinity",
        rest=slice(4, None),
    ),
    _operator(
        "embedding",
        "embedding",
        "weight input padding_idx scale_grad_by_freq sparse",
        keywords={"indices": "input"},
    ),
    _operator(
        "embedding_bag",
        "embedding_bag",
        "weight input offsets scale_grad_by_freq mode sparse per_sample_weights include_last_offset padding_idx",
        rest=slice(9, None),
        keywords={"indices": "input"},
    ),
    *(_operator(name, name, parameters, **places) for name, (parameters, places) in _PICKING.items()),
    # Written in Python as a whole: there is nothing below to patch.
    _function("gaussian_nll_loss", tensors=3, errors_only=False),
    _function("multilabel_soft_margin_loss", tensors=3, errors_only=False),
    _function("linear_cross_entropy", tensors=3, errors_only=False),
    _function("triplet_margin_with_distance_loss", tensors=3, errors_only=False),
    # Functions that raise on their own before they reach the names above. Those that warn are left alone:
    # another frame around them would move their warnings away from the user's line.
    *(
        _function(loss)
        for loss in (
            "binary_cross_entropy",
            "binary_cross_entropy_with_logits",
            "cosine_embedding_loss",
            "embedding_bag",
            "margin_ranking_loss",
            "multi_margin_loss",
            "triplet_margin_loss",
        )
    ),
)


def _method(name: str, operation: str, *, elsewhere_only: bool = True) -> Entry:
    parameters, places = _PICKING[operation]
    return Entry("torch.Tensor", name, operation, tuple(parameters.split()), elsewhere_only=elsewhere_only, **places)


#: A method that takes anything, also on the host.
METHODS: Final[tuple[Entry, ...]] = (_method("take_along_dim", "take_along_dim", elsewhere_only=False),)
#: Methods whose bad index is an exception on the host and the end of an accelerator's context. `x[i]` is not among
#: them: every look at a part of a tensor, slices too, would pass through Python.
METHODS_ELSEWHERE: Final[tuple[Entry, ...]] = (
    *(_method(name, name) for name in _PICKING if name != "take_along_dim"),
    *(_method(f"{name}_", name) for name in _WRITING),
)
