"""A report is made through either door, kept as an artifact, and shows nothing that the catalog calls personal."""

import re
from datetime import timedelta
from typing import Any

import pytest

from persistence.queries.violations import Finding
from resolvers.assets.artifacts import preview_artifact
from resolvers.data_readiness.reports import create_report
from resolvers.data_readiness.runs.operations import get_workflow_run, trigger_run
from resolvers.data_readiness.workflows import create_workflow_configuration
from resolvers.utils.metadata import update_metadata
from schema.data_readiness.quality_builtin import VIOLATIONS
from schema.data_readiness.report import ReportCreate
from schema.data_readiness.violation import Severity
from schema.data_readiness.workflow import WorkflowConfigurationCreate, WorkflowType
from schema.data_readiness.workflow_run import RunCreate
from schema.utils.metadata_asset import MetadataAssetUpdate
from tests.data_readiness.quality import measure, scope_of
from tests.data_readiness.test_profiles import Profiled, profiled
from tests.doors import Refused
from tests.support.ingestion import Bench, Source, bench, setting_overrides, shop, source

__all__ = ["bench", "setting_overrides", "shop", "source"]

pytestmark = pytest.mark.anyio


async def page_of(bench: Bench, made: dict[str, Any]) -> str:
    """The bytes of a report, as they are downloaded."""
    path = f"/assets/artifacts/{made['resource_uri']}/download"
    answer = await bench.world.request("GET", path, token=bench.world.owner)
    assert answer.status_code == 200
    assert answer.headers["content-type"] == "text/html; charset=utf-8"
    assert answer.headers["content-disposition"].startswith("attachment")
    return answer.text


async def test_a_table_is_reported_on_with_its_columns_and_without_personal_values(
    bench: Bench, source: Source
) -> None:
    shop = await profiled(bench, source)
    await shop.run(asset_fqn=shop.prefix)
    fqn = f"{shop.prefix}.letters"
    made = await bench.call(create_report, report=ReportCreate(asset_fqn=fqn, name="Letters"))
    assert (made["artifact_type"], made["name"], made["key"]) == ("report", "Letters", "letters.html")
    page = await page_of(bench, made)
    assert "Table <b>" in page
    assert "AB-" in page  # a value that is nobody's
    about = {"resource_type": "data_connection", "resource_uri": bench.uri}
    personal = MetadataAssetUpdate.model_validate({"is_pii_tagged": True})
    await bench.call(update_metadata, **about, fqn=f"{fqn}.note", changes=personal)
    masked = await page_of(bench, await bench.call(create_report, report=ReportCreate(asset_fqn=fqn)))
    assert "AB-" not in masked
    assert "Values are hidden: the column holds personal data." in masked
    before = ReportCreate(asset_fqn=f"{shop.prefix}.orders", as_of=bench.world.clock() - timedelta(days=1))
    assert "No profile yet" in await page_of(bench, await bench.call(create_report, report=before))
    orders = await page_of(
        bench, await bench.call(create_report, report=ReportCreate(asset_fqn=f"{shop.prefix}.orders"))
    )
    assert '<td data-label="To">customers</td>' in orders  # which the report is not of, and stands beside it


async def test_a_schema_is_reported_on_with_scores_violations_and_relations(bench: Bench, source: Source) -> None:
    shop = await profiled(bench, source)
    world, fqn = bench.world, f"{shop.prefix}.orders"
    run = await measure(world, ("unique_values", fqn, 3, 4))
    measured = world.clock()
    world.clock.moment += timedelta(seconds=1)
    found = Finding(check="r1", definition_id=VIOLATIONS[0].id, asset_fqn=fqn, severity=Severity.HIGH)
    await world.app.parts.services.store.write(
        lambda uow: uow.violations.record(scope_of(world), run, [found], checked=["r1"], actor="ada", at=world.clock())
    )
    made = await bench.call(create_report, report=ReportCreate(asset_fqn=shop.prefix))
    page = await page_of(bench, made)
    for told in (
        "75.0%",
        str(VIOLATIONS[0].display_name),
        "1 open violation of the data,",
        "customer_<wbr>id",
        "Tables",
    ):
        assert told in page
    made_then = await bench.call(create_report, report=ReportCreate(asset_fqn=shop.prefix, as_of=measured))
    then = await page_of(bench, made_then)
    assert "75.0%" in then
    assert "No open violation in what was measured." in then
    shown = await bench.call(preview_artifact, resource_uri=made["resource_uri"])
    assert (shown["preview_type"], shown["meta"]["note"]) == ("binary", "Download it and open it in a browser.")


async def test_what_the_catalog_does_not_have_is_not_reported_on(bench: Bench) -> None:
    await bench.ingest()
    for fqn, status in (("nowhere", 404), ("shop.x.y.z", 404), ("a.b.c.d.e", 422)):
        report = ReportCreate.model_construct({"asset_fqn"}, asset_fqn=fqn)  # as no client of ours would send it
        refused = await bench.door(create_report, bench.world.owner, report=report)
        assert isinstance(refused, Refused), fqn
        assert refused.status == status, fqn


