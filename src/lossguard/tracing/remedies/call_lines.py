"""Fixes as lines of the user's source: the call of the loss, the line that made the loss or that counts the classes.

A fix says `target.long()`; the user wrote `loss = criterion(model(x), labels)`. Here the one becomes the other:
`loss = criterion(model(x), labels.long())`. Nothing of the user's is run: names are looked up where they stand.
"""

from __future__ import annotations

import ast
import inspect
import re
import sys
import types
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

from lossguard.contracts.call import loss_of
from lossguard.contracts.loss import Loss, known_losses
from lossguard.facts.observation import is_tensor
from lossguard.findings import Finding, Fix, Scope
from lossguard.fixing.checking import Change, read_change
from lossguard.paths import is_users
from lossguard.records import dataclass, replace
from lossguard.tracing.program.sources import Source, source_of, users_sources
from lossguard.tracing.remedies.rewriting import Edit, Rewritten, instead_of, rewritten, text_of, with_names

_ABSENT: Final = object()
#: What the number of classes is called in models and settings, without underscores.
_NAMES: Final = frozenset(
    {
        *("numlabels", "numclasses", "nclasses", "nlabels", "classes", "numclass", "nclass", "noutputs", "numoutputs"),
        *("numtargets", "outdim", "outputdim", "dimout", "outputsize", "outchannels", "outfeatures", "cout", "nout"),
    }
)


def on_lines(finding: Finding, frame: types.FrameType | None, values: Mapping[str, Any]) -> Finding:
    """`finding` with those of its fixes that change the call as the lines to write instead, where these are known.

    `values` are the arguments of the call.
    """
    if frame is None or not any(fix.code and fix.place is None for fix in finding.fixes):
        return finding
    written = _Written.find(finding, frame, values)
    if written is None:
        return finding
    placed = [_placed(fix, finding, written) for fix in finding.fixes]
    # Two ways to write a call may come out as one line.
    lines = {(fix.code, fix.place): fix for fix in reversed(placed)}
    return replace(finding, fixes=tuple(fix for fix in placed if lines[fix.code, fix.place] is fix))


def _placed(fix: Fix, finding: Finding, written: _Written) -> Fix:
    if not fix.code or fix.place is not None:
        return fix
    change = read_change(fix.code, finding.argument)
    found = written.changed(change) if change is not None else None
    return fix if found is None else replace(fix, code=found.code, place=found.place)


