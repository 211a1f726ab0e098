"""`Idempotency-Key`: a write is done once under its key, through either door and across both."""

import asyncio
from datetime import timedelta
from typing import Any

import pytest
import sqlalchemy as sa

from persistence.store import Store, UnitOfWork
from persistence.tables.idempotency import idempotency_keys as table
from resolvers.data_readiness.workflows import create_workflow_configuration
from resolvers.governance.projects import create_project, list_projects
from resolvers.governance.secrets import create_project_secret, delete_project_secret
from schema.data_readiness.workflow import WorkflowConfigurationCreate, WorkflowType
from schema.errors import InternalError
from schema.governance.project import ProjectCreate
from schema.governance.secret import SecretCreate
from tests.doors import Door, GraphDoor, Refused, RestDoor
from tests.world import World

pytestmark = pytest.mark.anyio

KEY = {"Idempotency-Key": "order-1"}


def named(name: str) -> dict[str, Any]:
    """The arguments of a new project."""
    return {"project": ProjectCreate(name=name)}


async def project_names(world: World) -> list[str]:
    """Return what stands now."""
    found = await RestDoor(world.client)(list_projects, world.owner)
    return sorted(item["name"] for item in found["items"])


async def rows(world: World) -> list[Any]:
    """Return what is kept about keys."""
    return await world.app.parts.services.store.read(lambda uow: list(uow.connection.execute(sa.select(table)).all()))


async def test_the_same_request_again_gets_the_first_answer_and_does_nothing(world: World, door: Door) -> None:
    owner = world.owner
    first = await door(create_project, owner, KEY, **named("north"))
    before = await world.dump()
    again = await door(create_project, owner, KEY, **named("north"))
    assert again == first
    assert await world.dump() == before
    assert await project_names(world) == ["lab", "north", "shop"]


async def test_rest_answers_a_repeat_with_the_same_status_and_etag(world: World) -> None:
    door, owner = RestDoor(world.client), world.owner
    body = WorkflowConfigurationCreate(name="w", workflow_type=WorkflowType.PROFILING)
    await door(create_workflow_configuration, owner, KEY, configuration=body)
    first = door.last
    await door(create_workflow_configuration, owner, KEY, configuration=body)
    again = door.last
    assert first is not None
    assert again is not None
    assert (again.status_code, again.content, again.headers["etag"]) == (201, first.content, first.headers["etag"])


async def test_the_key_of_one_door_is_known_at_the_other(world: World) -> None:
    owner = world.owner
    first = await RestDoor(world.client)(create_project, owner, KEY, **named("north"))
    answer = await world.request(
        "POST",
        "/graphql",
        token=owner,
        headers={"Idempotency-Key": "order-1"},
        json={"query": 'mutation { createProject(project: {name: "north"}) { id name } }'},
    )
    assert answer.json()["data"]["createProject"] == {"id": first["id"], "name": "north"}
    assert await project_names(world) == ["lab", "north", "shop"]


async def test_another_body_under_the_key_is_refused_and_changes_nothing(world: World, door: Door) -> None:
    owner = world.owner
    await door(create_project, owner, KEY, **named("north"))
    before = await world.dump()
    refused = await door(create_project, owner, KEY, **named("south"))
    assert refused == "RESOURCE_ALREADY_EXISTS"
    assert (refused.status, refused.details) == (409, {"field": "Idempotency-Key"})
    assert await world.dump() == before


async def test_another_operation_or_project_under_the_key_is_another_request(world: World, door: Door) -> None:
    owner = world.owner
    body = WorkflowConfigurationCreate(name="w", workflow_type=WorkflowType.PROFILING)
    await door(create_workflow_configuration, owner, KEY, configuration=body)
    elsewhere = {"X-Project-ID": world.lab} | KEY
    assert await door(create_workflow_configuration, owner, elsewhere, configuration=body) == "RESOURCE_ALREADY_EXISTS"


