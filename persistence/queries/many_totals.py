"""The sums behind many scorecards, in as many statements as behind one."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

import sqlalchemy as sa

from persistence.columns import Moment
from persistence.queries.totals import ALL_RUNS, Sums
from persistence.repository import Repository
from persistence.tables.quality import metric_definitions, metric_totals
from schema.data_readiness.quality_builtin import METRICS

CARDS_AT_ONCE: Final = 500
"""How many scorecards one statement looks up."""


@dataclass(frozen=True, slots=True)
class SumsOf:
    """The sums at or under a dotted name of a project, at a moment or just before it; of one run, or of all."""

    project_id: str
    scope_fqn: str
    at: datetime
    run_id: str = ALL_RUNS


def metrics_of(connection: sa.Connection, organization_id: str, projects: Iterable[str]) -> list[str]:
    """The ids of all metrics that some projects have or had."""
    own = metric_definitions.c
    query = sa.select(own.id).where(own.organization_id == organization_id, own.project_id.in_(sorted(set(projects))))
    return [*(metric.id for metric in METRICS), *connection.execute(query).scalars()]


def sums_of_many(
    connection: sa.Connection,
    organization_id: str,
    asked: Sequence[SumsOf],
    metrics: Sequence[str],
    *,
    before: bool = False,
) -> dict[SumsOf, dict[str, Sums]]:
    """The sums of each metric for each that is asked for; with `before` just before its moment."""
    found: dict[SumsOf, dict[str, Sums]] = {one: {} for one in asked}
    for some in _parts(list(found)):
        wanted, each = _wanted(some), _each(metrics)
        table, looked = metric_totals.c, metric_totals.alias("looked").c
        last = (
            sa.select(sa.func.max(looked.at))
            .where(
                looked.project_id == wanted.c.project,
                looked.run_id == wanted.c.run,
                looked.scope_fqn == wanted.c.name,
                looked.metric_definition_id == each.c.metric,
                looked.at < wanted.c.at if before else looked.at <= wanted.c.at,
            )
            .correlate(wanted, each)
            .scalar_subquery()
        )
        columns = (table.numerator, table.denominator, table.asset_count, table.at, table.by_run_id)
        query = sa.select(wanted.c.number, each.c.metric, *columns).where(
            table.organization_id == organization_id,
            table.project_id == wanted.c.project,
            table.run_id == wanted.c.run,
            table.scope_fqn == wanted.c.name,
            table.metric_definition_id == each.c.metric,
            table.at == last,
        )
        for number, metric, good, of, assets, at, run in connection.execute(query):
            found[some[number]][metric] = Sums(int(good), int(of), int(assets), at, run)
    return found


def first_moments(
    connection: sa.Connection, organization_id: str, asked: Sequence[SumsOf]
) -> dict[SumsOf, dict[str, datetime]]:
    """When the run of each that is asked for first measured each metric at or under its name."""
    found: dict[SumsOf, dict[str, datetime]] = {one: {} for one in asked}
    table = metric_totals.c
    for some in _parts(list(found)):
        wanted = _wanted(some)
        query = (
            sa.select(wanted.c.number, table.metric_definition_id, sa.func.min(table.at))
            .where(
                table.organization_id == organization_id,
                table.project_id == wanted.c.project,
                table.run_id == wanted.c.run,
                table.scope_fqn == wanted.c.name,
            )
            .group_by(wanted.c.number, table.metric_definition_id)
        )
        for number, metric, at in connection.execute(query):
            found[some[number]][metric] = at
    return found


def standing_of(
    repository: Repository[Any], organization_id: str, projects: Sequence[str], built_in: Sequence[Any]
) -> Mapping[str, Sequence[Any]]:
    """The definitions that stand in each project: the built-in ones, then its own, the oldest first; one statement."""
    table = repository.table.c
    query = (
        sa.select(*repository.columns, table.project_id)
        .where(table.organization_id == organization_id, table.project_id.in_(projects), table.deleted_at.is_(None))
        .order_by(table.created_at, table.id)
    )
    rows = repository.connection.execute(query).all()
    own: dict[str, list[Any]] = {project: [] for project in projects}
    for row, definition in zip(rows, repository.resources(rows), strict=True):
        own[row[-1]].append(definition)
    return {project: [*built_in, *some] for project, some in own.items()}


def _parts(asked: Sequence[SumsOf]) -> Iterable[Sequence[SumsOf]]:
    return (asked[start : start + CARDS_AT_ONCE] for start in range(0, len(asked), CARDS_AT_ONCE))


def _wanted(asked: Sequence[SumsOf]) -> sa.CTE:
    columns: list[Any] = [
        sa.column("number", sa.Integer()),
        *(sa.column(name, sa.Text()) for name in ("project", "name", "run")),
        sa.column("at", Moment()),
    ]
    rows = [(number, one.project_id, one.scope_fqn, one.run_id, one.at) for number, one in enumerate(asked)]
    return sa.values(*columns, name="cards").data(rows).cte("wanted")


def _each(metrics: Sequence[str]) -> sa.CTE:
    rows = [(metric,) for metric in dict.fromkeys(metrics)]
    return sa.values(sa.column("metric", sa.Text()), name="metrics").data(rows).cte("each_metric")
