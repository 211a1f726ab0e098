"""Words for tables and columns, through both doors and on both stores: what is proposed, and what is left alone."""

from typing import Any
from uuid import uuid4

import pytest
import sqlalchemy as sa

from persistence.tables.catalog import metadata_assets
from resolvers.data_readiness.approval.operations import list_run_proposals
from resolvers.data_readiness.glossary import create_glossary_term, delete_glossary_term, list_glossary_term_assets
from resolvers.data_readiness.runs.operations import get_workflow_run, trigger_run
from resolvers.utils.context_packs import create_context_pack
from resolvers.utils.memories import create_memory
from schema.data_readiness.classification import Classification
from schema.data_readiness.glossary import GlossaryTermCreate
from schema.data_readiness.workflow import WorkflowType
from schema.data_readiness.workflow_run import RunCreate
from schema.utils.context_pack import ContextPackCreate
from schema.utils.memory import MemoryCreate
from tests.data_readiness.enrichment import (
    CUST,
    ORD,
    again,
    asset,
    carried_out,
    decided,
    edited,
    profiled_columns,
    proposed_by,
    shop,
    term,
    values,
)
from tests.data_readiness.workflows import URI, configure, scope, written
from tests.doors import Door
from tests.world import World

pytestmark = pytest.mark.anyio


async def test_tables_are_described_from_keys_references_and_columns(world: World, door: Door) -> None:
    await shop(world)
    run = await carried_out(world, door, WorkflowType.GENERATE_TABLE_DESCRIPTION, asset_fqn="svc.db.sales")
    found = await proposed_by(world, door, run)
    assert values(found) == {
        ("cust_mstr", "description"): "Each row is a customer, identified by `cust_id`. `cust_ord` refers to it. "
        "It records email address, whether it is active and created date.",
        ("cust_mstr", "display_name"): "Customer",
        ("cust_ord", "display_name"): "Customer Order",
    }
    about = found["cust_mstr", "description"]
    assert [one["from"] for one in about["evidence"]["statements"]] == ["keys", "references", "columns"]
    assert about["evidence"]["abbreviations"] == {"cust": "customer"}
    assert (about["current_value"], about["standing_value"], about["state"]) == (None, None, "proposed")
    assert 0.5 <= about["confidence"] <= 0.95
    assert (run["output"]["proposal_parts"], run["output"]["tasks"]) == (3, 1)
    assert (await asset(world, door, CUST))["description"] is None


async def test_columns_are_described_and_a_source_keeps_its_comment(world: World, door: Door) -> None:
    await shop(world)
    run = await carried_out(world, door, WorkflowType.ENRICH_TABLE_COLUMNS)
    found = values(await proposed_by(world, door, run))
    assert found["cust_mstr.cust_id", "description"] == "Identifies the customer."
    assert found["cust_mstr.crt_dt", "description"] == "When the customer was created."
    assert found["cust_mstr.is_actv", "display_name"] == "Is Active"
    assert found["cust_ord.cust_id", "description"] == "Refers to the customer (`cust_mstr.cust_id`)."
    assert found["cust_ord.net_amt_eur", "display_name"] == "Net Amount EUR"
    titles = {name.split(".")[-1]: title for (name, field), title in found.items() if field == "display_name"}
    restated = [name for name, title in titles.items() if title.replace(" ", "").lower() == name.replace("_", "")]
    assert restated == [], "a proposal that only spells the name anew is nothing to decide"
    assert ("cust_ord.net_amt_eur", "description") not in found
    assert {name.split(".")[0] for name, _ in found} == {"cust_mstr", "cust_ord"}
    assert all("." in name for name, _ in found), "a table is not the work of this type"


async def test_with_validation_a_comment_is_kept_and_added_to(world: World, door: Door) -> None:
    await shop(world)
    run = await carried_out(world, door, WorkflowType.GENERATE_TABLE_DESCRIPTION, parameters={"use_validation": True})
    found = await proposed_by(world, door, run)
    extended = found["cust_ord", "description"]
    assert extended["proposed_value"].startswith(
        "What was sold. Each row is a customer order, identified by `ord_id`. "
    )
    assert extended["current_value"] == extended["standing_value"] == "What was sold."


async def test_what_people_wrote_is_never_proposed_over(world: World, door: Door) -> None:
    await shop(world)
    await edited(world, door, CUST, description="Who buys from us.")
    await edited(world, door, f"{CUST}.cust_id", display_name="Our number")
    run = await carried_out(world, door, WorkflowType.METADATA_ENRICHMENT, parameters={"use_validation": True})
    found = await proposed_by(world, door, run)
    assert ("cust_mstr", "description") not in found
    assert ("cust_mstr", "display_name") in found
    assert ("cust_mstr.cust_id", "display_name") not in found
    assert ("cust_mstr.cust_id", "description") in found
    saved = await carried_out(world, door, WorkflowType.METADATA_ENRICHMENT, save_all=True)
    assert saved["output"]["conflicts"] == 0
    assert (await asset(world, door, CUST))["description"] == "Who buys from us."
    assert (await asset(world, door, f"{CUST}.cust_id"))["display_name"] == "Our number"


