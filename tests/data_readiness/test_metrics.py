"""Dimensions, metrics and their results, through both doors and on both stores."""

from datetime import timedelta
from typing import Any
from uuid import uuid4

import pytest

from persistence.queries.metric_results import Measured
from resolvers.data_readiness import definitions
from resolvers.data_readiness.metrics import (
    create_dimension,
    create_metric_definition,
    delete_dimension,
    delete_metric_definition,
    list_dimensions,
    list_metric_definitions,
    list_metric_results,
    update_dimension,
    update_metric_definition,
)
from resolvers.data_readiness.violations import create_violation_definition, delete_violation_definition
from schema.data_readiness.quality import (
    DimensionChange,
    DimensionCreate,
    MetricDefinitionChange,
    MetricDefinitionCreate,
)
from schema.data_readiness.violation import ViolationDefinitionCreate
from tests.data_readiness.quality import DIMENSION, METRIC, ORDERS, measure, scope_of
from tests.doors import Door, revision_of
from tests.world import World

pytestmark = [
    pytest.mark.anyio,
    pytest.mark.filterwarnings("ignore:Pydantic serializer warnings"),  # wrong bodies are made here on purpose
]

DIMENSIONS = [
    "completeness", "uniqueness", "validity", "consistency", "timeliness", "accuracy", "description", "ownership",
    "tagging", "glossary_coverage",
]  # fmt: skip


async def own_dimension(world: World, door: Door, **given: Any) -> dict[str, Any]:
    """A dimension of the project's own."""
    values = {"name": "trust", "assessment_type": "data_quality"} | given
    made = await door(create_dimension, world.owner, dimension=DimensionCreate.model_validate(values))
    assert isinstance(made, dict), made
    return made


async def own_metric(world: World, door: Door, **given: Any) -> Any:
    """A metric of the project's own."""
    values = {"name": "signed_rows", "dimension_id": DIMENSION["validity"].id} | given
    return await door(create_metric_definition, world.owner, metric=MetricDefinitionCreate.model_validate(values))


async def test_ten_dimensions_are_built_in_with_ids_that_never_change(world: World, door: Door) -> None:
    listed = await door(list_dimensions, world.owner)
    assert ([one["name"] for one in listed["items"]], listed["total"]) == (DIMENSIONS, 10)
    assert listed["items"][0] == {
        "id": DIMENSION["completeness"].id, "name": "completeness", "fqn": "data_quality.completeness",
        "assessment_type": "data_quality", "display_name": "Completeness", "purpose": "Is everything there?",
        "description": "The share of values that are present.", "weight": "1.0000", "is_built_in": True,
    }  # fmt: skip
    assert {one["weight"] for one in listed["items"]} == {"1.0000"}
    some = await door(list_dimensions, world.owner, assessment_type="metadata", limit=3, page=2)
    assert ([one["name"] for one in some["items"]], some["total"]) == (["glossary_coverage"], 4)


def test_the_ids_of_what_is_built_in_are_these() -> None:
    """They stand in stored results and in the settings of others, so they must not move."""
    assert DIMENSION["completeness"].id == "ce0bb648-7df6-5a33-9855-2b1ef1f716e9"
    assert METRIC["valid_values"].id == "ec2b3f07-3f93-5607-83dc-b2a90c390920"


async def test_metrics_are_listed_and_found_by_dimension(world: World, door: Door) -> None:
    listed = await door(list_metric_definitions, world.owner, limit=100)
    assert [one["name"] for one in listed["items"]] == list(METRIC)
    assert {one["dimension_id"] for one in listed["items"]} == {one.id for one in DIMENSION.values()}
    for named in ("consistency", DIMENSION["consistency"].id):
        some = await door(list_metric_definitions, world.owner, dimension=named)
        assert ([one["name"] for one in some["items"]], some["total"]) == (["valid_references", "consistent_rows"], 2)
    assert await door(list_metric_definitions, world.owner, dimension="beauty") == {"items": [], "total": 0}


