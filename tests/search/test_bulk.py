"""The search index: what goes in is found by who may read it, within moments, and what goes out is gone."""

import asyncio
import time
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa

from persistence.queries.search import DRAINED_AT_ONCE, words_of
from persistence.store import UnitOfWork
from persistence.tables.search import search_entities as table
from persistence.tables.search import search_queue, search_words
from resolvers.search.bulk import delete_entities, index_entities, search_entities
from schema.search.entity import EntityReference, IndexEntity, permission_object
from tests.doors import Door, Refused, RestDoor
from tests.support.server import Client, Server, stoa, until
from tests.world import ORG, OTHER_ORG, World

pytestmark = pytest.mark.anyio


def entity(world: World, id: str, title: str, **given: Any) -> IndexEntity:
    """An entity of the shop that whoever reads the shop finds."""
    values: dict[str, Any] = {
        "organization_id": ORG,
        "project_id": world.shop,
        "entity_type": "table",
        "entity_id": id,
        "title": title,
        "permission_id": world.shop,
    }
    return IndexEntity(**(values | given))


async def put(world: World, *entities: IndexEntity, token: str | None = None) -> None:
    """Index entities and wait until they are applied."""
    answer = await RestDoor(world.client)(index_entities, token or world.owner, entities=list(entities))
    assert answer == {"accepted": len(entities)}
    await world.jobs.settle()


async def found(door: Door, token: str, q: str = "", **more: Any) -> list[str]:
    """The ids of what is found, in their order."""
    page = await door(search_entities, token, q=q, **more)
    assert not isinstance(page, Refused), page
    assert page["total"] >= len(page["items"])
    return [hit["entity_id"] for hit in page["items"]]


async def test_what_is_indexed_is_found_with_every_field(world: World, door: Door) -> None:
    new = entity(
        world,
        "t1",
        "Customer orders",
        subtitle="All orders since 2019",
        url="/tables/t1",
        embedded_text="amounts in euro",
        rank_boost=1.5,
        search_attributes={"rows": 12},
        extra_metadata={"nested": {"deep": [1, 2]}},
    )
    assert await door(index_entities, world.owner, entities=[new]) == {"accepted": 1}
    assert door.last is not None
    await world.jobs.settle()
    page = await door(search_entities, world.owner, q="orders euro")
    (hit,) = page["items"]
    assert page["total"] == 1
    assert hit.pop("indexed_at").endswith("Z")
    assert hit == {
        "organization_id": ORG,
        "project_id": world.shop,
        "entity_type": "table",
        "entity_id": "t1",
        "title": "Customer orders",
        "subtitle": "All orders since 2019",
        "url": "/tables/t1",
        "search_attributes": {"rows": 12},
        "extra_metadata": {"nested": {"deep": [1, 2]}},
        "score": (4 * 2 + 1 * 2) * 1.5,
    }


async def test_rest_answers_that_the_work_is_queued(world: World) -> None:
    door = RestDoor(world.client)
    await door(index_entities, world.owner, entities=[entity(world, "t1", "Orders")])
    assert door.last is not None
    assert door.last.status_code == 202
    reference = EntityReference(organization_id=ORG, entity_type="table", entity_id="t1")
    await door(delete_entities, world.owner, references=[reference])
    assert (door.last.status_code, door.last.json()) == (202, {"accepted": 1})


async def test_a_deletion_is_seen_and_takes_every_word_along(world: World, door: Door) -> None:
    await put(world, entity(world, "t1", "Orders"), entity(world, "t2", "Old orders"))
    references = [
        EntityReference(organization_id=ORG, entity_type="table", entity_id=id) for id in ("t1", "t-never", "t1")
    ]
    assert await door(delete_entities, world.owner, references=references) == {"accepted": 3}
    await world.jobs.settle()
    assert await found(door, world.owner, "orders") == ["t2"]
    words = await world.app.parts.services.store.read(
        lambda uow: uow.connection.execute(sa.select(search_words.c.word)).scalars().all()
    )
    assert sorted(words) == ["old", "orders"]


