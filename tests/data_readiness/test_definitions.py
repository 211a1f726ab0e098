"""The catalogue of workflow definitions: what it says, what it accepts, and that both agree."""

from typing import Any

import pytest

from resolvers.data_readiness.runs.kinds import WORKS
from resolvers.data_readiness.runs.operations import trigger_run
from resolvers.data_readiness.runs.parameters import checked_parameters
from resolvers.data_readiness.workflows import (
    create_workflow_configuration,
    list_workflow_definitions,
    update_workflow_configuration,
)
from schema.data_readiness.workflow import WorkflowConfigurationCreate, WorkflowConfigurationUpdate, WorkflowType
from schema.data_readiness.workflow_definition import DEFINITIONS
from schema.data_readiness.workflow_run import RunCreate
from schema.errors import ApiError
from tests.data_readiness.workflows import configure
from tests.doors import Door
from tests.world import World

pytestmark = pytest.mark.anyio

FIELDS = {
    "id", "name", "workflow_type", "category", "description", "data_asset_types", "default_config", "config_schema",
    "parameters_schema", "available",
}  # fmt: skip


async def test_every_type_has_a_definition_whose_id_a_configuration_takes(world: World, door: Door) -> None:
    listed = await door(list_workflow_definitions, world.owner)
    assert (listed["total"], len(listed["items"])) == (15, 15)
    assert {item["workflow_type"] for item in listed["items"]} == {kind.value for kind in WorkflowType}
    for item in listed["items"]:
        assert set(item) == FIELDS
        assert item["config_schema"]["type"] == item["parameters_schema"]["type"] == "object"
    for item in listed["items"][:2]:
        made = await configure(world, door, workflow_type=None, workflow_definition_id=item["id"])
        assert (made["workflow_type"], made["category"]) == (item["workflow_type"], item["category"])


async def test_definitions_are_filtered_and_paged(world: World, door: Door) -> None:
    there = await door(list_workflow_definitions, world.owner, available=True)
    assert {item["id"] for item in there["items"]} == {kind.value for kind in WORKS}
    assert (await door(list_workflow_definitions, world.owner, available=False))["total"] == 15 - len(WORKS)
    found = await door(list_workflow_definitions, world.owner, category="classification")
    assert {item["id"] for item in found["items"]} == {"generate-pii-tags", "generate-sensitivity-tags"}
    assert await door(list_workflow_definitions, world.owner, category="cooking") == {"items": [], "total": 0}
    last = await door(list_workflow_definitions, world.owner, limit=10, page=2)
    assert (len(last["items"]), last["total"]) == (5, 15)
    for wrong in ({"limit": 0}, {"limit": 101}, {"page": 0}, {"category": ""}):
        refused = await door(list_workflow_definitions, world.owner, **wrong)
        assert (refused.code, refused.status) == ("INVALID_PARAMETER", 400)


async def test_the_word_definitions_is_no_configuration(world: World) -> None:
    for prefix in ("/data-readiness", "/api/data-readiness"):
        answer = await world.request("GET", f"{prefix}/workflows/definitions", token=world.owner)
        assert (answer.status_code, answer.json()["pagination"]["total_items"]) == (200, 15)
        wrong = await world.request("GET", f"{prefix}/workflows/definition", token=world.owner)
        assert (wrong.status_code, wrong.json()["error"]["code"]) == (400, "INVALID_PARAMETER")


def test_only_what_has_an_engine_is_told_to_be_available() -> None:
    assert {id for id, definition in DEFINITIONS.items() if definition.available} == {kind.value for kind in WORKS}


@pytest.mark.parametrize(
    "given",
    [
        {},
        {"include": ["a"]},
        {"include": ['svc."d.b".s.t'] * 1000},
        {"include": ["x" * 2000]},
        {"industry_info": "i" * 10_000},
        {"use_validation": False},
        {"sampling": {"rows": 1, "percent": 100}},
        {"sampling": {"rows": 10_000_000, "percent": 0.001}},
        {"context_pack_id": "p", "tier": "full", "timeout_seconds": 60},
        {"include": None, "industry_info": None, "sampling": None},
        {"whatever": None, "x" * 5000: 1, "sampling": {"rows": 1, "seed": 7}},
    ],
)
def test_parameters_within_their_bounds_are_kept_as_they_are(given: dict[str, Any]) -> None:
    for kind in WorkflowType:
        assert checked_parameters(kind, given) == given


