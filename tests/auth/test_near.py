"""Of many objects, only those are asked about that could be the caller's; the answers are what they were."""

import random
from collections.abc import AsyncIterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from auth.caller import Caller
from auth.guard import MANY, Guard
from auth.local import LocalRelations
from auth.model import Model, platform_model
from auth.relations import CheckRequest, RelationTuple, object_name
from auth.remembered import Held, Remembered
from persistence.engine import Database
from persistence.revisions import Revisions
from persistence.tuples import StoredTuples
from schema.governance.permission import Permission
from tests.auth.cases.engines import database, remembering, tuples
from tests.support.postgres import postgres_server, postgres_url

__all__ = ["postgres_server", "postgres_url"]

pytestmark = [pytest.mark.anyio, pytest.mark.timeout(300)]

PROJECTS = [f"p{number}" for number in range(2 * MANY)]


@pytest.fixture(params=["sqlite", "postgresql"])
async def store(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Database]:
    """An empty database of either kind."""
    postgres = request.param == "postgresql"
    url = request.getfixturevalue("postgres_url") if postgres else f"sqlite:///{tmp_path / 'tuples.sqlite'}"
    async with database(url) as opened:
        yield opened


class Counting(LocalRelations):
    """The engine in this process, which counts what it is asked."""

    asked = 0

    async def batch_check(self, store: str, questions: Sequence[CheckRequest], **more: Any) -> list[bool]:
        """See `Relations.batch_check`."""
        self.asked += len(questions)
        return await super().batch_check(store, questions, **more)


def _granted(dice: random.Random) -> list[str]:
    """Relations of every kind that leads to a project: own, of a group that is told or stored, of an organization."""
    made = {f"project:{id}#organization@organization:acme" for id in PROJECTS if dice.random() < 0.8}
    roles, users = ("owner", "admin", "developer", "operator", "viewer", "service_worker"), ("ann", "bob", "cid", "dan")
    groups = ("g0", "g1", "g2")
    for _ in range(60):
        project, role = dice.choice(PROJECTS), dice.choice(roles)
        who = dice.choice([f"user:{dice.choice(users)}", f"group:{dice.choice(groups)}#member"])
        made.add(f"project:{project}#{role}@{who}")
    made |= {"group:g1#member@user:bob", "group:g2#member@user:cid"}
    made |= {"organization:acme#member@user:dan", "organization:acme#admin@group:g2#member"}
    return sorted(made)


SEEDS = pytest.mark.parametrize("seed", [0, *(pytest.param(seed, marks=pytest.mark.long) for seed in range(1, 4))])


@SEEDS
async def test_the_answers_for_many_are_those_for_each(store: Database, seed: int) -> None:
    engine = LocalRelations(platform_model(), StoredTuples(store))
    await engine.write("acme", tuples(*_granted(random.Random(seed))))
    callers = [Caller(user, "acme", groups=groups) for user in ("ann", "bob", "cid", "dan", "eve") for groups in GROUPS]
    for caller in [*callers, callers[-1].limited(callers[0]), callers[0].limited(callers[-1])]:
        for permission in (Permission.CAN_READ, Permission.CAN_DELETE):
            many = await Guard(engine).allows_many(caller, permission, "project", PROJECTS)
            guard = Guard(engine)
            few: dict[str, bool] = {}
            for start in range(0, len(PROJECTS), MANY):
                few |= await guard.allows_many(caller, permission, "project", PROJECTS[start : start + MANY])
            assert many == few, (caller, permission)
            assert set(many) == set(PROJECTS)


GROUPS: tuple[tuple[str, ...], ...] = ((), ("g0",), ("g0", "g1", "unknown"))


async def test_what_nothing_joins_to_the_caller_is_not_asked_about(store: Database) -> None:
    engine = Counting(platform_model(), StoredTuples(store))
    granted = [f"project:{id}#organization@organization:acme" for id in PROJECTS]
    await engine.write("acme", tuples(*granted, *(f"project:p{number}#viewer@user:ann" for number in range(3))))
    found = await Guard(engine).allows_many(Caller("ann", "acme"), Permission.CAN_READ, "project", PROJECTS)
    assert [id for id, yes in found.items() if yes] == ["p0", "p1", "p2"]
    assert engine.asked == 3


