"""The audit log: who did what to what, how, allowed or refused, in a chain that shows what is missing."""

import asyncio
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
import sqlalchemy as sa

from persistence.queries.audit import AuditRepository
from persistence.tables.audit import audit_entries, audit_heads
from resolvers.governance.audit import list_audit_entries
from resolvers.governance.audit_chain import KnownEnd, verified
from resolvers.governance.permissions import grant_permission, revoke_permission
from resolvers.governance.projects import create_project, get_project
from resolvers.governance.roles import list_role_holders
from resolvers.governance.secrets import create_project_secret, get_project_secret, list_project_secrets
from resolvers.utils.context_packs import create_context_pack
from schema.errors import UpstreamUnavailable
from schema.governance.audit import FIRST_HASH, AuditEntry
from schema.governance.permission import Grant
from tests.doors import Door
from tests.world import ORG, World

pytestmark = pytest.mark.anyio

DOORS = {"rest": "rest", "graphql": "graph"}


@pytest.fixture
def since(world: World) -> str:
    """Where the test begins; what made its organizations stands in their logs as well."""
    return world.clock().isoformat()


async def log_of(world: World, door: Door, since: str | None = None, **filters: Any) -> list[dict[str, Any]]:
    """The audit log, the first entries first."""
    given = filters if since is None else filters | {"since": since}
    answer = await door(list_audit_entries, world.owner, limit=100, **given)
    items: list[dict[str, Any]] = answer["items"]
    assert answer["total"] == len(items)
    return items[::-1]


async def test_what_is_done_and_what_is_refused_stands_in_one_chain(world: World, door: Door) -> None:
    viewer = await world.member("viewer")
    grant = {"resource_type": "project", "resource_id": world.lab, "user_or_group": "zoe", "relation": "viewer"}
    before = len(await log_of(world, door))
    await door(grant_permission, world.owner, grant=Grant.model_validate(grant))
    assert await door(grant_permission, viewer, grant=Grant.model_validate(grant)) == "FORBIDDEN"
    assert await door(grant_permission, world.owner, grant=Grant.model_validate(grant)) == "RESOURCE_ALREADY_EXISTS"
    found = await log_of(world, door)
    done, refused = found[before:]
    assert (done["user_id"], done["operation"], done["outcome"]) == ("olga", "grant_permission", "allowed")
    assert (done["door"], done["object_type"], done["object_id"]) == (DOORS[door.name], "project", world.lab)
    assert done["arguments"] == grant | {"is_group": False}, "made of names alone, so they are kept"
    assert (refused["outcome"], refused["error_code"]) == ("refused", "FORBIDDEN")
    assert refused["user_id"] != "olga"
    whole = [AuditEntry.model_validate(one) for one in found]
    assert [one.sequence for one in whole] == list(range(1, len(whole) + 1))
    assert [one.previous_hash for one in whole] == [FIRST_HASH, *(one.hash for one in whole[:-1])]
    assert all(one.hash == one.expected_hash() for one in whole)


async def test_a_refusal_that_is_repeated_is_written_once_a_minute(world: World, door: Door, since: str) -> None:
    viewer = await world.member("viewer")
    for _ in range(3):
        assert await door(create_project_secret, viewer, secret={"name": "A", "value": "x"}) == "FORBIDDEN"
    assert len(await log_of(world, door, since, outcome="refused")) == 1
    world.clock.moment += timedelta(seconds=61)
    viewer = await world.member("viewer")
    assert await door(create_project_secret, viewer, secret={"name": "A", "value": "x"}) == "FORBIDDEN"
    assert len(await log_of(world, door, since, outcome="refused")) == 2


async def test_no_value_is_kept_and_who_was_told_a_secret_is(world: World, door: Door, since: str) -> None:
    await door(create_project_secret, world.owner, secret={"name": "SAP", "value": "hunter2", "description": "d"})
    await door(get_project_secret, world.owner, name="SAP")
    await door(list_project_secrets, world.owner)
    await door(get_project, world.owner, project_id=world.shop)
    made, told = await log_of(world, door, since)
    assert (made["operation"], made["result_id"], made["changed_fields"]) == (
        "create_project_secret",
        "SAP",
        ["description", "name", "value"],
    )
    assert (told["operation"], told["arguments"]) == ("get_project_secret", {"name": "SAP"})
    store = world.app.parts.services.store
    rows = await store.read(lambda uow: uow.connection.execute(sa.select(audit_entries)).all())
    assert "hunter2" not in str(rows)


async def test_a_call_that_fails_leaves_no_entry_and_a_repeated_one_one(world: World, door: Door, since: str) -> None:
    pack = {"name": "sales", "pack_type": "domain", "description": "d", "meta_data": {"a": 1}}
    for _ in range(2):
        await door(create_context_pack, world.owner, {"Idempotency-Key": "once"}, pack=pack)
    assert await door(create_context_pack, world.owner, pack=pack) == "RESOURCE_ALREADY_EXISTS"
    (entry,) = await log_of(world, door, since)
    assert (entry["operation"], entry["changed_fields"]) == ("create_context_pack", sorted(pack))
    assert entry["result_id"]


