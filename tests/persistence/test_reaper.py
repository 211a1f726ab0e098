"""The reaper: heartbeats, one leader, and the handing on of lost work, against a real PostgreSQL."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass, field

import pytest
import sqlalchemy as sa

from persistence.engine import Database
from persistence.jobs.reaper import Claim, Reaper
from persistence.tables.jobs import workers
from tests.support.job_worker import create_tables, until
from tests.support.postgres import postgres_server, postgres_url

__all__ = ["postgres_server", "postgres_url"]

pytestmark = [pytest.mark.anyio, pytest.mark.timeout(900)]


@dataclass
class FakeClaims:
    """Claims of a job engine that does not exist."""

    claims: list[Claim] = field(default_factory=list)
    handed_back: list[str] = field(default_factory=list)
    runs: list[str] = field(default_factory=list)
    given_up: int = 0

    async def held(self) -> Sequence[Claim]:
        return list(self.claims)

    async def hand_back(self, keys: Sequence[str]) -> None:
        self.handed_back += keys
        self.claims = [claim for claim in self.claims if claim.key not in keys]

    def running(self) -> list[str]:
        return self.runs

    def give_up(self) -> None:
        self.given_up += 1


def reaper(database: Database, url: str, claims: FakeClaims, name: str, *, dead_seconds: float = 1.0) -> Reaper:
    """A quick reaper."""
    return Reaper(
        database,
        claims,
        executor_id=name,
        version="test",
        lock_url=url,
        heartbeat_seconds=0.05,
        dead_seconds=dead_seconds,
    )


@pytest.fixture
async def shared(postgres_url: str) -> AsyncIterator[tuple[Database, str]]:
    """A PostgreSQL store and its address."""
    url = postgres_url.replace("postgresql://", "postgresql+psycopg://", 1)
    database = Database(url)
    await create_tables(database)
    yield database, url
    await database.close()


async def test_only_the_work_of_silent_executors_is_handed_on(shared: tuple[Database, str]) -> None:
    claims = FakeClaims([Claim("a", "living"), Claim("b", "never seen")], runs=["a"])
    one = reaper(*shared, claims, "living", dead_seconds=30)
    await one.start()
    await until(lambda: claims.handed_back == ["b"], "the sweep")
    assert [claim.key for claim in claims.claims] == ["a"]
    await one.stop()


async def test_the_work_of_an_executor_is_handed_on_once_it_falls_silent(shared: tuple[Database, str]) -> None:
    database, url = shared
    claims = FakeClaims([Claim("a", "first")], runs=["a"])
    first, second = (reaper(database, url, claims, name) for name in ("first", "second"))
    await first.start()
    await second.start()
    await asyncio.sleep(1.5)
    assert claims.handed_back == [], "it beats"
    assert first._loop_task is not None
    first._loop_task.cancel()
    await until(lambda: claims.handed_back == ["a"], "the sweep")

    def names(connection: sa.Connection) -> list[str]:
        return list(connection.execute(sa.select(workers.c.executor_id)).scalars())

    async def gone() -> bool:
        return await database.read(names) == ["second"]

    await until(gone, "the row of the silent one")  # it is taken away after its work was handed on
    await second.stop()
    await first.stop()


async def test_two_sweeps_at_once_hand_on_everything_and_do_not_fail(shared: tuple[Database, str]) -> None:
    claims = FakeClaims([Claim(f"k{i}", "gone") for i in range(20)])
    reapers = [reaper(*shared, claims, f"w{i}") for i in range(2)]
    await asyncio.gather(*(one.sweep() for one in reapers))
    assert set(claims.handed_back) == {f"k{i}" for i in range(20)}
    assert claims.claims == []


async def test_work_is_put_back_only_when_two_looks_agree(shared: tuple[Database, str]) -> None:
    claims = FakeClaims([Claim("a", "me"), Claim("b", "me"), Claim("c", "another")], runs=["b"])
    one = reaper(*shared, claims, "me")
    await one.sweep_own()
    assert claims.handed_back == []
    await one.sweep_own()
    assert claims.handed_back == ["a"]


async def test_one_of_several_leads_and_another_follows_when_it_ends(shared: tuple[Database, str]) -> None:
    reapers = [reaper(*shared, FakeClaims(), f"w{i}", dead_seconds=30) for i in range(3)]
    for one in reapers:
        await one.start()
    await until(lambda: any(one.leading for one in reapers), "a leader")
    await asyncio.sleep(0.3)
    assert sum(one.leading for one in reapers) == 1
    [leader] = [one for one in reapers if one.leading]
    await leader.stop()
    others = [one for one in reapers if one is not leader]
    await until(lambda: any(one.leading for one in others), "the next leader")
    for one in others:
        await one.stop()


async def test_a_leader_that_is_silent_itself_does_not_stop_the_others(shared: tuple[Database, str]) -> None:
    database, url = shared
    frozen = reaper(database, url, FakeClaims(), "frozen")
    await frozen.start()
    await until(lambda: frozen.leading, "the leader")
    assert frozen._loop_task is not None
    frozen._loop_task.cancel()  # it keeps the lock and says nothing more
    claims = FakeClaims([Claim("a", "frozen")])
    other = reaper(database, url, claims, "other")
    await other.start()
    await until(lambda: claims.handed_back == ["a"], "the sweep without a leader")
    assert not other.leading
    await other.stop()
    await frozen.stop()


async def test_a_process_whose_row_was_taken_away_gives_up_and_announces_itself_again(
    shared: tuple[Database, str],
) -> None:
    database, url = shared
    claims = FakeClaims()
    one = reaper(database, url, claims, "one", dead_seconds=30)
    await one.start()
    await database.write(lambda connection: connection.execute(sa.delete(workers)).rowcount)
    await until(lambda: claims.given_up == 1, "giving up")

    def names(connection: sa.Connection) -> list[str]:
        return list(connection.execute(sa.select(workers.c.executor_id)).scalars())

    async def back() -> bool:
        return await database.read(names) == ["one"]

    await until(back, "the new row")
    await one.stop()
    assert await database.read(names) == []
    assert claims.given_up == 1
