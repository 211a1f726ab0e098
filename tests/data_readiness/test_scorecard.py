"""The scorecard: exact figures of what was measured, the same whenever asked again, through both doors."""

from datetime import timedelta
from typing import Any
from uuid import uuid4

import pytest

from persistence.tables.catalog import metadata_assets
from resolvers.data_readiness.metrics import (
    create_dimension,
    create_metric_definition,
    delete_metric_definition,
    list_metric_results,
    update_dimension,
    update_metric_definition,
)
from resolvers.data_readiness.profiles import get_column_profile, get_table_profile
from resolvers.data_readiness.reports import create_report
from resolvers.data_readiness.scorecard import get_scorecard
from schema.data_readiness.quality import (
    DimensionChange,
    DimensionCreate,
    MetricDefinitionChange,
    MetricDefinitionCreate,
)
from schema.data_readiness.report import ReportCreate
from schema.data_readiness.scorecard import ScorecardRequest
from schema.identifiers import Fqn
from tests.conftest import Statements
from tests.data_readiness.quality import DIMENSION, METRIC, ORDERS, a_run, find, finding, measure
from tests.data_readiness.workflows import cataloged, written
from tests.doors import Door
from tests.world import OTHER_ORG, World

pytestmark = [
    pytest.mark.anyio,
    pytest.mark.filterwarnings("ignore:Pydantic serializer warnings"),  # wrong bodies are made here on purpose
]

PATHS = ("/data-readiness/metrics/scorecard", "/api/data-readiness/metrics/scorecard")


async def card(world: World, door: Door, token: str | None = None, **request: Any) -> Any:
    """A scorecard, as the owner unless somebody else is named."""
    wanted = ScorecardRequest.model_construct(_fields_set=set(request), **request)
    return await door(get_scorecard, token or world.owner, request=wanted)


def scores(answer: dict[str, Any]) -> dict[str, str]:
    """The dimensions that were measured."""
    return {one["name"]: one["score"] for one in answer["dimensions"] if one["score"] is not None}


async def test_what_was_not_measured_is_null_and_every_dimension_is_listed(world: World, door: Door) -> None:
    answer = await card(world, door)
    assert set(answer) == {
        "overall_score", "data_quality", "metadata", "scope", "entity", "dimensions", "as_of", "workflow_run_id"
    }  # fmt: skip
    assert answer | {"dimensions": []} == {
        "overall_score": None, "data_quality": {"score": None}, "metadata": {"score": None},
        "scope": "service", "dimensions": [], "as_of": None, "workflow_run_id": None,
        "entity": {"service": None, "database_name": None, "schema_name": None, "table_name": None},
    }  # fmt: skip
    assert [one["name"] for one in answer["dimensions"]] == list(DIMENSION)
    for one in answer["dimensions"]:
        assert (one["score"], one["numerator"], one["denominator"], one["weight"]) == (None, 0, 0, "1.0000")
        for metric in one["metrics"]:
            assert (metric["score"], metric["numerator"], metric["denominator"]) == (None, 0, 0)
            assert metric["asset_count"] == 0
    assert [metric["name"] for one in answer["dimensions"] for metric in one["metrics"]] == list(METRIC)


async def test_a_card_has_every_field_of_the_contract_with_exact_figures(world: World, door: Door) -> None:
    await measure(
        world,
        ("valid_values", f"{ORDERS}.a", 9, 10),
        ("valid_values", f"{ORDERS}.b", 8, 10),
        ("non_null_values", ORDERS, 1, 3),
        ("non_missing_values", ORDERS, 0, 7),
        ("owned_assets", ORDERS, 0, 0),
    )
    answer = await card(world, door, asset_fqn=ORDERS)
    assert answer["scope"] == "table"
    assert answer["entity"] == {
        "service": "crm", "database_name": "shop", "schema_name": "public", "table_name": "orders",
    }  # fmt: skip
    # (17/20 + 1/10) / 2 = 0.475
    assert answer["overall_score"] == "0.4750"
    assert scores(answer) == {"completeness": "0.1000", "validity": "0.8500"}
    validity = DIMENSION["validity"]
    (found,) = [one for one in answer["dimensions"] if one["name"] == "validity"]
    (metric,) = found.pop("metrics")
    assert found == {
        "dimension_id": validity.id, "name": "validity", "fqn": "data_quality.validity",
        "assessment_type": "data_quality", "weight": "1.0000", "numerator": 17, "denominator": 20, "score": "0.8500",
        "display_name": "Validity", "purpose": validity.purpose, "description": validity.description,
    }  # fmt: skip
    valid = METRIC["valid_values"]
    assert metric == {
        "metric_definition_id": valid.id, "name": "valid_values", "fqn": "data_quality.validity.valid_values",
        "numerator": 17, "denominator": 20, "score": "0.8500", "asset_count": 2, "display_name": "Valid values",
        "unit": "values", "purpose": valid.purpose, "description": valid.description,
    }  # fmt: skip


