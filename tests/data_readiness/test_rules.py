"""Quality rules through both doors: written, listed, changed, tried, imported, exported, decided about."""

from typing import Any
from uuid import uuid4

import pytest

from persistence.queries.rules import Executed
from resolvers.data_readiness.approval.operations import decide_run
from resolvers.data_readiness.rule_checks import check_quality_rule
from resolvers.data_readiness.rules import (
    create_quality_rule,
    delete_quality_rule,
    export_quality_rules,
    get_quality_rule,
    import_quality_rules,
    list_quality_rules,
    list_rule_executions,
    update_quality_rule,
)
from resolvers.data_readiness.violations import list_violations
from resolvers.engines.rules.draft import RuleDraft, measured_by
from schema.data_readiness.proposal import ApprovalDecision, Decision, ProposalKind
from schema.data_readiness.rule import RuleOperator, RuleOutcome, RuleState, RuleType, RuleUnit
from schema.data_readiness.rule_change import QualityRuleCreate, QualityRuleImport, QualityRuleUpdate, RuleFormat
from schema.data_readiness.violation import Severity
from tests.data_readiness.quality import find, finding
from tests.data_readiness.workflows import URI, cataloged, configure, proposed, run_in, scope, written
from tests.doors import Door, Refused
from tests.world import World

pytestmark = [
    pytest.mark.anyio,
    pytest.mark.filterwarnings("ignore:Pydantic serializer warnings"),  # wrong bodies are made here on purpose
]

TABLE = "svc.db.sch.t1"
CUSTOM: Any = {"type": RuleType.CUSTOM}
EMAIL = f"{TABLE}.email"


@pytest.fixture
async def catalog(world: World) -> None:
    await cataloged(world, EMAIL, f"{TABLE}.age", "svc.db.sch.t2.id", data_type="VARCHAR")


async def create(world: World, door: Door, **given: Any) -> Any:
    """Write a rule: nulls in the e-mail, unless something else is said."""
    values = {"name": "there", "asset_fqn": EMAIL, "type": RuleType.LIBRARY, "metric": "nullValues"} | given
    body = QualityRuleCreate.model_construct(_fields_set=set(values), **values)
    return await door(create_quality_rule, world.owner, rule=body)


async def total(world: World, door: Door, **how: Any) -> int:
    """How many rules a list has."""
    found: int = (await door(list_quality_rules, world.owner, **how))["total"]
    return found


def draft(name: str = "generated", column: str = "age", **given: Any) -> RuleDraft:
    """A rule as the engine draws it up."""
    dimension, metric = measured_by("nullValues")
    values: dict[str, Any] = {
        "name": name, "description": None, "asset_fqn": f"{TABLE}.{column}", "resource_uri": URI,
        "type": RuleType.LIBRARY, "metric": "nullValues", "operator": RuleOperator.MUST_BE, "threshold": (0.0,),
        "unit": RuleUnit.ROWS, "dimension_id": dimension, "metric_definition_id": metric,
        "severity": Severity.LOW, "evidence": {"rows": 9}, "confidence": 0.75,
    }  # fmt: skip
    return RuleDraft(**(values | given))


async def put(world: World, *drafts: RuleDraft, run_id: str | None = None) -> Any:
    """Take drafts in as a run does."""
    return await written(
        world,
        lambda uow: uow.quality_rules.put_drafts(scope(world), drafts, run_id=run_id, actor="olga", at=world.clock()),
    )


async def test_a_person_writes_a_rule_and_it_is_active_at_once(world: World, door: Door, catalog: None) -> None:
    made = await create(world, door, threshold=[2.5], operator=RuleOperator.MUST_BE_LESS_OR_EQUAL_TO, unit="percent")
    assert {name: made[name] for name in ("name", "asset_fqn", "resource_uri", "state", "origin", "threshold")} == {
        "name": "there", "asset_fqn": EMAIL, "resource_uri": URI, "state": "active", "origin": "person",
        "threshold": [2.5],
    }  # fmt: skip
    assert (made["dimension_id"], made["metric_definition_id"]) == measured_by("nullValues")
    assert await door(get_quality_rule, world.owner, rule_id=made["id"]) == made
    taken = await create(world, door, name="other")
    assert (taken.status, taken.code) == (409, "RESOURCE_ALREADY_EXISTS")
    assert await total(world, door) == 1


