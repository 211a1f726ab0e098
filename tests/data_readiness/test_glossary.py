"""The glossary: terms, their review, their links to assets, and deletion, through both doors."""

from typing import Any
from uuid import uuid4

import pytest

from resolvers.data_readiness.glossary import (
    create_glossary_term,
    delete_glossary_term,
    get_glossary_term,
    link_glossary_term,
    list_glossary_term_assets,
    list_glossary_terms,
    review_glossary_term,
    unlink_glossary_term,
    update_glossary_term,
)
from resolvers.data_readiness.workflows import delete_workflow_configuration
from resolvers.utils.context_packs import create_context_pack
from resolvers.utils.memories import create_memory, delete_memory
from schema.data_readiness.glossary import GlossaryTermCreate, GlossaryTermUpdate, TermAssetCreate, TermReview
from schema.utils.context_pack import ContextPackCreate
from schema.utils.memory import MemoryCreate
from tests.conftest import Statements
from tests.data_readiness.quality import a_configuration, a_run
from tests.data_readiness.workflows import proposed
from tests.doors import Door
from tests.world import World

pytestmark = [
    pytest.mark.anyio,
    pytest.mark.filterwarnings("ignore:Pydantic serializer warnings"),  # wrong bodies are made here on purpose
]

STATUSES = ("draft", "in_review", "approved", "rejected", "deprecated")
UPDATES = {
    "draft": {"in_review"},
    "in_review": {"draft"},
    "approved": {"deprecated"},
    "rejected": {"draft", "in_review"},
    "deprecated": {"draft"},
}
DECISIONS = {
    ("in_review", "approve"): "approved",
    ("in_review", "reject"): "rejected",
    ("approved", "pending"): "in_review",
    ("rejected", "pending"): "in_review",
}


async def define(world: World, door: Door, token: str | None = None, **given: Any) -> Any:
    """A new term."""
    values = {"name": "Customer"} | given
    term = GlossaryTermCreate.model_construct(_fields_set=set(values), **values)
    return await door(create_glossary_term, token or world.owner, term=term)


async def update(world: World, door: Door, id: str, **given: Any) -> Any:
    """A change of a term."""
    changes = GlossaryTermUpdate.model_construct(_fields_set=set(given), **given)
    return await door(update_glossary_term, world.owner, term_id=id, changes=changes)


async def decide(world: World, door: Door, id: str, decision: str, notes: str | None = None) -> Any:
    """A decision about a term."""
    review = TermReview.model_construct(_fields_set={"decision", "notes"}, decision=decision, notes=notes)
    return await door(review_glossary_term, world.owner, term_id=id, review=review)


async def standing(world: World, door: Door, status: str, **given: Any) -> Any:
    """A term that stands there."""
    made = await define(world, door, definition="d", status="draft" if status == "draft" else "in_review", **given)
    if status in ("approved", "rejected", "deprecated"):
        made = await decide(world, door, made["id"], "reject" if status == "rejected" else "approve")
    if status == "deprecated":
        made = await update(world, door, made["id"], status="deprecated")
    assert made["status"] == status
    return made


async def asset(world: World, fqn: str, token: str | None = None) -> str:
    """A database in the catalog, with its connection."""
    body = {
        "name": "store", "connection_type": "nfs", "filesystem_config": {"path": "/x"},
        "resource_uri": f"c-{uuid4().hex}",
    }  # fmt: skip
    made = await world.request("POST", "/assets/data", token=token or world.owner, json=body)
    uri = made.json()["resource_uri"]
    added = await world.request(
        "POST",
        f"/utils/data_connection/{uri}/metadata",
        token=token or world.owner,
        json={"fully_qualified_name": fqn, "type": "database"},
        headers={"X-Project-ID": world.shop if token is None else world.theirs},
    )
    assert added.status_code == 201, added.text
    return str(added.json()["id"])


async def link(world: World, door: Door, id: str, fqn: str, token: str | None = None) -> Any:
    """A link from a term to an asset."""
    wanted = TermAssetCreate.model_construct(_fields_set={"asset_fqn"}, asset_fqn=fqn)
    return await door(link_glossary_term, token or world.owner, term_id=id, asset=wanted)


