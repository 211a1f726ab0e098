"""Definitions, of which some are built in and have no rows, and the results of metrics."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, Final, TypeVar
from uuid import NAMESPACE_URL, uuid5

import sqlalchemy as sa
from sqlalchemy.dialects import postgresql, sqlite

from persistence.queries.catalog_rows import chunks
from persistence.queries.latest_results import latest_ids
from persistence.queries.metadata_search import in_scope, prefix_range
from persistence.queries.totals import (
    ALL_RUNS,
    WHOLE_PROJECT,
    WITHDRAWN,
    Sums,
    add_up,
    first_moment,
    is_withdrawn,
    lock_totals,
    sums_at,
)
from persistence.repository import Repository, Scope
from persistence.tables import quality
from persistence.tables.catalog import metadata_assets
from schema.base import Resource
from schema.data_readiness.quality import Dimension, DimensionReference, MetricDefinition, MetricResult
from schema.data_readiness.quality_builtin import DIMENSIONS, METRICS, VIOLATIONS
from schema.data_readiness.scorecard import ScoredPart
from schema.data_readiness.violation import ViolationDefinition
from schema.errors import NotFound
from schema.identifiers import Fqn, join_fqn

ResourceT = TypeVar("ResourceT", bound=Resource)
DefinitionT = TypeVar("DefinitionT", bound=Dimension | MetricDefinition | ViolationDefinition)

PARTS: Final = ("service", "database", "schema", "table", "column")
"""The columns that hold the parts of an asset's dotted name."""


TEXTS: Final = ("display_name", "unit", "purpose", "description")
"""What can be changed of a dimension and of a metric."""

LAST_MOMENT: Final = datetime(9999, 1, 1, tzinfo=UTC)
"""Later than anything that is measured."""


def parts_of(asset_fqn: str) -> dict[str, str | None]:
    """The parts of an asset's dotted name by column. Raises ValueError when it is none, or names no asset."""
    parts = Fqn.parse(asset_fqn).parts
    if len(parts) > len(PARTS):
        raise ValueError(f"{asset_fqn!r} has more than {len(PARTS)} parts")
    return dict(zip(PARTS, (*parts, None, None, None, None), strict=False))


def below(table: sa.Table, parts: Sequence[str]) -> list[sa.ColumnElement[bool]]:
    """The condition of rows about an asset and all that is under it."""
    return [table.c[name] == part for name, part in zip(PARTS, parts, strict=False)]