@pytest.mark.parametrize(
    ("given", "field", "words"),
    [
        ({"asset_fqn": "svc.db.sch.nowhere"}, "asset_fqn", "no table or column"),
        ({"asset_fqn": "svc.db.sch"}, "asset_fqn", "no table or column"),
        ({"asset_fqn": "svc..x"}, "asset_fqn", "not a dotted name"),
        ({"metric": "brokenReferences"}, "metric", "The metrics of type library"),
        ({"type": RuleType.CUSTOM}, "metric", "The metrics of type custom"),
        ({"query": "select 1"}, "query", "when its type is sql"),
        ({"type": RuleType.SQL}, "metric", "no metric"),
        ({"type": RuleType.SQL, "metric": None}, "query", "when its type is sql"),
        ({"threshold": [1.0, 2.0]}, "threshold", "one number"),
        ({"operator": RuleOperator.MUST_BE_BETWEEN}, "threshold", "two numbers"),
        ({"operator": RuleOperator.MUST_BE_BETWEEN, "threshold": [2.0, 1.0]}, "threshold", "the smaller first"),
        ({"metric": "invalidValues"}, "arguments", "needs arguments"),
        ({"metric": "invalidValues", "arguments": {"pattern": "["}}, "arguments", "no regular expression"),
        ({"metric": "invalidValues", "arguments": {"validValues": ["x" * 70_000]}}, "arguments", "65536 bytes"),
        ({"metric": "nullValues", "asset_fqn": TABLE}, "arguments", "names a table"),
        ({"metric": "duplicateValues", "arguments": {"properties": "mail"}}, "arguments", "no column 'mail'"),
        ({**CUSTOM, "metric": "nearDuplicates", "asset_fqn": TABLE}, "arguments", "needs 1 to 200 columns"),
        ({**CUSTOM, "metric": "inconsistentRows"}, "arguments", "`determinant`"),
        (
            {**CUSTOM, "metric": "brokenReferences", "arguments": {"targetFqn": "svc.db.sch.gone"}},
            "arguments",
            "svc.db.sch.gone that is referred to",
        ),
        (
            {**CUSTOM, "metric": "brokenReferences", "arguments": {"targetFqn": TABLE, "targetColumns": ["x"]}},
            "arguments",
            "no column 'x'",
        ),
        ({"metric_definition_id": str(uuid4())}, "metric_definition_id", "no such metric"),
    ],
)
async def test_a_rule_that_could_never_hold_is_refused(
    world: World, door: Door, catalog: None, given: dict[str, Any], field: str, words: str
) -> None:
    refused = await create(world, door, **given)
    assert isinstance(refused, Refused)
    assert (refused.status, refused.details.get("field")) == (422, field), refused
    assert words in refused.message
    assert await total(world, door) == 0


@pytest.mark.parametrize(
    ("query", "rule"),
    [
        ("drop table t1", "no_definitions"),
        ("select pg_sleep(1) from t1", "functions"),
        ("select * from elsewhere", "tables"),
        ("select nothing from t1", "columns"),
        ("select email from t1; select email from t1", "one_query"),
    ],
)
async def test_sql_passes_the_guard_or_is_refused_with_its_rule(
    world: World, door: Door, catalog: None, query: str, rule: str
) -> None:
    refused = await create(world, door, type=RuleType.SQL, metric=None, asset_fqn=TABLE, query=query)
    assert (refused.status, refused.details.get("field")) == (422, "query")
    assert f"(rule: {rule})" in refused.message
    fine = await create(
        world, door, type=RuleType.SQL, metric=None, asset_fqn=TABLE, query="select * from t1 where email is null"
    )
    assert fine["query"] == "select * from t1 where email is null"