async def test_a_term_has_every_field_and_default(world: World, door: Door) -> None:
    made = await define(world, door)
    assert made == {
        "id": made["id"], "name": "Customer", "display_name": None, "definition": None, "synonyms": [],
        "related_terms": [], "parent_term_id": None, "owners": [], "tags": [], "status": "draft", "reviewed_by": None,
        "reviewed_at": None, "review_notes": None, "version": 1, "asset_count": 0, "created_at": made["created_at"],
        "updated_at": made["created_at"], "created_by": "olga", "updated_by": "olga",
    }  # fmt: skip
    assert await door(get_glossary_term, world.owner, term_id=made["id"]) == made


async def test_a_term_keeps_what_it_was_given(world: World, door: Door) -> None:
    parent = await define(world, door, name="Party")
    given = {
        "display_name": "The customer", "definition": "Who buys. ü🎻", "synonyms": ["client", "buyer"],
        "related_terms": ["Order"], "parent_term_id": parent["id"],
        "owners": [{"name": "Ann", "type": "user", "id": "ann"}], "tags": ["sales"], "status": "in_review",
    }  # fmt: skip
    made = await define(world, door, **given)
    assert made == made | given
    changed = await update(
        world, door, made["id"], display_name=None, synonyms=[], parent_term_id=None, owners=[], tags=["x"]
    )
    assert changed == made | {
        "display_name": None, "synonyms": [], "parent_term_id": None, "owners": [], "tags": ["x"], "version": 2,
        "updated_at": changed["updated_at"],
    }  # fmt: skip
    assert changed["updated_at"] > made["updated_at"]


@pytest.mark.parametrize(
    ("given", "status", "field"),
    [
        ({"name": ""}, 422, "name"),
        ({"name": "  "}, 422, "name"),
        ({"name": "n" * 256}, 422, "name"),
        ({"display_name": "n" * 256}, 422, "display_name"),
        ({"definition": "n" * 20_001}, 422, "definition"),
        ({"synonyms": ["s"] * 101}, 422, "synonyms"),
        ({"synonyms": [""]}, 422, "synonyms.0"),
        ({"tags": ["t" * 256]}, 422, "tags.0"),
        ({"related_terms": ["t"] * 101}, 422, "related_terms"),
        ({"owners": [{"name": "", "type": "user", "id": "u"}]}, 422, "owners.0.name"),
        ({"status": "approved"}, 422, "status"),
        ({"status": "rejected"}, 422, "status"),
        ({"status": "deprecated"}, 422, "status"),
        ({"parent_term_id": "nowhere"}, 422, "parent_term_id"),
    ],
)
async def test_a_term_outside_its_bounds_is_refused(
    world: World, door: Door, given: dict[str, Any], status: int, field: str
) -> None:
    before = await world.dump()
    refused = await define(world, door, **given)
    assert (refused.status, refused.code, refused.details["field"]) == (status, "VALIDATION_ERROR", field)
    if given == {"name": "  "}:
        assert refused.message == "name: it shows nothing; write at least one character that can be seen."
    assert await world.dump() == before


@pytest.mark.parametrize("given", [{"name": "n" * 255}, {"definition": "d" * 20_000}, {"synonyms": ["s" * 255] * 100}])
async def test_a_term_at_its_bounds_is_taken(world: World, door: Door, given: dict[str, Any]) -> None:
    made = await define(world, door, **given)
    assert made == made | given


async def test_a_name_stands_once_in_a_project_while_it_stands(world: World, door: Door) -> None:
    made = await define(world, door)
    refused = await define(world, door)
    assert (refused.status, refused.code) == (409, "RESOURCE_ALREADY_EXISTS")
    assert refused.details == {"resource_type": "glossary_term", "resource_id": made["id"]}
    other = await define(world, door, name="Client")
    taken = await update(world, door, other["id"], name="Customer")
    assert (taken.status, taken.code, taken.details["resource_id"]) == (409, "RESOURCE_ALREADY_EXISTS", made["id"])
    assert (await door(get_glossary_term, world.owner, term_id=other["id"])) == other
    assert (await define(world, door, world.foreign_owner))["name"] == "Customer"
    await door(delete_glossary_term, world.owner, term_id=made["id"])
    assert (await define(world, door))["id"] != made["id"]


