"""Tags for personal data and sensitivity on a real source: found by values, proposed once, decided by people."""

import json
from typing import Any

import pytest

from resolvers.data_readiness.approval.operations import decide_run, list_run_proposals
from resolvers.data_readiness.classifications import (
    decide_classification,
    get_classification,
    list_classifications,
    list_taxonomy,
)
from resolvers.data_readiness.runs.operations import get_workflow_run, trigger_run
from resolvers.data_readiness.workflows import create_workflow_configuration
from resolvers.utils.metadata import update_metadata
from schema.data_readiness.classification import ClassificationDecision, ClassificationState
from schema.data_readiness.proposal import ApprovalDecision
from schema.data_readiness.workflow import WorkflowConfigurationCreate, WorkflowType
from schema.data_readiness.workflow_run import RunCreate
from schema.utils.metadata_asset import MetadataAssetUpdate
from tests.doors import Refused
from tests.support.ingestion import Bench, Source, bench, keep_up, setting_overrides, shop, source

__all__ = ["bench", "setting_overrides", "shop", "source"]

pytestmark = pytest.mark.anyio

SECRET = "quixotic.marmot"
"""Stands in the data, and nowhere else."""

PERSONS = f"""
    create table sales.t1 (c1 integer primary key, c17 text, c18 date, email text, c19 text);
    insert into sales.t1 select i, '{SECRET}' || i || '@mail-' || (i % 7) || '.example.org',
        date '1950-01-01' + (i * 113) % 16000, 'SKU-' || (10000 + i * 37), 'NW1 ' || (i % 9) || 'A' || chr(65 + i % 8)
        from generate_series(1, 300) i;
    create table sales.t2 (c1 integer primary key, c2 numeric(8, 2), c3 text);
    insert into sales.t2 select i, i * 1.25, 'Lamp ' || i from generate_series(1, 100) i;
"""


class Tagger:
    """A source that was ingested, and configurations that tag it."""

    def __init__(self, bench: Bench, source: Source) -> None:
        self.bench, self.source = bench, source
        self.prefix = f"shop.{source.database}.sales"
        self.configurations: dict[WorkflowType, str] = {}

    async def run(self, kind: WorkflowType = WorkflowType.GENERATE_PII_TAGS, **given: Any) -> dict[str, Any]:
        """Tag, and wait for the end."""
        if kind not in self.configurations:
            made = await self.bench.call(
                create_workflow_configuration,
                configuration=WorkflowConfigurationCreate(name=str(kind), workflow_type=kind),
            )
            self.configurations[kind] = made["id"]
        run = RunCreate(**{"asset_fqn": f"{self.prefix}.t1"} | given)
        started = await self.bench.call(trigger_run, configuration_id=self.configurations[kind], run=run)
        assert not isinstance(started, Refused), started.message
        await self.bench.world.jobs.settle()
        found = await self.bench.call(
            get_workflow_run, configuration_id=self.configurations[kind], run_id=started["id"]
        )
        assert found["status"] == "completed", found["error_message"]
        return dict(found)

    async def tags(self, **how: Any) -> dict[tuple[str, str], dict[str, Any]]:
        """The classifications by the asset's last name and the tag."""
        listed = await self.bench.call(list_classifications, limit=100, **how)
        return {(one["asset_fqn"].rsplit(".", 1)[1], one["tag_fqn"]): one for one in listed["items"]}

    async def proposals(self, run: dict[str, Any]) -> list[dict[str, Any]]:
        """Return what a run proposes."""
        listed = await self.bench.call(list_run_proposals, run_id=run["id"], joined=False, limit=100)
        return list(listed["items"])

    async def approve(self, run: dict[str, Any], decision: str = "approve", **given: Any) -> dict[str, Any]:
        """Decide about a run's proposals."""
        body = ApprovalDecision.model_validate({"decision": decision} | given)
        answer = await self.bench.call(decide_run, run_id=run["id"], approval=body)
        assert not isinstance(answer, Refused), answer.message
        return dict(answer)

    async def decide(self, one: dict[str, Any], state: str) -> Any:
        """Decide about one classification."""
        body = ClassificationDecision.model_validate({"state": state})
        return await self.bench.call(decide_classification, classification_id=one["id"], decision=body)

    async def asset(self, *path: str) -> dict[str, Any]:
        """An asset as it stands."""
        return await self.bench.asset(*self.source_path(*path))

    def source_path(self, *path: str) -> tuple[str, ...]:
        """The parts of its name below the service."""
        return (self.source.database, "sales", *path)

    async def set_tags(self, *names: str, on: tuple[str, ...]) -> None:
        """Write the tags of an asset by hand."""
        tags = [
            {"tag_id": name, "tag_fqn": name, "category_name": name.split(".")[0], "tag_name": name.split(".")[1]}
            for name in names
        ]
        answer = await self.bench.call(
            update_metadata,
            resource_type="data_connection",
            resource_uri=self.bench.uri,
            fqn=".".join(("shop", *self.source_path(*on))),
            changes=MetadataAssetUpdate.model_validate({"tags": tags}),
        )
        assert not isinstance(answer, Refused), answer.message


