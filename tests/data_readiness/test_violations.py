"""Violations: what runs find, what people decide, and what has become of each, through both doors."""

import asyncio
from typing import Any
from uuid import uuid4

import pytest
import sqlalchemy as sa

from persistence.queries.violations import GONE, Recorded
from persistence.tables.quality import violations
from resolvers.data_readiness import violations as many
from resolvers.data_readiness.actions import list_actions
from resolvers.data_readiness.metrics import create_dimension
from resolvers.data_readiness.violations import (
    create_violation_definition,
    decide_violations,
    delete_violation_definition,
    get_violation,
    list_violation_definitions,
    list_violation_history,
    list_violations,
    update_violation,
    update_violation_definition,
)
from schema.data_readiness.quality import DimensionCreate
from schema.data_readiness.violation import (
    ViolationChange,
    ViolationDefinitionChange,
    ViolationDefinitionCreate,
    ViolationsDecision,
)
from tests.conftest import Statements
from tests.data_readiness.quality import DIMENSION, KIND, ORDERS, a_run, find, finding, scope_of, violation_ids
from tests.doors import Door
from tests.world import World

pytestmark = [
    pytest.mark.anyio,
    pytest.mark.filterwarnings("ignore:Pydantic serializer warnings"),  # wrong bodies are made here on purpose
]

STATUSES = ("open", "acknowledged", "resolved", "false_positive")
ALLOWED = {
    "open": {"acknowledged", "resolved", "false_positive"},
    "acknowledged": {"open", "resolved", "false_positive"},
    "resolved": {"open"},
    "false_positive": {"open"},
}


async def one(world: World, **given: Any) -> str:
    """A violation that was just found; its id."""
    await find(world, finding(**given))
    return (await violation_ids(world))[-1]


async def decide(world: World, door: Door, id: str, token: str | None = None, **changes: Any) -> Any:
    """A decision about a violation."""
    change = ViolationChange.model_construct(_fields_set=set(changes), **changes)
    return await door(update_violation, token or world.owner, violation_id=id, changes=change)


async def history(world: World, door: Door, id: str) -> list[dict[str, Any]]:
    """Return what has become of a violation."""
    items: list[dict[str, Any]] = (await door(list_violation_history, world.owner, violation_id=id))["items"]
    return items


# Definitions --------------------------------------------------------------------------------------------------------


async def test_the_definitions_answer_is_exactly_the_list_and_its_length(world: World) -> None:
    for prefix in ("/data-readiness", "/api/data-readiness"):
        answer = await world.request("GET", f"{prefix}/violations/definitions", token=world.owner)
        assert answer.status_code == 200
        assert set(answer.json()) == {"definitions", "total"}
        assert answer.json()["total"] == len(answer.json()["definitions"]) == len(KIND)
        assert answer.json()["definitions"][0] == {
            "id": KIND["null_values"].id, "name": "null_values", "fqn": "data_quality.completeness.null_values",
            "dimension": {
                "id": DIMENSION["completeness"].id, "name": "completeness", "assessment_type": "data_quality",
                "display_name": "Completeness",
            },
            "default_severity": "medium", "is_active": True, "display_name": "Null values",
            "description": "Nulls where values are expected.", "applicable_asset_types": ["column"],
            "is_built_in": True,
        }  # fmt: skip


def definitions(answer: Any) -> list[dict[str, Any]]:
    """The definitions, whichever door they came through."""
    listed: list[dict[str, Any]] = answer.get("definitions", answer.get("items"))
    assert answer["total"] == len(listed)
    return listed