async def test_a_strangers_term_is_not_found(world: World, door: Door) -> None:
    made = await define(world, door)
    lab = world.token("olga", project=world.lab)
    for token, id in ((world.foreign_owner, made["id"]), (lab, made["id"]), (world.owner, "nothing")):
        for refused in (
            await door(get_glossary_term, token, term_id=id),
            await door(delete_glossary_term, token, term_id=id),
            await door(list_glossary_term_assets, token, term_id=id),
            await door(unlink_glossary_term, token, term_id=id, asset_fqn="a.b"),
            await link(world, door, id, "a.b", token),
        ):
            assert (refused.status, refused.code) == (404, "RESOURCE_NOT_FOUND")
            assert refused.details == {"resource_type": "glossary_term", "resource_id": id}


async def test_terms_are_searched_filtered_sorted_and_paged(world: World, door: Door) -> None:
    party = await define(world, door, name="Party")
    await define(world, door, name="Customer", synonyms=["Käufer"], parent_term_id=party["id"])
    await define(world, door, name="Supplier", definition="Who sells 100% of it.", status="in_review")
    await define(world, door, world.foreign_owner, name="Foreign")

    async def names(**by: Any) -> list[str]:
        answer = await door(list_glossary_terms, world.owner, **by)
        assert answer["total"] == len(answer["items"])
        return [item["name"] for item in answer["items"]]

    assert await names() == ["Customer", "Party", "Supplier"]
    assert await names(sort="created_at:desc") == ["Supplier", "Customer", "Party"]
    assert await names(search="CUST") == ["Customer"]
    assert await names(search="KÄUFER") == ["Customer"]
    assert await names(search="100%") == ["Supplier"]
    assert await names(search="%") == ["Supplier"]
    assert await names(search="_") == []
    assert await names(status="in_review") == ["Supplier"]
    assert await names(parent_term_id=party["id"]) == ["Customer"]
    page = await door(list_glossary_terms, world.owner, limit=2, page=2)
    assert ([item["name"] for item in page["items"]], page["total"]) == (["Supplier"], 3)
    refused = await door(list_glossary_terms, world.owner, sort="beauty:asc")
    assert (refused.status, refused.code, refused.details["field"]) == (400, "INVALID_PARAMETER", "sort")


async def test_a_renamed_term_is_found_by_its_new_name_alone(world: World, door: Door) -> None:
    made = await define(world, door)
    await update(world, door, made["id"], name="Client")
    assert (await door(list_glossary_terms, world.owner, search="customer"))["total"] == 0
    assert (await door(list_glossary_terms, world.owner, search="client"))["total"] == 1


# Review -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("start", STATUSES)
async def test_an_update_moves_a_term_as_the_table_says_and_in_no_other_way(
    world: World, door: Door, start: str
) -> None:
    for target in STATUSES:
        term = await standing(world, door, start, name=f"{start} {target}")
        before = await world.dump()
        moved = await update(world, door, term["id"], status=target)
        if target == start or target in UPDATES[start]:
            assert moved["status"] == target
        else:
            assert (moved.status, moved.code, moved.details) == (422, "VALIDATION_ERROR", {"field": "status"})
            assert await world.dump() == before


@pytest.mark.parametrize("start", STATUSES)
async def test_a_decision_moves_a_term_as_the_table_says_and_in_no_other_way(
    world: World, door: Door, start: str
) -> None:
    for decision in ("approve", "reject", "pending"):
        term = await standing(world, door, start, name=f"{start} {decision}")
        before = await world.dump()
        decided = await decide(world, door, term["id"], decision, "because")
        if (start, decision) in DECISIONS:
            assert decided == term | {
                "status": DECISIONS[start, decision], "reviewed_by": "olga", "review_notes": "because",
                "reviewed_at": decided["updated_at"], "updated_at": decided["updated_at"],
                "version": term["version"] + 1,
            }  # fmt: skip
        else:
            assert (decided.status, decided.code, decided.details) == (422, "VALIDATION_ERROR", {"field": "decision"})
            if decision == "approve" and start != "deprecated":
                way = "Decide pending first." if start == "approved" else "Update its status to in_review first."
                assert decided.message == f"This term is {start}; approve takes one that is in_review. {way}"
            assert await world.dump() == before