async def test_the_scope_is_what_the_name_says_and_takes_in_all_below_it(world: World, door: Door) -> None:
    await measure(
        world,
        ("valid_values", "crm.shop.public.orders", 1, 1),
        ("valid_values", "crm.shop.public.items", 0, 1),
        ("valid_values", 'crm.shop."pub.lic".orders', 0, 1),
        ("valid_values", "crm.attic.public.orders", 0, 1),
        ("valid_values", "erp.shop.public.orders", 0, 5),
        ("valid_values", "crm2.shop.public.orders", 0, 1),
    )
    await cataloged(world, "crm.nowhere")
    expected = {
        None: ("service", "0.1000"),
        "crm": ("service", "0.2500"),
        "crm.shop": ("database", "0.3333"),
        "crm.shop.public": ("schema", "0.5000"),
        "crm.shop.public.orders": ("table", "1.0000"),
        'crm.shop."pub.lic"': ("schema", "0.0000"),
        "crm.nowhere": ("database", None),
    }
    for asset, (scope, score) in expected.items():
        answer = await card(world, door, asset_fqn=asset)
        assert (answer["scope"], answer["overall_score"]) == (scope, score), asset
        assert (
            list(answer["entity"].values()) == [*(Fqn.parse(asset).parts if asset else ()), None, None, None, None][:4]
        )
    for token in (world.foreign_owner, world.token("olga", project=world.lab)):
        assert (await card(world, door, token))["overall_score"] is None


async def test_only_the_latest_of_each_metric_and_asset_counts(world: World, door: Door) -> None:
    await measure(world, ("valid_values", ORDERS, 0, 10), ("valid_values", "crm.shop.public.items", 5, 10))
    await measure(world, ("valid_values", ORDERS, 10, 10))
    assert (await card(world, door))["overall_score"] == "0.7500"


async def test_an_assessment_type_limits_the_card(world: World, door: Door) -> None:
    await measure(world, ("valid_values", ORDERS, 1, 4), ("owned_assets", ORDERS, 1, 1))
    both = await card(world, door)
    assert (both["overall_score"], both["data_quality"], both["metadata"]) == (
        "0.6250", {"score": "0.2500"}, {"score": "1.0000"},
    )  # fmt: skip
    data = await card(world, door, assessment_type="data_quality")
    assert (data["overall_score"], len(data["dimensions"])) == ("0.2500", 6)
    metadata = await card(world, door, assessment_type="metadata")
    assert (metadata["overall_score"], len(metadata["dimensions"])) == ("1.0000", 4)


def told_by(door: Door) -> bytes:
    """The last answer as it was sent, but for what the graph says of the request behind it."""
    assert door.last is not None
    return door.last.content.partition(b',"extensions":')[0]


