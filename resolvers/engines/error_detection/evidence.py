"""Defines why a cell is suspicious.

Each sign weighs as much as the natural logarithm of how much likelier it is to be seen on a wrong cell than on a right
one; the weights are figures of what is measured in the column itself, within bounds that were set on made tables.
"""

from dataclasses import dataclass
from enum import StrEnum


class Sign(StrEnum):
    """Describes what a cell shows."""

    DEPENDENCY = "dependency"
    """Rows that agree elsewhere have another value here."""
    VARIANT = "variant"
    """A rare value that is nearly a frequent one."""
    WRITING = "writing"
    """A frequent value, with other case, spaces or signs."""
    WORD = "word"
    """A rare word that is nearly a frequent one."""
    PATTERN = "pattern"
    """Another form than nearly all of the column."""
    LETTERS = "letters"
    """A sequence of characters that the column has nowhere else."""
    RARE = "rare"
    """A rare value among few that are frequent."""
    OUTLIER = "outlier"
    """Far from all other values."""
    STAND_IN = "stand_in"
    """A text or number that stands for a missing value."""
    MISSING = "missing"
    """No value, where nearly all rows have one."""
    DOMAIN = "domain"
    """A value of another column."""
    ORDER = "order"
    """Less than a column that it is never less than."""
    FORMULA = "formula"
    """Another than what it is worked out of, or is worked out with, comes to."""


@dataclass(frozen=True, slots=True)
class Reason:
    """One sign, what it weighs, and a sentence on it."""

    sign: Sign
    weight: float
    told: str
    repair: str | None = None
    """What should stand there, if the sign tells."""


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
