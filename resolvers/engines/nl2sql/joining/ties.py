"""Defines what ties two tables together."""

from dataclasses import dataclass
from enum import IntEnum


class KeyOrigin(IntEnum):
    """Describes who says that a key ties two tables, the most trusted first."""

    MEMORY = 0
    DECLARED = 1
    PROFILED = 2
    GUESSED = 3


@dataclass(frozen=True, slots=True)
class Key:
    """Columns of one table that refer to columns of another, or of itself."""

    table: str
    columns: tuple[str, ...]
    to: str
    to_columns: tuple[str, ...]
    origin: KeyOrigin
    cost: float
    """What it costs to walk along; a declared key costs 1."""
    condition: str | None = None
    """The whole condition of a memory that says more than that columns are equal; DuckDB's SQL."""
    memory: str | None = None
    role: tuple[str, ...] = ()
    """What the name says beside the table referred to: `home` of `home_team_id`."""

    @property
    def pairs(self) -> tuple[tuple[str, str], ...]:
        """The columns that are equal, of the table that refers and the one referred to."""
        return tuple(zip(self.columns, self.to_columns, strict=True))
