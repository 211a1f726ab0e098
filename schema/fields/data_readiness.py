"""Defines what the graph offers of Data Readiness: one line per field."""

import strawberry

from resolvers.data_readiness.runs.openlineage import get_run_openlineage
from resolvers.data_readiness.runs.operations import (
    cancel_run,
    get_workflow_run,
    list_project_runs,
    list_run_tasks,
    list_workflow_runs,
    trigger_run,
)
from resolvers.data_readiness.runs.progress import run_progress
from resolvers.data_readiness.workflows import (
    create_workflow_configuration,
    get_workflow_configuration,
    list_workflow_configurations,
)
from schema.data_readiness.run_openlineage import RunOpenLineage
from schema.data_readiness.workflow import WorkflowConfiguration
from schema.data_readiness.workflow_run import RunTask, StartedRun, WorkflowRun
from schema.door import connects, follows, opens
from schema.fields.quality import QualityMutation, QualityQuery
from schema.fields.workflows import WorkflowsMutation, WorkflowsQuery
from schema.pagination import Connection, Page


@strawberry.type(name="Query")
class DataReadinessQuery(WorkflowsQuery, QualityQuery):
    """What can be read of Data Readiness."""

    workflow_configurations: Page[WorkflowConfiguration] = opens(list_workflow_configurations)
    workflow_configurations_connection: Connection[WorkflowConfiguration] = connects(list_workflow_configurations)
    workflow_configuration: WorkflowConfiguration = opens(get_workflow_configuration)
    workflow_runs: Page[WorkflowRun] = opens(list_workflow_runs)
    workflow_runs_connection: Connection[WorkflowRun] = connects(list_workflow_runs)
    project_runs: Page[WorkflowRun] = opens(list_project_runs)
    project_runs_connection: Connection[WorkflowRun] = connects(list_project_runs)
    workflow_run: WorkflowRun = opens(get_workflow_run)
    run_openlineage: RunOpenLineage = opens(get_run_openlineage)
    run_tasks: Page[RunTask] = opens(list_run_tasks)
    run_tasks_connection: Connection[RunTask] = connects(list_run_tasks)


@strawberry.type(name="Mutation")
class DataReadinessMutation(WorkflowsMutation, QualityMutation):
    """What can be changed of Data Readiness."""

    create_workflow_configuration: WorkflowConfiguration = opens(create_workflow_configuration)
    trigger_run: StartedRun = opens(trigger_run)
    cancel_run: WorkflowRun = opens(cancel_run)


@strawberry.type(name="Subscription")
class DataReadinessSubscription:
    """What can be followed of Data Readiness."""

    run_progress = follows(run_progress)
