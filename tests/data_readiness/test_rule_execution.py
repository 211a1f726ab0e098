"""The execution of rules and the assessments, on a real PostgreSQL: exact figures, violations over runs, masking."""

from typing import Any
from uuid import uuid4

import pytest
import sqlalchemy as sa

from persistence.queries.rules import Drafted
from persistence.tables.catalog import metadata_assets
from persistence.tables.rules import rule_executions
from resolvers.data_readiness.data_assets import list_data_assets
from resolvers.data_readiness.reports import create_report
from resolvers.data_readiness.rule_checks import check_quality_rule
from resolvers.data_readiness.rule_trials import try_quality_rule
from resolvers.data_readiness.rules import delete_quality_rule, list_quality_rules
from resolvers.data_readiness.runs.kinds.rule_execution import Execution
from resolvers.data_readiness.scorecard import get_scorecard
from resolvers.data_readiness.violations import list_violations
from resolvers.data_readiness.workflows import create_workflow_configuration
from resolvers.engines.rules.draft import RuleDraft, measured_by
from schema.data_readiness.classification import Classification, ClassificationKind, ClassificationState
from schema.data_readiness.report import ReportCreate
from schema.data_readiness.rule import RuleOperator, RuleOrigin, RuleState, RuleType, RuleUnit
from schema.data_readiness.rule_change import QualityRuleCreate
from schema.data_readiness.scorecard import ScorecardRequest
from schema.data_readiness.violation import Severity
from schema.data_readiness.workflow import WorkflowConfigurationCreate, WorkflowType
from schema.errors import DatabaseError
from schema.identifiers import Fqn
from tests.data_readiness.quality import scope_of
from tests.support.ingestion import Bench, Source, setting_overrides, shop, source
from tests.world import World

__all__ = ["setting_overrides", "shop", "source"]

pytestmark = pytest.mark.anyio

TABLE = """
    create table sales.people (id integer primary key, email text, age integer, city text, zip text, boss integer,
                               seen timestamptz);
    insert into sales.people values
        (1, 'a@x.io', 20, 'Rome', '1', null, now()), (2, 'b@x.io', 30, 'Rome', '1', 1, now()),
        (3, null, 999, 'Oslo', '2', 1, null), (4, 'nope', -1, 'Olso', '2', 77, null),
        (5, ' ', 5, 'Oslo', '2', 3, null), (6, 'a@x.io', null, 'N/A', null, 3, null);
    analyze;
"""


def draft(bench: Bench, source: Source, name: str, metric: str | None, of: str | None, /, **arguments: Any) -> Drafted:
    """A rule about `people`."""
    parts = ("shop", source.database, "sales", "people", *([of] if of else []))
    dimension, definition = measured_by(metric)
    query = arguments.pop("query", None)
    return RuleDraft(
        name=name,
        description=None,
        asset_fqn=str(Fqn.of(*parts)),
        resource_uri=bench.uri,
        type=RuleType.SQL if metric is None else RuleType.LIBRARY,
        metric=metric,
        operator=arguments.pop("operator", RuleOperator.MUST_BE),
        threshold=arguments.pop("threshold", (0.0,)),
        unit=RuleUnit.ROWS,
        dimension_id=dimension,
        metric_definition_id=definition,
        severity=Severity.HIGH,
        arguments=arguments,
        query=query,
    )


async def keep(world: World, *drafts: Drafted) -> dict[str, str]:
    """Active rules; name → id."""
    kept = await world.app.parts.services.store.write(
        lambda uow: uow.quality_rules.put_drafts(
            scope_of(world), drafts, run_id=None, actor="olga", at=world.clock(), origin=RuleOrigin.PERSON,
            state=RuleState.ACTIVE,
        )
    )  # fmt: skip
    return {one.rule.name: one.rule.id for one in kept}


async def run(bench: Bench, kind: WorkflowType, status: str = "completed", **given: Any) -> dict[str, Any]:
    """Run a workflow over the shop, to its end."""
    configuration = await bench.call(
        create_workflow_configuration,
        configuration=WorkflowConfigurationCreate(name=kind.value, workflow_type=kind, config={}),
    )
    own = Bench(bench.world, bench.door, bench.connection, configuration["id"])
    return await own.ingest(status, **given)


