"""What profiles tables and executes rules is killed with SIGKILL while it reads and writes; all is there once."""

from collections.abc import Callable, Iterator
from typing import Any

import orjson
import pytest
import sqlalchemy as sa

from persistence.samples.postgres import database_name
from persistence.tables.profiles import column_profiles, table_profiles
from persistence.tables.quality import metric_results, metric_totals, violation_events, violations
from persistence.tables.rules import rule_executions
from tests.support.place import Place, place
from tests.support.postgres import PostgresServer
from tests.support.server import Client, Gate, Process, Server, Worker, until
from tests.support.shop import source

__all__ = ["place", "source"]

pytestmark = pytest.mark.timeout(900)

TABLES, COLUMNS = 6, 27
DEEP = {"tier": "full", "sampling": {"rows": 10}}
"""Every table has more rows, so that each one is streamed, over a connection of its own."""


@pytest.fixture
def gate(postgres_server: PostgresServer) -> Iterator[Gate]:
    """The only way from the platform to the source."""
    with Gate(postgres_server.host, postgres_server.port) as gate:
        yield gate


class Mortal:
    """A platform that has ingested the shop, and the process of it that carries out tasks: its server, or a worker."""

    def __init__(self, own: Place, source: str, *, apart: bool) -> None:
        self.own = own
        self.server: Server = own.serve()
        self.worker: Worker | None = own.work() if apart else None
        self.client: Client = own.client(self.server)
        ingestion = self.client.configure(source)
        assert self.ended(self.begun(ingestion))["status"] == "completed"

    def configured(self, kind: str) -> str:
        """A configuration of a kind; the path of its runs."""
        made = self.client("POST", "/data-readiness/workflows", json={"name": kind, "workflow_type": kind})
        return f"/data-readiness/workflows/{made['id']}/runs"

    def begun(self, runs: str, **given: Any) -> str:
        """Trigger a run; its path."""
        return f"{runs}/{self.client('POST', runs, json=given)['id']}"

    def ended(self, run: str) -> dict[str, Any]:
        """The run when it is over."""
        return self.client.over(run)

    def die(self) -> None:
        """End what carries out tasks, as a power cut would."""
        victim: Process = self.worker or self.server
        victim.kill()

    def rise(self) -> None:
        """Start it again."""
        if self.worker is not None:
            self.worker = self.own.work()
        else:
            self.server = self.own.serve()
            self.client = self.own.client(self.server, self.client.project)

    def count(self, table: sa.Table) -> int:
        """How many rows a table of the store has."""
        [(found,)] = self.own.rows(sa.select(sa.func.count()).select_from(table))
        return int(found)


@pytest.fixture(params=["the server on SQLite", "a worker on PostgreSQL"])
def mortal(
    request: pytest.FixtureRequest, place: Callable[..., Place], source: str, gate: Gate
) -> Callable[[], Mortal]:
    """Makes the platform."""
    apart = "worker" in request.param

    def make() -> Mortal:
        settings: dict[str, Any] = {}
        if apart:
            settings = {
                "database_url": request.getfixturevalue("postgres_url"),
                "in_process_worker": False,
                "worker_heartbeat_seconds": 0.3,
                "worker_dead_seconds": 1.5,
            }
        return Mortal(place(**settings), gate.url(source), apart=apart)

    return make


def profiles(own: Place, run: dict[str, Any]) -> list[str]:
    """All that a run has measured, but for when and how long."""
    left_out = {"id", "workflow_run_id", "measured_at", "duration_seconds", "organization_id", "project_id"}
    chosen = [column for column in table_profiles.columns if column.name not in left_out]
    query = sa.select(*chosen, column_profiles.c.position, column_profiles.c.figures).join_from(
        table_profiles, column_profiles, column_profiles.c.profile_id == table_profiles.c.id
    )
    rows = own.rows(query.where(table_profiles.c.workflow_run_id == run["id"]))
    return sorted(orjson.dumps(row, option=orjson.OPT_SORT_KEYS).decode() for row in rows)