async def test_a_run_over_a_named_asset_leaves_a_report_and_one_over_everything_none(
    bench: Bench, source: Source
) -> None:
    shop = await profiled(bench, source)
    made = await bench.call(
        create_workflow_configuration,
        configuration=WorkflowConfigurationCreate(name="Assess", workflow_type=WorkflowType.DQ_ASSESSMENT),
    )
    assess = Profiled(bench, source, made["id"])
    run = await assess.run(asset_fqn=shop.prefix)
    assert run["output"]["reports"] == 1
    uri = run["output"]["report_uri"]
    assert uri.endswith(f":report-{run['id']}")
    page = await page_of(bench, {"resource_uri": uri})
    assert f"Schema <b>{shop.prefix}</b>" in page
    assert "Scorecard" in page
    everything = await assess.run()
    assert {"reports", "report_uri"} & set(everything["output"]) == set()
    # Profiles are something to look at as well, before anything has a score.
    profile = await shop.run(asset_fqn=f"{shop.prefix}.letters")
    assert profile["tasks"][-1]["name"] == f"Report on {shop.prefix}.letters"
    page = await page_of(bench, {"resource_uri": profile["output"]["report_uri"]})
    assert f"Table <b>{shop.prefix}.letters</b>" in page
    assert "AB-" in page


async def test_who_may_run_but_not_create_gets_no_report(bench: Bench, source: Source) -> None:
    await profiled(bench, source)
    made = await bench.call(
        create_workflow_configuration,
        configuration=WorkflowConfigurationCreate(name="Assess", workflow_type=WorkflowType.DQ_ASSESSMENT),
    )
    operator = await bench.world.member("operator")
    run = RunCreate(asset_fqn="shop")
    started = await bench.door(trigger_run, operator, configuration_id=made["id"], run=run)
    await bench.world.jobs.settle()
    ended = await bench.call(get_workflow_run, configuration_id=made["id"], run_id=started["id"])
    assert (ended["status"], ended["output"]["reports"]) == ("completed", 0)
    assert "report_uri" not in ended["output"]


async def test_a_report_says_which_tables_the_score_says_nothing_about_and_why(bench: Bench, source: Source) -> None:
    unread = "create or replace view sales.tally as select note::bigint as n from sales.letters"
    source.run("create table sales.letters (note text); insert into sales.letters values ('AB-1')")
    source.run(unread)
    await bench.ingest()
    runs: dict[WorkflowType, Profiled] = {}
    for kind in (WorkflowType.PROFILING, WorkflowType.DQ_ASSESSMENT):
        configuration = WorkflowConfigurationCreate(name=kind.value, workflow_type=kind)
        made = await bench.call(create_workflow_configuration, configuration=configuration)
        runs[kind] = Profiled(bench, source, made["id"])
    profile, assess = runs.values()
    fqn = f"{profile.prefix}.tally"

    async def told() -> str:
        return await page_of(bench, await bench.call(create_report, report=ReportCreate(asset_fqn=profile.prefix)))

    await assess.run(asset_fqn=f"{profile.prefix}.letters")
    await assess.run(asset_fqn=fqn)
    assert re.search(r"tally</td>\s*<td[^>]*>No check of it could be evaluated.</td>", await told())
    alone = await profile.run(status="failed", asset_fqn=fqn)
    assert alone["error_message"].startswith(f"1 of 3 tasks failed. {fqn}: A value of the data does not fit")
    page = await told()
    assert "tables were not measured.</b> The score says nothing about them." in page
    assert re.search(
        r"tally</td>\s*<td[^>]*>A value of the data does not fit what the query, or a view that it reads,", page
    )
    assert "No run has measured it yet.</td>" in page
    source.run("create or replace view sales.tally as select 1::bigint as n")
    await assess.run(asset_fqn=profile.prefix)
    assert not re.search("says nothing about|measured again", await told())
    source.run(unread)
    await profile.run(status="failed", asset_fqn=fqn)
    page = await told()
    assert "tables could not be measured again.</b> The score still counts what an earlier run measured of it." in page
    assert "says nothing about" not in page


async def test_a_schema_without_tables_has_a_report_that_says_so(bench: Bench, source: Source) -> None:
    source.run("create schema hollow; create table sales.bare ()")
    source.may_read("hollow")
    await bench.ingest()
    hollow = f"shop.{source.database}.hollow"
    page = await page_of(bench, await bench.call(create_report, report=ReportCreate(asset_fqn=hollow)))
    assert "This schema has no tables." in page
    assert "Missing values" not in page
    absent = await bench.call(create_report, report=ReportCreate(asset_fqn=f"{hollow}.none"))
    assert (absent.code, absent.status) == ("RESOURCE_NOT_FOUND", 404)
    # A table without columns is there, and nothing has to be made readable.
    bare = f"shop.{source.database}.sales.bare"
    made = WorkflowConfigurationCreate(name="Rules", workflow_type=WorkflowType.DQ_RULE_GENERATION)
    of = (await bench.call(create_workflow_configuration, configuration=made))["id"]
    run = await bench.call(trigger_run, configuration_id=of, run=RunCreate(asset_fqn=bare))
    await bench.world.jobs.settle()
    ended = await bench.call(get_workflow_run, configuration_id=of, run_id=run["id"])
    assert f"{bare} has no columns" in ended["error_message"]
    assert "readable" not in ended["error_message"]