async def test_a_project_adds_a_dimension_of_its_own_and_a_metric_to_it(world: World, door: Door) -> None:
    made = await own_dimension(world, door, weight="2.5", display_name="Trust", purpose="p", description="d")
    assert made == {
        "id": made["id"], "name": "trust", "fqn": "data_quality.trust", "assessment_type": "data_quality",
        "display_name": "Trust", "purpose": "p", "description": "d", "weight": "2.5000", "is_built_in": False,
    }  # fmt: skip
    metric = await own_metric(world, door, dimension_id=made["id"], unit="rows", purpose="p", description="d")
    assert metric == {
        "id": metric["id"], "dimension_id": made["id"], "name": "signed_rows", "fqn": "data_quality.trust.signed_rows",
        "display_name": None, "unit": "rows", "purpose": "p", "description": "d", "is_built_in": False,
    }  # fmt: skip
    listed = await door(list_dimensions, world.owner)
    assert (listed["items"][-1], listed["total"]) == (made, 11)
    assert (await door(list_metric_definitions, world.owner, dimension="trust"))["items"] == [metric]
    for token in (world.token("olga", project=world.lab), world.foreign_owner):
        assert (await door(list_dimensions, token))["total"] == 10
        assert (await door(list_metric_definitions, token))["total"] == len(METRIC)


async def test_words_change_and_the_weight_and_the_name_do_not(world: World, door: Door) -> None:
    made = await own_dimension(world, door, purpose="p", description="d")
    changes = DimensionChange.model_validate({"display_name": "Trust", "purpose": None})
    changed = await door(update_dimension, world.owner, dimension_id=made["id"], changes=changes)
    assert changed == made | {"display_name": "Trust", "purpose": None}
    metric = await own_metric(world, door, unit="rows")
    changes_ = MetricDefinitionChange.model_validate({"unit": None, "description": "x"})
    changed = await door(update_metric_definition, world.owner, definition_id=metric["id"], changes=changes_)
    assert changed == metric | {"unit": None, "description": "x"}


@pytest.mark.parametrize(
    ("given", "status", "code", "field"),
    [
        ({"name": ""}, 422, "VALIDATION_ERROR", "name"),
        ({"name": "n" * 65}, 422, "VALIDATION_ERROR", "name"),
        ({"name": "Trust"}, 422, "VALIDATION_ERROR", "name"),
        ({"name": "1st"}, 422, "VALIDATION_ERROR", "name"),
        ({"name": "a.b"}, 422, "VALIDATION_ERROR", "name"),
        ({"display_name": "n" * 256}, 422, "VALIDATION_ERROR", "display_name"),
        ({"display_name": ""}, 422, "VALIDATION_ERROR", "display_name"),
        ({"purpose": "n" * 1001}, 422, "VALIDATION_ERROR", "purpose"),
        ({"description": "n" * 1001}, 422, "VALIDATION_ERROR", "description"),
        ({"weight": "-1"}, 422, "VALIDATION_ERROR", "weight"),
        ({"weight": "1.00001"}, 422, "VALIDATION_ERROR", "weight"),
        ({"weight": "10000000000"}, 422, "VALIDATION_ERROR", "weight"),
        ({"weight": "much"}, 422, "VALIDATION_ERROR", "weight"),
        ({"weight": "1e3"}, 422, "VALIDATION_ERROR", "weight"),
        ({"name": "completeness"}, 409, "RESOURCE_ALREADY_EXISTS", None),
    ],
)
async def test_a_dimension_outside_its_bounds_is_refused(
    world: World, door: Door, given: dict[str, Any], status: int, code: str, field: str | None
) -> None:
    values = {"name": "trust", "assessment_type": "data_quality"} | given
    wrong = DimensionCreate.model_construct(_fields_set=set(values), **values)
    before = await world.dump()
    refused = await door(create_dimension, world.owner, dimension=wrong)
    assert (refused.status, refused.code, refused.details.get("field")) == (status, code, field)
    assert await world.dump() == before


@pytest.mark.parametrize("given", [{"name": "n" * 64}, {"weight": "9999999.9999"}, {"weight": "0"}])
async def test_a_dimension_at_its_bounds_is_taken(world: World, door: Door, given: dict[str, Any]) -> None:
    made = await own_dimension(world, door, **given)
    assert made["name"] == given.get("name", "trust")


async def test_a_metric_needs_a_dimension_that_stands(world: World, door: Door) -> None:
    theirs = await door(
        create_dimension,
        world.foreign_owner,
        dimension=DimensionCreate.model_validate({"name": "trust", "assessment_type": "metadata"}),
    )
    before = await world.dump()
    for id in (str(uuid4()), theirs["id"]):
        refused = await own_metric(world, door, dimension_id=id)
        assert (refused.status, refused.code, refused.details) == (422, "VALIDATION_ERROR", {"field": "dimension_id"})
    assert await world.dump() == before


