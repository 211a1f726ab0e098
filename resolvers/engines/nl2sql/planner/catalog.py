"""The asker's tables as the planner looks at them: what a row is called, what identifies it, what lies how near."""

from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal, InvalidOperation
from functools import cached_property
from itertools import chain
from typing import TYPE_CHECKING, Final

from resolvers.engines.english.identifiers import tokens_of
from resolvers.engines.nl2sql.joining.joins import joins_of
from resolvers.engines.nl2sql.joining.keys import Key
from resolvers.engines.nl2sql.joining.names import NAMES
from resolvers.engines.nl2sql.language.measures import is_numeric
from resolvers.engines.nl2sql.model import ColumnKey, Knowledge
from resolvers.engines.nl2sql.schema_linking.kinds import ColumnKind, holds_day_numbers
from resolvers.engines.nl2sql.schema_linking.vocabulary import Vocabulary
from schema.data_readiness.profile import ColumnProfile, ValueKind
from schema.data_readiness.source import ColumnFacts, TableFacts

if TYPE_CHECKING:
    from resolvers.engines.nl2sql.planner.knowledge import Noted

FAR: Final = 9
"""The distance of tables that no keys connect."""
_SHARING: Final = 1.5
"""How many rows of a table have the same name on average, where it names something that rows share."""
_FARTHEST: Final = 4
"""Keys that are gone along to other tables at most."""
_NUMBERING: Final = frozenset(("number", "no", "code", "nr", "year"))
"""Last words of numbers that tell rows apart: others are only by chance never the same."""
_NUMBERS: Final = ("INT", "NUM", "DEC", "FLOAT", "DOUBLE", "REAL", "YEAR", "SERIAL")
_WHICH: Final = {"year": (1000, 2999), "month": (1, 12), "day": (1, 366)}
"""The numbers that years, months and days have."""
_WHEN: Final = frozenset(("date", "year", "day", "month", "birthday", "timestamp"))


