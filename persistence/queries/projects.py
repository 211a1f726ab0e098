"""Projects of an organization."""

from collections.abc import Sequence
from typing import Any

import orjson
import sqlalchemy as sa
from sqlalchemy.dialects.postgresql import ARRAY

from persistence.repository import Repository, Scope
from persistence.tables.governance import projects
from schema.governance.project import Project
from schema.pagination import Page


class ProjectRepository(Repository[Project]):
    """Projects, listed by name."""

    def __init__(self, connection: sa.Connection) -> None:
        super().__init__(connection, Project, projects, noun="project", order=[projects.c.name])

    def ids(self, scope: Scope) -> list[str]:
        """The ids of all projects of the organization."""
        return list(self._connection.execute(sa.select(projects.c.id).where(*self._within(scope))).scalars())

    def among(self, scope: Scope, ids: Sequence[str], *, offset: int, limit: int) -> Page[Project]:
        """One window of some projects, by name."""
        column = sa.column("value", sa.Text)
        if self._connection.dialect.name == "sqlite":  # one value, however many are named
            given = sa.func.json_each(orjson.dumps(list(ids)).decode()).table_valued(column)
        else:
            given = sa.func.unnest(sa.cast(list(ids), ARRAY(sa.Text))).table_valued(column).render_derived()
        named = projects.c.id.in_(sa.select(given.c.value))
        query = self.select(scope).add_columns(sa.func.count().over()).where(named).order_by(*self.ordered())
        rows = self._connection.execute(query.offset(offset).limit(limit)).all()
        if offset and not rows:  # beyond the last one, so that no row tells how many there are
            return self.page(scope, offset=offset, limit=limit, where=[named])
        total = rows[0][-1] if rows else 0
        return Page[Any].model_construct(items=self.resources(rows), total=total, offset=offset, limit=limit)
