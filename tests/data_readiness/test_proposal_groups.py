"""Proposals that are decided together: one thing about many assets, what is alike, and what a filter takes."""

from typing import Any
from uuid import uuid4

import pytest

from resolvers.data_readiness.approval import operations as approvals
from resolvers.data_readiness.approval.operations import (
    list_proposal_groups,
    list_run_proposals,
)
from resolvers.utils.metadata import update_metadata
from schema.utils.metadata_asset import MetadataAssetUpdate
from tests.data_readiness.proposals import as_administrator, asset, counts, decided
from tests.data_readiness.workflows import URI, cataloged, configure, proposed, run_in, tag
from tests.doors import Door
from tests.world import World

pytestmark = [
    pytest.mark.anyio,
    pytest.mark.filterwarnings("ignore:Pydantic serializer warnings"),  # wrong bodies are made here on purpose
]


async def several(world: World, door: Door) -> str:
    """A completed run that says one thing of three tables' columns, and other things of some of them."""
    fqns = [f"svc.db.sch.{table}{column}" for table in ("t1", "t2", "old") for column in ("", ".made_at", ".name")]
    await cataloged(world, *fqns)
    run = await run_in(world, await configure(world, door), "completed")
    drafts: list[dict[str, Any]] = []
    for at, table in enumerate(("t1", "t2", "old")):
        about = f"svc.db.sch.{table}"
        drafts += [
            {"asset_fqn": f"{about}.made_at", "kind": "tag", "field": "tags", "proposed_value": tag("Audit"),
             "confidence": 0.9 - at / 10, "group": "tag:audit"},
            {"asset_fqn": about, "proposed_value": f"Each row is a {table}.", "confidence": None},
        ]  # fmt: skip
    await proposed(world, run, *drafts)
    return run


async def joined(world: World, door: Door) -> tuple[str, str, list[str]]:
    """A completed run with one tag on three columns as one proposal, and two things beside it; its id and the parts."""
    fqns = [f"svc.db.sch.{table}.made_at" for table in ("t1", "t1-old", "t2")]
    await cataloged(world, *fqns)
    run, whole = await run_in(world, await configure(world, door), "completed"), str(uuid4())
    audit = {"kind": "tag", "field": "tags", "proposed_value": tag("Audit"), "part_of": whole}
    ids = await proposed(
        world, run, {}, *({"asset_fqn": fqn, "confidence": 0.9 - at / 10} | audit for at, fqn in enumerate(fqns)),
        {"asset_fqn": "svc.db.sch.t2", "proposed_value": "Each row is a t2.", "part_of": str(uuid4())},
    )  # fmt: skip
    return run, whole, ids


async def test_one_thing_about_many_assets_is_one_proposal(world: World, door: Door) -> None:
    run, whole, ids = await joined(world, door)
    listed = await door(list_run_proposals, world.owner, run_id=run)
    assert ([one["id"] for one in listed["items"]], listed["total"]) == ([ids[0], whole, ids[4]], 3)
    one = listed["items"][1]
    assert one == one | {
        "asset_fqn": "svc.db.sch", "says": "PII.Audit", "parts_total": 3, "parts_pending": 3, "state": "proposed",
        "proposed_value": tag("Audit"), "decided_by": None,
    }  # fmt: skip
    assert one["confidence"] == pytest.approx(0.7)
    assert [(part["proposal_id"], part["state"]) for part in one["parts"]] == [(id, "proposed") for id in ids[1:4]]
    assert listed["items"][2] == listed["items"][2] | {"parts_total": 1, "parts": [], "says": None}, "alone so far"
    for given, expected in (
        ({"joined": False}, ids),
        ({"part_of": whole}, ids[1:4]),
        ({"asset_fqn": "svc.db.sch.t2.made_at"}, ids[3:4]),
        ({"min_confidence": 0.85}, ids[1:2]),
        ({"kind": "tag"}, ids[1:4]),
        ({"limit": 1, "page": 2}, [whole]),
    ):
        found = await door(list_run_proposals, world.owner, run_id=run, **given)
        assert [one["id"] for one in found["items"]] == expected, given