class Catalog:
    """What is asked of the knowledge again and again, found once."""

    def __init__(self, known: Knowledge) -> None:
        self.known = known
        self.tables: dict[str, TableFacts] = {one.fqn: one for one in known.tables}
        self.columns: dict[ColumnKey, ColumnFacts] = {
            ColumnKey(table.fqn, column.name): column for table in known.tables for column in table.columns
        }
        self.joins = joins_of(known)
        self.vocabulary = Vocabulary.of(known)
        self._names: dict[str, tuple[ColumnKey, ...]] = {}
        self._near: dict[str, dict[str, int]] = {}
        self._of: dict[str, tuple[ColumnKey, ...]] = {}
        self._ties: dict[str, bool] = {}
        self._day_numbers: dict[ColumnKey, bool] = {}
        self._keys: dict[str, ColumnKey | None] = {}
        self._only_identify: dict[ColumnKey, bool] = {}
        self._forked: dict[str, dict[str, list[Key]]] = {}

    def forked(self, table: str) -> Mapping[str, list[Key]]:
        """The tables that refer to a table by several single columns, with those: its home and its away team.

        It may be among them itself, as people with a mother and a father are.
        """
        found = self._forked.get(table)
        if found is None:
            found = self._forked[table] = {}
            for one in (*self.links.get(table, ()), table):
                keys = [
                    key
                    for key in self.joins.keys_of(one)
                    if (key.table, key.to) == (one, table) and len(key.columns) == 1
                ]
                if len(keys) > 1:
                    found[one] = keys
        return found

    def facts(self, key: ColumnKey) -> ColumnFacts:
        """Return what the catalog knows of a column."""
        return self.columns[key]

    def of(self, table: str) -> Sequence[ColumnKey]:
        """The columns of a table, those that may be used."""
        found = self._of.get(table)
        if found is None:
            keys = (ColumnKey(table, column.name) for column in self.tables[table].columns)
            found = self._of[table] = tuple(key for key in keys if key not in self.known.forbidden)
        return found

    def words(self, key: ColumnKey) -> tuple[str, ...]:
        """The words of a column's name, in the singular and small letters."""
        return self.vocabulary.words(key)

    def name_words(self, key: ColumnKey) -> frozenset[str]:
        """The same with the small words of the name, such as the `per` of a price per tonne."""
        return frozenset((*self.words(key), *tokens_of(key.column)))

    def table_words(self, table: str) -> tuple[str, ...]:
        """The words of a table's name, in the singular and small letters."""
        return self.vocabulary.words(table)

    def kind(self, key: ColumnKey) -> ColumnKind:
        """Return what the values of a column are."""
        return self.vocabulary.column_kind(key)

    def profile(self, key: ColumnKey) -> ColumnProfile | None:
        """The latest profile of a column."""
        return self.vocabulary.profile(key)

    def is_number(self, key: ColumnKey) -> bool:
        """Return whether it holds numbers, whatever the type that they are stored as."""
        kind = self.kind(key)
        if kind is ColumnKind.YEAR:
            return any(word in (self.facts(key).data_type or "").upper() for word in _NUMBERS)
        return kind is ColumnKind.NUMBER

    def is_measure(self, key: ColumnKey) -> bool:
        """Return whether an average of it says something."""
        return self.is_number(key) and not self.is_key(key)

    def may_reach(self, key: ColumnKey, number: Decimal) -> bool:
        """Return whether a number is near enough to what a column holds, as far as its profile knows."""
        profile = self.profile(key)
        if profile is None or profile.minimum is None or profile.maximum is None or not self.is_number(key):
            return True
        try:
            low, high = Decimal(profile.minimum), Decimal(profile.maximum)
        except InvalidOperation:
            return True
        return low - (high - low) <= number <= high + (high - low)

    def is_view(self, table: str) -> bool:
        """Return whether a table shows rows of others."""
        return table in self.tables and self.tables[table].is_view

    def is_unique(self, key: ColumnKey) -> bool:
        """Return whether no two rows have the same value, as far as the profile knows."""
        profile = self.profile(key)
        return profile is not None and bool(profile.row_count) and profile.distinct_count == profile.row_count

    def is_numeric_text(self, key: ColumnKey) -> bool:
        """Return whether a text holds numbers only, as far as its profile tells."""
        return self.vocabulary.is_numeric_text(key)

    def holds_more_than_numbers(self, key: ColumnKey) -> bool:
        """Return whether a text is taken for numbers though it holds words for a missing one: its first or last is
        none.
        """
        profile = self.profile(key)
        if (
            profile is None
            or profile.kind is not ValueKind.TEXT
            or not (self.is_number(key) or self.is_numeric_text(key))
        ):
            return False
        ends = [one for one in (profile.minimum, profile.maximum) if one is not None]
        return not all(is_numeric(one.strip()) for one in ends)

    def is_time(self, key: ColumnKey) -> bool:
        """Return whether it holds dates or moments."""
        return self.kind(key) in (ColumnKind.DATE, ColumnKind.MOMENT, ColumnKind.TIME)

    def is_day_number(self, key: ColumnKey) -> bool:
        """Return whether it holds days as numbers: 20240131."""
        found = self._day_numbers.get(key)
        if found is None:
            profile = self.profile(key) if self.kind(key) is ColumnKind.NUMBER else None
            texts: list[str | None] = []
            if profile is not None and not profile.masked:
                texts = [profile.minimum, profile.maximum, *(one.value for one in profile.top_values)]
            found = self._day_numbers[key] = holds_day_numbers([one for one in texts if one is not None])
        return found

    def is_dated(self, key: ColumnKey) -> bool:
        """Return whether it holds dates or moments, or days as numbers."""
        return self.is_time(key) or self.is_day_number(key)

    def is_year(self, key: ColumnKey) -> bool:
        """Return whether it holds years as numbers or texts."""
        return self.kind(key) is ColumnKind.YEAR

    def is_moment_like(self, key: ColumnKey) -> bool:
        """Return whether it tells when, by what it holds or by its name."""
        if self.kind(key).is_temporal or self.is_day_number(key):
            return True
        return bool(set(self.words(key)) & _WHEN) and not self._tells_in_words(key) and not self._lasts(key)

    def _lasts(self, key: ColumnKey) -> bool:
        """Return whether numbers called by a span of time tell how many of them, and not
        which: `years_of_schooling`.
        """
        profile = self.profile(key) if self.kind(key) is ColumnKind.NUMBER else None
        ends = [one for one in (profile.minimum, profile.maximum) if one] if profile is not None else []
        least, most = next((_WHICH[word] for word in self.words(key) if word in _WHICH), (None, None))
        if not ends or least is None or most is None:
            return False
        try:
            return not all(least <= Decimal(one) <= most for one in ends)
        except InvalidOperation:
            return False

    def _tells_in_words(self, key: ColumnKey) -> bool:
        """Return whether the values of a text are known, and none has a digit: the `time_of_day` is dawn, day
        or night.
        """
        profile = self.profile(key) if self.is_text(key) else None
        values = [one.value for one in profile.top_values] if profile is not None and not profile.masked else []
        return bool(values) and not any(char.isdigit() for value in values for char in value)

    def is_text(self, key: ColumnKey) -> bool:
        """Return whether it holds words."""
        return self.kind(key) is ColumnKind.TEXT

    def is_boolean(self, key: ColumnKey) -> bool:
        """Return whether it holds truth."""
        return self.kind(key) is ColumnKind.BOOLEAN

    def is_key(self, key: ColumnKey) -> bool:
        """Return whether it only identifies: a primary key, a reference, or named like one."""
        found = self._only_identify.get(key)
        if found is None:
            measures = self.is_number(key) and self.words(key)[-1] not in _NUMBERING
            found = self.vocabulary.is_identifier(key) or (self.key(key.table) == key and not measures)
            self._only_identify[key] = found
        return found

    def key(self, table: str) -> ColumnKey | None:
        """The one column that identifies a row."""
        if table not in self._keys:
            found = self.joins.key(table)
            self._keys[table] = ColumnKey(table, found[0]) if len(found) == 1 else None
        return self._keys[table]

    def whole_key(self, table: str) -> tuple[ColumnKey, ...]:
        """All columns that together identify a row."""
        return tuple(ColumnKey(table, name) for name in self.joins.key(table))

    def names(self, table: str) -> tuple[ColumnKey, ...]:
        """Return what a row is called: its name column; first and last name; nothing when it has no such column."""
        if table not in self._names:
            found = self.vocabulary.name_columns(table)
            self._names[table] = tuple(key for key in found if key not in self.known.forbidden)
        return self._names[table]

    def is_shared_name(self, key: ColumnKey) -> bool:
        """Return whether what rows are called by is a thing of its own that several of them share: the quay of
        a berth.
        """
        profile = self.profile(key)
        own = set(self.words(key)) - NAMES - set(self.table_words(key.table))
        if not own or profile is None or not profile.distinct_count:
            return False
        return profile.distinct_count * _SHARING <= profile.row_count

    def entity(self, table: str) -> tuple[ColumnKey, ...]:
        """Return what to show of a row when nothing is said: its name, else its key, else all that it has."""
        if names := self.names(table):
            return names
        key = self.key(table)
        return (key,) if key is not None and key not in self.known.forbidden else tuple(self.of(table))

    @cached_property
    def noted(self) -> "Noted":
        """Return what people noted that plans must follow."""
        from resolvers.engines.nl2sql.planner.knowledge import Noted

        return Noted(self)

    @cached_property
    def keys(self) -> tuple[Key, ...]:
        """The keys between tables, each from the table that refers to the one referred to."""
        return tuple(key for fqn in self.tables for key in self.joins.keys_of(fqn) if key.table == fqn)

    @cached_property
    def links(self) -> Mapping[str, tuple[str, ...]]:
        """Which tables keys tie to which others, by name."""
        found: dict[str, set[str]] = {}
        for key in self.keys:
            if key.table != key.to:
                found.setdefault(key.table, set()).add(key.to)
                found.setdefault(key.to, set()).add(key.table)
        return {table: tuple(sorted(others)) for table, others in found.items()}

    @cached_property
    def above(self) -> Mapping[str, frozenset[str]]:
        """The tables that a table refers to."""
        found: dict[str, set[str]] = {}
        for key in self.keys:
            found.setdefault(key.table, set()).add(key.to)
        return {table: frozenset(others) for table, others in found.items()}

    def reference(self, key: ColumnKey) -> Key | None:
        """The key that a column is all of, if it refers to another table."""
        return self.references.get(key)

    @cached_property
    def references(self) -> Mapping[ColumnKey, Key]:
        """The keys that are one column, by that column."""
        found: dict[ColumnKey, Key] = {}
        for key in self.keys:
            if len(key.columns) == 1:
                found.setdefault(ColumnKey(key.table, key.columns[0]), key)
        return found

    def below(self, table: str) -> list[str]:
        """The other tables that refer to a table, by name."""
        return [one for one in self.links.get(table, ()) if table in self.above.get(one, ())]

    def distances(self, table: str) -> dict[str, int]:
        """How many keys away other tables are."""
        if table not in self._near:
            near, reached = {table: 0}, [table]
            for far in range(1, _FARTHEST + 1):
                beyond = chain.from_iterable([self.links.get(one, ()) for one in reached])
                reached = [one for one in dict.fromkeys(beyond) if one not in near]
                near.update(dict.fromkeys(reached, far))
            self._near[table] = near
        return self._near[table]

    def distance(self, one: str, other: str) -> int:
        """How many keys lie between two tables."""
        near = self._near.get(one)
        return (self.distances(one) if near is None else near).get(other, FAR)

    def farness(self, table: str, others: Iterable[str]) -> int:
        """The distance to the nearest of some tables; 0 when there are none."""
        return min((self.distance(table, other) for other in others), default=0)

    def only_ties(self, table: str) -> bool:
        """Return whether a table holds nothing but keys: it ties others together."""
        found = self._ties.get(table)
        if found is None:
            found = all(self.is_key(column) or self.reference(column) is not None for column in self.of(table))
            self._ties[table] = found
        return found

    def always_has(self, one: str, other: str) -> bool:
        """Return whether each row of a table has one of the other, as a key that is never empty tells."""
        profiles = [
            [self.profile(ColumnKey(one, column)) for column in key.columns]
            for key in self.joins.keys_of(one)
            if key.table == one and key.to == other
        ]
        return any(all(each is not None and not each.null_count for each in columns) for columns in profiles)

    def refers(self, one: str, other: str) -> bool:
        """Return whether each row of a table has at most one row of the other, along the shortest chain of keys."""
        here, left = {one}, self.distance(one, other)
        while left:
            left -= 1
            here = {to for at in here for to in self.above.get(at, ()) if self.distance(to, other) == left}
            if not here:
                return False
        return True


def catalog_of(known: Knowledge) -> Catalog:
    """The catalog of a knowledge; that of the latest few is kept."""
    for at, catalog in enumerate(_KEPT):
        if catalog.known is known:
            _KEPT.append(_KEPT.pop(at))
            return catalog
    made = Catalog(known)
    _KEPT.append(made)
    del _KEPT[:-4]
    return made


_KEPT: Final[list[Catalog]] = []
