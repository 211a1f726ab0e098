"""Every score opens, through the graph, into what it was added up from, and says how it moved with the last run."""

from datetime import timedelta
from typing import Any
from uuid import uuid4

import pytest

from persistence.queries.rules import Executed
from persistence.repository import Scope
from resolvers.engines.rules.draft import RuleDraft, measured_by
from schema.data_readiness.rule import RuleOperator, RuleOutcome, RuleState, RuleType, RuleUnit
from schema.data_readiness.violation import Severity
from tests.data_readiness.quality import METRIC, ORDERS, a_run, measure, scope_of
from tests.data_readiness.workflows import cataloged
from tests.world import World

pytestmark = pytest.mark.anyio

CHANGE = "change { score scoreBefore difference workflowRunId measuredAt }"
RECEIPT = f"""
query($request: ScorecardRequest!) {{ scorecard(request: $request) {{ overallScore {CHANGE}
  dataQuality {{ score {CHANGE} }} metadata {{ score {CHANGE} }} dimensions {{
  name score {CHANGE} metrics {{ name score numerator denominator {CHANGE}
    results {{ assetFqn numerator denominator score workflowRunId }}
    ruleExecutions {{ ruleName outcome assetFqn numerator denominator details }} }} }} }} }}
"""


async def card(world: World, token: str | None = None, **request: Any) -> dict[str, Any]:
    """The card with its receipts."""
    answer = await world.request(
        "POST", "/graphql", token=token or world.owner, json={"query": RECEIPT, "variables": {"request": request}}
    )
    assert "errors" not in answer.json(), answer.text
    found: dict[str, Any] = answer.json()["data"]["scorecard"]
    return found


def of(card: dict[str, Any], dimension: str, metric: str | None = None) -> dict[str, Any]:
    """One dimension of a card, or one metric."""
    found: dict[str, Any] = next(one for one in card["dimensions"] if one["name"] == dimension)
    return found if metric is None else next(one for one in found["metrics"] if one["name"] == metric)


async def test_a_score_opens_into_the_results_of_its_assets_the_worst_first(world: World) -> None:
    early, late = await a_run(world), await a_run(world)
    await measure(world, ("non_null_values", f"{ORDERS}.a", 1, 4), ("non_null_values", f"{ORDERS}.b", 4, 4), run=early)
    await measure(
        world,
        ("non_null_values", f"{ORDERS}.a", 3, 4),
        ("non_null_values", "erp.a.b.c.d", 0, 9),
        run=late,
        at=world.clock() + timedelta(hours=1),
    )
    world.clock.moment += timedelta(hours=2)
    metric = of(await card(world, assetFqn=ORDERS), "completeness", "non_null_values")
    assert (metric["numerator"], metric["denominator"]) == (7, 8)
    assert [(one["assetFqn"], one["numerator"], one["score"], one["workflowRunId"]) for one in metric["results"]] == [
        (f"{ORDERS}.a", 3, "0.7500", late),
        (f"{ORDERS}.b", 4, "1.0000", early),
    ]
    then = of(await card(world, assetFqn=ORDERS, workflowRunId=early), "completeness", "non_null_values")
    assert [(one["assetFqn"], one["score"]) for one in then["results"]] == [
        (f"{ORDERS}.a", "0.2500"),
        (f"{ORDERS}.b", "1.0000"),
    ]


async def test_every_score_says_how_it_moved_with_the_last_run(world: World) -> None:
    first, second = await a_run(world), await a_run(world)
    later = world.clock() + timedelta(hours=1)
    await measure(world, ("non_null_values", f"{ORDERS}.a", 1, 2), ("valid_values", f"{ORDERS}.a", 1, 4), run=first)
    alone = await card(world)
    assert alone["change"] | {"measuredAt": None} == {
        "score": "0.3750", "scoreBefore": None, "difference": None, "workflowRunId": first, "measuredAt": None,
    }  # fmt: skip
    await measure(world, ("valid_values", f"{ORDERS}.a", 1, 8), run=second, at=later)
    world.clock.moment = later + timedelta(hours=2)
    now = await card(world, asOf=(later + timedelta(hours=1)).isoformat())
    told = {"workflowRunId": second, "measuredAt": now["change"]["measuredAt"]}
    assert now["change"] == {"score": "0.3125", "scoreBefore": "0.3750", "difference": "-0.0625"} | told
    assert of(now, "validity")["change"] == {"score": "0.1250", "scoreBefore": "0.2500", "difference": "-0.1250"} | told
    same = of(now, "completeness", "non_null_values")["change"]
    assert same == {"score": "0.5000", "scoreBefore": "0.5000", "difference": "0.0000"} | told
    never = of(now, "timeliness")["change"]
    assert never == {"score": None, "scoreBefore": None, "difference": None} | told
    before = await card(world, asOf=(later - timedelta(minutes=1)).isoformat())
    assert before["change"]["workflowRunId"] == first
    of_run = await card(world, workflowRunId=second)
    assert (
        of(of_run, "validity")["change"] == {"score": "0.1250", "scoreBefore": "0.2500", "difference": "-0.1250"} | told
    )
    await cataloged(world, "erp.db")
    assert (await card(world, assetFqn="erp"))["change"] is None


