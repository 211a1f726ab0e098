"""Projects of an organization."""

from collections.abc import Sequence

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
        own = projects.c.id
        if self._connection.dialect.name == "sqlite":
            given = sa.func.json_each(orjson.dumps(list(ids)).decode()).table_valued("value")
            named: sa.ColumnElement[bool] = own.in_(sa.select(given.c.value))
        else:
            named = own == sa.func.any(sa.cast(list(ids), ARRAY(sa.Text)))
        return self.page(scope, offset=offset, limit=limit, where=[named])  # one value, however many are named
