"""A database that nobody has documented, from ingestion over profiles to words, relationships and insights."""

from typing import Any

import pytest

from resolvers.data_readiness.approval.operations import decide_run
from resolvers.utils.metadata import update_metadata
from schema.data_readiness.proposal import ApprovalDecision
from schema.data_readiness.workflow import WorkflowType
from schema.utils.metadata_asset import MetadataAssetUpdate
from tests.data_readiness.enrichment import carried_out
from tests.data_readiness.enrichment import proposed_by as listed
from tests.doors import Refused
from tests.support.ingestion import Bench, Source, bench, setting_overrides, source

__all__ = ["bench", "setting_overrides", "source"]

pytestmark = pytest.mark.anyio

PERSON = "Mara Lindqvist"

UNDOCUMENTED = f"""
    create schema care;
    create table care.pat (
        pat_id bigint primary key, pat_nm text, sex_cd char(1) not null, plan_cd char(1) not null, alias text
    );
    create table care.visits (
        visit_id bigint primary key, pat_id bigint, ward_cd text, adm_dt timestamptz, tot_cost_eur numeric(10, 2),
        note text, src text not null default 'import'
    );
    create table care.visits_old (like care.visits);
    insert into care.pat select i, '{PERSON} ' || i, case when i % 2 = 0 then 'F' else 'M' end,
            case when i % 3 = 0 then 'B' else 'S' end, '{PERSON}'
        from generate_series(1, 60) i;
    insert into care.visits select i, 1 + i % 60, 'W' || i % 3,
        timestamptz '2024-01-05 10:00+00' + i * interval '1 day',
        i * 1.5, null, 'import' from generate_series(1, 300) i;
    analyze;
"""


async def run_of(bench: Bench, kind: WorkflowType, **given: Any) -> dict[str, Any]:
    """A run over the schema, to its end."""
    below = f"shop.{bench_database(bench)}.care"
    return await carried_out(bench.world, bench.door, kind, asset_fqn=below, **given)


def bench_database(bench: Bench) -> str:
    """The name of the source's database."""
    return str(bench.connection["database_config"]["database"])


@pytest.fixture
async def care(bench: Bench, source: Source) -> Bench:
    """The ingested and profiled source, with one column tagged as personal data by hand."""
    source.run(UNDOCUMENTED)
    source.may_read("care")
    await bench.ingest()
    where = {"resource_type": "data_connection", "resource_uri": bench.uri}
    fqn = f"shop.{source.database}.care.pat.alias"
    changes = MetadataAssetUpdate.model_validate({"is_pii_tagged": True})
    assert not isinstance(await bench.call(update_metadata, fqn=fqn, changes=changes, **where), Refused)
    await run_of(bench, WorkflowType.PROFILING, parameters={"tier": "full"})
    return bench


async def test_an_undocumented_database_is_described(care: Bench) -> None:
    database = bench_database(care)
    run = await run_of(care, WorkflowType.METADATA_ENRICHMENT)
    found = {
        (name.removeprefix(f"shop.{database}.care").removeprefix("."), field): one
        for (name, field), one in (await listed(care.world, care.door, run)).items()
    }
    said = {about: one["proposed_value"] for about, one in found.items() if about[1] == "description"}
    assert said["visits", "description"].startswith("Each row is a visit, identified by `visit_id`. ")
    assert said["visits", "description"].endswith("covers 2024-01 to 2024-10.")
    assert said["visits_old", "description"].endswith("It held no rows when it was measured.")
    assert said["pat.plan_cd", "description"].endswith("One of `B` or `S`.")
    assert ("pat.sex_cd", "description") not in said, "it is suggested to be a gender, so its values are told to nobody"
    assert said["visits.ward_cd", "description"].startswith("Ward code of the visit. One of `W0`, `W1` or `W2`.")
    assert "in euros. Values run from 1.5" in said["visits.tot_cost_eur", "description"]
    assert said["visits.note", "description"].endswith("It was empty in every row when it was measured.")
    assert said["visits.src", "description"].endswith("It held `import` in every row when it was measured.")
    assert PERSON not in str(found), "neither of the tagged column nor of the one that is called a name"
    assert found["pat.alias", "description"]["evidence"]["values_withheld"] is True
    assert said["", "description"] == "3 tables about patients and visits."
    saved = await run_of(care, WorkflowType.METADATA_ENRICHMENT, save_all=True)
    assert saved["output"]["conflicts"] == 0
    column = await care.asset(database, "care", "pat", "plan_cd")
    assert column["description"] == said["pat.plan_cd", "description"]
    again = await care.ingest()
    assert again["output"]["updated"] == 0
    kept = await care.asset(database, "care", "pat", "plan_cd")
    assert kept["description"] == column["description"]
    last = await run_of(care, WorkflowType.METADATA_ENRICHMENT)
    assert last["output"]["proposals"] == 0


async def test_a_key_that_nobody_declared_is_found_approved_and_kept(care: Bench) -> None:
    database = bench_database(care)
    run = await run_of(care, WorkflowType.INTELLIGENCE)
    found = await listed(care.world, care.door, run)
    column = f"shop.{database}.care.visits.pat_id"
    key = found[column, "column_relationships"]
    assert key["proposed_value"] == {
        "type": "FOREIGN_KEY", "schema": "care", "table": "pat", "column": "pat_id", "cardinality": "many_to_one"
    }  # fmt: skip
    assert key["evidence"]["from"] == ["values", "name"]
    assert key["confidence"] >= 0.9
    kinds = {one["kind"] for one in run["output"]["insights"]}
    assert {"empty_table", "empty_columns", "constant_columns", "duplicate_table"} <= kinds
    assert PERSON not in str(found)
    body = ApprovalDecision.model_validate({"decision": "approve"})
    answer = await care.call(decide_run, run_id=run["id"], approval=body)
    assert answer["conflicted"] == 0
    await care.ingest()
    [standing] = (await care.asset(database, "care", "visits", "pat_id"))["column_relationships"]
    assert (standing["table"], standing["origin"], standing["approved_by"]) == ("pat", "approved", "olga")
    described = await run_of(care, WorkflowType.ENRICH_TABLE_COLUMNS)
    words = (await listed(care.world, care.door, described))[column, "description"]
    assert words["proposed_value"].startswith("Refers to the patient (`pat.pat_id`).")
