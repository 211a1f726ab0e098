"""Defines what is wrong at or under a name, kind by kind."""

from collections.abc import Sequence
from datetime import datetime
from typing import NamedTuple

import sqlalchemy as sa

from persistence.queries.quality import below
from persistence.queries.violations import unresolved
from persistence.repository import Scope
from persistence.tables.quality import violations


class ViolationGroup(NamedTuple):
    """A kind of violation with a severity: on how many assets it stands, and how often."""

    severity: str
    definition_id: str
    name: str
    assets: int
    violations: int


def unresolved_kinds(
    connection: sa.Connection, scope: Scope, parts: Sequence[str], as_of: datetime | None
) -> list[ViolationGroup]:
    """The kinds of what is wrong at or under a name, now or at a moment, the worst first."""
    table = violations.c
    kind = (table.severity, table.definition_id, table.name)
    number = sa.func.count()
    query = (
        sa.select(*kind, sa.func.count(table.asset_fqn.distinct()), number)
        .where(*_wrong(scope, parts, as_of))
        .group_by(table.severity_rank, *kind)
        .order_by(table.severity_rank.desc(), number.desc())
    )
    return [ViolationGroup(*row) for row in connection.execute(query)]


def places_of(
    connection: sa.Connection,
    scope: Scope,
    parts: Sequence[str],
    as_of: datetime | None,
    kind: ViolationGroup,
    most: int,
) -> list[str]:
    """The first assets by name on which a kind of violation stands."""
    table = violations.c
    query = (
        sa.select(table.asset_fqn)
        .where(*_wrong(scope, parts, as_of), table.definition_id == kind.definition_id, table.severity == kind.severity)
        .distinct()
        .order_by(table.asset_fqn)
        .limit(most)
    )
    return list(connection.execute(query).scalars())


def _wrong(scope: Scope, parts: Sequence[str], as_of: datetime | None) -> list[sa.ColumnElement[bool]]:
    """The condition of what is not resolved at or under a name."""
    return [
        violations.c.organization_id == scope.organization_id,
        violations.c.project_id == scope.project_id,
        *below(violations, parts),
        unresolved(as_of),
    ]
