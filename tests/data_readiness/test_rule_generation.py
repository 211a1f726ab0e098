"""Generating rules and quality tags through both doors, on both stores: what is proposed, and what is left alone."""

from typing import Any

import pytest
import sqlalchemy as sa

from persistence.tables.classification import classifications
from persistence.tables.profiles import table_profiles
from persistence.tables.rules import quality_rules
from resolvers.data_readiness.approval.operations import decide_run, list_run_proposals
from resolvers.data_readiness.runs.operations import get_workflow_run, trigger_run
from resolvers.data_readiness.workflows import create_workflow_configuration
from resolvers.utils.metadata import get_metadata, update_metadata
from schema.data_readiness.proposal import ApprovalDecision
from schema.data_readiness.rule import RuleState
from schema.data_readiness.workflow import WorkflowConfigurationCreate, WorkflowType
from schema.data_readiness.workflow_run import RunCreate
from schema.utils.metadata_asset import MetadataAssetUpdate
from tests.data_readiness.workflows import written
from tests.doors import Refused
from tests.support.ingestion import Bench, Source, bench, setting_overrides, shop, source

__all__ = ["bench", "setting_overrides", "shop", "source"]

pytestmark = pytest.mark.anyio

CASES = """
    create table sales.cases (
        id bigint primary key, town text, code text, state text, phone text, paid numeric(10, 2), note text
    );
    insert into sales.cases select i,
        (array['Karlow', 'Brenthal', 'Ostrava', 'Mindelau', 'Quirl'])[1 + i % 5],
        (array['4711', '4822', '4933', '4044', '4155'])[1 + i % 5],
        (array['open', 'closed', 'waiting'])[1 + i % 3],
        lpad((1000000 + i * 7919 % 8999999)::text, 7, '0'),
        10 + (i * i * 31 + i / 9) % 157,
        case when i % 2 = 0 then 'said ' || i end
    from generate_series(1, 400) i;
    update sales.cases set town = 'Karlxw' where id = 10;
    update sales.cases set code = '4822' where id = 20;
    update sales.cases set state = 'N/A' where id = 30;
    update sales.cases set phone = '12-34' where id = 40;
    update sales.cases set paid = 990000 where id = 50;
    analyze;
"""


class Made:
    """The shop with a table of cases, ingested, and a configuration of a type of work."""

    def __init__(self, bench: Bench, source: Source, configuration: str) -> None:
        self.bench, self.configuration = bench, configuration
        self.cases = f"shop.{source.database}.sales.cases"

    async def run(self, status: str = "completed", **given: Any) -> dict[str, Any]:
        """Run it over the cases, and wait for the end."""
        run = RunCreate(**({"asset_fqn": self.cases} | given))
        started = await self.bench.call(trigger_run, configuration_id=self.configuration, run=run)
        assert not isinstance(started, Refused), started.message
        await self.bench.world.jobs.settle()
        found = await self.bench.call(get_workflow_run, configuration_id=self.configuration, run_id=started["id"])
        assert found["status"] == status, found["error_message"]
        return dict(found)

    async def proposals(self, run: dict[str, Any]) -> dict[tuple[str, str], dict[str, Any]]:
        """Return what a run proposes, by the asset below the table and the rule's or tag's name."""
        found: list[dict[str, Any]] = []
        while True:
            page = await self.bench.call(
                list_run_proposals, run_id=run["id"], joined=False, limit=100, page=len(found) // 100 + 1
            )
            found += page["items"]
            if len(page["items"]) < 100:
                break
        below = len(self.cases)
        return {
            (
                one["asset_fqn"][below:].lstrip("."),
                one["proposed_value"].get("name") or one["proposed_value"]["tag_fqn"],
            ): one
            for one in found
        }

    async def rules(self) -> dict[str, dict[str, Any]]:
        """The rules that stand, by name."""

        def work(uow: Any) -> dict[str, dict[str, Any]]:
            rows = uow.connection.execute(sa.select(quality_rules)).mappings()
            return {row["name"]: dict(row) for row in rows}

        return await written(self.bench.world, work)  # type: ignore[no-any-return]

    async def classified(self) -> dict[tuple[str, str], dict[str, Any]]:
        """The tags that are kept, by the asset below the table and the tag."""

        def work(uow: Any) -> dict[tuple[str, str], dict[str, Any]]:
            rows = uow.connection.execute(sa.select(classifications)).mappings()
            below = len(self.cases)
            return {(row["asset_fqn"][below:].lstrip("."), row["tag_fqn"]): dict(row) for row in rows}

        return await written(self.bench.world, work)  # type: ignore[no-any-return]


