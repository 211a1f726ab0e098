"""One typed repository per resource: rows in, resources out, always inside one tenant."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Generic, TypeVar

import sqlalchemy as sa

from schema.base import Resource
from schema.errors import NotFound, VersionConflict
from schema.pagination import Page

T = TypeVar("T", bound=Resource)


Expected = int | frozenset[int] | None
"""The revision that a write expects to find: this one, any of these, or whatever stands."""


def meets(revision: int | None, expected: Expected) -> bool:
    """Return whether a revision is what a write expects."""
    return expected is None or (revision in expected if isinstance(expected, frozenset) else revision == expected)


STAMPS: Final = frozenset({"updated_at", "updated_by"})
"""The columns that say when and by whom something else was changed; by themselves they change nothing."""


def same(standing: Any, said: Any) -> bool:
    """Return whether a value that is said is the one that stands. As in JSON, true is not 1, and 1.0 is 1."""
    if isinstance(standing, bool) or isinstance(said, bool):
        return standing is said
    if isinstance(standing, Mapping) and isinstance(said, Mapping):
        return standing.keys() == said.keys() and all(same(standing[name], said[name]) for name in standing)
    if isinstance(standing, list | tuple) and isinstance(said, list | tuple):
        return len(standing) == len(said) and all(map(same, standing, said))
    return bool(standing == said)


@dataclass(frozen=True, slots=True)
class Scope:
    """The tenant that a read or write stays in: an organization, and one project of it unless None."""

    organization_id: str
    project_id: str | None = None


class Repository(Generic[T]):
    """Reads and writes the rows of one resource over one connection.

    Every statement carries the organization (and the project, when the scope names one) in its WHERE. It selects
    exactly the resource's own fields and the revision, so a column that the resource does not declare cannot leak.
    `order` is how its items are listed where nobody asks for another order.
    """

    def __init__(
        self,
        connection: sa.Connection,
        model: type[T],
        table: sa.Table,
        *,
        key: str = "id",
        noun: str,
        order: Sequence[sa.ColumnElement[Any]] = (),
    ) -> None:
        self._connection, self._model, self.table, self._key, self.noun = connection, model, table, key, noun
        self._order = order
        self._names = [name for name in model.model_fields if name in table.c]
        self._columns = [table.c[name] for name in self._names]
        if "revision" in table.c:
            self._columns.append(table.c.revision)

    @property
    def connection(self) -> sa.Connection:
        """Return what its statements run on."""
        return self._connection

    @property
    def columns(self) -> Sequence[sa.ColumnElement[Any]]:
        """Return what a row holds that resources are made of, in its order."""
        return self._columns

    def _within(self, scope: Scope) -> list[sa.ColumnElement[bool]]:
        column = self.table.c.id if self.noun == "organization" else self.table.c.organization_id
        where = [column == scope.organization_id]
        if scope.project_id is not None and "project_id" in self.table.c:
            where.append(self.table.c.project_id == scope.project_id)
        return where

    def resources(self, rows: Iterable[Sequence[Any]]) -> list[T]:
        """Make resources of rows that hold the repository's columns, in its order."""
        made: list[T] = []
        for row in rows:
            item = self._model.model_validate(self.completed(dict(zip(self._names, row, strict=False))))
            if "revision" in self.table.c:
                item._revision = row[len(self._names)]
            made.append(item)
        return made

    def completed(self, values: dict[str, Any]) -> dict[str, Any]:
        """A hook for fields that are not columns."""
        return values

    def select(self, scope: Scope) -> sa.Select[Any]:
        """The repository's columns inside the scope, to be narrowed further."""
        return sa.select(*self._columns).where(*self._within(scope))

    def find(self, scope: Scope, id: str, **equals: Any) -> T | None:
        """One item, or None."""
        query = self.select(scope).where(self.table.c[self._key] == id, *self._equal(equals))
        found = self.resources(self._connection.execute(query).all())
        return found[0] if found else None

    def get(self, scope: Scope, id: str, **equals: Any) -> T:
        """One item. Raises NotFound, the same for another tenant's item and for one that does not exist."""
        item = self.find(scope, id, **equals)
        if item is None:
            raise NotFound(self.noun, id)
        return item

    def page(
        self,
        scope: Scope,
        *,
        offset: int,
        limit: int,
        order: Sequence[sa.ColumnElement[Any]] | None = None,
        where: Sequence[sa.ColumnElement[bool]] = (),
        **equals: Any,
    ) -> Page[T]:
        """One window: equal filters of None are left out; ties are broken by the key, so pages never overlap."""
        conditions = [*self._within(scope), *where, *self._equal(equals)]
        total = self._connection.execute(
            sa.select(sa.func.count()).select_from(self.table).where(*conditions)
        ).scalar_one()
        query = sa.select(*self._columns).where(*conditions).order_by(*self.ordered(order))
        rows = self._connection.execute(query.offset(offset).limit(limit)).all()
        return Page[Any].model_construct(items=self.resources(rows), total=total, offset=offset, limit=limit)

    def where_in(self, scope: Scope, column: str, keys: Sequence[str]) -> list[T]:
        """All items whose column is one of the keys, ordered by the key."""
        query = self.select(scope).where(self.table.c[column].in_(keys)).order_by(self.table.c[self._key])
        return self.resources(self._connection.execute(query).all())

    def projects_of(self, scope: Scope, ids: Sequence[str]) -> dict[str, str]:
        """The project of each item that stands, by its key."""
        query = sa.select(self.table.c[self._key], self.table.c.project_id).where(
            *self._within(scope), self.table.c[self._key].in_(ids)
        )
        return {id: project for id, project in self._connection.execute(query)}

    def with_projects(
        self, scope: Scope, column: str, keys: Sequence[str], *, made_by: str | None = None
    ) -> list[tuple[T, str]]:
        """All items whose column is one of the keys, each with its project; a user's own alone if one is named."""
        own = [] if made_by is None else [self._made_by(scope, made_by)]
        query = self.select(scope).where(self.table.c[column].in_(keys), *own).add_columns(self.table.c.project_id)
        rows = self._connection.execute(query).all()
        return [(item, row[-1]) for item, row in zip(self.resources(rows), rows, strict=True)]

    def _made_by(self, scope: Scope, user_id: str) -> sa.ColumnElement[bool]:
        own: sa.ColumnElement[bool] = self.table.c.created_by == user_id
        return own

    def first_of_each(
        self,
        scope: Scope,
        column: str,
        keys: Sequence[str],
        *,
        where: Sequence[sa.ColumnElement[bool]] = (),
        most: int,
    ) -> list[tuple[str, str | None, T]]:
        """The first items of each key of a column, in one statement: key, project and item, in their order."""
        by, project = self.table.c[column], self.table.c.get("project_id")
        rank = sa.func.row_number().over(partition_by=by, order_by=self.ordered())
        columns = [*self._columns, by.label("of_key"), (sa.null() if project is None else project).label("of_project")]
        ranked = sa.select(*columns, rank.label("of_rank")).where(*self._within(scope), by.in_(keys), *where).subquery()
        query = sa.select(ranked).where(ranked.c.of_rank <= most).order_by(ranked.c.of_key, ranked.c.of_rank)
        rows = self._connection.execute(query).all()
        return [(row.of_key, row.of_project, item) for row, item in zip(rows, self.resources(rows), strict=True)]

    def add(self, item: T, **hidden: Any) -> T:
        """Insert an item; `hidden` are columns that the resource does not show. Raises IntegrityError when taken."""
        values = {name: value for name, value in item.model_dump(mode="python").items() if name in self.table.c}
        if "revision" in self.table.c:
            values["revision"] = item._revision = 1
        self._connection.execute(self.table.insert().values(**values, **hidden))
        return item

    def change(
        self,
        scope: Scope,
        id: str,
        values: Mapping[str, Any],
        *,
        expected: Expected = None,
        beside: bool = False,
        **equals: Any,
    ) -> T:
        """Change an item and count its revision up; when all that is said stands already, write nothing.

        Stamps and counters (expressions of SQL) say nothing by themselves. `beside` tells that something was changed
        that is no column here. Raises NotFound, and VersionConflict when what stands is not `expected`.
        """
        conditions = [*self._within(scope), self.table.c[self._key] == id, *self._equal(equals)]
        if not beside:
            said = {
                name: value
                for name, value in values.items()
                if name not in STAMPS and not isinstance(value, sa.ColumnElement)
            }
            row = self._connection.execute(
                sa.select(self.table.c.revision, *[self.table.c[name] for name in said]).where(*conditions)
            ).one_or_none()
            if row is not None and all(map(same, row[1:], said.values())):
                if not meets(row.revision, expected):
                    raise self._conflict(id, **equals)
                item = self.get(scope, id, **equals)
                item._as_it_stood = True
                return item
        if expected is not None:
            among = expected if isinstance(expected, frozenset) else {expected}
            conditions.append(self.table.c.revision.in_(sorted(among)))
        changed = self._connection.execute(
            self.table.update().where(*conditions).values(**values, revision=self.table.c.revision + 1)
        )
        item = self.get(scope, id, **equals)
        if changed.rowcount == 0:
            raise self._conflict(id, **equals)
        return item

    def remove(self, scope: Scope, id: str, *, expected: Expected = None, **equals: Any) -> None:
        """Delete an item. Raises NotFound, or VersionConflict as `change` does."""
        item = self.get(scope, id, **equals)
        if not meets(item._revision, expected):
            raise self._conflict(id, **equals)
        self._connection.execute(
            self.table.delete().where(*self._within(scope), self.table.c[self._key] == id, *self._equal(equals))
        )

    def id_where(self, scope: Scope, **equals: Any) -> str | None:
        """The id of the item that has what was to be unique, such as a name; None when there is none by now."""
        query = sa.select(self.table.c[self._key]).where(*self._within(scope), *self._equal(equals)).limit(1)
        found: str | None = self._connection.execute(query).scalar_one_or_none()
        return found

    def _conflict(self, id: str, **equals: Any) -> VersionConflict:
        return VersionConflict(
            f"This {self.noun.replace('_', ' ')} was changed by somebody else. Read it again and retry.",
            resource_type=self.noun,
            resource_id=self.whole_id(id, **equals),
        )

    def whole_id(self, id: str, **equals: Any) -> str:
        """The id by which the item is found again, where the key alone does not tell it from others."""
        return id

    def ordered(self, order: Sequence[sa.ColumnElement[Any]] | None = None) -> list[sa.ColumnElement[Any]]:
        """An order, or else that of the repository, in which the key breaks ties."""
        return [*(self._order if order is None else order), self.table.c[self._key]]

    def _equal(self, equals: Mapping[str, Any]) -> list[sa.ColumnElement[bool]]:
        return [self.table.c[name] == value for name, value in equals.items() if value is not None]