async def test_indexing_again_replaces_and_never_doubles(world: World, door: Door) -> None:
    await put(world, entity(world, "t1", "Orders"))
    await put(world, entity(world, "t1", "Invoices"), entity(world, "t1", "Receipts"))
    assert await found(door, world.owner, "orders") == []
    assert await found(door, world.owner, "invoices") == []
    assert await found(door, world.owner, "receipts") == ["t1"]
    assert await found(door, world.owner) == ["t1"]


async def test_every_word_must_be_there_and_the_last_may_be_a_beginning(world: World, door: Door) -> None:
    await put(
        world,
        entity(world, "both", "Customer orders"),
        entity(world, "one", "Customer list"),
        entity(world, "accents", "Straße für Käufer"),
        entity(world, "parts", "shop.public.order_items"),
    )
    assert await found(door, world.owner, "customer ord") == ["both"]
    assert await found(door, world.owner, "cust orders") == []
    assert await found(door, world.owner, "CUSTOMER") == ["one", "both"]
    assert await found(door, world.owner, "STRASSE fu") == []
    assert await found(door, world.owner, "STRASSE fü") == ["accents"]
    assert await found(door, world.owner, "public order_i") == ["parts"]
    assert await found(door, world.owner, "100% \\ ' _") == []


async def test_the_best_hit_comes_first(world: World, door: Door) -> None:
    await put(
        world,
        entity(world, "in the text", "A", embedded_text="orders"),
        entity(world, "in the subtitle", "B", subtitle="orders"),
        entity(world, "in the title", "C orders"),
        entity(world, "as a beginning", "D ordersheet"),
        entity(world, "boosted", "E", embedded_text="orders", rank_boost=10),
        entity(world, "kept down", "F orders", rank_boost=0),
    )
    ranked = ["boosted", "in the title", "in the subtitle", "as a beginning", "in the text", "kept down"]
    got = await found(door, world.owner, "orders")
    assert got[:2] == ranked[:2]
    assert sorted(got[2:4]) == sorted(ranked[2:4])
    assert got[4:] == ranked[4:]


async def test_filters_and_pages_do_not_overlap(world: World, door: Door) -> None:
    await put(
        world,
        *(entity(world, f"t{n}", f"Orders {n:02}") for n in range(7)),
        entity(world, "agent", "Orders agent", entity_type="agent"),
    )
    assert await found(door, world.owner, "orders", entity_type="agent") == ["agent"]
    assert await found(door, world.owner, "orders", project_id=world.lab) == []
    seen = []
    for offset in range(0, 8, 3):
        page = await door(search_entities, world.owner, q="orders", limit=3, offset=offset)
        assert page["total"] == 8
        seen += [hit["entity_id"] for hit in page["items"]]
    assert len(seen) == len(set(seen)) == 8


async def test_only_who_may_read_the_object_finds_and_counts_it(world: World, door: Door) -> None:
    made = await world.request(
        "POST",
        "/assets/data",
        token=world.owner,
        json={"name": "store", "connection_type": "nfs", "filesystem_config": {"path": "/x"}},
    )
    uri = made.json()["resource_uri"]
    await put(
        world,
        entity(world, "project", "Orders"),
        entity(world, "uri", "Orders", permission_id=uri),
        entity(world, "typed", "Orders", permission_id=f"data_connection:{uri}"),
        entity(world, "organization", "Orders", permission_id=f"organization:{ORG}"),
        entity(world, "nothing", "Orders", permission_id="no-such-thing"),
        entity(world, "foreign", "Orders", permission_id=f"project:{world.theirs}"),
    )
    guest = await world.member("viewer", type_="data_connection", id_=uri)
    assert sorted(await found(door, guest, "orders")) == ["typed", "uri"]
    assert (await door(search_entities, guest, q="orders"))["total"] == 2
    viewer = await world.member("viewer")
    assert sorted(await found(door, viewer, "orders")) == ["project", "typed", "uri"]
    assert sorted(await found(door, world.owner, "orders")) == ["organization", "project", "typed", "uri"]
    assert await found(door, world.token("nobody", project=world.shop), "orders") == []
    assert await found(door, world.foreign_owner, "orders") == []


