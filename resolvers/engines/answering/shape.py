"""The rows of an answer, and what kinds of values its columns hold."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal
from functools import cached_property
from itertools import islice
from typing import Any, Final

from resolvers.engines.english.identifiers import tokens_of
from schema.data_readiness.profile import ValueKind

MOST_LOOKED_AT: Final = 1000


@dataclass(frozen=True)
class Rows:
    """The rows of an answer, or the first of them."""

    columns: tuple[str, ...]
    rows: Sequence[Sequence[Any]]
    total: int
    """How many rows the answer has."""
    is_cut_off: bool = False
    """Whether the source had more rows than the answer may have."""

    @cached_property
    def kinds(self) -> tuple[ValueKind, ...]:
        """Return what each column holds, by its first values that are not null."""
        return tuple(self._kind(index) for index in range(len(self.columns)))

    def values(self, index: int) -> list[Any]:
        """The values of a column that are not null."""
        return [row[index] for row in self.rows if row[index] is not None]

    def _kind(self, index: int) -> ValueKind:
        found = {kind_of(value) for value in islice(self.values(index), MOST_LOOKED_AT)}
        return found.pop() if len(found) == 1 else ValueKind.OTHER


def kind_of(value: Any) -> ValueKind:
    """Return what kind a value is."""
    if isinstance(value, bool):
        return ValueKind.BOOLEAN
    if isinstance(value, int | float | Decimal):
        return ValueKind.NUMBER
    if isinstance(value, date | datetime):
        return ValueKind.TEMPORAL
    return ValueKind.TEXT if isinstance(value, str) else ValueKind.OTHER


_THINGS: Final = frozenset(
    {"year", "id", "code", "key", "no", "nr", "number", "zip", "postcode", "phone", "season", "at", "date"}
)
"""`at` and `date` are numbers where a policy shows nothing but the year of them."""


def names_things(column: str) -> bool:
    """Return whether whole numbers of a column are names rather than amounts: 1989 is a year, not 1,989."""
    words = set(tokens_of(column))
    return bool(_THINGS & words) and ("of" not in words or "date" in words)
