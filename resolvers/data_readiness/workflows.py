"""What can be done with workflow configurations: create, get, list."""

from typing import Annotated
from uuid import UUID, uuid4

from pydantic import Field

from persistence.tables.data_readiness import workflow_configurations as table
from resolvers.context import Context
from resolvers.operation import Kind, operation
from schema.data_readiness.workflow import (
    WorkflowConfiguration,
    WorkflowConfigurationCreate,
    WorkflowType,
    category_of,
)
from schema.errors import MissingRequiredField, ValidationError
from schema.governance.permission import Permission
from schema.pagination import Page, PageNumber, PageSize

ConfigurationId = Annotated[UUID, Field(description="The configuration's id.")]


@operation(needs=Permission.CAN_CREATE_RESOURCES, kind=Kind.WRITE)
async def create_workflow_configuration(
    ctx: Context, *, configuration: WorkflowConfigurationCreate
) -> WorkflowConfiguration:
    """Create a workflow configuration in the selected project."""
    kind = _type_of(configuration)
    now = ctx.now()
    new = WorkflowConfiguration(
        id=str(uuid4()),
        name=configuration.name,
        workflow_type=kind,
        category=category_of(kind),
        config=configuration.config,
        data_asset_types=configuration.data_asset_types,
        description=configuration.description,
        is_default=False,
        require_reference_pack=False,
        schedule=configuration.schedule.model_dump() if configuration.schedule else None,
        status="active",
        triggers=configuration.triggers,
        created_at=now,
        updated_at=now,
    )
    return await ctx.store.write(
        lambda shelves: shelves.workflow_configurations.add(
            new,
            organization_id=ctx.organization_id,
            project_id=ctx.project_id,
            created_by=ctx.caller.user_id,
        )
    )


@operation(needs=Permission.CAN_READ)
async def list_workflow_configurations(
    ctx: Context, *, workflow_type: WorkflowType | None = None, page: PageNumber = 1, limit: PageSize = 20
) -> Page[WorkflowConfiguration]:
    """List the workflow configurations of the selected project, newest first."""
    return await ctx.store.read(
        lambda shelves: shelves.workflow_configurations.page(
            ctx.scope,
            offset=(page - 1) * limit,
            limit=limit,
            order=[table.c.created_at.desc()],
            workflow_type=workflow_type,
        )
    )


@operation(needs=Permission.CAN_READ)
async def get_workflow_configuration(ctx: Context, *, configuration_id: ConfigurationId) -> WorkflowConfiguration:
    """Get a workflow configuration."""
    return await ctx.store.read(lambda shelves: shelves.workflow_configurations.get(ctx.scope, str(configuration_id)))


def _type_of(configuration: WorkflowConfigurationCreate) -> WorkflowType:
    """The type that was named, directly or as a definition; the two must not disagree."""
    named = configuration.workflow_definition_id
    if named is None:
        if configuration.workflow_type is None:
            raise MissingRequiredField("workflow_type or workflow_definition_id is required.", field="workflow_type")
        return configuration.workflow_type
    try:
        kind = WorkflowType(named)
    except ValueError:
        raise ValidationError(
            f"There is no workflow definition {named!r}. Use one of: {', '.join(WorkflowType)}.",
            status=422,
            field="workflow_definition_id",
        ) from None
    if configuration.workflow_type not in (None, kind):
        raise ValidationError(
            "workflow_type and workflow_definition_id name different types. Send one of them.",
            status=422,
            field="workflow_type",
        )
    return kind