async def test_a_name_stands_once_in_its_dimension_and_is_free_again_after_a_deletion(world: World, door: Door) -> None:
    first = await own_metric(world, door)
    refused = await own_metric(world, door)
    assert (refused.status, refused.code) == (409, "RESOURCE_ALREADY_EXISTS")
    assert refused.details == {
        "resource_type": "metric_definition",
        "resource_id": first["id"],
    }
    assert (await own_metric(world, door, dimension_id=DIMENSION["accuracy"].id))["name"] == "signed_rows"
    gone = await door(delete_metric_definition, world.owner, definition_id=first["id"])
    assert gone == {"id": first["id"], "deleted": True}
    assert (await own_metric(world, door))["id"] != first["id"]
    again = await door(delete_metric_definition, world.owner, definition_id=first["id"])
    assert (again.status, again.code) == (404, "RESOURCE_NOT_FOUND")


async def test_what_is_built_in_stays_as_it_is(world: World, door: Door) -> None:
    before = await world.dump()
    dimension, metric = DIMENSION["validity"].id, METRIC["valid_values"].id
    for refused in (
        await door(
            update_dimension, world.owner, dimension_id=dimension,
            changes=DimensionChange.model_validate({"purpose": "x"}),
        ),
        await door(delete_dimension, world.owner, dimension_id=dimension),
        await door(
            update_metric_definition, world.owner, definition_id=metric,
            changes=MetricDefinitionChange.model_validate({"unit": "x"}),
        ),
        await door(delete_metric_definition, world.owner, definition_id=metric),
    ):  # fmt: skip
        assert (refused.status, refused.code, refused.details) == (422, "VALIDATION_ERROR", {"field": "id"})
    assert await world.dump() == before


async def test_a_dimension_goes_only_after_its_definitions(world: World, door: Door) -> None:
    dimension = await own_dimension(world, door)
    metric = await own_metric(world, door, dimension_id=dimension["id"])
    refused = await door(delete_dimension, world.owner, dimension_id=dimension["id"])
    assert (refused.status, refused.details) == (422, {"field": "dimension_id"})
    await door(delete_metric_definition, world.owner, definition_id=metric["id"])
    kind = await door(
        create_violation_definition,
        world.owner,
        definition=ViolationDefinitionCreate(name="unsigned", dimension_id=dimension["id"]),
    )
    assert (await door(delete_dimension, world.owner, dimension_id=dimension["id"])).status == 422
    await door(delete_violation_definition, world.owner, definition_id=kind["id"])
    gone = await door(delete_dimension, world.owner, dimension_id=dimension["id"])
    assert gone == {"id": dimension["id"], "deleted": True}
    assert (await door(list_dimensions, world.owner))["total"] == 10


