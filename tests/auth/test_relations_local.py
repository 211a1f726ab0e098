"""What only the in-process engine promises: few statements, honest cycles, refusal in doubt, and one transaction."""

import sys
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa

from auth.evaluator import MAX_STEPS, Evaluator
from auth.local import LocalRelations
from auth.model import Model, platform_model
from auth.relations import CheckRequest, Relations, RelationTuple, Undecided
from persistence.engine import Database
from persistence.tuples import StoredTuples, delete_object_tuples, write_tuples
from schema.errors import AlreadyExists, DatabaseError, NotFound
from tests.auth.cases.engines import database, tuple_of, tuples
from tests.support.postgres import postgres_server, postgres_url  # noqa: F401

pytestmark = pytest.mark.anyio

CHAIN = tuples(
    "data_connection:d#project@project:shop",
    "project:shop#organization@organization:acme",
    "project:shop#viewer@group:readers#member",
)


@pytest.fixture(params=["sqlite", "postgresql"])
async def store(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Database]:
    """An empty database of either kind."""
    postgres = request.param == "postgresql"
    url = request.getfixturevalue("postgres_url") if postgres else f"sqlite:///{tmp_path / 'tuples.sqlite'}"
    async with database(url) as opened:
        yield opened


@contextmanager
def statements(opened: Database) -> Iterator[list[str]]:
    """Collect the statements that run, leaving out the ones that open and close transactions."""
    seen: list[str] = []

    def note(_connection: Any, _cursor: Any, statement: str, *_: Any) -> None:
        if not statement.upper().startswith(("BEGIN", "PRAGMA")):
            seen.append(statement)

    for engine in opened.sync_engines:
        sa.event.listen(engine, "before_cursor_execute", note)
    try:
        yield seen
    finally:
        for engine in opened.sync_engines:
            sa.event.remove(engine, "before_cursor_execute", note)


async def test_twenty_groups_cost_the_statements_of_one(store: Database) -> None:
    engine = LocalRelations(platform_model(), StoredTuples(store))
    await engine.write("acme", CHAIN)
    counts = []
    for number in (1, 20):
        groups = [f"group:g{each}#member" for each in range(number)]
        with statements(store) as seen:
            assert not await engine.allowed("acme", ["user:ann", *groups], "can_read", "data_connection:d")
        counts.append(len(seen))
    assert counts[0] == counts[1] <= 4  # the connection, its project, what that leads to, and the end


async def test_a_hundred_questions_cost_the_statements_of_one(store: Database) -> None:
    engine = LocalRelations(platform_model(), StoredTuples(store))
    files = [f"file:f{number}" for number in range(100)]
    await engine.write("acme", [*CHAIN, *tuples(*(f"{name}#project@project:shop" for name in files))])
    counts = []
    for names in (files[:1], files):
        questions = [CheckRequest("group:readers#member", "can_read", name) for name in names]
        with statements(store) as seen:
            assert await engine.batch_check("acme", questions) == [True] * len(names)
        counts.append(len(seen))
    assert counts[0] == counts[1]


async def test_the_other_users_of_a_large_project_are_not_read(store: Database) -> None:
    source = StoredTuples(store)
    engine = LocalRelations(platform_model(), source)
    crowd = tuples(*(f"project:shop#viewer@user:u{number}" for number in range(2000)))
    await engine.write("acme", [*CHAIN, *crowd])
    read = await source.around("acme", ["data_connection:d"], ["user:u7"], engine.model.node_types)
    assert sorted(map(str, (RelationTuple(i.user, i.relation, i.object) for i in read))) == sorted(
        map(str, [*CHAIN, tuple_of("project:shop#viewer@user:u7")])
    )
    assert await engine.allowed("acme", ["user:u7"], "can_read", "data_connection:d")
    assert len(await engine.list_users("acme", "data_connection:d", "can_read", "user")) == 2000


async def test_a_check_on_sqlite_looks_things_up_by_the_key_and_scans_nothing(tmp_path: Path) -> None:
    async with database(f"sqlite:///{tmp_path / 'plan.sqlite'}") as opened:
        engine = LocalRelations(platform_model(), StoredTuples(opened))
        await engine.write("acme", CHAIN)
        plans: list[str] = []

        def explain(connection: sa.Connection) -> None:
            recorded: list[tuple[str, Any]] = []

            def note(_c: Any, _cursor: Any, statement: str, parameters: Any, *_: Any) -> None:
                recorded.append((statement, parameters))

            sa.event.listen(connection, "before_cursor_execute", note)
            from persistence.tuples import tuples_around

            tuples_around(connection, "acme", ["data_connection:d", "file:f"], ["user:ann"], engine.model.node_types)
            sa.event.remove(connection, "before_cursor_execute", note)
            for statement, parameters in recorded:
                rows = connection.exec_driver_sql(f"explain query plan {statement}", parameters)
                plans.extend(row[-1] for row in rows)

        await opened.read(explain)
        on_tuples = [line for line in plans if "relation_tuples" in line]
        assert on_tuples
        for line in on_tuples:
            assert "store=? AND object_type=? AND object_id=? AND user_type=?" in line


async def test_rows_and_tuples_are_written_in_one_transaction(store: Database) -> None:
    source = StoredTuples(store)

    def fails_after_writing(connection: sa.Connection) -> None:
        write_tuples(connection, "acme", CHAIN)
        raise RuntimeError("the row could not be written")

    with pytest.raises(RuntimeError):
        await store.write(fails_after_writing)
    assert await source.read("acme") == []
    await store.write(lambda connection: write_tuples(connection, "acme", CHAIN))
    with pytest.raises(AlreadyExists):
        await store.write(lambda connection: write_tuples(connection, "acme", CHAIN[:1]))
    with pytest.raises(NotFound):
        await store.write(lambda connection: write_tuples(connection, "other", deletes=CHAIN[:1]))
    assert await store.write(lambda c: delete_object_tuples(c, "acme", "project:shop")) == 3
    assert await source.read("acme") == []


