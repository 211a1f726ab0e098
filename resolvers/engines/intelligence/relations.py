"""Relationships that no source declares, and what declared ones are like, each with what speaks for it."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from resolvers.engines.claims import Unique, is_contradicted
from resolvers.engines.describing.known import DescribedTable, Surroundings
from resolvers.engines.describing.tables import bridge_of
from resolvers.engines.english.grammar import singular
from resolvers.engines.english.identifiers import shared_prefix, table_name
from schema.data_readiness.profile import ForeignKeyCandidate
from schema.data_readiness.source import ColumnFacts, TableFacts
from schema.identifiers import Fqn

ENGINE: Final = "relations/1"

ENOUGH: Final = 0.5
MATCHED: Final = 0.9
"""The share of values that must have a target for values to speak for a foreign key."""
FEW_VALUES: Final = 20
"""With fewer distinct values a match is easily chance."""

_INTEGERS: Final = ("INT", "BIGINT", "SMALLINT", "TINYINT", "NUMBER", "NUMERIC", "DECIMAL", "SERIAL", "LONG")
_TEXTS: Final = ("CHAR", "VARCHAR", "TEXT", "STRING", "NVARCHAR", "NCHAR", "UUID")
_LINKS: Final = frozenset(("id", "key", "code", "no", "number", "ref", "reference", "nr", "uuid", "sk", "fk", "pk"))


@dataclass(frozen=True, slots=True)
class ProposedRelationship:
    """A relationship of a column or a table, as it would be recorded."""

    asset_fqn: str
    value: dict[str, Any]
    evidence: dict[str, Any]
    confidence: float


@dataclass(frozen=True, slots=True)
class KeyOf:
    """The key of a table that another could refer to: one column."""

    table: str
    column: str
    data_type: str | None


@dataclass(frozen=True, slots=True)
class KeyNames:
    """The keys of one column in a schema, by what they and their tables are called."""

    by_noun: Mapping[tuple[str, ...], Sequence[KeyOf]] = field(default_factory=dict)
    by_column: Mapping[str, Sequence[KeyOf]] = field(default_factory=dict)


def keys_of(found: Iterable[KeyOf], around: Surroundings) -> KeyNames:
    """The keys that names can point to: those of one column, one for each table."""
    of_table: dict[str, list[KeyOf]] = {}
    for key in found:
        of_table.setdefault(key.table, []).append(key)
    by_noun: dict[tuple[str, ...], list[KeyOf]] = {}
    by_column: dict[str, list[KeyOf]] = {}
    for table, keys in of_table.items():
        if len(keys) != 1:
            continue
        name = Fqn.parse(table)
        shared = shared_prefix(around.siblings.get(str(name.parent), ()))
        words = table_name(name.name, shared, around.abbreviations).words.words
        by_noun.setdefault(tuple(singular(word.lower()) for word in words), []).append(keys[0])
        by_column.setdefault(keys[0].column.lower(), []).append(keys[0])
    return KeyNames(by_noun, by_column)


def relations_of(subject: DescribedTable, keys: KeyNames) -> list[ProposedRelationship]:
    """Return what can be said of how a table belongs to others."""
    found = [*_undeclared(subject, keys), *_cardinalities(subject)]
    if (bridge := _bridge(subject)) is not None:
        found.append(bridge)
    if (subtype := _subtype(subject)) is not None:
        found.append(subtype)
    return found


def _undeclared(subject: DescribedTable, keys: KeyNames) -> list[ProposedRelationship]:
    """Foreign keys that nobody declared: what values show, what names say, and both together."""
    profile = subject.profile
    measured: dict[str, list[ForeignKeyCandidate]] = {}
    for one in profile.foreign_keys if profile else ():
        if len(one.columns) == 1 and not one.is_declared:
            measured.setdefault(one.columns[0], []).append(one)
    found: list[ProposedRelationship] = []
    for column in subject.facts.columns:
        if column.references is not None:
            continue
        named = _named(subject, column, keys)
        relation = _by_values(subject, column, measured.get(column.name, ()), named) or (
            _by_name(subject, column, named) if column.name not in measured else None
        )
        if relation is not None:
            found.append(relation)
    return found


def _by_values(
    subject: DescribedTable, column: ColumnFacts, candidates: Sequence[ForeignKeyCandidate], named: KeyOf | None
) -> ProposedRelationship | None:
    best: tuple[float, ForeignKeyCandidate, bool] | None = None
    reversed_ = {
        (table, of) for table, of, to in subject.around.referrers.get(subject.facts.fqn, ()) if to == column.name
    }
    alone = subject.facts.primary_key == (column.name,)
    figures = subject.columns.get(column.name)
    distinct = (figures.distinct_count or 0) if figures is not None else 0
    for one in candidates:
        itself = one.target_fqn == subject.facts.fqn and one.target_columns == [column.name]
        # Where every row is referred to, the values of a key seem to refer back.
        if one.match_rate < MATCHED or itself or (one.target_fqn, one.target_columns[0]) in reversed_:
            continue
        agrees = named is not None and (named.table, named.column) == (one.target_fqn, one.target_columns[0])
        if alone and not agrees:
            continue  # two keys that count from 1 have the same values
        sure = 0.95 if agrees else 0.7 if distinct >= FEW_VALUES else 0.5
        sure = round(sure * one.match_rate * (1 if one.is_exact else 0.95), 2)
        if sure >= ENOUGH and (best is None or (agrees, sure) > (best[2], best[0])):
            best = (sure, one, agrees)
    if best is None:
        return None
    sure, one, agrees = best
    evidence = {
        "engine": ENGINE,
        "from": ["values", "name"] if agrees else ["values"],
        "match_rate": one.match_rate,
        "is_exact": one.is_exact,
        "distinct": distinct or None,
        "profile_id": subject.profile.id if subject.profile else None,
    }
    return _foreign_key(subject, column, one.target_fqn, one.target_columns[0], evidence, sure)


def _by_name(subject: DescribedTable, column: ColumnFacts, named: KeyOf | None) -> ProposedRelationship | None:
    if named is None:
        return None
    evidence = {"engine": ENGINE, "from": ["name"], "why": "It is called like the key of the other table."}
    return _foreign_key(subject, column, named.table, named.column, evidence, 0.6)


def _named(subject: DescribedTable, column: ColumnFacts, keys: KeyNames) -> KeyOf | None:
    """The one key of another table that a column is called after: `customer_id` after `customers.id`."""
    if subject.facts.primary_key == (column.name,):
        return None
    words = [word.lower() for word in subject.words(column.name).words]
    after_table: Sequence[KeyOf] = ()
    if len(words) > 1 and words[-1] in _LINKS:
        after_table = keys.by_noun.get(tuple(singular(word) for word in words[:-1]), ())
    after_column = keys.by_column.get(column.name.lower(), ()) if column.name.lower() not in _LINKS else ()
    for found in (after_table, after_column):  # the name of the table says more
        others = {
            one for one in found if one.table != subject.facts.fqn and _compatible(column.data_type, one.data_type)
        }
        if others:
            return others.pop() if len(others) == 1 else None
    return None


def _compatible(one: str | None, other: str | None) -> bool:
    if one is None or other is None:
        return True
    kinds = [
        "integer" if any(name in kind.upper() for name in _INTEGERS) else
        "text" if any(name in kind.upper() for name in _TEXTS) else kind.upper()
        for kind in (one, other)
    ]  # fmt: skip
    return kinds[0] == kinds[1]


def _foreign_key(
    subject: DescribedTable, column: ColumnFacts, table: str, target: str, evidence: dict[str, Any], sure: float
) -> ProposedRelationship:
    value = {"type": "FOREIGN_KEY", **_target(subject.facts, table), "column": target}
    value["cardinality"] = _cardinality(subject, (column.name,))
    return ProposedRelationship(column.fqn, value, evidence, sure)


def _target(facts: TableFacts, table: str) -> dict[str, Any]:
    """Return how a relationship names the other table: its schema and name; the database too when it is another one."""
    service, database, schema, name = Fqn.parse(table).parts
    told: dict[str, Any] = {"schema": schema, "table": name}
    own = Fqn.parse(facts.fqn).parts
    return told if (service, database) == own[:2] else {"service": service, "database": database, **told}


def _cardinality(subject: DescribedTable, columns: Sequence[str]) -> str:
    """`one_to_one` when no values of the columns occur together twice, else `many_to_one`."""
    if is_contradicted([Unique(tuple(columns))], subject.profile):
        return "many_to_one"
    unique = subject.facts.is_key(*columns)
    figures = subject.columns.get(columns[0]) if len(columns) == 1 else None
    if not unique and figures is not None and figures.distinct_count and "distinct_count" not in figures.approximate:
        filled = figures.row_count - (figures.null_count or 0)
        unique = filled >= FEW_VALUES and figures.distinct_count == filled
    return "one_to_one" if unique else "many_to_one"


def _cardinalities(subject: DescribedTable) -> list[ProposedRelationship]:
    """Return what joins along declared foreign keys come to, as far as figures show it.

    A foreign key of several columns is one join of the table: along one of them alone it comes to something else.
    """
    found: list[ProposedRelationship] = []
    for one in subject.facts.references:
        figures = [subject.columns[name] for name in one.columns if name in subject.columns]
        if len(figures) != len(one.columns) or not all(of.row_count for of in figures):
            continue
        joint = len(one.columns) > 1
        value = {
            "type": "JOIN",
            **_target(subject.facts, one.target_fqn),
            **(
                {"columns": list(one.columns), "target_columns": list(one.target_columns)}
                if joint
                else {"column": one.target_columns[0]}
            ),
            "cardinality": _cardinality(subject, one.columns),
            "optional": any(of.null_count for of in figures),
        }
        evidence: dict[str, Any] = {"engine": ENGINE, "from": ["keys", "values"], "rows": figures[0].row_count}
        if not joint:
            filled = figures[0].row_count - (figures[0].null_count or 0)
            evidence |= {"filled": filled, "distinct": figures[0].distinct_count}
        evidence["profile_id"] = subject.profile.id if subject.profile else None
        exact = not any({"distinct_count", "null_count"} & set(of.approximate) for of in figures)
        about = subject.facts.fqn if joint else str(Fqn.parse(subject.facts.fqn).child(one.columns[0]))
        found.append(ProposedRelationship(about, value, evidence, 0.95 if exact else 0.8))
    return found


def _bridge(subject: DescribedTable) -> ProposedRelationship | None:
    """A table whose rows only link those of others: many to many."""
    linked = bridge_of(subject)
    if linked is None:
        return None
    between = [_target(subject.facts, table) for table in linked]
    columns = [one.name for one in subject.facts.columns if one.references is not None]
    declared = any(one.is_primary_key for one in subject.facts.columns)
    evidence = {"engine": ENGINE, "from": ["keys"], "columns": columns}
    return ProposedRelationship(
        subject.facts.fqn, {"type": "MANY_TO_MANY", "between": between}, evidence, 0.95 if declared else 0.7
    )


def _subtype(subject: DescribedTable) -> ProposedRelationship | None:
    """A table whose key is at the same time a reference to the key of one other: each row is one of the other's."""
    keys = [one for one in subject.facts.columns if one.is_primary_key]
    tables = {one.references[0] for one in keys if one.references is not None}
    if not keys or any(one.references is None for one in keys) or len(tables) != 1 or subject.facts.fqn in tables:
        return None
    (table,) = tables
    value = {
        "type": "SUBTYPE_OF",
        **_target(subject.facts, table),
        "columns": [one.name for one in keys],
        "target_columns": [one.references[1] for one in keys if one.references is not None],
    }
    return ProposedRelationship(subject.facts.fqn, value, {"engine": ENGINE, "from": ["keys"]}, 0.85)
