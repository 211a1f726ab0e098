"""Remembered decisions: never late, whoever changes a relation and wherever, and asked of the store once."""

import asyncio
import random
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa

from auth.caller import Caller
from auth.guard import Guard
from auth.local import LocalRelations
from auth.model import Model, platform_model
from auth.relations import CheckRequest, RelationTuple
from auth.remembered import Remembered
from persistence.engine import Database
from persistence.revisions import Revisions
from persistence.tables.authorization import relation_tuples
from persistence.tuples import StoredTuples, read_tuples, write_tuples
from schema.governance.permission import Permission
from tests.auth.cases.engines import database, remembering, tuple_of, tuples
from tests.support.postgres import postgres_server, postgres_url  # noqa: F401

pytestmark = pytest.mark.anyio

CHAIN = tuples("data_connection:d#project@project:shop", "project:shop#organization@organization:acme")
GRANT = tuple_of("project:shop#viewer@group:readers#member")
SUBJECTS = ("user:ann", "group:readers#member")
CONDITIONAL = """model
  schema 1.1
type user
type document
  relations
    define viewer: [user with open]
condition open(hour: int) { hour < 20 }
"""


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


async def test_every_way_of_writing_makes_the_revision_new(two: tuple[Database, Database]) -> None:
    opened, other = two
    await opened.write(lambda connection: write_tuples(connection, "acme", [*CHAIN, GRANT]))
    revisions = Revisions(other)
    seen = [await revisions.of("acme")]

    async def renewed(statement: str) -> bool:
        await opened.write(lambda connection: connection.exec_driver_sql(statement).close())
        seen.append(await revisions.of("acme"))
        return seen[-1] not in seen[:-1]

    columns = [column.name for column in relation_tuples.columns]

    def copy(how: str, user: str) -> str:
        values = [f"'{user}'" if user and name == "user_id" else name for name in columns]
        chosen = f"select {', '.join(values)} from relation_tuples where user_id = 'readers'"
        return f"{how} into relation_tuples ({', '.join(columns)}) {chosen}"

    assert await renewed(copy("insert", "writers"))
    if opened.dialect == "sqlite":
        assert await renewed(copy("insert or ignore", "others"))
        assert await renewed(copy("insert or replace", ""))
        assert await renewed("update or replace relation_tuples set relation = 'editor' where user_id = 'others'")
    await opened.write(
        lambda connection: write_tuples(connection, "acme", tuples("file:f#project@project:shop"), lenient=True)
    )
    assert await revisions.of("acme") not in seen
    assert await renewed("update relation_tuples set store = 'globex' where user_id = 'writers'")
    assert await revisions.of("globex")
    assert await renewed("delete from relation_tuples where user_id = 'readers'")
    assert await renewed("delete from relation_tuples" if opened.dialect == "sqlite" else "truncate relation_tuples")


async def test_no_decision_counts_for_another_organization(two: tuple[Database, Database]) -> None:
    engine, _ = (remembering(platform_model(), opened) for opened in two)
    await engine.write("acme", [*CHAIN, GRANT])
    await engine.write("globex", CHAIN)
    for _ in range(2):
        for store, answer in (("acme", True), ("globex", False), ("nowhere", False)):
            assert await engine.allowed(store, SUBJECTS, "can_read", "data_connection:d") is answer
            asked = [CheckRequest(SUBJECTS[1], "can_read", "data_connection:d")]
            assert await engine.batch_check(store, asked) == [answer]


async def test_what_is_not_committed_counts_for_nobody_and_what_is_undone_never_did(
    two: tuple[Database, Database],
) -> None:
    opened, _ = two
    engine = remembering(platform_model(), opened)
    await engine.write("acme", CHAIN)
    answers: list[bool] = []

    async def ask() -> None:
        answers.append(await engine.allowed("acme", SUBJECTS, "can_read", "data_connection:d"))

    async def undone() -> None:
        await ask()
        raise LookupError

    for before_commit in (undone, ask):
        try:
            await opened.write(
                lambda connection: write_tuples(connection, "acme", [GRANT]), before_commit=before_commit
            )
        except LookupError:
            await ask()
    await ask()
    assert answers == [False, False, False, True]


