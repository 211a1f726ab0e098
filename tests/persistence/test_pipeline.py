"""Short questions that follow one another on one connection: each gets its own answer, whatever becomes of others."""

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import psycopg
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from persistence.engine import Database
from persistence.pipeline import NotAsked, Pipeline, _numbered
from schema.errors import DatabaseError

pytestmark = pytest.mark.anyio

ECHO = "select %(value)s::text, %(many)s::text[], 100 %% 7, %(value)s::text"


@pytest.fixture
async def pipeline(postgres_url: str) -> AsyncIterator[Pipeline]:
    made = Pipeline(lambda: psycopg.AsyncConnection.connect(postgres_url, autocommit=True))
    yield made
    await made.close()


@pytest.fixture
async def database(postgres_url: str) -> AsyncIterator[Database]:
    made = Database(postgres_url.replace("postgresql://", "postgresql+psycopg://", 1))
    yield made
    await made.close()


def test_a_value_that_is_named_twice_is_sent_once() -> None:
    assert _numbered(ECHO) == ("select $1::text, $2::text[], 100 % 7, $1::text", ("value", "many"))


async def test_everybody_gets_their_own_answer(pipeline: Pipeline) -> None:
    async def asked(number: int) -> None:
        await asyncio.sleep(number % 3 / 1000)
        rows = await pipeline.ask("select n, 'é' from generate_series(1, %(most)s::int) n", {"most": number})
        assert rows == [(n, "é") for n in range(1, number + 1)]
        assert await pipeline.ask(ECHO, {"value": f"v{number}", "many": []}) == [(f"v{number}", [], 2, f"v{number}")]

    for _ in range(3):
        await asyncio.gather(*map(asked, range(40)))


async def test_an_answer_may_be_large(pipeline: Pipeline) -> None:
    large = "é" * 3_000_000
    rows = await asyncio.gather(*(pipeline.ask(ECHO, {"value": large, "many": [large]}) for _ in range(3)))
    assert rows == [[(large, [large], 2, large)]] * 3


async def test_values_arrive_as_they_are(pipeline: Pipeline) -> None:
    @given(value=st.none() | st.text(), many=st.lists(st.text(), max_size=4))
    @settings(max_examples=1, database=None)
    def drawn(value: str | None, many: list[str]) -> None:
        tried.append((value, many))

    tried: list[tuple[str | None, list[str]]] = [
        (None, []),
        ("", [""]),
        ('it\'s \\ "so", {1} NULL %s $1', ['a"b\\c', "NULL", "", "{}", " , "]),
        ("é\u2028\U0001f600\n", ["\t", "é"]),
    ]
    drawn()
    for value, many in tried:
        if "\0" in (value or "") + "".join(many):
            continue
        assert await pipeline.ask(ECHO, {"value": value, "many": many}) == [(value, many, 2, value)]


@pytest.mark.parametrize("value", ["a\0b", "\ud800"])
async def test_what_the_server_could_not_take_is_never_sent_in_part(database: Database, value: str) -> None:
    line = database._side._aside  # type: ignore[union-attr]
    with pytest.raises(NotAsked):
        await line.ask("select %(value)s::text", {"value": value})  # type: ignore[union-attr]
    with pytest.raises((DatabaseError, UnicodeEncodeError)):
        await database.glance("select %(value)s::text", {"value": value})


async def test_who_asks_for_what_fails_is_told_as_ever_and_takes_nothing_from_others(database: Database) -> None:
    async def fails() -> None:
        with pytest.raises(DatabaseError):
            await database.glance("select 1 / %(zero)s::int", {"zero": 0})

    async def goes_well() -> None:
        assert await database.glance("select %(one)s::int", {"one": 1}) == [(1,)]

    for _ in range(2):
        await asyncio.gather(goes_well(), fails(), goes_well(), fails(), goes_well())
        await goes_well()


async def test_a_server_that_hung_up_is_asked_again(database: Database, postgres_url: str) -> None:
    async def own() -> int:
        ((pid,),) = await database.glance("select pg_backend_pid()", {})
        return int(pid)

    first = await own()
    assert await own() == first
    async with await psycopg.AsyncConnection.connect(postgres_url, autocommit=True) as other:
        slow = "select pg_sleep(case when pg_backend_pid() = %(first)s::int then 30 else 0 end), pg_backend_pid()"
        waiting = asyncio.create_task(database.glance(slow, {"first": first}))
        await asyncio.sleep(0.2)
        await other.execute("select pg_terminate_backend(%s)", (first,))
        async with asyncio.timeout(20):
            second = await own()
            assert second != first
            assert (await waiting)[0][1] == second


async def test_who_goes_away_takes_nothing_from_others(pipeline: Pipeline) -> None:
    await pipeline.ask("select 1", {})
    leaving = asyncio.create_task(pipeline.ask("select pg_sleep(0.2)", {}))
    staying = asyncio.create_task(pipeline.ask("select 2", {}))
    await asyncio.sleep(0.05)
    leaving.cancel()
    assert await staying == [(2,)]
    assert await pipeline.ask("select 3", {}) == [(3,)]


async def test_what_was_committed_before_is_seen(pipeline: Pipeline, postgres_url: str) -> None:
    async with await psycopg.AsyncConnection.connect(postgres_url, autocommit=True) as other:
        await other.execute("create table counted (n int)")
        for number in range(1, 6):
            await other.execute("insert into counted values (1)")
            answers: list[Any] = await asyncio.gather(
                *(pipeline.ask("select count(*)::int from counted", {}) for _ in range(3))
            )
            assert answers == [[(number,)]] * 3


async def test_more_statements_than_are_kept_are_answered_too(database: Database) -> None:
    for number in range(205):
        assert await database.glance(f"select {number}", {}) == [(number,)]


async def test_closing_tells_who_waits(pipeline: Pipeline) -> None:
    await pipeline.ask("select 1", {})
    waiting = asyncio.create_task(pipeline.ask("select pg_sleep(30)", {}))
    await asyncio.sleep(0.05)
    await pipeline.close()
    with pytest.raises(NotAsked):
        await waiting
    assert await pipeline.ask("select 1", {}) == [(1,)]
