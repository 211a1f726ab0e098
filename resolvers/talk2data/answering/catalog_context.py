"""Defines what an answer may be drawn from: the connections that the asker may use, and what is known of their tables.

What the catalog says of a connection is kept in memory and read again when it has changed. Who may ask, the memories
and the policies are read for every question.
"""

import re
import threading
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from pydantic import ValidationError

from persistence.connectors.core.sql import Selection
from persistence.jobs.port import JobError
from persistence.queries import chat_knowledge as queries
from persistence.queries.enrichment import usable_terms
from persistence.queries.source_facts import read_facts
from persistence.repository import Scope
from persistence.store import UnitOfWork
from resolvers.assets.data_connections import config_of
from resolvers.context import Context
from resolvers.data_readiness.rule_checks import DIALECTS
from resolvers.data_readiness.runs.description_context import private_columns
from resolvers.engines.describing.known import Term
from resolvers.engines.nl2sql.model import ColumnKey, Knowledge
from resolvers.engines.sql_guard import QueryRefused, Table, tables_of_catalog
from resolvers.talk2data.answering.guarding import Policies, judged_tables, policies_of
from resolvers.talk2data.answering.restricted import closed_to, restricted_columns
from schema.assets.connection_configs.databases import SelectedDatabase
from schema.assets.data_connection import ConnectionStatus, ConnectionType, DataConnection
from schema.data_readiness.glossary import TermStatus
from schema.data_readiness.profile import TableProfile
from schema.data_readiness.source import TableFacts
from schema.errors import InvalidFormat
from schema.governance.permission import Permission
from schema.identifiers import Fqn
from schema.utils.memory import Memory

MOST_TABLES: Final = 5000
"""Tables of one connection that a question may be about."""
MOST_CONNECTIONS: Final = 200
MOST_READ: Final = 6
"""How many connections' catalogs are read for one question."""
MOST_WORDS: Final = 30
_WORD: Final = re.compile(r"[^\W_]+")
MOST_KEPT: Final = 32
"""How many connections' catalogs one process keeps in memory."""


@dataclass(frozen=True, slots=True)
class UsableConnection:
    """A connection that the asker may ask."""

    connection: DataConnection
    within: tuple[str, ...] = ()
    """The dotted names that the question is limited to; empty for all of the connection."""

    @property
    def uri(self) -> str:
        """Its resource URI."""
        return self.connection.resource_uri

    @property
    def name(self) -> str:
        """Return what people call it."""
        return self.connection.name


@dataclass(frozen=True, slots=True)
class Ground:
    """A connection with everything that is known of it: what one answer is drawn from."""

    uri: str
    name: str
    knowledge: Knowledge
    tables: tuple[Table, ...]
    policies: Policies
    memories: Mapping[str, Memory]
    """By id, those that may shape a draft."""
    restricted: frozenset[ColumnKey] = frozenset()
    """The most sensitive columns, whose cells the asker is not shown."""

    @property
    def dialect(self) -> str:
        """sqlglot's name of the dialect that the source speaks."""
        return self.knowledge.dialect

    @property
    def keys(self) -> frozenset[str]:
        """The names of the columns that only tell rows apart, or refer to others."""
        columns = (column for table in self.knowledge.tables for column in table.columns)
        return frozenset(one.name for one in columns if one.is_primary_key or one.references is not None)

    def protects(self, sql: str) -> bool:
        """Return whether a query reads tables with columns whose values may not be quoted; True when in doubt."""
        try:
            used = judged_tables(self.tables, self.dialect, sql)
        except QueryRefused:
            return True
        known = self.knowledge
        hidden = {key.table for key in (*known.private, *known.forbidden)} | self.policies.tables
        return any(table.fqn in hidden for table in used)


@dataclass(frozen=True, slots=True)
class NotThere(Exception):
    """Named data that the asker may not ask about. The same for what does not exist and what they may not use."""

    message: str


async def places_of(ctx: Context, names: Sequence[str]) -> list[UsableConnection]:
    """The connections that the caller may ask: those that they name, or all with tables. Raises NotThere."""
    found = await ctx.store.read(lambda uow: _named(uow, ctx.scope, names))
    uris = list(dict.fromkeys(uri for _, uris, _ in found for uri in uris))
    allowed = await ctx.guard.allows_many(ctx.caller, Permission.CAN_EXECUTE, "data_connection", uris)
    for name, mine, _ in found:
        if name is not None and not any(allowed[uri] for uri in mine):
            raise NotThere(f"There is no data called “{name[:200]}” here that you may ask about.")
    wanted = [uri for uri in uris if allowed[uri]][:MOST_CONNECTIONS]
    within: dict[str, list[str]] = {}
    for name, mine, fqn in found:
        for uri in mine:
            within.setdefault(uri, []).append(fqn if name is not None and fqn else "")
    connections = await ctx.store.read(lambda uow: _connections(uow, ctx.scope, wanted))
    return [
        UsableConnection(one, () if "" in within[one.resource_uri] else tuple(within[one.resource_uri]))
        for one in connections
    ]