@dataclass(frozen=True, slots=True)
class _Written:
    """The call of a loss as it stands in the source."""

    source: Source
    frame: types.FrameType
    node: ast.Call
    loss: Loss
    #: What is called; its class, where it is made in the same breath: `nn.CrossEntropyLoss()(scores, labels)`.
    callee: Any
    #: What the call was given, by parameter.
    values: Mapping[str, Any]
    made_here: bool = False

    @classmethod
    def find(cls, finding: Finding, frame: types.FrameType, values: Mapping[str, Any]) -> _Written | None:
        """The one call of the finding's loss at its line; None if there is none, or more than one."""
        source = source_of(frame.f_code.co_filename)
        line = finding.place.line if finding.place is not None else frame.f_lineno
        if source is None or not is_users(source.filename):
            return None
        found: list[_Written] = []
        for node in ast.walk(source.tree):
            if isinstance(node, ast.Call) and node.lineno <= line <= (node.end_lineno or node.lineno):
                made_here = isinstance(node.func, ast.Call)
                callee = _looked_up(node.func.func if isinstance(node.func, ast.Call) else node.func, frame)
                loss = loss_of(callee) if callee is not _ABSENT else None
                if loss is not None and loss.name == finding.loss and (not made_here or isinstance(callee, type)):
                    found.append(cls(source, frame, node, loss, callee, values, made_here))
        found = [written for written in found if not any(other.node.func is written.node for other in found)]
        return found[0] if len(found) == 1 else None

    @property
    def is_module(self) -> bool:
        """Whether an instance is called, which carries settings."""
        return self.made_here or (hasattr(self.callee, "forward") and not isinstance(self.callee, type))

    @property
    def maker(self) -> tuple[Source, ast.Call] | None:
        """The call that makes the module: here, or at the one place in the user's files that makes one like it."""
        function, name = self.node.func, type(self.callee).__name__
        if isinstance(function, ast.Call) or not type(self.callee).__module__.startswith("torch."):
            return (self.source, function) if isinstance(function, ast.Call) else None
        found = [
            (source, node)
            for source in users_sources(self.frame)
            for node in ast.walk(source.tree)
            if isinstance(node, ast.Call) and _last_word(node.func) == name
        ]
        if len(found) > 1:
            found = [(source, node) for source, node in found if _last_word(function) in _assigned(source, node)]
        return found[0] if len(found) == 1 else None

    @property
    def arguments(self) -> dict[str, ast.expr]:
        """The expressions that were given, by parameter; empty where they cannot be told."""
        given, func = list(self.node.args), self.node.func
        words = {word.arg: word.value for word in self.node.keywords}
        if None in words or any(isinstance(item, ast.Starred) for item in given):
            return {}
        # Of a method, the tensor that it is called on is the first argument.
        if isinstance(func, ast.Attribute) and is_tensor(_looked_up(func.value, self.frame)):
            given.insert(0, func.value)
        names = self.loss.forward_parameters if self.is_module else self.loss.parameters
        return {**dict(zip(names, given, strict=False)), **{str(name): value for name, value in words.items()}}

    def changed(self, change: Change) -> Rewritten | None:
        """The line to write for a change; None where it cannot be written in one place."""
        given = self.arguments
        if isinstance(self.callee, type) and not self.made_here:
            instance = instead_of(self.node.func, f"{text_of(self.source, self.node.func)}()")
            return rewritten(self.source, [instance]) if change.loss == self.loss.name else None
        own = {name: node for name, node in change.values.items() if not _is_name(node, name)}
        if not given or not all(_spelled(node, self.frame) for node in own.values()):
            return None
        if change.loss and change.loss != self.loss.name:
            other = known_losses()[change.loss]
            fits = given.keys() - change.values.keys() <= {*other.parameters} and own.keys() <= given.keys()
            return self._another(other, own) if fits else None
        inside = own.keys() & given.keys() & {*self.loss.tensors}
        if self.is_module and own.keys() - inside:
            return None if inside else self._constructor(own)
        settings = [_setting(self.node, given, name, ast.unparse(own[name])) for name in own if name not in inside]
        return rewritten(self.source, [*self._edits({name: own[name] for name in own if name in inside}), *settings])

    def _edits(self, values: Mapping[str, ast.expr]) -> list[Edit]:
        texts = {name: text_of(self.source, node) for name, node in self.arguments.items()}
        return [instead_of(self.arguments[name], with_names(node, texts)) for name, node in values.items()]

    def _another(self, other: Loss, own: Mapping[str, ast.expr]) -> Rewritten | None:
        """A call of another loss: the function's other name, or the class of the other one where the module is made."""
        if not self.is_module or (own and self._is_plain()):
            home = _module_name("F", self.frame) if other.home == "torch.nn.functional" else None
            named = instead_of(self.node.func, f"{home}.{other.name}")
            return None if home is None else rewritten(self.source, [*self._edits(own), named])
        made = self.maker if not own and other.module else None
        if made is None:
            return None
        source, node = made
        taken = {*inspect.signature(getattr(sys.modules["torch"].nn, other.module)).parameters}
        if node.args or any(word.arg not in taken for word in node.keywords):
            return None
        function = node.func
        nn = f"{text_of(source, function.value)}." if isinstance(function, ast.Attribute) else "torch.nn."
        return rewritten(source, [instead_of(function, nn + other.module)])

    def _is_plain(self) -> bool:
        """Whether the module was made without settings of its own, so that its function does the same."""
        made = self.node.func
        if isinstance(made, ast.Call):
            return not made.args and not made.keywords
        try:
            fresh = vars(type(self.callee)())
        except TypeError:
            return False
        held = {name: value for name, value in vars(self.callee).items() if name[0] != "_"}
        return all(value is fresh.get(name) or value == fresh.get(name) for name, value in held.items())

    def _constructor(self, values: Mapping[str, ast.expr]) -> Rewritten | None:
        """The line that makes the loss, with settings and the tensors that it carries changed."""
        made = self.maker
        if made is None:
            return None
        source, node = made
        names = list(inspect.signature(self.callee if self.made_here else type(self.callee)).parameters)
        if not values.keys() <= {*names} or any(isinstance(item, ast.Starred) for item in node.args):
            return None
        given = {**dict(zip(names, node.args, strict=False)), **{str(word.arg): word.value for word in node.keywords}}
        edits = []
        for name, written in values.items():
            # Where a loss is made there is no input yet, but its dtype is known.
            text = re.sub(
                r"\b(\w+)\.dtype\b", lambda m: str(getattr(self.values.get(m[1]), "dtype", m[0])), ast.unparse(written)
            )
            value = ast.parse(text, mode="eval").body
            used = {item.id for item in ast.walk(value) if isinstance(item, ast.Name)} & {*self.loss.tensors}
            if not used <= {name} & given.keys() or not _spelled(value, self.frame):
                return None
            text = with_names(value, {name: text_of(source, given[name])} if name in given else {})
            edits.append(_setting(node, given, name, text))
        return rewritten(source, edits)


