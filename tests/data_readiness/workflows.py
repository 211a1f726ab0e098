"""What the tests of workflows share: configurations, runs in any status, a small catalog, proposals."""

from typing import Any
from uuid import uuid4

from persistence.repository import Scope
from persistence.tables.data_readiness import workflow_runs
from resolvers.data_readiness.workflows import create_workflow_configuration
from schema.data_readiness.proposal import Proposal, ProposalKind, ProposalState
from schema.data_readiness.workflow import WorkflowConfigurationCreate, WorkflowType
from schema.utils.metadata_asset import AssetType
from tests.doors import Door
from tests.world import ORG, World

URI = "data:acme:shop:svc"


def scope(world: World) -> Scope:
    """The owner's project."""
    return Scope(ORG, world.shop)


async def written(world: World, work: Any) -> Any:
    """Run a unit on the store."""
    return await world.app.parts.services.store.write(work)


async def configure(world: World, door: Door, **given: Any) -> dict[str, Any]:
    """A configuration that stands."""
    values = {"name": "Work", "workflow_type": WorkflowType.PROFILING} | given
    made = await door(
        create_workflow_configuration, world.owner, configuration=WorkflowConfigurationCreate.model_validate(values)
    )
    assert isinstance(made, dict), made
    return made


async def run_in(world: World, configuration: dict[str, Any], status: str, **given: Any) -> str:
    """A run of the configuration that stands in a status; its id."""
    from schema.data_readiness.workflow import WorkflowConfiguration

    run, now = str(uuid4()), world.clock()
    of = WorkflowConfiguration.model_validate(configuration)
    about = {"asset_fqn": None, "parameters": {}, "save_all": False} | given
    targets = [about["asset_fqn"]] if about["asset_fqn"] else []

    def work(uow: Any) -> None:
        uow.workflow_runs.begin(scope(world), run, of, about, targets, output={}, caller={}, now=now)
        over = status in ("completed", "failed", "canceled")
        uow.connection.execute(
            workflow_runs.update()
            .where(workflow_runs.c.id == run)
            .values(status=status, completed_at=world.clock() if over else None)
        )

    await written(world, work)
    return run


async def cataloged(world: World, *fqns: str, **values: Any) -> dict[str, str]:
    """Assets written into the catalog, with everything above them; name → id."""
    from persistence.queries.catalog import create_asset, get_asset
    from resolvers.engines.catalog_diff import judge
    from schema.errors import NotFound

    kinds = {2: AssetType.DATABASE, 3: AssetType.DATABASE_SCHEMA, 4: AssetType.TABLE, 5: AssetType.COLUMN}

    def work(uow: Any) -> dict[str, str]:
        found = {}
        for fqn in fqns:
            parts = fqn.split(".")
            for end in range(2, len(parts) + 1):
                name = ".".join(parts[:end])
                try:
                    asset = get_asset(uow.connection, scope(world), URI, name)
                except NotFound:
                    told = values if end == len(parts) else {}
                    asset = create_asset(
                        uow.connection, scope(world), URI, name, kinds[end], told,
                        actor="olga", now=world.clock(), judge=judge,
                    )  # fmt: skip
                found[name] = asset.id
        return found

    made: dict[str, str] = await written(world, work)
    return made


async def proposed(world: World, run: str, *given: dict[str, Any], start: int = 0) -> list[str]:
    """Proposals of a run; their ids."""
    made = [
        Proposal.model_validate(
            {
                "id": str(uuid4()), "run_id": run, "asset_fqn": "svc.db.sch.t1", "resource_uri": URI,
                "kind": ProposalKind.DESCRIPTION, "field": "description", "current_value": None,
                "proposed_value": "What was sold.", "evidence": {"names": ["sold_at"]}, "confidence": 0.75,
                "state": ProposalState.PROPOSED, "decided_by": None, "decided_at": None,
                "created_at": world.clock(),
            } | one
        )
        for one in given
    ]  # fmt: skip
    await written(world, lambda uow: uow.proposals.put(scope(world), made, start))
    return [one.id for one in made]


def tag(name: str) -> dict[str, str]:
    """A tag to propose."""
    return {
        "tag_id": f"id-{name}", "tag_fqn": f"PII.{name}", "category_name": "PII", "tag_name": name,
        "tag_description": "",
    }  # fmt: skip