async def test_the_past_answers_byte_for_byte_alike_whatever_came_after(world: World, door: Door) -> None:
    first = await measure(world, ("valid_values", ORDERS, 1, 3), ("owned_assets", ORDERS, 1, 2))
    then = world.clock()
    owned = await door(
        create_metric_definition,
        world.owner,
        metric=MetricDefinitionCreate(name="gone", dimension_id=DIMENSION["accuracy"].id),
    )
    await measure(world, (owned["id"], ORDERS, 1, 7))
    middle = world.clock()

    async def told(**request: Any) -> bytes:
        assert not isinstance(await card(world, door, **request), str)
        return told_by(door)

    requests = [
        {"as_of": then}, {"workflow_run_id": first}, {"as_of": middle}, {"as_of": then - timedelta(days=1)},
        {"as_of": middle, "workflow_run_id": first, "asset_fqn": "crm"},
    ]  # fmt: skip
    before = [await told(**request) for request in requests]
    assert len(set(before)) == len(before)
    await measure(world, ("valid_values", ORDERS, 3, 3), ("plausible_values", ORDERS, 0, 3))
    await door(delete_metric_definition, world.owner, definition_id=owned["id"])
    made = DimensionCreate.model_validate({"name": "trust", "assessment_type": "metadata", "weight": "9"})
    await door(create_dimension, world.owner, dimension=made)
    assert [await told(**request) for request in requests] == before
    past = await card(world, door, as_of=then)
    assert (past["overall_score"], past["as_of"]) == ("0.4167", then.isoformat().replace("+00:00", "Z"))
    assert scores(await card(world, door, as_of=middle))["accuracy"] == "0.1429"
    now = await card(world, door)
    assert scores(now) == {"validity": "1.0000", "accuracy": "0.0000", "ownership": "0.5000"}
    assert now["overall_score"] == "0.5000"
    assert len(now["dimensions"]) == 11


async def test_a_card_of_the_past_says_what_its_dimensions_and_metrics_were_called_then(
    world: World, door: Door
) -> None:
    made = DimensionCreate.model_validate({"name": "trust", "assessment_type": "metadata", "purpose": "First"})
    trust = await door(create_dimension, world.owner, dimension=made)
    metric = MetricDefinitionCreate(name="own", dimension_id=trust["id"])
    own = await door(create_metric_definition, world.owner, metric=metric)
    run = await measure(world, (own["id"], ORDERS, 1, 7))
    moments, told = [], []

    async def look(**request: Any) -> bytes:
        assert not isinstance(await card(world, door, **request), str)
        return told_by(door)

    for word in ("Second", "Third", "Last"):
        moments.append(world.clock())
        told.append(await look(as_of=moments[-1]))
        of_run = await look(workflow_run_id=run)
        change = DimensionChange.model_validate({"purpose": word, "display_name": word})
        await door(update_dimension, world.owner, dimension_id=trust["id"], changes=change)
        named = MetricDefinitionChange.model_validate({"unit": word})
        await door(update_metric_definition, world.owner, definition_id=own["id"], changes=named)
        assert await look(workflow_run_id=run) == of_run
    assert len(set(told)) == 3
    assert [await look(as_of=moment) for moment in moments] == told
    [now] = [one for one in (await card(world, door))["dimensions"] if one["dimension_id"] == trust["id"]]
    assert (now["purpose"], now["metrics"][0]["unit"]) == ("Last", "Last")


async def test_a_run_scores_what_it_has_measured_itself(world: World, door: Door) -> None:
    first = await measure(world, ("valid_values", ORDERS, 1, 4))
    second = await measure(world, ("valid_values", "crm.shop.public.items", 3, 4))
    for run, score in ((first, "0.2500"), (second, "0.7500")):
        answer = await card(world, door, workflow_run_id=run)
        assert (answer["overall_score"], answer["workflow_run_id"]) == (score, run)
    assert (await card(world, door, workflow_run_id=await a_run(world)))["overall_score"] is None


async def test_a_run_that_is_not_there_or_a_strangers_is_not_found(world: World, door: Door) -> None:
    theirs = await a_run(world, token=world.foreign_owner, project=world.theirs, org=OTHER_ORG)
    for run in (str(uuid4()), theirs):
        refused = await card(world, door, workflow_run_id=run)
        assert (refused.status, refused.code) == (404, "RESOURCE_NOT_FOUND")
        assert refused.details == {"resource_type": "workflow_run", "resource_id": run}