def test_each_type_knows_what_its_engine_takes_besides() -> None:
    for kind in WorkflowType:
        named = DEFINITIONS[kind.value].parameters_schema["properties"]
        for name, value in (("max_profile_age_seconds", 0), ("fresh_within_seconds", 1)):
            if name in named or (kind is WorkflowType.RUN_ALL_ENRICHMENT and name == "max_profile_age_seconds"):
                assert checked_parameters(kind, {name: value}) == {name: value}
            with pytest.raises(ApiError) as refused:
                checked_parameters(kind, {name: -1})
            assert refused.value.details["field"] == f"parameters.{name}"


async def test_a_slip_in_a_parameter_is_refused_with_the_one_that_is_meant(world: World, door: Door) -> None:
    made = await configure(world, door)
    before = await world.dump()
    for given, field, meant in (
        ({"samplng": {}}, "parameters.samplng", "sampling"),
        ({"include": ["a"], "teir": "full"}, "parameters.teir", "tier"),
        ({"sampling": {"row": 5}}, "parameters.sampling.row", "rows"),
    ):
        refused = await door(
            trigger_run, world.owner, configuration_id=made["id"], run=RunCreate.model_validate({"parameters": given})
        )
        assert (refused.code, refused.status, refused.details["field"]) == ("VALIDATION_ERROR", 400, field)
        assert f"Did you mean '{meant}'?" in refused.message
        known = ["percent", "rows"] if "sampling" in given else ["include", "sampling", "tier", "timeout_seconds"]
        assert refused.details["known"] == known
        assert refused.message.endswith(f"takes {', '.join(known)}.")
    assert await world.dump() == before


async def test_a_slip_in_the_config_of_a_configuration_is_refused_and_what_clients_keep_there_is_not(
    world: World, door: Door
) -> None:
    kind = WorkflowType.GENERATE_TABLE_DESCRIPTION
    kept = {"llm_model": "openai/gpt", "note": 1, "glossary": {"terms": []}, "industry_info": "shops"}
    made = await configure(world, door, workflow_type=kind, config=kept)
    assert made["config"] == kept
    before = await world.dump()
    wrong = {"llm_modle": "openai/gpt"}
    body = {"name": "Work", "workflow_type": kind, "config": wrong}
    for refused in (
        await door(
            create_workflow_configuration,
            world.owner,
            configuration=WorkflowConfigurationCreate.model_validate(body),
        ),
        await door(
            update_workflow_configuration,
            world.owner,
            configuration_id=made["id"],
            changes=WorkflowConfigurationUpdate.model_validate({"config": wrong}),
        ),
    ):
        assert (refused.code, refused.status) == ("VALIDATION_ERROR", 400)
        assert refused.details["field"] == "config.llm_modle"
        assert "'llm_model'" in refused.message
    assert await world.dump() == before


@pytest.mark.parametrize(
    ("given", "status", "field"),
    [
        ({"include": []}, 422, "parameters.include"),
        ({"include": ["a"] * 1001}, 422, "parameters.include"),
        ({"include": [""]}, 422, "parameters.include.0"),
        ({"include": ["a", "a..b"]}, 422, "parameters.include.1"),
        ({"include": ["a.b.c.d.e"]}, 422, "parameters.include.0"),
        ({"include": ["x" * 2001]}, 422, "parameters.include.0"),
        ({"include": "a"}, 400, "parameters.include"),
        ({"include": [1]}, 400, "parameters.include.0"),
        ({"industry_info": "i" * 10_001}, 422, "parameters.industry_info"),
        ({"industry_info": {"sector": "retail"}}, 400, "parameters.industry_info"),
        ({"use_validation": "yes"}, 400, "parameters.use_validation"),
        ({"sampling": {"rows": 0}}, 422, "parameters.sampling.rows"),
        ({"sampling": {"rows": 10_000_001}}, 422, "parameters.sampling.rows"),
        ({"sampling": {"percent": 0}}, 422, "parameters.sampling.percent"),
        ({"sampling": {"percent": 100.5}}, 422, "parameters.sampling.percent"),
        ({"sampling": 3}, 400, "parameters.sampling"),
        ({"context_pack_id": ""}, 422, "parameters.context_pack_id"),
        ({"max_profile_age_seconds": -1}, 422, "parameters.max_profile_age_seconds"),
        ({"max_profile_age_seconds": "a day"}, 400, "parameters.max_profile_age_seconds"),
    ],
)
def test_parameters_outside_their_bounds_are_refused_with_their_path(
    given: dict[str, Any], status: int, field: str
) -> None:
    with pytest.raises(ApiError) as refused:
        checked_parameters(WorkflowType.DQ_RULE_GENERATION, given)
    assert (refused.value.status, refused.value.details["field"]) == (status, field)
