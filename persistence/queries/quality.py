"""Definitions of quality, of which some are built in and have no rows, and what they hang on: parts of names."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any, Final, TypeVar

import sqlalchemy as sa
from sqlalchemy.dialects import postgresql, sqlite

from persistence.repository import Repository, Scope
from persistence.tables import quality
from schema.base import Resource
from schema.data_readiness.quality import Dimension, DimensionReference, MetricDefinition
from schema.data_readiness.quality_builtin import DIMENSIONS, METRICS, VIOLATIONS
from schema.data_readiness.violation import ViolationDefinition
from schema.errors import NotFound
from schema.identifiers import Fqn

ResourceT = TypeVar("ResourceT", bound=Resource)
DefinitionT = TypeVar("DefinitionT", bound=Dimension | MetricDefinition | ViolationDefinition)

PARTS: Final = ("service", "database", "schema", "table", "column")
"""The columns that hold the parts of an asset's dotted name."""


TEXTS: Final = ("display_name", "unit", "purpose", "description")
"""What can be changed of a dimension and of a metric."""


def parts_of(asset_fqn: str) -> dict[str, str | None]:
    """The parts of an asset's dotted name by column. Raises ValueError when it is none, or names no asset."""
    parts = Fqn.parse(asset_fqn).parts
    if len(parts) > len(PARTS):
        raise ValueError(f"{asset_fqn!r} has more than {len(PARTS)} parts")
    return dict(zip(PARTS, (*parts, None, None, None, None), strict=False))


def below(table: sa.Table, parts: Sequence[str]) -> list[sa.ColumnElement[bool]]:
    """The condition of rows about an asset and all that is under it."""
    return [table.c[name] == part for name, part in zip(PARTS, parts, strict=False)]


class DefinitionRepository(Repository[DefinitionT]):
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
        """Return whether the id is that of a built-in definition."""
        return id in self._builtin

    def completed(self, values: dict[str, Any]) -> dict[str, Any]:
        """Return what has a row is the project's own."""
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
        """Return how many of the project's own stand."""
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


class DimensionRepository(DefinitionRepository[Dimension]):
    """Dimensions."""

    def __init__(self, connection: sa.Connection) -> None:
        super().__init__(connection, Dimension, quality.dimensions, DIMENSIONS, "dimension")

    def references(self, scope: Scope, ids: Iterable[str]) -> dict[str, DimensionReference]:
        """Dimensions as others name them, deleted ones too."""
        return {id: dimension.reference() for id, dimension in self.of_ids(scope, ids).items()}

    def in_use(self, scope: Scope, id: str) -> bool:
        """Return whether a definition that stands belongs to the dimension."""
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


class MetricDefinitionRepository(DefinitionRepository[MetricDefinition]):
    """Metrics."""

    def __init__(self, connection: sa.Connection) -> None:
        super().__init__(connection, MetricDefinition, quality.metric_definitions, METRICS, "metric_definition")


class WithDimension(Repository[ResourceT]):
    """A repository whose rows hold the id of a dimension where the resource shows a reference to it."""

    def __init__(self, *given: Any, **named: Any) -> None:
        super().__init__(*given, **named)
        self._columns.extend([self.table.c.dimension_id, self.table.c.organization_id, self.table.c.project_id])

    def resources(self, rows: Iterable[Sequence[Any]]) -> list[ResourceT]:
        """Make resources of rows; the dimensions of all come in one statement."""
        kept, first = list(rows), len(self._names) + 1
        repository = DimensionRepository(self._connection)
        references: dict[str, DimensionReference] = {}
        for scope in {Scope(row[first + 1], row[first + 2]) for row in kept}:
            references |= repository.references(scope, {row[first] for row in kept})
        made = []
        for row in kept:
            values = self.completed(dict(zip(self._names, row, strict=False)))
            item = self._model.model_validate(values | {"dimension": references[row[first]]})
            item._revision = row[first - 1]
            made.append(item)
        return made


class ViolationDefinitionRepository(WithDimension[ViolationDefinition], DefinitionRepository[ViolationDefinition]):
    """Kinds of violation, each with its dimension."""

    def __init__(self, connection: sa.Connection) -> None:
        super().__init__(
            connection, ViolationDefinition, quality.violation_definitions, VIOLATIONS, "violation_definition"
        )


def insert_new(connection: sa.Connection, table: sa.Table, rows: Sequence[Mapping[str, Any]]) -> None:
    """Insert rows, passing over those that stand already."""
    insert = postgresql.insert(table) if connection.dialect.name == "postgresql" else sqlite.insert(table)
    connection.execute(insert.on_conflict_do_nothing(), list(rows))