async def test_a_project_adds_changes_and_deletes_a_kind_of_its_own(world: World, door: Door) -> None:
    own = DimensionCreate.model_validate({"name": "trust", "assessment_type": "metadata", "display_name": "Trust"})
    dimension = await door(create_dimension, world.owner, dimension=own)
    values = {"dimension_id": dimension["id"], "name": "unsigned", "default_severity": "critical"}
    wanted = ViolationDefinitionCreate.model_validate(values | {"applicable_asset_types": ["table"]})
    made = await door(create_violation_definition, world.owner, definition=wanted)
    assert made == {
        "id": made["id"], "name": "unsigned", "fqn": "metadata.trust.unsigned",
        "dimension": {
            "id": dimension["id"], "name": "trust", "assessment_type": "metadata", "display_name": "Trust",
        },
        "default_severity": "critical", "is_active": True, "display_name": None, "description": None,
        "applicable_asset_types": ["table"], "is_built_in": False,
    }  # fmt: skip
    assert definitions(await door(list_violation_definitions, world.owner))[-1] == made
    assert len(definitions(await door(list_violation_definitions, world.foreign_owner))) == len(KIND)
    taken = await door(create_violation_definition, world.owner, definition=wanted)
    assert (taken.status, taken.code) == (409, "RESOURCE_ALREADY_EXISTS")
    changes = ViolationDefinitionChange.model_validate({"is_active": False, "default_severity": "low"})
    changed = await door(update_violation_definition, world.owner, definition_id=made["id"], changes=changes)
    assert changed == made | {"is_active": False, "default_severity": "low"}
    stranger = await door(update_violation_definition, world.foreign_owner, definition_id=made["id"], changes=changes)
    assert (stranger.status, stranger.code) == (404, "RESOURCE_NOT_FOUND")
    await find(world, finding(definition_id=made["id"]))
    gone = await door(delete_violation_definition, world.owner, definition_id=made["id"])
    assert gone == {"id": made["id"], "deleted": True}
    assert len(definitions(await door(list_violation_definitions, world.owner))) == len(KIND)
    kept = (await door(list_violations, world.owner))["items"][0]  # what was found stays
    assert (kept["name"], kept["severity"], kept["dimension"]) == ("unsigned", "low", made["dimension"])


async def test_a_kind_that_is_built_in_stays_as_it_is(world: World, door: Door) -> None:
    before = await world.dump()
    id = KIND["stale_data"].id
    changes = ViolationDefinitionChange.model_validate({"is_active": False})
    for refused in (
        await door(update_violation_definition, world.owner, definition_id=id, changes=changes),
        await door(delete_violation_definition, world.owner, definition_id=id),
    ):
        assert (refused.status, refused.code, refused.details) == (422, "VALIDATION_ERROR", {"field": "id"})
    for name, dimension_id, status in (
        ("null_values", DIMENSION["completeness"].id, 409),
        ("Bad Name", DIMENSION["completeness"].id, 422),
        ("fine", str(uuid4()), 422),
    ):
        wrong = ViolationDefinitionCreate.model_construct(
            _fields_set={"name", "dimension_id"}, name=name, dimension_id=dimension_id
        )
        assert (await door(create_violation_definition, world.owner, definition=wrong)).status == status
    assert await world.dump() == before


# Reading ------------------------------------------------------------------------------------------------------------


async def test_a_violation_has_every_field_of_the_contract(world: World, door: Door) -> None:
    run, rule = await a_run(world), str(uuid4())
    column = f'{ORDERS}."net.amount"'
    await find(
        world,
        finding(asset=column, details={"rows": 7}, asset_version="1.4", dq_rule_execution_id=rule, severity="high"),
        run=run,
    )
    (id,) = await violation_ids(world)
    found = await door(get_violation, world.owner, violation_id=id)
    assert found == {
        "id": id, "name": "null_values", "fqn": f"{column}.null_values",
        "dimension": {
            "id": DIMENSION["completeness"].id, "name": "completeness", "assessment_type": "data_quality",
            "display_name": "Completeness",
        },
        "service": "crm", "asset_fqn": column, "asset_version": "1.4", "severity": "high", "status": "open",
        "workflow_run_id": run, "created_at": found["created_at"], "display_name": "Null values", "database": "shop",
        "schema": "public", "table": "orders", "column": "net.amount", "details": {"rows": 7},
        "dq_rule_execution_id": rule, "assigned_to": None, "resolved_by": None, "resolution_notes": None,
        "resolved_at": None,
        "updated_at": found["created_at"], "last_seen_at": found["created_at"], "seen_count": 1,
    }  # fmt: skip
    assert (await door(list_violations, world.owner))["items"] == [found]


