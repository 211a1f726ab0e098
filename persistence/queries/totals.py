"""Defines what scorecards are read from: the latest results of each metric under each dotted name, summed as they are
written.

Each moment at which a sum changes has one row, so a scorecard of any time is one look-up for each metric, however many
assets are under it and however long the history is. A result that is written late, for a moment before others that
stand, changes the sums from its moment until the asset's next result, as if it had come in time.

Whoever records results of a project holds a lock until the transaction ends; SQLite has one writer anyway.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

import sqlalchemy as sa

from persistence.locks import lock_in
from persistence.queries.catalog_rows import chunks
from persistence.repository import Scope
from persistence.tables.quality import metric_results, metric_totals
from schema.identifiers import join_fqn

ALL_RUNS: Final = ""
WHOLE_PROJECT: Final = ""
AT_ONCE: Final = 200
"""Look-ups that one statement makes."""

_LEVELS: Final = ("service", "database", "schema", "table")

WITHDRAWN: Final[Mapping[str, Any]] = {"withdrawn": "The asset is no longer in the source."}
"""The details of a result that says that an asset counts no longer."""


def counted_among(
    connection: sa.Connection, scope: Scope, metrics: Sequence[str], fqns: Sequence[str], as_of: datetime | None
) -> set[str]:
    """Those of some dotted names under which any of the metrics counts for something, now or at a moment."""
    table = metric_totals.c
    where = [
        table.project_id == scope.project_id,
        table.organization_id == scope.organization_id,
        table.run_id == ALL_RUNS,
        table.metric_definition_id.in_(metrics),
        *([] if as_of is None else [table.at <= as_of]),
    ]
    found: set[str] = set()
    for some in chunks(list(fqns)):
        query = sa.select(table.scope_fqn).where(*where, table.scope_fqn.in_(some)).distinct()
        found.update(connection.execute(query).scalars())
    return found


def is_withdrawn(details: Mapping[str, Any]) -> bool:
    """Return whether a result, given its details, is of an asset that counts no longer."""
    return "withdrawn" in details


Place = tuple[str, str, str]
"""The run (empty for all of them), the dotted name (empty for the project), and the metric."""


@dataclass(frozen=True, slots=True)
class Sums:
    """The latest results of one metric, added up."""

    numerator: int
    denominator: int
    asset_count: int
    at: datetime | None = None
    """When they last changed."""
    by_run_id: str | None = None
    """The run that changed them then."""


def lock_totals(connection: sa.Connection, scope: Scope) -> None:
    """Let one writer at a time record results in a project, until the transaction ends."""
    lock_in(connection, scope, "metric_totals")


def add_up(
    connection: sa.Connection, scope: Scope, run_id: str, rows: Sequence[Mapping[str, Any]], at: datetime
) -> None:
    """Take new results of one run and moment into the sums, before they are written. The lock must be held."""
    deltas: dict[Place, dict[datetime | None, list[int]]] = {}
    neighbours = _neighbours(connection, scope, rows, at)
    for row in rows:
        before, following = neighbours[row["id"]]
        here = (row["numerator"], row["denominator"], _counted(row["details"]))
        of_run = (run_id, here, None)
        if before is None:
            changes = [of_run, (ALL_RUNS, here, following)]
        elif before[0] == at and before[1] < row["id"]:
            changes = [of_run]  # of two results of one moment the one with the smaller id stands
        else:
            moved = tuple(new - old for new, old in zip(here, before[2:], strict=True))
            changes = [of_run, (ALL_RUNS, moved, following)]
        parts = [row[level] for level in _LEVELS if row[level] is not None]
        names = (WHOLE_PROJECT, *(join_fqn(parts[:end]) for end in range(1, len(parts) + 1)))
        for run, change, until in changes:
            for name in names:
                place = (run, name, row["metric_definition_id"])
                sums = deltas.setdefault(place, {}).setdefault(until, [0, 0, 0])
                for index, number in enumerate(change):
                    sums[index] += number
    _write(connection, scope, run_id, deltas, at)


def _counted(details: Mapping[str, Any]) -> int:
    return 0 if is_withdrawn(details) else 1


Neighbour = tuple[datetime, str, int, int, int]
"""The moment and id of a result, its numerator and denominator, and how many assets it stands for: one or none."""


def _neighbours(
    connection: sa.Connection, scope: Scope, rows: Sequence[Mapping[str, Any]], at: datetime
) -> dict[str, tuple[Neighbour | None, datetime | None]]:
    """By new result, the one that stood for its asset at the moment, and when the asset's next one was measured."""
    found: dict[str, tuple[Neighbour | None, datetime | None]] = {}
    for some in chunks(rows, AT_ONCE):
        pairs = _pairs(
            ("new_id", "asset", "metric"),
            [(row["id"], row["asset_fqn"], row["metric_definition_id"]) for row in some],
        )
        mine = _mine(metric_results, scope)
        same = (
            *mine,
            metric_results.c.asset_fqn == pairs.c.asset,
            metric_results.c.metric_definition_id == pairs.c.metric,
        )
        standing = (
            sa.select(metric_results.c.id)
            .where(*same, metric_results.c.measured_at <= at)
            .order_by(metric_results.c.measured_at.desc(), metric_results.c.id)
            .limit(1)
            .correlate(pairs)
            .scalar_subquery()
        )
        following = (
            sa.select(metric_results.c.measured_at)
            .where(*same, metric_results.c.measured_at > at)
            .order_by(metric_results.c.measured_at)
            .limit(1)
            .correlate(pairs)
            .scalar_subquery()
        )
        looked = connection.execute(sa.select(pairs.c.new_id, standing, following)).all()
        ids = sorted({id for _, id, _ in looked if id is not None})
        kept: dict[str, Neighbour] = {}
        if ids:
            columns = (metric_results.c.id, metric_results.c.measured_at)
            figures = (metric_results.c.numerator, metric_results.c.denominator, metric_results.c.details)
            # They were found inside the project. Naming it again tempts a planner that has no statistics yet, as during
            # a project's first run, to read all of the project each time.
            query = sa.select(*columns, *figures).where(metric_results.c.id.in_(ids))
            kept = {
                id: (moment, id, good, of, _counted(details))
                for id, moment, good, of, details in connection.execute(query)
            }
        found |= {new: (None if id is None else kept[id], after) for new, id, after in looked}
    return found