async def likely(
    ctx: Context, places: Sequence[UsableConnection], text: str, last: str | None
) -> list[UsableConnection]:
    """Those whose catalog is worth reading: all of a few; of many, those that have names of the question's words."""
    if len(places) <= MOST_READ:
        return list(places)
    words = sorted({word.casefold() for word in _WORD.findall(text) if len(word) > 2})[:MOST_WORDS]
    named = await ctx.store.read(
        lambda uow: queries.names_like(uow.connection, ctx.scope, [one.uri for one in places], words)
    )

    def rank(place: UsableConnection) -> tuple[bool, bool, int, str]:
        called = f"in {place.name.casefold()}:"
        return not text.strip().casefold().startswith(called), place.uri != last, -named.get(place.uri, 0), place.uri

    return sorted(places, key=rank)[:MOST_READ]


def _named(uow: UnitOfWork, scope: Scope, names: Sequence[str]) -> list[tuple[str | None, list[str], str]]:
    """Return what each name stands for: (the name, the URIs of connections, the dotted name below which is meant)."""
    there = queries.connections_with_tables(uow.connection, scope)
    if not names:
        return [(None, there, "")]
    found: list[tuple[str | None, list[str], str]] = []
    for name in dict.fromkeys(names):
        if name in there:
            found.append((name, [name], ""))
            continue
        try:
            fqn = str(Fqn.parse(name))
        except (ValueError, InvalidFormat):
            found.append((name, [], ""))
            continue
        found.append((name, queries.connections_of(uow.connection, scope, fqn), fqn))
    return found


def _connections(uow: UnitOfWork, scope: Scope, uris: Sequence[str]) -> list[DataConnection]:
    """The connections themselves, of the project or the whole organization; disabled ones are left out."""
    found = uow.data_connections.where_in(Scope(scope.organization_id), "resource_uri", uris)
    usable = (one for one in found if one.project_id in (None, scope.project_id))
    return [one for one in usable if one.status is not ConnectionStatus.DISABLED]


@dataclass(frozen=True, slots=True)
class _Catalog:
    """Holds what is kept of one connection between questions."""

    stamp: tuple[Any, ...]
    tables: tuple[TableFacts, ...]
    profiles: Mapping[str, TableProfile]
    terms: tuple[Term, ...]
    private: frozenset[ColumnKey]
    restricted: frozenset[ColumnKey]


class _Kept:
    """The catalogs that were asked for last, by tenant and connection."""

    def __init__(self) -> None:
        self._kept: OrderedDict[tuple[str, ...], _Catalog] = OrderedDict()
        self._lock = threading.Lock()

    def find(self, key: tuple[str, ...], stamp: tuple[Any, ...]) -> _Catalog | None:
        """The catalog as of a stamp."""
        with self._lock:
            found = self._kept.get(key)
            if found is None or found.stamp != stamp:
                return None
            self._kept.move_to_end(key)
            return found

    def keep(self, key: tuple[str, ...], catalog: _Catalog) -> None:
        """Keep a catalog, in place of the one that was used least lately."""
        with self._lock:
            self._kept[key] = catalog
            self._kept.move_to_end(key)
            while len(self._kept) > MOST_KEPT:
                self._kept.popitem(last=False)


_KEPT: Final = _Kept()


class _Known:
    """The last knowledge of each connection. What drafters make of one they keep as long as it is the same object."""

    def __init__(self) -> None:
        self._kept: OrderedDict[tuple[str, ...], Knowledge] = OrderedDict()
        self._lock = threading.Lock()

    def same(self, key: tuple[str, ...], made: Knowledge) -> Knowledge:
        """The object that was given before, when it says the same."""
        with self._lock:
            kept = self._kept.get(key)
            if kept is None or not _says_the_same(kept, made):
                self._kept[key] = kept = made
            self._kept.move_to_end(key)
            while len(self._kept) > MOST_KEPT:
                self._kept.popitem(last=False)
            return kept