async def test_a_term_without_a_definition_cannot_be_approved(world: World, door: Door) -> None:
    for definition in (None, " "):
        term = await define(world, door, name=f"of {definition!r}", definition=definition, status="in_review")
        refused = await decide(world, door, term["id"], "approve")
        assert (refused.status, refused.details) == (422, {"field": "definition"})
        assert (await decide(world, door, term["id"], "reject"))["status"] == "rejected"


async def test_an_approved_term_that_says_something_else_is_reviewed_again(world: World, door: Door) -> None:
    for field, value, then in (
        ("definition", "other", "in_review"),
        ("name", "Other", "in_review"),
        ("synonyms", ["other"], "in_review"),
        ("definition", "d", "approved"),  # the same as before
        ("tags", ["other"], "approved"),
        ("display_name", "Other", "approved"),
    ):
        term = await standing(world, door, "approved", name=f"{field} {value}")
        assert (await update(world, door, term["id"], **{field: value}))["status"] == then, field


async def test_a_null_where_none_belongs_is_refused(world: World, door: Door) -> None:
    term = await define(world, door)
    before = await world.dump()
    for field in ("name", "synonyms", "related_terms", "owners", "tags", "status"):
        refused = await update(world, door, term["id"], **{field: None})
        assert (refused.status in (400, 422), refused.details["field"].split(".")[0]) == (True, field)
    assert await world.dump() == before


async def test_terms_stand_below_one_another_but_never_below_themselves(world: World, door: Door) -> None:
    first = await define(world, door, name="1")
    above, last = first, first
    for number in range(2, 21):
        above, last = last, await define(world, door, name=str(number), parent_term_id=last["id"])
    deep = await define(world, door, name="21", parent_term_id=last["id"])
    assert (deep.status, deep.details) == (422, {"field": "parent_term_id"})
    for id in (first["id"], above["id"], last["id"]):
        refused = await update(world, door, id, parent_term_id=last["id"])
        assert (refused.status, refused.details) == (422, {"field": "parent_term_id"})
    other = await define(world, door, name="other")
    refused = await update(world, door, first["id"], parent_term_id=other["id"])
    assert (refused.status, refused.details) == (422, {"field": "parent_term_id"})
    assert (await update(world, door, last["id"], parent_term_id=other["id"]))["parent_term_id"] == other["id"]


async def test_of_two_changes_of_the_same_state_one_is_a_conflict(world: World) -> None:
    made = await world.request("POST", "/data-readiness/glossary/terms", token=world.owner, json={"name": "T"})
    path, etag = f"/data-readiness/glossary/terms/{made.json()['id']}", {"If-Match": made.headers["ETag"]}
    first = await world.request("PUT", path, token=world.owner, json={"tags": ["a"]}, headers=etag)
    assert (first.status_code, first.json()["version"]) == (200, 2)
    late = [
        await world.request("PUT", path, token=world.owner, json={"tags": ["b"]}, headers=etag),
        await world.request("DELETE", path, token=world.owner, headers=etag),
    ]
    for answer in late:
        assert (answer.status_code, answer.json()["error"]["code"]) == (409, "VERSION_CONFLICT")
    assert (await world.request("GET", path, token=world.owner)).json()["tags"] == ["a"]


# Links --------------------------------------------------------------------------------------------------------------