async def tagger(bench: Bench, source: Source) -> Tagger:
    """Fill the shop and ingest it."""
    source.run(PERSONS)
    await bench.ingest()
    return Tagger(bench, source)


EMAIL = ("c17", "PII.Email")


async def test_columns_are_tagged_by_what_they_hold_and_not_by_their_names(shop: Bench, source: Source) -> None:
    made = await tagger(shop, source)
    run = await made.run(asset_fqn=made.prefix)
    found = await made.tags(kind="pii")
    assert set(found) >= {EMAIL, ("t1", "PII.PersonalData"), ("c18", "PII.DateOfBirth")}
    assert not any(name in ("email", "c1", "c2", "c3", "t2") for name, _ in found)
    one = found[EMAIL]
    assert (one["kind"], one["state"], one["decided_by"]) == ("pii", "suggested", None)
    assert one["confidence"] > 0.9
    assert one["workflow_run_id"] == run["id"]
    evidence = one["evidence"][0]
    assert set(evidence) == {"recognizer", "source", "share", "weight", "reason"}
    assert (evidence["recognizer"], evidence["source"], evidence["share"]) == ("email-grammar", "values", 1.0)
    assert run["output"]["tables"] == 5
    assert run["output"]["proposal_parts"] == len(await made.proposals(run)) == len(found)


async def test_no_value_of_the_data_stands_in_what_is_said(
    shop: Bench, source: Source, caplog: pytest.LogCaptureFixture
) -> None:
    made = await tagger(shop, source)
    run = await made.run()
    await made.run(WorkflowType.GENERATE_SENSITIVITY_TAGS)
    said = json.dumps([list((await made.tags()).values()), await made.proposals(run), run])
    assert "PII.Email" in said
    assert SECRET not in said
    assert SECRET not in caplog.text


async def test_approving_a_proposal_tags_the_asset_and_confirms_the_classification(shop: Bench, source: Source) -> None:
    made = await tagger(shop, source)
    run = await made.run()
    wanted = {
        (one["asset_fqn"].rsplit(".", 1)[1], one["proposed_value"]["tag_fqn"]): one for one in await made.proposals(run)
    }
    assert wanted[EMAIL]["kind"] == "pii_tag"
    await made.approve(run, proposal_ids=[wanted[EMAIL]["id"]])
    await made.approve(run, "reject")
    found = await made.tags()
    assert (found[EMAIL]["state"], found[EMAIL]["decided_by"]) == ("confirmed", "olga")
    assert {one["state"] for name, one in found.items() if name != EMAIL} == {"rejected"}
    column = await made.asset("t1", "c17")
    assert [tag["tag_fqn"] for tag in column["tags"]] == ["PII.Email"]
    assert column["is_pii_tagged"] is True
    await made.approve(run, "pending", proposal_ids=[wanted[("c18", "PII.DateOfBirth")]["id"]])
    again = (await made.tags())[("c18", "PII.DateOfBirth")]
    assert (again["state"], again["decided_by"]) == ("suggested", None)


async def test_what_people_decided_survives_every_later_run(shop: Bench, source: Source) -> None:
    made = await tagger(shop, source)
    run = await made.run()
    found = await made.tags()
    await made.approve(
        run, "reject", proposal_ids=[one["id"] for one in await made.proposals(run) if one["asset_fqn"].endswith("c18")]
    )
    await made.decide(found[EMAIL], "confirmed")
    source.run(
        "insert into sales.t1 select i, 'x' || i || '@b.example.org', '1970-01-01', 'SKU-1', 'NW1 1AA' "
        "from generate_series(1000, 1100) i"
    )
    later = await made.run(save_all=True)
    assert later["output"]["unchanged"] == 0
    assert not any(one["asset_fqn"].endswith(("c17", "c18")) for one in await made.proposals(later))
    after = await made.tags()
    assert (after[EMAIL]["state"], after[EMAIL]["decided_by"]) == ("confirmed", "olga")
    assert after[EMAIL]["data_fingerprint"] != found[EMAIL]["data_fingerprint"]
    assert after[EMAIL]["workflow_run_id"] == later["id"]
    assert after[("c18", "PII.DateOfBirth")]["state"] == "rejected"
    assert [tag["tag_fqn"] for tag in (await made.asset("t1", "c18"))["tags"] or ()] == []


