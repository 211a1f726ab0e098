"""The sums that scorecards are read from, and their receipts, equal a ranking of all history, whatever came when."""

import random
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
import sqlalchemy as sa

from persistence.queries.many_totals import SumsOf, first_moments
from persistence.queries.metric_results import Measured, MetricResultRepository
from persistence.queries.quality import below
from persistence.repository import Scope
from persistence.tables import metadata
from persistence.tables.quality import metric_results, metric_totals
from schema.data_readiness.quality_builtin import METRICS
from schema.data_readiness.scorecard import ScoredPart
from tests.support.catalog import catalog_url

__all__ = ["catalog_url"]

HERE = Scope("acme", "acme:shop")
THERE = Scope("acme", "acme:other")
START = datetime(2026, 3, 1, tzinfo=UTC)
NAMES = ("crm", "crm.db", "crm.db.s", "crm.db.s.t1", "crm.db.s.t1.a", "crm.db.s.t1.b", "crm.db.s.t2", 'crm."d.b".s.t1')
SCOPES = ((), ("crm",), ("crm", "db"), ("crm", "d.b"), ("crm", "db", "s"), ("crm", "db", "s", "t1"), ("none",))


@pytest.fixture
def connection(catalog_url: str) -> Any:
    engine = sa.create_engine(catalog_url)
    metadata.create_all(engine, tables=[metric_results, metric_totals, metadata.tables["metric_definitions"],
                                        metadata.tables["organizations"], metadata.tables["projects"]])  # fmt: skip
    with engine.begin() as made:
        yield made
    engine.dispose()


def ranked(connection: sa.Connection, parts: tuple[str, ...], at: datetime, run: str | None) -> dict[str, Any]:
    """The definition: the latest result of each metric and asset, added up by metric."""
    table = metric_results
    where = [table.c.project_id == HERE.project_id, *below(table, parts), table.c.measured_at <= at]
    if run is not None:
        where.append(table.c.workflow_run_id == run)
    rank = sa.func.row_number().over(
        partition_by=[table.c.metric_definition_id, table.c.asset_fqn],
        order_by=[table.c.measured_at.desc(), table.c.id],
    )
    columns = (table.c.metric_definition_id, table.c.numerator, table.c.denominator)
    inner = sa.select(*columns, rank.label("rank")).where(*where).subquery()
    query = (
        sa.select(
            inner.c.metric_definition_id,
            sa.func.sum(inner.c.numerator),
            sa.func.sum(inner.c.denominator),
            sa.func.count(),
        )
        .where(inner.c.rank == 1)
        .group_by(inner.c.metric_definition_id)
    )
    return {metric: (int(good), int(of), count) for metric, good, of, count in connection.execute(query)}


def read(connection: sa.Connection, parts: tuple[str, ...], at: datetime, run: str | None) -> dict[str, Any]:
    found = MetricResultRepository(connection).latest(HERE, parts, at=at, run_id=run)
    return {metric: (one.numerator, one.denominator, one.asset_count) for metric, one in found.items()}


def opened(connection: sa.Connection, parts: tuple[str, ...], at: datetime, run: str | None) -> dict[str, Any]:
    """The same from the receipts: what each figure opens into, added up."""
    wanted = [ScoredPart(HERE.project_id, parts, metric.id, at, run) for metric in METRICS[:3]]
    found = MetricResultRepository(connection).of_parts(HERE, wanted, 100)
    return {
        part.metric_definition_id: (sum(one.numerator for one in rows), sum(one.denominator for one in rows), len(rows))
        for part, rows in found.items()
        if rows
    }


def some_results(dice: random.Random) -> list[Measured]:
    made = []
    for name in dice.sample(NAMES, dice.randint(1, 4)):
        for metric in dice.sample(METRICS[:3], dice.randint(1, 2)):
            of = dice.randint(0, 9)
            made.append(Measured(metric.id, name, dice.randint(0, of), of))
    return made


@pytest.mark.parametrize("seed", [0, *(pytest.param(seed, marks=pytest.mark.long) for seed in range(1, 6))])
@pytest.mark.parametrize("order", [lambda one: one, lambda one: (one * 7) % 5], ids=["in time", "late, and at once"])
def test_sums_equal_the_ranking_of_all_history(
    connection: sa.Connection, seed: int, order: Callable[[int], int]
) -> None:
    dice = random.Random(seed)
    repository = MetricResultRepository(connection)
    runs = [f"run-{number}" for number in range(4)]
    for step in range(12):
        at = START + timedelta(hours=order(step))
        repository.record(HERE, dice.choice(runs), some_results(dice), at=at)
        repository.record(THERE, "run-0", some_results(dice), at=at)
    for hours in range(-1, 13):
        at = START + timedelta(hours=hours, seconds=dice.choice((0, 1)))
        for parts in SCOPES:
            for run in (None, *runs):
                assert read(connection, parts, at, run) == ranked(connection, parts, at, run), (hours, parts, run)
        for run in (None, dice.choice(runs)):
            parts = dice.choice(SCOPES)
            assert opened(connection, parts, at, run) == ranked(connection, parts, at, run), (hours, parts, run)


def test_recording_the_same_twice_changes_no_sum(connection: sa.Connection) -> None:
    repository = MetricResultRepository(connection)
    one = Measured(METRICS[0].id, "crm.db.s.t1.a", 3, 4)
    assert repository.record(HERE, "run", [one, one], at=START) == 1
    assert repository.record(HERE, "run", [one], at=START + timedelta(hours=1)) == 0
    assert repository.record(HERE, "run", [Measured(one.metric_definition_id, one.asset_fqn, 0, 9)], at=START) == 0
    assert read(connection, ("crm",), START + timedelta(days=1), None) == {one.metric_definition_id: (3, 4, 1)}


def test_a_sum_says_which_run_moved_it_and_when(connection: sa.Connection) -> None:
    repository = MetricResultRepository(connection)
    metric, later = METRICS[0].id, START + timedelta(hours=1)
    repository.record(HERE, "one", [Measured(metric, "crm.db.s.t1.a", 3, 4)], at=START)
    repository.record(HERE, "two", [Measured(metric, "crm.db.s.t1.a", 4, 4)], at=later)
    now = repository.latest(HERE, ("crm",), at=later, run_id=None)[metric]
    assert (now.numerator, now.by_run_id, now.at) == (4, "two", later)
    was = repository.latest(HERE, ("crm",), at=later, run_id=None, before=True)[metric]
    assert (was.numerator, was.by_run_id, was.at) == (3, "one", START)
    places = [SumsOf("acme:shop", name, later, "two") for name in ("crm.db", "crm.nowhere")]
    assert list(first_moments(connection, HERE.organization_id, places).values()) == [{metric: later}, {}]
    assert repository.end_of_run(HERE, "one") == START
    assert repository.end_of_run(HERE, "none") is None