async def test_a_violation_that_is_not_there_or_a_strangers_is_not_found(world: World, door: Door) -> None:
    id = await one(world)
    lab = world.token("olga", project=world.lab)
    for token, asked in ((world.owner, str(uuid4())), (world.foreign_owner, id), (lab, id)):
        for refused in (
            await door(get_violation, token, violation_id=asked),
            await door(list_violation_history, token, violation_id=asked),
            await decide(world, door, asked, token, status="resolved"),
        ):
            assert (refused.status, refused.code) == (404, "RESOURCE_NOT_FOUND")
            assert refused.details == {"resource_type": "violation", "resource_id": asked}
    for path, field in (
        ("seven", "violation_id"),
        ("seven/history", "violation_id"),
        ("?workflow_run_id=7", "workflow_run_id"),
    ):
        answer = await world.request("GET", f"/data-readiness/violations/{path}".replace("/?", "?"), token=world.owner)
        assert (answer.status_code, answer.json()["error"]["code"]) == (400, "INVALID_PARAMETER")
        assert answer.json()["error"]["details"]["field"] == field


async def test_violations_are_filtered_sorted_and_paged(world: World, door: Door) -> None:
    run = await a_run(world)
    await find(
        world,
        finding(asset=f"{ORDERS}.a"),
        finding("duplicate_values", f"{ORDERS}.b"),
        run=run,
    )
    await find(
        world,
        finding("missing_owner", "erp.d.s.orders"),
        finding("stale_data", "crm.shop.public.orders_old", severity="critical"),
    )
    first = next(id for id in await violation_ids(world))
    resolved = await decide(world, door, first, status="resolved")
    assert resolved["status"] == "resolved"

    async def names(**by: Any) -> list[str]:
        answer = await door(list_violations, world.owner, sort="name:asc", **by)
        assert answer["total"] == len(answer["items"])
        return [item["name"] for item in answer["items"]]

    assert await names() == ["duplicate_values", "missing_owner", "null_values", "stale_data"]
    assert await names(asset_fqn=ORDERS) == ["duplicate_values", "null_values"]
    assert await names(asset_fqn="crm.shop") == ["duplicate_values", "null_values", "stale_data"]
    assert await names(asset_fqn=f"{ORDERS}.a") == ["null_values"]
    assert await names(asset_fqn="er") == []
    assert await names(service="erp") == ["missing_owner"]
    assert await names(status="resolved") == [resolved["name"]]
    assert len(await names(status="open")) == 3
    assert await names(severity="critical") == ["stale_data"]
    assert await names(dimension="uniqueness") == ["duplicate_values"]
    assert await names(dimension=DIMENSION["timeliness"].id) == ["stale_data"]
    assert await names(dimension="beauty") == []
    assert await names(assessment_type="metadata") == ["missing_owner"]
    assert await names(assessment_type="metadata", dimension="uniqueness") == []
    assert await names(name="stale_data") == ["stale_data"]
    assert await names(workflow_run_id=run) == ["duplicate_values", "null_values"]
    assert await names(workflow_run_id=str(uuid4())) == []
    worst = await door(list_violations, world.owner, sort="severity:desc,name:asc", limit=2, page=1)
    assert [item["severity"] for item in worst["items"]] == ["critical", "high"]
    rest = await door(list_violations, world.owner, sort="severity:desc,name:asc", limit=2, page=2)
    assert ([item["name"] for item in rest["items"]], rest["total"]) == (["missing_owner", "null_values"], 4)
    newest = await door(list_violations, world.owner)
    moments = [item["created_at"] for item in newest["items"]]
    assert moments == sorted(moments, reverse=True)


@pytest.mark.parametrize(
    "wrong",
    [
        {"asset_fqn": "a..b"}, {"asset_fqn": "a.b.c.d.e.f"}, {"sort": "beauty"}, {"sort": "name:up"}, {"sort": ""},
        {"service": ""}, {"name": "n" * 256}, {"dimension": ""}, {"page": 0}, {"limit": 101},
    ],
)  # fmt: skip
async def test_a_malformed_filter_of_violations_is_named(world: World, door: Door, wrong: dict[str, Any]) -> None:
    refused = await door(list_violations, world.owner, **wrong)
    assert (refused.status, refused.code) == (400, "INVALID_PARAMETER")
    assert refused.details["field"] == next(iter(wrong))