async def test_rules_are_listed_by_what_they_are_about(world: World, door: Door, catalog: None) -> None:
    made = await create(world, door)
    await create(world, door, asset_fqn="svc.db.sch.t2.id", metric="duplicateValues")
    await put(world, draft())
    assert await total(world, door) == 3
    assert await total(world, door, asset_fqn=TABLE) == 2
    assert await total(world, door, asset_fqn=EMAIL) == 1
    assert await total(world, door, asset_fqn="svc.db.sch.t") == 0
    assert await total(world, door, state=RuleState.PROPOSED) == 1
    assert await total(world, door, origin="person") == 2
    assert await total(world, door, metric="duplicateValues") == 1
    assert await total(world, door, dimension="uniqueness") == 1
    assert await total(world, door, dimension=made["dimension_id"]) == 2
    second = await door(list_quality_rules, world.owner, page=2, limit=2)
    assert [one["asset_fqn"] for one in second["items"]] == ["svc.db.sch.t2.id"]


@pytest.mark.parametrize(
    ("path", "ends"),
    [
        (["disabled", "active", "disabled", "rejected", "active"], "active"),
        (["rejected"], None),
        (["proposed"], None),
        (["disabled", "proposed"], None),
    ],
)
async def test_a_rule_moves_only_as_its_states_allow(
    world: World, door: Door, catalog: None, path: list[str], ends: str | None
) -> None:
    made = await create(world, door)
    for state in path[: len(path) if ends else -1]:
        made = await door(
            update_quality_rule, world.owner, rule_id=made["id"],
            changes=QualityRuleUpdate.model_validate({"state": state}),
        )  # fmt: skip
        assert made["state"] == state
    if ends is None:
        refused = await door(
            update_quality_rule, world.owner, rule_id=made["id"],
            changes=QualityRuleUpdate.model_validate({"state": path[-1]}),
        )  # fmt: skip
        assert (refused.status, refused.details.get("field")) == (422, "state")
        assert "cannot become" in refused.message


async def test_a_change_keeps_the_rest_and_a_lost_race_is_told(world: World, door: Door, catalog: None) -> None:
    made = await create(world, door)
    changes = QualityRuleUpdate.model_validate({"threshold": [3.0], "severity": "critical"})
    changed = await door(update_quality_rule, world.owner, rule_id=made["id"], changes=changes)
    told = {"threshold": [3.0], "severity": "critical", "updated_at": changed["updated_at"]}
    assert changed == made | told
    path = f"/data-readiness/quality-rules/{made['id']}"
    stale = {"If-Match": '"1"'}
    lost = await world.request("PUT", path, token=world.owner, json={"threshold": [4.0]}, headers=stale)
    assert (lost.status_code, lost.json()["error"]["code"]) == (409, "VERSION_CONFLICT")
    kept = await world.request("DELETE", path, token=world.owner, headers=stale)
    assert (kept.status_code, kept.json()["error"]["code"]) == (409, "VERSION_CONFLICT")
    wrong = await door(
        update_quality_rule, world.owner, rule_id=made["id"],
        changes=QualityRuleUpdate.model_validate({"threshold": [1.0, 2.0]}),
    )  # fmt: skip
    assert (wrong.status, wrong.details.get("field")) == (422, "threshold")
    assert (await door(get_quality_rule, world.owner, rule_id=made["id"])) == changed


@pytest.mark.parametrize("how", ["delete", "disable"])
async def test_what_a_rule_found_is_resolved_when_it_ceases(world: World, door: Door, catalog: None, how: str) -> None:
    made = await create(world, door)
    await find(world, finding(asset=EMAIL, check=f"rule:{made['id']}"), finding(asset=EMAIL, check="rule:another"))
    if how == "delete":
        assert (await door(delete_quality_rule, world.owner, rule_id=made["id"]))["deleted"] is True
        gone = await door(get_quality_rule, world.owner, rule_id=made["id"])
        assert (gone.status, gone.code) == (404, "RESOURCE_NOT_FOUND")
    else:
        changes = QualityRuleUpdate.model_validate({"state": "disabled"})
        await door(update_quality_rule, world.owner, rule_id=made["id"], changes=changes)
    listed = await door(list_violations, world.owner)
    assert sorted(one["status"] for one in listed["items"]) == ["open", "resolved"]


