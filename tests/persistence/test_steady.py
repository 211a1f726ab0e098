"""Connections that wait once for each statement: they answer, fail and are cancelled as the library's own do."""

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import psycopg
import pytest

from persistence.steady import SteadyConnection

pytestmark = pytest.mark.anyio


@pytest.fixture
async def steady(postgres_url: str) -> AsyncIterator[SteadyConnection]:
    connection = await SteadyConnection.connect(postgres_url, autocommit=True, prepare_threshold=0)
    yield connection
    await connection.close()


@pytest.mark.parametrize("binary", [False, True])
@pytest.mark.parametrize(
    ("statement", "values"),
    [
        ("select 1, null, 'x'", ()),
        ("select n, repeat('a', 2000) from generate_series(1, 3000) n", ()),
        ("select %s::text", ("b" * 20_000_000,)),
        ("select 1 where false", ()),
        ("select convert_to(repeat('c', 5000000), 'UTF8')", ()),
    ],
)
async def test_answers_are_those_of_the_library(
    postgres_url: str, steady: SteadyConnection, statement: Any, values: tuple[str, ...], binary: bool
) -> None:
    async with await psycopg.AsyncConnection.connect(postgres_url, autocommit=True) as plain:
        expected = await (await plain.execute(statement, values, binary=binary)).fetchall()
    for _ in range(3):
        assert await (await steady.execute(statement, values, binary=binary)).fetchall() == expected


async def test_a_failure_is_told_and_the_connection_goes_on(steady: SteadyConnection) -> None:
    for _ in range(2):
        with pytest.raises(psycopg.errors.DivisionByZero):
            await steady.execute("select 1 / (n - 900) from generate_series(1, 1000) n")
        with pytest.raises(psycopg.errors.SyntaxError):
            await steady.execute("selec")
        assert await (await steady.execute("select 7")).fetchone() == (7,)


async def test_a_statement_whose_caller_goes_away_is_cancelled_in_the_server(
    postgres_url: str, steady: SteadyConnection
) -> None:
    for statement in ("select pg_sleep(30)", "select repeat('x', 5000) from generate_series(1, 2000000)"):
        asking = asyncio.create_task(steady.execute(statement))
        await asyncio.sleep(0.2)
        asking.cancel()
        async with asyncio.timeout(10):
            with pytest.raises(asyncio.CancelledError):
                await asking
        assert await (await steady.execute("select 7")).fetchone() == (7,)
    async with await psycopg.AsyncConnection.connect(postgres_url, autocommit=True) as plain:
        running = "select count(*) from pg_stat_activity where query like 'select pg_sleep(30)%' and state = 'active'"
        assert await (await plain.execute(running)).fetchone() == (0,)


async def test_a_server_that_hangs_up_is_an_error_at_once(postgres_url: str, steady: SteadyConnection) -> None:
    asking = asyncio.create_task(steady.execute("select pg_sleep(30)"))
    await asyncio.sleep(0.2)
    async with await psycopg.AsyncConnection.connect(postgres_url, autocommit=True) as plain:
        await plain.execute("select pg_terminate_backend(%s)", (steady.info.backend_pid,))
    async with asyncio.timeout(10):
        with pytest.raises(psycopg.OperationalError):
            await asking
    assert steady.closed


async def test_others_go_on_while_a_large_answer_comes(steady: SteadyConnection) -> None:
    turns = 0

    async def count() -> None:
        nonlocal turns
        while True:
            await asyncio.sleep(0)
            turns += 1

    counting = asyncio.create_task(count())
    rows = await (await steady.execute("select repeat('a', 10000) from generate_series(1, 5000)")).fetchall()
    counting.cancel()
    assert len(rows) == 5000
    assert turns > 100