async def test_a_grant_and_its_end_count_at_the_next_request(store: Database) -> None:
    engine = LocalRelations(platform_model(), StoredTuples(store))
    grant, caller = tuples("project:p7#viewer@group:g0#member"), Caller("ann", "acme", groups=("g0",))
    for _ in range(3):
        await engine.write("acme", grant)
        found = await Guard(engine).allows_many(caller, Permission.CAN_READ, "project", PROJECTS)
        assert [id for id, yes in found.items() if yes] == ["p7"]
        await engine.write("acme", deletes=grant)
        assert not any((await Guard(engine).allows_many(caller, Permission.CAN_READ, "project", PROJECTS)).values())


async def test_another_organization_is_never_near(store: Database) -> None:
    engine = LocalRelations(platform_model(), StoredTuples(store))
    await engine.write("other", tuples("project:p7#viewer@user:ann", "project:p9#viewer@user:ann"))
    assert await engine.near("acme", ["user:ann"], "project") == set()
    assert await engine.near("other", ["user:ann"], "project") == {object_name("project", id) for id in ("p7", "p9")}


@SEEDS
async def test_the_list_of_all_is_what_asking_about_each_finds(store: Database, seed: int) -> None:
    """Also after each of many changes, and when asked again; by an engine that remembers and by one that does not."""
    dice = random.Random(seed)
    plain, keeping = LocalRelations(platform_model(), StoredTuples(store)), remembering(platform_model(), store)
    standing = set(_granted(dice))
    await plain.write("acme", tuples(*sorted(standing)))
    callers = [Caller(user, "acme", groups=groups) for user in ("ann", "cid", "dan") for groups in GROUPS]
    callers += [callers[-1].limited(callers[0]), callers[0].limited(callers[-1])]
    for _ in range(6):
        for caller in callers:
            asked = await Guard(plain).allows_many(caller, Permission.CAN_READ, "project", PROJECTS)
            expected = sorted(id for id, yes in asked.items() if yes)
            for engine in (plain, keeping, keeping):
                assert sorted(await Guard(engine).every(caller, Permission.CAN_READ, "project") or []) == expected
        gone = set(dice.sample(sorted(standing), 5))
        come = set(dice.sample(_granted(dice), 3)) - standing
        await plain.write("acme", tuples(*sorted(come)), tuples(*sorted(gone)))
        standing = standing - gone | come


class Walks(StoredTuples):
    """The stored tuples, which count how often those of a list are read."""

    walks = 0

    async def towards(self, *given: Any) -> Any:
        """See `TupleSource.towards`."""
        self.walks += 1
        return await super().towards(*given)