async def test_a_later_run_renews_what_nobody_decided_and_leaves_what_people_did(
    world: World, door: Door, catalog: None
) -> None:
    (first,) = await put(world, draft(), run_id=str(uuid4()))
    (again,) = await put(world, draft(threshold=(5.0,), confidence=0.9), run_id=str(uuid4()))
    assert (first.is_new, again.is_new, again.is_renewed, again.rule.id) == (True, False, True, first.rule.id)
    assert (again.rule.threshold, again.rule.confidence) == ([5.0], 0.9)
    for state in ("active", "disabled"):
        await door(
            update_quality_rule, world.owner, rule_id=first.rule.id,
            changes=QualityRuleUpdate.model_validate({"state": state}),
        )  # fmt: skip
        (kept,) = await put(world, draft(threshold=(7.0,)))
        assert (kept.is_renewed, kept.rule.threshold, kept.rule.state) == (False, [5.0], state)
    own = await create(world, door)
    (kept,) = await put(world, draft(column="email", name="mine"))
    assert (kept.rule.id, kept.rule.name, kept.is_renewed) == (own["id"], "there", False)
    twice = await put(world, draft("a", "x"), draft("b", "x"))
    assert [one.rule.name for one in twice] == ["a"]


@pytest.mark.parametrize(
    ("decision", "state"), [(Decision.APPROVE, "active"), (Decision.REJECT, "rejected"), (Decision.PENDING, "proposed")]
)
async def test_a_decision_about_its_proposal_moves_the_rule(
    world: World, door: Door, catalog: None, decision: Decision, state: str
) -> None:
    run = await run_in(world, await configure(world, door), "completed")
    (kept,) = await put(world, draft(), run_id=run)
    await proposed(
        world, run,
        {"asset_fqn": f"{TABLE}.age", "kind": ProposalKind.RULE, "field": "rule",
         "proposed_value": {"rule_id": kept.rule.id}},
    )  # fmt: skip
    if decision is Decision.PENDING:
        await door(decide_run, world.owner, run_id=run, approval=ApprovalDecision(decision=Decision.REJECT))
    done = await door(decide_run, world.owner, run_id=run, approval=ApprovalDecision(decision=decision))
    assert done["conflicts"] == []
    assert (await door(get_quality_rule, world.owner, rule_id=kept.rule.id))["state"] == state


@pytest.mark.parametrize(
    ("what", "words"),
    [("deleted", "was deleted"), ("rejected", "was rejected"), ("renewed", "A later run")],
)
async def test_a_proposal_whose_rule_has_moved_on_is_a_conflict(
    world: World, door: Door, catalog: None, what: str, words: str
) -> None:
    run = await run_in(world, await configure(world, door), "completed")
    (kept,) = await put(world, draft(), run_id=run)
    about = {"kind": ProposalKind.RULE, "field": "rule", "proposed_value": {"rule_id": kept.rule.id}}
    await proposed(world, run, about | {"asset_fqn": f"{TABLE}.age"})
    if what == "deleted":
        await door(delete_quality_rule, world.owner, rule_id=kept.rule.id)
    elif what == "rejected":
        changes = QualityRuleUpdate.model_validate({"state": "rejected"})
        await door(update_quality_rule, world.owner, rule_id=kept.rule.id, changes=changes)
    else:
        await put(world, draft(threshold=(9.0,)), run_id=str(uuid4()))
    done = await door(decide_run, world.owner, run_id=run, approval=ApprovalDecision(decision=Decision.APPROVE))
    assert (done["approved"], done["pending"]) == (0, 1)
    assert words in done["conflicts"][0]["message"]


ODCS = f"""
apiVersion: v3.1.0
kind: DataContract
id: x
version: 1.0.0
status: active
schema:
  - name: t1
    physicalName: {TABLE}
    properties:
      - name: email
        required: true
        quality:
          - type: library
            metric: invalidValues
            arguments: {{pattern: "@"}}
            mustBe: 0
          - type: sql
            query: select pg_sleep(9) from t1
            mustBe: 0
          - type: text
            description: It should be nice.
  - name: nowhere
    quality:
      - {{type: library, metric: rowCount, mustBeGreaterThan: 0}}
"""
DBT = """
version: 2
models:
  - name: t1
    columns:
      - name: email
        data_tests: [not_null, unique, {accepted_values: {values: [a, b]}}, dbt_utils.at_least_one]
"""