async def test_what_is_measured_of_the_description_does_not_move_the_score_of_the_data(world: World) -> None:
    runs, hours = [await a_run(world) for _ in range(3)], [world.clock() + timedelta(hours=at) for at in range(3)]
    await measure(world, ("valid_values", ORDERS, 1, 2), run=runs[0], at=hours[0])
    await measure(world, ("valid_values", ORDERS, 3, 4), run=runs[1], at=hours[1])
    await measure(world, ("owned_assets", ORDERS, 0, 1), run=runs[2], at=hours[2])
    world.clock.moment = hours[2] + timedelta(hours=1)
    now = await card(world)
    assert (now["overallScore"], now["change"]["workflowRunId"]) == ("0.3750", runs[2])
    data, metadata = now["dataQuality"], now["metadata"]
    assert (data["score"], data["change"]["scoreBefore"], data["change"]["difference"]) == (
        "0.7500", "0.5000", "0.2500",
    )  # fmt: skip
    assert data["change"]["workflowRunId"] == runs[1]
    assert (metadata["score"], metadata["change"]["scoreBefore"]) == ("0.0000", None)
    assert metadata["change"]["workflowRunId"] == runs[2]


async def test_a_score_opens_into_the_rules_that_count_in_it_the_failed_ones_first(world: World) -> None:
    await cataloged(world, ORDERS, "erp.db")
    dimension, metric = measured_by("nullValues")
    assert metric == METRIC["non_null_values"].id

    def draft(column: str) -> RuleDraft:
        return RuleDraft(
            name=f"{column} is there", description=None, asset_fqn=f"{ORDERS}.{column}", resource_uri="data:x",
            type=RuleType.LIBRARY, metric="nullValues", operator=RuleOperator.MUST_BE, threshold=(0.0,),
            unit=RuleUnit.ROWS, dimension_id=dimension, metric_definition_id=metric, severity=Severity.LOW,
        )  # fmt: skip

    def record(scope: Scope, run: str, *outcomes: RuleOutcome) -> Any:
        def work(uow: Any) -> None:
            kept = uow.quality_rules.put_drafts(
                scope, [draft("a"), draft("b")], run_id=None, actor="olga", at=world.clock(), state=RuleState.ACTIVE
            )
            done = [Executed(one.rule, outcome, 1, 2) for one, outcome in zip(kept, outcomes, strict=True)]
            uow.rule_executions.record(scope, run, done, at=world.clock())

        return world.app.parts.services.store.write(work)

    await record(scope_of(world), str(uuid4()), RuleOutcome.FAILED, RuleOutcome.PASSED)
    world.clock.moment += timedelta(hours=1)
    await record(scope_of(world), str(uuid4()), RuleOutcome.PASSED, RuleOutcome.FAILED)
    metric_now = of(await card(world, assetFqn=ORDERS), "completeness", "non_null_values")
    assert [(one["ruleName"], one["outcome"]) for one in metric_now["ruleExecutions"]] == [
        ("b is there", "FAILED"),
        ("a is there", "PASSED"),
    ]
    then = (world.clock.moment - timedelta(minutes=1)).isoformat()
    metric_then = of(await card(world, assetFqn=ORDERS, asOf=then), "completeness", "non_null_values")
    assert [(one["ruleName"], one["outcome"]) for one in metric_then["ruleExecutions"]] == [
        ("a is there", "FAILED"),
        ("b is there", "PASSED"),
    ]
    elsewhere = of(await card(world, assetFqn="erp"), "completeness", "non_null_values")
    assert elsewhere["ruleExecutions"] == []
