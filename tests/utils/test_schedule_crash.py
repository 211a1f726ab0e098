"""Processes are killed with SIGKILL, or compete, while schedules fire: no firing is lost, and none happens twice."""

import asyncio
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa

from persistence.jobs.port import InlineJobs
from persistence.tables.data_readiness import workflow_runs
from persistence.tables.schedules import schedule_runs, schedules
from rest_compat.app import create_app
from tests.support.server import Client, Server, stoa, until
from tests.world import World

pytestmark = pytest.mark.timeout(900)

FIRINGS = 150
"""More than one look claims, so that a kill finds some that are claimed and some that are not."""
RUNS_EVERY = 5
"""Each fifth schedule starts a run too."""
NOTE = {"type": "NOTIFICATION", "topic": "stock", "extra_data": {"shelf": 7}}
QUICK = {"schedule_tick_seconds": 0.02, "worker_heartbeat_seconds": 0.2, "worker_dead_seconds": 1}


@dataclass
class Place:
    """A platform's folder and store, which outlive its processes, and schedules that notify and start runs."""

    folder: Path
    settings: dict[str, Any]
    started: ExitStack
    engine: sa.Engine

    def start(self) -> Server:
        """Start a server, which fires what is due as soon as it can."""
        return self.started.enter_context(Server(self.folder, settings=self.settings))

    def serve(self) -> Server:
        """Start a server and wait until it serves."""
        return self.start().ready()

    def schedule(self, server: Server, number: int) -> None:
        """Make so many schedules for tomorrow."""
        client = self.started.enter_context(Client(self.folder, server))
        made = client("POST", "/data-readiness/workflows", json={"name": "p", "workflow_type": "profiling"})
        tomorrow = (datetime.now(UTC) + timedelta(days=1)).isoformat()
        timing = {"type": "ONE_OFF", "run_at": tomorrow}
        for at in range(number):
            reference = made["id"] if at % RUNS_EVERY == 0 else "nothing"
            body = {"schedule_name": f"s{at}", "schedule": timing, "reference_id": reference, "config": NOTE}
            client("POST", "/utils/schedules", json=body)

    def let_fire(self, apart: timedelta = timedelta()) -> None:
        """Put every schedule's moment at now, or one behind the other."""
        now = datetime.now(UTC)
        with self.engine.begin() as connection:
            for at, id_ in enumerate(connection.execute(sa.select(schedules.c.schedule_id)).scalars().all()):
                due = schedules.update().where(schedules.c.schedule_id == id_)
                connection.execute(due.values(next_run_at=now + at * apart))

    def fired(self, *states: str) -> int:
        """How many firings stand in the store, in one of these states or in any."""
        query = sa.select(sa.func.count()).select_from(schedule_runs)
        with self.engine.connect() as connection:
            found: int = connection.execute(
                query.where(schedule_runs.c.status.in_(states)) if states else query
            ).scalar_one()
        return found

    def assert_each_fired_once(self, number: int) -> None:
        """One record for each schedule, carried out, and one run for each that starts one."""
        until(lambda: self.fired() == number and not self.fired("PENDING"), "every firing")
        with self.engine.connect() as connection:
            records = connection.execute(sa.select(schedule_runs)).all()
            runs = connection.execute(sa.select(workflow_runs.c.id)).scalars().all()
            known = connection.execute(sa.select(schedules.c.schedule_id)).scalars().all()
        assert [record.error for record in records if record.status != "SUCCESS"] == []
        assert sorted(record.schedule_id for record in records) == sorted(known)
        assert sorted(record.workflow_run_id for record in records if record.workflow_run_id) == sorted(runs)
        assert len(runs) == number // RUNS_EVERY
        assert all(record.notification == {"topic": "stock", "extra_data": {"shelf": 7}} for record in records)


@pytest.fixture
def place(tmp_path: Path, store_url: str | None) -> Iterator[Callable[[], Place]]:
    """Makes the platform; its processes are killed at the end."""
    settings = QUICK | {"database_url": store_url}
    answer = stoa(tmp_path, "bootstrap", "--org", "acme", "--owner", "olga", settings=settings)
    assert answer.returncode == 0, answer.stderr
    url = f"sqlite:///{tmp_path / 'data' / 'stoa.sqlite'}" if store_url is None else store_url
    engine = sa.create_engine(url.replace("postgresql://", "postgresql+psycopg://", 1))
    with ExitStack() as started:
        started.callback(engine.dispose)
        yield lambda: Place(tmp_path, settings, started, engine)


def test_a_server_killed_while_schedules_fire_loses_none_and_fires_none_twice(place: Callable[[], Place]) -> None:
    own = place()
    server = own.serve()
    own.schedule(server, FIRINGS)
    own.let_fire()
    for states, more in (((), 1), (("SUCCESS",), 1), (("SUCCESS",), 10)):
        enough = own.fired(*states) + more
        until(lambda states=states, enough=enough: own.fired(*states) >= enough, "some firings")  # type: ignore[misc]
        server.kill()
        assert own.fired("SUCCESS") < FIRINGS, "the kill came too late to mean anything"
        server = own.start()  # not waited for: it fires before it serves
    own.assert_each_fired_once(FIRINGS)
    server.kill()
    own.serve()  # and what is over is not taken up again
    own.assert_each_fired_once(FIRINGS)


@pytest.mark.parametrize("store_kind", ["postgresql"])
def test_of_two_servers_that_fire_and_one_that_is_killed_none_fires_twice(place: Callable[[], Place]) -> None:
    own = place()
    servers = [own.serve(), own.serve()]
    own.schedule(servers[0], 50)
    own.let_fire(apart=timedelta(milliseconds=60))
    until(lambda: own.fired("SUCCESS") >= 10, "some firings")
    servers[0].kill()
    assert own.fired("SUCCESS") < 50, "the kill came too late to mean anything"
    own.serve()  # the one that is left would take up what was not queued too, within a minute
    own.assert_each_fired_once(50)


@pytest.mark.anyio
@pytest.mark.parametrize("store_kind", ["postgresql"])
async def test_of_two_processes_that_claim_a_firing_at_once_one_gets_it(world: World) -> None:
    parts = world.app.parts
    other = create_app(parts.settings, jobs=InlineJobs(), clock=world.clock, watches=False)
    await other.open()
    try:
        for number in range(8):
            body = {
                "schedule_name": f"s{number}",
                "schedule": {"type": "CRON", "cron": "* * * * *"},
                "reference_id": "r",
                "config": NOTE,
            }
            made = await world.request("POST", "/utils/schedules", token=world.owner, json=body)
            assert made.status_code == 201, made.text
        shares: list[list[int]] = []
        for _ in range(25):
            world.clock.moment += timedelta(minutes=1)
            claims = await asyncio.gather(
                *(one.services.store.write(one.firings._claim) for one in (parts, other.parts, parts, other.parts))
            )
            shares.append([len(claimed) for claimed, _ in claims])
        assert [sum(share) for share in shares] == [8] * 25
        assert len((await world.dump())["schedule_runs"]) == 8 * 25
    finally:
        await other.close()