async def test_a_key_belongs_to_its_caller(world: World, door: Door) -> None:
    first = await door(create_project, world.owner, KEY, **named("north"))
    theirs = await door(create_project, world.foreign_owner, KEY, **named("south"))
    assert (first["name"], theirs["name"]) == ("north", "south")
    await world.grant("ada", "admin", "organization", "acme")
    admin = world.token("ada", project=world.shop)
    assert (await door(create_project, admin, KEY, **named("west")))["name"] == "west"


async def test_two_racing_first_requests_do_the_work_once(world: World, door: Door) -> None:
    owner = world.owner
    doors = [type(door)(world.client) for _ in range(8)]
    answers = await asyncio.gather(*(each(create_project, owner, KEY, **named("north")) for each in doors))
    assert all(answer == answers[0] for answer in answers)
    assert not isinstance(answers[0], Refused)
    assert await project_names(world) == ["lab", "north", "shop"]


async def test_a_refused_request_gives_the_key_back(world: World, door: Door) -> None:
    owner = world.owner
    assert await door(create_project, owner, KEY, **named("shop")) == "RESOURCE_ALREADY_EXISTS"
    assert await rows(world) == []
    assert (await door(create_project, owner, KEY, **named("north")))["name"] == "north"


async def test_a_repeated_deletion_is_answered_like_the_first(world: World, door: Door) -> None:
    owner = world.owner
    await door(create_project_secret, owner, secret=SecretCreate(name="s", value="v"))
    first = await door(delete_project_secret, owner, KEY, name="s")
    assert await door(delete_project_secret, owner, KEY, name="s") == first
    assert await door(delete_project_secret, owner, {"Idempotency-Key": "other"}, name="s") == "RESOURCE_NOT_FOUND"


async def test_a_key_that_no_header_should_hold_is_refused(world: World, door: Door) -> None:
    for key in ("", "k" * 256):
        refused = await door(create_project, world.owner, {"Idempotency-Key": key}, **named("north"))
        assert refused == "INVALID_PARAMETER"
        assert refused.status == 400
    assert (await door(create_project, world.owner, {"Idempotency-Key": "k" * 255}, **named("north")))[
        "name"
    ] == "north"


async def test_a_key_on_a_read_is_of_no_consequence(world: World, door: Door) -> None:
    await door(list_projects, world.owner, KEY)
    assert await rows(world) == []


async def test_neither_body_nor_answer_can_be_read_from_the_store(world: World, door: Door) -> None:
    await door(create_project_secret, world.owner, KEY, secret=SecretCreate(name="s", value="quagga"))
    (row,) = await rows(world)
    assert row.state == "done"
    assert "quagga" not in repr(row)
    assert row.answer.startswith("v1.")


async def test_a_request_that_died_before_it_changed_anything_is_done_again(world: World) -> None:
    door, owner = RestDoor(world.client), world.owner
    await door(create_project, owner, KEY, **named("north"))
    await _set(world, state="running", answer=None)
    await world.app.parts.services.store.write(
        lambda uow: uow.connection.execute(
            sa.text("update projects set name = 'gone' where name = 'north'")  # as if the work had not been committed
        )
    )
    waiting = asyncio.create_task(door(create_project, owner, KEY, **named("north")))
    await asyncio.sleep(0.3)
    assert not waiting.done()  # the first may still be alive
    world.clock.moment += timedelta(minutes=3)
    assert (await waiting)["name"] == "north"


async def test_a_request_that_died_after_it_changed_something_is_not_done_again(world: World, door: Door) -> None:
    owner = world.owner
    await door(create_project, owner, KEY, **named("north"))
    await _set(world, state="committed", answer=None)
    world.clock.moment += timedelta(minutes=3)
    before = await world.dump()
    refused = await door(create_project, world.owner, KEY, **named("north"))
    assert (refused, refused.status) == ("VALIDATION_ERROR", 422)  # no retry helps, so it is no conflict
    assert refused.details == {"field": "Idempotency-Key"}
    assert "carried out" in refused.message
    assert await world.dump() == before