async def test_filters_narrow_and_others_see_nothing(world: World, door: Door, since: str) -> None:
    project = await door(create_project, world.owner, project={"name": "Kitchen"})
    grant = {"resource_type": "project", "resource_id": world.lab, "user_or_group": "zoe", "relation": "viewer"}
    await door(grant_permission, world.owner, grant=grant)
    await door(revoke_permission, world.owner, grant=grant)
    assert [one["result_id"] for one in await log_of(world, door, since, operation="create_project")] == [project["id"]]
    assert len(await log_of(world, door, since, object_id=world.lab)) == 2
    assert len(await log_of(world, door, since, user_id="olga", outcome="allowed")) == 3
    assert await log_of(world, door, since, user_id="zoe") == []
    assert await log_of(world, door, until=world.clock() - timedelta(days=1)) == []
    other = await door(list_audit_entries, world.foreign_owner, since=since)
    assert other["total"] == 0, "another organization has a log of its own"
    assert await door(list_audit_entries, await world.member("viewer")) == "ORG_ACCESS_DENIED"


async def test_many_at_once_make_one_chain_without_a_gap(world: World) -> None:
    store = world.app.parts.services.store
    entry = {"project_id": None, "occurred_at": world.clock(), "user_id": "u", "client_id": None, "door": "rest"}
    entry |= {"operation": "o", "outcome": "allowed", "error_code": None, "object_type": None, "object_id": None}
    entry |= {"result_id": None, "arguments": {"b": 1, "a": "é\u2028"}, "changed_fields": [], "request_id": "r"}

    async def add(id: int) -> None:
        await store.write(lambda uow: uow.audit.append("crowd", {**entry, "id": f"{id:036d}"}))

    await asyncio.gather(*map(add, range(20)))
    chain = await store.read(lambda uow: uow.audit.after("crowd", 0, 100))
    assert [one.sequence for one in chain] == list(range(1, 21))
    assert all(one.hash == one.expected_hash() for one in chain)
    assert await store.read(lambda uow: uow.audit.end("crowd")) == (20, chain[-1].hash)


ENTRIES, HEADS = audit_entries, audit_heads
BREAKS = {
    "entry {before} was changed, or the one before it": lambda last: (
        ENTRIES.update().where(ENTRIES.c.sequence == last - 1).values(user_id="nobody")
    ),
    "entry {before} is missing": lambda last: ENTRIES.delete().where(ENTRIES.c.sequence == last - 1),
    "1 at its end is missing": lambda last: ENTRIES.delete().where(ENTRIES.c.sequence == last),
    "nothing says where the log ends": lambda last: HEADS.delete(),
}


@pytest.mark.parametrize(("says", "broken"), BREAKS.items())
async def test_what_was_changed_or_removed_shows(world: World, says: str, broken: Callable[[int], Any]) -> None:
    store = world.app.parts.services.store
    for name in ("a", "b", "c"):
        answer = await world.request(
            "POST", "/utils/context-packs", token=world.owner, json={"name": name, "pack_type": "domain"}
        )
        assert answer.status_code == 201
    whole = await verified(store, ORG)
    assert whole.broken is None
    last = whole.entries
    assert (await verified(store, ORG, KnownEnd(last, whole.last_hash))).broken is None
    another = await verified(store, ORG, KnownEnd(last, "1" * 64))
    assert another.broken == f"entry {last} is another than the one that was noted"
    await store.write(lambda uow: uow.connection.execute(broken(last)))
    assert (await verified(store, ORG)).broken == says.format(last=last, before=last - 1)


async def test_nothing_is_changed_that_cannot_be_written_down(
    world: World, door: Door, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = await door(list_role_holders, world.owner, resource_type="project", resource_id=world.lab)

    def full(*_: object) -> None:
        raise UpstreamUnavailable("the store is full")

    monkeypatch.setattr(AuditRepository, "append", full)
    grant = {"resource_type": "project", "resource_id": world.lab, "user_or_group": "zoe", "relation": "viewer"}
    assert await door(grant_permission, world.owner, grant=grant) == "UPSTREAM_UNAVAILABLE"
    pack = {"name": "sales", "pack_type": "domain"}
    assert await door(create_context_pack, world.owner, pack=pack) == "UPSTREAM_UNAVAILABLE"
    monkeypatch.undo()
    assert await door(list_role_holders, world.owner, resource_type="project", resource_id=world.lab) == before
    assert await door(create_context_pack, world.owner, pack=pack) != "RESOURCE_ALREADY_EXISTS"
