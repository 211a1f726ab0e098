"""Glossary terms, their place in the hierarchy, who still uses them, and their links to assets."""

from collections.abc import Iterable
from typing import Any, Final

import sqlalchemy as sa

from persistence.repository import Repository, Scope
from persistence.tables.catalog import metadata_assets
from persistence.tables.data_readiness import workflow_configurations, workflow_runs
from persistence.tables.glossary import glossary_term_assets as links
from persistence.tables.glossary import glossary_terms as terms
from schema.data_readiness.glossary import GlossaryTerm, TermAsset
from schema.data_readiness.workflow_run import RunStatus
from schema.errors import NotFound

DEEPEST: Final = 20
"""How many terms may stand above one another."""


class GlossaryTermShelf(Repository[GlossaryTerm]):
    """Terms of a project."""

    def __init__(self, connection: sa.Connection) -> None:
        super().__init__(connection, GlossaryTerm, terms, noun="glossary_term")

    def ancestors(self, scope: Scope, id: str) -> list[str]:
        """The term and those above it, from the lowest up; one more than the deepest at most."""
        found: list[str] = []
        above: str | None = id
        while above is not None and len(found) <= DEEPEST:
            found.append(above)
            query = sa.select(terms.c.parent_term_id).where(*self._within(scope), terms.c.id == above)
            above = self._connection.execute(query).scalar_one_or_none()
        return found

    def height(self, scope: Scope, id: str) -> int:
        """How many levels of terms there are, this one's included."""
        level, height = [id], 0
        while level and height <= DEEPEST:
            height += 1
            query = sa.select(terms.c.id).where(*self._within(scope), terms.c.parent_term_id.in_(level))
            level = list(self._connection.execute(query).scalars())
        return height

    def user_of(self, scope: Scope, id: str) -> dict[str, str] | None:
        """The workflow that names a term: a configuration, or a run that is not over."""
        runs = sa.select(workflow_runs.c.configuration_id, workflow_runs.c.id).where(
            workflow_runs.c.organization_id == scope.organization_id,
            workflow_runs.c.project_id == scope.project_id,
            workflow_runs.c.status.in_((RunStatus.PENDING, RunStatus.RUNNING)),
            sa.cast(workflow_runs.c.input, sa.Text).contains(id, autoescape=True),
        )
        if run := self._connection.execute(runs.order_by(workflow_runs.c.id).limit(1)).first():
            return {"workflow_id": run.configuration_id, "workflow_run_id": run.id}
        configurations = sa.select(workflow_configurations.c.id).where(
            workflow_configurations.c.organization_id == scope.organization_id,
            workflow_configurations.c.project_id == scope.project_id,
            sa.cast(workflow_configurations.c.config, sa.Text).contains(id, autoescape=True),
        )
        configuration = self._connection.execute(
            configurations.order_by(workflow_configurations.c.id).limit(1)
        ).scalar_one_or_none()
        return None if configuration is None else {"workflow_id": configuration}

    def drop(self, scope: Scope, id: str, *, expected: int | None) -> None:
        """Delete a term with its links; the terms below it stand by themselves then."""
        own = (links.c.organization_id == scope.organization_id, links.c.term_id == id)
        self._connection.execute(links.delete().where(*own))
        self._connection.execute(
            terms.update()
            .where(*self._within(scope), terms.c.parent_term_id == id)
            .values(parent_term_id=None, revision=terms.c.revision + 1)
        )
        self.remove(scope, id, expected=expected)

    def count_asset(self, scope: Scope, id: str, by: int) -> None:
        """Count a link up or down. Raises NotFound. It is no new version of the term."""
        counted = self._connection.execute(
            terms.update().where(*self._within(scope), terms.c.id == id).values(asset_count=terms.c.asset_count + by)
        )
        if not counted.rowcount:
            raise NotFound(self.noun, id)


class TermAssetShelf(Repository[TermAsset]):
    """Links from terms to assets."""

    def __init__(self, connection: sa.Connection) -> None:
        super().__init__(connection, TermAsset, links, key="asset_id", noun="glossary_term_asset")

    def asset(self, scope: Scope, fqn: str) -> tuple[str, str] | None:
        """The id and type of an asset that stands in the catalog of the project."""
        query = sa.select(metadata_assets.c.id, metadata_assets.c.type).where(
            metadata_assets.c.organization_id == scope.organization_id,
            metadata_assets.c.project_id == scope.project_id,
            metadata_assets.c.fully_qualified_name == fqn,
            metadata_assets.c.deleted_at.is_(None),
        )
        row = self._connection.execute(query).first()
        return None if row is None else (row.id, row.type)

    def unlink(self, scope: Scope, term_id: str, asset_fqn: str) -> bool:
        """Remove a link; whether there was one."""
        gone = self._connection.execute(
            links.delete().where(*self._within(scope), links.c.term_id == term_id, links.c.asset_fqn == asset_fqn)
        )
        return bool(gone.rowcount)


def linked_to(asset_fqn: str) -> sa.ColumnElement[bool]:
    """The condition of terms that are linked to an asset."""
    return terms.c.id.in_(
        sa.select(links.c.term_id).where(
            links.c.asset_fqn == asset_fqn,
            links.c.organization_id == terms.c.organization_id,
            links.c.project_id == terms.c.project_id,
        )
    )


def words_of(values: Iterable[Any]) -> str:
    """The text that a search in the glossary looks through, folded."""
    return "\n".join(str(value).casefold() for value in values if value)