# Decisions ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("start", STATUSES)
async def test_a_violation_moves_as_the_table_says_and_in_no_other_way(world: World, door: Door, start: str) -> None:
    for target in STATUSES:
        id = await one(world, key=f"{start} {target}")
        if start != "open":
            assert (await decide(world, door, id, status=start))["status"] == start
        before = await world.dump()
        moved = await decide(world, door, id, status=target)
        if target == start:
            assert moved["status"] == start
            assert await world.dump() == before
        elif target in ALLOWED[start]:
            assert moved["status"] == target
            assert [event["to_status"] for event in await history(world, door, id)][-1] == target
        else:
            assert (moved.status, moved.code, moved.details) == (422, "VALIDATION_ERROR", {"field": "status"})
            assert await world.dump() == before


async def test_who_resolved_it_is_kept_and_cleared_when_it_is_opened_again(world: World, door: Door) -> None:
    id = await one(world)
    resolved = await decide(world, door, id, status="resolved", resolution_notes="fixed at the source")
    assert (resolved["resolved_by"], resolved["resolution_notes"]) == ("olga", "fixed at the source")
    assert resolved["resolved_at"] == resolved["updated_at"] > resolved["created_at"]
    noted = await decide(world, door, id, resolution_notes="n" * 1000)
    assert noted == resolved | {"resolution_notes": "n" * 1000, "updated_at": noted["updated_at"]}
    opened = await decide(world, door, id, status="open")
    assert (opened["resolved_by"], opened["resolution_notes"], opened["resolved_at"]) == (None, None, None)
    steps = [
        (event["from_status"], event["to_status"], event["actor"], event["notes"], event["workflow_run_id"])
        for event in await history(world, door, id)
    ]
    assert steps == [
        (None, "open", "olga", None, opened["workflow_run_id"]),
        ("open", "resolved", "olga", "fixed at the source", None),
        ("resolved", "resolved", "olga", "n" * 1000, None),
        ("resolved", "open", "olga", None, None),
    ]


@pytest.mark.parametrize(
    ("changes", "status", "code", "field"),
    [
        ({"status": "gone"}, 422, "VALIDATION_ERROR", "status"),
        ({"status": None}, 400, "INVALID_FORMAT", "status"),
        ({"resolution_notes": "n" * 1001}, 422, "VALIDATION_ERROR", "resolution_notes"),
        ({"resolution_notes": 7}, 400, "INVALID_FORMAT", "resolution_notes"),
        ({"severity": "low"}, 400, "VALIDATION_ERROR", "severity"),
    ],
)
async def test_a_decision_outside_its_bounds_changes_nothing(
    world: World, changes: dict[str, Any], status: int, code: str, field: str
) -> None:
    id = await one(world)
    before = await world.dump()
    for prefix in ("/data-readiness", "/api/data-readiness"):
        answer = await world.request("PATCH", f"{prefix}/violations/{id}", token=world.owner, json=changes)
        assert (answer.status_code, answer.json()["error"]["code"]) == (status, code), answer.text
        assert answer.json()["error"]["details"]["field"] == field
    assert await world.dump() == before


async def test_of_two_decisions_about_the_same_state_one_is_a_conflict(world: World) -> None:
    id = await one(world)
    path = f"/data-readiness/violations/{id}"
    read = await world.request("GET", path, token=world.owner)
    etag = {"If-Match": read.headers["ETag"]}
    first = await world.request("PATCH", path, token=world.owner, json={"status": "acknowledged"}, headers=etag)
    assert first.status_code == 200
    second = await world.request("PATCH", path, token=world.owner, json={"status": "resolved"}, headers=etag)
    assert (second.status_code, second.json()["error"]["code"]) == (409, "VERSION_CONFLICT")
    assert (await world.request("GET", path, token=world.owner)).json()["status"] == "acknowledged"


async def decide_many(world: World, door: Door, token: str | None = None, **given: Any) -> Any:
    """A decision about all violations that match."""
    decision = ViolationsDecision.model_validate({"only": {}} | given)
    return await door(decide_violations, token or world.owner, decision=decision)


