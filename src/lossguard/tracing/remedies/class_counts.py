"""The line that says how many classes a model has, with the number that the labels need."""

from __future__ import annotations

import ast
import re
import types
from collections.abc import Iterable, Iterator
from typing import Final

from lossguard.findings import Finding, Fix, Scope
from lossguard.records import replace
from lossguard.tracing.program.sources import Source, users_sources
from lossguard.tracing.remedies.rewriting import instead_of, rewritten

#: What the number of classes is called in models and settings, without underscores.
_NAMES: Final = frozenset(
    {
        *("numlabels", "numclasses", "nclasses", "nlabels", "classes", "numclass", "nclass", "noutputs", "numoutputs"),
        *("numtargets", "outdim", "outputdim", "dimout", "outputsize", "outchannels", "outfeatures", "cout", "nout"),
    }
)


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
    words = {word for step in finding.origin for word in re.findall(r"[\w.]+", step.place.code)}
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