def _setting(call: ast.Call, given: Mapping[str, ast.expr], name: str, text: str) -> Edit:
    """A keyword of a call with another value, or one more."""
    if name in given:
        return instead_of(given[name], text)
    ends = [instead_of(node, "").end for node in (*call.args, *(word.value for word in call.keywords))]
    line, column = instead_of(call, "").end
    end = max(ends, default=(line, column - 1))
    return Edit(end, end, f", {name}={text}" if ends else f"{name}={text}")


def _is_name(node: ast.expr, name: str) -> bool:
    return isinstance(node, ast.Name) and node.id == name


def _last_word(node: ast.expr) -> str:
    return ast.unparse(node).rpartition(".")[2]


#: Torch's modules as fixes name them, and the ways to each from the modules that a file may have imported.
_SPELLINGS: Final = {
    "F": (("torch.nn.functional", ""), ("torch.nn", ".functional"), ("torch", ".nn.functional")),
    "torch": (("torch", ""),),
    "nn": (("torch.nn", ""), ("torch", ".nn")),
}


def _spelled(node: ast.expr, frame: types.FrameType) -> bool:
    """Write torch's modules in an expression as the user's file knows them; whether it knows them all."""
    for name in [item for item in ast.walk(node) if isinstance(item, ast.Name) and item.id in _SPELLINGS]:
        word = _module_name(name.id, frame)
        if word is None:
            return False
        name.id = word
    return True


def _module_name(short: str, frame: types.FrameType) -> str | None:
    known = {id(value): name for name, value in frame.f_globals.items() if isinstance(value, types.ModuleType)}
    for module, path in _SPELLINGS[short]:
        if (name := known.get(id(sys.modules.get(module)))) is not None:
            return name + path
    return None


def _looked_up(node: ast.expr, frame: types.FrameType) -> Any:
    """What a name with dots stands for in a frame; nothing is called, and no property is read."""
    if isinstance(node, ast.Name):
        return frame.f_locals.get(node.id, frame.f_globals.get(node.id, _ABSENT))
    owner = _looked_up(node.value, frame) if isinstance(node, ast.Attribute) else _ABSENT
    if owner is _ABSENT or not isinstance(node, ast.Attribute):
        return _ABSENT
    held = vars(owner) if hasattr(owner, "__dict__") else {}
    for names in (held, held.get("_modules") or {}):
        if node.attr in names:
            return names[node.attr]
    return inspect.getattr_static(owner, node.attr, _ABSENT)


