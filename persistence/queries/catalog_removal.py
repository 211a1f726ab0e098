"""Defines what removing a connection does to the rest of the platform: its catalog, and the runs that would read it."""

from datetime import datetime
from typing import NamedTuple

import sqlalchemy as sa

from persistence.queries.catalog_rows import lock_service
from persistence.queries.lineage import LineageRepository
from persistence.queries.pipelines import at_or_below
from persistence.queries.run_tasks import OPEN
from persistence.repository import Scope
from persistence.tables.catalog import metadata_assets
from persistence.tables.data_readiness import run_targets, workflow_runs


def retire_catalog(connection: sa.Connection, scope: Scope, resource_uri: str, *, actor: str, now: datetime) -> int:
    """Mark everything of a connection as deleted, in every project that has some of it; how many assets were marked.

    What is told of its lineage ends.

    Versions stay, and so does what people wrote: an ingestion under the same URI takes it up again.
    """
    assets = metadata_assets
    own = [
        assets.c.organization_id == scope.organization_id,
        assets.c.resource_uri == resource_uri,
        assets.c.deleted_at.is_(None),
    ]
    places = sa.select(assets.c.project_id, assets.c.service_name).where(*own).distinct()
    for project, service in sorted(
        map(tuple, connection.execute(places))
    ):  # in one order, so that no two wait in a ring
        lock_service(connection, Scope(scope.organization_id, project), service)
    LineageRepository(connection).end_all_of(scope, resource_uri, now)
    return connection.execute(
        assets.update()
        .where(*own)
        .values(deleted_at=now, updated_at=now, updated_by=actor, revision=assets.c.revision + 1)
    ).rowcount


class OpenRun(NamedTuple):
    """A run that is not over."""

    id: str
    works_on_all: bool
    """Whether it names nothing in particular, and so works on the whole catalog of its project."""


def open_run_at(connection: sa.Connection, scope: Scope, resource_uri: str, service: str) -> OpenRun | None:
    """A run that is not over and may read a connection, or None.

    It names something of the connection, or names nothing while its project's catalog has something of it. What is the
    connection's stands below its service, or below whatever people wrote into its catalog.
    """
    assets = metadata_assets
    written = sa.select(assets.c.service_name).where(
        assets.c.organization_id == scope.organization_id,
        assets.c.resource_uri == resource_uri,
        assets.c.deleted_at.is_(None),
    )
    services = sorted({service, *connection.execute(written.distinct()).scalars()})
    target = sa.select(run_targets.c.run_id).where(run_targets.c.run_id == workflow_runs.c.id)
    cataloged = sa.exists().where(
        assets.c.organization_id == scope.organization_id,
        assets.c.project_id == workflow_runs.c.project_id,
        assets.c.resource_uri == resource_uri,
        assets.c.deleted_at.is_(None),
    )
    query = sa.select(workflow_runs.c.id, ~target.exists()).where(
        workflow_runs.c.organization_id == scope.organization_id,
        workflow_runs.c.status.in_(OPEN),
        sa.or_(
            target.where(sa.or_(*(at_or_below(run_targets.c.target_fqn, name) for name in services))).exists(),
            sa.and_(~target.exists(), cataloged),
        ),
    )
    if scope.project_id is not None:
        query = query.where(workflow_runs.c.project_id == scope.project_id)
    found = connection.execute(query.order_by(workflow_runs.c.id).limit(1)).one_or_none()
    return None if found is None else OpenRun(found[0], bool(found[1]))