async def test_a_change_while_a_decision_is_made_leaves_nothing_to_remember(two: tuple[Database, Database]) -> None:
    opened, other = two

    class Overtaken(StoredTuples):
        async def around(self, *given: Any) -> Any:
            found = await super().around(*given)
            await other.write(lambda connection: write_tuples(connection, "acme", deletes=[GRANT], lenient=True))
            return found

    engine = LocalRelations(platform_model(), Overtaken(opened), Remembered(Revisions(opened)))
    await engine.write("acme", [*CHAIN, GRANT])
    assert await engine.allowed("acme", SUBJECTS, "can_read", "data_connection:d")  # as it was when it was read
    for _ in range(2):
        assert not await engine.allowed("acme", SUBJECTS, "can_read", "data_connection:d")


async def test_tuples_of_one_question_are_neither_remembered_nor_answered_from_memory(
    two: tuple[Database, Database],
) -> None:
    engine = remembering(platform_model(), two[0])
    await engine.write("acme", CHAIN)
    asked = [CheckRequest(SUBJECTS[1], "can_read", "data_connection:d")]
    for _ in range(2):
        assert await engine.batch_check("acme", asked) == [False]
        assert await engine.batch_check("acme", asked, contextual=[GRANT]) == [True]


async def test_what_could_not_be_decided_is_decided_anew(two: tuple[Database, Database]) -> None:
    engine = remembering(Model.parse(CONDITIONAL), two[0])
    await engine.write("acme", [RelationTuple("user:ann", "viewer", "document:d", "open", None)])
    asked = CheckRequest("user:ann", "viewer", "document:d")
    for _ in range(2):
        assert await engine.batch_check("acme", [asked]) == [False]
        assert not await engine.allowed("acme", ["user:ann"], "viewer", "document:d")
        assert await engine.batch_check("acme", [asked], context={"hour": 12}) == [True]
        assert await engine.batch_check("acme", [asked], context={"hour": 23}) == [False]
    assert not engine._remembered or not engine._remembered._held


async def test_nothing_is_remembered_where_nothing_tells_of_a_change() -> None:
    class Silent:
        told = ""

        async def of(self, store: str) -> str:
            return self.told

        async def since(self, store: str, revision: str) -> tuple[str, None]:
            return self.told, None

    silent = Silent()
    memory, question = Remembered(silent), (SUBJECTS, "can_read", "data_connection:d")
    rests = {question: {"data_connection:d"}}
    await memory.keep("acme", "", {question: True}, rests, ())
    assert memory.at("acme", "") == {}
    silent.told = "a"
    await memory.keep("acme", "a", {question: True}, rests, ())
    assert memory.at("acme", "a") == {question: True}
    assert memory.at("acme", "b") == memory.at("globex", "a") == {}


async def test_memory_is_bounded_whatever_callers_are_made_of() -> None:
    class Still:
        async def of(self, store: str) -> str:
            return "a"

        async def since(self, store: str, revision: str) -> tuple[str, None]:
            return "a", None

    memory = Remembered(Still(), most_bytes=1_000_000)
    groups = tuple(f"group:{'g' * 100}{at}#member" for at in range(500))
    most = 0
    for at in range(60):
        store = f"store{at % 3}"
        question = ((f"user:{at}", *groups), "can_read", "file:f")
        await memory.keep(store, "a", {question: True}, {question: {"file:f", "project:p"}}, ())
        most = max(most, sum(len(held.decisions) for held in memory._held.values()))
        assert memory._bytes == sum(held.bytes for held in memory._held.values()) <= 1_000_000
    assert 5 <= most <= 20


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
    for line, reads in (
        ("file:f#project@project:shop", 2),  # on nothing that leads to the connection
        ("project:shop#viewer@user:bob", 2),  # on the way there, but somebody else's
        ("project:shop#viewer@user:ann", 3),
        ("group:readers#member@user:cid", 3),
        ("project:shop#operator@group:writers#member", 4),  # whoever is in it
    ):
        await other.write(lambda connection, line=line: write_tuples(connection, "acme", tuples(line)))
        assert await engine.allowed("acme", SUBJECTS, "can_read", "data_connection:d")
        assert Counting.reads == reads