async def executions(world: World, run_id: str) -> dict[str, Any]:
    """Return what each rule came to in a run, by name."""
    rows = await world.app.parts.services.store.read(
        lambda uow: uow.connection.execute(
            rule_executions.select().where(rule_executions.c.workflow_run_id == run_id)
        ).mappings().all()
    )  # fmt: skip
    return {row["rule_name"]: row for row in rows}


@pytest.fixture
async def people(shop: Bench, source: Source) -> Bench:
    source.run(TABLE)
    source.may_read("sales")
    await shop.ingest()
    return shop


async def test_every_metric_has_exact_figures(people: Bench, source: Source, world: World) -> None:
    def rule(name: str, metric: str | None, of: str | None = None, /, **arguments: Any) -> Drafted:
        return draft(people, source, name, metric, of, **arguments)

    fqn = str(Fqn.of("shop", source.database, "sales", "people"))
    await keep(
        world,
        rule("rows", "rowCount", operator=RuleOperator.MUST_BE_GREATER_OR_EQUAL_TO, threshold=(8.0,)),
        rule("nulls", "nullValues", "email"),
        rule("missing", "missingValues", "email"),
        rule("stand-ins", "missingValues", "city", missingValues=["N/A"]),
        rule("pattern", "invalidValues", "email", pattern="^[^@]+@[^@]+$"),
        rule("range", "invalidValues", "age", minimum="0", maximum="120"),
        rule("values", "invalidValues", "city", validValues=["Rome", "Oslo"]),
        rule("outliers", "outlierValues", "age", maximum=100),
        rule("unique", "duplicateValues", "email"),
        rule("pair", "duplicateValues", None, properties=["city", "zip"]),
        rule("boss", "brokenReferences", "boss", columns=["boss"], targetFqn=fqn, targetColumns=["id"]),
        rule("zip", "inconsistentRows", None, determinant=["zip"], dependent="city"),
        rule("bosses first", "brokenFormulas", None, formula="order", result="boss", columns=["id"]),
        rule("a formula", "brokenFormulas", None, formula="sum", result="boss", columns=["id"], tolerance=3),
        rule("fresh", "staleData", None, column="seen", maxAgeSeconds=86400),
        rule("sql rows", None, None, query="select * from people where age > 100"),
        rule("sql count", None, None, query="select count(*) from sales.people where age < 0"),
        rule("gone", "nullValues", "gone"),
        rule("bad pattern", "invalidValues", "zip", pattern="(?<=x)y{1,2}{3}"),
        rule("guarded", None, None, query="select pg_sleep(1) from people"),
    )
    done = await run(people, WorkflowType.DQ_EXECUTION)
    found = await executions(world, done["id"])
    assert {name: (one["outcome"], one["numerator"], one["denominator"]) for name, one in found.items()} == {
        "rows": ("failed", 6, 8),
        "nulls": ("failed", 5, 6),
        "missing": ("failed", 4, 6),
        "stand-ins": ("failed", 5, 6),
        "pattern": ("failed", 3, 5),
        "range": ("failed", 3, 5),
        "values": ("failed", 4, 6),
        "outliers": ("failed", 4, 5),
        "unique": ("failed", 3, 5),
        "pair": ("failed", 1, 5),
        "boss": ("failed", 4, 5),
        "zip": ("failed", 4, 5),
        "bosses first": ("failed", 4, 5),
        "a formula": ("failed", 4, 5),
        "fresh": ("passed", 1, 1),
        "sql rows": ("failed", 5, 6),
        "sql count": ("failed", 5, 6),
        "gone": ("not_evaluated", None, None),
        "bad pattern": ("not_evaluated", None, None),
        "guarded": ("not_evaluated", None, None),
    }
    assert "rule: functions" in found["guarded"]["reason"]
    assert "no column 'gone'" in found["gone"]["reason"]
    assert found["range"]["details"]["examples"] == [
        {"key": {"id": "3"}, "values": {"age": "999"}},
        {"key": {"id": "4"}, "values": {"age": "-1"}},
    ]
    assert found["unique"]["details"]["examples"] == [{"values": {"email": "a@x.io"}, "rows": 2}]
    assert (
        done["output"] | {"rules": 20, "passed": 1, "failed": 16, "not_evaluated": 3, "new_violations": 16}
        == done["output"]
    )


