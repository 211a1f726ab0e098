"""Column types that mean the same in SQLite and PostgreSQL."""

from datetime import UTC, datetime
from typing import Any

import sqlalchemy as sa
from sqlalchemy.dialects.postgresql import JSONB

Json: sa.types.TypeEngine[Any] = sa.JSON(none_as_null=True).with_variant(JSONB(none_as_null=True), "postgresql")

Name: sa.types.TypeEngine[str] = sa.String(255).with_variant(sa.String(255, collation="C"), "postgresql")
"""A name that sorts by code point in both stores, whatever locale a database was made with."""


class Moment(sa.types.TypeDecorator[datetime]):
    """A point in time. Refuses naive values and always comes back in UTC."""

    impl = sa.DateTime(timezone=True)
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: sa.Dialect) -> datetime | None:
        """Store in UTC; SQLite forgets the zone, so it is made one here."""
        if value is not None and value.tzinfo is None:
            raise ValueError("a stored moment needs a time zone")
        return value.astimezone(UTC) if value else None

    def process_result_value(self, value: datetime | None, dialect: sa.Dialect) -> datetime | None:
        """Come back aware, in UTC."""
        if value is None:
            return None
        return value.replace(tzinfo=UTC) if value.tzinfo is None else value.astimezone(UTC)