async def test_weights_are_a_what_if_that_stores_nothing(world: World, door: Door) -> None:
    await measure(world, ("valid_values", ORDERS, 1, 1), ("non_null_values", ORDERS, 0, 1))
    validity, completeness = DIMENSION["validity"].id, DIMENSION["completeness"].id
    before = await world.dump()
    for overrides, score, weight in (
        ({validity: "3"}, "0.7500", "3.0000"),
        ({validity: 3}, "0.7500", "3.0000"),
        ({validity: 0.5}, "0.3333", "0.5000"),
        ({validity: "0"}, "0.0000", "0.0000"),
        ({validity: "0", completeness: "0"}, None, "0.0000"),
        ({validity: "0.0000000001"}, "0.0000", "0.0000000001"),
        ({validity: "10000000"}, "0.9999", "10000000.0000"),  # not whole, so not 1
        ({validity.upper(): "2"}, "0.6667", "2.0000"),
        ({DIMENSION["accuracy"].id: "5"}, "0.5000", "1.0000"),
        ({}, "0.5000", "1.0000"),
    ):
        answer = await card(world, door, weight_overrides=overrides)
        used = {one["name"]: one["weight"] for one in answer["dimensions"]}
        assert (answer["overall_score"], used["validity"]) == (score, weight), overrides
    assert await world.dump() == before
    assert (await card(world, door))["overall_score"] == "0.5000"


async def test_a_dimension_of_ones_own_counts_with_its_weight(world: World, door: Door) -> None:
    made = DimensionCreate.model_validate({"name": "trust", "assessment_type": "data_quality", "weight": "3"})
    dimension = await door(create_dimension, world.owner, dimension=made)
    own = MetricDefinitionCreate(name="signed_rows", dimension_id=dimension["id"])
    metric = await door(create_metric_definition, world.owner, metric=own)
    await measure(world, (metric["id"], ORDERS, 1, 1), ("valid_values", ORDERS, 0, 1))
    assert (await card(world, door))["overall_score"] == "0.7500"


@pytest.mark.parametrize(
    ("request_", "status", "code", "field"),
    [
        ({"asset_fqn": ""}, 422, "VALIDATION_ERROR", "asset_fqn"),
        ({"asset_fqn": "a" * 2001}, 422, "VALIDATION_ERROR", "asset_fqn"),
        ({"asset_fqn": "a..b"}, 422, "VALIDATION_ERROR", "asset_fqn"),
        ({"asset_fqn": "a.b.c.d.e"}, 422, "VALIDATION_ERROR", "asset_fqn"),
        ({"weight_overrides": {str(uuid4()): "1"}}, 422, "VALIDATION_ERROR", None),
        ({"weight_overrides": {"validity": "1"}}, 422, "VALIDATION_ERROR", "weight_overrides.validity"),
        ({"weight_overrides": {DIMENSION["validity"].id: "-1"}}, 422, "VALIDATION_ERROR", None),
        ({"weight_overrides": {DIMENSION["validity"].id: -0.5}}, 422, "VALIDATION_ERROR", None),
        ({"weight_overrides": {DIMENSION["validity"].id: "much"}}, 422, "VALIDATION_ERROR", None),
        ({"weight_overrides": {DIMENSION["validity"].id: "NaN"}}, 422, "VALIDATION_ERROR", None),
        ({"weight_overrides": {DIMENSION["validity"].id: "Infinity"}}, 422, "VALIDATION_ERROR", None),
        ({"weight_overrides": {DIMENSION["validity"].id: "1_0"}}, 422, "VALIDATION_ERROR", None),
        ({"weight_overrides": {DIMENSION["validity"].id: "\u0663"}}, 422, "VALIDATION_ERROR", None),
        ({"weight_overrides": {DIMENSION["validity"].id: "10000001"}}, 422, "VALIDATION_ERROR", None),
        ({"weight_overrides": {DIMENSION["validity"].id: "1e9999999"}}, 422, "VALIDATION_ERROR", None),
        ({"weight_overrides": {DIMENSION["validity"].id: "0.00000000001"}}, 422, "VALIDATION_ERROR", None),
        ({"weight_overrides": {DIMENSION["validity"].id: True}}, 400, "INVALID_FORMAT", None),
        ({"weight_overrides": {DIMENSION["validity"].id: None}}, 400, "INVALID_FORMAT", None),
        ({"weight_overrides": {DIMENSION["validity"].id: ["1"]}}, 400, "INVALID_FORMAT", None),
    ],
)
async def test_a_request_outside_its_bounds_is_refused(
    world: World, door: Door, request_: dict[str, Any], status: int, code: str, field: str | None
) -> None:
    refused = await card(world, door, **request_)
    assert (refused.status, refused.code) == (status, code)
    overridden = next(iter(request_.get("weight_overrides", {"": 0})))
    assert refused.details["field"] == (field or f"weight_overrides.{overridden}")