async def test_violations_live_through_runs_and_only_what_was_evaluated_resolves_them(
    people: Bench, source: Source, world: World
) -> None:
    await keep(world, draft(people, source, "range", "invalidValues", "age", minimum="0", maximum="120"))

    async def standing() -> list[tuple[str, int]]:
        listed = await people.call(list_violations, limit=100)
        return [(one["status"], one["seen_count"]) for one in listed["items"]]

    await run(people, WorkflowType.DQ_EXECUTION)
    assert await standing() == [("open", 1)]
    await run(people, WorkflowType.DQ_EXECUTION)
    assert await standing() == [("open", 2)]
    source.run("alter table sales.people rename column age to years")
    done = await run(people, WorkflowType.DQ_EXECUTION)
    assert (done["output"]["not_evaluated"], done["output"]["resolved"]) == (1, 0)
    assert await standing() == [("open", 2)]
    source.run("alter table sales.people rename column years to age; update sales.people set age = 40")
    done = await run(people, WorkflowType.DQ_EXECUTION)
    assert done["output"]["resolved"] == 1
    assert await standing() == [("resolved", 2)]
    source.run("update sales.people set age = 400 where id = 1")
    done = await run(people, WorkflowType.DQ_EXECUTION)
    assert done["output"]["reopened"] == 1
    assert await standing() == [("open", 3)]


async def test_a_report_shows_no_rule_that_was_deleted(people: Bench, source: Source, world: World) -> None:
    never: dict[str, Any] = {"operator": RuleOperator.MUST_BE_GREATER_THAN, "threshold": (1000.0,)}
    named = {"rule.kept": "age", "rule.gone": "email"}
    rules = await keep(world, *(draft(people, source, name, "nullValues", of, **never) for name, of in named.items()))
    done = await run(people, WorkflowType.DQ_EXECUTION, asset_fqn="shop")
    assert done["output"]["reports"] == 1

    async def shown() -> set[str]:
        made = await people.call(create_report, report=ReportCreate(asset_fqn="shop"))
        path = f"/assets/artifacts/{made['resource_uri']}/download"
        page = (await world.request("GET", path, token=world.owner)).text
        return {name for name in rules if name in page.replace("<wbr>", "")}

    assert await shown() == {"rule.kept", "rule.gone"}
    await people.call(delete_quality_rule, rule_id=rules["rule.gone"])
    assert await shown() == {"rule.kept"}


async def test_what_is_tagged_as_personal_is_masked(people: Bench, source: Source, world: World) -> None:
    await world.app.parts.services.store.write(
        lambda uow: uow.connection.execute(
            metadata_assets.update().where(metadata_assets.c.name == "email").values(is_pii_tagged=True)
        )
    )
    await keep(
        world,
        draft(people, source, "pattern", "invalidValues", "email", pattern="^[^@]+@[^@]+$"),
        draft(people, source, "sql", None, None, query="select email from people where age > 100 or id = 4"),
        draft(people, source, "range", "invalidValues", "age", minimum="0"),
    )
    found = await executions(world, (await run(people, WorkflowType.DQ_EXECUTION))["id"])
    assert found["pattern"]["details"]["examples"][0] == {"key": {"id": "4"}, "values": {"email": "***"}}
    assert {one["values"]["email"] for one in found["sql"]["details"]["examples"]} == {None, "***"}
    assert found["range"]["details"]["examples"] == [{"key": {"id": "4"}, "values": {"age": "-1"}}]
    assert "nope" not in str(found)


async def test_a_run_without_active_rules_fails_and_says_what_to_do(people: Bench) -> None:
    done = await run(people, WorkflowType.DQ_EXECUTION, "failed")
    assert "There is no active quality rule" in done["error_message"]


