"""Defines why a cell is suspicious.

Each sign weighs as much as the natural logarithm of how much likelier it is to be seen on a wrong cell than on a right
one; the weights are figures of what is measured in the column itself, within bounds that were set on made tables.
"""

from dataclasses import dataclass
from typing import TypeAlias

from schema.data_readiness.suspect import SuspectKind

Sign: TypeAlias = SuspectKind
"""Describes what a cell shows."""


@dataclass(frozen=True, slots=True)
class Reason:
    """One sign, what it weighs, and a sentence on it."""

    sign: Sign
    weight: float
    told: str
    repair: str | None = None
    """What should stand there, if the sign tells."""
    by_sign: bool = False
    """Whether only the sign of a number speaks against it; a formula that holds does so with all signs turned."""
    in_itself: bool = False
    """Whether such a value is right in no table, however clean: a day that there is not, a wrong check digit."""


@dataclass(frozen=True, slots=True)
class Suspect:
    """A cell that is probably wrong."""

    row: int
    """Its row, counted from 0."""
    column: str
    value: str | None
    score: float
    """How probable it is that the cell is wrong, 0 to 1."""
    reasons: tuple[Reason, ...]
    """The heaviest first."""
    repair: str | None
    """What probably should stand there, if that can be told."""
