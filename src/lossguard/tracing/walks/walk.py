"""One walk back from a bad value: what is looked for, in which program, and what was met on the way."""

from __future__ import annotations

import ast
import time
from collections.abc import Callable
from dataclasses import replace
from typing import Any, Final

from lossguard.tracing.batches.loaders import Stream
from lossguard.tracing.evidence.replay import Activation, Replay
from lossguard.tracing.links.construction import Construction
from lossguard.tracing.links.statements import Statement
from lossguard.tracing.links.views import ProgramView
from lossguard.tracing.program.reaching import Path
from lossguard.tracing.symptoms.symptom import Judgement, Symptom, described
from lossguard.tracing.values.evaluating import UNKNOWN
from lossguard.tracing.values.projecting import project
from lossguard.tracing.walks.judging import judged_whole
from lossguard.tracing.walks.steps import Chain, Step, line_of, step_at

_STEPS: Final = 400


class Walk:
    """One walk back, for one symptom. Where to go from an expression is told by `way`, of which there is one."""

    def __init__(
        self,
        symptom: Symptom,
        world: ProgramView,
        deadline: float,
        way: Callable[[Walk, ast.expr, Statement, Path], Chain],
        *,
        may_replay: bool = True,
    ) -> None:
        self.symptom = symptom
        self.world = world
        self.deadline = deadline
        self.may_replay = may_replay
        self.construction = Construction(world)
        self._way = way
        self._left = _STEPS
        #: Whether the way led to weights that are not finite themselves.
        self.weights_lost = False
        #: Whether the way led through a cast that cut off what was bad before.
        self.was_cut = False
        #: What went other than expected, for the report.
        self.remark = ""
        #: Which row of the batch is looked at, and whether one is known.
        self.row: int | None = None
        #: The definitions and attributes that were met, of which none is followed twice.
        self.seen: set[tuple[int | str, ...]] = set()
        #: The sample that was asked for again, and the calls by which it was put into a batch.
        self.sample: tuple[Stream, Any, Replay] | None = None
        self.batch_roots: set[int] = set()
        #: The calls that were run again, with the expressions that made them.
        self.run_again: dict[int, tuple[Activation, ast.Call, Statement]] = {}
        #: A stream whose collate function was replayed, and the first of its samples.
        self.streamed: tuple[Stream, Any] | None = None
        #: What is behind the parts of batches that were asked for before.
        self.told: dict[tuple[int, str], Chain] = {}
        #: Of each expression on the way, the part that was followed.
        self._parts: dict[ast.expr, Path] = {}

    def back(self, node: ast.expr, at: Statement, path: Path = ()) -> Chain:
        """The chain that ends in the value of `node`, of which the part at `path` is bad."""
        self._left -= 1
        if self._left < 0 or time.monotonic() > self.deadline:
            return None
        self._parts[node] = path
        if self.symptom.about == "values" and self._judged(node, at) is Judgement.GOOD:
            return None  # what is good there is not what became bad: another run of the line made that
        return self._way(self, node, at, path)

    def back_for(self, symptom: Symptom, node: ast.expr, at: Statement, path: Path = ()) -> Chain:
        """The same for another symptom, which is what an operand is bad by."""
        own, self.symptom = self.symptom, symptom
        try:
            return self.back(node, at, path)
        finally:
            self.symptom = own

    def is_bad(self, value: Any) -> bool:
        """Whether a value is known to be bad."""
        return value is not UNKNOWN and self.symptom.judge(value) is Judgement.BAD

    def culprit(self, node: ast.expr, at: Statement, before: str = "", variable: str = "") -> Step:
        """The step at which the value became bad."""
        value = at.evaluate(node)
        part = project(value, self._parts.get(node, ()))
        value = value if part is UNKNOWN else part
        after = described(value) if value is not UNKNOWN else ""
        is_good = self._judged(node, at) is Judgement.GOOD
        return replace(step_at(line_of(node, at), at, variable, before, after, node), is_good=is_good)

    def _judged(self, node: ast.expr, at: Statement) -> Judgement:
        """How the part of an expression is judged that was followed."""
        return judged_whole(self.symptom, node, at, self._parts.get(node, ()))

    def proved(self, chain: Chain) -> Chain:
        """`chain` from the first line whose result is not known to be good: what gave something good is no culprit."""
        if not chain or not chain[0].is_good:
            return chain
        for number, step in enumerate(chain[1:], 1):
            judged = self._judged(step.taken, step.moment) if step.taken and step.moment else Judgement.UNKNOWN
            if judged is Judgement.BAD:
                return [replace(step, culprit=step.taken), *chain[number + 1 :]]
            if judged is not Judgement.GOOD:
                return None
        return None