@pytest.mark.parametrize(
    ("body", "status", "code"),
    [
        ({"assessment_type": "beauty"}, 422, "VALIDATION_ERROR"),
        ({"as_of": "yesterday"}, 422, "VALIDATION_ERROR"),
        ({"workflow_run_id": "7"}, 422, "VALIDATION_ERROR"),
        ({"weight_overrides": []}, 400, "INVALID_FORMAT"),
        ({"asset_fqn": 7}, 400, "INVALID_FORMAT"),
        ({"colour": "red"}, 400, "VALIDATION_ERROR"),
    ],
)
async def test_a_malformed_body_is_refused_under_both_prefixes(
    world: World, body: dict[str, Any], status: int, code: str
) -> None:
    for path in PATHS:
        answer = await world.request("POST", path, token=world.owner, json=body)
        assert (answer.status_code, answer.json()["error"]["code"]) == (status, code)
        assert set(answer.json()) == {"error", "request_id"}


async def test_no_body_at_all_is_the_whole_project_and_nulls_are_the_same(world: World) -> None:
    await measure(world, ("valid_values", ORDERS, 1, 4))
    nulls = dict.fromkeys(("asset_fqn", "assessment_type", "as_of", "workflow_run_id", "weight_overrides"))
    answers = [
        await world.request("POST", path, token=world.owner, **how)
        for path in PATHS
        for how in ({}, {"json": {}}, {"json": nulls})
    ]
    assert {answer.status_code for answer in answers} == {200}
    assert len({answer.content for answer in answers}) == 1
    assert answers[0].json()["overall_score"] == "0.2500"
    naive = {"as_of": world.clock().replace(tzinfo=None).isoformat()}
    answer = await world.request("POST", PATHS[0], token=world.owner, json=naive)
    assert (answer.json()["overall_score"], answer.json()["as_of"]) == ("0.2500", naive["as_of"] + "Z")


async def test_a_name_that_the_catalog_does_not_have_is_not_found_and_an_empty_one_is_null(
    world: World, door: Door
) -> None:
    await cataloged(world, "svc.db.sch.t1.c")
    for name in ("svc", "svc.db", "svc.db.sch", "svc.db.sch.t1"):
        answer = await card(world, door, asset_fqn=name)
        assert (answer["overall_score"], scores(answer)) == (None, {}), name
    for name in ("sv", "svc.d", "svc.db.sch.t", "svc.db.sch.t1x", "nowhere"):
        refused = await card(world, door, asset_fqn=name)
        assert (refused.code, refused.status) == ("RESOURCE_NOT_FOUND", 404)
        assert refused.details == {"resource_type": "metadata_asset", "resource_id": name}
    assert (await card(world, door, world.foreign_owner, asset_fqn="svc")).code == "RESOURCE_NOT_FOUND"
    # What was deleted can be asked about as it was.
    before = world.clock()
    gone = metadata_assets.update().values(deleted_at=world.clock())
    await written(world, lambda uow: uow.connection.execute(gone))
    assert (await card(world, door, asset_fqn="svc.db")).status == 404
    assert (await card(world, door, asset_fqn="svc.db", as_of=before))["overall_score"] is None


