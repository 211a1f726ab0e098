"""Defines what may tie two tables together: join memories, declared keys, keys found by profiling, keys guessed from
names.

A memory of type `join` says how two tables are joined. Its content is one of

    {"left": "orders.customer_id", "right": "customers.id"}
    {"left": ["a.x", "a.y"], "right": ["b.x", "b.y"]}
    {"condition": "orders.customer_id = customers.id AND orders.country = customers.country"}

Tables may be named by FQN, by schema and name, or by name alone where that is enough; a condition is DuckDB's SQL and
must compare columns of exactly two tables. Whatever does not resolve is left out.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from decimal import Decimal, InvalidOperation
from typing import Any, Final

import sqlglot
from sqlglot import exp
from sqlglot.errors import SqlglotError

from resolvers.engines.english.identifiers import tokens_of
from resolvers.engines.nl2sql.joining.guessing import COMMON, MEASURES, guessed, plain_key
from resolvers.engines.nl2sql.joining.names import folded, nouns, role_of
from resolvers.engines.nl2sql.joining.ties import Key, KeyOrigin
from resolvers.engines.nl2sql.language.words import IDENTIFYING
from resolvers.engines.nl2sql.model import Knowledge
from schema.data_readiness.profile import ColumnProfile
from schema.data_readiness.source import TableFacts
from schema.identifiers import Fqn
from schema.utils.memory import Memory, MemoryType

__all__ = ["Key", "KeyFinder", "KeyOrigin"]

LEAST_MATCHED: Final = 0.6
_ENDINGS: Final = ("id", "no", "nr", "cd", "code", "key", "num")
"""How the names of keys end, however short they are: `wno`, `cat_cd`."""
_HARDLY: Final = 0.01
"""How likely something is that will not have happened."""


class KeyFinder:
    """Finds the keys of a catalog. Everything is looked up in tables by name, so that 500 tables take no time."""

    def __init__(self, known: Knowledge) -> None:
        self.known = known
        self.tables: dict[str, TableFacts] = {one.fqn: one for one in known.tables}
        self.columns = {one.fqn: {column.name: column for column in one.columns} for one in known.tables}
        self._bare: dict[str, list[str]] = {}
        for one in known.tables:
            self._bare.setdefault(one.name.lower(), []).append(one.fqn)
        self._called = frozenset(noun for one in known.tables for noun in nouns(one.name))
        self._spoken = Counter(column.name.lower() for one in known.tables for column in one.columns)
        self._keys: dict[str, tuple[str, ...]] = {}
        self._unique: dict[str, list[frozenset[str]]] = {}

    # What tells rows of one table apart.

    def key(self, fqn: str) -> tuple[str, ...]:
        """The columns that tell the rows of a table apart: declared, found by profiling, or plain from their names."""
        if fqn not in self._keys:
            self._keys[fqn] = self._key(self.tables[fqn])
        return self._keys[fqn]

    def _key(self, table: TableFacts) -> tuple[str, ...]:
        for kind in ("PRIMARY_KEY", "UNIQUE"):
            for key in table.keys:
                names = tuple(str(name) for name in key.get("columns") or ())
                if key.get("type") == kind and names and all(name in self.columns[table.fqn] for name in names):
                    return names
        if primary := tuple(column.name for column in table.columns if column.is_primary_key):
            return primary
        if unique := [column.name for column in table.columns if column.is_unique and not column.nullable]:
            return (unique[0],)
        return self._plain_key(table)

    def _plain_key(self, table: TableFacts) -> tuple[str, ...]:
        """A key that nobody declared: unique by the profile, or named as the key of the table."""
        profile = self.known.profiles.get(table.fqn)
        proven = [tuple(one.columns) for one in (profile.candidate_keys if profile else ()) if one.uniqueness == 1.0]
        refuted = {
            one.name
            for one in (profile.columns if profile else ())
            if one.distinct_count is not None
            and "distinct_count" not in one.approximate
            and one.distinct_count < one.row_count
        }
        return plain_key(table, proven, refuted, self._called) or self._told_apart(table)

    def _told_apart(self, table: TableFacts) -> tuple[str, ...]:
        """The first column, where every row has its own value, when its name is that of a key or another table has it.

        A profile calls no key of a few rows proven; the name makes up for it.
        """
        profile = self.known.profiles.get(table.fqn)
        first = table.columns[0].name if table.columns else ""
        figures = next((one for one in (profile.columns if profile else ()) if one.name == first), None)
        if figures is None or figures.distinct_count is None or "distinct_count" in figures.approximate:
            return ()
        if not 1 < figures.row_count == figures.distinct_count or set(folded(first)) <= COMMON:
            return ()
        return (first,) if first.lower().endswith(_ENDINGS) or self._spoken[first.lower()] > 1 else ()

    def called(self, name: str) -> list[TableFacts]:
        """The tables of this name, whatever its case."""
        return [self.tables[fqn] for fqn in self._bare.get(name.lower(), ())]

    def is_unique(self, fqn: str, columns: Iterable[str]) -> bool:
        """Return whether no two rows of a table agree in these columns."""
        if fqn not in self._unique:
            table, found = self.tables[fqn], [frozenset(self.key(fqn))]
            found += [
                frozenset(map(str, key.get("columns") or ()))
                for key in table.keys
                if key.get("type") in ("PRIMARY_KEY", "UNIQUE")
            ]
            whole = [column.name for column in table.columns if column.is_primary_key]
            found += [frozenset((column.name,)) for column in table.columns if column.is_unique]
            found += [frozenset(whole)]
            if (profile := self.known.profiles.get(fqn)) is not None:
                found += [
                    frozenset(one.columns) for one in profile.candidate_keys if one.uniqueness == 1.0 and one.is_exact
                ]
            self._unique[fqn] = [names for names in found if names]
        given = frozenset(columns)
        return any(names <= given for names in self._unique[fqn])

    def may_refer(self, fqn: str, column: str, to: str) -> bool:
        """Return whether the values of a column may all be keys of a table, as far as profiles tell."""
        own, key = self._profile(fqn, column), self._profile(to, self.key(to)[0])
        if own is None or key is None or not own.top_values:
            return True
        known = {one.value for one in key.top_values}
        if key.distinct_count is not None and key.distinct_count <= len(known):
            return all(one.value in known for one in own.top_values)
        ends = [own.minimum, own.maximum, key.minimum, key.maximum]
        try:
            least, most, low, high = (Decimal(one) if one is not None else Decimal("NaN") for one in ends)
        except InvalidOperation:
            return True
        return any(one.is_nan() for one in (least, most, low, high)) or (low <= least and most <= high)

    def is_refuted(self, fqn: str, column: str, to: str, to_column: str) -> bool:
        """Return whether profiles show that the values of a column are none of another's: longer or shorter than any of
        them, or none among those that are known, where some had to be among them.
        """
        own, key = self._profile(fqn, column), self._profile(to, to_column)
        if own is None or key is None:
            return False
        least, mean, most = key.min_length, own.mean_length, key.max_length
        if least is not None and mean is not None and most is not None and not least <= mean <= most:
            return True
        return _are_strangers(own, key) or _are_strangers(key, own)

    def holds(self, fqn: str, column: str, to: str) -> bool:
        """Return whether profiles show that the values of a column, which are several, are all keys of a table."""
        own, key = self._profile(fqn, column), self._profile(to, self.key(to)[0])
        if own is None or key is None or key.distinct_count is None or own.masked or key.masked:
            return False
        known = {one.value for one in key.top_values}
        return (
            len(own.top_values) > 1
            and key.distinct_count <= len(known)
            and known.issuperset(one.value for one in own.top_values)
        )

    def _profile(self, fqn: str, column: str) -> ColumnProfile | None:
        profile = self.known.profiles.get(fqn)
        return next((one for one in (profile.columns if profile else ()) if one.name == column), None)

    # Keys between tables.

    def all(self) -> list[Key]:
        """Every key, each pair of columns once, by who is trusted most."""
        found: dict[tuple[Any, ...], Key] = {}
        claimed: set[tuple[str, str]] = set()
        for key in (*self._remembered(), *self._declared(), *self._profiled()):
            if self._fits(key):
                found.setdefault(_same(key), key)
                claimed.update((key.table, name) for name in key.columns)
        guesses = guessed(self, claimed, found.values())
        return [*found.values(), *(key for key in guesses if _same(key) not in found)]

    def _fits(self, key: Key) -> bool:
        return (
            key.table in self.tables
            and key.to in self.tables
            and len(key.columns) == len(key.to_columns)
            and all(name in self.columns[key.table] for name in key.columns)
            and all(name in self.columns[key.to] for name in key.to_columns)
        )

    def _remembered(self) -> Iterator[Key]:
        for memory in self.known.memories:
            if memory.memory_type == MemoryType.JOIN:
                key = self.remembered(memory)
                if key is not None:
                    yield key

    def remembered(self, memory: Memory) -> Key | None:
        """The key that a memory of the type join says; None for one that does not resolve."""
        content = memory.content
        left, right = content.get("left"), content.get("right")
        condition = content.get("condition")
        if left and right:
            lefts, rights = (
                [self.resolved(str(one)) for one in (side if isinstance(side, list) else [side])]
                for side in (left, right)
            )
            pairs = list(zip(lefts, rights, strict=False)) if len(lefts) == len(rights) else []
            return self._remembered_key(pairs, None, memory.id)
        if isinstance(condition, str) and 0 < len(condition) <= 2_000:
            return self._of_condition(condition, memory.id)
        return None

    def _of_condition(self, condition: str, memory: str) -> Key | None:
        try:
            tree = sqlglot.parse_one(condition, dialect="duckdb")
        except (SqlglotError, RecursionError):
            return None
        if tree.find(exp.Query, exp.DDL, exp.DML, exp.Command, exp.AggFunc) is not None:
            return None
        columns = {
            id(one): self.resolved(one.sql(dialect="duckdb").replace('"', "")) for one in tree.find_all(exp.Column)
        }
        if None in columns.values() or len({one[0] for one in columns.values() if one}) != 2:
            return None
        parts = list(tree.flatten()) if isinstance(tree, exp.And) else [tree]
        plain = [
            (columns[id(part.left)], columns[id(part.right)])
            for part in parts
            if isinstance(part, exp.EQ) and isinstance(part.left, exp.Column) and isinstance(part.right, exp.Column)
        ]
        whole = None if len(plain) == len(parts) else condition
        return self._remembered_key(plain, whole, memory)

    def _remembered_key(
        self,
        pairs: Sequence[tuple[tuple[str, str] | None, tuple[str, str] | None]],
        condition: str | None,
        memory: str,
    ) -> Key | None:
        sides = [(left, right) for left, right in pairs if left is not None and right is not None]
        if not sides or len(sides) != len(pairs):
            return None
        first, second = sides[0][0][0], sides[0][1][0]
        turned = [(left, right) if left[0] == first else (right, left) for left, right in sides]
        if any(left[0] != first or right[0] != second for left, right in turned):
            return None
        columns, to = tuple(left[1] for left, _ in turned), tuple(right[1] for _, right in turned)
        if self.is_unique(first, columns) and not self.is_unique(second, to):
            first, second, columns, to = second, first, to, columns
        return Key(first, columns, second, to, KeyOrigin.MEMORY, 0.5, condition, memory)

    def resolved(self, path: str) -> tuple[str, str] | None:
        """The table and column that a dotted path means: `table.column`, `schema.table.column` or an FQN."""
        try:
            parts = Fqn.parse(path).parts if path.count(".") > 2 else tuple(path.split("."))
        except ValueError:
            parts = tuple(path.split("."))
        if len(parts) < 2:
            return None
        *before, table, column = parts
        for fqn in self._bare.get(table.lower(), ()):
            facts = self.tables[fqn]
            names = [name.lower() for name in Fqn.parse(fqn).parts[:-1]]
            if before and [one.lower() for one in before] != names[-len(before) :]:
                continue
            if not before and len(self._bare[table.lower()]) > 1:
                return None
            for one in facts.columns:
                if one.name.lower() == column.lower():
                    return fqn, one.name
        return None

    def _declared(self) -> Iterator[Key]:
        for table in self.tables.values():
            service = Fqn.parse(table.fqn).parts[0]
            whole: set[str] = set()
            for key in table.keys:
                if key.get("type") != "FOREIGN_KEY" or not key.get("target_table"):
                    continue
                target = str(
                    Fqn.of(service, table.database, key.get("target_schema") or table.schema, key["target_table"])
                )
                columns = tuple(str(name) for name in key.get("columns") or ())
                to = tuple(str(name) for name in key.get("target_columns") or ())
                if not to and target in self.tables:
                    to = self.key(target)
                if columns and len(columns) == len(to):
                    whole.update(columns if len(columns) > 1 else ())
                    yield self._made(table.fqn, columns, target, to, KeyOrigin.DECLARED, 1.0)
            for column in table.columns:
                if column.references is not None and column.name not in whole:
                    target, name = column.references
                    yield self._made(table.fqn, (column.name,), target, (name,), KeyOrigin.DECLARED, 1.0)

    def _profiled(self) -> Iterator[Key]:
        for fqn, profile in self.known.profiles.items():
            for one in profile.foreign_keys:
                if one.match_rate >= LEAST_MATCHED and not any(map(_measures, one.columns)):
                    cost = 1.2 + 2 * (1 - one.match_rate)
                    yield self._made(
                        fqn, tuple(one.columns), one.target_fqn, tuple(one.target_columns), KeyOrigin.PROFILED, cost
                    )

    def _made(
        self, table: str, columns: tuple[str, ...], to: str, to_columns: tuple[str, ...], origin: KeyOrigin, cost: float
    ) -> Key:
        role = role_of(columns, self.tables[to].name, to_columns) if to in self.tables else ()
        return Key(table, columns, to, to_columns, origin, cost + 0.05 * bool(role), role=role)


def _measures(column: str) -> bool:
    """Return whether a column is called a figure of what it seems to refer to: `max_guests`."""
    words = tokens_of(column)
    return bool(set(words[:-1]) & MEASURES) and words[-1] not in IDENTIFYING


def _same(key: Key) -> tuple[Any, ...]:
    """Equal for keys that tie the same columns, whichever way round."""
    ends = sorted(((key.table, key.columns), (key.to, key.to_columns)))
    return (*ends, frozenset(key.pairs))


def _are_strangers(own: ColumnProfile, key: ColumnProfile) -> bool:
    """Return whether none of the known values of one column is known of another, though it knows so many of its own
    that this would hardly happen if the one held the other's.
    """
    values, known = ({one.value for one in each.top_values} for each in (own, key))
    if own.masked or key.masked or not values or not known or not key.distinct_count or values & known:
        return False
    missed = max(0.0, 1 - len(known) / key.distinct_count)
    return bool(missed ** len(values) < _HARDLY)