async def test_a_table_is_looked_at_again_only_when_something_changed(shop: Bench, source: Source) -> None:
    made = await tagger(shop, source)
    first = await made.run()
    assert (first["output"]["unchanged"], first["output"]["new"]) == (0, first["output"]["proposal_parts"])
    second = await made.run()
    assert second["output"] == second["output"] | {"unchanged": 1, "proposals": 0}
    source.run("comment on column sales.t1.c17 is 'How to reach them.'")
    await shop.ingest()
    third = await made.run()
    assert third["output"] == third["output"] | {"unchanged": 0, "new": 0, "proposals": 0}
    source.run("update sales.t1 set c17 = 'SKU-' || c1")
    fourth = await made.run()
    assert fourth["output"]["withdrawn"] >= 1
    assert EMAIL not in await made.tags()


async def test_tags_that_people_put_on_or_took_off_are_left_to_them(shop: Bench, source: Source) -> None:
    made = await tagger(shop, source)
    await made.set_tags("PII.Email", on=("t1", "c17"))
    run = await made.run()
    assert not any(one["asset_fqn"].endswith("c17") for one in await made.proposals(run))
    assert (await made.tags())[EMAIL]["state"] == "confirmed"
    await made.set_tags(on=("t1", "c17"))
    later = await made.run()
    assert later["output"]["decided_by_hand"] == 1
    assert (await made.tags())[EMAIL]["state"] == "rejected"
    assert await made.proposals(later) == []
    last = await made.run(save_all=True)
    assert not any(one["asset_fqn"].endswith("c17") for one in await made.proposals(last))


async def test_a_steward_decides_about_a_classification(shop: Bench, source: Source) -> None:
    made = await tagger(shop, source)
    run = await made.run()
    one = (await made.tags())[EMAIL]
    assert (await shop.call(get_classification, classification_id=one["id"]))["tag_fqn"] == "PII.Email"
    decided = await made.decide(one, "confirmed")
    assert (decided["state"], decided["decided_by"]) == ("confirmed", "olga")
    assert (await made.asset("t1", "c17"))["is_pii_tagged"] is True
    states = {p["asset_fqn"].rsplit(".", 1)[1]: p["state"] for p in await made.proposals(run)}
    assert (states["c17"], states["c18"]) == ("approved", "proposed")
    refused = await made.decide(one, "suggested")
    assert (refused.code, refused.status) == ("VALIDATION_ERROR", 422)
    assert (await made.decide(one, "rejected"))["state"] == "rejected"
    column = await made.asset("t1", "c17")
    assert (column["tags"], column["is_pii_tagged"]) == ([], False)
    assert (await made.decide(one, "suggested"))["decided_by"] is None


async def test_what_profiling_finds_is_seen_and_decided_and_the_rest_is_proposed(shop: Bench, source: Source) -> None:
    made = await tagger(shop, source)
    await made.run(WorkflowType.PROFILING)
    found = await made.tags(state=ClassificationState.SUGGESTED)
    assert {("c17", "PII.Email"), ("c18", "PII.DateOfBirth")} <= set(found)
    assert (await made.decide(found["c17", "PII.Email"], "confirmed"))["state"] == "confirmed"
    assert (await made.asset("t1", "c17"))["is_pii_tagged"] is True
    assert (await made.decide(found["c18", "PII.DateOfBirth"], "rejected"))["state"] == "rejected"
    proposed = {one["asset_fqn"].rsplit(".", 1)[1] for one in await made.proposals(await made.run())}
    assert "t1" in proposed
    assert not {"c17", "c18"} & proposed
    # Neither does profiling again bring back what was decided.
    await made.run(WorkflowType.PROFILING)
    states = {key: one["state"] for key, one in (await made.tags()).items()}
    assert (states["c17", "PII.Email"], states["c18", "PII.DateOfBirth"]) == ("confirmed", "rejected")


async def test_a_decision_on_what_somebody_else_changed_is_a_conflict(shop: Bench, source: Source) -> None:
    made = await tagger(shop, source)
    await made.run()
    one = (await made.tags())[EMAIL]
    path, world = f"/data-readiness/classifications/{one['id']}", shop.world
    read = await world.request("GET", path, token=world.owner)
    etag = {"If-Match": read.headers["ETag"]}
    first = await world.request("PATCH", path, token=world.owner, json={"state": "rejected"}, headers=etag)
    assert (first.status_code, first.json()["state"]) == (200, "rejected")
    second = await world.request("PATCH", path, token=world.owner, json={"state": "confirmed"}, headers=etag)
    assert (second.status_code, second.json()["error"]["code"]) == (409, "VERSION_CONFLICT")
    assert (await made.tags())[EMAIL]["state"] == "rejected"


