"""Classifications: one row per asset and tag, found again by runs, decided by people."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import NAMESPACE_URL, uuid5

import sqlalchemy as sa

from persistence.queries.catalog_rows import chunks
from persistence.queries.events import Happening, tell
from persistence.queries.metadata_search import subtree
from persistence.queries.quality import insert_new
from persistence.repository import Repository, Scope
from persistence.tables.catalog import metadata_assets
from persistence.tables.classification import classifications, recognitions
from schema.data_readiness.classification import Classification, ClassificationKind, ClassificationState
from schema.data_readiness.violation import Severity
from schema.identifiers import Fqn, join_fqn
from schema.pagination import Page
from schema.utils.event import EventType
from schema.utils.metadata_asset import LEVEL, AssetType

MOST_TOLD = 100
"""How many tags of a table's columns an event names."""


def classification_id(scope: Scope, asset_fqn: str, tag_fqn: str) -> str:
    """The id of a tag of an asset: the same in every run."""
    name = "\x1f".join(("classification", scope.organization_id, str(scope.project_id), asset_fqn, tag_fqn))
    return str(uuid5(NAMESPACE_URL, name))


@dataclass(frozen=True, slots=True)
class StandingTags:
    """The tags of an asset as the catalog has them now."""

    resource_uri: str
    tags: tuple[Mapping[str, Any], ...]
    written_by_people: bool
    """Whether a person, or an approved proposal, has ever set the tags."""

    @property
    def fqns(self) -> frozenset[str]:
        """Their dotted names."""
        return frozenset(str(tag["tag_fqn"]) for tag in self.tags)


@dataclass(frozen=True, slots=True)
class Looked:
    """Holds what a table was when it was looked at last."""

    recognizer_version: str
    data_fingerprint: str


def standing_assets(scope: Scope) -> sa.ColumnElement[bool]:
    """Of classifications, those whose asset the catalog holds."""
    asset = metadata_assets.c
    return sa.exists().where(
        asset.organization_id == scope.organization_id,
        asset.project_id == scope.project_id,
        asset.fully_qualified_name == classifications.c.asset_fqn,
        asset.deleted_at.is_(None),
    )