async def test_an_answer_that_no_key_opens_asks_for_another_key(world: World, door: Door) -> None:
    await door(create_project, world.owner, KEY, **named("north"))
    await _set(world, answer="v1:none:broken")
    before = await world.dump()
    refused = await door(create_project, world.owner, KEY, **named("north"))
    assert (refused, refused.status, refused.details) == ("VALIDATION_ERROR", 422, {"field": "Idempotency-Key"})
    assert "choose a new key" in refused.message
    assert await world.dump() == before


async def test_the_mark_of_the_first_change_is_in_the_same_transaction(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A write that fails when it would commit leaves the key as free as the store unchanged."""
    door, owner = RestDoor(world.client), world.owner
    whole = Store.write

    async def failing(self: Store, work: Any, **how: Any) -> Any:
        def broken(uow: UnitOfWork) -> Any:
            work(uow)
            raise InternalError("The disk is full.")

        return await whole(self, broken if self._last is not None else work, **how)

    with monkeypatch.context() as patched:
        patched.setattr(Store, "write", failing)
        assert await door(create_project, owner, KEY, **named("north")) == "INTERNAL_ERROR"
    assert await rows(world) == []
    assert (await door(create_project, owner, KEY, **named("north")))["name"] == "north"


async def test_a_failure_after_the_first_change_is_told_again(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    door, owner = RestDoor(world.client), world.owner
    whole = Store.write

    async def failing(self: Store, work: Any, **how: Any) -> Any:
        value = await whole(self, work, **how)
        if self._last is not None:
            raise InternalError("The line was cut.")
        return value

    with monkeypatch.context() as patched:
        patched.setattr(Store, "write", failing)
        first = await door(create_project, owner, KEY, **named("north"))
    again = await door(create_project, owner, KEY, **named("north"))
    assert again == first == "INTERNAL_ERROR"
    assert await project_names(world) == ["lab", "north", "shop"]


async def test_a_claim_that_was_taken_over_commits_nothing(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """A process that was thought dead wakes up: its transaction finds that the key has another owner."""
    door, owner = RestDoor(world.client), world.owner
    whole = Store.write

    async def overtaken(self: Store, work: Any, **how: Any) -> Any:
        if self._last is not None:
            await _set(world, owner="somebody else")
        return await whole(self, work, **how)

    with monkeypatch.context() as patched:
        patched.setattr(Store, "write", overtaken)
        assert await door(create_project, owner, KEY, **named("north")) == "VERSION_CONFLICT"
    assert await project_names(world) == ["lab", "shop"]


async def test_keys_are_forgotten_after_a_day(world: World, door: Door) -> None:
    await door(create_project, world.owner, KEY, **named("north"))
    world.clock.moment += timedelta(days=1, minutes=1)
    await door(create_project, world.owner, {"Idempotency-Key": "later"}, **named("south"))
    assert [row.key for row in await rows(world)] == ["later"]


async def test_the_fields_of_one_mutation_are_writes_of_their_own(world: World) -> None:
    owner = world.owner
    field = 'createProject(project: {name: "%s"}) { id }'
    query = f"mutation {{ a: {field % 'north'} b: {field % 'south'} }}"
    sent = {"query": query, "extensions": {"idempotencyKey": "both"}}
    first = await world.request("POST", "/graphql", token=owner, json=sent)
    again = await world.request("POST", "/graphql", token=owner, json=sent)
    assert first.json()["data"] == again.json()["data"]
    assert "errors" not in again.json()
    assert await project_names(world) == ["lab", "north", "shop", "south"]


async def test_graphql_takes_the_key_from_the_extensions_too(world: World) -> None:
    door = GraphDoor(world.client)
    owner = world.owner
    first = await door(create_project, owner, KEY, **named("north"))
    query = """mutation($p: ProjectCreate!) { createProject(project: $p) { id } }"""
    sent = {"query": query, "variables": {"p": {"name": "north"}}, "extensions": {"idempotencyKey": "order-1"}}
    answer = await world.request("POST", "/graphql", token=owner, json=sent)
    assert answer.json()["data"]["createProject"]["id"] == first["id"]


async def _set(world: World, **values: Any) -> None:
    """Change what is kept, as a kill at some moment would have left it."""
    store = world.app.parts.services.store
    await store.write(lambda uow: uow.connection.execute(table.update().values(**values)))
