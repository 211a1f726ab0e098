"""Proposals of runs and decisions about them, through both doors and on both stores."""

import asyncio
from typing import Any
from uuid import uuid4

import pytest

from resolvers.data_readiness.approval import operations as approvals
from resolvers.data_readiness.approval.operations import (
    approve_next,
    decide_run,
    get_run_approval,
    list_run_proposals,
)
from resolvers.data_readiness.approval.registry import EFFECTS
from resolvers.utils.metadata import update_metadata
from schema.data_readiness.proposal import ApprovalDecision, ProposalKind
from schema.errors import InvalidParameter
from schema.utils.metadata_asset import MetadataAssetUpdate
from tests.data_readiness.proposals import TABLE, as_administrator, asset, counts, decided
from tests.data_readiness.workflows import URI, cataloged, configure, proposed, run_in, scope, tag, written
from tests.doors import Door
from tests.world import World

pytestmark = [
    pytest.mark.anyio,
    pytest.mark.filterwarnings("ignore:Pydantic serializer warnings"),  # wrong bodies are made here on purpose
]

FIELDS = {
    "id", "run_id", "asset_fqn", "resource_uri", "kind", "field", "current_value", "proposed_value", "evidence",
    "standing_value", "confidence", "state", "group", "part_of", "says", "parts_total", "parts_pending", "parts",
    "decided_by", "decided_at", "created_at",
}  # fmt: skip


async def completed(world: World, door: Door) -> str:
    """A completed run over a table of the catalog."""
    await cataloged(world, TABLE)
    return await run_in(world, await configure(world, door), "completed")


async def test_what_a_run_proposes_is_listed_in_its_order_and_filtered(world: World, door: Door) -> None:
    run = await completed(world, door)
    ids = await proposed(
        world, run, {}, {"kind": "tag", "field": "tags", "proposed_value": tag("Email"), "confidence": 0.9},
        {"kind": "rule", "asset_fqn": "svc.db.sch.t2", "proposed_value": {"metric": "nulls"}, "confidence": None},
    )  # fmt: skip
    listed = await door(list_run_proposals, world.owner, run_id=run)
    assert ([item["id"] for item in listed["items"]], listed["total"]) == (ids, 3)
    assert set(listed["items"][0]) == FIELDS
    assert listed["items"][0] == listed["items"][0] | {
        "kind": "description", "field": "description", "current_value": None, "proposed_value": "What was sold.",
        "evidence": {"names": ["sold_at"]}, "confidence": 0.75, "state": "proposed", "decided_by": None,
    }  # fmt: skip
    assert [item["proposed_value"] for item in listed["items"][1:]] == [tag("Email"), {"metric": "nulls"}]
    for given, expected in (
        ({"kind": "tag"}, ids[1:2]),
        ({"state": "approved"}, []),
        ({"asset_fqn": "svc.db.sch.t2"}, ids[2:]),
        ({"min_confidence": 0.8}, ids[1:2]),
        ({"limit": 2, "page": 2}, ids[2:]),
    ):
        found = await door(list_run_proposals, world.owner, run_id=run, **given)
        assert [item["id"] for item in found["items"]] == expected, given
    for wrong in (1.1, -0.1):
        refused = await door(list_run_proposals, world.owner, run_id=run, min_confidence=wrong)
        assert (refused.code, refused.status) == ("INVALID_PARAMETER", 400)


async def test_a_run_that_nobody_decided_is_pending(world: World, door: Door) -> None:
    run = await completed(world, door)
    await proposed(world, run, {}, {"kind": "insight"})
    assert await door(get_run_approval, world.owner, run_id=run) == {
        "run_id": run, "decision": "pending", "decided_by": None, "decided_at": None, "notes": None, "approved": 0,
        "rejected": 0, "pending": 2, "conflicted": 0, "conflicts": [], "moved": 0, "dry_run": False, "sample": [],
        "waiting": 0, "go_on_after_table": None,
    }  # fmt: skip
    for op in (get_run_approval, list_run_proposals):
        for token, id in ((world.owner, str(uuid4())), (world.foreign_owner, run)):
            refused = await door(op, token, run_id=id)
            assert (refused.code, refused.details) == (
                "RESOURCE_NOT_FOUND", {"resource_type": "workflow_run", "resource_id": id}
            )  # fmt: skip


