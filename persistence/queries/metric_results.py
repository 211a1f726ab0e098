"""The results of metrics, and what is read off them."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, Final
from uuid import NAMESPACE_URL, uuid5

import sqlalchemy as sa

from persistence.queries.catalog_rows import chunks
from persistence.queries.latest_results import latest_ids
from persistence.queries.metadata_search import in_scope, prefix_range
from persistence.queries.quality import MetricDefinitionRepository, below, insert_new, parts_of
from persistence.queries.totals import (
    ALL_RUNS,
    WHOLE_PROJECT,
    WITHDRAWN,
    Sums,
    add_up,
    is_withdrawn,
    lock_totals,
    sums_at,
)
from persistence.repository import Repository, Scope
from persistence.tables import quality
from persistence.tables.catalog import metadata_assets
from schema.data_readiness.quality import MetricResult
from schema.data_readiness.quality_builtin import METRICS
from schema.data_readiness.scorecard import ScoredPart
from schema.identifiers import Fqn, join_fqn
from schema.pagination import Page

LAST_MOMENT: Final = datetime(9999, 1, 1, tzinfo=UTC)
"""Later than anything that is measured."""


@dataclass(frozen=True, slots=True)
class Measured:
    """Holds what a run has measured: one metric on one asset."""

    metric_definition_id: str
    asset_fqn: str
    numerator: int
    denominator: int
    details: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if not 0 <= self.numerator <= self.denominator < 2**53:
            raise ValueError("a result counts from 0 to the denominator, which has 53 bits at most")


class MetricResultRepository(Repository[MetricResult]):
    """Results of metrics: written by runs, never changed."""

    def __init__(self, connection: sa.Connection) -> None:
        order = [quality.metric_results.c.measured_at.desc()]
        super().__init__(connection, MetricResult, quality.metric_results, noun="metric_result", order=order)

    def listed(
        self,
        scope: Scope,
        *,
        offset: int,
        limit: int,
        asset_fqn: str | None = None,
        as_of: datetime | None = None,
        dimension_ids: Collection[str] | None = None,
        **equals: Any,
    ) -> Page[MetricResult]:
        """One window of the results, the newest first: of an asset and all under it, until a moment, of dimensions."""
        where: list[sa.ColumnElement[bool]] = []
        if asset_fqn is not None:
            where += below(self.table, Fqn.parse(asset_fqn).parts)
        if as_of is not None:
            where.append(self.table.c.measured_at <= as_of)
        if dimension_ids is not None:
            where.append(self.table.c.dimension_id.in_(dimension_ids))
        return self.page(scope, offset=offset, limit=limit, where=where, **equals)

    def moments(
        self,
        scope: Scope,
        parts: Sequence[str],
        as_of: datetime | None,
        most: int,
        *,
        metrics: Collection[str] | None = None,
    ) -> list[datetime]:
        """Return when the last runs that measured some metrics at or under a name had ended, the oldest first."""
        table = self.table.c
        where = [*self._within(scope), *below(self.table, parts)]
        if metrics is not None:
            where.append(table.metric_definition_id.in_(metrics))
        if as_of is not None:
            where.append(table.measured_at <= as_of)
        ended = sa.func.max(table.measured_at)
        query = sa.select(ended).where(*where).group_by(table.workflow_run_id).order_by(ended.desc()).limit(most)
        return sorted({moment for (moment,) in self._connection.execute(query)})

    def measured_since(self, scope: Scope, fqn: str, at: datetime, as_of: datetime | None) -> bool:
        """Return whether anything at or under a name was measured after a moment, and until another one if it is
        given.
        """
        table = self.table.c
        where = [*self._within(scope), *below(self.table, Fqn.parse(fqn).parts), table.measured_at > at]
        if as_of is not None:
            where.append(table.measured_at <= as_of)
        return self._connection.execute(sa.select(table.id).where(*where).limit(1)).first() is not None

    def record(self, scope: Scope, run_id: str, results: Iterable[Measured], *, at: datetime) -> int:
        """Write what a run has measured; how many were new. A run measures a metric of an asset once: the first stays.

        `at` is the moment of writing, not one of the past: what a scorecard said of a time must stay what it was.
        Raises ValueError for a metric that the project does not have.
        """
        kept = list(results)
        if scope.project_id is None:
            raise ValueError("results belong to a project")
        metrics = MetricDefinitionRepository(self._connection).of_ids(scope, {one.metric_definition_id for one in kept})
        rows: dict[str, dict[str, Any]] = {}
        for one in kept:
            if one.metric_definition_id not in metrics:
                raise ValueError(f"there is no metric {one.metric_definition_id!r} in the project")
            key = f"{scope.project_id}/{run_id}/{one.metric_definition_id}/{one.asset_fqn}"
            rows.setdefault(
                id := str(uuid5(NAMESPACE_URL, key)),
                {
                    "id": id,
                    "organization_id": scope.organization_id,
                    "project_id": scope.project_id,
                    "metric_definition_id": one.metric_definition_id,
                    "dimension_id": metrics[one.metric_definition_id].dimension_id,
                    "asset_fqn": one.asset_fqn,
                    **parts_of(one.asset_fqn),
                    "workflow_run_id": run_id,
                    "numerator": one.numerator,
                    "denominator": one.denominator,
                    "measured_at": at,
                    "details": dict(one.details),
                },
            )
        lock_totals(self._connection, scope)
        ids = sorted(rows)
        standing: set[str] = set()
        for some in chunks(ids):
            query = sa.select(self.table.c.id).where(self.table.c.id.in_(some))
            standing.update(self._connection.execute(query).scalars())
        fresh = [rows[id] for id in ids if id not in standing]
        add_up(self._connection, scope, run_id, fresh, at)
        for part in chunks(fresh):
            insert_new(self._connection, self.table, part)
        return len(fresh)

    def withdraw(self, scope: Scope, service: str, run_id: str, *, at: datetime) -> int:
        """Let what was measured of assets of a service that the catalog no longer has count no longer; how many.

        Each gets a result of no figures, which stands until the asset is back and measured again.
        """
        assets, results = metadata_assets.c, self.table.c
        newer = self.table.alias("newer").c
        overtaken = sa.exists().where(
            newer.project_id == results.project_id,
            newer.organization_id == results.organization_id,
            newer.metric_definition_id == results.metric_definition_id,
            newer.asset_fqn == results.asset_fqn,
            newer.measured_at > results.measured_at,
        )
        vanished = sa.select(assets.fully_qualified_name).where(
            *in_scope(scope),
            prefix_range(assets.fully_qualified_name, f"{service}."),
            assets.deleted_at.is_not(None),
        )
        query = sa.select(results.metric_definition_id, results.asset_fqn, results.details).where(
            *self._within(scope), results.asset_fqn.in_(vanished), ~overtaken
        )
        gone = [
            Measured(metric, asset, 0, 0, WITHDRAWN)
            for metric, asset, details in self._connection.execute(query)
            if not is_withdrawn(details)
        ]
        return self.record(scope, run_id, gone, at=at) if gone else 0

    def latest(
        self, scope: Scope, parts: Sequence[str], *, at: datetime, run_id: str | None, before: bool = False
    ) -> dict[str, Sums]:
        """The latest result of each metric and asset at a moment (or just before it), added up by metric.

        `parts` are those of the dotted name of a service, database, schema or table; none for the whole project. With a
        run it is what that run had measured.
        """
        return sums_at(
            self._connection,
            scope,
            join_fqn(parts),
            self._metrics(scope),
            at=at,
            run_id=run_id or ALL_RUNS,
            before=before,
        )

    def of_parts(self, scope: Scope, parts: Sequence[ScoredPart], most: int) -> dict[ScoredPart, list[MetricResult]]:
        """Return what figures of scorecards were added up from: the latest result of each asset, the worst first."""
        table, found = self.table, {}
        share = sa.cast(table.c.numerator, sa.Float) / sa.func.nullif(table.c.denominator, 0)
        order = (sa.func.coalesce(share, 2.0), (table.c.numerator - table.c.denominator), table.c.asset_fqn)
        for part in parts:
            inside = Scope(scope.organization_id, part.project_id)
            query = sa.select(*self._columns).where(*self._within(inside))
            if part.workflow_run_id is None:
                query = query.join(latest := latest_ids(inside, part), latest.c.id == table.c.id)
            else:  # a run has one result of a metric and an asset
                query = query.with_hint(table, "INDEXED BY ix_metric_results_run", "sqlite").where(
                    *below(table, part.asset_parts),
                    table.c.metric_definition_id == part.metric_definition_id,
                    table.c.workflow_run_id == part.workflow_run_id,
                )
                if part.as_of is not None:
                    query = query.where(table.c.measured_at <= part.as_of)
            listed = self.resources(self._connection.execute(query.order_by(*order).limit(most)).all())
            found[part] = [one for one in listed if not is_withdrawn(one.details)]  # they sort last
        return found

    def end_of_run(self, scope: Scope, run_id: str) -> datetime | None:
        """Return when the last result of a run was written."""
        last = sums_at(self._connection, scope, WHOLE_PROJECT, self._metrics(scope), at=LAST_MOMENT, run_id=run_id)
        return max((sums.at for sums in last.values() if sums.at is not None), default=None)

    def _metrics(self, scope: Scope) -> list[str]:
        """The ids of all metrics that the project has or had."""
        own = quality.metric_definitions
        query = sa.select(own.c.id).where(
            own.c.organization_id == scope.organization_id, own.c.project_id == scope.project_id
        )
        return [*(metric.id for metric in METRICS), *self._connection.execute(query).scalars()]
