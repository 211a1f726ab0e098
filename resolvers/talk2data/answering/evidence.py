"""Defines what an answer rests on, as of now: the versions, scores and violations of what a query reads."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from decimal import Decimal
from typing import Final

from sqlglot import exp

from persistence.store import UnitOfWork
from resolvers.context import Context
from resolvers.data_readiness.scorecard import scorecard_of
from resolvers.engines.english.grammar import listed
from resolvers.engines.sql_guard import GuardedQuery
from resolvers.engines.sql_guard.lineage import Key
from schema.data_readiness.quality import AssessmentType
from schema.data_readiness.scorecard import ScorecardRequest
from schema.identifiers import Fqn
from schema.talk2data.chat_settings import ChatSettings
from schema.talk2data.provenance import UsedColumn, UsedMemory, UsedTable
from schema.utils.memory import Memory, MemoryType, ValidationStatus

MOST_EXAMPLES: Final = 3
"""How many examples of a query are named."""


def columns_of(guarded: GuardedQuery) -> dict[str, list[str]]:
    """The columns that a query names anywhere, by the FQN of their table."""
    columns: dict[str, list[str]] = {table.fqn: [] for table in guarded.tables}
    for fqn, name in sorted(guarded.columns):
        columns.setdefault(fqn, []).append(name)
    return columns


async def as_of_now(ctx: Context, columns: Mapping[str, Sequence[str]]) -> list[UsedTable]:
    """Some tables and columns with their versions and the quality of their data at this moment, by name."""
    names = {fqn: {name: str(Fqn.parse(fqn).child(name)) for name in mine} for fqn, mine in columns.items()}

    def read(uow: UnitOfWork) -> tuple[dict[str, str], dict[str, dict[str | None, int]]]:
        fqns = [*columns, *(one for mine in names.values() for one in mine.values())]
        return (
            uow.turn_provenance.versions_of(ctx.scope, fqns),
            uow.turn_provenance.violations_of(ctx.scope, columns),
        )

    versions, violations = await ctx.store.read(read)
    made = []
    for fqn in sorted(columns):
        card = await scorecard_of(ctx, ScorecardRequest(asset_fqn=fqn, assessment_type=AssessmentType.DATA_QUALITY))
        found = violations.get(fqn, {})
        used = [
            UsedColumn(name=name, version=versions.get(names[fqn][name]), open_violations=found.get(name, 0))
            for name in columns[fqn]
        ]
        made.append(
            UsedTable(
                fqn=fqn,
                version=versions.get(fqn),
                quality_score=card.overall_score,
                open_violations=sum(found.values()),
                columns=used,
            )
        )
    return made


def used_memories(memories: Iterable[Memory]) -> list[UsedMemory]:
    """The memories as they are now, by name."""
    made = [
        UsedMemory(id=one.id, name=one.name, version=one.version, memory_type=one.memory_type.value) for one in memories
    ]
    return sorted(made, key=lambda one: (one.name, one.id))


def examples_among(memories: Iterable[Memory]) -> list[Memory]:
    """Those of the memories that a query was copied from."""
    return [one for one in memories if one.memory_type is MemoryType.EXEMPLAR][:MOST_EXAMPLES]


def all_checked(examples: Iterable[Memory]) -> bool:
    """Return whether a steward has validated every example."""
    return all(one.quality.validation_status is ValidationStatus.VALIDATED for one in examples)


def told_of_examples(examples: Sequence[Memory], *, verified: bool = False) -> str:
    """A sentence about the examples that a query follows, whether anybody has checked them included.

    `verified` is whether it is the checked query itself, and not one that was drafted after it.
    """
    said = " and ".join(f"“{one.name}”" for one in examples)
    if verified:
        return f"This is answered by a verified query, which a steward has validated: {said}."
    checked = "." if all_checked(examples) else ", which nobody has validated yet."
    return f"This follows what was learned from {said}{checked}"


def too_poor(tables: Sequence[UsedTable], settings: ChatSettings) -> str | None:
    """Return why the quality of the data forbids an answer; None when it does not."""
    low = _below(tables, settings.refuse_below)
    if not low or settings.refuse_below is None:
        return None
    return (
        f"The quality of {_listed(low)} is below {settings.refuse_below}, under which this project gives no answers. "
        "Look at its scorecard and at its open violations first."
    )


def policy_warnings(guarded: GuardedQuery, in_words: int) -> list[str]:
    """Return what the asker is told of what policies hide, and of those in words alone, which hide nothing."""
    names: dict[str, list[str]] = {}
    for fqn, name in sorted(guarded.masked):
        names.setdefault(fqn, []).append(name)
    told = [
        f"A policy masks {listed(mine, len(mine))} of {Fqn.parse(fqn).name}; what is compared or counted is the mask."
        for fqn, mine in names.items()
    ]
    if guarded.filtered:
        tables = [Fqn.parse(fqn).name for fqn in sorted(guarded.filtered)]
        told.append(f"A policy shows only some of the rows of {listed(tables, len(tables))}.")
    if guarded.least_rows:
        told.append(f"A policy leaves out what fewer than {guarded.least_rows} rows stand behind.")
    if in_words:
        some = "A policy of this project is" if in_words == 1 else f"{in_words} policies of this project are"
        told.append(f"{some} in words alone, which nothing enforces. Give it an `effect` to have it kept.")
    return told


def bearing_columns(guarded: GuardedQuery) -> frozenset[Key]:
    """Return the columns that the answer would be another one without: not those that a query inside names in vain, nor
    those that all rows are only put in order by.
    """
    cut = any(guarded.query.find_all(exp.Limit, exp.Fetch, exp.Offset))
    idle = frozenset() if cut else frozenset({"order"})
    return frozenset(key for key, clauses in guarded.reads.items() if clauses - idle)


def quality_warnings(tables: Sequence[UsedTable], settings: ChatSettings, bearing: Collection[Key]) -> list[str]:
    """Return what the asker is told of the quality of the data, of columns that bear on the answer."""
    told = []
    if low := _below(tables, settings.warn_below):
        told.append(f"The quality of {_listed(low)} is below {settings.warn_below}, so take this answer with care.")
    for table in tables:
        bad = {
            column.name: column.open_violations
            for column in table.columns
            if column.open_violations and (table.fqn, column.name) in bearing
        }
        if bad:
            many = sum(bad.values())
            is_one, columns = many == 1, listed(list(bad), len(bad))
            told.append(
                f"{many} violation{'' if is_one else 's'} on {columns} of {Fqn.parse(table.fqn).name} "
                f"{'is' if is_one else 'are'} not resolved."
            )
    return told


def _below(tables: Sequence[UsedTable], least: str | None) -> list[UsedTable]:
    if least is None:
        return []
    return [one for one in tables if one.quality_score is not None and Decimal(one.quality_score) < Decimal(least)]


def _listed(tables: Sequence[UsedTable]) -> str:
    return listed([f"{Fqn.parse(one.fqn).name} ({one.quality_score})" for one in tables], len(tables))