async def test_approving_changes_the_assets_as_new_versions_that_name_the_run(world: World, door: Door) -> None:
    run = await completed(world, door)
    await proposed(
        world, run, {}, {"kind": "display_name", "field": "display_name", "proposed_value": "Sales"},
        {"kind": "business_definition", "field": "business_definition", "proposed_value": "A sale."},
        {"kind": "pii_tag", "field": "tags", "proposed_value": tag("Email")},
        {"kind": "tag", "field": "tags", "proposed_value": tag("Name")},
        {"kind": "insight", "field": "insight", "proposed_value": {"sentence": "It is large."}},
    )  # fmt: skip
    before = await asset(world, door)
    answer = await decided(world, door, run, "approve", notes="Looks right.")
    assert (counts(answer), answer["decision"], answer["decided_by"]) == ((6, 0, 0, 0), "approve", "olga")
    assert (answer["notes"], answer["conflicts"], answer["run_id"]) == ("Looks right.", [], run)
    assert (answer["moved"], answer["dry_run"], answer["sample"]) == (6, False, [])
    assert await door(get_run_approval, world.owner, run_id=run) == answer | {"moved": 0}
    after = await asset(world, door)
    assert after == after | {
        "description": "What was sold.", "display_name": "Sales", "business_definition": "A sale.",
        "tags": [tag("Email"), tag("Name")], "is_pii_tagged": True, "is_sensitivity_tagged": False,
        "is_dq_tagged": False, "version": "0.2", "updated_by": "olga",
    }  # fmt: skip
    assert before["version"] == "0.1"
    assert run in after["version_change_reason"]
    states = (await door(list_run_proposals, world.owner, run_id=run))["items"]
    assert {(item["state"], item["decided_by"]) for item in states} == {("approved", "olga")}
    dump = await world.dump()
    again = await decided(world, door, run, "approve")
    assert counts(again) == (6, 0, 0, 0)
    assert (await world.dump())["metadata_assets"] == dump["metadata_assets"]


async def test_rejecting_changes_nothing_and_can_be_taken_back(world: World, door: Door) -> None:
    run = await completed(world, door)
    await proposed(world, run, {}, {"kind": "insight"})
    before = (await world.dump())["metadata_assets"]
    assert counts(await decided(world, door, run, "reject")) == (0, 2, 0, 0)
    assert (await door(list_run_proposals, world.owner, run_id=run, state="rejected"))["total"] == 2
    reopened = await decided(world, door, run, "pending")
    assert (counts(reopened), reopened["decision"]) == ((0, 0, 2, 0), "pending")
    assert {p["decided_by"] for p in (await door(list_run_proposals, world.owner, run_id=run))["items"]} == {None}
    assert (await world.dump())["metadata_assets"] == before


async def test_a_part_can_be_decided_and_the_rest_later(world: World, door: Door) -> None:
    run = await completed(world, door)
    ids = await proposed(
        world, run, {"kind": "tag", "field": "tags", "proposed_value": tag("Email")},
        {"kind": "tag", "field": "tags", "proposed_value": tag("Name")}, {},
    )  # fmt: skip
    assert counts(await decided(world, door, run, "approve", proposal_ids=[ids[0], ids[0]])) == (1, 0, 2, 0)
    assert counts(await decided(world, door, run, "reject", proposal_ids=[ids[2]])) == (1, 1, 1, 0)
    # The tag that this run added by itself is no change by somebody else.
    assert counts(await decided(world, door, run, "approve")) == (2, 1, 0, 0)
    found = await asset(world, door)
    assert ([t["tag_name"] for t in found["tags"]], found["description"]) == (["Email", "Name"], None)
    before = await world.dump()
    wrong = await decided(world, door, run, "reject", proposal_ids=[ids[0]])
    assert (wrong.code, wrong.status, wrong.details["field"]) == ("VALIDATION_ERROR", 422, "proposal_ids")
    stranger = str(uuid4())
    unknown = await decided(world, door, run, "reject", proposal_ids=[ids[2], stranger])
    assert (unknown.code, unknown.details["resource_id"]) == ("RESOURCE_NOT_FOUND", stranger)
    assert await world.dump() == before


