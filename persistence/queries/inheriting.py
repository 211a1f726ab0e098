"""Defines what inherits access from an organization or a project, for the repair of access alone."""

from typing import Final, NamedTuple

import sqlalchemy as sa

from persistence.tables.assets import data_connections
from persistence.tables.files import artifacts, files
from persistence.tables.governance import organizations, projects
from schema.governance.permission import ResourceType


class Inheriting(NamedTuple):
    """Something that inherits: from its project, or from the organization when it has none."""

    id: str
    project_id: str | None
    owner: str


_OF_PROJECTS: Final = {
    ResourceType.DATA_CONNECTION: data_connections,
    ResourceType.FILE: files,
    ResourceType.ARTIFACT: artifacts,
}
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
        table = _OF_PROJECTS[type_].c
        key, tenant = table.resource_uri, table.organization_id
        query = sa.select(key, table.project_id, table.owner_id)
    query = query.where(tenant == organization_id).order_by(key).limit(limit)
    if after is not None:
        query = query.where(key > after)
    return [Inheriting(*row) for row in connection.execute(query)]