async def test_an_assessment_measures_tables_without_rules_and_counts_nothing_twice(
    people: Bench, source: Source, world: World
) -> None:
    fqn = str(Fqn.of("shop", source.database, "sales", "people"))
    await keep(world, draft(people, source, "nulls", "nullValues", "email"))
    done = await run(people, WorkflowType.DQ_ASSESSMENT)
    assert done["output"]["tables"] == 5
    card = await people.call(get_scorecard, request=ScorecardRequest(asset_fqn=fqn))
    metrics = {
        metric["name"]: (metric["numerator"], metric["denominator"], metric["asset_count"])
        for dimension in card["dimensions"]
        for metric in dimension["metrics"]
        if metric["asset_count"]
    }
    # 7 columns of 6 rows with 8 nulls; 3 texts with 2 nulls and a blank; one key of 6 rows.
    assert metrics["non_null_values"] == (42 - 8, 42, 7)
    assert metrics["non_missing_values"] == (18 - 3, 18, 3)
    assert metrics["unique_values"] == (6, 6, 1)


async def test_the_catalog_alone_says_what_is_described_and_owned(people: Bench, source: Source, world: World) -> None:
    fqn = str(Fqn.of("shop", source.database, "sales", "customers"))
    done = await run(people, WorkflowType.METADATA_ASSESSMENT)
    card = await people.call(get_scorecard, request=ScorecardRequest(asset_fqn=fqn))
    metrics = {
        metric["name"]: (metric["numerator"], metric["denominator"])
        for dimension in card["dimensions"]
        for metric in dimension["metrics"]
        if metric["asset_count"]
    }
    # The source comments on the table and on one of its four columns, and on no other column.
    columns = await world.app.parts.services.store.read(
        lambda uow: uow.connection.execute(
            sa.select(metadata_assets.c.id).where(
                metadata_assets.c.type == "column",
                metadata_assets.c.fully_qualified_name.like(f"{Fqn.parse(fqn).parent}.%"),
            )
        ).all()
    )
    assert metrics == {
        "described_assets": (2, 5), "owned_assets": (0, 5), "tagged_assets": (0, 5), "linked_assets": (0, 1),
    }  # fmt: skip
    listed = await people.call(list_violations, name="missing_description", asset_fqn=fqn, limit=100)
    assert listed["items"] == [], "what is missing of columns is summed up for their schema"
    schema = str(Fqn.parse(fqn).parent)
    listed = await people.call(list_violations, name="missing_description", asset_fqn=schema, limit=100)
    [said] = [one for one in listed["items"] if one["details"].get("asset_type") == "column"]
    assert said["asset_fqn"] == schema
    assert (said["details"]["assets"], said["details"]["of"]) == (said["details"]["of"] - 1, len(columns))
    assert said["display_name"].startswith(f"{len(columns) - 1} of {len(columns)} columns, in "), "and no line for each"
    owner = await people.call(list_violations, name="missing_owner", limit=100)
    assert [one["asset_fqn"] for one in owner["items"]] == [str(Fqn.of("shop", source.database))]
    owned = str(Fqn.of("shop", source.database))
    await world.app.parts.services.store.write(
        lambda uow: uow.connection.execute(
            sa.update(metadata_assets).where(metadata_assets.c.fully_qualified_name == owned).values(
                owners=[{"id": "olga", "name": "Olga", "type": "user"}]
            )
        )
    )  # fmt: skip
    again = await run(people, WorkflowType.METADATA_ASSESSMENT)
    assert again["output"]["resolved"] == 1
    card = await people.call(get_scorecard, request=ScorecardRequest(asset_fqn=fqn))
    [ownership] = [one for one in card["dimensions"] if one["name"] == "ownership"]
    assert (ownership["numerator"], ownership["denominator"]) == (5, 5), "what is in something has its owner"
    [table] = (await people.call(list_data_assets, fqn_prefix=fqn))["items"]
    assert (table["is_owned"], table["owners"][0]["id"], table["owners_from"]) == (True, "olga", owned)
    assert again["output"]["assets"] == done["output"]["assets"]


