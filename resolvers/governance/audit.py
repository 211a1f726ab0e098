"""The audit log, for those who manage the users of an organization."""

from typing import Annotated

from pydantic import Field

from resolvers.context import Context
from resolvers.operation import operation
from schema.governance.audit import AuditEntry, AuditOutcome, Door
from schema.governance.permission import Permission, ResourceType
from schema.pagination import Moment, Page, PageNumber, PageSize

UserAsked = Annotated[str, Field(min_length=1, max_length=1000, description="Only what this user called (exact id).")]
OperationAsked = Annotated[
    str, Field(min_length=1, max_length=64, description="Only calls of this operation, such as `grant_permission`.")
]
IdAsked = Annotated[str, Field(min_length=1, max_length=255, description="Only calls about the resource of this id.")]
ProjectAsked = Annotated[str, Field(min_length=1, max_length=255, description="Only calls in this project.")]


@operation(needs=Permission.CAN_MANAGE_USERS, on="organization")
async def list_audit_entries(
    ctx: Context,
    *,
    user_id: UserAsked | None = None,
    operation: OperationAsked | None = None,
    outcome: AuditOutcome | None = None,
    door: Door | None = None,
    object_type: Annotated[ResourceType, Field(description="Only calls about a resource of this type.")] | None = None,
    object_id: IdAsked | None = None,
    project_id: ProjectAsked | None = None,
    since: Annotated[Moment, Field(description="Only entries of this moment or later.")] | None = None,
    until: Annotated[Moment, Field(description="Only entries before this moment.")] | None = None,
    page: PageNumber = 1,
    limit: PageSize = 20,
) -> Page[AuditEntry]:
    """List who did what to what in the caller's organization, and who was refused, the latest first.

    Every call that changed something or was told a secret is here, and every one that was refused; reads that were
    allowed are not. `stoa audit verify` shows whether the log is whole, `stoa audit export` writes it to a file.
    """
    return await ctx.store.read(
        lambda uow: uow.audit.listed(
            ctx.organization_id,
            offset=(page - 1) * limit,
            limit=limit,
            since=since,
            until=until,
            user_id=user_id,
            operation=operation,
            outcome=outcome,
            door=door,
            object_type=object_type,
            object_id=object_id,
            project_id=project_id,
        )
    )