def _write(
    connection: sa.Connection,
    scope: Scope,
    run_id: str,
    deltas: Mapping[Place, Mapping[datetime | None, Sequence[int]]],
    at: datetime,
) -> None:
    standing = _standing(connection, scope, sorted(deltas), at)
    fresh: list[dict[str, Any]] = []
    moved: list[dict[str, Any]] = []
    for place in sorted(deltas):
        sums, is_exact, is_late = standing[place]
        change = [sum(one[index] for one in deltas[place].values()) for index in range(3)]
        here = [old + new for old, new in zip(sums, change, strict=True)]
        if is_exact:
            moved.append(_move(place, change, at, at, exactly=True))
        else:
            names = ("run_id", "scope_fqn", "metric_definition_id")
            figures = dict(zip(("numerator", "denominator", "asset_count"), here, strict=True))
            tenant = {"organization_id": scope.organization_id, "project_id": scope.project_id}
            fresh.append(dict(zip(names, place, strict=True)) | figures | tenant | {"at": at, "by_run_id": run_id})
        if is_late:
            moved += [_move(place, change, at, until) for until, change in deltas[place].items()]
    for some in chunks(fresh):
        connection.execute(metric_totals.insert(), list(some))
    for move in moved:
        connection.execute(_moved(scope, move))


def _move(
    place: Place, change: Sequence[int], at: datetime, until: datetime | None, *, exactly: bool = False
) -> dict[str, Any]:
    return {"place": place, "change": change, "at": at, "until": until, "exactly": exactly}