class ClassificationRepository(Repository[Classification]):
    """Tags that engines have found."""

    def __init__(self, connection: sa.Connection) -> None:
        super().__init__(connection, Classification, classifications, noun="classification")

    def listed(
        self,
        scope: Scope,
        *,
        offset: int,
        limit: int,
        at_or_under: str | None = None,
        min_confidence: float | None = None,
        **equals: Any,
    ) -> Page[Classification]:
        """One window of those whose asset the catalog holds, by asset, the surest first."""
        table = classifications.c
        where = [standing_assets(scope)]
        if at_or_under is not None:
            where.append(subtree(table.asset_fqn, at_or_under))
        if min_confidence is not None:
            where.append(table.confidence >= min_confidence)
        order = [table.asset_fqn, table.confidence.desc(), table.tag_fqn]
        return self.page(scope, offset=offset, limit=limit, order=order, where=where, **equals)

    def surest(self, scope: Scope, at_or_under: str, kind: ClassificationKind, most: int) -> list[Classification]:
        """The surest of a kind at or under a name that nobody has rejected and whose asset the catalog holds."""
        table = classifications.c
        where = [
            standing_assets(scope),
            subtree(table.asset_fqn, at_or_under),
            table.state != ClassificationState.REJECTED,
        ]
        order = [table.confidence.desc(), table.asset_fqn]
        return self.page(scope, offset=0, limit=most, order=order, where=where, kind=kind).items

    def of_assets(
        self, scope: Scope, fqns: Iterable[str], kind: ClassificationKind | None = None
    ) -> dict[str, list[Classification]]:
        """The classifications of assets by their FQN, the surest first."""
        found: dict[str, list[Classification]] = {}
        order = (classifications.c.confidence.desc(), classifications.c.tag_fqn)
        for some in chunks(sorted(set(fqns))):
            query = self.select(scope).where(classifications.c.asset_fqn.in_(some)).order_by(*order)
            if kind is not None:
                query = query.where(classifications.c.kind == kind)
            for one in self.resources(self._connection.execute(query).all()):
                found.setdefault(one.asset_fqn, []).append(one)
        return found

    def columns_of(self, scope: Scope, fqns: Iterable[str]) -> dict[str, list[str]]:
        """The live assets right below others, by the FQN of these; what has none is left out."""
        asset = metadata_assets.c
        found: dict[str, list[str]] = {}
        for some in chunks(sorted(set(fqns))):
            query = sa.select(asset.parent_fqn, asset.fully_qualified_name).where(
                asset.organization_id == scope.organization_id,
                asset.project_id == scope.project_id,
                asset.parent_fqn.in_(some),
                asset.deleted_at.is_(None),
            )
            for parent, fqn in self._connection.execute(query):
                found.setdefault(parent, []).append(fqn)
        return found

    def tags_of(self, scope: Scope, fqns: Iterable[str]) -> dict[str, StandingTags]:
        """The tags that stand on live assets, by FQN."""
        asset = metadata_assets.c
        found: dict[str, StandingTags] = {}
        for some in chunks(sorted(set(fqns))):
            query = sa.select(asset.fully_qualified_name, asset.resource_uri, asset.tags, asset.people_fields).where(
                asset.organization_id == scope.organization_id,
                asset.project_id == scope.project_id,
                asset.fully_qualified_name.in_(some),
                asset.deleted_at.is_(None),
            )
            for fqn, uri, tags, people in self._connection.execute(query):
                found[fqn] = StandingTags(uri, tuple(tags or ()), "tags" in (people or ()))
        return found

    def put(self, scope: Scope, made: Sequence[Classification]) -> None:
        """Write new ones; one that another transaction wrote just now stays."""
        tenant = {"organization_id": scope.organization_id, "project_id": scope.project_id, "revision": 1}
        rows = [{**one.model_dump(mode="python"), **tenant} for one in made]
        for some in chunks(rows):
            insert_new(self._connection, classifications, list(some))
        self._tell_personal_data(scope, [one for one in made if one.kind is ClassificationKind.PII])

    def _tell_personal_data(self, scope: Scope, made: Sequence[Classification]) -> None:
        """Tell of each table in whose columns personal data was found now."""
        found: dict[tuple[str, datetime], list[Classification]] = {}
        for one in made:
            parts = Fqn.parse(one.asset_fqn).parts
            if len(parts) > LEVEL[AssetType.TABLE]:
                found.setdefault((join_fqn(parts[: LEVEL[AssetType.TABLE]]), one.updated_at), []).append(one)
        for (table, at), tags in sorted(found.items()):
            columns = [
                {"asset_fqn": one.asset_fqn, "tag_fqn": one.tag_fqn, "confidence": one.confidence}
                for one in tags[:MOST_TOLD]
            ]
            said = {"columns": columns, "total": len(tags)}
            happening = Happening(EventType.PERSONAL_DATA_FOUND, table, Severity.MEDIUM, said)
            tell(self._connection, scope, at, [happening])

    def see_again(self, scope: Scope, id: str, values: Mapping[str, Any]) -> None:
        """Renew what an engine says about one; its state, and who decided, stay."""
        self._connection.execute(
            classifications.update()
            .where(*self._within(scope), classifications.c.id == id)
            .values(**values, revision=classifications.c.revision + 1)
        )

    def decide(
        self,
        scope: Scope,
        ids: Sequence[str],
        state: ClassificationState,
        *,
        by: str | None,
        at: datetime | None,
        now: datetime,
    ) -> None:
        """Move some to a state."""
        for some in chunks(sorted(set(ids))):
            self._connection.execute(
                classifications.update()
                .where(*self._within(scope), classifications.c.id.in_(some))
                .values(
                    state=state.value,
                    decided_by=by,
                    decided_at=at,
                    updated_at=now,
                    revision=classifications.c.revision + 1,
                )
            )

    def withdraw(self, scope: Scope, ids: Sequence[str]) -> None:
        """Take back suggestions that no longer hold. What people decided stays."""
        for some in chunks(sorted(set(ids))):
            self._connection.execute(
                classifications.delete().where(
                    *self._within(scope),
                    classifications.c.id.in_(some),
                    classifications.c.state == ClassificationState.SUGGESTED,
                )
            )

    def looked(self, scope: Scope, asset_fqn: str, kind: ClassificationKind) -> Looked | None:
        """Return how a table was when it was looked at last for a kind; None when it never was."""
        query = sa.select(recognitions.c.recognizer_version, recognitions.c.data_fingerprint).where(
            recognitions.c.id == classification_id(scope, asset_fqn, kind)
        )
        row = self._connection.execute(query).first()
        return None if row is None else Looked(*row)

    def remember(
        self, scope: Scope, asset_fqn: str, kind: ClassificationKind, looked: Looked, *, run_id: str, at: datetime
    ) -> None:
        """Keep how a table was when it was looked at."""
        id = classification_id(scope, asset_fqn, kind)
        values = {
            "recognizer_version": looked.recognizer_version,
            "data_fingerprint": looked.data_fingerprint,
            "workflow_run_id": run_id,
            "looked_at": at,
        }
        changed = self._connection.execute(recognitions.update().where(recognitions.c.id == id).values(**values))
        if not changed.rowcount:
            tenant = {"organization_id": scope.organization_id, "project_id": scope.project_id}
            told = {"id": id, "asset_fqn": asset_fqn, "kind": kind.value, **tenant, **values}
            insert_new(self._connection, recognitions, [told])
