"""Glossary terms, their place in the hierarchy, who still uses them, and their links to assets."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

import sqlalchemy as sa

from persistence.queries.catalog_rows import chunks
from persistence.queries.events import Happening, tell
from persistence.queries.sorting import order_of
from persistence.repository import Expected, Repository, Scope
from persistence.tables.catalog import metadata_assets
from persistence.tables.data_readiness import proposals, workflow_configurations, workflow_runs
from persistence.tables.glossary import glossary_term_assets as links
from persistence.tables.glossary import glossary_terms as terms
from persistence.tables.knowledge import memories
from schema.data_readiness.glossary import GlossaryTerm, TermAsset, TermStatus
from schema.data_readiness.proposal import ProposalKind
from schema.data_readiness.workflow_run import RunStatus
from schema.errors import NotFound
from schema.pagination import Page
from schema.utils.event import EventType
from schema.utils.memory import MemoryStatus

DEEPEST: Final = 20
"""How many terms may stand above one another."""

SORTABLE: Final = {name: name for name in ("name", "status", "created_at", "updated_at", "asset_count")}
"""What a list can be sorted by, with the columns."""

MOST_PACKS: Final = 100
"""How many context packs with a term are looked for in workflows."""


class GlossaryTermRepository(Repository[GlossaryTerm]):
    """Terms of a project."""

    def __init__(self, connection: sa.Connection) -> None:
        super().__init__(connection, GlossaryTerm, terms, noun="glossary_term")

    def listed(
        self,
        scope: Scope,
        *,
        sort: str,
        offset: int,
        limit: int,
        search: str | None = None,
        asset_fqn: str | None = None,
        **equals: Any,
    ) -> Page[GlossaryTerm]:
        """One window of the terms in the order that was asked for: those with a text, and linked to an asset."""
        where: list[sa.ColumnElement[bool]] = []
        if search:
            where.append(terms.c.search_words.contains(search.casefold(), autoescape=True))
        if asset_fqn is not None:
            where.append(_linked_to(asset_fqn))
        order = order_of(terms, sort, SORTABLE)
        return self.page(scope, offset=offset, limit=limit, order=order, where=where, **equals)

    def hold(self, scope: Scope, id: str) -> bool:
        """Keep a term from being deleted until this transaction ends; whether it is there."""
        query = sa.select(terms.c.id).where(*self._within(scope), terms.c.id == id).with_for_update()
        return self._connection.execute(query).first() is not None

    def next_version(self, scope: Scope, id: str, values: Mapping[str, Any], *, expected: Expected) -> GlossaryTerm:
        """Change a term, as its next version. Raises as `change` does."""
        changed = self.change(scope, id, {**values, "version": terms.c.version + 1}, expected=expected)
        if values.get("status") is TermStatus.APPROVED and not changed._as_it_stood:
            said = {"term_id": changed.id, "name": changed.name, "version": changed.version}
            tell(self._connection, scope, changed.updated_at, [Happening(EventType.TERM_APPROVED, data=said)])
        return changed

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
        """Return how many levels of terms there are, this one's included."""
        level, height = [id], 0
        while level and height <= DEEPEST:
            height += 1
            query = sa.select(terms.c.id).where(*self._within(scope), terms.c.parent_term_id.in_(level))
            level = list(self._connection.execute(query).scalars())
        return height

    def user_of(self, scope: Scope, id: str) -> dict[str, str] | None:
        """The workflow that uses a term: a run that is not over, or a configuration.

        It does when it names the term's id or a context pack with an active memory that names it, and a run also when
        it has proposed to link the term.
        """
        names = [id, *self._packs_with(scope, id)]
        tenant = [
            workflow_runs.c.organization_id == scope.organization_id,
            workflow_runs.c.project_id == scope.project_id,
            workflow_runs.c.status.in_((RunStatus.PENDING, RunStatus.RUNNING)),
        ]
        linking = sa.exists().where(
            proposals.c.run_id == workflow_runs.c.id,
            proposals.c.kind == ProposalKind.GLOSSARY_LINK,
            sa.cast(proposals.c.proposed_value, sa.Text).contains(id, autoescape=True),
        )
        runs = (
            sa.select(workflow_runs.c.configuration_id, workflow_runs.c.id)
            .join(workflow_configurations, workflow_configurations.c.id == workflow_runs.c.configuration_id)
            .where(
                *tenant,
                sa.or_(_names(workflow_runs.c.input, names), _names(workflow_configurations.c.config, names), linking),
            )
        )
        if run := self._connection.execute(runs.order_by(workflow_runs.c.id).limit(1)).first():
            return {"workflow_id": run.configuration_id, "workflow_run_id": run.id}
        configurations = sa.select(workflow_configurations.c.id).where(
            workflow_configurations.c.organization_id == scope.organization_id,
            workflow_configurations.c.project_id == scope.project_id,
            workflow_configurations.c.deleted_at.is_(None),
            _names(workflow_configurations.c.config, names),
        )
        configuration = self._connection.execute(
            configurations.order_by(workflow_configurations.c.id).limit(1)
        ).scalar_one_or_none()
        return None if configuration is None else {"workflow_id": configuration}

    def _packs_with(self, scope: Scope, id: str) -> list[str]:
        """The context packs with an active memory that names a term."""
        query = (
            sa.select(memories.c.context_pack_id)
            .where(
                memories.c.organization_id == scope.organization_id,
                memories.c.project_id == scope.project_id,
                memories.c.status == MemoryStatus.ACTIVE,
                sa.or_(_names(memories.c.content, [id]), _names(memories.c.meta_data, [id])),
            )
            .distinct()
            .limit(MOST_PACKS)
        )
        return list(self._connection.execute(query).scalars())

    def drop(self, scope: Scope, id: str, *, expected: Expected) -> None:
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


class TermAssetRepository(Repository[TermAsset]):
    """Links from terms to assets."""

    def __init__(self, connection: sa.Connection) -> None:
        order = [links.c.asset_fqn]
        super().__init__(connection, TermAsset, links, key="asset_id", noun="glossary_term_asset", order=order)

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

    def linked_among(self, scope: Scope, asset_ids: Sequence[str]) -> set[str]:
        """Those of some assets that a term is linked to, by id."""
        found: set[str] = set()
        for some in chunks(sorted(asset_ids)):
            query = sa.select(links.c.asset_id).where(*self._within(scope), links.c.asset_id.in_(some))
            found.update(self._connection.execute(query).scalars())
        return found

    def unlink(self, scope: Scope, term_id: str, asset_fqn: str) -> bool:
        """Remove a link; whether there was one."""
        gone = self._connection.execute(
            links.delete().where(*self._within(scope), links.c.term_id == term_id, links.c.asset_fqn == asset_fqn)
        )
        return bool(gone.rowcount)


def _names(column: sa.ColumnElement[Any], names: Iterable[str]) -> sa.ColumnElement[bool]:
    """Return whether a JSON document names any of the ids."""
    return sa.or_(*(sa.cast(column, sa.Text).contains(name, autoescape=True) for name in names))


def _linked_to(asset_fqn: str) -> sa.ColumnElement[bool]:
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
