"""What a rule expects and what breaks it, in the words of the report and without the values of personal data."""

from typing import Any

import pytest

from persistence.queries.rules import Executed
from persistence.tables.catalog import metadata_assets
from resolvers.data_readiness.report_findings import rule_results
from resolvers.engines.rules.draft import RuleDraft, measured_by
from schema.data_readiness.rule import RuleOperator, RuleOutcome, RuleState, RuleType, RuleUnit
from schema.data_readiness.violation import Severity
from tests.conftest import Statements
from tests.data_readiness.quality import find, finding, scope_of
from tests.data_readiness.workflows import cataloged, run_in, written
from tests.world import World

pytestmark = pytest.mark.anyio

STATES, PLAIN = "`open` and `paid`", "No row may have another value than the 2 known ones"
FOUND = "; 3 of 10 do."
QUERY = """query($n: Int) { violations(limit: $n, sort: "asset_fqn:asc") { items { assetFqn inWords
  rule { inWords executions { nodes { inWords } } } } } }"""


async def ruled(world: World, *columns: str, arguments: dict[str, Any] | None = None) -> None:
    """A rule about what each asset may hold, which three of ten rows break, as a violation tells."""
    body = {"name": "Work", "workflow_type": "dq-execution"}
    made = await world.request("POST", "/data-readiness/workflows", token=world.owner, json=body)
    run = await run_in(world, made.json(), "completed", asset_fqn="svc.db.sch")
    dimension, metric = measured_by("invalidValues")
    drafts = [
        RuleDraft(
            name="values.status", description=None, asset_fqn=column, resource_uri="data:x", type=RuleType.LIBRARY,
            metric="invalidValues", operator=RuleOperator.MUST_BE, threshold=(0.0,), unit=RuleUnit.ROWS,
            dimension_id=dimension, metric_definition_id=metric, severity=Severity.LOW,
            arguments=arguments or {"validValues": ["open", "paid"]},
        )
        for column in columns
    ]  # fmt: skip

    def work(uow: Any) -> dict[str, str]:
        kept = uow.quality_rules.put_drafts(
            scope_of(world), drafts, run_id=None, actor="olga", at=world.clock(), state=RuleState.ACTIVE
        )
        done = [Executed(one.rule, RuleOutcome.FAILED, 7, 10) for one in kept]
        found: dict[str, str] = uow.rule_executions.record(scope_of(world), run, done, at=world.clock())
        return {one.rule.asset_fqn: found[one.rule.id] for one in kept}

    executions = await written(world, work)
    broken = [
        finding("invalid_values", asset=column, display_name="values.status", dq_rule_execution_id=executions[column])
        for column in columns
    ]
    await find(world, *broken, run=run)


async def told(world: World, number: int = 100) -> dict[str, Any]:
    """Return what is said of each violation, of its rule, and of what evaluating the rule came to."""
    body = {"query": QUERY, "variables": {"n": number}}
    answer = (await world.request("POST", "/graphql", token=world.owner, json=body)).json()
    assert "errors" not in answer, answer
    return {
        one["assetFqn"]: (one["inWords"], one["rule"] and (one["rule"]["inWords"], one["rule"]["executions"]["nodes"]))
        for one in answer["data"]["violations"]["items"]
    }


async def change(world: World, fqn: str, **values: Any) -> None:
    """Write something of an asset into the catalog."""
    at = metadata_assets.c.fully_qualified_name == fqn
    await written(world, lambda uow: uow.connection.execute(metadata_assets.update().where(at).values(**values)))


async def test_a_violation_says_what_its_rule_allows_and_what_was_found_as_the_report_does(world: World) -> None:
    await cataloged(world, "svc.db.sch.t.status", "svc.db.sch.t.note")
    await ruled(world, "svc.db.sch.t.status")
    await find(world, finding("stale_data", asset="svc.db.sch.t"))
    said = f"{PLAIN} ({STATES})"
    assert await told(world) == {
        "svc.db.sch.t": (None, None),
        "svc.db.sch.t.status": (f"{said}{FOUND}", (f"{said}.", [{"inWords": f"{said}{FOUND}"}])),
    }
    store = world.app.parts.services.store
    (reported,) = await store.read(lambda uow: rule_results(uow, scope_of(world), ["svc"], None))
    assert reported.expects == f"{said}{FOUND}"


@pytest.mark.parametrize("hidden", ["column", "table", "gone"])
async def test_values_of_personal_data_are_never_told(world: World, hidden: str) -> None:
    table, column = "svc.db.sch.t", "svc.db.sch.t.status"
    await cataloged(world, column, "svc.db.sch.t.note")
    await ruled(world, column, table)
    if hidden == "gone":
        await change(world, table, deleted_at=world.clock())
    else:
        await change(world, column if hidden == "column" else table, is_pii_tagged=True)
    expected = (f"{PLAIN}{FOUND}", (f"{PLAIN}.", [{"inWords": f"{PLAIN}{FOUND}"}]))
    assert await told(world) == {column: expected, table: expected}
    store = world.app.parts.services.store
    reported = await store.read(lambda uow: rule_results(uow, scope_of(world), ["svc"], None))
    assert {one.expects for one in reported} == {f"{PLAIN}{FOUND}"}


async def test_a_rule_that_was_deleted_is_told_no_more(world: World) -> None:
    await cataloged(world, "svc.db.sch.t.status")
    await ruled(world, "svc.db.sch.t.status")
    body = {"query": "{ qualityRules { items { id } } }"}
    (rule,) = (await world.request("POST", "/graphql", token=world.owner, json=body)).json()["data"]["qualityRules"][
        "items"
    ]
    body = {"query": f'mutation {{ deleteQualityRule(ruleId: "{rule["id"]}") {{ deleted }} }}'}
    assert (await world.request("POST", "/graphql", token=world.owner, json=body)).json()["data"]
    assert await told(world) == {"svc.db.sch.t.status": (None, None)}


async def test_many_violations_are_told_for_as_many_statements_as_one(world: World, statements: Statements) -> None:
    columns = [f"svc.db.sch.t{number}.status" for number in range(10)]
    await cataloged(world, *columns)
    await ruled(world, *columns)
    await told(world)
    costs = {}
    for number in (1, 10):
        await statements.anew()
        found = await told(world, number)
        assert [words for words, _ in found.values()] == [f"{PLAIN} ({STATES}){FOUND}"] * number
        costs[number] = len([one for one in statements if not one.startswith(("BEGIN", "COMMIT", "ROLLBACK"))])
    assert costs[1] == costs[10]


async def test_what_to_do_quotes_no_value_of_a_table_that_is_gone(world: World) -> None:
    table, column = "svc.db.sch.t", "svc.db.sch.t.status"
    await cataloged(world, column)
    example = {"key": {"id": 7}, "values": {"status": "odd"}}
    await find(world, finding("invalid_values", asset=column, details={"examples": [example]}))
    body = {"query": "{ actions { items { what } } }"}

    async def first() -> str:
        answer = (await world.request("POST", "/graphql", token=world.owner, json=body)).json()
        return str(answer["data"]["actions"]["items"][0]["what"])

    assert "`odd`" in await first()
    await change(world, table, deleted_at=world.clock())
    assert "status is `***`" in await first()