class DefinitionShelf(Repository[DefinitionT]):
    """Definitions of one kind: those that are built in, and the project's own.

    A deleted one is kept for scorecards of the past; nothing else finds it.
    """

    def __init__(
        self,
        connection: sa.Connection,
        model: type[DefinitionT],
        table: sa.Table,
        builtin: Sequence[DefinitionT],
        noun: str,
    ) -> None:
        super().__init__(connection, model, table, noun=noun)
        self._builtin = {definition.id: definition for definition in builtin}

    def is_built_in(self, id: str) -> bool:
        """Whether the id is that of a built-in definition."""
        return id in self._builtin

    def completed(self, values: dict[str, Any]) -> dict[str, Any]:
        """What has a row is the project's own."""
        return values | {"is_built_in": False}

    def find(self, scope: Scope, id: str, **equals: Any) -> DefinitionT | None:
        """One definition that stands, or None."""
        if id in self._builtin:
            return self._builtin[id]
        query = self.select(scope).where(self.table.c.id == id, self.table.c.deleted_at.is_(None))
        found = self.resources(self._connection.execute(query).all())
        return found[0] if found else None

    def standing(self, scope: Scope, *, at: datetime | None = None) -> list[DefinitionT]:
        """All that stand, or stood at a moment: the built-in ones, then the project's own, the oldest first."""
        table = self.table
        query = self.select(scope).order_by(table.c.created_at, table.c.id)
        if at is None:
            query = query.where(table.c.deleted_at.is_(None))
        else:
            query = query.where(table.c.created_at <= at, sa.or_(table.c.deleted_at.is_(None), table.c.deleted_at > at))
        own = self.resources(self._connection.execute(query).all())
        return [*self._builtin.values(), *(own if at is None else self._as_told(scope, own, at))]

    def keep_past(self, scope: Scope, definition: DefinitionT, until: datetime) -> None:
        """Keep what a definition says before it is changed, for scorecards of the time until then."""
        texts = {name: getattr(definition, name) for name in TEXTS if name in type(definition).model_fields}
        tenant = {"organization_id": scope.organization_id, "project_id": scope.project_id}
        row = tenant | {"definition_id": definition.id, "until": until, "texts": texts}
        insert_new(self._connection, quality.definition_pasts, [row])

    def _as_told(self, scope: Scope, own: Sequence[DefinitionT], at: datetime) -> list[DefinitionT]:
        """Definitions of the project's own with the words that they had at a moment."""
        if not own:
            return []
        past = quality.definition_pasts.c
        query = (
            sa.select(past.definition_id, past.texts)
            .where(past.organization_id == scope.organization_id, past.project_id == scope.project_id, past.until > at)
            .order_by(past.until.desc())
        )
        then = {id: texts for id, texts in self._connection.execute(query)}  # the nearest one comes last
        told: list[Any] = [one.model_copy(update=then.get(one.id, {})) for one in own]
        return told

    def of_ids(self, scope: Scope, ids: Iterable[str]) -> dict[str, DefinitionT]:
        """Definitions by id, deleted ones too; one statement when any is not built in."""
        wanted = set(ids)
        found = {id: self._builtin[id] for id in wanted & self._builtin.keys()}
        if own := sorted(wanted - found.keys()):
            query = self.select(scope).where(self.table.c.id.in_(own))
            found |= {made.id: made for made in self.resources(self._connection.execute(query).all())}
        return found

    def built_in_named(self, fqn: str) -> str | None:
        """The id of the built-in definition that has a name; the rows' own are kept apart by the table."""
        return next((definition.id for definition in self._builtin.values() if definition.fqn == fqn), None)

    def count_own(self, scope: Scope) -> int:
        """How many of the project's own stand."""
        query = sa.select(sa.func.count()).select_from(self.table)
        number: int = self._connection.execute(
            query.where(*self._within(scope), self.table.c.deleted_at.is_(None))
        ).scalar_one()
        return number

    def retire(self, scope: Scope, id: str, at: datetime) -> None:
        """Delete a definition of the project's own. Raises NotFound."""
        gone = self._connection.execute(
            self.table.update()
            .where(*self._within(scope), self.table.c.id == id, self.table.c.deleted_at.is_(None))
            .values(deleted_at=at, taken_fqn=None, revision=self.table.c.revision + 1)
        )
        if not gone.rowcount:
            raise NotFound(self.noun, id)


class DimensionShelf(DefinitionShelf[Dimension]):
    """Dimensions."""

    def __init__(self, connection: sa.Connection) -> None:
        super().__init__(connection, Dimension, quality.dimensions, DIMENSIONS, "dimension")

    def references(self, scope: Scope, ids: Iterable[str]) -> dict[str, DimensionReference]:
        """Dimensions as others name them, deleted ones too."""
        return {id: dimension.reference() for id, dimension in self.of_ids(scope, ids).items()}

    def in_use(self, scope: Scope, id: str) -> bool:
        """Whether a definition that stands belongs to the dimension."""
        return any(
            self._connection.execute(
                sa.select(table.c.id)
                .where(
                    table.c.organization_id == scope.organization_id,
                    table.c.project_id == scope.project_id,
                    table.c.dimension_id == id,
                    table.c.deleted_at.is_(None),
                )
                .limit(1)
            ).first()
            for table in (quality.metric_definitions, quality.violation_definitions)
        )


class MetricDefinitionShelf(DefinitionShelf[MetricDefinition]):
    """Metrics."""

    def __init__(self, connection: sa.Connection) -> None:
        super().__init__(connection, MetricDefinition, quality.metric_definitions, METRICS, "metric_definition")


class WithDimension(Repository[ResourceT]):
    """A shelf whose rows hold the id of a dimension where the resource shows a reference to it."""

    def __init__(self, *given: Any, **named: Any) -> None:
        super().__init__(*given, **named)
        self._columns.extend([self.table.c.dimension_id, self.table.c.organization_id, self.table.c.project_id])

    def resources(self, rows: Iterable[Sequence[Any]]) -> list[ResourceT]:
        """Make resources of rows; the dimensions of all come in one statement."""
        kept, first = list(rows), len(self._names) + 1
        shelf = DimensionShelf(self._connection)
        references: dict[str, DimensionReference] = {}
        for scope in {Scope(row[first + 1], row[first + 2]) for row in kept}:
            references |= shelf.references(scope, {row[first] for row in kept})
        made = []
        for row in kept:
            values = self.completed(dict(zip(self._names, row, strict=False)))
            item = self._model.model_validate(values | {"dimension": references[row[first]]})
            item._revision = row[first - 1]
            made.append(item)
        return made