async def made(bench: Bench, source: Source, kind: WorkflowType) -> Made:
    """Fill the shop, ingest it, and configure a type of work."""
    source.run(CASES)
    await bench.ingest()
    configuration = WorkflowConfigurationCreate(name="Generate", workflow_type=kind)
    answer = await bench.call(create_workflow_configuration, configuration=configuration)
    return Made(bench, source, answer["id"])


async def test_rules_are_proposed_with_evidence_and_nothing_wrong_is_learned(bench: Bench, source: Source) -> None:
    work = await made(bench, source, WorkflowType.DQ_RULE_GENERATION)
    run = await work.run()
    rules = await work.rules()
    assert {rule["state"] for rule in rules.values()} == {"proposed"}
    assert {rule["origin"] for rule in rules.values()} == {"generated"}
    assert {rule["workflow_run_id"] for rule in rules.values()} == {run["id"]}
    assert run["output"]["new_rules"] == run["output"]["rules_found"] == run["output"]["proposal_parts"] == len(rules)
    assert (run["output"]["profiled"], run["output"]["standing_rules"]) == (1, 0)

    known = rules["state.known_values"]
    assert known["arguments"] == {"validValues": ["closed", "open", "waiting"]}
    assert (known["type"], known["metric"], known["operator"], known["threshold"]) == (
        "library", "invalidValues", "mustBe", [0.0],
    )  # fmt: skip
    assert known["asset_fqn"] == f"{work.cases}.state"
    assert 0.8 < known["confidence"] < 0.95
    assert known["expected_false_positive_rate"] == pytest.approx(3 / known["evidence"]["held_out"]["rows"], abs=1e-5)
    assert rules["phone.pattern"]["arguments"] == {"pattern": "^[0-9]{7}$"}
    assert rules["town.known_values"]["arguments"]["validValues"] == [
        "Brenthal", "Karlow", "Mindelau", "Ostrava", "Quirl",
    ]  # fmt: skip
    depends = {name for name in rules if name.startswith("depends.")}
    assert depends == {"depends.town.code", "depends.code.town"}
    assert rules["unique.id"]["confidence"] == 1.0
    assert rules["unique.id"]["evidence"]["is_declared"] is True
    assert float(rules["paid.plausible_range"]["arguments"]["maximum"]) < 2000
    assert "note.no_nulls" not in rules
    high = {name for name, rule in rules.items() if rule["severity"] == "high"}
    assert high == {"not_empty", "unique.id", "id.no_nulls"}, "what was guessed has to hold first"
    assert rules["not_empty"]["asset_fqn"] == work.cases

    offered = await work.proposals(run)
    one = offered["state", "state.known_values"]
    assert (one["kind"], one["state"], one["current_value"]) == ("rule", "proposed", None)
    assert one["proposed_value"]["rule_id"] == known["id"]
    assert one["confidence"] == known["confidence"]
    assert one["evidence"]["expected_false_positive_rate"] == known["expected_false_positive_rate"]
    assert set(offered) == {
        (rule["asset_fqn"].removeprefix(work.cases).lstrip("."), name) for name, rule in rules.items()
    }


async def test_a_later_run_proposes_nothing_twice_and_takes_new_figures(shop: Bench, source: Source) -> None:
    work = await made(shop, source, WorkflowType.DQ_RULE_GENERATION)
    first = await work.run()
    again = await work.run()
    before = await work.rules()
    assert again["output"]["proposals"] == 0
    assert (again["output"]["new_rules"], again["output"]["profiled"]) == (0, 0)
    assert again["output"]["renewed_rules"] == first["output"]["new_rules"]

    source.run("update sales.cases set state = 'stopped' where id % 10 = 0; analyze")
    third = await work.run(parameters={"max_profile_age_seconds": 0})
    rules = await work.rules()
    assert third["output"]["profiled"] == 1
    assert set(rules) == {*before, "state.no_nulls"}  # nothing stands for a missing state any more
    assert rules["state.known_values"]["id"] == before["state.known_values"]["id"]
    assert rules["state.known_values"]["arguments"]["validValues"] == ["closed", "open", "stopped", "waiting"]
    assert ("state", "state.known_values") in await work.proposals(third)
    assert ("phone", "phone.pattern") not in await work.proposals(third)


