"""Operations on workflow definitions (list) and configurations (create, get, list, update, delete)."""

from typing import Annotated, Any
from uuid import UUID, uuid4

from pydantic import Field

from auth.rate_limit import CallKind
from persistence.store import UnitOfWork
from resolvers.authors import authored
from resolvers.context import Context
from resolvers.data_readiness.runs.parameters import check_config
from resolvers.operation import operation
from resolvers.utils.schedules import remove_configuration_schedule, sync_configuration_schedule
from schema.data_readiness.workflow import (
    ConfigurationStatus,
    WorkflowConfiguration,
    WorkflowConfigurationCreate,
    WorkflowConfigurationUpdate,
    WorkflowSchedule,
    WorkflowType,
    category_of,
)
from schema.data_readiness.workflow_definition import DEFINITIONS, WorkflowDefinition
from schema.errors import MissingRequiredField, ValidationError, VersionConflict
from schema.governance.permission import Done, Permission
from schema.pagination import Page, PageNumber, PageSize

ConfigurationId = Annotated[UUID, Field(description="The configuration's id.")]


@operation(needs=Permission.CAN_CREATE_RESOURCES, kind=CallKind.WRITE)
async def create_workflow_configuration(
    ctx: Context, *, configuration: WorkflowConfigurationCreate
) -> WorkflowConfiguration:
    """Create a workflow configuration in the selected project.

    A default one takes the place of the default that its type had; its schedule fires as soon as it stands.
    """
    kind = _type_of(configuration)
    check_config(kind, configuration.config)
    now = ctx.now()
    new = WorkflowConfiguration(
        id=str(uuid4()),
        name=configuration.name,
        workflow_type=kind,
        category=category_of(kind),
        config=configuration.config,
        data_asset_types=configuration.data_asset_types,
        description=configuration.description,
        is_default=configuration.is_default,
        require_reference_pack=configuration.require_reference_pack,
        schedule=configuration.schedule.model_dump() if configuration.schedule else None,
        status=ConfigurationStatus.ACTIVE,
        triggers=configuration.triggers,
        created_at=now,
        updated_at=now,
    )

    def work(uow: UnitOfWork) -> WorkflowConfiguration:
        uow.workflow_configurations.add(
            new,
            organization_id=ctx.organization_id,
            project_id=ctx.project_id,
            created_by=ctx.caller.user_id,
            authors=authored(ctx, new.config, {}, None),
        )
        if new.is_default:
            uow.workflow_configurations.take_default(ctx.scope, kind, new.id)
        sync_configuration_schedule(uow, ctx, new)
        return new

    return await ctx.store.write(work)


@operation(needs=Permission.CAN_READ)
async def list_workflow_definitions(
    ctx: Context,
    *,
    category: Annotated[str, Field(min_length=1, max_length=64, description="Only those of this category.")]
    | None = None,
    available: Annotated[
        bool | None, Field(description="Only those whose engine this version has, or only the others.")
    ] = None,
    page: PageNumber = 1,
    limit: PageSize = 20,
) -> Page[WorkflowDefinition]:
    """List the types of workflows: what each does, what it can be told, and whether this version carries it out."""
    found = [
        definition
        for definition in DEFINITIONS.values()
        if category in (None, definition.category) and available in (None, definition.available)
    ]
    offset = (page - 1) * limit
    return Page[WorkflowDefinition](items=found[offset : offset + limit], total=len(found), offset=offset, limit=limit)


@operation(needs=Permission.CAN_READ)
async def list_workflow_configurations(
    ctx: Context,
    *,
    workflow_type: WorkflowType | None = None,
    status: ConfigurationStatus | None = None,
    search: Annotated[str, Field(max_length=255, description="Part of the name or description.")] | None = None,
    page: PageNumber = 1,
    limit: PageSize = 20,
) -> Page[WorkflowConfiguration]:
    """List the workflow configurations of the selected project, newest first."""
    return await ctx.store.read(
        lambda uow: uow.workflow_configurations.listed(
            ctx.scope,
            offset=(page - 1) * limit,
            limit=limit,
            search=search,
            workflow_type=workflow_type,
            status=status,
        )
    )