async def test_the_same_is_not_proposed_again_whatever_became_of_it(world: World, door: Door) -> None:
    await shop(world)
    made = await configure(world, door, workflow_type=WorkflowType.METADATA_ENRICHMENT)
    first = await again(world, door, made)
    many = first["output"]["proposal_parts"]
    assert many > 10
    assert (await again(world, door, made))["output"]["proposals"] == 0, "undecided"
    assert (await decided(world, door, first, "reject"))["rejected"] == many
    assert (await again(world, door, made))["output"]["proposals"] == 0, "rejected"
    saved = await again(world, door, made, save_all=True)
    assert saved["output"]["proposals"] == 0, "and what was rejected is not saved either"

    def work(uow: Any) -> None:
        renamed = metadata_assets.c.fully_qualified_name == f"{CUST}.is_actv"
        uow.connection.execute(metadata_assets.update().where(renamed).values(constraint={"keys": ["UNIQUE"]}))

    await written(world, work)
    changed = await again(world, door, made)
    assert set(await proposed_by(world, door, changed)) == {("cust_mstr.is_actv", "description")}


async def test_what_was_rejected_does_not_come_back_in_other_words(world: World, door: Door) -> None:
    await shop(world)
    made = await configure(world, door, workflow_type=WorkflowType.METADATA_ENRICHMENT)
    first = await again(world, door, made)
    said = (await proposed_by(world, door, first))["cust_mstr", "description"]
    await decided(world, door, first, "reject", proposal_ids=[said["id"]])

    def work(uow: Any) -> None:
        gone = metadata_assets.c.fully_qualified_name == f"{CUST}.is_actv"
        uow.connection.execute(metadata_assets.update().where(gone).values(deleted_at=world.clock()))

    await written(world, work)
    later = await proposed_by(world, door, await again(world, door, made, save_all=True))
    assert ("cust_mstr", "description") not in later, "it records other columns now, and says the same otherwise"


async def test_save_all_carries_out_what_was_left_undecided(world: World, door: Door) -> None:
    await shop(world)
    made = await configure(world, door, workflow_type=WorkflowType.METADATA_ENRICHMENT)
    first = await again(world, door, made)
    saved = await again(world, door, made, save_all=True)
    assert saved["output"]["proposal_parts"] == first["output"]["proposal_parts"]
    assert (await asset(world, door, CUST))["display_name"] == "Customer"
    stale = await proposed_by(world, door, first)
    assert stale["cust_mstr", "display_name"]["standing_value"] == "Customer"
    assert stale["cust_mstr", "display_name"]["current_value"] is None
    assert (await again(world, door, made))["output"]["proposals"] == 0


async def test_schemas_and_databases_are_described_from_what_is_in_them(world: World, door: Door) -> None:
    await shop(world)
    industry = "An online shop for tea. BMX = big mixed crate"
    run = await carried_out(world, door, WorkflowType.METADATA_ENRICHMENT, parameters={"industry_info": industry})
    listed = await door(list_run_proposals, world.owner, run_id=run["id"], asset_fqn="svc.db.sales")
    told = {one["field"]: one for one in listed["items"]}
    assert told["description"]["proposed_value"] == (
        f"2 tables about customers and customer orders. The data is about: {industry}."
    )
    assert [one["from"] for one in told["description"]["evidence"]["statements"]] == ["members", "industry_info"]
    [database] = (await door(list_run_proposals, world.owner, run_id=run["id"], asset_fqn="svc.db"))["items"]
    assert database["proposed_value"].startswith("2 tables in the schema `sales`.")
    assert run["output"]["tasks"] == 3


async def test_terms_are_linked_and_defined_by_the_glossary(world: World, door: Door) -> None:
    await shop(world)
    customer = await term(world, door, name="Customer", definition="Whoever has bought once.")
    await term(world, door, name="Kraken", definition="A monster.")
    run = await carried_out(world, door, WorkflowType.METADATA_ENRICHMENT)
    found = await proposed_by(world, door, run)
    link = found["cust_mstr", "glossary_terms"]
    assert (link["kind"], link["proposed_value"]) == ("glossary_link", {"term_id": customer["id"], "name": "Customer"})
    assert (link["current_value"], link["standing_value"]) == ([], [])
    assert link["evidence"]["matched"] == "the table's name"
    assert not any("Kraken" in str(one) for one in found.values())
    answer = await decided(world, door, run, "approve", proposal_ids=[link["id"]])
    assert (answer["approved"], answer["conflicted"]) == (1, 0)
    [linked] = (await door(list_glossary_term_assets, world.owner, term_id=customer["id"]))["items"]
    assert (linked["asset_fqn"], linked["created_by"]) == (CUST, "olga")
    now = (await proposed_by(world, door, run))["cust_mstr", "glossary_terms"]
    assert now["standing_value"] == [{"term_id": customer["id"], "name": "Customer"}]
    dump = await world.dump()
    await decided(world, door, run, "approve", proposal_ids=[link["id"]])
    assert (await world.dump())["glossary_term_assets"] == dump["glossary_term_assets"]


