"""The graph: every field GraphQL offers, one line each."""

import logging
import re
from datetime import datetime

import strawberry
from graphql import GraphQLError
from strawberry.pydantic import InputValidationError
from strawberry.schema.config import StrawberryConfig
from strawberry.types import ExecutionContext

from resolvers.assets.data_connections import (
    create_data_connection,
    get_data_connection,
    get_data_connection_secret,
    list_data_connections,
    update_data_connection,
    verify_data_connection,
)
from resolvers.data_readiness.runs import cancel_run, get_workflow_run, list_run_tasks, list_workflow_runs, trigger_run
from resolvers.data_readiness.workflows import (
    create_workflow_configuration,
    get_workflow_configuration,
    list_workflow_configurations,
)
from resolvers.governance.organizations import get_organization, get_rate_limits, list_organizations, set_rate_limits
from resolvers.governance.permissions import (
    check_permission,
    delete_all_permissions,
    explain_permission,
    grant_permission,
    revoke_permission,
    set_parent,
)
from resolvers.governance.projects import create_project, get_project, list_projects
from resolvers.governance.secrets import (
    create_project_secret,
    create_resource_secret,
    delete_project_secret,
    delete_resource_secret,
    get_project_secret,
    get_resource_secret,
    list_project_secrets,
    list_resource_secrets,
    update_project_secret,
    update_resource_secret,
)
from resolvers.utils.metadata import create_metadata, delete_metadata, get_metadata, search_metadata, update_metadata
from schema.assets.data_connection import ConnectionSecret, ConnectionVerification, DataConnection
from schema.base import LONG, Long
from schema.data_readiness.workflow import WorkflowConfiguration
from schema.data_readiness.workflow_run import RunTask, StartedRun, WorkflowRun
from schema.door import opens
from schema.errors import ApiError, InternalError
from schema.governance.organization import Organization, RateLimits
from schema.governance.permission import DeletedRelations, Done, PermissionAnswer, PermissionExplanation
from schema.governance.project import Project
from schema.governance.secret import Secret, SecretValue
from schema.leaves import LeafExecutor
from schema.limits import GraphSettings, extensions
from schema.pagination import Page
from schema.problems import body_problems
from schema.utils.metadata_asset import MetadataAsset

log = logging.getLogger("stoa.graphql")


@strawberry.type(description="Everything that can be read.")
class Query:
    """Everything that can be read."""

    organizations: Page[Organization] = opens(list_organizations)
    organization: Organization = opens(get_organization)
    rate_limits: RateLimits = opens(get_rate_limits)
    projects: Page[Project] = opens(list_projects)
    project: Project = opens(get_project)
    check_permission: PermissionAnswer = opens(check_permission)
    explain_permission: PermissionExplanation = opens(explain_permission)
    project_secrets: Page[Secret] = opens(list_project_secrets)
    project_secret: SecretValue = opens(get_project_secret)
    resource_secrets: Page[Secret] = opens(list_resource_secrets)
    resource_secret: SecretValue = opens(get_resource_secret)

    data_connections: Page[DataConnection] = opens(list_data_connections)
    data_connection: DataConnection = opens(get_data_connection)
    data_connection_secret: ConnectionSecret = opens(get_data_connection_secret)

    search_metadata: Page[MetadataAsset] = opens(search_metadata)
    metadata: MetadataAsset = opens(get_metadata)

    workflow_configurations: Page[WorkflowConfiguration] = opens(list_workflow_configurations)
    workflow_configuration: WorkflowConfiguration = opens(get_workflow_configuration)
    workflow_runs: Page[WorkflowRun] = opens(list_workflow_runs)
    workflow_run: WorkflowRun = opens(get_workflow_run)
    run_tasks: Page[RunTask] = opens(list_run_tasks)


@strawberry.type(description="Everything that can be changed.")
class Mutation:
    """Everything that can be changed."""

    set_rate_limits: RateLimits = opens(set_rate_limits)
    create_project: Project = opens(create_project)
    grant_permission: Done = opens(grant_permission)
    revoke_permission: Done = opens(revoke_permission)
    set_parent: Done = opens(set_parent)
    delete_all_permissions: DeletedRelations = opens(delete_all_permissions)
    create_project_secret: Secret = opens(create_project_secret)
    update_project_secret: Secret = opens(update_project_secret)
    delete_project_secret: Done = opens(delete_project_secret)
    create_resource_secret: Secret = opens(create_resource_secret)
    update_resource_secret: Secret = opens(update_resource_secret)
    delete_resource_secret: Done = opens(delete_resource_secret)

    create_data_connection: DataConnection = opens(create_data_connection)
    update_data_connection: DataConnection = opens(update_data_connection)
    verify_data_connection: ConnectionVerification = opens(verify_data_connection)

    create_metadata: MetadataAsset = opens(create_metadata)
    update_metadata: MetadataAsset = opens(update_metadata)
    delete_metadata: Done = opens(delete_metadata)

    create_workflow_configuration: WorkflowConfiguration = opens(create_workflow_configuration)
    trigger_run: StartedRun = opens(trigger_run)
    cancel_run: WorkflowRun = opens(cancel_run)


class Graph(strawberry.Schema):
    """The schema, whose errors carry the catalogue's code and hide what is unexpected."""

    def process_errors(self, errors: list[GraphQLError], execution_context: ExecutionContext | None = None) -> None:
        """Give every error its code, status and details; mask and log what is no failure of the catalogue."""
        for error in errors:
            failure = _as_api_error(error)
            if failure is not None:
                error.message = failure.message
                error.extensions = failure.extensions
                # What is shown is the catalogue's error; keeping it lets the HTTP door see a 401 or 429.
                error.original_error = failure
            elif not error.extensions:
                error.extensions = {"code": "VALIDATION_ERROR", "status": 400, "details": {}}


def _as_api_error(error: GraphQLError) -> ApiError | None:
    """The catalogue error behind a GraphQL error; None for an error of the query text itself."""
    original = error.original_error
    while isinstance(original, GraphQLError) and original.original_error is not None:
        original = original.original_error
    if isinstance(original, ApiError):
        return original
    if isinstance(original, InputValidationError):
        found = ((p.type, p.location[1:] or p.location, p.message) for p in original.errors)
        return body_problems((type_, map(_snake, where), message) for type_, where, message in found)
    if original is None or isinstance(original, GraphQLError):
        return None
    log.error("unexpected failure in the graph", exc_info=original)
    return InternalError("An unexpected error occurred. The log has it under this request id.")


def _snake(part: object) -> object:
    """A field as REST and the arguments' own checks spell it, so that `details` reads the same at both doors."""
    return re.sub("(?<=.)([A-Z])", r"_\1", part).lower() if isinstance(part, str) else part


def _zulu(moment: datetime) -> str:
    return moment.isoformat().replace("+00:00", "Z")  # the spelling REST uses


def build_graph(settings: GraphSettings | None = None) -> Graph:
    """The published graph with the given bounds."""
    return Graph(
        query=Query,
        mutation=Mutation,
        execution_context_class=LeafExecutor,
        extensions=extensions(settings or GraphSettings()),
        config=StrawberryConfig(
            scalar_map={
                Long: LONG,
                datetime: strawberry.scalar(name="DateTime", serialize=_zulu, parse_value=datetime.fromisoformat),
            }
        ),
    )