async def test_sensitivity_follows_from_the_taxonomy_and_combinations_raise_it(shop: Bench, source: Source) -> None:
    made = await tagger(shop, source)
    await made.run(asset_fqn=made.prefix)
    run = await made.run(WorkflowType.GENERATE_SENSITIVITY_TAGS, asset_fqn=made.prefix)
    found = await made.tags(kind="sensitivity")
    assert ("c17", "Sensitivity.Confidential") in found
    assert ("t1", "Sensitivity.Confidential") in found
    assert {tag for (name, tag) in found if name == "t2"} == {"Sensitivity.Internal"}
    assert len([one for one in found if one[0] == "c17"]) == 1
    reason = found[("c17", "Sensitivity.Confidential")]["evidence"][0]
    assert reason["recognizer"] == "taxonomy"
    assert "PII.Email is Confidential" in reason["reason"]
    assert {one["kind"] for one in await made.proposals(run)} == {"sensitivity_tag"}
    await made.approve(run)
    assert (await made.asset("t1"))["is_sensitivity_tagged"] is True


async def test_a_level_that_rests_on_what_was_rejected_since_is_not_carried_out(shop: Bench, source: Source) -> None:
    made = await tagger(shop, source)
    kind = WorkflowType.GENERATE_SENSITIVITY_TAGS
    await made.run()
    run = await made.run(kind)
    levels = {one["asset_fqn"].rsplit(".", 1)[1]: one for one in await made.proposals(run)}
    assert levels["c17"]["proposed_value"]["tag_fqn"] == "Sensitivity.Confidential"
    for (name, _), one in (await made.tags(kind="pii")).items():
        if name == "c17":
            await made.decide(one, "rejected")
    answer = await made.approve(run)
    [conflict] = answer["conflicts"]
    assert conflict["proposal_id"] == levels["c17"]["id"]
    assert "Run generate-sensitivity-tags again" in conflict["message"]
    assert not (await made.asset("t1", "c17"))["tags"]
    assert (await made.asset("t1"))["is_sensitivity_tagged"] is True  # its date of birth is as sensitive
    again = {one["asset_fqn"].rsplit(".", 1)[1]: one for one in await made.proposals(await made.run(kind))}
    assert again["c17"]["proposed_value"]["tag_fqn"] == "Sensitivity.Internal"


async def test_a_table_falls_with_all_that_was_sensitive_in_it(shop: Bench, source: Source) -> None:
    made = await tagger(shop, source)
    kind = WorkflowType.GENERATE_SENSITIVITY_TAGS
    await made.run()
    run = await made.run(kind)
    for one in (await made.tags(kind="pii")).values():
        await made.decide(one, "rejected")
    answer = await made.approve(run)
    assert f"{made.prefix}.t1" in {one["asset_fqn"] for one in answer["conflicts"]}
    assert not (await made.asset("t1"))["tags"]
    states = {one["asset_fqn"]: one["state"] for one in await made.proposals(run)}
    assert states[f"{made.prefix}.t1"] == "proposed"


async def test_what_had_no_finding_is_raised_when_something_is_found_later(shop: Bench, source: Source) -> None:
    made = await tagger(shop, source)
    kind = WorkflowType.GENERATE_SENSITIVITY_TAGS
    where = f"{made.prefix}.t2"
    await made.approve(await made.run(kind, asset_fqn=where))
    column = "c3"
    assert [tag["tag_fqn"] for tag in (await made.asset("t2", column))["tags"]] == ["Sensitivity.Internal"]
    await made.set_tags("Sensitivity.Internal", "PII.Passport", on=("t2", column))
    again = await made.run(kind, asset_fqn=where)
    assert {one["proposed_value"]["tag_fqn"] for one in await made.proposals(again)} == {"Sensitivity.Restricted"}
    await made.approve(again)
    tags = [tag["tag_fqn"] for tag in (await made.asset("t2", column))["tags"]]
    assert tags == ["PII.Passport", "Sensitivity.Restricted"]


async def test_sensitivity_recognises_itself_when_nobody_has_looked(shop: Bench, source: Source) -> None:
    made = await tagger(shop, source)
    await made.run(WorkflowType.GENERATE_SENSITIVITY_TAGS)
    found = await made.tags()
    assert ("c17", "Sensitivity.Confidential") in found
    assert {one["kind"] for one in found.values()} == {"sensitivity"}