async def test_a_link_to_a_term_that_is_gone_is_a_conflict(world: World, door: Door) -> None:
    await shop(world)
    customer = await term(world, door, name="Customer")
    run = await carried_out(world, door, WorkflowType.METADATA_ENRICHMENT)
    link = (await proposed_by(world, door, run))["cust_mstr", "glossary_terms"]
    assert isinstance(await door(delete_glossary_term, world.owner, term_id=customer["id"]), dict)
    answer = await decided(world, door, run, "approve", proposal_ids=[link["id"]])
    assert (answer["approved"], answer["conflicted"]) == (0, 1)
    assert answer["conflicts"][0]["message"] == "The term is no longer in the glossary."


async def test_an_approved_terms_definition_becomes_the_business_definition(world: World, door: Door) -> None:
    await shop(world)
    made = await term(world, door, name="Net amount in EUR", synonyms=["net amount EUR"], definition="Without tax.")

    def approve(uow: Any) -> None:
        uow.glossary_terms.change(scope(world), made["id"], {"status": "approved"})

    await written(world, approve)
    run = await carried_out(world, door, WorkflowType.ENRICH_TABLE_COLUMNS)
    offer = (await proposed_by(world, door, run))["cust_ord.net_amt_eur", "business_definition"]
    assert (offer["proposed_value"], offer["evidence"]["term_id"]) == ("Without tax.", made["id"])


async def test_a_context_pack_gives_its_words(world: World, door: Door) -> None:
    await shop(world)
    pack = await door(
        create_context_pack,
        world.owner,
        pack=ContextPackCreate.model_validate({"name": "Words", "pack_type": "domain"}),
    )
    for name, kind, text in (
        ("Customer order", "glossary", "An order that a customer has placed; actv = activated by hand"),
        ("Noise", "fact", "Customers are a noisy lot."),
    ):
        memory = {
            "name": name, "memory_type": kind, "context_pack_id": pack["id"], "content": {"type": "text", "text": text}
        }  # fmt: skip
        assert isinstance(await door(create_memory, world.owner, memory=MemoryCreate.model_validate(memory)), dict)
    run = await carried_out(world, door, WorkflowType.METADATA_ENRICHMENT, config={"context_pack_id": pack["id"]})
    found = await proposed_by(world, door, run)
    offer = found["cust_ord", "business_definition"]
    assert offer["proposed_value"].startswith("An order that a customer has placed")
    assert offer["evidence"]["from"] == ["context_pack"]
    assert found["cust_mstr.is_actv", "display_name"]["proposed_value"] == "Is Activated by Hand"
    assert not any("noisy" in str(one) for one in found.values())


@pytest.mark.parametrize(("state", "quoted"), [("suggested", False), ("confirmed", False), ("rejected", True)])
async def test_values_of_what_the_engines_take_for_personal_data_are_not_quoted(
    world: World, door: Door, state: str, quoted: bool
) -> None:
    await shop(world)
    column = f"{ORD}.note"
    found = Classification.model_validate(
        {
            "id": str(uuid4()), "asset_fqn": column, "resource_uri": URI, "kind": "pii", "tag_fqn": "PII.Name",
            "state": state, "confidence": 0.9, "evidence": [], "recognizer_version": "1", "data_fingerprint": "f",
            "workflow_run_id": str(uuid4()), "decided_by": None, "decided_at": None, "created_at": world.clock(),
            "updated_at": world.clock(),
        }
    )  # fmt: skip
    await written(world, lambda uow: uow.classifications.put(scope(world), [found]))
    await profiled_columns(world, ORD, {"note": "Zanzibar"})
    run = await carried_out(world, door, WorkflowType.ENRICH_TABLE_COLUMNS)
    said = (await proposed_by(world, door, run))["cust_ord.note", "description"]
    assert ("Zanzibar" in said["proposed_value"]) is quoted
    assert said["evidence"]["values_withheld"] is not quoted


async def test_another_projects_words_are_not_used(world: World, door: Door) -> None:
    await shop(world)
    lab = await door(
        create_glossary_term,
        world.token("olga", project=world.lab),
        term=GlossaryTermCreate(name="Customer", definition="A test animal."),
    )
    assert isinstance(lab, dict)
    run = await carried_out(world, door, WorkflowType.METADATA_ENRICHMENT)
    assert not any(field == "glossary_terms" for _, field in await proposed_by(world, door, run))


async def test_a_run_over_nothing_fails_and_says_so(world: World, door: Door) -> None:
    made = await configure(world, door, workflow_type=WorkflowType.GENERATE_TABLE_DESCRIPTION)
    started = await door(trigger_run, world.owner, configuration_id=made["id"], run=RunCreate(asset_fqn="svc.no"))
    await world.jobs.settle()
    run = await door(get_workflow_run, world.owner, configuration_id=made["id"], run_id=started["id"])
    assert (run["status"], "The catalog has no table under svc.no." in run["error_message"]) == ("failed", True)
    assert not await written(world, lambda uow: uow.connection.execute(sa.text("select 1 from proposals")).all())
