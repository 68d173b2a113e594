"""Back where values are gone: by what the source proves of the operands."""

from __future__ import annotations

import ast
from abc import abstractmethod

from lossguard.operations.roles import SCALAR_CASTS
from lossguard.tracing.links.statements import Statement
from lossguard.tracing.program.binding import called_name
from lossguard.tracing.program.reaching import Definition, Path
from lossguard.tracing.symptoms import effects
from lossguard.tracing.walks.blending import is_distribution, is_score
from lossguard.tracing.walks.calls import Calls
from lossguard.tracing.walks.finiteness import Finiteness, is_positive
from lossguard.tracing.walks.judging import path_into
from lossguard.tracing.walks.steps import Chain, Step, agreed


class Proving(Calls):
    """A walk back that names an operation when its operands are proved to be good."""

    @abstractmethod
    def finiteness(self) -> Finiteness:
        """A new proof."""

    def _is_ruled_out(self, definition: Definition, moment: Statement, path: Path) -> bool:
        plain = self.symptom.name == "no distribution" and not definition.path and not definition.partial
        return (plain and is_distribution(definition.value)) or super()._is_ruled_out(definition, moment, path)

    def _operation(self, node: ast.expr, operands: list[ast.expr], at: Statement, path: Path) -> Chain:
        added = isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add | ast.Sub)
        if added and self.symptom.name == "no distribution" and any(is_score(part, at) for part in operands):
            # Scores are no distribution and need not be one; they became a part of the target here.
            return [self.culprit(node, at)]
        return super()._operation(node, operands, at, path)

    def _by_words(self, node: ast.expr, unknown: list[ast.expr], at: Statement, path: Path) -> Chain:
        if self.symptom.name == "non-finite" and (proved := self._by_proof(node, unknown, at, path)):
            return proved
        chain = super()._by_words(node, unknown, at, path)
        numbers = self.symptom.name == "class numbers" and chain and effects.makes_whole(chain[0].culprit)
        # Whole numbers are no fault of theirs: that they became real ones is.
        return [self.culprit(node, at)] if numbers and effects.makes_real(node) else chain

    def _by_proof(self, node: ast.expr, unknown: list[ast.expr], at: Statement, path: Path) -> Chain:
        """Of the operands that are not known, those that are proved finite are not the ones to follow.

        If all are, something finite became infinite here. If a sum has one that is not, that one was not finite. In
        a quotient it may have been zero as well: then both ways must lead to one line.
        """
        doubtful = [operand for operand in unknown if not self.finiteness().proved(operand, at)]
        keeps = _keeps_finite(node, at)
        if not doubtful:
            return None if keeps else [self.culprit(node, at)]
        if effects.effect_of(node, self.symptom.name) is not None:
            return None
        chains: list[list[Step]] = [] if keeps else [[self.culprit(node, at)]]
        for operand in doubtful:
            chain = self.back(operand, at, path_into(self.symptom, node, operand, at, path))
            if chain is None or (not chain and not keeps):
                return None
            chains.append(chain)
        return agreed(chains)


def _keeps_finite(node: ast.expr, at: Statement) -> bool:
    """Whether an operation gives finite numbers for finite numbers."""
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Div):
        return is_positive(node.right, at)
    if isinstance(node, ast.BinOp):
        return isinstance(node.op, ast.Add | ast.Sub | ast.Mult | ast.MatMult)
    if isinstance(node, ast.Call):
        return called_name(node) in effects.SAME_NUMBERS | effects.CASTS | SCALAR_CASTS
    return isinstance(node, ast.Tuple | ast.List | ast.Dict | ast.UnaryOp)
