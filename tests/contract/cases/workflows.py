"""Workflow definitions, configurations, retries, pipelines, proposals and data assets."""

from typing import Any
from uuid import uuid4

from persistence.repository import Scope
from persistence.tables.catalog import metadata_assets
from persistence.tables.data_readiness import workflow_runs
from schema.data_readiness.proposal import ApprovalDecision, Decision, Proposal, ProposalKind, ProposalState
from schema.data_readiness.workflow import WorkflowConfigurationUpdate
from tests.contract import stage as on
from tests.contract.stage import MARK, Case, Place, Stage


async def _written(stage: Stage, work: Any) -> Any:
    return await stage.world.app.parts.services.store.write(work)


async def _run(stage: Stage, place: Place, status: str) -> dict[str, Any]:
    """A run that stands in a status."""
    made = await stage.run(place)
    values = {"status": status, "completed_at": stage.world.clock(), "error_message": f"{MARK} words"}
    await _written(
        stage,
        lambda uow: uow.connection.execute(
            workflow_runs.update().where(workflow_runs.c.id == made["run_id"]).values(**values)
        ),
    )
    return made


async def changed_configuration(stage: Stage, place: Place) -> dict[str, Any]:
    """A workflow configuration, and a new name."""
    changes = WorkflowConfigurationUpdate.model_validate({"name": "new"})
    return await on.configuration(stage, place) | {"changes": changes}


async def failed_run(stage: Stage, place: Place) -> dict[str, Any]:
    """A run that failed."""
    return await _run(stage, place, "failed")


async def proposing_run(stage: Stage, place: Place) -> dict[str, Any]:
    """A completed run with a proposal."""
    made = await _run(stage, place, "completed")
    proposal = Proposal(
        id=str(uuid4()),
        run_id=made["run_id"],
        asset_fqn=f"{MARK}.db",
        resource_uri=f"data:{place.organization}:{place.project}:{MARK}",
        kind=ProposalKind.INSIGHT,
        field=MARK,
        current_value=None,
        proposed_value=f"{MARK} words",
        evidence={"seen": MARK},
        confidence=0.5,
        state=ProposalState.PROPOSED,
        decided_by=None,
        decided_at=None,
        created_at=stage.world.clock(),
    )
    await _written(stage, lambda uow: uow.proposals.put(Scope(place.organization, place.project), [proposal]))
    return {"run_id": made["run_id"]}


async def decision(stage: Stage, place: Place) -> dict[str, Any]:
    """A completed run with a proposal, and a decision about it."""
    return await proposing_run(stage, place) | {"approval": ApprovalDecision(decision=Decision.APPROVE)}


async def pipeline(stage: Stage, place: Place) -> dict[str, Any]:
    """A pipeline."""
    run, id = await stage.run(place), str(uuid4())
    scope, now = Scope(place.organization, place.project), stage.world.clock()
    await _written(
        stage,
        lambda uow: uow.pipeline_runs.begin(scope, id, run["run_id"], f"{MARK}.db", None, created_by=MARK, now=now),
    )
    return {"pipeline_id": id}


async def data_asset(stage: Stage, place: Place) -> dict[str, Any]:
    """An asset of the catalog, by its id."""
    made = await stage.asset(place)
    query = metadata_assets.select().where(metadata_assets.c.fully_qualified_name == made["fqn"])
    row = await stage.world.app.parts.services.store.read(lambda uow: uow.connection.execute(query).one())
    return {"asset_id": row.id}


CASES = [
    Case("list_workflow_definitions", "project", "can_read", on.nothing),
    Case("update_workflow_configuration", "project", "can_write", changed_configuration, "configuration_id"),
    Case("delete_workflow_configuration", "project", "can_delete", on.configuration, "configuration_id"),
    Case("retry_run", "project", "can_execute", failed_run, "run_id"),
    Case("list_pipeline_runs", "project", "can_read", on.nothing),
    Case("list_project_runs", "project", "can_read", on.nothing),
    Case("get_pipeline_run", "project", "can_read", pipeline, "pipeline_id"),
    Case("list_run_proposals", "project", "can_read_metadata", proposing_run, "run_id"),
    Case("list_proposal_groups", "project", "can_read_metadata", proposing_run, "run_id"),
    Case("get_run_approval", "project", "can_read_metadata", proposing_run, "run_id"),
    Case("decide_run", "project", "can_manage_metadata", decision, "run_id"),
    Case("list_data_assets", "project", "can_read_metadata", on.nothing),
    Case("get_data_asset", "project", "can_read_metadata", data_asset, "asset_id"),
    Case("list_data_asset_runs", "project", "can_read_metadata", data_asset, "asset_id"),
]