async def test_a_joined_proposal_is_carried_out_as_its_parts(world: World, door: Door) -> None:
    run, whole, ids = await joined(world, door)
    tried = await decided(world, door, run, "approve", proposal_ids=[whole], dry_run=True)
    assert (tried["moved"], {one["id"] for one in tried["sample"]}) == (3, set(ids[1:4]))
    assert counts(await decided(world, door, run, "reject", proposal_ids=[ids[2]])) == (0, 1, 4, 0), "one part alone"
    assert counts(await decided(world, door, run, "approve", proposal_ids=[whole])) == (3 - 1, 1, 2, 0), "what is left"
    tagged = {
        table: bool((await asset(world, door, f"svc.db.sch.{table}.made_at"))["tags"])
        for table in ("t1", "t1-old", "t2")
    }
    assert tagged == {"t1": True, "t1-old": False, "t2": True}
    one = (await door(list_run_proposals, world.owner, run_id=run))["items"][1]
    assert (one["state"], one["parts_pending"]) == ("approved", 0)
    assert [part["state"] for part in one["parts"]] == ["approved", "rejected", "approved"]
    again = await decided(world, door, run, "approve", proposal_ids=[whole])
    assert (again["moved"], counts(again)) == (0, (2, 1, 2, 0)), "said again it moves nothing"
    unknown = await decided(world, door, run, "approve", proposal_ids=[str(uuid4())])
    assert (unknown.code, unknown.status) == ("RESOURCE_NOT_FOUND", 404)


async def test_a_joined_proposal_that_was_rejected_cannot_be_approved(world: World, door: Door) -> None:
    run, whole, _ = await joined(world, door)
    assert counts(await decided(world, door, run, "reject", proposal_ids=[whole])) == (0, 3, 2, 0)
    refused = await decided(world, door, run, "approve", proposal_ids=[whole])
    assert (refused.status, refused.details["field"]) == (422, "proposal_ids")
    assert counts(await decided(world, door, run, "pending", proposal_ids=[whole])) == (0, 0, 5, 0)


async def test_what_is_alike_is_one_group(world: World, door: Door) -> None:
    run = await several(world, door)
    listed = await door(list_proposal_groups, world.owner, run_id=run)
    assert [one["proposals"] for one in listed["items"]] == [3, 1, 1, 1]
    first = listed["items"][0]
    assert first == first | {
        "group": "tag:audit", "kind": "tag", "says": "PII.Audit", "assets": 3, "pending": 3, "approved": 0,
        "rejected": 0, "lowest_confidence": 0.7, "highest_confidence": 0.9,
    }  # fmt: skip
    assert first["example"]["asset_fqn"] == "svc.db.sch.t1.made_at"
    assert {one["group"] for one in listed["items"][1:]} == {one["example"]["id"] for one in listed["items"][1:]}
    for given, expected in (
        ({"min_confidence": 0.85}, [1]),
        ({"under": "svc.db.sch.t1"}, [1, 1]),
        ({"kind": "tag", "assets_like": "*.T?.made*"}, []),
        ({"kind": "tag", "assets_like": "*.T*.made_AT"}, [2]),
        ({"limit": 1, "page": 2}, [1]),
    ):
        found = await door(list_proposal_groups, world.owner, run_id=run, **given)
        assert [one["proposals"] for one in found["items"]] == expected, given
    members = await door(list_run_proposals, world.owner, run_id=run, group="tag:audit", under="svc.db.sch")
    assert [one["asset_fqn"] for one in members["items"]] == [
        "svc.db.sch.t1.made_at", "svc.db.sch.t2.made_at", "svc.db.sch.old.made_at"
    ]  # fmt: skip