def _moved(scope: Scope, move: Mapping[str, Any]) -> sa.Update:
    """The statement that adds a change to the row of a moment, or to those after it until another."""
    table = metric_totals
    run, name, metric = move["place"]
    where = [
        *_mine(table, scope),
        table.c.run_id == run,
        table.c.scope_fqn == name,
        table.c.metric_definition_id == metric,
    ]
    if move["exactly"]:
        where.append(table.c.at == move["at"])
    else:
        where.append(table.c.at > move["at"])
        if move["until"] is not None:
            where.append(table.c.at < move["until"])
    good, of, count = move["change"]
    return (
        table.update()
        .where(*where)
        .values(
            numerator=table.c.numerator + good,
            denominator=table.c.denominator + of,
            asset_count=table.c.asset_count + count,
        )
    )


def _standing(
    connection: sa.Connection, scope: Scope, places: Sequence[Place], at: datetime
) -> dict[Place, tuple[tuple[int, int, int], bool, bool]]:
    """By place, the sums at the moment, whether a row is of that very moment, and whether any is of a later one."""
    found: dict[Place, tuple[tuple[int, int, int], bool, bool]] = {}
    for some in chunks(places, AT_ONCE):
        wanted = _pairs(("run", "name", "metric"), some)
        table = metric_totals
        same = (
            *_mine(table, scope),
            table.c.run_id == wanted.c.run,
            table.c.scope_fqn == wanted.c.name,
            table.c.metric_definition_id == wanted.c.metric,
        )
        columns = (table.c.numerator, table.c.denominator, table.c.asset_count, table.c.at)
        looked = [
            sa.select(column)
            .where(*same, table.c.at <= at)
            .order_by(table.c.at.desc())
            .limit(1)
            .correlate(wanted)
            .scalar_subquery()
            for column in columns
        ]
        later = (
            sa.select(table.c.at).where(*same).order_by(table.c.at.desc()).limit(1).correlate(wanted).scalar_subquery()
        )
        query = sa.select(wanted.c.run, wanted.c.name, wanted.c.metric, *looked, later)
        for row in connection.execute(query):
            moment, last = row[6], row[7]
            sums = (row[3] or 0, row[4] or 0, row[5] or 0)
            found[row[0], row[1], row[2]] = (sums, moment == at, last is not None and last > at)
    return found


def sums_at(
    connection: sa.Connection,
    scope: Scope,
    name: str,
    metrics: Iterable[str],
    *,
    at: datetime,
    run_id: str = ALL_RUNS,
    before: bool = False,
) -> dict[str, Sums]:
    """The sums of each metric at or under a dotted name, at a moment or (with `before`) just before it."""
    table = metric_totals
    found: dict[str, Sums] = {}
    for some in chunks(sorted(set(metrics)), AT_ONCE):
        wanted = _pairs(("metric",), [(metric,) for metric in some])
        where = (
            *_mine(table, scope),
            table.c.run_id == run_id,
            table.c.scope_fqn == name,
            table.c.metric_definition_id == wanted.c.metric,
            table.c.at < at if before else table.c.at <= at,
        )
        columns = (table.c.numerator, table.c.denominator, table.c.asset_count, table.c.at, table.c.by_run_id)
        looked = [
            sa.select(column).where(*where).order_by(table.c.at.desc()).limit(1).correlate(wanted).scalar_subquery()
            for column in columns
        ]
        for row in connection.execute(sa.select(wanted.c.metric, *looked)):
            if row[4] is not None:
                found[row[0]] = Sums(int(row[1]), int(row[2]), int(row[3]), row[4], row[5])
    return found


def _mine(table: sa.Table, scope: Scope) -> tuple[sa.ColumnElement[bool], ...]:
    return table.c.project_id == scope.project_id, table.c.organization_id == scope.organization_id


def _pairs(names: Sequence[str], rows: Sequence[Sequence[str]]) -> sa.CTE:
    """Rows of texts as a table, to look something up for each of them in one statement."""
    columns = [sa.column(name, sa.Text()) for name in names]
    return sa.values(*columns, name="looked").data([tuple(row) for row in rows]).cte("wanted")