async def test_a_term_is_linked_to_assets_counted_and_listed(world: World, door: Door) -> None:
    ids = {fqn: await asset(world, fqn) for fqn in ("crm.shop", "crm.attic")}
    term = await define(world, door)
    made = await link(world, door, term["id"], "crm.shop")
    assert made == {
        "term_id": term["id"], "asset_id": ids["crm.shop"], "asset_fqn": "crm.shop", "asset_type": "database",
        "created_at": made["created_at"], "created_by": "olga",
    }  # fmt: skip
    refused = await link(world, door, term["id"], "crm.shop")
    assert (refused.status, refused.code) == (409, "RESOURCE_ALREADY_EXISTS")
    await link(world, door, term["id"], "crm.attic")
    listed = await door(list_glossary_term_assets, world.owner, term_id=term["id"])
    assert ([one["asset_fqn"] for one in listed["items"]], listed["total"]) == (["crm.attic", "crm.shop"], 2)
    page = await door(list_glossary_term_assets, world.owner, term_id=term["id"], limit=1, page=2)
    assert (page["items"], page["total"]) == ([made], 2)
    found = await door(get_glossary_term, world.owner, term_id=term["id"])
    assert found == term | {"asset_count": 2}
    await define(world, door, name="Unlinked")
    by_asset = await door(list_glossary_terms, world.owner, asset_fqn="crm.shop")
    assert by_asset == {"items": [found], "total": 1}
    gone = await door(unlink_glossary_term, world.owner, term_id=term["id"], asset_fqn="crm.shop")
    assert gone == {"term_id": term["id"], "asset_fqn": "crm.shop", "deleted": True}
    again = await door(unlink_glossary_term, world.owner, term_id=term["id"], asset_fqn="crm.shop")
    assert (again.status, again.code) == (404, "RESOURCE_NOT_FOUND")
    assert (await door(get_glossary_term, world.owner, term_id=term["id"]))["asset_count"] == 1


async def test_ten_terms_show_their_assets_in_as_many_statements_as_one(
    world: World, door: Door, statements: Statements
) -> None:
    query = "{ glossaryTerms(limit: 100) { items { name assets { assetFqn } } } }"
    await asset(world, "crm.shop")

    async def shown(terms: int) -> int:
        await statements.anew()
        answer = await world.request("POST", "/graphql", token=world.owner, json={"query": query})
        assert "errors" not in answer.json(), answer.text
        linked = [item["assets"] for item in answer.json()["data"]["glossaryTerms"]["items"]]
        assert linked == [[{"assetFqn": "crm.shop"}]] * terms
        return len(statements)

    for number in range(10):
        term = await define(world, door, name=f"t{number}")
        await link(world, door, term["id"], "crm.shop")
        if number == 0:
            await shown(1)
            one = await shown(1)
    assert await shown(10) == one


async def test_only_an_asset_of_the_projects_catalog_can_be_linked(world: World, door: Door) -> None:
    await asset(world, "their.db", world.foreign_owner)
    term = await define(world, door)
    before = await world.dump()
    for fqn in ("their.db", "no.where", "a" * 2001, ""):
        refused = await link(world, door, term["id"], fqn)
        assert (refused.status, refused.code, refused.details["field"]) == (422, "VALIDATION_ERROR", "asset_fqn")
    assert await world.dump() == before


# Deletion -----------------------------------------------------------------------------------------------------------


async def test_a_deleted_term_is_gone_with_its_links_and_frees_those_below_it(world: World, door: Door) -> None:
    await asset(world, "crm.shop")
    term = await define(world, door)
    below = await define(world, door, name="Below", parent_term_id=term["id"])
    await link(world, door, term["id"], "crm.shop")
    await link(world, door, below["id"], "crm.shop")
    gone = await door(delete_glossary_term, world.owner, term_id=term["id"])
    assert gone == {"term_id": term["id"], "deleted": True}
    assert (await door(get_glossary_term, world.owner, term_id=term["id"])).status == 404
    rows = await world.dump()
    assert (len(rows["glossary_terms"]), len(rows["glossary_term_assets"])) == (1, 1)
    left = await door(get_glossary_term, world.owner, term_id=below["id"])
    assert (left["parent_term_id"], left["asset_count"]) == (None, 1)