class ViolationDefinitionShelf(WithDimension[ViolationDefinition], DefinitionShelf[ViolationDefinition]):
    """Kinds of violation, each with its dimension."""

    def __init__(self, connection: sa.Connection) -> None:
        super().__init__(
            connection, ViolationDefinition, quality.violation_definitions, VIOLATIONS, "violation_definition"
        )


@dataclass(frozen=True, slots=True)
class Measured:
    """What a run has measured: one metric on one asset."""

    metric_definition_id: str
    asset_fqn: str
    numerator: int
    denominator: int
    details: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if not 0 <= self.numerator <= self.denominator < 2**53:
            raise ValueError("a result counts from 0 to the denominator, which has 53 bits at most")


class MetricResultShelf(Repository[MetricResult]):
    """Results of metrics: written by runs, never changed."""

    def __init__(self, connection: sa.Connection) -> None:
        super().__init__(connection, MetricResult, quality.metric_results, noun="metric_result")

    def record(self, scope: Scope, run_id: str, results: Iterable[Measured], *, at: datetime) -> int:
        """Write what a run has measured; how many were new. A run measures a metric of an asset once: the first stays.

        `at` is the moment of writing, not one of the past: what a scorecard said of a time must stay what it was.
        Raises ValueError for a metric that the project does not have.
        """
        kept = list(results)
        if scope.project_id is None:
            raise ValueError("results belong to a project")
        metrics = MetricDefinitionShelf(self._connection).of_ids(scope, {one.metric_definition_id for one in kept})
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

    def before_last_run(
        self, scope: Scope, parts: Sequence[str], *, at: datetime | None, run_id: str | None
    ) -> tuple[str, datetime, dict[str, Sums]] | None:
        """The last run that measured under a dotted name until a moment, when it began, and the sums before it.

        For one run the sums are those of the run before it. None when nothing was measured.
        """
        run = run_id or _last_run(self.latest(scope, parts, at=at or LAST_MOMENT, run_id=None))
        first = None if run is None else self.first_of_run(scope, parts, run)
        if run is None or first is None:
            return None
        before = self.latest(scope, parts, at=first, run_id=None, before=True)
        if run_id is not None and (other := _last_run(before)) is not None:
            before = self.latest(scope, parts, at=first, run_id=other, before=True)
        return run, first, before

    def of_parts(self, scope: Scope, parts: Sequence[ScoredPart], most: int) -> dict[ScoredPart, list[MetricResult]]:
        """What figures of scorecards were added up from: the latest result of each asset, the worst first."""
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

    def first_of_run(self, scope: Scope, parts: Sequence[str], run_id: str) -> datetime | None:
        """When a run first measured anything at or under a dotted name."""
        return first_moment(self._connection, scope, join_fqn(parts), self._metrics(scope), run_id)

    def end_of_run(self, scope: Scope, run_id: str) -> datetime | None:
        """When the last result of a run was written."""
        last = sums_at(self._connection, scope, WHOLE_PROJECT, self._metrics(scope), at=LAST_MOMENT, run_id=run_id)
        return max((sums.at for sums in last.values() if sums.at is not None), default=None)

    def _metrics(self, scope: Scope) -> list[str]:
        """The ids of all metrics that the project has or had."""
        own = quality.metric_definitions
        query = sa.select(own.c.id).where(
            own.c.organization_id == scope.organization_id, own.c.project_id == scope.project_id
        )
        return [*(metric.id for metric in METRICS), *self._connection.execute(query).scalars()]


def _last_run(sums: Mapping[str, Sums]) -> str | None:
    """The run whose results are the latest."""
    moved = [(one.at, one.by_run_id) for one in sums.values() if one.at is not None and one.by_run_id is not None]
    return max(moved, default=(None, None))[1]


def insert_new(connection: sa.Connection, table: sa.Table, rows: Sequence[Mapping[str, Any]]) -> None:
    """Insert rows, passing over those that stand already."""
    insert = postgresql.insert(table) if connection.dialect.name == "postgresql" else sqlite.insert(table)
    connection.execute(insert.on_conflict_do_nothing(), list(rows))