def figures(answer: dict[str, Any]) -> tuple[int, ...]:
    """Return what a decision about many came to."""
    return tuple(answer[name] for name in ("matched", "moved", "stand_already", "barred", "waiting"))


async def test_a_filter_decides_about_many_after_a_dry_run(world: World, door: Door) -> None:
    await find(
        world, *(finding(asset=f"{ORDERS}.c{at}") for at in range(3)), finding("missing_owner", "erp.d.s.orders")
    )
    resolved, *_ = await violation_ids(world)
    barred = (await decide(world, door, resolved, status="resolved"))["asset_fqn"] != "erp.d.s.orders"
    only = {"under": "crm.shop", "names": ["null_values"], "severities": ["medium"]}
    before = await world.dump()
    tried = await decide_many(world, door, only=only, status="acknowledged", resolution_notes="known", dry_run=True)
    assert figures(tried) == (3, 3 - barred, 0, int(barred), 0)
    assert (tried["dry_run"], {one["status"] for one in tried["sample"]}) == (True, {"open"})
    assert await world.dump() == before
    done = await decide_many(world, door, only=only, status="acknowledged", resolution_notes="known")
    assert done == tried | {"dry_run": False}
    listed = (await door(list_violations, world.owner, asset_fqn="crm", status="acknowledged"))["items"]
    assert {(one["status"], one["resolution_notes"], one["resolved_by"]) for one in listed} == {
        ("acknowledged", "known", None)
    }
    last = (await history(world, door, listed[0]["id"]))[-1]
    assert (last["from_status"], last["to_status"], last["actor"], last["notes"]) == (
        "open", "acknowledged", "olga", "known",
    )  # fmt: skip
    stands = (await world.dump())["violation_events"]
    again = await decide_many(world, door, only=only, status="acknowledged", resolution_notes="known")
    assert figures(again) == (3, 0, 3 - barred, int(barred), 0)
    assert (await world.dump())["violation_events"] == stands
    closed = await decide_many(world, door, only={"ids": [one["id"] for one in listed]}, status="false_positive")
    assert (closed["moved"], len(await history(world, door, listed[0]["id"]))) == (3 - barred, 3)
    shut = await decide_many(world, door, only={"statuses": ["false_positive"]}, status="resolved")
    assert figures(shut) == (3 - barred, 0, 0, 3 - barred, 0)


async def test_violations_are_assigned_one_by_one_and_many_at_once(world: World, door: Door) -> None:
    await find(world, finding(), finding("stale_data", "erp.d.s.orders"))
    done = await decide_many(world, door, only={"assets_like": "erp.*"}, assigned_to="ann")
    assert figures(done) == (1, 1, 0, 0, 0)
    listed = await door(list_violations, world.owner, assigned_to="ann")
    assert [(one["name"], one["status"], one["assigned_to"]) for one in listed["items"]] == [
        ("stale_data", "open", "ann")
    ]
    id = listed["items"][0]["id"]
    assert (await history(world, door, id))[-1]["notes"] == "Assigned to ann."
    assert (await decide(world, door, id, assigned_to=None))["assigned_to"] is None
    assert (await history(world, door, id))[-1]["notes"] == "Assigned to nobody."
    resolved = await decide(world, door, id, status="resolved", resolution_notes="done")
    kept = await decide_many(world, door, only={"ids": [id]}, assigned_to="bob")
    assert kept["moved"] == 1
    found = await door(get_violation, world.owner, violation_id=id)
    assert (found["resolved_by"], found["resolved_at"], found["resolution_notes"]) == (
        "olga", resolved["resolved_at"], "done",
    )  # fmt: skip


async def test_as_many_people_may_look_after_violations_as_there_are(world: World, door: Door) -> None:
    await find(world, *(finding(key=str(number)) for number in range(1200)))

    def work(uow: Any) -> None:
        uow.connection.execute(sa.update(violations).values(assigned_to=violations.c.id))

    await world.app.parts.services.store.write(work)
    tried = await decide_many(world, door, status="resolved", dry_run=True)
    assert figures(tried) == (1200, 1200, 0, 0, 0)
    first = tried["sample"][0]["id"]
    assert figures(await decide_many(world, door, assigned_to=first, dry_run=True)) == (1200, 1199, 1, 0, 0)
    assert (await door(list_actions, world.owner, limit=1))["total"] == 1200


