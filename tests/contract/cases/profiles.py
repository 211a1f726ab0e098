"""Profiles of tables and columns."""

from typing import Any
from uuid import uuid4

from persistence.queries.profiles import profile_id
from persistence.repository import Scope
from schema.data_readiness.profile import ColumnProfile, ProfileTier, TableProfile, ValueCount, ValueKind
from tests.contract import stage as on
from tests.contract.stage import MARK, Case, Place, Stage


async def _profiled(stage: Stage, place: Place) -> tuple[str, str]:
    """A table of the catalog with a column, and what was measured of them; their names."""
    made = await stage.asset(place)
    schema = f"{made['fqn']}.sales"
    table, column, run = f"{schema}.orders", f"{schema}.orders.note", str(uuid4())
    for kind, fqn in (("database_schema", schema), ("table", table), ("column", column)):
        body = {"fully_qualified_name": fqn, "type": kind, "description": f"{MARK} words"}
        await stage.made(place, "POST", f"/utils/data_connection/{made['resource_uri']}/metadata", body)
    scope = Scope(place.organization, place.project)
    measured = ColumnProfile(
        column_fqn=column,
        name=MARK,
        ordinal_position=1,
        data_type=MARK,
        kind=ValueKind.TEXT,
        row_count=1,
        null_count=0,
        blank_count=0,
        distinct_count=1,
        minimum=MARK,
        maximum=MARK,
        mean=None,
        stddev=None,
        quantiles=[],
        histogram=[],
        top_values=[ValueCount(value=MARK, count=1)],
        min_length=1,
        max_length=1,
        mean_length=1.0,
        patterns=[],
        approximate=[],
        sample_size=None,
    )
    profile = TableProfile(
        id=profile_id(scope, run, table),
        workflow_run_id=run,
        asset_fqn=table,
        resource_uri=made["resource_uri"],
        tier=ProfileTier.SAMPLE,
        measured_at=stage.world.clock(),
        row_count=1,
        column_count=1,
        sample_size=None,
        approximate=[],
        freshness_column=None,
        newest=MARK,
        candidate_keys=[],
        functional_dependencies=[],
        foreign_keys=[],
        duration_seconds=0.5,
        columns=[measured],
    )

    await stage.world.app.parts.services.store.write(lambda uow: uow.table_profiles.record(scope, [profile]))
    return table, column


async def profiled_table(stage: Stage, place: Place) -> dict[str, Any]:
    """A table that was measured."""
    return {"asset_fqn": (await _profiled(stage, place))[0]}


async def profiled_column(stage: Stage, place: Place) -> dict[str, Any]:
    """A column that was measured."""
    return {"asset_fqn": (await _profiled(stage, place))[1]}


CASES = [
    Case("list_table_profiles", "project", "can_read_metadata", on.nothing),
    Case("get_table_profile", "project", "can_read_metadata", profiled_table, "asset_fqn"),
    Case("get_column_profile", "project", "can_read_metadata", profiled_column, "asset_fqn"),
]