@operation(needs=Permission.CAN_READ)
async def get_workflow_configuration(ctx: Context, *, configuration_id: ConfigurationId) -> WorkflowConfiguration:
    """Get a workflow configuration."""
    return await ctx.store.read(lambda uow: uow.workflow_configurations.get(ctx.scope, str(configuration_id)))


@operation(needs=Permission.CAN_WRITE, kind=CallKind.WRITE)
async def update_workflow_configuration(
    ctx: Context, *, configuration_id: ConfigurationId, changes: WorkflowConfigurationUpdate
) -> WorkflowConfiguration:
    """Update a workflow configuration; only the fields that are sent change, and runs that began keep what they have.

    If-Match makes a concurrent change a VERSION_CONFLICT. An inactive configuration neither fires nor is triggered.
    Runs may do what both who starts them and who last wrote the config may do.
    """
    given = changes.given()
    if given.get("config", {}) is None:
        given["config"] = {}
    if given.get("schedule") is not None:  # replaced whole, with what is left out of it at its default
        given["schedule"] = WorkflowSchedule(**given["schedule"]).model_dump()
    values: dict[str, Any] = given | {"updated_at": ctx.now()}

    def work(uow: UnitOfWork) -> WorkflowConfiguration:
        current = uow.workflow_configurations.held(ctx.scope, str(configuration_id))
        check_config(current.workflow_type, given.get("config") or {})
        expected = ctx.expected_of(current)
        authors = {}
        if "config" in given:
            authors = {"authors": authored(ctx, given["config"], current.config, current._authors)}
        changed = uow.workflow_configurations.change(ctx.scope, current.id, values | authors, expected=expected)
        if given.get("is_default"):
            uow.workflow_configurations.take_default(ctx.scope, changed.workflow_type, changed.id)
        sync_configuration_schedule(uow, ctx, changed)
        return changed

    return await ctx.store.write(work)


@operation(needs=Permission.CAN_DELETE, kind=CallKind.WRITE)
async def delete_workflow_configuration(ctx: Context, *, configuration_id: ConfigurationId) -> Done:
    """Delete a workflow configuration and its schedule. Its runs can still be read by their ids and listed.

    While one of its runs is open this is a 422: cancel the run, or wait for its end.
    """

    def work(uow: UnitOfWork) -> None:
        current = uow.workflow_configurations.held(ctx.scope, str(configuration_id))
        if ctx.expects_another(current._revision):
            raise VersionConflict(
                "This workflow configuration was changed by somebody else. Read it again and retry.",
                resource_type="workflow_configuration",
                resource_id=current.id,
            )
        open_run = uow.workflow_runs.open_of(ctx.scope, current.id)
        if open_run is not None:
            raise ValidationError(
                f"Run {open_run} of this configuration is not over. Cancel it or wait for its end, then delete it.",
                status=422,
                field="configuration_id",
                resource_type="workflow_run",
                resource_id=open_run,
            )
        remove_configuration_schedule(uow, ctx.scope, current.id)
        uow.workflow_configurations.hide(ctx.scope, current.id, ctx.now())

    done = Done(message="The workflow configuration is deleted. Its runs can still be read.")
    await ctx.store.write(work, told=lambda _: done)
    return done


def _type_of(configuration: WorkflowConfigurationCreate) -> WorkflowType:
    """The type that was named, directly or as a definition; the two must not disagree."""
    named = configuration.workflow_definition_id
    if named is None:
        if configuration.workflow_type is None:
            raise MissingRequiredField("workflow_type or workflow_definition_id is required.", field="workflow_type")
        return configuration.workflow_type
    if named not in DEFINITIONS:
        raise ValidationError(
            f"There is no workflow definition {named!r}. Use one of: {', '.join(DEFINITIONS)}.",
            status=422,
            field="workflow_definition_id",
        )
    kind = DEFINITIONS[named].workflow_type
    if configuration.workflow_type not in (None, kind):
        raise ValidationError(
            "workflow_type and workflow_definition_id name different types. Send one of them.",
            status=422,
            field="workflow_type",
        )
    return kind