async def test_many_violations_are_decided_in_parts(world: World, door: Door, monkeypatch: pytest.MonkeyPatch) -> None:
    await find(world, *(finding(key=str(number)) for number in range(5)))
    monkeypatch.setattr(many, "MOST_AT_ONCE", 2)
    assert [figures(await decide_many(world, door, status="resolved"))[1::3] for _ in range(4)] == [
        (2, 3), (2, 1), (1, 0), (0, 0),
    ]  # fmt: skip


async def test_a_decision_about_many_that_says_nothing_or_is_not_allowed_changes_nothing(
    world: World, door: Door
) -> None:
    await one(world)
    before = await world.dump()
    refused = await decide_many(world, door)
    assert (refused.status, refused.code, refused.details["field"]) == (422, "VALIDATION_ERROR", "status")
    others = await decide_many(world, door, world.foreign_owner, status="resolved")
    assert figures(others) == (0, 0, 0, 0, 0)
    for body, field in (({"only": {"severities": []}}, "only.severities"), ({"only": {"ids": ["7"]}}, "only.ids.0")):
        path = "/data-readiness/violations/decisions"
        answer = await world.request("POST", path, token=world.owner, json=body | {"status": "open"})
        assert answer.status_code in (400, 422)
        assert answer.json()["error"]["details"]["field"] == field
    assert await world.dump() == before


# What runs find -----------------------------------------------------------------------------------------------------


async def test_seen_again_stays_one_violation(world: World, door: Door) -> None:
    assert await find(world, finding(details={"rows": 1})) == Recorded(1, 0, 0, 0)
    run = await a_run(world)
    again = await find(world, finding(details={"rows": 2}, severity="critical"), run=run)
    assert again == Recorded(0, 1, 0, 0)
    (id,) = await violation_ids(world)
    found = await door(get_violation, world.owner, violation_id=id)
    assert (found["seen_count"], found["workflow_run_id"], found["status"]) == (2, run, "open")
    assert (found["details"], found["severity"]) == ({"rows": 2}, "critical")
    assert found["created_at"] < found["last_seen_at"]
    assert len(await history(world, door, id)) == 1
    before = await world.dump()
    assert await find(world, finding(details={"rows": 3}), run=run) == Recorded(0, 0, 0, 0)
    after = await world.dump()
    assert (after["violations"], after["violation_events"]) == (before["violations"], before["violation_events"])


async def test_gone_is_resolved_and_back_is_open_again_with_history(world: World, door: Door) -> None:
    found = finding()
    first, second, third = [await a_run(world) for _ in range(3)]
    await find(world, found, run=first, checked=[found.check])
    assert await find(world, run=second, checked=[found.check]) == Recorded(0, 0, 0, 1)
    (id,) = await violation_ids(world)
    gone = await door(get_violation, world.owner, violation_id=id)
    assert (gone["status"], gone["resolution_notes"], gone["resolved_by"]) == ("resolved", GONE, "olga")
    assert (gone["seen_count"], gone["workflow_run_id"]) == (1, first)
    assert await find(world, run=second, checked=[found.check]) == Recorded(0, 0, 0, 0)
    assert await find(world, found, run=third, checked=[found.check]) == Recorded(0, 0, 1, 0)
    back = await door(get_violation, world.owner, violation_id=id)
    assert (back["status"], back["resolution_notes"], back["resolved_by"], back["resolved_at"]) == (
        "open", None, None, None,
    )  # fmt: skip
    assert (back["seen_count"], back["workflow_run_id"]) == (2, third)
    steps = [
        (event["from_status"], event["to_status"], event["workflow_run_id"], event["notes"])
        for event in await history(world, door, id)
    ]
    assert steps == [
        (None, "open", first, None), ("open", "resolved", second, GONE), ("resolved", "open", third, None),
    ]  # fmt: skip


async def test_a_rule_that_was_not_evaluated_resolves_nothing(world: World, door: Door) -> None:
    await find(world, finding(), finding("invalid_values"))
    assert await find(world, checked=["another rule"]) == Recorded(0, 0, 0, 0)
    assert await find(world) == Recorded(0, 0, 0, 0)
    assert (await door(list_violations, world.owner, status="open"))["total"] == 2