@pytest.mark.parametrize("state", [RuleState.ACTIVE, RuleState.DISABLED, RuleState.REJECTED])
async def test_what_a_person_decided_stays(shop: Bench, source: Source, state: RuleState) -> None:
    work = await made(shop, source, WorkflowType.DQ_RULE_GENERATION)
    await work.run()
    where = quality_rules.c.name == "state.known_values"
    await written(
        shop.world,
        lambda uow: uow.connection.execute(quality_rules.update().where(where).values(state=state.value)),
    )
    before = (await work.rules())["state.known_values"]
    source.run("update sales.cases set state = 'stopped' where id % 10 = 0; analyze")
    run = await work.run(parameters={"max_profile_age_seconds": 0})
    assert (await work.rules())["state.known_values"] == before
    assert ("state", "state.known_values") not in await work.proposals(run)
    assert run["output"]["standing_rules"] == 1


async def test_approving_lets_rules_be_executed_and_rejecting_keeps_them_away(bench: Bench, source: Source) -> None:
    work = await made(bench, source, WorkflowType.DQ_RULE_GENERATION)
    run = await work.run()
    await work.run()  # concludes the same, proposes nothing, and takes nothing from the first
    offered = await work.proposals(run)
    named = [offered["phone", "phone.pattern"]["id"], offered["", "not_empty"]["id"]]
    decided = await bench.call(
        decide_run, run_id=run["id"],
        approval=ApprovalDecision.model_validate({"decision": "approve", "proposal_ids": named}),
    )  # fmt: skip
    assert (decided["approved"], decided["conflicted"]) == (2, 0)
    decided = await bench.call(decide_run, run_id=run["id"], approval=ApprovalDecision(decision="reject"))
    assert decided["rejected"] == len(offered) - 2
    rules = await work.rules()
    active = {name for name, rule in rules.items() if rule["state"] == "active"}
    assert active == {"phone.pattern", "not_empty"}
    assert {rule["state"] for name, rule in rules.items() if name not in active} == {"rejected"}
    again = await work.run(parameters={"max_profile_age_seconds": 0})
    assert again["output"]["proposals"] == 0
    assert again["output"]["standing_rules"] == len(rules)


async def test_a_run_that_saves_all_makes_its_rules_active(shop: Bench, source: Source) -> None:
    work = await made(shop, source, WorkflowType.DQ_RULE_GENERATION)
    await work.run()
    await work.run(save_all=True)
    assert {rule["state"] for rule in (await work.rules()).values()} == {"active"}


async def test_a_proposal_whose_rule_has_other_figures_now_is_a_conflict(shop: Bench, source: Source) -> None:
    work = await made(shop, source, WorkflowType.DQ_RULE_GENERATION)
    first = await work.run()
    offered = await work.proposals(first)
    source.run("update sales.cases set state = 'stopped' where id % 10 = 0; analyze")
    await work.run(parameters={"max_profile_age_seconds": 0})
    decided = await shop.call(
        decide_run, run_id=first["id"],
        approval=ApprovalDecision.model_validate(
            {"decision": "approve", "proposal_ids": [offered["state", "state.known_values"]["id"]]}
        ),
    )  # fmt: skip
    assert (decided["approved"], decided["conflicted"]) == (0, 1)
    assert "drawn the rule up anew" in decided["conflicts"][0]["message"]


async def test_values_of_personal_data_stand_in_no_rule(shop: Bench, source: Source) -> None:
    work = await made(shop, source, WorkflowType.DQ_RULE_GENERATION)
    change = MetadataAssetUpdate.model_validate({"is_pii_tagged": True})
    for column in ("state", "town", "paid"):
        about = {"resource_type": "data_connection", "resource_uri": shop.uri, "fqn": f"{work.cases}.{column}"}
        answer = await shop.call(update_metadata, **about, changes=change)
        assert not isinstance(answer, Refused), answer.message
    run = await work.run()
    rules = await work.rules()
    assert not {"state.known_values", "town.known_values", "paid.plausible_range"} & set(rules)
    for value in ("Karlow", "waiting", "990000"):
        assert value not in str(rules)
        assert value not in str(await work.proposals(run))


async def test_a_profile_is_measured_once_and_kept(shop: Bench, source: Source) -> None:
    work = await made(shop, source, WorkflowType.DQ_RULE_GENERATION)
    run = await work.run()

    def read(uow: Any) -> list[tuple[str, str]]:
        query = sa.select(table_profiles.c.asset_fqn, table_profiles.c.workflow_run_id)
        return [(row.asset_fqn, row.workflow_run_id) for row in uow.connection.execute(query)]

    assert await written(shop.world, read) == [(work.cases, run["id"])]