async def test_the_same_tuple_twice_in_one_write_is_refused_unless_lenient(store: Database) -> None:
    engine = LocalRelations(platform_model(), StoredTuples(store))
    with pytest.raises(AlreadyExists):
        await engine.write("acme", [CHAIN[0], tuple_of(str(CHAIN[0]))])
    await engine.write("acme", [CHAIN[0], tuple_of(str(CHAIN[0]))], lenient=True)
    with pytest.raises(ValueError, match="written and deleted"):
        await engine.write("acme", [CHAIN[0]], [CHAIN[0]], lenient=True)


def failing(error: Exception) -> Any:
    """A source of tuples that cannot be read."""

    class Failing:
        def __getattr__(self, name: str) -> Callable[..., Any]:
            async def call(*_: Any, **__: Any) -> Any:
                raise error

            return call

    return Failing()


async def test_a_store_that_fails_is_an_error_and_never_a_yes() -> None:
    engine: Relations = LocalRelations(platform_model(), failing(DatabaseError("The store could not answer.")))
    question = CheckRequest("user:ann", "can_read", "project:shop")
    with pytest.raises(DatabaseError):
        await engine.check("acme", question)
    with pytest.raises(DatabaseError):
        await engine.batch_check("acme", [question])
    with pytest.raises(DatabaseError):
        await engine.allowed("acme", ["user:ann"], "can_read", "project:shop")
    with pytest.raises(DatabaseError):
        await engine.list_objects("acme", "user:ann", "can_read", "project")


CONDITIONAL = """
model
  schema 1.1
type user
type document
  relations
    define blocked: [user with known]
    define granted: [user]
    define viewer: [user with known] or granted
    define reader: granted but not blocked
condition known(x: int) { x < 10 }
"""


async def test_without_the_conditions_package_a_condition_grants_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "celpy", None)
    items = [
        RelationTuple("user:ann", "viewer", "document:1", "known"),
        RelationTuple("user:bob", "blocked", "document:1", "known"),
        *tuples("document:1#granted@user:bob"),
    ]
    evaluator = Evaluator(Model.parse(CONDITIONAL), items, context={"x": 1})
    with pytest.raises(Undecided, match=r"pip install 'stoa-platform\[conditions\]'"):
        evaluator.holds("user:ann", "viewer", "document:1")
    assert evaluator.holds("user:bob", "viewer", "document:1")
    with pytest.raises(Undecided):
        evaluator.holds("user:bob", "reader", "document:1")


def test_a_condition_that_cannot_be_evaluated_never_grants() -> None:
    items = [
        RelationTuple("user:bob", "blocked", "document:1", "known"),
        RelationTuple("user:ann", "viewer", "document:1", "known"),
        *tuples("document:1#granted@user:bob"),
    ]
    for context in ({}, {"x": "many"}, {"x": 1.5}, {"x": True}, {"x": None}, {"y": 1}):
        evaluator = Evaluator(Model.parse(CONDITIONAL), items, context=context)
        for user, relation in (("user:ann", "viewer"), ("user:bob", "reader")):
            with pytest.raises(Undecided):
                evaluator.holds(user, relation, "document:1")
            assert not evaluator.holds_or_no(user, relation, "document:1")


GROUPS = """
model
  schema 1.1
type user
type group
  relations
    define member: [user, group#member]
    define banned: [group#guest]
    define guest: member but not banned
"""


def test_a_tangle_of_groups_is_decided_without_walking_every_path() -> None:
    names = [f"group:g{number}" for number in range(20)]
    tangle = tuples(*(f"{one}#member@{other}#member" for one in names for other in names))
    evaluator = Evaluator(Model.parse(GROUPS), tangle)
    assert not any(evaluator.holds_or_no("user:ann", "member", name) for name in names)
    member = Evaluator(Model.parse(GROUPS), [*tangle, *tuples("group:g19#member@user:ann")])
    assert all(member.holds("user:ann", "member", name) for name in names)
    assert MAX_STEPS > 0


def test_a_no_found_inside_a_cycle_does_not_outlive_its_assumption() -> None:
    # While a is open, b -> a is "no"; c then makes a hold, so b must hold too when it is asked again.
    items = tuples(
        "group:a#member@group:b#member",
        "group:b#member@group:a#member",
        "group:a#member@group:c#member",
        "group:c#member@user:ann",
    )
    evaluator = Evaluator(Model.parse(GROUPS), items)
    assert evaluator.holds("user:ann", "member", "group:a")
    assert evaluator.holds("user:ann", "member", "group:b")
    assert not evaluator.holds("user:bob", "member", "group:b")


def test_an_exclusion_that_comes_back_to_itself_fails_closed() -> None:
    items = tuples("group:a#member@user:ann", "group:a#banned@group:a#guest")
    assert not Evaluator(Model.parse(GROUPS), items).holds_or_no("user:ann", "guest", "group:a")


def test_tuples_that_the_model_no_longer_accepts_count_for_nothing() -> None:
    items = tuples("project:shop#can_read@user:ann", "project:shop#viewer@user:*", "project:shop#gone@user:ann")
    assert not Evaluator(platform_model(), items).holds("user:ann", "can_read", "project:shop")