async def test_what_people_decided_stays_when_it_is_seen_again(world: World, door: Door) -> None:
    expected = {"acknowledged": "acknowledged", "false_positive": "false_positive", "resolved": "open"}
    ids = {}
    for status in expected:
        ids[status] = await one(world, key=status)
        await decide(world, door, ids[status], status=status, resolution_notes="mine")
    findings = [finding(key=status) for status in expected]
    assert await find(world, *findings, checked=[findings[0].check]) == Recorded(0, 2, 1, 0)
    for status, then in expected.items():
        found = await door(get_violation, world.owner, violation_id=ids[status])
        assert (found["status"], found["seen_count"]) == (then, 2)
        assert found["resolution_notes"] == (None if status == "resolved" else "mine")
    assert await find(world, checked=[findings[0].check]) == Recorded(0, 0, 0, 2)  # not the false positive
    assert (await door(get_violation, world.owner, violation_id=ids["false_positive"]))["status"] == "false_positive"


async def test_rule_asset_and_key_make_a_violation_and_projects_are_apart(world: World) -> None:
    same = finding()
    recorded = await find(
        world, same, same, finding(key="2"), finding(asset=f"{ORDERS}.b"), finding(check="another rule")
    )
    assert recorded == Recorded(4, 0, 0, 0)
    assert await find(world, same, scope=scope_of(world, world.lab)) == Recorded(1, 0, 0, 0)
    assert await find(world, checked=[same.check], scope=scope_of(world, world.lab)) == Recorded(0, 0, 0, 1)
    assert len(await violation_ids(world)) == 5


async def test_many_findings_are_taken_in_at_once(world: World) -> None:
    findings = [finding(key=str(number)) for number in range(1201)]
    assert await find(world, *findings, checked=[findings[0].check]) == Recorded(1201, 0, 0, 0)
    assert await find(world, *findings[1:], checked=[findings[0].check]) == Recorded(0, 1200, 0, 1)


@pytest.mark.parametrize(
    "wrong",
    [{"definition_id": "7"}, {"metric_definition_id": "7"}, {"asset": "a..b"}],
    ids=["definition", "metric", "asset"],
)
async def test_a_finding_of_nothing_known_is_refused_as_a_whole(world: World, wrong: dict[str, Any]) -> None:
    run = await a_run(world)
    before = await world.dump()
    with pytest.raises(ValueError, match=r"no violation definition|no metric|empty"):
        await find(world, finding("invalid_values"), finding(**wrong), run=run)
    assert await world.dump() == before


async def test_ten_violations_show_their_history_in_as_many_statements_as_one(
    world: World, statements: Statements
) -> None:
    query = "{ violations(limit: 100) { items { id history { toStatus actor } } } }"

    async def shown() -> tuple[list[Any], int]:
        await statements.anew()
        answer = await world.request("POST", "/graphql", token=world.owner, json={"query": query})
        assert "errors" not in answer.json(), answer.text
        return [item["history"] for item in answer.json()["data"]["violations"]["items"]], len(statements)

    await one(world)
    await shown()
    histories, cost = await shown()
    assert histories == [[{"toStatus": "OPEN", "actor": "olga"}]]
    await find(world, *(finding(key=str(number)) for number in range(9)))
    histories, more = await shown()
    assert (len(histories), more) == (10, cost)
    assert all(len(history) == 1 for history in histories)


async def test_two_runs_that_find_the_same_at_once_make_one_violation(world: World, door: Door) -> None:
    findings = [finding(key=str(number)) for number in range(20)]
    runs = [await a_run(world) for _ in range(4)]
    recorded = await asyncio.gather(
        *(find(world, *(findings if even % 2 else findings[::-1]), run=run) for even, run in enumerate(runs))
    )
    assert (sum(one.new for one in recorded), sum(one.seen_again for one in recorded)) == (20, 60)
    listed = await door(list_violations, world.owner, limit=100)
    assert (listed["total"], {item["seen_count"] for item in listed["items"]}) == (20, {4})
    assert len(await history(world, door, listed["items"][0]["id"])) == 1