async def test_definitions_of_ones_own_are_bounded(world: World, door: Door, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(definitions, "MOST_OWN", 2)
    for name in ("a", "b"):
        assert (await own_metric(world, door, name=name))["name"] == name
    refused = await own_metric(world, door, name="c")
    assert (refused.status, refused.code) == (429, "QUOTA_EXCEEDED")


async def test_a_change_of_an_older_state_is_a_conflict(world: World, door: Door) -> None:
    made = await own_dimension(world, door)
    path = f"/api/data-readiness/metrics/dimensions/{made['id']}"
    first = await world.request("PUT", path, token=world.owner, json={"purpose": "a"}, headers={"If-Match": '"1"'})
    assert (first.status_code, revision_of(first)) == (200, 2)
    for method, body in (("PUT", {"purpose": "b"}), ("DELETE", None)):
        late = await world.request(method, path, token=world.owner, json=body, headers={"If-Match": '"1"'})
        assert (late.status_code, late.json()["error"]["code"]) == (409, "VERSION_CONFLICT")


# Results ------------------------------------------------------------------------------------------------------------


async def test_results_are_listed_newest_first_with_every_field(world: World, door: Door) -> None:
    run = await measure(world, ("valid_values", ORDERS, 17, 20), ("non_null_values", ORDERS, 0, 0))
    later = await measure(world, ("valid_values", "crm.shop.other.t", 1, 3))
    listed = await door(list_metric_results, world.owner)
    assert [one["workflow_run_id"] for one in listed["items"]] == [later, run, run]
    assert [one["score"] for one in listed["items"] if one["workflow_run_id"] == later] == ["0.3333"]
    by_metric = {one["metric_definition_id"]: one for one in listed["items"][1:]}
    one = by_metric[METRIC["valid_values"].id]
    assert one == {
        "id": one["id"], "metric_definition_id": METRIC["valid_values"].id, "dimension_id": DIMENSION["validity"].id,
        "asset_fqn": ORDERS, "workflow_run_id": run, "numerator": 17, "denominator": 20, "score": "0.8500",
        "measured_at": one["measured_at"], "details": {},
    }  # fmt: skip
    assert by_metric[METRIC["non_null_values"].id]["score"] is None
    assert await door(list_metric_results, world.foreign_owner) == {"items": [], "total": 0}
    assert (await door(list_metric_results, world.token("olga", project=world.lab)))["total"] == 0


async def test_results_are_found_by_asset_metric_dimension_run_and_time(world: World, door: Door) -> None:
    column = f'{ORDERS}."a.b"'
    first = await measure(world, ("valid_values", ORDERS, 1, 2), ("non_null_values", column, 1, 2))
    middle = world.clock()
    await measure(world, ("valid_values", "crm.shop.public.orders_old", 1, 2), ("valid_values", "erp.d.s.t", 1, 2))

    async def found(**by: Any) -> int:
        answer = await door(list_metric_results, world.owner, **by)
        assert len(answer["items"]) == min(answer["total"], 20)
        return int(answer["total"])

    assert await found() == 4
    assert await found(asset_fqn="crm") == 3
    assert await found(asset_fqn="crm.shop.public") == 3
    assert await found(asset_fqn=ORDERS) == 2
    assert await found(asset_fqn=column) == 1
    assert await found(asset_fqn="cr") == 0
    assert await found(dimension="validity") == 3
    assert await found(dimension=DIMENSION["completeness"].id) == 1
    assert await found(dimension="beauty") == 0
    assert await found(metric_definition_id=METRIC["valid_values"].id) == 3
    assert await found(workflow_run_id=first) == 2
    assert await found(workflow_run_id=str(uuid4())) == 0
    assert await found(as_of=middle.isoformat()) == 2
    assert await found(as_of=middle.replace(tzinfo=None).isoformat()) == 2
    assert await found(as_of=(middle - timedelta(days=1)).isoformat(), asset_fqn=ORDERS) == 0
    page = await door(list_metric_results, world.owner, limit=3, page=2)
    assert (len(page["items"]), page["total"]) == (1, 4)


@pytest.mark.parametrize(
    "wrong",
    [
        {"asset_fqn": "a..b"}, {"asset_fqn": "a.b.c.d.e.f"}, {"asset_fqn": ""}, {"asset_fqn": "a" * 2001},
        {"dimension": ""}, {"page": 0}, {"limit": 101},
        {"limit": 0},
    ],
)  # fmt: skip
async def test_a_malformed_filter_of_results_is_named(world: World, door: Door, wrong: dict[str, Any]) -> None:
    refused = await door(list_metric_results, world.owner, **wrong)
    assert (refused.status, refused.code) == (400, "INVALID_PARAMETER")
    assert refused.details["field"] == next(iter(wrong))


async def test_a_run_measures_a_metric_of_an_asset_once(world: World) -> None:
    run = await measure(world, ("valid_values", ORDERS, 1, 2))
    before = await world.dump()
    result = Measured(METRIC["valid_values"].id, ORDERS, 2, 2)
    scope, now = scope_of(world), world.clock()
    new = await world.app.parts.services.store.write(
        lambda uow: uow.metric_results.record(scope, run, [result, result], at=now)
    )
    assert new == 0
    assert await world.dump() == before


@pytest.mark.parametrize(("numerator", "denominator"), [(3, 2), (-1, 2), (0, 2**53)])
def test_a_result_that_cannot_be_is_refused(numerator: int, denominator: int) -> None:
    with pytest.raises(ValueError, match="denominator"):
        Measured(METRIC["valid_values"].id, ORDERS, numerator, denominator)


@pytest.mark.parametrize("result", [("7", ORDERS), (METRIC["valid_values"].id, "a.b.c.d.e.f")])
async def test_a_result_of_no_metric_or_asset_is_refused(world: World, result: tuple[str, str]) -> None:
    before = await world.dump()
    scope, now = scope_of(world), world.clock()
    with pytest.raises(ValueError, match=r"no metric|parts"):
        await world.app.parts.services.store.write(
            lambda uow: uow.metric_results.record(scope, str(uuid4()), [Measured(*result, 1, 1)], at=now)
        )
    assert await world.dump() == before
