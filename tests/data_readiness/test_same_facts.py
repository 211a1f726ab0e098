"""Resources that state the same fact about a table agree, whatever kind of run found it out."""

from collections.abc import Mapping
from typing import Any

import pytest

from persistence.queries.source_facts import read_facts
from resolvers.data_readiness.approval.operations import list_run_proposals
from resolvers.data_readiness.data_assets import get_data_asset, list_data_assets
from resolvers.data_readiness.profiles import get_column_profile, get_table_profile, list_table_profiles
from resolvers.data_readiness.runs.operations import get_workflow_run, trigger_run
from resolvers.data_readiness.workflows import create_workflow_configuration
from schema.data_readiness.workflow import WorkflowConfigurationCreate, WorkflowType
from schema.data_readiness.workflow_run import RunCreate
from schema.utils.metadata_asset import AssetType
from tests.data_readiness.test_profiles import MORE
from tests.data_readiness.workflows import scope, written
from tests.support.ingestion import Bench, Source, bench, setting_overrides, shop, source

__all__ = ["bench", "setting_overrides", "shop", "source"]

pytestmark = pytest.mark.anyio


async def carried_out(bench: Bench, kind: WorkflowType, **given: Any) -> Mapping[str, Any]:
    """A run of a kind over what is given, to its end."""
    made = await bench.call(
        create_workflow_configuration, configuration=WorkflowConfigurationCreate(name=kind, workflow_type=kind)
    )
    started = await bench.call(trigger_run, configuration_id=made["id"], run=RunCreate(**given))
    await bench.world.jobs.settle()
    run: Mapping[str, Any] = await bench.call(get_workflow_run, configuration_id=made["id"], run_id=started["id"])
    assert run["status"] == "completed", run["error_message"]
    return run


@pytest.mark.parametrize("kind", [WorkflowType.PROFILING, WorkflowType.DQ_RULE_GENERATION])
@pytest.mark.parametrize("where", ["everything", "one table"])
async def test_what_answers_say_of_a_table_agrees(shop: Bench, source: Source, kind: WorkflowType, where: str) -> None:
    source.run(MORE)
    await shop.ingest()
    orders = f"shop.{source.database}.sales.orders"
    run = await carried_out(shop, kind, **({"asset_fqn": orders} if where == "one table" else {}))
    profile = await shop.call(get_table_profile, asset_fqn=orders)
    assets = {one["fqn"]: one for one in (await shop.call(list_data_assets, limit=100))["items"]}
    asset = assets[orders]
    assert (asset["row_count"], asset["last_profiled_at"]) == (profile["row_count"], profile["measured_at"])
    assert asset["readiness"] == "profiled"
    assert asset == await shop.call(get_data_asset, asset_id=asset["id"])
    listed = (await shop.call(list_table_profiles, asset_fqn=orders))["items"][0]
    shared = set(listed) & set(profile)
    assert {name: listed[name] for name in shared} == {name: profile[name] for name in shared}
    column = await shop.call(get_column_profile, asset_fqn=f"{orders}.number")
    [of_table] = [one for one in profile["columns"] if one["name"] == "number"]
    assert {name: column[name] for name in set(of_table) & set(column)} == of_table
    assert column["row_count"] == profile["row_count"]
    cataloged = await shop.asset(source.database, "sales", "orders", include_children=True)
    assert (cataloged["row_count"], cataloged["column_count"]) == (profile["row_count"], profile["column_count"])
    assert len(cataloged["children"]) == asset["column_count"] == profile["column_count"]
    for child in cataloged["children"]:
        shown = await shop.call(get_data_asset, asset_id=child["id"])
        assert (shown["last_profiled_at"], shown["data_type"]) == (profile["measured_at"], child["data_type"])
    [facts] = await written(shop.world, lambda uow: read_facts(uow.connection, scope(shop.world), [orders]))
    assert facts.row_count == profile["row_count"]
    declared = [set(key["columns"]) for key in profile["candidate_keys"] if key["is_declared"]]
    assert declared == [set(names) for names in facts.key_sets]
    if kind is WorkflowType.DQ_RULE_GENERATION:
        offered = await shop.call(list_run_proposals, run_id=run["id"], asset_fqn=orders, limit=100)
        assert all(
            one["evidence"]["rows"] == profile["row_count"]
            for one in offered["items"]
            if one["proposed_value"]["name"] == "not_empty"
        )
    other = assets[f"shop.{source.database}.sales.letters"]
    assert (other["last_profiled_at"] is None) is (where == "one table"), "and nothing is said of others"


async def test_every_table_has_its_figures_after_all_were_profiled(shop: Bench, source: Source) -> None:
    source.run(MORE)
    await shop.ingest()
    await carried_out(shop, WorkflowType.PROFILING)
    listed = (await shop.call(list_data_assets, limit=100))["items"]
    for one in listed:
        profile = await shop.call(get_table_profile, asset_fqn=one["fqn"])
        assert (one["row_count"], one["last_profiled_at"]) == (profile["row_count"], profile["measured_at"])
    found = await shop.call(list_data_assets, asset_type=AssetType.DATABASE_SCHEMA, limit=100)
    schemas = {one["fqn"]: one["last_profiled_at"] for one in found["items"]}
    for name, at in schemas.items():
        inside = [one["last_profiled_at"] for one in listed if one["fqn"].startswith(f"{name}.")]
        assert at == max(inside, default=None)