def _says_the_same(one: Knowledge, other: Knowledge) -> bool:
    """Return whether two are of the same catalog, with the same memories and the same columns hidden."""
    if one.profiles is not other.profiles or one.terms is not other.terms or len(one.tables) != len(other.tables):
        return False
    if any(a is not b for a, b in zip(one.tables, other.tables, strict=True)):
        return False
    return list(map(_says, one.memories)) == list(map(_says, other.memories)) and (
        one.private,
        one.forbidden,
        one.dialect,
    ) == (
        other.private,
        other.forbidden,
        other.dialect,
    )


def _says(memory: Memory) -> tuple[Any, ...]:
    """Return what of a memory makes a difference to drafters."""
    return memory.id, memory.version, memory.pinned, memory.quality.validation_status


_KNOWN: Final = _Known()


async def ground_of(ctx: Context, place: UsableConnection) -> Ground:
    """Everything that is known of a connection, for this caller and this moment. Raises JobError."""
    now, scope = ctx.now(), ctx.scope
    key = (str(id(ctx.services.store)), scope.organization_id, str(scope.project_id), place.uri)

    def read(uow: UnitOfWork) -> tuple[_Catalog, list[Memory], list[Memory]]:
        stamp = queries.catalog_stamp(uow.connection, scope)
        catalog = _KEPT.find(key, stamp)
        if catalog is None:
            catalog = _catalog(uow, scope, place.uri, stamp)
            _KEPT.keep(key, catalog)
        memories = queries.active_memories(uow.connection, scope, ctx.caller.user_id, now)
        return catalog, memories, queries.active_policies(uow.connection, scope, now)

    try:
        catalog, memories, standing = await ctx.store.read(read)
    except queries.TooManyPolicies:
        raise JobError(
            f"The project has more than {queries.MOST_POLICIES} policies, so none can be applied. Archive some."
        ) from None
    kind = place.connection.connection_type
    selected = _selected(place.connection)
    tables = tuple(
        one for one in catalog.tables if selected(one) and (not place.within or _under(one.fqn, place.within))
    )
    guarded = tuple(tables_of_catalog(tables))
    sensitive = catalog.restricted if ctx.services.turns.turn_mask_restricted else frozenset()
    policies = policies_of(standing, guarded, ctx.caller, sensitive)
    restricted = closed_to(sensitive, policies)
    knowledge = _KNOWN.same(
        key,
        Knowledge(
            tables=tables,
            profiles=catalog.profiles,
            terms=catalog.terms,
            memories=tuple(memories),
            private=catalog.private | policies.masked | restricted,
            forbidden=policies.forbidden,
            dialect=DIALECTS.get(kind, "duckdb"),
        ),
    )
    by_id = {one.id: one for one in memories}
    return Ground(place.uri, place.name, knowledge, guarded, policies, by_id, restricted)


def _catalog(uow: UnitOfWork, scope: Scope, uri: str, stamp: tuple[Any, ...]) -> _Catalog:
    fqns = queries.tables_of_connection(uow.connection, scope, uri, MOST_TABLES)
    tables = tuple(read_facts(uow.connection, scope, fqns))
    hidden = private_columns(uow, scope, tables, ())
    private = {
        ColumnKey(table.fqn, column.name)
        for table in tables
        for column in table.columns
        if column.fqn in hidden or (table.is_pii_tagged and not any(one.is_pii_tagged for one in table.columns))
    }
    profiles = uow.table_profiles.latest(scope, fqns)
    terms = tuple(_term(row) for row in usable_terms(uow.connection, scope))
    return _Catalog(stamp, tables, profiles, terms, frozenset(private), restricted_columns(uow, scope, tables))


def _term(row: Any) -> Term:
    names = [row["name"], *([row["display_name"]] if row["display_name"] else []), *row["synonyms"]]
    approved = row["status"] == TermStatus.APPROVED
    return Term(row["id"], row["name"], tuple(dict.fromkeys(names)), row["definition"], approved)


def _selected(connection: DataConnection) -> Any:
    """Return whether a table is among those that the connection selects; MySQL, which has no schemas, judges by
    itself.
    """
    config = config_of(connection)
    if connection.connection_type is ConnectionType.MYSQL or "selected_tables" not in config:
        return lambda table: True
    try:
        chosen = [SelectedDatabase.model_validate(one) for one in config["selected_tables"] or ()]
    except ValidationError:
        return lambda table: True
    selection = Selection(chosen, config.get("db_schema"))
    return lambda table: selection.has_table(table.database, table.schema, table.name)


def _under(fqn: str, names: Sequence[str]) -> bool:
    return any(fqn == name or fqn.startswith(f"{name}.") for name in names)