async def test_what_changed_since_is_a_conflict_and_the_rest_is_carried_out(world: World, door: Door) -> None:
    run = await completed(world, door)
    await cataloged(world, "svc.db.sch.t2")
    ids = await proposed(
        world, run, {}, {"kind": "display_name", "field": "display_name", "proposed_value": "Sales"},
        {"asset_fqn": "svc.db.sch.gone"}, {"asset_fqn": "svc.db.sch.t2", "proposed_value": "One"},
        {"asset_fqn": "svc.db.sch.t2", "proposed_value": "Two"}, {"kind": "tag", "field": "tags", "proposed_value": 3},
    )  # fmt: skip
    changes = MetadataAssetUpdate.model_validate({"description": "By hand."})
    where = {"resource_type": "data_connection", "resource_uri": URI, "fqn": TABLE}
    assert isinstance(await as_administrator(world, door, update_metadata, changes=changes, **where), dict)
    answer = await decided(world, door, run, "approve")
    assert counts(answer) == (2, 0, 4, 4)
    told = {conflict["proposal_id"]: conflict["message"] for conflict in answer["conflicts"]}
    assert told == {
        ids[0]: "The description was changed since the proposal was made.",
        ids[2]: "The asset is no longer in the catalog.",
        ids[4]: "Another proposal for the same description was approved before it.",
        ids[5]: "What is proposed is no tag that the catalog can keep.",
    }
    found = await asset(world, door)
    assert (found["description"], found["display_name"]) == ("By hand.", "Sales")
    assert (await asset(world, door, "svc.db.sch.t2"))["description"] == "One"
    waiting = await door(list_run_proposals, world.owner, run_id=run, state="proposed")
    assert {item["id"] for item in waiting["items"]} == set(told)


@pytest.mark.parametrize("status", ["pending", "running", "failed", "canceled"])
async def test_only_a_completed_run_can_be_decided(world: World, door: Door, status: str) -> None:
    run = await run_in(world, await configure(world, door), status)
    await proposed(world, run, {})
    before = await world.dump()
    for decision in ("approve", "reject", "pending"):
        refused = await decided(world, door, run, decision)
        assert (refused.code, refused.status, refused.details) == ("VALIDATION_ERROR", 422, {"field": "status"})
    assert await world.dump() == before


@pytest.mark.parametrize(
    ("given", "status", "field"),
    [
        ({"decision": "maybe"}, 422, "decision"),
        ({"notes": "n" * 1001}, 422, "notes"),
        ({"proposal_ids": []}, 422, "proposal_ids"),
        ({"proposal_ids": [str(uuid4())] * 1001}, 422, "proposal_ids"),
    ],
    ids=["decision", "notes", "none", "too many"],
)
async def test_a_decision_outside_its_bounds_is_refused(
    world: World, door: Door, given: dict[str, Any], status: int, field: str
) -> None:
    run = await completed(world, door)
    if door.name == "graphql" and "decision" in given:
        return  # the graph's own enum refuses it before the operation is asked
    values = {"decision": "approve"} | given
    wrong = ApprovalDecision.model_construct(_fields_set=set(values), **values)
    before = await world.dump()
    refused = await door(decide_run, world.owner, run_id=run, approval=wrong)
    assert (refused.status, refused.details["field"]) == (status, field)
    assert await world.dump() == before
    assert counts(await decided(world, door, run, "approve", notes="n" * 1000)) == (0, 0, 0, 0)