def rules(database: str) -> list[dict[str, Any]]:
    """Rules about four tables, of which some are broken."""

    def rule(name: str, column: str, metric: str, **arguments: Any) -> dict[str, Any]:
        fqn = f"shop.{database}.{column}"
        return {"name": name, "asset_fqn": fqn, "type": "library", "metric": metric, "arguments": arguments}

    return [
        rule("known states", "sales.orders.status", "invalidValues", validValues=["open", "paid"]),
        rule("there", "sales.orders.total", "nullValues"),
        rule("few", "sales.lines.quantity", "invalidValues", minimum="1", maximum="3"),
        rule("light", "stock.products.weight", "invalidValues", maximum="2"),
        rule("named", "stock.products.name", "nullValues"),
        rule("small", "stock.moves.amount", "invalidValues", maximum="100"),
    ]


def told(own: Place, run: dict[str, Any]) -> dict[str, list[Any]]:
    """Return what a run has recorded, but for ids and moments."""
    of = rule_executions.c
    executed = sa.select(of.rule_name, of.asset_fqn, of.outcome, of.numerator, of.denominator)
    at = metric_results.c
    measured = sa.select(at.metric_definition_id, at.asset_fqn, at.numerator, at.denominator)
    total = metric_totals.c
    added = sa.select(
        total.scope_fqn, total.metric_definition_id, total.numerator, total.denominator, total.asset_count, total.at
    ).where(total.run_id == run["id"])
    latest = {row[:2]: row[2:5] for row in sorted(own.rows(added), key=lambda row: row[5])}
    return {
        "executions": sorted(own.rows(executed.where(of.workflow_run_id == run["id"]))),
        "results": sorted(own.rows(measured.where(at.workflow_run_id == run["id"]))),
        "totals": sorted(latest.items()),
    }


def killed_twice(platform: Mortal, gate: Gate, runs: str, tasks: int, **given: Any) -> dict[str, Any]:
    """A run that is cut off while its second task reads, and again soon after it is begun anew; the run at its end."""
    path = platform.begun(runs, asset_fqn="shop", **given)
    gate.until_held()
    assert platform.client.done(path) == 1
    platform.die()
    gate.let_through()
    platform.rise()
    until(lambda: platform.client.done(path) >= tasks, f"{tasks} tasks")
    platform.die()  # wherever it is: it may be writing
    platform.rise()
    run = platform.ended(path)
    assert (run["status"], run["error_message"]) == ("completed", None)
    return run


def test_tables_are_profiled_and_rules_executed_once_however_often_what_does_it_is_killed(
    mortal: Callable[[], Mortal], gate: Gate, source: str
) -> None:
    platform = mortal()
    runs = platform.configured("profiling")
    gate.allow(3)  # both connections of the first table, and the one over which the second is begun, not its stream
    run = killed_twice(platform, gate, runs, 3, parameters=DEEP)
    assert (run["output"]["tables"], run["output"]["columns"]) == (TABLES, COLUMNS)
    assert (platform.count(table_profiles), platform.count(column_profiles)) == (TABLES, COLUMNS)
    assert len(set(platform.own.rows(sa.select(table_profiles.c.asset_fqn)))) == TABLES
    undisturbed = platform.ended(platform.begun(runs, asset_fqn="shop", parameters=DEEP))
    reports = [one["output"].pop("report_uri") for one in (run, undisturbed)]
    assert run["output"] == undisturbed["output"]
    for uri in reports:
        assert platform.client("GET", f"/assets/artifacts/{uri}")["artifact_type"] == "report"
    assert profiles(platform.own, run) == profiles(platform.own, undisturbed)

    written = rules(database_name(source))
    for rule in written:
        platform.client("POST", "/data-readiness/quality-rules", json=rule)
    runs = platform.configured("dq-execution")
    gate.allow(1)
    run = killed_twice(platform, gate, runs, 2)
    found = platform.count(violations)
    assert found >= 4
    assert (run["output"]["new_violations"], run["output"]["seen_again"]) == (found, 0)
    assert platform.own.rows(sa.select(violations.c.seen_count).distinct()) == [(1,)]
    assert platform.count(violation_events) == found
    assert len(told(platform.own, run)["executions"]) == len(written) == platform.count(rule_executions)
    undisturbed = platform.ended(platform.begun(runs, asset_fqn="shop"))
    assert told(platform.own, run) == told(platform.own, undisturbed)
    assert (undisturbed["output"]["new_violations"], undisturbed["output"]["seen_again"]) == (0, found)
    assert platform.own.rows(sa.select(violations.c.seen_count).distinct()) == [(2,)]