async def test_organization_and_project_must_be_the_callers(world: World, door: Door) -> None:
    before = await world.dump()
    good = entity(world, "t1", "Orders")
    for wrong, code, field in (
        (entity(world, "t2", "x", organization_id=OTHER_ORG), "ORG_ACCESS_DENIED", "1.organization_id"),
        (entity(world, "t2", "x", project_id=world.lab), "PROJECT_ACCESS_DENIED", "1.project_id"),
        (entity(world, "t2", "x", project_id=world.theirs), "PROJECT_ACCESS_DENIED", "1.project_id"),
    ):
        refused = await door(index_entities, world.owner, entities=[good, wrong])
        assert refused == code
        assert (refused.status, refused.details["field"]) == (403, field)
        about = wrong.organization_id if "organization" in field else wrong.project_id
        assert (refused.details["permission"], refused.details["resource_id"]) == ("can_write", about)
    reference = EntityReference(organization_id=OTHER_ORG, entity_type="table", entity_id="t1")
    assert await door(delete_entities, world.owner, references=[reference]) == "ORG_ACCESS_DENIED"
    assert await world.dump() == before


async def test_nothing_is_planted_before_the_readers_of_another_project(world: World, door: Door) -> None:
    developer = await world.member("developer")
    there = f"data:{ORG}:{world.lab}:pay"
    for permission in (world.lab, f"project:{world.lab}", there, f"data_connection:{there}"):
        planted = [entity(world, "e1", "Payroll"), entity(world, "e2", "Payroll", permission_id=permission)]
        refused = await door(index_entities, developer, entities=planted)
        assert (refused.code, refused.status) == ("PROJECT_ACCESS_DENIED", 403), permission
        assert refused.details["field"] == "1.permission_id"
        assert isinstance(await door(index_entities, world.owner, entities=planted), dict), "who may write to both"
    nowhere = entity(world, "e3", "Payroll", permission_id="nothing-of-this-name")
    assert isinstance(await door(index_entities, developer, entities=[nowhere]), dict)


async def test_two_projects_may_name_an_entity_alike(world: World, door: Door) -> None:
    await put(world, entity(world, "t1", "Orders"))
    theirs = entity(world, "t1", "Orders of the lab", project_id=world.lab, permission_id=world.lab)
    in_lab = world.token("olga", project=world.lab)
    await put(world, theirs, token=in_lab)
    assert await found(door, world.owner, "orders") == ["t1", "t1"]
    reference = EntityReference(organization_id=ORG, entity_type="table", entity_id="t1")
    await door(delete_entities, in_lab, references=[reference])
    await world.jobs.settle()
    page = await door(search_entities, world.owner, q="orders")
    assert [hit["project_id"] for hit in page["items"]] == [world.shop]


@pytest.mark.parametrize(
    ("change", "status", "code", "field"),
    [
        ({"title": ""}, 422, "VALIDATION_ERROR", "0.title"),
        ({"title": "t" * 1001}, 422, "VALIDATION_ERROR", "0.title"),
        ({"title": 5}, 400, "INVALID_FORMAT", "0.title"),
        ({"title": None}, 400, "INVALID_FORMAT", "0.title"),
        ({"entity_type": "e" * 65}, 422, "VALIDATION_ERROR", "0.entity_type"),
        ({"entity_id": ""}, 422, "VALIDATION_ERROR", "0.entity_id"),
        ({"permission_id": ""}, 422, "VALIDATION_ERROR", "0.permission_id"),
        ({"rank_boost": -0.1}, 422, "VALIDATION_ERROR", "0.rank_boost"),
        ({"rank_boost": 100.1}, 422, "VALIDATION_ERROR", "0.rank_boost"),
        ({"embedded_text": "x" * 20_001}, 422, "VALIDATION_ERROR", "0.embedded_text"),
        ({"surprise": 1}, 400, "VALIDATION_ERROR", "0.surprise"),
    ],
)
async def test_what_is_wrong_with_an_entity_is_said(
    world: World, change: dict[str, Any], status: int, code: str, field: str
) -> None:
    body = [entity(world, "t1", "Orders").model_dump(mode="json") | change]
    answer = await world.request("POST", "/search/bulk/index", token=world.owner, json=body)
    error = answer.json()["error"]
    assert (answer.status_code, error["code"], error["details"]["field"]) == (status, code, field)


