"""Defines which tables, columns, memories and terms a model is told, so that they fit its window.

What the question's words were linked to comes first, then what leads there by keys, then the rest, as long as there is
room. A table that matters is told whole before one that may not matter is told at all; the others by name only.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final

from resolvers.engines.masking import GONE
from resolvers.engines.nl2sql.mention import Linked, MentionKind
from resolvers.engines.nl2sql.model import ColumnKey, Knowledge
from resolvers.engines.nl2sql.prompting.private import Privacy, without_people
from schema.data_readiness.profile import ColumnProfile
from schema.data_readiness.source import ColumnFacts, TableFacts
from schema.talk2data.language_model import estimated_tokens
from schema.utils.memory import Memory, MemoryStatus, MemoryType, ValidationStatus

MOST_COLUMNS: Final = 300
"""How many columns of a table are told at most."""
MOST_NAMES: Final = 300
"""How many tables are named that are not told."""
MOST_NOTES: Final = 40
NOTES_SHARE: Final = 0.3
"""The part of the room that memories and terms may take."""
MOST_VALUES: Final = 8
LONGEST_VALUE: Final = 60
LONGEST_COMMENT: Final = 300
LONGEST_NOTE: Final = 600

_WEIGHT: Final = {MentionKind.TABLE: 3.0, MentionKind.COLUMN: 2.0, MentionKind.VALUE: 2.0, MentionKind.KNOWLEDGE: 1.0}
_USEFUL: Final = {
    MemoryType.EXEMPLAR: 1.0,
    MemoryType.KPI: 1.0,
    MemoryType.JOIN: 0.9,
    MemoryType.GLOSSARY: 0.8,
    MemoryType.NUMERIC_PATTERN: 0.7,
    MemoryType.TEXTUAL_PATTERN: 0.7,
    MemoryType.ONTOLOGY: 0.6,
    MemoryType.PREFERENCE: 0.6,
    MemoryType.INSTRUCTION: 0.5,
}
"""How much a memory helps a query, by its type; others come last. Policies are not among what a drafter knows."""


@dataclass(frozen=True, slots=True)
class Fitted:
    """Holds what a model is told of what is known; JSON all through."""

    tables: Sequence[dict[str, Any]]
    others: Sequence[str]
    notes: Sequence[dict[str, Any]]
    terms: Sequence[dict[str, Any]]
    values: Sequence[dict[str, Any]]
    fqns: tuple[str, ...]
    """The tables that are told."""
    memories: tuple[str, ...]
    """The ids of the memories that are told."""
    left_out: int
    """How many tables are not told, and not all of them named."""


@dataclass(slots=True)
class _Relevance:
    tables: dict[str, float] = field(default_factory=dict)
    columns: dict[ColumnKey, float] = field(default_factory=dict)
    memories: dict[str, float] = field(default_factory=dict)


def fitted(known: Knowledge, linked: Linked, privacy: Privacy, room: int, used: Iterable[str] = ()) -> Fitted:
    """Return what fits into so many tokens. `used` are the FQNs of tables that earlier questions were about."""
    known = replace(known, tables=tuple(table for table in known.tables if _is_readable(table, known)))
    relevance = _relevance(known, linked, used)
    names = _Names(known.tables)
    notes, memories = _notes(known, relevance, privacy, int(room * NOTES_SHARE * 0.7))
    terms = _terms(known, relevance, int(room * NOTES_SHARE * 0.3))
    values = _values(known, linked, privacy, names)
    left = room - _cost(notes) - _cost(terms) - _cost(values)
    tables, left = _tables(known, relevance, privacy, names, left)
    rest = [table for table in known.tables if table.fqn not in tables]
    others: list[str] = []
    for table in rest[:MOST_NAMES]:
        left -= estimated_tokens(names.of(table)) + 2
        if left < 0:
            break
        others.append(names.of(table))
    told = [tables[table.fqn] for table in known.tables if table.fqn in tables]
    return Fitted(told, others, notes, terms, values, tuple(tables), memories, len(rest))


def _is_readable(table: TableFacts, known: Knowledge) -> bool:
    """Return whether any column of a table may be read; one that is closed as a whole is not even named."""
    return any(ColumnKey(table.fqn, column.name) not in known.forbidden for column in table.columns)


class _Names:
    """Describes how tables are named in queries: with no more parts than tell them apart."""

    def __init__(self, tables: Sequence[TableFacts]) -> None:
        self._databases = len({table.database for table in tables}) > 1
        self._schemas = self._databases or len({table.schema for table in tables}) > 1
        self.by_fqn = {table.fqn: self.of(table) for table in tables}

    def of(self, table: TableFacts) -> str:
        """The name, its parts joined by dots."""
        parts = [table.database] * self._databases + [table.schema] * self._schemas + [table.name]
        return ".".join(part for part in parts if part)


def _relevance(known: Knowledge, linked: Linked, used: Iterable[str]) -> _Relevance:
    found = _Relevance()
    names = {table.fqn for table in known.tables}

    def table(fqn: str | None, score: float) -> None:
        if fqn in names and fqn is not None:
            found.tables[fqn] = found.tables.get(fqn, 0.0) + score

    for mention in linked.mentions:
        score = mention.score * _WEIGHT.get(mention.kind, 0.0)
        if mention.memory is not None:
            found.memories[mention.memory] = max(found.memories.get(mention.memory, 0.0), mention.score)
        if mention.column is not None:
            found.columns[mention.column] = max(found.columns.get(mention.column, 0.0), score)
            table(mention.column.table, score)
        else:
            table(mention.table, score)
    for fqn in used:
        table(fqn, 2.0)
    return found


def _ranked(known: Knowledge, relevance: _Relevance) -> tuple[list[TableFacts], int]:
    """The tables, the most relevant first, and how many of them are relevant: linked, or next to a linked one by keys.

    Of two linked tables, one that stands between them is worth more than one beside.
    """
    linked = relevance.tables
    beside: dict[str, float] = {}
    for table in known.tables:
        for other in {column.references[0] for column in table.columns if column.references is not None}:
            for near, far in ((table.fqn, other), (other, table.fqn)):
                if far in linked and near not in linked:
                    beside[near] = beside.get(near, 0.0) + 0.1 * min(linked[far], 10.0)
    order = {table.fqn: place for place, table in enumerate(known.tables)}
    ranked = sorted(
        known.tables,
        key=lambda one: (-linked.get(one.fqn, 0.0), -beside.get(one.fqn, 0.0), order[one.fqn]),
    )
    return ranked, sum(1 for one in known.tables if one.fqn in linked or one.fqn in beside)


def _tables(
    known: Knowledge, relevance: _Relevance, privacy: Privacy, names: _Names, room: int
) -> tuple[dict[str, dict[str, Any]], int]:
    """The tables that fit, by FQN, and the room that is left."""
    ranked, relevant = _ranked(known, relevance)
    told: dict[str, dict[str, Any]] = {}
    cost: dict[str, int] = {}

    def tell(table: TableFacts, *, whole: bool) -> bool:
        nonlocal room
        data = _table(table, known, relevance, privacy, names, whole=whole)
        price = _cost(data)
        if price > room + cost.get(table.fqn, 0):
            return False
        room -= price - cost.get(table.fqn, 0)
        told[table.fqn], cost[table.fqn] = data, price
        return True

    for table in ranked[:relevant]:
        tell(table, whole=False)
    for table in ranked[:relevant]:
        if table.fqn in told:
            tell(table, whole=True)
    reserve = min(room // 4, 2000)  # for the names of those that are not told
    room -= reserve
    for table in ranked[relevant:]:
        if not tell(table, whole=True) and not tell(table, whole=False):
            break
    return told, room + reserve


def _table(
    table: TableFacts, known: Knowledge, relevance: _Relevance, privacy: Privacy, names: _Names, *, whole: bool
) -> dict[str, Any]:
    profile = known.profiles.get(table.fqn)
    figures = {one.name: one for one in profile.columns} if profile is not None and whole else {}
    readable = [one for one in table.columns if ColumnKey(table.fqn, one.name) not in known.forbidden]
    if len(readable) > MOST_COLUMNS or not whole:
        first = sorted(readable, key=lambda one: _place(one, table, relevance))[: MOST_COLUMNS if whole else 80]
        readable = [one for one in readable if one in first]
    data: dict[str, Any] = {
        "name": names.of(table),
        "also_called": table.display_name,
        "type": table.table_type if table.table_type != "TABLE" else None,
        "comment": _short(privacy.comment(table), LONGEST_COMMENT if whole else 80),
        "rows": profile.row_count if profile is not None else table.row_count,
        "columns": [_column(one, table, figures.get(one.name), privacy, names.by_fqn, whole=whole) for one in readable],
        "columns_left_out": len(table.columns) - len(readable) or None,
        "unreadable_columns": [one.name for one in table.columns if ColumnKey(table.fqn, one.name) in known.forbidden],
    }
    return _without_nothing(data)


def _place(column: ColumnFacts, table: TableFacts, relevance: _Relevance) -> tuple[float, bool, int]:
    key = ColumnKey(table.fqn, column.name)
    is_key = column.is_primary_key or column.references is not None
    return -relevance.columns.get(key, 0.0), not is_key, column.ordinal_position


def _column(
    column: ColumnFacts,
    table: TableFacts,
    figures: ColumnProfile | None,
    privacy: Privacy,
    paths: Mapping[str, str],
    *,
    whole: bool,
) -> dict[str, Any]:
    data: dict[str, Any] = {"name": column.name, "type": column.data_type}
    if column.is_primary_key:
        data["key"] = "primary"
    if column.references is not None and column.references[0] in paths:
        data["refers_to"] = f"{paths[column.references[0]]}.{column.references[1]}"
    if whole:
        data["also_called"] = column.display_name
        data["comment"] = _short(privacy.comment(table, column.name), LONGEST_COMMENT)
        if privacy.is_private(table, column.name):
            data["personal"] = True
        elif figures is not None:
            data |= _figures(figures)
    return _without_nothing(data)


def _figures(figures: ColumnProfile) -> dict[str, Any]:
    values = [one.value for one in figures.top_values[:MOST_VALUES] if len(one.value) <= LONGEST_VALUE]
    if any(without_people(value) != value for value in values):
        return {}  # nobody has tagged the column, and yet it looks like people
    return {
        "values": values,
        "distinct": figures.distinct_count,
        "nulls": figures.null_count or None,
        "least": _value(figures.minimum),
        "greatest": _value(figures.maximum),
    }


def _value(text: str | None) -> str | None:
    return None if text is None or without_people(text) != text else text[:LONGEST_VALUE]


def _notes(
    known: Knowledge, relevance: _Relevance, privacy: Privacy, room: int
) -> tuple[list[dict[str, Any]], tuple[str, ...]]:
    """The memories that fit, the most useful first, and their ids."""
    tables = relevance.tables

    def use(memory: Memory) -> float:
        about = memory.asset_fqn or ""
        near = any(about == fqn or about.startswith(f"{fqn}.") or fqn.startswith(f"{about}.") for fqn in tables)
        return (
            3.0 * relevance.memories.get(memory.id, 0.0)
            + _USEFUL.get(memory.memory_type, 0.2)
            + (0.5 if about and near else 0.0)
            + (0.5 if memory.pinned else 0.0)
            + (0.5 if memory.quality.validation_status is ValidationStatus.VALIDATED else 0.0)
        )

    usable = [
        one
        for one in known.memories
        if one.memory_type is not MemoryType.POLICY
        and one.status is MemoryStatus.ACTIVE
        and one.quality.validation_status is not ValidationStatus.DISPUTED
    ]
    told: list[dict[str, Any]] = []
    ids: list[str] = []
    for memory in sorted(usable, key=use, reverse=True)[:MOST_NOTES]:
        note = {
            "number": len(told) + 1,
            "kind": memory.memory_type.value,
            "name": privacy.note(memory.name)[:LONGEST_NOTE],
            "says": _trimmed(memory.content, privacy),
            "checked": memory.quality.validation_status is ValidationStatus.VALIDATED,
        }
        if (price := _cost(note)) <= room:
            room -= price
            told.append(note)
            ids.append(memory.id)
    return told, tuple(ids)


def _trimmed(value: Any, privacy: Privacy, depth: int = 0) -> Any:
    """JSON, cut down to what can be useful."""
    if isinstance(value, str):
        return privacy.note(value)[:LONGEST_NOTE]
    if isinstance(value, dict):
        return {
            str(name)[:60]: GONE if depth > 3 else _trimmed(one, privacy, depth + 1)
            for name, one in list(value.items())[:30]
        }
    if isinstance(value, list):
        return [GONE if depth > 3 else _trimmed(one, privacy, depth + 1) for one in value[:30]]
    return value


def _terms(known: Knowledge, relevance: _Relevance, room: int) -> list[dict[str, Any]]:
    ranked = sorted(
        known.terms, key=lambda one: (-relevance.memories.get(one.id or "", 0.0), not one.is_approved, one.name)
    )
    told = []
    for term in ranked[:MOST_NOTES]:
        data = _without_nothing(
            {
                "name": without_people(term.name),
                "also_called": [without_people(name) for name in term.names if name != term.name][:10],
                "definition": _short(term.definition, LONGEST_NOTE),
            }
        )
        if (price := _cost(data)) <= room:
            room -= price
            told.append(data)
    return told


def _values(known: Knowledge, linked: Linked, privacy: Privacy, names: _Names) -> list[dict[str, Any]]:
    """Values that words of the question stand for, spelled as columns hold them."""
    tables = {table.fqn: table for table in known.tables}
    told: list[dict[str, Any]] = []
    for mention in sorted(linked.mentions, key=lambda one: -one.score):
        key = mention.column
        if mention.kind is not MentionKind.VALUE or key is None or key.table not in tables or not mention.values:
            continue
        if privacy.is_private(tables[key.table], key.column):
            continue
        value = str(mention.values[0].value)
        data = {"column": f"{names.of(tables[key.table])}.{key.column}", "value": value[:LONGEST_VALUE]}
        if len(value) <= LONGEST_VALUE and without_people(value) == value and data not in told:
            told.append(data)
    return told[:20]


def _short(text: str | None, longest: int) -> str | None:
    return None if text is None else without_people(" ".join(text.split()))[:longest]


def _without_nothing(data: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in data.items() if value not in (None, [], "", {})}


def _cost(data: Any) -> int:
    return estimated_tokens(json.dumps(data, ensure_ascii=False, default=str))
