"""The guard as answers use it: the tables of one connection, the policies that hold for the asker, a bound on rows."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from sqlglot import exp

from auth.caller import Caller
from resolvers.context import Context
from resolvers.engines.nl2sql.model import ColumnKey
from resolvers.engines.sql_guard import (
    Broken,
    GuardedQuery,
    Policy,
    QueryRefused,
    Table,
    guard_sql,
    is_policy,
    policies_for,
)
from resolvers.engines.sql_guard.policies import ruling_of
from resolvers.talk2data.answering.sanitizing import plain
from schema.data_readiness.source import Source
from schema.governance.permission import Permission
from schema.utils.memory import Memory

UNREADABLE: Final = "policy_unreadable"
"""The rule of the guard that a policy which cannot be read stops everything by."""
LONGEST_NAME: Final = 120
LONGEST_WHY: Final = 300

if TYPE_CHECKING:
    from resolvers.talk2data.answering.catalog_context import Ground


@dataclass(frozen=True, slots=True)
class Policies:
    """The policies that hold for the asker, as far as they concern the tables of a connection."""

    standing: tuple[Policy | Broken, ...] = ()
    memories: Mapping[str, Memory] = field(default_factory=dict)
    """By id, those behind them."""
    masked: frozenset[ColumnKey] = frozenset()
    """Columns that are shown masked, or only counted and summed."""
    forbidden: frozenset[ColumnKey] = frozenset()
    tables: frozenset[str] = frozenset()
    """The FQNs of the tables that any policy is about."""
    unsearchable: frozenset[str] = frozenset()
    """The FQNs of the tables whose single rows are not shown."""
    shown: Mapping[ColumnKey, str] = field(default_factory=dict)
    """Most sensitive columns that are shown all the same, each with the id of the policy that lets them be."""
    limited: frozenset[str] = frozenset()
    """The FQNs of the tables of which the asker does not see every row by itself."""
    in_words: int = 0
    """How many say in words alone what they mean, which no query can be held to."""

    @property
    def unreadable(self) -> str | None:
        """Return which policy cannot be read at all, why, and what to do; None when all can be."""
        broken = next((one for one in self.standing if isinstance(one, Broken)), None)
        if broken is None:
            return None
        return (
            f"The policy “{plain(broken.name, LONGEST_NAME)}” cannot be read, so nothing is answered: "
            f"{plain(broken.why, LONGEST_WHY)} Mend or archive the memory {broken.id}."
        )


async def told_of(ctx: Context, policies: Policies, refused: QueryRefused) -> str:
    """Return why the guard refuses, for the asker: which policy cannot be read is told to who may mend it, and nobody
    else.
    """
    if refused.rule != UNREADABLE:
        return refused.reason
    if await ctx.guard.allows(ctx.caller, Permission.CAN_WRITE, "project", ctx.project_id):
        return policies.unreadable or refused.reason
    return (
        "A policy of this project cannot be read, so nothing is answered until it is mended. "
        "Ask somebody who may write to the project: the same question tells them which policy it is, and why."
    )


def policies_of(
    memories: Sequence[Memory], tables: Sequence[Table], caller: Caller, restricted: Collection[ColumnKey] = ()
) -> Policies:
    """Return what the project's policies ask of a caller's queries on these tables, of which some columns are most
    sensitive.
    """
    meant = [one for one in memories if is_policy(one)]
    standing = policies_for(meant, users=(caller.user_id,), groups=caller.groups)
    readable = [one for one in standing if isinstance(one, Policy)]
    masked: set[ColumnKey] = set()
    forbidden: set[ColumnKey] = set()
    concerned: set[str] = set()
    unsearchable: set[str] = set()
    shown: dict[ColumnKey, str] = {}
    limited: set[str] = set()
    for table in tables if readable else ():
        ruling = ruling_of(table, readable)
        closed = table.columns if ruling.table_forbidden is not None else tuple(ruling.forbidden)
        hidden = (*ruling.masks, *ruling.guarded)
        forbidden |= {ColumnKey(table.fqn, name) for name in closed}
        masked |= {ColumnKey(table.fqn, name) for name in hidden}
        keys = {ColumnKey(table.fqn, name): policy.id for name, policy in ruling.shown.items()}
        shown |= {key: id for key, id in keys.items() if key in restricted}
        if closed or hidden or ruling.filters or ruling.minimum:
            concerned.add(table.fqn)
        if ruling.minimum:
            unsearchable.add(table.fqn)
        if ruling.minimum or ruling.filters or ruling.table_forbidden is not None:
            limited.add(table.fqn)
    by_id = {one.id: one for one in memories}
    return Policies(
        tuple(standing),
        {one.id: by_id[one.id] for one in standing},
        frozenset(masked),
        frozenset(forbidden),
        frozenset(concerned),
        frozenset(unsearchable),
        shown,
        frozenset(limited),
        len(memories) - len(meant),
    )


def judged(ground: "Ground", sql: str, *, most_rows: int | None = None, source: Source | None = None) -> GuardedQuery:
    """The query of a draft, with the policies in it. Raises Refused."""

    def relation(table: Table) -> exp.Table:
        assert source is not None
        return source.relation(table.database, table.schema, table.name)

    return guard_sql(
        sql,
        dialect=ground.dialect,
        tables=ground.tables,
        most_rows=most_rows,
        relation=None if source is None else relation,
        policies=ground.policies.standing,
    )


def judged_tables(tables: Sequence[Table], dialect: str, sql: str) -> tuple[Table, ...]:
    """The tables that a query reads, without regard to policies. Raises Refused."""
    return guard_sql(sql, dialect=dialect, tables=tables).tables