async def test_too_many_at_once_are_refused_and_can_be_approved_in_parts(
    world: World, door: Door, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(approvals, "MOST_AT_ONCE", 2)
    run = await completed(world, door)
    ids = await proposed(world, run, *[{"kind": "insight"}] * 3)
    refused = await decided(world, door, run, "approve")
    assert (refused.code, refused.status, refused.details["field"]) == ("VALIDATION_ERROR", 422, "proposal_ids")
    assert counts(await decided(world, door, run, "approve", proposal_ids=ids)) == (3, 0, 0, 0)


async def test_two_decisions_at_once_carry_each_proposal_out_once(world: World, door: Door) -> None:
    run = await completed(world, door)
    await proposed(world, run, {}, {"kind": "display_name", "field": "display_name", "proposed_value": "Sales"})
    answers = await asyncio.gather(*[decided(world, door, run, "approve") for _ in range(4)])
    assert {counts(answer) for answer in answers} == {(2, 0, 0, 0)}
    assert (await asset(world, door))["version"] == "0.2"


async def test_an_engine_approves_at_once_what_was_asked_for_with_save_all(world: World, door: Door) -> None:
    run = await completed(world, door)
    await proposed(world, run, {}, {"asset_fqn": "svc.db.sch.gone"})

    def work(uow: Any) -> str | None:
        found = uow.workflow_runs.held(scope(world), run)
        return approve_next(uow, scope(world), found, "", actor="olga", now=world.clock())

    assert await written(world, work) is None
    assert (await asset(world, door))["description"] == "What was sold."
    told = await door(get_run_approval, world.owner, run_id=run)
    assert (told["approved"], told["pending"], told["decision"]) == (1, 1, "approve")
    assert told["notes"] == "Accepted automatically, by save_all."


async def test_the_catalog_of_the_whole_organization_takes_more_than_the_projects_role(
    world: World, door: Door
) -> None:
    run = await completed(world, door)
    await proposed(world, run, {"resource_uri": "data:acme::svc", "kind": "insight"})
    developer = await world.member("developer")
    body = ApprovalDecision.model_validate({"decision": "approve"})
    before = await world.dump()
    refused = await door(decide_run, developer, run_id=run, approval=body)
    assert refused.status in (403, 404)
    assert await world.dump() == before
    await world.grant("developer-of-project", "developer", "data_connection", "data:acme::svc")
    # He may now, and is told that the organization's connection has no such asset.
    assert counts(await door(decide_run, developer, run_id=run, approval=body)) == (0, 0, 1, 1)


async def test_the_effects_of_a_kind_are_told_where_its_proposals_go_and_may_refuse(
    world: World, door: Door, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = await completed(world, door)
    ids = await proposed(world, run, {"kind": "insight"}, {"kind": "insight"}, {})
    told: list[tuple[str, list[str], str]] = []

    def effect(uow: Any, _scope: Any, moved: Any, how: Any) -> dict[str, str]:
        told.append((str(how.to), [one.id for one in moved], how.by))
        return {ids[0]: "It cannot be."}

    monkeypatch.setitem(EFFECTS, ProposalKind.INSIGHT, effect)
    rejected = await decided(world, door, run, "reject")
    assert (counts(rejected), rejected["conflicts"][0]["message"]) == ((0, 2, 1, 1), "It cannot be.")
    assert counts(await decided(world, door, run, "pending")) == (0, 0, 3, 0)
    approved = await decided(world, door, run, "approve")
    assert (counts(approved), approved["conflicts"][0]["proposal_id"]) == ((2, 0, 1, 1), ids[0])
    assert told == [
        ("rejected", ids[:2], "olga"), ("proposed", ids[1:2], "olga"), ("approved", ids[:2], "olga"),
    ]  # fmt: skip


async def test_an_effect_that_breaks_takes_the_whole_decision_back(
    world: World, door: Door, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = await completed(world, door)
    await proposed(world, run, {}, {"kind": "insight"})

    def effect(*_: Any) -> dict[str, str]:
        raise InvalidParameter("It broke.", field="proposal_ids")

    monkeypatch.setitem(EFFECTS, ProposalKind.INSIGHT, effect)
    before = await world.dump()
    for decision in ("approve", "reject"):
        refused = await decided(world, door, run, decision)
        assert (refused.status, refused.details["field"]) == (400, "proposal_ids")
    assert await world.dump() == before


def relationship(column: str) -> dict[str, Any]:
    """A proposal that a column refers to another."""
    value = {"type": "FOREIGN_KEY", "schema": "sch", "table": "t2", "column": "id"}
    return {"asset_fqn": column, "kind": "relationship", "field": "column_relationships", "proposed_value": value}


async def test_one_approval_is_one_version_of_each_asset_it_touches(world: World, door: Door) -> None:
    columns = [f"{TABLE}.c{number}" for number in range(4)]
    await cataloged(world, *columns, "svc.db.sch.t2.id")
    run = await run_in(world, await configure(world, door), "completed")
    proposals = [{"asset_fqn": fqn} for fqn in (*columns, TABLE, "svc.db.sch", "svc.db.sch.t2.id")]
    proposals += [{"asset_fqn": fqn, "kind": "pii_tag", "proposed_value": tag("Email")} for fqn in columns[:2]]
    await proposed(world, run, *proposals, relationship(columns[0]), relationship(columns[3]))
    before = {fqn: (await asset(world, door, fqn))["version"] for fqn in (*columns, TABLE, "svc.db.sch")}
    assert set(before.values()) <= {"0.1", "0.2", "0.3", "0.4", "0.5"}
    assert counts(await decided(world, door, run, "approve")) == (11, 0, 0, 0)
    for fqn, version in before.items():
        after = await asset(world, door, fqn)
        assert after["version"] == f"0.{int(version[2:]) + 1}"
        assert after["change_description"]["previous_version"] == version
        assert run in after["version_change_reason"]
    table = await asset(world, door)
    changed = {kind: {one["field_name"] for one in fields} for kind, fields in table["change_description"].items()
               if kind != "previous_version"}  # fmt: skip
    assert changed["fields_added"] == {"description"}
    assert changed["fields_updated"] == {
        *(f"columns.c{number}.description" for number in range(4)),
        *(f"columns.c{number}.{name}" for number in range(2) for name in ("tags", "is_pii_tagged")),
        "columns.c0.column_relationships", "columns.c3.column_relationships",
    }  # fmt: skip
    # A table of which a column alone is changed is one version too, told why.
    other = await asset(world, door, "svc.db.sch.t2")
    assert [one["field_name"] for one in other["change_description"]["fields_updated"]] == ["columns.id.description"]
    assert run in other["version_change_reason"]


async def test_a_run_that_approves_in_parts_is_one_version_of_a_table_all_the_same(
    world: World, door: Door, monkeypatch: pytest.MonkeyPatch
) -> None:
    tables = ("svc.db.sch.a", "svc.db.sch.b", "svc.db.sch.c")
    await cataloged(world, *[f"{name}.x" for name in tables])
    run = await run_in(world, await configure(world, door), "completed")
    # In the order of their work, the proposals about a table lie far apart.
    await proposed(world, run, *[{"asset_fqn": f"{name}.x"} for name in tables], *[{"asset_fqn": n} for n in tables])
    before = [(await asset(world, door, name))["version"] for name in tables]
    monkeypatch.setattr(approvals, "MOST_AT_ONCE", 3)
    after, parts = "", 0

    def work(uow: Any, after: str) -> Any:
        found = uow.workflow_runs.held(scope(world), run)
        return approve_next(uow, scope(world), found, after, actor="olga", now=world.clock())

    while after is not None:
        after, parts = await written(world, lambda uow, after=after: work(uow, after)), parts + 1
    assert parts == 3
    assert [(await asset(world, door, name))["version"] for name in tables] == [
        f"0.{int(one[2:]) + 1}" for one in before
    ]


async def test_a_decision_that_moves_nothing_is_refused_unless_it_stands(world: World, door: Door) -> None:
    run = await completed(world, door)
    await proposed(world, run, {}, {"kind": "insight"})
    assert counts(await decided(world, door, run, "pending")) == (0, 0, 2, 0)
    approved = await decided(world, door, run, "approve")
    before = await world.dump()
    for decision in ("reject", "pending"):
        refused = await decided(world, door, run, decision)
        assert (refused.code, refused.status, refused.details["field"]) == ("VALIDATION_ERROR", 422, "decision")
        assert "carried out and stays" in refused.message
    assert await world.dump() == before
    assert await door(get_run_approval, world.owner, run_id=run) == approved | {"moved": 0}
    assert counts(await decided(world, door, run, "approve")) == (2, 0, 0, 0)
    other = await run_in(world, await configure(world, door), "completed")
    await proposed(world, other, {"kind": "insight"})
    assert counts(await decided(world, door, other, "reject")) == (0, 1, 0, 0)
    assert counts(await decided(world, door, other, "reject")) == (0, 1, 0, 0)
    refused = await decided(world, door, other, "approve")
    assert (refused.status, refused.details["field"]) == (422, "decision")
    assert counts(await decided(world, door, other, "pending")) == (0, 0, 1, 0)
    assert counts(await decided(world, door, other, "approve")) == (1, 0, 0, 0)
