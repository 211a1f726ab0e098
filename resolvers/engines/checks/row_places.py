"""Where a row is found again in a table that has no key: by few columns that no other row has the same values of.

One set of columns serves for most rows, so that a person can look them up in one way. A row that it does not tell apart
has a set of its own. Of a table that was looked at in part, they tell the row apart among the rows that were looked at.
"""

from collections import Counter, defaultdict
from collections.abc import Collection, Sequence
from decimal import Decimal
from typing import Any, Final

from schema.data_readiness.source import Sample

MOST_COLUMNS: Final = 6
LONGEST: Final = 60
"""Characters of a value that may be asked for to find a row."""
MOST_ROWS: Final = 2000
"""Rows that the common set of columns is chosen by."""


class RowPlaces:
    """Finds the columns that tell rows of a sample apart; of those that hold personal data none is used."""

    def __init__(self, sample: Sample, hidden: Collection[str] | None) -> None:
        """`hidden` are the names of the columns with personal data, None for all."""
        self._rows = sample.rows
        self._usable = [place for place, name in enumerate(sample.columns) if hidden is not None and name not in hidden]
        self._names = sample.columns
        self._where: dict[int, dict[Any, list[int]]] = {}
        self._common: tuple[int, ...] | None = None

    def of(self, row: int) -> tuple[str, ...]:
        """The names of the columns that tell a row apart; none where nothing does."""
        if self._common is None:
            self._common = self._common_to_most()
        for told in (lambda _: self._common or (), self._own):  # the second is dear
            places = told(row)
            if places and self._alone(row, places):
                return tuple(self._names[place] for place in sorted(places))
        return ()

    def _common_to_most(self) -> tuple[int, ...]:
        """Columns that tell as many rows apart as can be; numbers with fractions only where nothing else does."""
        rows = self._rows[:: max(1, len(self._rows) // MOST_ROWS)]
        measured = [place for place in self._usable if any(_is_fraction(row[place]) for row in rows)]
        chosen: list[int] = []
        kinds, different = [0] * len(rows), 1
        for some in ([place for place in self._usable if place not in measured], measured):
            while some and different < len(rows) and len(chosen) < MOST_COLUMNS:
                told = {place: _together(kinds, rows, place) for place in some}
                best = max(some, key=lambda place: (max(told[place]), -place))
                if max(told[best]) + 1 == different:
                    break
                chosen.append(best)
                kinds, different = told[best], max(told[best]) + 1
        for place in chosen[:-1]:  # what was chosen first may be needless beside what came after
            rest = [one for one in chosen if one != place]
            if len({tuple(_key(row[one]) for one in rest) for row in rows}) == different:
                chosen = rest
        return tuple(chosen)

    def _own(self, row: int) -> tuple[int, ...]:
        """Columns that tell one row apart, those first that tell most."""
        values = self._rows[row]
        left: Sequence[int] | None = None
        chosen: list[int] = []
        usable = [place for place in self._usable if _is_short(values[place])]
        while usable and len(chosen) < MOST_COLUMNS and (left is None or len(left) > 1):
            among = {
                place: self._with(place, values[place])
                if left is None
                else [one for one in left if _key(self._rows[one][place]) == _key(values[place])]
                for place in usable
            }
            best = min(usable, key=lambda place: (len(among[place]), place))
            left = among[best]
            chosen.append(best)
            usable.remove(best)
        return tuple(chosen)

    def _alone(self, row: int, places: Sequence[int]) -> bool:
        values = self._rows[row]
        if not all(_is_short(values[place]) for place in places):
            return False
        rarest = min(places, key=lambda place: len(self._with(place, values[place])))
        same = Counter(
            all(_key(self._rows[one][place]) == _key(values[place]) for place in places)
            for one in self._with(rarest, values[rarest])
        )
        return same[True] == 1

    def _with(self, place: int, value: Any) -> list[int]:
        """The rows with a value of a column."""
        if place not in self._where:
            rows: dict[Any, list[int]] = defaultdict(list)
            for at, one in enumerate(self._rows):
                rows[_key(one[place])].append(at)
            self._where[place] = rows
        return self._where[place].get(_key(value), [])


def _together(kinds: Sequence[int], rows: Sequence[Sequence[Any]], place: int) -> list[int]:
    """Number rows from 0 by what they were told apart by before and one column more."""
    numbers: dict[tuple[int, Any], int] = {}
    return [numbers.setdefault((kind, _key(row[place])), len(numbers)) for kind, row in zip(kinds, rows, strict=True)]


def _key(value: Any) -> Any:
    try:
        hash(value)
    except TypeError:  # a list or a document
        return repr(value)
    return value


def _is_fraction(value: Any) -> bool:
    return isinstance(value, float | Decimal) and value != value // 1


def _is_short(value: Any) -> bool:
    """Return whether a person can ask for a value."""
    return value is not None and not isinstance(value, list | dict | bytes) and len(str(value)) <= LONGEST