async def test_missing_fields_and_other_shapes_are_refused(world: World) -> None:
    whole = entity(world, "t1", "Orders").model_dump(mode="json")
    for name in ("organization_id", "project_id", "entity_type", "entity_id", "title", "permission_id"):
        body = [{key: value for key, value in whole.items() if key != name}]
        answer = await world.request("POST", "/search/bulk/index", token=world.owner, json=body)
        error = answer.json()["error"]
        assert (answer.status_code, error["code"]) == (400, "MISSING_REQUIRED_FIELD")
        assert error["details"]["field"] == f"0.{name}"
    answer = await world.request("POST", "/search/bulk/index", token=world.owner, json=whole)
    assert (answer.status_code, answer.json()["error"]["code"]) == (400, "INVALID_FORMAT")


async def test_a_thousand_at_once_are_taken_and_one_more_is_not(world: World, door: Door) -> None:
    many = [EntityReference(organization_id=ORG, entity_type="table", entity_id=f"t{n}") for n in range(1000)]
    assert await door(delete_entities, world.owner, references=many) == {"accepted": 1000}
    refused = await door(delete_entities, world.owner, references=[*many, many[0]])
    assert refused == "VALIDATION_ERROR"
    assert refused.status == 422
    assert await door(index_entities, world.owner, entities=[]) == {"accepted": 0}


async def test_bulk_work_is_charged_to_its_own_window(world: World, door: Door) -> None:
    await door(index_entities, world.owner, entities=[])
    assert door.last is not None
    limits = world.app.parts.settings.limits
    assert door.last.headers["X-RateLimit-Limit"] == str(limits.bulk)


async def test_q_without_a_word_is_malformed_and_bounds_hold(world: World, door: Door) -> None:
    refused = await door(search_entities, world.owner, q="!!!")
    assert refused == "SEARCH_QUERY_INVALID"
    assert (refused.status, refused.details) == (400, {"field": "q", "position": 0})
    for signs, position in {
        "!orders": 0,
        "late !orders": 5,
        "a && b": 2,
        "a||b": 1,
        "(!a)": 1,
        "x -a": 2,
        "!!a": 0,
        "! a": 0,
    }.items():
        refused = await door(search_entities, world.owner, q=signs)
        assert (refused.code, refused.status) == ("SEARCH_QUERY_INVALID", 400)
        assert refused.details == {"field": "q", "position": position}
    assert (await door(search_entities, world.owner, q="wow! a-b & c - d"))["items"] == []
    for given in ({"limit": 0}, {"limit": 201}, {"offset": -1}, {"q": "x" * 1001}):
        refused = await door(search_entities, world.owner, **given)
        assert refused == "INVALID_PARAMETER"
        assert refused.status == 400
    assert await found(door, world.owner, "  ") == []


