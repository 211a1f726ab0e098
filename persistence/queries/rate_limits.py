"""The limits that organizations have of their own."""

from collections.abc import Mapping
from typing import NamedTuple

import sqlalchemy as sa

from persistence.repository import same
from persistence.tables.governance import rate_limits


class OwnLimits(NamedTuple):
    """Holds how many requests a minute each kind of an organization's principals has; None where the deployment's
    holds.
    """

    reads: int | None
    writes: int | None
    bulk: int | None
    anonymous: int | None
    revision: int


class RateLimitRepository:
    """Own limits; one row at most for each organization."""

    def __init__(self, connection: sa.Connection) -> None:
        self._connection = connection

    def of(self, organization_id: str) -> OwnLimits | None:
        """The limits of an organization, or None while it has none of its own."""
        columns = [rate_limits.c[name] for name in OwnLimits._fields]
        query = sa.select(*columns).where(rate_limits.c.organization_id == organization_id)
        row = self._connection.execute(query).one_or_none()
        return None if row is None else OwnLimits(*row)

    def put(self, organization_id: str, values: Mapping[str, int | None], *, expected: int | None) -> bool:
        """Set limits, the first or those that have the expected revision; False when they stand already.

        Raises IntegrityError when others have set them meanwhile.
        """
        own = rate_limits.c.organization_id == organization_id
        kept = [rate_limits.c[name] for name in values]
        row = self._connection.execute(sa.select(*kept).where(own)).one_or_none()
        if same([None] * len(kept) if row is None else tuple(row), [*values.values()]):
            return False
        changed = self._connection.execute(
            rate_limits.update()
            .where(own, rate_limits.c.revision == expected)
            .values(**values, revision=rate_limits.c.revision + 1)
        )
        if changed.rowcount == 0:
            self._connection.execute(rate_limits.insert().values(organization_id=organization_id, revision=1, **values))
        return True