async def test_columns_are_tagged_with_the_dimensions_that_matter_for_them(bench: Bench, source: Source) -> None:
    work = await made(bench, source, WorkflowType.GENERATE_DQ_TAGS)
    run = await work.run()
    offered = await work.proposals(run)
    tags: dict[str, set[str]] = {}
    for column, tag in offered:
        tags.setdefault(column, set()).add(tag.removeprefix("DataQuality."))
    assert tags["id"] >= {"Uniqueness", "Completeness"}
    assert "Validity" in tags["phone"]
    assert "Validity" in tags["state"]
    assert "Consistency" in tags["town"]
    assert "Accuracy" in tags["paid"]
    assert "Completeness" not in tags["note"]
    assert "" not in tags
    one = offered["phone", "DataQuality.Validity"]
    assert (one["kind"], one["field"]) == ("dq_tag", "tags")
    [sign] = one["evidence"]["found"]
    assert sign["recognizer"] == "phone.pattern"
    assert sign["weight"] == one["confidence"]
    assert await work.rules() == {}
    kept = await work.classified()
    assert kept.keys() == offered.keys()
    phone = kept["phone", "DataQuality.Validity"]
    assert (phone["kind"], phone["state"], phone["confidence"]) == ("dq", "suggested", one["confidence"])
    assert phone["evidence"] == one["evidence"]["found"]


async def test_tags_that_people_decided_about_stay_and_others_are_withdrawn(shop: Bench, source: Source) -> None:
    work = await made(shop, source, WorkflowType.GENERATE_DQ_TAGS)
    run = await work.run()
    offered = await work.proposals(run)
    phone, paid = ("phone", "DataQuality.Validity"), ("paid", "DataQuality.Accuracy")
    for about, decision in ((phone, "reject"), (("town", "DataQuality.Consistency"), "approve")):
        approval = ApprovalDecision.model_validate({"decision": decision, "proposal_ids": [offered[about]["id"]]})
        await shop.call(decide_run, run_id=run["id"], approval=approval)
    source.run("update sales.cases set phone = 'x' || id, paid = null; analyze")
    again = await work.run(parameters={"max_profile_age_seconds": 0})
    kept = await work.classified()
    assert kept[phone]["state"] == "rejected"
    assert kept["town", "DataQuality.Consistency"]["state"] == "confirmed"
    assert paid in offered
    assert paid not in kept
    assert again["output"]["withdrawn_tags"] >= 1
    assert not {phone, ("town", "DataQuality.Consistency")} & set(await work.proposals(again))


async def test_tables_are_tagged_and_approving_sets_the_mark(bench: Bench, source: Source) -> None:
    work = await made(bench, source, WorkflowType.DQ_TAG_GENERATION)
    run = await work.run()
    offered = await work.proposals(run)
    assert {column for column, _ in offered} == {""}
    tags = {tag for _, tag in offered}
    assert {"DataQuality.Consistency", "DataQuality.Uniqueness"} <= tags
    approval = ApprovalDecision(decision="approve")
    decided = await bench.call(decide_run, run_id=run["id"], approval=approval)
    assert (decided["approved"], decided["conflicted"]) == (len(tags), 0)
    found = await bench.call(get_metadata, resource_type="data_connection", resource_uri=bench.uri, fqn=work.cases)
    assert {tag["tag_fqn"] for tag in found["tags"]} == tags
    assert found["is_dq_tagged"] is True
    again = await work.run()
    assert again["output"]["proposals"] == 0


async def test_a_table_that_cannot_be_read_fails_alone(shop: Bench, source: Source) -> None:
    work = await made(shop, source, WorkflowType.DQ_RULE_GENERATION)
    source.run("drop table sales.cases")
    prefix = work.cases.removesuffix(".cases")
    run = await work.run("failed", asset_fqn=prefix)
    assert "what was found in the other tables is proposed" in run["error_message"]
    assert work.cases in run["error_message"]
    assert any(rule["asset_fqn"].startswith(f"{prefix}.customers") for rule in (await work.rules()).values())


async def test_a_run_over_nothing_fails_with_what_to_do(shop: Bench, source: Source) -> None:
    work = await made(shop, source, WorkflowType.DQ_RULE_GENERATION)
    run = await work.run("failed", asset_fqn=None, parameters={"include": ["shop.elsewhere"]})
    assert "Run service-ingestion first" in run["error_message"]
