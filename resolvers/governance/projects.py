"""Operations on projects. Creating one writes its row and all its relations, or nothing."""

from uuid import uuid4

from auth.caller import WORKER
from auth.rate_limit import CallKind
from auth.relations import RelationTuple, group_subject, object_name, user_subject
from auth.seen import Seen
from persistence.integrity import IntegrityError
from persistence.store import UnitOfWork
from resolvers.context import Context
from resolvers.operation import OWN_VIEW, operation
from schema.errors import AlreadyExists
from schema.governance.permission import Permission
from schema.governance.project import Project, ProjectCreate
from schema.pagination import Page, PageNumber, PageSize

PROJECT_GROUPS = {
    "project-owners": "owner",
    "project-admins": "admin",
    "project-developers": "developer",
    "project-operators": "operator",
    "project-viewers": "viewer",
}
"""The identity provider's groups that hold a role on every project, as bootstrap maps them."""


@operation(needs=Permission.CAN_MANAGE_PROJECTS, on="organization", kind=CallKind.WRITE)
async def create_project(ctx: Context, *, project: ProjectCreate) -> Project:
    """Create a project in the caller's organization; they become its owner."""
    now = ctx.now()
    new = Project(
        id=str(uuid4()),
        organization_id=ctx.organization_id,
        name=project.name,
        description=project.description,
        created_at=now,
        updated_at=now,
        created_by=ctx.caller.user_id,
    )

    def work(uow: UnitOfWork) -> Project:
        taken = uow.projects.page(ctx.tenant, offset=0, limit=1, name=project.name)
        if taken.total:
            raise AlreadyExists(
                f"A project named {project.name!r} exists already. Choose another name.",
                resource_type="project",
                resource_id=taken.items[0].id,
            )
        uow.projects.add(new)
        uow.relate(ctx.organization_id, writes=project_relations(new))
        return new

    try:
        created = await ctx.store.write(work)
    except IntegrityError:  # somebody took the name between the look and the write
        standing = await ctx.store.read(lambda uow: uow.projects.page(ctx.tenant, offset=0, limit=1, name=project.name))
        raise AlreadyExists(
            f"A project named {project.name!r} exists already. Choose another name.",
            resource_type="project",
            resource_id=standing.items[0].id if standing.items else new.id,
        ) from None
    ctx.guard.forget()
    return created


def project_relations(project: Project) -> list[RelationTuple]:
    """Return what a new project starts with: its organization, its creator, the groups, the platform's worker."""
    name = object_name("project", project.id)
    return [
        RelationTuple(object_name("organization", project.organization_id), "organization", name),
        RelationTuple(user_subject(project.created_by), "owner", name),
        RelationTuple(user_subject(WORKER), "service_worker", name),
        *(RelationTuple(group_subject(group), role, name) for group, role in PROJECT_GROUPS.items()),
    ]


@operation(needs=OWN_VIEW)
async def list_projects(ctx: Context, *, page: PageNumber = 1, limit: PageSize = 20) -> Page[Project]:
    """List the projects of the caller's organization that they may read."""
    offset, seen = (page - 1) * limit, Seen()
    if await ctx.guard.allows(ctx.caller, Permission.CAN_READ, "organization", ctx.organization_id, seen=seen):
        return await ctx.store.read(lambda uow: uow.projects.page(ctx.tenant, offset=offset, limit=limit))
    ids = await ctx.guard.every(ctx.caller, Permission.CAN_READ, "project", seen=seen)
    if ids is None:
        all_ids = await ctx.store.read(lambda uow: uow.projects.ids(ctx.tenant))
        readable = await ctx.guard.allows_many(ctx.caller, Permission.CAN_READ, "project", all_ids)
        ids = [id for id in all_ids if readable[id]]
    return await ctx.store.read(lambda uow: uow.projects.among(ctx.tenant, ids, offset=offset, limit=limit))


@operation(needs=Permission.CAN_READ, on="project:{project_id}")
async def get_project(ctx: Context, *, project_id: str) -> Project:
    """Get a project."""
    return await ctx.store.read(lambda uow: uow.projects.get(ctx.tenant, project_id))