@pytest.mark.parametrize(("format", "text", "made", "missed"), [("odcs", ODCS, 2, 3), ("dbt", DBT, 3, 1)])
async def test_rules_are_imported_and_what_was_not_understood_is_told(
    world: World, door: Door, catalog: None, format: str, text: str, made: int, missed: int
) -> None:
    body = QualityRuleImport(format=RuleFormat(format), text=text)
    done = await door(import_quality_rules, world.owner, file=body)
    assert (done["created"], done["kept"], len(done["rules"])) == (made, 0, made), done
    assert len(done["not_understood"]) == missed, done["not_understood"]
    assert {(one["origin"], one["state"]) for one in done["rules"]} == {("imported", "active")}
    again = await door(import_quality_rules, world.owner, file=body)
    assert (again["created"], again["kept"]) == (0, made)
    exported = await door(export_quality_rules, world.owner, format=RuleFormat(format))
    assert (exported["rules"], exported["left_out"]) == (made, [])
    for rule in done["rules"]:
        await door(delete_quality_rule, world.owner, rule_id=rule["id"])
    back = await door(
        import_quality_rules, world.owner, file=QualityRuleImport(format=RuleFormat(format), text=exported["text"])
    )
    assert (back["created"], back["not_understood"]) == (made, [])


@pytest.mark.parametrize("text", ["{", "- a", "kind: Other", "a: *b"])
async def test_a_file_that_is_none_is_refused(world: World, door: Door, catalog: None, text: str) -> None:
    refused = await door(import_quality_rules, world.owner, file=QualityRuleImport(format=RuleFormat.ODCS, text=text))
    assert (refused.status, refused.details.get("field")) == (422, "text")


async def test_executions_are_listed_of_a_rule_of_a_run_and_by_outcome(world: World, door: Door, catalog: None) -> None:
    kept = await put(world, draft("a", "age"), draft("b", "email"))
    runs = [str(uuid4()), str(uuid4())]

    def work(uow: Any) -> None:
        for run in runs:
            done = [
                Executed(kept[0].rule, RuleOutcome.PASSED, 3, 4, details={"value": "1"}),
                Executed(kept[1].rule, RuleOutcome.NOT_EVALUATED, reason="gone"),
            ]
            uow.rule_executions.record(scope(world), run, done, at=world.clock())
            uow.rule_executions.record(scope(world), run, done, at=world.clock())

    await written(world, work)

    async def found(**how: Any) -> Any:
        return await door(list_rule_executions, world.owner, **how)

    assert (await found())["total"] == 4
    assert (await found(rule_id=kept[0].rule.id))["total"] == 2
    assert (await found(workflow_run_id=runs[0]))["total"] == 2
    assert (await found(asset_fqn=f"{TABLE}.age"))["total"] == 2
    (one,) = (await found(outcome=RuleOutcome.NOT_EVALUATED, workflow_run_id=runs[1]))["items"]
    assert (one["rule_name"], one["numerator"], one["denominator"], one["reason"]) == ("b", None, None, "gone")


async def test_a_rule_of_a_connection_that_is_gone_cannot_be_tried(world: World, door: Door, catalog: None) -> None:
    made = await create(world, door)
    refused = await door(check_quality_rule, world.owner, rule_id=made["id"])
    assert (refused.status, refused.details.get("field")) == (422, "resource_uri")


async def test_another_tenants_rule_is_not_there(world: World, door: Door, catalog: None) -> None:
    made = await create(world, door)
    changes = QualityRuleUpdate.model_validate({"description": "theirs"})
    for refused in (
        await door(get_quality_rule, world.foreign_owner, rule_id=made["id"]),
        await door(update_quality_rule, world.foreign_owner, rule_id=made["id"], changes=changes),
        await door(delete_quality_rule, world.foreign_owner, rule_id=made["id"]),
        await door(check_quality_rule, world.foreign_owner, rule_id=made["id"]),
    ):
        assert (refused.status, refused.code) == (404, "RESOURCE_NOT_FOUND")
    assert (await door(list_quality_rules, world.foreign_owner))["total"] == 0
    missing = await door(get_quality_rule, world.owner, rule_id=str(uuid4()))
    assert (missing.status, missing.code) == (404, "RESOURCE_NOT_FOUND")