async def test_a_dry_run_tells_what_a_filter_would_decide_and_writes_nothing(world: World, door: Door) -> None:
    run = await several(world, door)
    only = {"group": "tag:audit", "min_confidence": 0.75}
    before = await world.dump()
    tried = await decided(world, door, run, "approve", only=only, dry_run=True)
    assert (tried["moved"], tried["dry_run"], counts(tried)) == (2, True, (2, 0, 4, 0))
    assert [one["asset_fqn"] for one in tried["sample"]] == ["svc.db.sch.t1.made_at", "svc.db.sch.t2.made_at"]
    assert await world.dump() == before
    done = await decided(world, door, run, "approve", only=only)
    assert (done["moved"], done["dry_run"], done["sample"], counts(done)) == (2, False, [], (2, 0, 4, 0))
    assert [one["tag_name"] for one in (await asset(world, door, "svc.db.sch.t2.made_at"))["tags"]] == ["Audit"]
    assert not (await asset(world, door, "svc.db.sch.old.made_at"))["tags"]
    stands = await world.dump()
    again = await decided(world, door, run, "approve", only=only)
    assert (again["moved"], counts(again)) == (0, (2, 0, 4, 0))
    after = await world.dump()
    assert {name: after[name] for name in ("proposals", "run_approvals", "metadata_assets")} == {
        name: stands[name] for name in ("proposals", "run_approvals", "metadata_assets")
    }


@pytest.mark.parametrize(
    ("only", "moved"),
    [
        ({"kinds": ["tag", "rule"]}, 3),
        ({"under": "svc.db.sch.t1"}, 2),
        ({"under": "svc.db.sch.t"}, 0),
        ({"assets_like": "svc.*.T2*"}, 2),
        ({"assets_like": "svc.db.sch.made_at"}, 0),
        ({"assets_like": "*.made_at", "under": "svc.db.sch.old"}, 1),
        ({"group": "tag:none"}, 0),
    ],
)
async def test_a_filter_rejects_what_matches_all_of_it(
    world: World, door: Door, only: dict[str, Any], moved: int
) -> None:
    run = await several(world, door)
    answer = await decided(world, door, run, "reject", only=only)
    assert (answer["moved"], counts(answer)) == (moved, (0, moved, 6 - moved, 0))
    back = await decided(world, door, run, "pending", only=only)
    assert (back["moved"], counts(back)) == (moved, (0, 0, 6, 0))


async def test_a_filter_narrows_named_proposals_and_goes_on_table_by_table(
    world: World, door: Door, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = await several(world, door)
    listed = (await door(list_run_proposals, world.owner, run_id=run))["items"]
    named = await decided(
        world, door, run, "reject", only={"kinds": ["tag"]}, proposal_ids=[one["id"] for one in listed[:2]]
    )
    assert counts(named) == (0, 1, 5, 0)
    monkeypatch.setattr(approvals, "MOST_AT_ONCE", 2)
    seen, after = [], None
    while True:
        part = await decided(world, door, run, "approve", only={"under": "svc.db"}, after_table=after)
        seen.append((part["moved"], part["waiting"], part["go_on_after_table"]))
        after = part["go_on_after_table"]
        if after is None:
            break
    assert seen == [(2, 3, "svc.db.sch.old"), (1, 2, "svc.db.sch.t1"), (2, 0, None)]


async def test_a_filter_shows_the_conflicts_that_it_would_meet(world: World, door: Door) -> None:
    run = await several(world, door)
    await as_administrator(
        world, door, update_metadata, fqn="svc.db.sch.t1", resource_type="data_connection", resource_uri=URI,
        changes=MetadataAssetUpdate(description="Mine."),
    )  # fmt: skip
    tried = await decided(world, door, run, "approve", only={"kinds": ["description"]}, dry_run=True)
    assert (tried["moved"], tried["conflicted"]) == (2, 1)
    assert [one["asset_fqn"] for one in tried["sample"]] == ["svc.db.sch.t2", "svc.db.sch.old"]


@pytest.mark.parametrize(
    ("only", "field"),
    [
        ({"min_confidence": 2}, "only.min_confidence"),
        ({"kinds": []}, "only.kinds"),
        ({"under": ""}, "only.under"),
        ({"assets_like": "a" * 401}, "only.assets_like"),
        ({"group": ""}, "only.group"),
    ],
)
async def test_a_filter_outside_its_bounds_is_refused(world: World, only: dict[str, Any], field: str) -> None:
    path = f"/data-readiness/workflows/runs/{uuid4()}/approval"
    answer = await world.request("POST", path, token=world.owner, json={"decision": "approve", "only": only})
    assert (answer.status_code, answer.json()["error"]["code"]) == (422, "VALIDATION_ERROR"), answer.text
    assert answer.json()["error"]["details"]["field"] == field