async def test_a_list_stands_while_nothing_changes_and_is_read_again_after(
    store: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = Walks(store)
    engine, caller = LocalRelations(platform_model(), source, Remembered(Revisions(store))), Caller("ann", "acme")
    await engine.write("acme", tuples("project:p7#viewer@user:ann", "project:p8#viewer@user:bob"))

    async def held() -> list[str] | None:
        return await Guard(engine).every(caller, Permission.CAN_READ, "project")

    assert [await held(), await held(), source.walks] == [["p7"], ["p7"], 1]
    # A change that concerns nobody here, though it is on the same project: not even read.
    await engine.write("acme", tuples("project:p7#owner@user:bob", "project:p7#organization@organization:acme"))
    assert [await held(), await held(), source.walks] == [["p7"], ["p7"], 1]
    # Where it is not known what has changed: read, and not decided anew.
    await store.write(lambda connection: connection.exec_driver_sql("delete from relation_changes").close())
    await engine.write("acme", tuples("project:p9#owner@user:bob"))
    await store.write(lambda connection: connection.exec_driver_sql("delete from relation_changes").close())
    with monkeypatch.context() as patch:
        patch.setattr(LocalRelations, "_among", None)
        assert [await held(), await held(), source.walks] == [["p7"], ["p7"], 2]
    for write, wanted in (("project:p8#viewer@user:ann", ["p7", "p8"]), (None, ["p8"])):
        await engine.write(
            "acme", tuples(write) if write else (), () if write else tuples("project:p7#viewer@user:ann")
        )
        assert await held() == wanted


async def test_a_list_that_was_overtaken_by_a_change_is_not_given_again(store: Database) -> None:
    class Overtaken(Walks):
        """Relations change right after they were read."""

        async def towards(self, *given: Any) -> Any:
            """See `TupleSource.towards`."""
            found = await super().towards(*given)
            await engine.write("acme", tuples(f"project:p{self.walks}#viewer@user:ann"))
            return found

    engine = LocalRelations(platform_model(), source := Overtaken(store), Remembered(Revisions(store)))
    for walk in range(3):
        found = await Guard(engine).every(Caller("ann", "acme"), Permission.CAN_READ, "project")
        assert found == [f"p{number}" for number in range(1, walk + 1)]
        assert source.walks == walk + 1


async def test_what_hangs_from_what_is_listed_is_not_read(store: Database) -> None:
    engine, source = LocalRelations(platform_model(), StoredTuples(store)), StoredTuples(store)
    under = [f"data_connection:d{number}#project@project:p7" for number in range(50)]
    beside = [f"project:p7#{role}@user:{user}" for role in ("owner", "viewer") for user in ("bob", "cid")]
    wanted = ["group:g#member@user:ann", "project:p7#viewer@group:g#member", "project:p8#owner@user:ann"]
    await engine.write("acme", tuples(*under, *beside, *wanted))
    _, found = await source.towards("acme", ["user:ann"], "project", platform_model().leading_to("project"))
    assert sorted(f"{one.object}#{one.relation}@{one.user}" for one in found) == wanted
    assert await engine.list_objects("acme", "user:ann", "can_read", "project") == ["project:p7", "project:p8"]
    assert len(await engine.list_objects("acme", "user:ann", "can_read", "data_connection")) == len(under)


HIDING = """
model
  schema 1.1
type user
type group
  relations
    define member: [user]
type document
  relations
    define viewer: [user]
    define hidden: [group#member with at_night]
    define can_read: viewer but not hidden
condition at_night(hour: int) {
  hour > 20
}
"""


async def test_a_list_leaves_out_what_a_check_cannot_decide(store: Database) -> None:
    """A `but not` that lacks what it needs is no yes, even where nothing joins its group to the user."""
    engine = remembering(Model.parse(HIDING), store)
    hidden = RelationTuple("group:g#member", "hidden", "document:a", "at_night")
    await engine.write("acme", [*tuples("document:a#viewer@user:ann", "document:b#viewer@user:ann"), hidden])
    questions = [CheckRequest("user:ann", "can_read", f"document:{name}") for name in "ab"]
    assert await engine.batch_check("acme", questions) == [False, True]
    assert await engine.held("acme", ["user:ann"], "can_read", "document") == ("document:b",)
    assert await engine.list_objects("acme", "user:ann", "can_read", "document") == ["document:b"]


class Silent:
    """Tells nothing of relations."""

    async def of(self, store: str) -> str:
        """See `Revisions.of`."""
        return ""

    async def since(self, store: str, revision: str) -> tuple[str, None]:
        """See `Revisions.since`."""
        return "", None


async def test_lists_are_dropped_when_they_take_too_much() -> None:
    remembered = Remembered(Silent(), most_bytes=20_000)
    for number in range(40):
        question = ((f"user:u{number}",), "can_read", "project")
        remembered.keep_held("acme", question, Held("first", b"", ("project:p1",), frozenset()))
    kept = [number for number in range(40) if remembered.held("acme", ((f"user:u{number}",), "can_read", "project"))]
    assert 0 < len(kept) < 12
    assert kept[-1] == 39
    assert (
        await Guard(LocalRelations(platform_model(), _NoTuples())).every(
            Caller("ann", "acme"), Permission.CAN_READ, "project"
        )
        == []
    )


class _NoTuples(StoredTuples):
    """A store in which nothing stands."""

    def __init__(self) -> None:
        pass

    async def towards(self, *_: Any) -> Any:
        """See `TupleSource.towards`."""
        return "", []
