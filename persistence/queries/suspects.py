"""Cells that assessments hold for wrong, and what people said of them: kept, found, decided."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final
from uuid import uuid4

import sqlalchemy as sa

from persistence.locks import lock_in
from persistence.queries.catalog_rows import chunks
from persistence.queries.filters import at_or_under, is_like
from persistence.queries.quality import below, insert_new, parts_of
from persistence.queries.sorting import order_of
from persistence.repository import Repository, Scope
from persistence.tables.catalog import metadata_assets
from persistence.tables.suspects import suspect_cells as cells
from persistence.tables.suspects import suspect_verdicts as verdicts
from schema.data_readiness.suspect import (
    MASKED,
    CellMarks,
    GivenVerdict,
    SuspectCell,
    SuspectCellFilter,
    SuspectCellGroup,
    SuspectKind,
    SuspectVerdict,
)
from schema.pagination import Page

SORTABLE: Final[Mapping[str, str | sa.ColumnElement[Any]]] = {
    "probability": "probability",
    "detected_probability": "detected_probability",
    "asset_fqn": "asset_fqn",
    "kind": "kind",
    "verdict": "verdict",
    "measured_at": "measured_at",
    "decided_at": "decided_at",
    "masked": sa.case((cells.c.value == MASKED, 1), else_=0),
}
"""What a list can be sorted by, with the columns. Whether a cell is masked is told as it was when it was found."""

MOST_IDS: Final = 200
"""Cells of a group whose ids are told."""
MOST_SAMPLED: Final = 3

MOST_HEARD: Final = 50_000
"""How many verdicts on one table are heard, the newest of them."""


@dataclass(frozen=True, slots=True)
class MarkedCell:
    """A suspect cell, and by what verdicts find it."""

    cell: SuspectCell
    marks: CellMarks


@dataclass(frozen=True, slots=True)
class Standing:
    """What stands of a kept cell after verdicts were heard."""

    id: str
    verdict: SuspectVerdict
    probability: float
    decided_by: str | None
    decided_at: datetime | None


def lock_suspects(connection: sa.Connection, scope: Scope, tables: Collection[str]) -> None:
    """Let one writer at a time change what is kept of the suspects of some tables, until the transaction ends.

    So no run misses a verdict that is given while it writes. SQLite has one writer anyway.
    """
    for table in sorted(tables):
        lock_in(connection, scope, "suspects", table)


class SuspectRepository(Repository[SuspectCell]):
    """The suspect cells of a project: those of the latest assessment of each table."""

    def __init__(self, connection: sa.Connection) -> None:
        super().__init__(
            connection, SuspectCell, cells, noun="suspect_cell", order=[cells.c.probability.desc(), cells.c.asset_fqn]
        )

    def replace(self, scope: Scope, table_fqn: str, found: Sequence[MarkedCell]) -> None:
        """Keep these cells of a table, and no others."""
        self._connection.execute(cells.delete().where(*self._within(scope), cells.c.table_fqn == table_fqn))
        rows = [
            one.cell.model_dump(mode="python")
            | parts_of(one.cell.asset_fqn)
            | {
                "organization_id": scope.organization_id,
                "project_id": scope.project_id,
                "value_mark": one.marks.value,
                "form_mark": one.marks.form,
                "row_mark": one.marks.row,
            }
            for one in sorted(found, key=lambda one: one.cell.id)
        ]
        for some in chunks(rows):
            insert_new(self._connection, cells, some)

    def listed(
        self,
        scope: Scope,
        only: SuspectCellFilter,
        *,
        sort: str,
        offset: int,
        limit: int,
        asset_parts: Sequence[str] = (),
    ) -> Page[SuspectCell]:
        """One window of the suspects that match, in the order that was asked for."""
        where = [*_matching(scope, only), *below(cells, asset_parts)]
        order = order_of(cells, sort, SORTABLE, nulls_last=True)
        return self.page(scope, offset=offset, limit=limit, order=order, where=where)

    def groups(
        self,
        scope: Scope,
        only: SuspectCellFilter,
        *,
        hidden: Mapping[str, frozenset[str] | None],
        offset: int,
        limit: int,
        asset_parts: Sequence[str] = (),
    ) -> Page[SuspectCellGroup]:
        """One window of the suspects that match, in groups of what is alike, the largest first.

        `hidden` are the personal columns by table, None for all of them: their values part no groups.
        """
        masked = sa.or_(
            cells.c.table_fqn.in_([table for table, columns in hidden.items() if columns is None]),
            cells.c.asset_fqn.in_(sorted(column for columns in hidden.values() if columns for column in columns)),
        )
        shown = [sa.case((masked, None), else_=column) for column in (cells.c.reason, cells.c.value)]
        alike = (cells.c.asset_fqn, cells.c.kind, *shown)
        order = (cells.c.probability.desc(), cells.c.id)
        decided = sa.case((cells.c.verdict == SuspectVerdict.UNDECIDED, 0), else_=1)
        told = (
            sa.select(
                *self._columns,
                sa.func.row_number().over(partition_by=alike, order_by=order).label("place"),
                sa.func.first_value(cells.c.id).over(partition_by=alike, order_by=order).label("group_id"),
                sa.func.count().over(partition_by=alike).label("group_cells"),
                sa.func.sum(decided).over(partition_by=alike).label("group_decided"),
                sa.func.min(cells.c.probability).over(partition_by=alike).label("group_lowest"),
            )
            .where(*self._within(scope), *_matching(scope, only), *below(cells, asset_parts))
            .subquery()
        )
        heads = sa.select(told).where(told.c.place == 1)
        total = self._connection.execute(sa.select(sa.func.count()).select_from(heads.subquery())).scalar_one()
        largest = (told.c.group_cells.desc(), told.c.probability.desc(), told.c.asset_fqn, told.c.id)
        rows = self._connection.execute(heads.order_by(*largest).offset(offset).limit(limit)).all()
        held = sa.select(told).where(told.c.group_id.in_([row.id for row in rows]), told.c.place <= MOST_IDS)
        members: dict[str, list[Any]] = {}
        for row in self._connection.execute(held.order_by(told.c.group_id, told.c.place)):
            members.setdefault(row.group_id, []).append(row)
        items = [self._group(row, members[row.id]) for row in rows]
        return Page[Any].model_construct(items=items, total=total, offset=offset, limit=limit)

    def _group(self, row: Any, members: Sequence[Any]) -> SuspectCellGroup:
        sample = self.resources(members[:MOST_SAMPLED])
        first = sample[0]
        return SuspectCellGroup(
            **{name: getattr(first, name) for name in ("asset_fqn", "table_fqn", "column", "kind", "reason", "value")},
            cells=row.group_cells,
            undecided=row.group_cells - row.group_decided,
            lowest_probability=row.group_lowest,
            highest_probability=first.probability,
            sample=sample,
            ids=[one.id for one in members],
        )

    def tables(self, scope: Scope) -> list[str]:
        """The tables that have suspects."""
        return list(
            self._connection.execute(sa.select(cells.c.table_fqn).where(*self._within(scope)).distinct()).scalars()
        )

    def standing(self, scope: Scope, only: SuspectCellFilter) -> dict[SuspectVerdict, int]:
        """Return how many suspects match, by verdict."""
        query = (
            sa.select(cells.c.verdict, sa.func.count())
            .where(*self._within(scope), *_matching(scope, only))
            .group_by(cells.c.verdict)
        )
        return {SuspectVerdict(verdict): number for verdict, number in self._connection.execute(query)}

    def decidable(self, scope: Scope, only: SuspectCellFilter, unlike: SuspectVerdict, most: int) -> list[MarkedCell]:
        """Return the first matching suspects that have another verdict, the most probable first."""
        where = [*_matching(scope, only), cells.c.verdict != unlike]
        order = (cells.c.detected_probability.desc(), cells.c.id)
        return self._marked(self._with_marks(scope).where(*where).order_by(*order).limit(most))

    def of_columns(self, scope: Scope, columns: Collection[str]) -> list[MarkedCell]:
        """Return all suspects of some columns."""
        found: list[MarkedCell] = []
        for some in chunks(sorted(columns)):
            found += self._marked(self._with_marks(scope).where(cells.c.asset_fqn.in_(some)))
        return found

    def settle(self, scope: Scope, found: Sequence[Standing]) -> None:
        """Write down what stands of cells."""
        if not found:
            return
        change = (
            cells.update()
            .where(*self._within(scope), cells.c.id == sa.bindparam("of_id"))
            .values(
                {name: sa.bindparam(f"to_{name}") for name in ("verdict", "probability", "decided_by", "decided_at")}
            )
        )
        rows = [
            {
                "of_id": one.id,
                "to_verdict": one.verdict,
                "to_probability": one.probability,
                "to_decided_by": one.decided_by,
                "to_decided_at": one.decided_at,
            }
            for one in found
        ]
        for some in chunks(rows):
            self._connection.execute(change, some)

    def by_id(self, scope: Scope, ids: Sequence[str]) -> list[tuple[SuspectCell, str]]:
        """Return suspects of what the catalog still holds, each with its project."""
        wanted = (cells.c.id.in_(ids), still_cataloged(scope))
        rows = self._connection.execute(self.select(scope).where(*wanted).add_columns(cells.c.project_id)).all()
        return [(cell, row[-1]) for cell, row in zip(self.resources(rows), rows, strict=True)]

    def first_of_assets(
        self, scope: Scope, column: str, names: Sequence[str], most: int
    ) -> dict[str, list[SuspectCell]]:
        """Return the most probable suspects of tables (`table_fqn`) or columns (`asset_fqn`), by name."""
        grouped: dict[str, list[SuspectCell]] = {}
        for name, _, cell in self.first_of_each(scope, column, names, where=[still_cataloged(scope)], most=most):
            grouped.setdefault(name, []).append(cell)
        return grouped

    def _with_marks(self, scope: Scope) -> sa.Select[Any]:
        return self.select(scope).add_columns(cells.c.value_mark, cells.c.form_mark, cells.c.row_mark)

    def _marked(self, query: sa.Select[Any]) -> list[MarkedCell]:
        rows = self._connection.execute(query).all()
        return [
            MarkedCell(cell, CellMarks(row.value_mark, row.form_mark, row.row_mark))
            for cell, row in zip(self.resources(rows), rows, strict=True)
        ]


def still_cataloged(scope: Scope) -> sa.ColumnElement[bool]:
    """That the catalog still holds the column."""
    return sa.exists().where(
        metadata_assets.c.organization_id == scope.organization_id,
        metadata_assets.c.project_id == cells.c.project_id,
        metadata_assets.c.fully_qualified_name == cells.c.asset_fqn,
        metadata_assets.c.deleted_at.is_(None),
    )


def _matching(scope: Scope, only: SuspectCellFilter) -> list[sa.ColumnElement[bool]]:
    """The conditions of what a filter asks for, of what the catalog still holds."""
    where = [still_cataloged(scope)]
    given = (
        (cells.c.id, None if only.ids is None else [str(id) for id in only.ids]),
        (cells.c.kind, only.kinds),
        (cells.c.verdict, only.verdicts),
    )
    where += [column.in_(wanted) for column, wanted in given if wanted is not None]
    if only.under is not None:
        where += at_or_under(cells.c.asset_fqn, only.under)
    if only.assets_like is not None:
        where.append(is_like(cells.c.asset_fqn, only.assets_like))
    if only.probability_at_least is not None:
        where.append(cells.c.probability >= only.probability_at_least)
    return where


class SuspectVerdictRepository:
    """What people said of suspect cells of a project. It outlives the runs that found them."""

    def __init__(self, connection: sa.Connection) -> None:
        self._connection = connection

    def of_table(self, scope: Scope, table_fqn: str) -> list[GivenVerdict]:
        """Return what was said of a table's cells, the newest 50,000."""
        return self._given(scope, [verdicts.c.table_fqn == table_fqn], MOST_HEARD)

    def of_columns(self, scope: Scope, columns: Collection[str]) -> list[GivenVerdict]:
        """Return what was said of the cells of some columns."""
        found: list[GivenVerdict] = []
        for some in chunks(sorted(columns)):
            found += self._given(scope, [verdicts.c.asset_fqn.in_(some)], MOST_HEARD)
        return found

    def put(self, scope: Scope, of: Iterable[MarkedCell], verdict: SuspectVerdict, *, by: str, at: datetime) -> None:
        """Keep a verdict on each of some cells in the place of what was said of them; undecided takes it back.

        What was said of all cells like one of them goes too, for it does not hold of this one any more.
        """
        given = list(of)
        for some in chunks(given, 100):
            self._forget(scope, [one for one in some])
        if verdict is SuspectVerdict.UNDECIDED:
            return
        rows: list[Mapping[str, Any]] = [
            {
                "id": str(uuid4()),
                "organization_id": scope.organization_id,
                "project_id": scope.project_id,
                "table_fqn": one.cell.table_fqn,
                "asset_fqn": one.cell.asset_fqn,
                "kind": one.cell.kind,
                "verdict": verdict,
                "value_mark": one.marks.value,
                "form_mark": one.marks.form,
                "row_mark": one.marks.row,
                "decided_by": by,
                "decided_at": at,
            }
            for one in given
        ]
        for some_rows in chunks(rows):
            self._connection.execute(verdicts.insert(), list(some_rows))

    def _forget(self, scope: Scope, of: Sequence[MarkedCell]) -> None:
        conditions = []
        for one in of:
            alike = [verdicts.c.value_mark == one.marks.value]
            if one.marks.form is not None:
                alike.append(verdicts.c.form_mark == one.marks.form)
            cell = sa.and_(verdicts.c.value_mark == one.marks.value, verdicts.c.row_mark == one.marks.row)
            always = sa.and_(
                verdicts.c.verdict == SuspectVerdict.ALWAYS_FINE, verdicts.c.kind == one.cell.kind, sa.or_(*alike)
            )
            conditions.append(sa.and_(verdicts.c.asset_fqn == one.cell.asset_fqn, sa.or_(cell, always)))
        self._connection.execute(verdicts.delete().where(*_in(scope), sa.or_(*conditions)))

    def _given(self, scope: Scope, where: Sequence[sa.ColumnElement[bool]], most: int) -> list[GivenVerdict]:
        query = (
            sa.select(verdicts)
            .where(*_in(scope), *where)
            .order_by(verdicts.c.decided_at.desc(), verdicts.c.id)
            .limit(most)
        )
        return [
            GivenVerdict(
                asset_fqn=row.asset_fqn,
                kind=SuspectKind(row.kind),
                marks=CellMarks(row.value_mark, row.form_mark, row.row_mark),
                verdict=SuspectVerdict(row.verdict),
                decided_by=row.decided_by,
                decided_at=row.decided_at,
            )
            for row in self._connection.execute(query)
        ]


def _in(scope: Scope) -> list[sa.ColumnElement[bool]]:
    return [verdicts.c.organization_id == scope.organization_id, verdicts.c.project_id == scope.project_id]
