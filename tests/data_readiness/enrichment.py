"""What the tests of words and of relationships share: a small shop, runs to their end, proposals and decisions."""

from typing import Any
from uuid import uuid4

from persistence.tables.catalog import metadata_assets
from resolvers.data_readiness.approval.operations import decide_run, list_run_proposals
from resolvers.data_readiness.glossary import create_glossary_term
from resolvers.data_readiness.runs.operations import get_workflow_run, trigger_run
from resolvers.utils.metadata import get_metadata, update_metadata
from schema.data_readiness.glossary import GlossaryTermCreate
from schema.data_readiness.profile import ColumnProfile, ProfileTier, TableProfile, ValueCount, ValueKind
from schema.data_readiness.proposal import ApprovalDecision
from schema.data_readiness.workflow import WorkflowType
from schema.data_readiness.workflow_run import RunCreate
from schema.utils.metadata_asset import MetadataAssetUpdate
from tests.data_readiness.workflows import URI, cataloged, configure, scope, written
from tests.doors import Door, Refused
from tests.world import World

CUST, ORD = "svc.db.sales.cust_mstr", "svc.db.sales.cust_ord"


async def shop(world: World) -> None:
    """Two tables of a shop with keys and a reference; one column and one table have a comment of the source."""
    columns = [f"{CUST}.{name}" for name in ("cust_id", "email_addr", "is_actv", "crt_dt")]
    columns += [f"{ORD}.{name}" for name in ("ord_id", "cust_id", "net_amt_eur", "note")]
    await cataloged(world, *columns)
    told: dict[str, dict[str, Any]] = {
        CUST: {"constraint": {"keys": [{"type": "PRIMARY_KEY", "columns": ["cust_id"]}]}},
        ORD: {"description": "What was sold.", "source_description": "What was sold."},
        f"{CUST}.cust_id": {"constraint": {"keys": ["PRIMARY_KEY"]}, "data_type": "BIGINT"},
        f"{CUST}.email_addr": {"is_pii_tagged": True, "data_type": "VARCHAR"},
        f"{CUST}.is_actv": {"data_type": "BOOLEAN"},
        f"{CUST}.crt_dt": {"data_type": "TIMESTAMP"},
        f"{ORD}.ord_id": {"constraint": {"keys": ["PRIMARY_KEY"]}, "data_type": "BIGINT"},
        f"{ORD}.cust_id": {
            "column_relationships": [
                {"type": "FOREIGN_KEY", "schema": "sales", "table": "cust_mstr", "column": "cust_id"}
            ]
        },
        f"{ORD}.net_amt_eur": {"data_type": "NUMERIC", "description": "Net.", "source_description": "Net."},
    }

    def work(uow: Any) -> None:
        for position, fqn in enumerate([*columns, CUST, ORD]):
            uow.connection.execute(
                metadata_assets.update()
                .where(metadata_assets.c.fully_qualified_name == fqn)
                .values(**told.get(fqn, {}), ordinal_position=position)
            )

    await written(world, work)
    await world.grant("olga", "owner", "data_connection", URI)


async def carried_out(
    world: World, door: Door, kind: WorkflowType, *, config: dict[str, Any] | None = None, **given: Any
) -> dict[str, Any]:
    """A run of a type of work, to its end."""
    made = await configure(world, door, workflow_type=kind, config=config or {})
    return await again(world, door, made, **given)


async def again(
    world: World, door: Door, configuration: dict[str, Any], *, token: str | None = None, **given: Any
) -> dict[str, Any]:
    """Another run of the same configuration, to its end."""
    id = configuration["id"]
    started = await door(trigger_run, token or world.owner, configuration_id=id, run=RunCreate(**given))
    assert not isinstance(started, Refused), started.message
    await world.jobs.settle()
    run = await door(get_workflow_run, world.owner, configuration_id=id, run_id=started["id"])
    assert run["status"] == "completed", run["error_message"]
    found: dict[str, Any] = run
    return found


async def proposed_by(
    world: World, door: Door, run: dict[str, Any], **given: Any
) -> dict[tuple[str, str], dict[str, Any]]:
    """Return what a run proposes, by the end of the asset's name and the field."""
    listed = await door(list_run_proposals, world.owner, run_id=run["id"], joined=False, limit=100, **given)
    return {(one["asset_fqn"].removeprefix("svc.db.sales."), one["field"]): one for one in listed["items"]}


def values(proposals: dict[tuple[str, str], dict[str, Any]]) -> dict[tuple[str, str], Any]:
    """The proposed values."""
    return {about: one["proposed_value"] for about, one in proposals.items()}


async def asset(world: World, door: Door, fqn: str) -> dict[str, Any]:
    """An asset as it stands."""
    where = {"resource_type": "data_connection", "resource_uri": URI}
    found = await door(get_metadata, world.owner, fqn=fqn, **where)
    assert isinstance(found, dict), found
    return found


async def edited(world: World, door: Door, fqn: str, **changes: Any) -> None:
    """Change an asset by hand."""
    where = {"resource_type": "data_connection", "resource_uri": URI, "fqn": fqn}
    body = MetadataAssetUpdate.model_validate(changes)
    assert isinstance(await door(update_metadata, world.owner, changes=body, **where), dict)


async def decided(world: World, door: Door, run: dict[str, Any], decision: str, **given: Any) -> Any:
    """The answer to a decision."""
    body = ApprovalDecision.model_validate({"decision": decision} | given)
    return await door(decide_run, world.owner, run_id=run["id"], approval=body)


async def term(world: World, door: Door, **given: Any) -> dict[str, Any]:
    """A term of the glossary."""
    made = await door(create_glossary_term, world.owner, term=GlossaryTermCreate.model_validate(given))
    assert isinstance(made, dict), made
    return made


def figures(name: str, position: int, rows: int, **given: Any) -> ColumnProfile:
    """The profile of a column."""
    column = name.rpartition(".")[2]
    values = {
        "column_fqn": name, "name": column, "ordinal_position": position, "data_type": "BIGINT",
        "kind": ValueKind.NUMBER, "row_count": rows, "null_count": 0, "blank_count": None, "distinct_count": rows,
        "minimum": "1", "maximum": "9", "mean": None, "stddev": None, "quantiles": [], "histogram": [],
        "top_values": [], "min_length": None, "max_length": None, "mean_length": None, "patterns": [],
        "approximate": [], "sample_size": None,
    }  # fmt: skip
    return ColumnProfile.model_validate(values | given)


async def profiled_columns(world: World, table: str, values: dict[str, str], rows: int = 100) -> None:
    """A profile of a table that has one value in each of some columns."""
    columns = [
        figures(f"{table}.{name}", at, rows, distinct_count=1, minimum=value, maximum=value, kind=ValueKind.TEXT,
                top_values=[ValueCount(value=value, count=rows)])
        for at, (name, value) in enumerate(values.items())
    ]  # fmt: skip
    made = {
        "id": str(uuid4()), "workflow_run_id": str(uuid4()), "asset_fqn": table, "resource_uri": URI,
        "tier": ProfileTier.FULL, "measured_at": world.clock(), "row_count": rows, "column_count": len(columns),
        "sample_size": None, "approximate": [], "freshness_column": None, "newest": None, "candidate_keys": [],
        "functional_dependencies": [], "foreign_keys": [], "duration_seconds": 0.1, "columns": columns,
    }  # fmt: skip
    profile = TableProfile.model_validate(made)
    await written(world, lambda uow: uow.table_profiles.record(scope(world), [profile]))