def _assigned(source: Source, node: ast.Call) -> set[str]:
    """The names that a call's result is given."""
    statement = source.statement_of(node)
    return {*map(_last_word, statement.targets)} if isinstance(statement, ast.Assign) else set()


def widening(finding: Finding) -> Fix | None:
    """The fix that gives the last layer more outputs, where it was checked and has no line yet."""
    return next((fix for fix in finding.fixes if "F.pad(" in fix.proof and fix.checked and fix.place is None), None)


def with_line(finding: Finding, site: tuple[Source, ast.expr] | None, frame: types.FrameType | None) -> Finding:
    """`finding`, with the line to change for more classes: at `site`, or at the one place that is called so."""
    fix, classes = widening(finding), finding.evidence.get("classes")
    if fix is None or not isinstance(classes, int):
        return finding
    site = site or (_named(classes, users_sources(frame)) if frame is not None else None)
    needed = int(max(finding.evidence.get("largest_of_all", 0), finding.evidence.get("largest", 0))) + 1
    line = rewritten(site[0], [instead_of(site[1], str(needed))]) if site and not _makes_labels(site, finding) else None
    if line is None or any(other.code == line.code for other in finding.fixes):
        return finding
    title = f"the labels go to {needed - 1}: give the model {needed} classes"
    placed = replace(fix, title=title, code=line.code, place=line.place, scope=Scope.SOURCE)
    return replace(finding, fixes=tuple(placed if other is fix else other for other in finding.fixes))


def _makes_labels(site: tuple[Source, ast.expr], finding: Finding) -> bool:
    """Whether the number has a name that the bad labels were made with: they would go up with it."""
    statement = site[0].statement_of(site[1])
    names = {ast.unparse(target) for target in statement.targets} if isinstance(statement, ast.Assign) else set()
    others = [step.place for step in finding.origin if step.place.line != site[1].lineno]
    words = {word for place in others for word in re.findall(r"[\w.]+", place.code)}
    return bool(names & words)


def _named(classes: int, sources: Iterable[Source]) -> tuple[Source, ast.expr] | None:
    """The one place where this number is given a name of the number of classes; a call counts before a default."""
    found = [(rank, source, node) for source in sources for rank, node in _places(classes, source.tree)]
    best = min((rank for rank, _, _ in found), default=0)
    nearest = [(source, node) for rank, source, node in found if rank == best]
    return nearest[0] if len(nearest) == 1 else None


def _places(classes: int, tree: ast.AST) -> Iterator[tuple[int, ast.expr]]:
    for node in ast.walk(tree):
        named: list[tuple[int, str, ast.expr | None]] = []
        match node:
            case ast.keyword(arg=str(word), value=value):
                named = [(0, word, value)]
            case ast.Assign(targets=targets, value=value):
                named = [(1, ast.unparse(target), value) for target in targets]
            case ast.AnnAssign(target=target, value=value):
                named = [(1, ast.unparse(target), value)]
            case ast.Dict(keys=keys, values=values):
                words = [str(key.value) if isinstance(key, ast.Constant) else "" for key in keys]
                named = [(1, word, value) for word, value in zip(words, values, strict=True)]
            case ast.arguments():
                late = zip(node.args[::-1], node.defaults[::-1], strict=False)
                named = [
                    (2, word.arg, value)
                    for word, value in (*late, *zip(node.kwonlyargs, node.kw_defaults, strict=True))
                ]
        for rank, name, value in named:
            plain = isinstance(value, ast.Constant) and type(value.value) is int and value.value == classes
            if value is not None and plain and name.rpartition(".")[2].replace("_", "").lower() in _NAMES:
                yield rank, value