async def test_a_task_that_is_begun_again_records_once(
    people: Bench, source: Source, world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    await keep(world, draft(people, source, "range", "invalidValues", "age", minimum="0", maximum="120"))
    begun = 0
    carry_out = Execution.carry_out

    async def again(self: Execution, arguments: Any) -> Any:
        nonlocal begun
        begun += 1
        write = await carry_out(self, arguments)
        if begun == 1:
            raise DatabaseError("The store went away.")

        def twice(uow: Any) -> Any:
            write(uow)
            return write(uow)

        return twice

    monkeypatch.setattr(Execution, "carry_out", again)
    done = await run(people, WorkflowType.DQ_EXECUTION)
    assert begun == 2
    assert len(await executions(world, done["id"])) == 1
    listed = await people.call(list_violations, limit=100)
    assert [(one["status"], one["seen_count"]) for one in listed["items"]] == [("open", 1)]
    card = await people.call(get_scorecard, request=ScorecardRequest(workflow_run_id=done["id"]))
    (metric,) = [one for each in card["dimensions"] for one in each["metrics"] if one["asset_count"]]
    assert (metric["numerator"], metric["denominator"], metric["asset_count"]) == (3, 5, 1)


async def test_what_is_recognised_as_personal_is_masked_before_anybody_tags_it(
    people: Bench, source: Source, world: World
) -> None:
    fqn = str(Fqn.of("shop", source.database, "sales", "people", "email"))
    now = world.clock()
    found = Classification(
        id=str(uuid4()), asset_fqn=fqn, resource_uri=people.uri, kind=ClassificationKind.PII, tag_fqn="PII.Email",
        state=ClassificationState.SUGGESTED, confidence=0.9, evidence=[], recognizer_version="1",
        data_fingerprint="x", workflow_run_id=str(uuid4()), decided_by=None, decided_at=None, created_at=now,
        updated_at=now,
    )  # fmt: skip
    await world.app.parts.services.store.write(lambda uow: uow.classifications.put(scope_of(world), [found]))
    await keep(world, draft(people, source, "pattern", "invalidValues", "email", pattern="^[^@]+@[^@]+$"))
    done = await executions(world, (await run(people, WorkflowType.DQ_EXECUTION))["id"])
    assert done["pattern"]["details"]["examples"][0] == {"key": {"id": "4"}, "values": {"email": "***"}}


async def test_a_table_that_may_not_be_read_is_not_evaluated(people: Bench, source: Source, world: World) -> None:
    await keep(world, draft(people, source, "nulls", "nullValues", "email"))
    source.run(f'revoke select on sales.people from "{source.role}"')
    done = await run(people, WorkflowType.DQ_EXECUTION)
    found = (await executions(world, done["id"]))["nulls"]
    assert (found["outcome"], found["numerator"]) == ("not_evaluated", None)
    assert "may not read this table" in found["reason"]
    assert done["output"]["measured"] == 0


async def test_a_rule_is_tried_before_it_is_written(people: Bench, source: Source, world: World) -> None:
    about = str(Fqn.of("shop", source.database, "sales", "people", "age"))
    rule = {"name": "age", "asset_fqn": about, "type": "library", "metric": "invalidValues"}
    bounds = {"minimum": "0", "maximum": "120"}
    tried = await people.call(try_quality_rule, rule=QualityRuleCreate.model_validate(rule | {"arguments": bounds}))
    assert (tried["outcome"], tried["numerator"], tried["denominator"], tried["value"]) == ("failed", 3, 5, "2")
    assert "120" in tried["in_words"]
    assert tried["examples"]["rows"][0] == {"key": {"id": "3"}, "values": {"age": "999"}}
    assert (await people.call(list_quality_rules))["total"] == 0
    nowhere = QualityRuleCreate.model_validate(rule | {"asset_fqn": f"{about}s", "arguments": bounds})
    refused = await people.call(try_quality_rule, rule=nowhere)
    assert (refused.status, refused.details["field"]) == (422, "asset_fqn")


async def test_a_rule_can_be_tried_and_leaves_nothing(people: Bench, source: Source, world: World) -> None:
    ids = await keep(world, draft(people, source, "range", "invalidValues", "age", minimum="0", maximum="120"))
    tried = await people.call(check_quality_rule, rule_id=ids["range"])
    assert (tried["outcome"], tried["numerator"], tried["denominator"], tried["value"]) == ("failed", 3, 5, "2")
    assert tried["examples"]["rows"][0] == {"key": {"id": "3"}, "values": {"age": "999"}}
    assert (await people.call(list_violations, limit=100))["total"] == 0
