"""Remembered decisions: never late, whoever changes a relation and wherever, and asked of the store once."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa

from auth.local import LocalRelations
from auth.model import platform_model
from auth.relations import CheckRequest
from persistence.engine import Database
from persistence.revisions import RelationRevisions
from persistence.tuples import StoredTuples, read_tuples, write_tuples
from tests.auth.cases.engines import database, remembering, tuple_of, tuples
from tests.support.postgres import postgres_server, postgres_url  # noqa: F401

pytestmark = pytest.mark.anyio

CHAIN = tuples("data_connection:d#project@project:shop", "project:shop#organization@organization:acme")
GRANT = tuple_of("project:shop#viewer@group:readers#member")
SUBJECTS = ("user:ann", "group:readers#member")


@pytest.fixture(params=["sqlite", "postgresql"])
async def two(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[tuple[Database, Database]]:
    """Two processes' connections to one store, as far as the store can tell."""
    postgres = request.param == "postgresql"
    url = request.getfixturevalue("postgres_url") if postgres else f"sqlite:///{tmp_path / 'tuples.sqlite'}"
    async with AsyncExitStack() as closing:
        yield await closing.enter_async_context(database(url)), await closing.enter_async_context(database(url))


class Counting(StoredTuples):
    """The tuples, and how often they were read."""

    reads = 0

    async def around(self, *given: Any) -> Any:
        """See `StoredTuples.around`."""
        type(self).reads += 1
        return await super().around(*given)


async def test_what_one_process_takes_away_another_refuses_at_the_next_question(two: tuple[Database, Database]) -> None:
    one, other = (remembering(platform_model(), opened) for opened in two)
    await one.write("acme", CHAIN)
    late = 0
    for turn in range(100):
        stands = turn % 2 == 0
        await one.write("acme", *(([GRANT], []) if stands else ([], [GRANT])))
        ask = other.allowed("acme", SUBJECTS, "can_read", "data_connection:d")
        batch = other.batch_check("acme", [CheckRequest(SUBJECTS[1], "can_read", "data_connection:d")])
        late += (await ask is not stands) + (await batch != [stands])
        asked = (other.allowed("acme", SUBJECTS, "can_read", "data_connection:d") for _ in range(8))
        late += sum(answer is not stands for answer in await asyncio.gather(*asked))
    assert late == 0


async def test_a_change_by_hand_counts_too(two: tuple[Database, Database]) -> None:
    one, other = two
    engine = remembering(platform_model(), other)
    await one.write(lambda connection: write_tuples(connection, "acme", [*CHAIN, GRANT]))
    assert await engine.allowed("acme", SUBJECTS, "can_read", "data_connection:d")
    for statement, answer in (
        ("update relation_tuples set user_id = 'writers' where user_id = 'readers'", False),
        ("update relation_tuples set user_id = 'readers' where user_id = 'writers'", True),
        ("delete from relation_tuples", False),
    ):
        await one.write(lambda connection, text=statement: connection.exec_driver_sql(text).close())
        assert await engine.allowed("acme", SUBJECTS, "can_read", "data_connection:d") is answer


async def test_a_decision_is_read_for_once_while_its_own_organization_stands_still(
    two: tuple[Database, Database],
) -> None:
    opened, other = two
    source = Counting(opened)
    engine = LocalRelations(platform_model(), source, remembering(platform_model(), opened)._remembered)
    for store in ("acme", "globex"):
        await engine.write(store, [*CHAIN, GRANT])
    Counting.reads = 0
    for _ in range(3):
        assert await engine.allowed("acme", SUBJECTS, "can_read", "data_connection:d")
        assert not await engine.allowed("acme", SUBJECTS[:1], "can_read", "data_connection:d")
        await other.write(lambda connection: write_tuples(connection, "globex", deletes=[GRANT], lenient=True))
    assert Counting.reads == 2
    await other.write(lambda connection: write_tuples(connection, "acme", tuples("file:f#project@project:shop")))
    assert await engine.allowed("acme", SUBJECTS, "can_read", "data_connection:d")
    assert Counting.reads == 3


async def test_tuples_that_are_put_back_have_the_revision_of_then(two: tuple[Database, Database]) -> None:
    opened, _ = two
    revisions = RelationRevisions(opened)
    assert await revisions.of("acme") == ""
    await opened.write(lambda connection: write_tuples(connection, "acme", CHAIN))
    first = await revisions.of("acme")

    def undone(connection: sa.Connection) -> None:
        write_tuples(connection, "acme", [GRANT])
        assert len(read_tuples(connection, "acme")) == 3
        raise LookupError

    with pytest.raises(LookupError):
        await opened.write(undone)
    assert await revisions.of("acme") == first
    await opened.write(lambda connection: write_tuples(connection, "acme", [GRANT]))
    assert await revisions.of("acme") != first
    assert await revisions.of("globex") == ""


async def test_writers_of_one_organization_do_not_wait_for_each_other(postgres_url: str) -> None:  # noqa: F811
    async with database(postgres_url) as opened:
        engine = remembering(platform_model(), opened)
        await engine.write("acme", CHAIN)
        written, goes_on = asyncio.Event(), asyncio.Event()

        async def held() -> None:
            written.set()
            await goes_on.wait()

        grant = asyncio.create_task(
            opened.write(lambda connection: write_tuples(connection, "acme", [GRANT]), before_commit=held)
        )
        await written.wait()
        async with asyncio.timeout(10):
            await engine.write("acme", tuples("file:f#project@project:shop"))
        assert not await engine.allowed("acme", SUBJECTS, "can_read", "data_connection:d")
        goes_on.set()
        await grant
        assert await engine.allowed("acme", SUBJECTS, "can_read", "data_connection:d")


async def test_a_server_that_hung_up_is_asked_again(postgres_url: str) -> None:  # noqa: F811
    async with database(postgres_url) as opened:
        revisions = RelationRevisions(opened)
        await opened.write(lambda connection: write_tuples(connection, "acme", CHAIN))
        first = await revisions.of("acme")
        others = "pid <> pg_backend_pid() and datname = current_database()"
        ended = f"select pg_terminate_backend(pid) from pg_stat_activity where {others}"
        await opened.read(lambda connection: connection.exec_driver_sql(ended).all())
        assert await asyncio.gather(*(revisions.of("acme") for _ in range(3))) == [first] * 3
