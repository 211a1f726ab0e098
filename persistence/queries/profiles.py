"""Profiles: written once per run and table, read with the columns of exactly those that are asked for."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any, Final
from uuid import NAMESPACE_URL, uuid5

import sqlalchemy as sa

from persistence.queries.catalog_rows import chunks
from persistence.queries.quality import insert_new
from persistence.repository import Repository, Scope
from persistence.tables.catalog import metadata_assets
from persistence.tables.classification import classifications
from persistence.tables.profiles import column_profiles, table_profiles
from schema.data_readiness.classification import (
    CATEGORIES,
    OPEN_ALONE,
    TELL_OF_NO_PERSON,
    ClassificationKind,
    ClassificationState,
)
from schema.data_readiness.profile import ColumnProfile, ForeignKeyCandidate, ProfileEntry, TableProfile
from schema.identifiers import Fqn
from schema.pagination import Page
from schema.utils.metadata_asset import AssetType

PII: Final = CATEGORIES[ClassificationKind.PII]
"""The category whose tags mark personal data, as the flag of an asset does."""

_OF_TABLE: Final = tuple(name for name in TableProfile.model_fields if name in table_profiles.c)


def profile_id(scope: Scope, run_id: str, asset_fqn: str) -> str:
    """The id of what a run measures of a table: the same, however often it is measured in the run."""
    return str(uuid5(NAMESPACE_URL, f"profile/{scope.organization_id}/{scope.project_id}/{run_id}/{asset_fqn}"))


class ProfileRepository(Repository[ProfileEntry]):
    """Describes what runs have measured of tables, with their columns."""

    def __init__(self, connection: sa.Connection) -> None:
        order = [table_profiles.c.measured_at.desc(), table_profiles.c.asset_fqn]
        super().__init__(connection, ProfileEntry, table_profiles, noun="table_profile", order=order)

    def listed(self, scope: Scope, *, offset: int, limit: int, **equals: Any) -> Page[ProfileEntry]:
        """One window of the profiles whose table the catalog still holds, the newest first."""
        return self.page(scope, offset=offset, limit=limit, where=[_standing_tables(scope)], **equals)

    def record(self, scope: Scope, profiles: Iterable[TableProfile]) -> int:
        """Write profiles; how many were new. A run measures a table once: the first stays.

        The catalog takes the number of rows over, as a figure that makes no version.
        """
        written = 0
        for profile in profiles:
            if self.find(Scope(scope.organization_id, scope.project_id), profile.id) is not None:
                continue
            values = profile.model_dump(mode="json", include=set(_OF_TABLE)) | {"measured_at": profile.measured_at}
            tenant = {"organization_id": scope.organization_id, "project_id": scope.project_id}
            self._connection.execute(table_profiles.insert().values(**tenant, **values))
            columns = [
                {
                    "profile_id": profile.id,
                    "position": position,
                    "column_fqn": column.column_fqn,
                    "figures": column.model_dump(mode="json"),
                }
                for position, column in enumerate(profile.columns)
            ]
            for some in chunks(columns):
                insert_new(self._connection, column_profiles, some)
            self._count_rows(scope, profile)
            written += 1
        return written

    def _count_rows(self, scope: Scope, profile: TableProfile) -> None:
        asset = metadata_assets.c
        self._connection.execute(
            metadata_assets.update()
            .where(
                asset.organization_id == scope.organization_id,
                asset.project_id == scope.project_id,
                asset.fully_qualified_name == profile.asset_fqn,
                asset.type == AssetType.TABLE,
                asset.deleted_at.is_(None),
                asset.row_count.is_distinct_from(profile.row_count),
            )
            .values(row_count=profile.row_count, revision=asset.revision + 1)
        )

    def set_foreign_keys(self, scope: Scope, id: str, found: Sequence[ForeignKeyCandidate]) -> None:
        """Say which foreign keys a profiled table has; they are known when the other tables are."""
        self._connection.execute(
            table_profiles.update()
            .where(*self._within(scope), table_profiles.c.id == id)
            .values(foreign_keys=[one.model_dump(mode="json") for one in found])
        )

    def latest(
        self, scope: Scope, fqns: Sequence[str], *, at: datetime | None = None, run_id: str | None = None
    ) -> dict[str, TableProfile]:
        """The latest profile of each table that has one, by FQN: of all, at a moment, or of one run. Not masked."""
        found: dict[str, TableProfile] = {}
        for some in chunks(sorted(set(fqns))):
            for row in self._latest_rows(scope, some, at, run_id):
                found[row["asset_fqn"]] = TableProfile.model_validate({**row, "columns": []})
        columns = self._columns_of({profile.id for profile in found.values()})
        return {
            fqn: profile.model_copy(update={"columns": columns.get(profile.id, [])}) for fqn, profile in found.items()
        }

    def keys_of(self, scope: Scope, fqns: Sequence[str]) -> dict[str, TableProfile]:
        """The latest profile of each table that has one, with those columns only that are a key by themselves."""
        found: dict[str, TableProfile] = {}
        wanted: dict[str, str] = {}
        for some in chunks(sorted(set(fqns))):
            for row in self._latest_rows(scope, some, None, None):
                profile = TableProfile.model_validate({**row, "columns": []})
                found[profile.asset_fqn] = profile
                names = {key.columns[0] for key in profile.candidate_keys if len(key.columns) == 1}
                parts = Fqn.parse(profile.asset_fqn).parts
                wanted |= {str(Fqn.of(*parts, name)): profile.asset_fqn for name in names}
        columns = self._figures([profile.id for profile in found.values()], list(wanted))
        of: dict[str, list[ColumnProfile]] = {}
        for column in columns:
            of.setdefault(wanted[column.column_fqn], []).append(column)
        return {fqn: profile.model_copy(update={"columns": of.get(fqn, [])}) for fqn, profile in found.items()}

    def latest_columns(
        self,
        scope: Scope,
        table_of: Mapping[str, str],
        *,
        at: datetime | None = None,
        run_id: str | None = None,
    ) -> dict[str, ColumnProfile]:
        """The profiles of columns out of the latest of their tables, by FQN, from column → table. Not masked."""
        latest: dict[str, str] = {}
        for some in chunks(sorted(set(table_of.values()))):
            latest |= {row["asset_fqn"]: row["id"] for row in self._latest_rows(scope, some, at, run_id)}
        wanted = [name for name, table in table_of.items() if table in latest]
        return {column.column_fqn: column for column in self._figures(list(latest.values()), wanted)}

    def _figures(self, ids: Sequence[str], fqns: Sequence[str]) -> list[ColumnProfile]:
        """The columns of some profiles that have one of these names."""
        found: list[ColumnProfile] = []
        for some in chunks(sorted(set(fqns))):
            for profiles in chunks(sorted(set(ids))):
                query = sa.select(column_profiles.c.figures).where(
                    column_profiles.c.profile_id.in_(profiles), column_profiles.c.column_fqn.in_(some)
                )
                found += [ColumnProfile.model_validate(figures) for (figures,) in self._connection.execute(query)]
        return found

    def personal(self, scope: Scope, tables: Sequence[str]) -> dict[str, frozenset[str] | None]:
        """Return which columns of live tables hold personal data, as the catalog says now: FQNs by table, None for all.

        So do those that recognition suggests and nobody has decided about yet: no value is shown before. But what is
        suggested to be a place alone (`OPEN_ALONE`) is shown in a table in which nothing tells of a person.

        A table that is tagged itself, while none of its columns is, is personal as a whole. A table that the catalog
        does not hold any more is left out.
        """
        asset = metadata_assets.c
        live = [
            asset.organization_id == scope.organization_id,
            asset.project_id == scope.project_id,
            asset.deleted_at.is_(None),
        ]
        columns = (asset.fully_qualified_name, asset.parent_fqn, asset.is_pii_tagged, asset.tags)
        tagged: dict[str, bool] = {}
        personal: dict[str, set[str]] = {}
        persons: set[str] = set()
        suggested: dict[str, dict[str, set[str]]] = {}
        for some in chunks(sorted(set(tables))):
            of_tables = sa.select(*columns).where(
                *live, asset.type == AssetType.TABLE, asset.fully_qualified_name.in_(some)
            )
            for fqn, _, flag, tags in self._connection.execute(of_tables):
                tagged[fqn] = _is_personal(flag, tags)
            of_columns = sa.select(*columns).where(*live, asset.type == AssetType.COLUMN, asset.parent_fqn.in_(some))
            marked = sa.or_(asset.is_pii_tagged, asset.tags.is_not(None))
            for fqn, parent, flag, tags in self._connection.execute(of_columns.where(marked)):
                if _is_personal(flag, tags):
                    personal.setdefault(parent, set()).add(fqn)
                    if not _tags_of(tags) or _tags_of(tags) - TELL_OF_NO_PERSON:
                        persons.add(parent)
            for fqn, parent, tag in self._connection.execute(
                _suggested(scope).where(*live, asset.parent_fqn.in_(some))
            ):
                suggested.setdefault(parent, {}).setdefault(fqn, set()).add(tag)
        for parent, found in suggested.items():
            if parent not in persons and not set().union(*found.values()) - TELL_OF_NO_PERSON:
                found = {fqn: tags for fqn, tags in found.items() if tags - OPEN_ALONE}
            suggested[parent] = found
        return {
            table: None
            if is_tagged and table not in personal
            else frozenset(personal.get(table, set()) | set(suggested.get(table, ())))
            for table, is_tagged in tagged.items()
        }

    def _latest_rows(
        self, scope: Scope, fqns: Sequence[str], at: datetime | None, run_id: str | None
    ) -> Sequence[sa.RowMapping]:
        table = table_profiles
        where = [*self._within(scope), table.c.asset_fqn.in_(fqns)]
        if at is not None:
            where.append(table.c.measured_at <= at)
        if run_id is not None:
            where.append(table.c.workflow_run_id == run_id)
        rank = sa.func.row_number().over(
            partition_by=table.c.asset_fqn, order_by=[table.c.measured_at.desc(), table.c.id]
        )
        ranked = sa.select(*(table.c[name] for name in _OF_TABLE), rank.label("rank")).where(*where).subquery()
        query = sa.select(*(ranked.c[name] for name in _OF_TABLE)).where(ranked.c.rank == 1)
        return self._connection.execute(query).mappings().all()

    def _columns_of(self, ids: Iterable[str]) -> dict[str, list[ColumnProfile]]:
        found: dict[str, list[ColumnProfile]] = {}
        for some in chunks(sorted(ids)):
            query = (
                sa.select(column_profiles.c.profile_id, column_profiles.c.figures)
                .where(column_profiles.c.profile_id.in_(some))
                .order_by(column_profiles.c.profile_id, column_profiles.c.position)
            )
            for id, figures in self._connection.execute(query):
                found.setdefault(id, []).append(ColumnProfile.model_validate(figures))
        return found


def _is_personal(flag: bool, tags: Sequence[Mapping[str, Any]] | None) -> bool:
    return flag or bool(_tags_of(tags))


def _tags_of(tags: Sequence[Mapping[str, Any]] | None) -> set[str]:
    """The tags for personal data among those of an asset."""
    named = ((tag.get("category_name"), str(tag.get("tag_fqn", ""))) for tag in tags or ())
    return {fqn for category, fqn in named if category == PII or fqn.startswith(f"{PII}.")}


def _suggested(scope: Scope) -> sa.Select[Any]:
    """Columns with their table, and the tag for personal data that is suggested of them and that nobody has decided."""
    asset, found = metadata_assets.c, classifications.c
    return (
        sa.select(asset.fully_qualified_name, asset.parent_fqn, found.tag_fqn)
        .join(
            classifications,
            sa.and_(
                found.organization_id == asset.organization_id,
                found.project_id == asset.project_id,
                found.asset_fqn == asset.fully_qualified_name,
            ),
        )
        .where(
            asset.organization_id == scope.organization_id,
            asset.project_id == scope.project_id,
            asset.type == AssetType.COLUMN,
            found.kind == ClassificationKind.PII,
            found.state == ClassificationState.SUGGESTED,
        )
    )


def _standing_tables(scope: Scope) -> sa.ColumnElement[bool]:
    """The condition of profiles whose table the catalog still holds."""
    asset = metadata_assets.c
    return sa.exists().where(
        asset.organization_id == scope.organization_id,
        asset.project_id == scope.project_id,
        asset.fully_qualified_name == table_profiles.c.asset_fqn,
        asset.type == AssetType.TABLE,
        asset.deleted_at.is_(None),
    )