async def test_tuples_that_are_put_back_have_the_revision_of_then(two: tuple[Database, Database]) -> None:
    opened, _ = two
    revisions = Revisions(opened)
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
        engine, revisions = remembering(platform_model(), opened), Revisions(opened)
        await engine.write("acme", CHAIN)
        first = await revisions.of("acme")
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
        between, beside = await revisions.since("acme", first)
        assert beside == {("file:f", "project:shop")}
        goes_on.set()
        await grant
        assert await engine.allowed("acme", SUBJECTS, "can_read", "data_connection:d")
        granted = {("project:shop", "group:readers")}  # by whichever of two tokens
        assert (await revisions.since("acme", between))[1] == granted
        last, both = await revisions.since("acme", first)
        assert both == granted | beside
        assert await revisions.since("acme", last) == (last, set())


async def test_a_server_that_hung_up_is_asked_again(postgres_url: str) -> None:  # noqa: F811
    async with database(postgres_url) as opened:
        revisions = Revisions(opened)
        await opened.write(lambda connection: write_tuples(connection, "acme", CHAIN))
        first = await revisions.of("acme")
        others = "pid <> pg_backend_pid() and datname = current_database()"
        ended = f"select pg_terminate_backend(pid) from pg_stat_activity where {others}"
        await opened.read(lambda connection: connection.exec_driver_sql(ended).all())
        assert await asyncio.gather(*(revisions.of("acme") for _ in range(3))) == [first] * 3


async def test_a_look_that_nobody_waits_for_ends_with_the_process(postgres_url: str) -> None:  # noqa: F811
    async with database(postgres_url) as opened:
        revisions = Revisions(opened)
        waits = asyncio.create_task(revisions.of("acme"))
        await asyncio.sleep(0)
        await revisions.close()
        assert revisions._looking is None
        with pytest.raises(asyncio.CancelledError):
            await waits
        assert await revisions.of("acme") == ""
        await revisions.close()


async def test_one_look_serves_what_a_request_asks_as_it_arrives_and_nothing_later(
    two: tuple[Database, Database],
) -> None:
    class Looking(Revisions):
        looks = 0

        async def of(self, store: str) -> str:
            self.looks += 1
            return await super().of(store)

    writer = remembering(platform_model(), two[0])
    looking = Looking(two[1])
    engine = LocalRelations(platform_model(), StoredTuples(two[1]), Remembered(looking))
    caller = Caller("ann", "acme", groups=("readers",))
    asked = [(Permission.CAN_READ, "project", "shop"), (Permission.CAN_READ, "data_connection", "d")]
    await writer.write("acme", [*CHAIN, GRANT])
    for guard, looks in ((Guard(engine), 2), (Guard(engine, at_once=True), 1)):
        for _ in range(2):  # what is decided anew takes a look more to be kept
            looking.looks, fresh = 0, guard.fresh() if looks == 2 else Guard(engine, at_once=True)
            assert [await fresh.allows(caller, *one) for one in asked] == [True, True]
        assert looking.looks == looks
    for begins in (Guard.admitted, Guard.forget):
        guard = Guard(engine, at_once=True)
        assert await guard.allows(caller, *asked[0])
        begins(guard)
        await writer.write("acme", [], [GRANT])
        assert not await guard.allows(caller, *asked[1])
        await writer.write("acme", [GRANT])
        assert await Guard(engine, at_once=True).allows(caller, *asked[1])
    await looking.close()