async def test_a_term_that_a_workflow_uses_is_not_deleted(world: World) -> None:
    made = await world.request("POST", "/data-readiness/glossary/terms", token=world.owner, json={"name": "T"})
    id = made.json()["id"]
    over = await a_run(world, input={"parameters": {"terms": [id]}}, status="completed")
    running = await a_run(world, input={"parameters": {"terms": [id]}}, status="running")
    before = await world.dump()
    for prefix in ("/data-readiness", "/api/data-readiness"):
        refused = await world.request("DELETE", f"{prefix}/glossary/terms/{id}", token=world.owner)
        assert refused.status_code == 422
        body = refused.json()
        assert set(body) == {"error", "request_id"}
        assert set(body["error"]) == {"code", "message", "details"}
        details = body["error"]["details"]
        assert body["error"]["code"] == "VALIDATION_ERROR"
        assert (details["workflow_run_id"], set(details)) == (
            running, {"field", "resource_type", "resource_id", "workflow_id", "workflow_run_id"},
        )  # fmt: skip
    assert await world.dump() == before
    assert over != running


async def test_a_term_that_a_configuration_names_is_not_deleted(world: World, door: Door) -> None:
    term = await define(world, door)
    configuration = await a_configuration(world, config={"glossary": {"term_id": term["id"]}})
    refused = await door(delete_glossary_term, world.owner, term_id=term["id"])
    assert (refused.status, refused.code) == (422, "VALIDATION_ERROR")
    assert refused.details == {
        "field": "term_id", "resource_type": "glossary_term", "resource_id": term["id"], "workflow_id": configuration,
    }  # fmt: skip
    free = await define(world, door, name="Free")
    assert (await door(delete_glossary_term, world.owner, term_id=free["id"]))["deleted"] is True


async def test_a_term_that_a_workflows_context_pack_names_is_not_deleted(world: World, door: Door) -> None:
    term = await define(world, door)
    pack = await door(
        create_context_pack, world.owner, pack=ContextPackCreate.model_validate({"name": "P", "pack_type": "domain"})
    )
    body = {
        "name": "m", "memory_type": "glossary", "context_pack_id": pack["id"], "content": {"term_id": term["id"]}
    }  # fmt: skip
    memory = await door(create_memory, world.owner, memory=MemoryCreate.model_validate(body))
    configuration = await a_configuration(world, config={"context_pack_id": pack["id"]})
    refused = await door(delete_glossary_term, world.owner, term_id=term["id"])
    assert (refused.status, refused.details["workflow_id"]) == (422, configuration)
    await door(delete_workflow_configuration, world.owner, configuration_id=configuration)
    running = await a_run(world, input={"parameters": {"context_pack_id": pack["id"]}}, status="running")
    refused = await door(delete_glossary_term, world.owner, term_id=term["id"])
    assert (refused.status, refused.details["workflow_run_id"]) == (422, running)
    await door(delete_memory, world.owner, memory_id=memory["id"])
    assert (await door(delete_glossary_term, world.owner, term_id=term["id"]))["deleted"] is True


async def test_a_term_that_an_open_run_would_link_is_not_deleted(world: World, door: Door) -> None:
    term = await define(world, door)
    running = await a_run(world, input={}, status="running")
    value = {"term_id": term["id"], "name": term["name"]}
    await proposed(world, running, {"kind": "glossary_link", "field": "glossary_terms", "proposed_value": value})
    refused = await door(delete_glossary_term, world.owner, term_id=term["id"])
    assert (refused.status, refused.details["workflow_run_id"]) == (422, running)
    other = await define(world, door, name="Other")
    assert (await door(delete_glossary_term, world.owner, term_id=other["id"]))["deleted"] is True


@pytest.mark.parametrize(("decision", "status"), [("maybe", 422), (7, 400), (None, 400)])
async def test_a_decision_is_one_of_three(world: World, decision: Any, status: int) -> None:
    made = await world.request(
        "POST", "/data-readiness/glossary/terms", token=world.owner, json={"name": "T", "status": "in_review"}
    )
    path = f"/data-readiness/glossary/terms/{made.json()['id']}/approval"
    body = {} if decision is None else {"decision": decision}
    answer = await world.request("POST", path, token=world.owner, json=body)
    assert answer.status_code == status, answer.text
    long = await world.request("POST", path, token=world.owner, json={"decision": "reject", "notes": "n" * 1001})
    assert (long.status_code, long.json()["error"]["details"]["field"]) == (422, "notes")