async def test_a_moment_in_the_future_is_refused(world: World, door: Door) -> None:
    later = world.clock() + timedelta(days=1)
    refused = await card(world, door, as_of=later)
    assert (refused.code, refused.status, refused.details) == ("VALIDATION_ERROR", 422, {"field": "as_of"})
    for op, given in (
        (list_metric_results, {}), (get_table_profile, {"asset_fqn": "a.b.c.d"}),
        (get_column_profile, {"asset_fqn": "a.b.c.d.e"}),
    ):  # fmt: skip
        refused = await door(op, world.owner, as_of=later, **given)
        assert (refused.code, refused.status, refused.details) == ("INVALID_PARAMETER", 400, {"field": "as_of"})
    await cataloged(world, "svc.db.sch.t")
    report = ReportCreate(asset_fqn="svc.db.sch.t", as_of=later)
    rows = await world.dump()
    refused = await door(create_report, world.owner, report=report)
    assert (refused.code, refused.status, refused.details) == ("VALIDATION_ERROR", 422, {"field": "as_of"})
    assert await world.dump() == rows


# Receipts -----------------------------------------------------------------------------------------------------------

RECEIPT = """
query($request: ScorecardRequest!) { scorecard(request: $request) { dimensions { name metrics { name violations {
  name assetFqn severity status dimension { name } } } } } }
"""


async def receipt(world: World, **request: Any) -> dict[str, list[dict[str, Any]]]:
    """The violations behind each metric, as the graph shows them."""
    answer = await world.request(
        "POST", "/graphql", token=world.owner, json={"query": RECEIPT, "variables": {"request": request}}
    )
    assert "errors" not in answer.json(), answer.text
    dimensions = answer.json()["data"]["scorecard"]["dimensions"]
    return {metric["name"]: metric["violations"] for one in dimensions for metric in one["metrics"]}


async def test_a_score_opens_into_the_violations_behind_it_the_worst_first(world: World) -> None:
    metric = METRIC["non_null_values"].id
    here = {"metric_definition_id": metric}
    await find(
        world,
        finding(asset=f"{ORDERS}.a", **here),
        finding(asset=f"{ORDERS}.b", severity="critical", **here),
        finding(asset="crm.shop.public.items.a", **here),
        finding(asset="erp.shop.public.orders.a", **here),
        finding("invalid_values"),  # of no metric
    )
    await cataloged(world, ORDERS)
    found = await receipt(world, assetFqn=ORDERS)
    assert [one["assetFqn"] for one in found["non_null_values"]] == [f"{ORDERS}.b", f"{ORDERS}.a"]
    assert found["non_null_values"][0] == {
        "name": "null_values", "assetFqn": f"{ORDERS}.b", "severity": "CRITICAL", "status": "OPEN",
        "dimension": {"name": "completeness"},
    }  # fmt: skip
    assert not any(shown for name, shown in found.items() if name != "non_null_values")
    assert len((await receipt(world))["non_null_values"]) == 4


async def test_a_receipt_of_the_past_shows_what_was_open_then(world: World) -> None:
    one = finding(metric_definition_id=METRIC["non_null_values"].id)
    before = world.clock()
    first = await a_run(world)
    await find(world, one, run=first)
    seen = world.clock()
    second = await a_run(world)
    await find(world, checked=[one.check], run=second)
    gone = world.clock()
    await find(world, one)
    for as_of, number in ((before, 0), (seen, 1), (gone, 0), (None, 1), (world.clock(), 1)):
        request = {} if as_of is None else {"asOf": as_of.isoformat()}
        assert len((await receipt(world, **request))["non_null_values"]) == number, as_of
    assert not (await receipt(world, workflowRunId=first))["non_null_values"]


async def test_many_metrics_cost_as_many_statements_as_one(world: World, statements: Statements) -> None:
    names = ("non_null_values", "valid_values", "owned_assets")

    async def cost() -> int:
        await statements.anew()
        await receipt(world)
        return len(statements)

    run = await a_run(world)
    await measure(world, (names[0], ORDERS, 1, 2), run=run)
    await find(world, finding(metric_definition_id=METRIC[names[0]].id), run=run)
    await receipt(world)
    one = await cost()
    for name in METRIC:
        await measure(world, (name, "crm.shop.public.items", 1, 2), run=run)
        await find(world, finding(asset=f"crm.s.p.{name}.c", metric_definition_id=METRIC[name].id), run=run)
    assert await cost() == one