async def test_what_has_changed_since_is_told_as_far_as_it_is_known(two: tuple[Database, Database]) -> None:
    opened, other = two
    revisions = Revisions(other)

    async def written(*lines: str, gone: str = "") -> str:
        await opened.write(
            lambda connection: write_tuples(connection, "acme", tuples(*lines), tuples(gone) if gone else ())
        )
        return await revisions.of("acme")

    first = await written("project:shop#viewer@user:ann")
    second = await written("project:lab#viewer@group:readers#member")
    third = await written("file:f#project@project:shop", gone="project:shop#viewer@user:ann")
    new, gone = {("file:f", "project:shop")}, {("project:shop", "user:ann")}
    assert await revisions.since("acme", third) == (third, set())
    assert await revisions.since("acme", second) == (third, new | gone)
    assert await revisions.since("acme", first) == (third, new | gone | {("project:lab", "group:readers")})
    for unknown in ("", "elsewhere", f"{first} elsewhere"):
        assert await revisions.since("acme", unknown) == (third, None)
    assert await revisions.since("nowhere", first) == ("", None)

    many = [f"file:f{number}#project@project:shop" for number in range(300)]
    fourth = await written(*many)  # more than are told
    assert await revisions.since("acme", third) == (fourth, None)
    assert await revisions.since("acme", fourth) == (fourth, set())
    steps = "select count(*) from relation_changes"
    assert (await opened.read(lambda connection: connection.exec_driver_sql(steps).scalar_one())) <= 256

    for statement in ("update relation_revisions set token = 'handmade'", "delete from relation_changes"):
        await opened.write(lambda connection, text=statement: connection.exec_driver_sql(text).close())
        assert (await revisions.since("acme", fourth))[1] is None
    await opened.write(lambda connection: write_tuples(connection, "acme", tuples("file:g#project@project:shop")))
    assert (await revisions.since("acme", "handmade"))[1] == {("file:g", "project:shop")}


@pytest.mark.parametrize("seed", range(4))
async def test_what_is_remembered_is_what_is_decided_anew_after_each_of_many_changes(
    two: tuple[Database, Database], seed: int
) -> None:
    dice = random.Random(seed)
    writer, keeping = LocalRelations(platform_model(), StoredTuples(two[0])), remembering(platform_model(), two[1])
    users, groups = ["user:ann", "user:bob"], ["group:g#member", "group:h#member"]
    projects, connections = ["project:p", "project:q"], ["data_connection:c", "data_connection:d"]
    possible = [f"{one}#{role}@{who}" for one in projects for role in ("viewer", "owner") for who in users + groups]
    possible += [f"{one}#project@{project}" for one in connections for project in projects]
    possible += [f"{one}#viewer@{who}" for one in connections for who in users + groups]
    possible += [f"{group.removesuffix('#member')}#member@{user}" for group in groups for user in users]
    possible += [f"{one}#organization@organization:acme" for one in projects]
    possible += [f"organization:acme#{role}@{who}" for role in ("owner", "member") for who in users + groups]
    asked = [
        ((user, *some), permission, on)
        for user in users
        for some in ((), ("group:h#member",))
        for permission in ("can_read", "can_write")
        for on in projects + connections
    ]
    standing: set[str] = set(dice.sample(possible, 8))
    await writer.write("acme", tuples(*sorted(standing)))
    for _ in range(12):
        answers = await asyncio.gather(*(keeping.allowed("acme", *question) for question in asked))
        assert answers == [await writer.allowed("acme", *question) for question in asked]
        turned = set(dice.sample(possible, dice.choice((1, 1, 2))))
        await writer.write("acme", tuples(*sorted(turned - standing)), tuples(*sorted(turned & standing)))
        standing ^= turned
    assert keeping._remembered
    assert keeping._remembered._held["acme"].decisions


async def test_a_decision_that_a_change_overtakes_is_kept_where_it_does_not_rest_on_it(
    two: tuple[Database, Database],
) -> None:
    opened, other = two

    class Overtaken(Counting):
        async def around(self, *given: Any) -> Any:
            found = await super().around(*given)
            line = tuples(f"file:f{self.reads}#project@project:shop")
            await other.write(lambda connection: write_tuples(connection, "acme", line))
            return found

    engine = LocalRelations(platform_model(), Overtaken(opened), Remembered(Revisions(opened)))
    await engine.write("acme", [*CHAIN, GRANT])
    Overtaken.reads = 0
    for _ in range(3):
        assert await engine.allowed("acme", SUBJECTS, "can_read", "data_connection:d")
    assert Overtaken.reads == 1