async def test_a_level_that_people_gave_is_not_argued_with(shop: Bench, source: Source) -> None:
    made = await tagger(shop, source)
    await made.set_tags("Sensitivity.Public", on=("t1", "c17"))
    run = await made.run(WorkflowType.GENERATE_SENSITIVITY_TAGS)
    assert not any(one["asset_fqn"].endswith("c17") for one in await made.proposals(run))
    assert not any(name == "c17" for name, _ in await made.tags())


async def test_save_all_tags_at_once(shop: Bench, source: Source) -> None:
    made = await tagger(shop, source)
    await made.run(save_all=True)
    found = await made.tags()
    assert {(one["state"], one["decided_by"]) for one in found.values()} == {("accepted", None)}, "nobody confirmed"
    assert (await made.asset("t1"))["is_pii_tagged"] is True
    await made.run(parameters={"sample_rows": 200})
    assert {one["state"] for one in (await made.tags()).values()} == {"accepted"}
    assert (await made.decide(found[EMAIL], "confirmed"))["state"] == "confirmed"
    assert (await made.decide(found[EMAIL], "accepted")).code == "VALIDATION_ERROR"


async def test_the_list_is_filtered(shop: Bench, source: Source) -> None:
    made = await tagger(shop, source)
    run = await made.run()
    everything = await made.tags()
    assert set(await made.tags(asset_fqn=f"{made.prefix}.t1.c17")) == {EMAIL}
    assert set(await made.tags(asset_fqn=f"{made.prefix}.t1")) == set(everything)
    assert await made.tags(asset_fqn=f"{made.prefix}.t") == {}
    assert set(await made.tags(tag_fqn="PII.Email")) == {EMAIL}
    assert await made.tags(state="confirmed") == {}
    assert await made.tags(kind="sensitivity") == {}
    assert set(await made.tags(workflow_run_id=run["id"])) == set(everything)
    assert set(await made.tags(min_confidence=1.0)) <= set(everything)
    refused = await shop.call(list_classifications, min_confidence=1.5)
    assert refused.code in ("VALIDATION_ERROR", "INVALID_PARAMETER")
    assert (await shop.call(list_classifications, asset_fqn='a."b')).code == "INVALID_PARAMETER"
    page = await shop.call(list_classifications, limit=1, page=2)
    assert (len(page["items"]), page["total"]) == (1, len(everything))


async def test_the_taxonomy_says_what_is_looked_for(bench: Bench) -> None:
    listed = await bench.call(list_taxonomy)
    tags = {one["tag_fqn"]: one for one in listed.get("items") or listed["definitions"]}
    assert tags["PII.NationalId"]["sensitivity"].upper() == "RESTRICTED"
    assert tags["PII.City"]["is_contextual"] is True
    assert any(one.startswith("email-grammar") for one in tags["PII.Email"]["recognizers"])
    assert all(one["description"] for one in tags.values())


async def test_what_is_not_there_is_not_found(bench: Bench, source: Source) -> None:
    missing = {"id": "00000000-0000-4000-8000-000000000000"}
    made = Tagger(bench, source)
    assert (await made.decide(missing, "confirmed")).code == "RESOURCE_NOT_FOUND"
    assert (await bench.call(get_classification, classification_id=missing["id"])).code == "RESOURCE_NOT_FOUND"


async def test_assets_of_the_graph_lead_to_their_classifications(shop: Bench, source: Source) -> None:
    made = await tagger(shop, source)
    await made.run()
    world = shop.world
    keep_up(world)
    query = """
        query ($uri: String!, $fqn: String!) {
          metadata(resourceType: "data_connection", resourceUri: $uri, fqn: $fqn, includeChildren: true) {
            classifications { tagFqn } children { name classifications { tagFqn state evidence } }
          }
        }
    """
    body = {"query": query, "variables": {"uri": shop.uri, "fqn": f"{made.prefix}.t1"}}
    answer = (await world.request("POST", "/graphql", token=world.owner, json=body)).json()
    table = answer["data"]["metadata"]
    assert table["classifications"] == [{"tagFqn": "PII.PersonalData"}]
    [email] = next(child for child in table["children"] if child["name"] == "c17")["classifications"]
    assert (email["tagFqn"], email["state"]) == ("PII.Email", "SUGGESTED")
    assert email["evidence"][0]["recognizer"] == "email-grammar"
    assert next(child for child in table["children"] if child["name"] == "c1")["classifications"] == []