async def test_operations_are_applied_in_their_order_whatever_their_number(world: World, door: Door) -> None:
    for round_ in range(3):
        many = [entity(world, f"t{n}", f"Orders {round_}") for n in range(DRAINED_AT_ONCE // 2 + 5)]
        assert await door(index_entities, world.owner, entities=many) == {"accepted": len(many)}
    gone = [EntityReference(organization_id=ORG, entity_type="table", entity_id=f"t{n}") for n in range(10)]
    await door(delete_entities, world.owner, references=gone)
    await world.jobs.settle()
    page = await door(search_entities, world.owner, q="orders")
    assert page["total"] == DRAINED_AT_ONCE // 2 - 5
    assert (await door(search_entities, world.owner, q="orders 2"))["total"] == page["total"]


async def test_what_was_written_down_and_not_queued_is_taken_up(world: World, door: Door) -> None:
    """A process can die between the two."""
    content = entity(world, "t1", "Orders").model_dump(mode="json")
    row = {
        "organization_id": ORG,
        "project_id": world.shop,
        "entity_type": "table",
        "entity_id": "t1",
        "entity": content,
        "queued_at": world.clock(),
    }
    store = world.app.parts.services.store
    await store.write(lambda uow: uow.search.enqueue([row]))
    assert await found(door, world.owner, "orders") == []
    await world.app.parts.worker.take_up()
    await world.jobs.settle()
    assert await found(door, world.owner, "orders") == ["t1"]


async def test_two_workers_at_once_apply_each_operation_once(world: World) -> None:
    store = world.app.parts.services.store
    rows = [
        {
            "organization_id": ORG,
            "project_id": world.shop,
            "entity_type": "table",
            "entity_id": f"t{n % 50}",
            "entity": entity(world, f"t{n % 50}", f"Orders {n}").model_dump(mode="json"),
            "queued_at": world.clock(),
        }
        for n in range(200)
    ]
    await store.write(lambda uow: uow.search.enqueue(rows))

    async def drain() -> int:
        return await store.write(lambda uow: uow.search.drain(ORG, world.clock()))

    applied = await asyncio.gather(*(drain() for _ in range(4)))
    assert sum(applied) == 200

    def counted(uow: UnitOfWork) -> tuple[int, int]:
        run = uow.connection.execute
        return (
            run(sa.select(sa.func.count()).select_from(table)).scalar_one(),
            run(sa.select(sa.func.count()).select_from(search_queue)).scalar_one(),
        )

    assert await store.read(counted) == (50, 0)


def test_on_the_durable_engine_it_is_visible_within_a_second(tmp_path: Path) -> None:
    """The best of five, because the machine may be busy; nothing but the job engine's own poll should take time."""
    assert stoa(tmp_path, "bootstrap", "--org", ORG, "--owner", "olga").returncode == 0
    with Server(tmp_path, settings={"job_poll_seconds": 0.2}).ready() as server, Client(tmp_path, server) as client:
        waits = []
        for n in range(5):
            new = {
                "organization_id": ORG,
                "project_id": client.project,
                "entity_type": "table",
                "entity_id": f"t{n}",
                "title": f"Orders number{n}",
                "permission_id": client.project,
            }
            assert client("POST", "/search/bulk/index", json=[new]) == {"accepted": 1}
            waits.append(_seen(client, n, 1))
            gone = {key: new[key] for key in ("organization_id", "entity_type", "entity_id")}
            assert client("POST", "/search/bulk/delete", json=[gone]) == {"accepted": 1}
            waits.append(_seen(client, n, 0))
        assert min(waits[::2]) < 1, waits
        assert min(waits[1::2]) < 1, waits


def _seen(client: Client, n: int, total: int) -> float:
    """How long it takes until so many are found."""
    began = time.monotonic()
    until(lambda: client("GET", "/search/entities", params={"q": f"number{n}"})["pagination"]["total"] == total, "it")
    return time.monotonic() - began


def test_words_are_what_people_type() -> None:
    assert words_of("\uff26ull-width, 'Quotes'") == ["full", "width", "quotes"]
    assert words_of("& shop.orders_2024") == ["shop", "orders_2024"]
    assert words_of("x" * 100) == ["x" * 64]
    assert words_of("--- ...") == []


def test_a_permission_id_names_an_object() -> None:
    assert permission_object("project:p1") == ("project", "p1")
    assert permission_object("data_connection:data:acme:p:x") == ("data_connection", "data:acme:p:x")
    assert permission_object("data:acme:p:x") == ("data_connection", "data:acme:p:x")
    assert permission_object("file:acme:p:x") == ("file", "file:acme:p:x")
    assert permission_object("file:file:acme:p:x") == ("file", "file:acme:p:x")
    assert permission_object("proj:acme:p:x") == ("project", "proj:acme:p:x")
    assert permission_object("0b6c") == ("project", "0b6c")
