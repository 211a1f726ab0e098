"""What may tie two tables together: join memories, declared keys, keys found by profiling, keys guessed from names.

A memory of type `join` says how two tables are joined. Its content is one of

    {"left": "orders.customer_id", "right": "customers.id"}
    {"left": ["a.x", "a.y"], "right": ["b.x", "b.y"]}
    {"condition": "orders.customer_id = customers.id AND orders.country = customers.country"}

Tables may be named by FQN, by schema and name, or by name alone where that is enough; a condition is DuckDB's SQL and
must compare columns of exactly two tables. Whatever does not resolve is left out.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import IntEnum
from functools import lru_cache
from typing import Any, Final

import sqlglot
from sqlglot import exp
from sqlglot.errors import SqlglotError

from resolvers.engines.describing.grammar import singular
from resolvers.engines.describing.names import table_name, tokens_of
from resolvers.engines.describing.vocabulary import words
from resolvers.engines.nl2sql.model import Knowledge
from schema.data_readiness.source import ColumnFacts, TableFacts
from schema.identifiers import Fqn
from schema.utils.memory import Memory, MemoryType

HEADS: Final = frozenset(("id", "key", "code", "no", "nr", "number", "num", "fk", "pk", "sk", "ref", "uuid", "guid"))
"""Last words of names of keys."""
ABOVE: Final = words(
    "manager parent supervisor boss reports superior mentor leader chief lead referrer predecessor successor spouse "
    "ancestor advisor reportsto"
)
"""Words of columns that refer to another row of their own table, unless a table is called so."""
COMMON: Final = words(
    "id key code no nr number name title type status date time year month day description desc comment note value "
    "amount price quantity count total rank rating score level city state country address phone email age gender sex "
    "active created updated first last position"
)
"""Names that many tables have without meaning the same thing."""
NAMES: Final = words("name title fname lname mname first last middle full forename surname firstname lastname label")
"""Words that columns are called by which say who or what a row is."""
LEAST_MATCHED: Final = 0.6


class Origin(IntEnum):
    """Who says that a key ties two tables, the most trusted first."""

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
    origin: Origin
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


@lru_cache(maxsize=20_000)
def folded(name: str) -> tuple[str, ...]:
    """The words of a name as they are compared: `StudentIDs` is student, id."""
    return tuple(singular(token) for token in tokens_of(name))


@lru_cache(maxsize=5_000)
def nouns(name: str) -> frozenset[tuple[str, ...]]:
    """What a row of a table may be called in the names of columns: its name in words, and its last word."""
    whole = folded(name)
    said = tuple(singular(word.lower()) for word in table_name(name).words.words)
    plain = tuple(token for token in folded(" ".join(said)) if token) or whole
    return frozenset(one for one in (whole, said, plain) if one)


def names_its_row(column: str, table: str) -> bool:
    """Whether a column holds the name of what the rows of its table are."""
    said = set(folded(column))
    own = {word for noun in nouns(table) for word in noun}
    return bool(said & NAMES) and said - own <= NAMES


@lru_cache(maxsize=1_000)
def family(data_type: str | None) -> str:
    """Types whose values can be equal; empty for one that says nothing."""
    kind = (data_type or "").upper()
    if not kind or kind in ("UNKNOWN", "NULL", "ANY"):
        return ""
    if any(word in kind for word in ("CHAR", "TEXT", "STRING", "CLOB", "ENUM", "NAME", "CITEXT")):
        return "text"
    if any(word in kind for word in ("DATE", "TIME")):
        return "moment"
    if "INTERVAL" not in kind and any(
        word in kind for word in ("INT", "NUM", "DEC", "DOUBLE", "FLOAT", "REAL", "SERIAL", "MONEY", "YEAR")
    ):
        return "number"
    if "BOOL" in kind or kind == "BIT":
        return "boolean"
    return kind


class KeyFinder:
    """Finds the keys of a catalog. Everything is looked up in tables by name, so that 500 tables take no time."""

    def __init__(self, known: Knowledge) -> None:
        self.known = known
        self.tables: dict[str, TableFacts] = {one.fqn: one for one in known.tables}
        self.columns = {one.fqn: {column.name: column for column in one.columns} for one in known.tables}
        self._bare: dict[str, list[str]] = {}
        for one in known.tables:
            self._bare.setdefault(one.name.lower(), []).append(one.fqn)
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
        named = [column.name for column in table.columns if _names_key(column.name, table.name)]
        for name in named:
            if (name,) in proven or name not in refuted:
                return (name,)
        if single := [names for names in proven if len(names) == 1 and set(folded(names[0])) & HEADS]:
            return single[0]
        return proven[0] if proven else ()

    def is_unique(self, fqn: str, columns: Iterable[str]) -> bool:
        """Whether no two rows of a table agree in these columns."""
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

    # Keys between tables.

    def all(self) -> list[Key]:
        """Every key, each pair of columns once, by who is trusted most."""
        found: dict[tuple[Any, ...], Key] = {}
        claimed: set[tuple[str, str]] = set()
        for key in (*self._remembered(), *self._declared(), *self._profiled()):
            if self._fits(key):
                found.setdefault(_same(key), key)
                claimed.update((key.table, name) for name in key.columns)
        for key in _guessed(self, claimed):
            found.setdefault(_same(key), key)
        return list(found.values())

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
                key = self._of_memory(memory)
                if key is not None:
                    yield key

    def _of_memory(self, memory: Memory) -> Key | None:
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
        return Key(first, columns, second, to, Origin.MEMORY, 0.5, condition, memory)

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
                    yield self._made(table.fqn, columns, target, to, Origin.DECLARED, 1.0)
            for column in table.columns:
                if column.references is not None and column.name not in whole:
                    target, name = column.references
                    yield self._made(table.fqn, (column.name,), target, (name,), Origin.DECLARED, 1.0)

    def _profiled(self) -> Iterator[Key]:
        for fqn, profile in self.known.profiles.items():
            for one in profile.foreign_keys:
                if one.match_rate >= LEAST_MATCHED:
                    cost = 1.2 + 2 * (1 - one.match_rate)
                    yield self._made(
                        fqn, tuple(one.columns), one.target_fqn, tuple(one.target_columns), Origin.PROFILED, cost
                    )

    def _made(
        self, table: str, columns: tuple[str, ...], to: str, to_columns: tuple[str, ...], origin: Origin, cost: float
    ) -> Key:
        role = role_of(columns, self.tables[to].name, to_columns) if to in self.tables else ()
        return Key(table, columns, to, to_columns, origin, cost + 0.05 * bool(role), role=role)


def role_of(columns: Sequence[str], target: str, to_columns: Sequence[str]) -> tuple[str, ...]:
    """What the name of a key says beside what it refers to: `home` of `home_team_id` to `team.id`."""
    if len(columns) != 1:
        return ()
    said = list(folded(columns[0]))
    if tuple(said) == folded(to_columns[0]):
        return ()
    if len(said) > 1 and said[-1] in HEADS:
        said.pop()
    beside = {word for noun in nouns(target) for word in noun} | set(folded(to_columns[0]))
    return tuple(word for word in said if word not in beside)


def _names_key(column: str, table: str) -> bool:
    """Whether a column is called as the key of its table: `id`, `student_id` or `StuID` of `Student`."""
    words = folded(column)
    if words in (("id",), ("uuid",), ("key",), ("pk",), ("rowid",)):
        return True
    if len(words) > 1 and words[-1] in HEADS:
        before = words[:-1]
        return any(before == noun or (len(before) == 1 and _shortens(before[0], noun)) for noun in nouns(table))
    squeezed = column.lower()
    return squeezed.endswith("id") and any(_shortens(squeezed[:-2], noun) for noun in nouns(table))


def _shortens(short: str, noun: Sequence[str]) -> bool:
    """Whether a word is the beginning or the initials of a noun: `stu` of student, `dept` of department."""
    whole = "".join(noun)
    if len(short) < 2:
        return False
    if whole.startswith(short) or short == "".join(word[0] for word in noun):
        return True
    if len(short) < 3 or whole[0] != short[0]:
        return False
    rest = iter(whole)
    return all(letter in rest for letter in short) and len(short) * 3 >= len(whole)


def _same(key: Key) -> tuple[Any, ...]:
    """Equal for keys that tie the same columns, whichever way round."""
    ends = sorted(((key.table, key.columns), (key.to, key.to_columns)))
    return (*ends, frozenset(key.pairs))


def _guessed(finder: KeyFinder, claimed: set[tuple[str, str]]) -> Iterator[Key]:
    """Keys that only names and types speak for, of columns that no better key claims."""
    by_name: dict[str, list[tuple[str, ColumnFacts]]] = {}
    by_noun: dict[tuple[str, ...], list[str]] = {}
    targets: dict[str, ColumnFacts] = {}
    for fqn, table in finder.tables.items():
        for column in table.columns:
            by_name.setdefault(column.name.lower(), []).append((fqn, column))
        key = finder.key(fqn)
        if len(key) == 1 and "VIEW" not in (table.table_type or ""):
            targets[fqn] = finder.columns[fqn][key[0]]
            for noun in nouns(table.name):
                by_noun.setdefault(noun, []).append(fqn)
    owners: dict[str, list[str]] = {}
    for fqn, column in targets.items():
        owners.setdefault(column.name.lower(), []).append(fqn)
    for fqn, table in finder.tables.items():
        for column in table.columns:
            if (fqn, column.name) not in claimed:
                yield from _guesses_of(fqn, column, by_noun, owners, targets, finder.tables)
    yield from _shared(by_name, owners, claimed, finder.tables)


def _guesses_of(
    fqn: str,
    column: ColumnFacts,
    by_noun: Mapping[tuple[str, ...], Sequence[str]],
    owners: Mapping[str, Sequence[str]],
    targets: Mapping[str, ColumnFacts],
    tables: Mapping[str, TableFacts],
) -> Iterator[Key]:
    words = folded(column.name)
    own = targets.get(fqn)
    found: dict[str, float] = {}

    def offer(to: str, cost: float) -> None:
        target = targets[to]
        itself = to == fqn and target.name == column.name
        if not itself and _may_equal(column, target):
            found[to] = min(cost, found.get(to, cost))

    if not (set(words) <= COMMON):
        for to in owners.get(column.name.lower(), ()):
            if to != fqn:
                offer(to, 1.5 if _names_key(targets[to].name, tables[to].name) else 1.8)
    if len(words) > 1 and words[-1] in HEADS and not (own is not None and own.name == column.name):
        before = words[:-1]
        for start in range(len(before)):
            for to in by_noun.get(before[start:], ()):
                offer(to, 1.5 if start == 0 else 1.7)
            if found:
                break
        if not found and set(before) & ABOVE and own is not None:
            offer(fqn, 1.7)
    elif set(words) & ABOVE and own is not None:
        offer(fqn, 1.8)
    if not found and len(words) >= 1 and words[-1] not in HEADS:
        for to in by_noun.get(words, ()):
            if to != fqn:
                offer(to, 2.0)
    for to, cost in found.items():
        role = role_of((column.name,), tables[to].name, (targets[to].name,))
        yield Key(fqn, (column.name,), to, (targets[to].name,), Origin.GUESSED, cost + 0.05 * bool(role), role=role)


def _may_equal(left: ColumnFacts, right: ColumnFacts) -> bool:
    one, other = family(left.data_type), family(right.data_type)
    return not one or not other or one == other


def _shared(
    by_name: Mapping[str, Sequence[tuple[str, ColumnFacts]]],
    owners: Mapping[str, Sequence[str]],
    claimed: set[tuple[str, str]],
    tables: Mapping[str, TableFacts],
) -> Iterator[Key]:
    """Unusual names of key-like columns that two tables share though neither is known to own them."""
    for name, places in by_name.items():
        if not 2 <= len(places) <= 6 or name in owners:
            continue
        words = folded(places[0][1].name)
        if set(words) <= COMMON or not (words[-1] in HEADS or name.endswith("id")):
            continue
        for at, (one, left) in enumerate(places):
            for other, right in places[at + 1 :]:
                if (one, left.name) in claimed or (other, right.name) in claimed or not _may_equal(left, right):
                    continue
                yield Key(one, (left.name,), other, (right.name,), Origin.GUESSED, 3.0)
