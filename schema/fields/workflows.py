"""Defines what the graph offers of workflow definitions, configurations, pipelines, proposals and data assets."""

import strawberry

from resolvers.data_readiness.approval.operations import (
    decide_run,
    get_run_approval,
    list_proposal_groups,
    list_run_proposals,
)
from resolvers.data_readiness.data_assets import get_data_asset, list_data_asset_runs, list_data_assets
from resolvers.data_readiness.pipelines import get_pipeline_run, list_pipeline_runs
from resolvers.data_readiness.runs.operations import retry_run
from resolvers.data_readiness.workflows import (
    delete_workflow_configuration,
    list_workflow_definitions,
    update_workflow_configuration,
)
from schema.data_readiness.data_asset import DataAsset
from schema.data_readiness.pipeline import PipelineRun
from schema.data_readiness.proposal import Proposal, ProposalGroup, RunApproval
from schema.data_readiness.workflow import WorkflowConfiguration
from schema.data_readiness.workflow_definition import WorkflowDefinition
from schema.data_readiness.workflow_run import WorkflowRun
from schema.door import connects, opens
from schema.governance.permission import Done
from schema.pagination import Connection, Page


@strawberry.type(name="Query")
class WorkflowsQuery:
    """What can be read of workflows beside configurations and runs."""

    workflow_definitions: Page[WorkflowDefinition] = opens(list_workflow_definitions)
    workflow_definitions_connection: Connection[WorkflowDefinition] = connects(list_workflow_definitions)
    pipeline_runs: Page[PipelineRun] = opens(list_pipeline_runs)
    pipeline_runs_connection: Connection[PipelineRun] = connects(list_pipeline_runs)
    pipeline_run: PipelineRun = opens(get_pipeline_run)
    run_proposals: Page[Proposal] = opens(list_run_proposals)
    run_proposals_connection: Connection[Proposal] = connects(list_run_proposals)
    proposal_groups: Page[ProposalGroup] = opens(list_proposal_groups)
    proposal_groups_connection: Connection[ProposalGroup] = connects(list_proposal_groups)
    run_approval: RunApproval = opens(get_run_approval)
    data_assets: Page[DataAsset] = opens(list_data_assets)
    data_assets_connection: Connection[DataAsset] = connects(list_data_assets)
    data_asset: DataAsset = opens(get_data_asset)
    data_asset_runs: Page[WorkflowRun] = opens(list_data_asset_runs)
    data_asset_runs_connection: Connection[WorkflowRun] = connects(list_data_asset_runs)


@strawberry.type(name="Mutation")
class WorkflowsMutation:
    """What can be changed of workflows beside creating configurations and triggering runs."""

    update_workflow_configuration: WorkflowConfiguration = opens(update_workflow_configuration)
    delete_workflow_configuration: Done = opens(delete_workflow_configuration)
    retry_run: WorkflowRun = opens(retry_run)
    decide_run: RunApproval = opens(decide_run)
