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
    evidence = finding.evidence
    needed = int(max(evidence.get("largest_of_all", 0), evidence.get("largest", 0))) + 1
    line = rewritten(site[0], [instead_of(site[1], str(needed))]) if site is not None else None
    if site is not None and _makes_labels(site, finding):
        return finding
    if line is None or any(other.code == line.code for other in finding.fixes):
        return finding
    placed = replace(
        fix,
        title=f"the labels go to {needed - 1}: give the model {needed} classes",
        code=line.code,
        place=line.place,
        scope=Scope.SOURCE,
    )
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
        if isinstance(node, ast.keyword):
            named = [(0, node.arg or "", node.value)]
        elif isinstance(node, ast.Assign):
            named = [(1, ast.unparse(target).rpartition(".")[2], node.value) for target in node.targets]
        elif isinstance(node, ast.AnnAssign):
            named = [(1, ast.unparse(node.target).rpartition(".")[2], node.value)]
        elif isinstance(node, ast.Dict):
            keys = [key.value if isinstance(key, ast.Constant) else "" for key in node.keys]
            named = [(1, str(key), value) for key, value in zip(keys, node.values, strict=True)]
        elif isinstance(node, ast.arguments):
            defaults = [*node.defaults]
            late = zip(node.args[len(node.args) - len(defaults) :], defaults, strict=True)
            named = [
                (2, word.arg, value) for word, value in (*late, *zip(node.kwonlyargs, node.kw_defaults, strict=True))
            ]
        for rank, name, value in named:
            plain = isinstance(value, ast.Constant) and type(value.value) is int and value.value == classes
            if value is not None and plain and name.replace("_", "").lower() in _NAMES:
                yield rank, value
