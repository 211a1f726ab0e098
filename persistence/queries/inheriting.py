"""Defines what inherits access from an organization or a project, for the repair of access alone."""

from typing import Final, NamedTuple

import sqlalchemy as sa

from persistence.tables.assets import data_connections
from persistence.tables.files import artifacts, files
from persistence.tables.governance import organizations, projects
from persistence.tables.servers import registered_servers
from schema.governance.permission import ResourceType


class Inheriting(NamedTuple):
    """Something that inherits: from its project, or from the organization when it has none."""

    id: str
    project_id: str | None
    owner: str


_OF_PROJECTS: Final[dict[ResourceType, tuple[sa.Table, str, str | None]]] = {
    ResourceType.DATA_CONNECTION: (data_connections, "owner_id", None),
    ResourceType.FILE: (files, "owner_id", None),
    ResourceType.ARTIFACT: (artifacts, "owner_id", None),
    ResourceType.MCP_SERVER: (registered_servers, "created_by", "mcp"),
    ResourceType.API_SERVER: (registered_servers, "created_by", "api"),
}
"""Of each type its table, who owns one, and its kind where a table has more than one."""
INHERITING: Final = (ResourceType.PROJECT, *_OF_PROJECTS)
"""What inherits, the projects first, so that what lies in them is looked at when they are mended."""


def organization_ids(connection: sa.Connection) -> list[str]:
    """Every organization, in order. For what the platform does by itself, never for an answer."""
    return list(connection.execute(sa.select(organizations.c.id).order_by(organizations.c.id)).scalars())


def inheriting(
    connection: sa.Connection, organization_id: str, type_: ResourceType, after: str | None, limit: int
) -> list[Inheriting]:
    """The organization's objects of a type behind an id, in the order of their ids."""
    if type_ is ResourceType.PROJECT:
        key, tenant = projects.c.id, projects.c.organization_id
        query = sa.select(key, sa.null(), projects.c.created_by)
    else:
        table, owner, kind = _OF_PROJECTS[type_]
        key, tenant = table.c.resource_uri, table.c.organization_id
        query = sa.select(key, table.c.project_id, table.c[owner])
        if kind is not None:
            query = query.where(table.c.kind == kind)
    query = query.where(tenant == organization_id).order_by(key).limit(limit)
    if after is not None:
        query = query.where(key > after)
    return [Inheriting(*row) for row in connection.execute(query)]
