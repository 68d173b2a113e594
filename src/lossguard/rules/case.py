"""One call laid before the rules: its contract, its facts, and how the shapes make them hang together."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property

from lossguard.contracts.contract import Argument, Contract, Meaning, Role
from lossguard.contracts.dtypes import AUTOCAST_FLOATS
from lossguard.contracts.interpretation import Interpretation, interpret
from lossguard.contracts.shapes import Shape
from lossguard.facts.facts import Facts
from lossguard.facts.observation import Observation, shapes_of
from lossguard.records import dataclass

UNKNOWN = Facts()


@dataclass(frozen=True, slots=True)
class Part:
    """One argument of the call: what it must be and what it is."""

    spec: Argument
    facts: Facts

    @property
    def name(self) -> str:
        """The argument's own name."""
        return self.spec.name


@dataclass(frozen=True)
class Case:
    """A contract and the facts of a call, with what follows from both worked out once."""

    contract: Contract
    observation: Observation

    @cached_property
    def meant(self) -> Interpretation:
        """How the shapes make the loss read this call."""
        return interpret(self.contract, self.shapes)

    @cached_property
    def shapes(self) -> Mapping[str, Shape | None]:
        """The shape of each argument, as far as known."""
        return shapes_of(self.observation.arguments)

    @cached_property
    def parts(self) -> tuple[Part, ...]:
        """The arguments that were given, in the loss's order; empty while the reading is undecided."""
        if self.meant.reading is None:
            return ()
        given = self.observation.arguments
        return tuple(Part(spec, given[spec.name]) for spec in self.meant.reading.arguments if spec.name in given)

    def named(self, name: str) -> Part | None:
        """The argument called `name`."""
        return next((part for part in self.parts if part.name == name), None)

    @property
    def partner(self) -> Part | None:
        """What must fit the input: the target, or the index of an index operation."""
        return self.target or self.role(Role.INDEX)

    def role(self, role: Role) -> Part | None:
        """The argument that plays `role`."""
        for part in self.parts:
            if part.spec.role is role:
                return part
        return None

    @cached_property
    def input(self) -> Part | None:
        """What the model gave."""
        return self.role(Role.INPUT)

    @cached_property
    def target(self) -> Part | None:
        """What it should have given."""
        return self.role(Role.TARGET)

    @property
    def weight(self) -> Part | None:
        """The class weights, if any were given."""
        return self.role(Role.WEIGHT)

    def meaning(self, *meanings: Meaning) -> list[Part]:
        """The arguments that stand for one of `meanings`."""
        return [part for part in self.parts if part.spec.meaning in meanings]

    @property
    def classes(self) -> int | None:
        """The number of classes, where the shapes tell."""
        return self.meant.size("C")

    @property
    def loss(self) -> str:
        """The loss's name."""
        return self.contract.loss

    def accepted(self, part: Part) -> frozenset[str] | None:
        """The dtypes that `part` may have in this call; None if any may be."""
        taken = self.meant.dtypes(part.spec)
        if taken is not None and self.is_autocast and "float32" in taken:
            return taken | AUTOCAST_FLOATS
        return taken

    def takes(self, part: Part, dtype: str) -> bool | None:
        """Whether `part` may have `dtype`. While the layout is unknown, only what all layouts agree on."""
        if part.facts.count == 0 and (part.spec.unchecked_when_empty or dtype in part.spec.also_when_empty):
            return True
        reading = self.meant.reading
        if self.meant.layout is not None or reading is None:
            accepted = self.accepted(part)
            return accepted is None or dtype in accepted
        sets = [layout.dtypes.get(part.name, part.spec.dtypes) for layout in reading.layouts]
        answers = {accepted is None or dtype in accepted for accepted in sets}
        return answers.pop() if len(answers) == 1 else None

    @property
    def is_autocast(self) -> bool:
        """Whether autocast gives the loss its floats in one dtype, and torch did not object."""
        outcome = self.observation.outcome
        return self.observation.autocast and (outcome is None or outcome.raised is None)

    def is_enforced(self, part: Part, demand: str) -> bool:
        """Whether torch raises when this demand on `part` is broken, on the device it is on."""
        if demand == "bounds" and part.spec.unread is not None and part.spec.unread.holds(self.shapes):
            return False
        device = (part.facts.device or "cpu").partition(":")[0]
        version = self.observation.torch_version
        dimensions = None if self.input is None or self.input.facts.shape is None else len(self.input.facts.shape)
        for leniency in self.contract.leniencies:
            if (
                leniency.argument != part.name
                or leniency.demand != demand
                or (leniency.devices is not None and device not in leniency.devices)
            ):
                continue
            too_old = version is not None and leniency.since is not None and version < leniency.since
            too_new = version is not None and leniency.until is not None and version > leniency.until
            other = leniency.dimensions is not None and dimensions not in leniency.dimensions
            if not (too_old or too_new or other):
                return False
        return True

    @property
    def is_nan(self) -> bool | None:
        """Whether the loss came out NaN; None when it was not run."""
        outcome = self.observation.outcome
        return None if outcome is None else outcome.nan > 0

    @property
    def is_infinite(self) -> bool | None:
        """Whether the loss came out infinite; None when it was not run."""
        outcome = self.observation.outcome
        return None if outcome is None else outcome.infinite > 0
