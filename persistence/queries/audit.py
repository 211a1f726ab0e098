"""The audit log: entries are chained as they are written, in the transaction of what they tell of."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

import sqlalchemy as sa
from sqlalchemy.dialects import postgresql, sqlite

from persistence.queries.filters import in_window
from persistence.repository import Repository, Scope
from persistence.tables.audit import audit_entries, audit_heads
from schema.governance.audit import FIRST_HASH, AuditEntry, hash_of
from schema.pagination import Page


class AuditRepository(Repository[AuditEntry]):
    """The entries of organizations, the latest first. None is ever changed or removed."""

    def __init__(self, connection: sa.Connection) -> None:
        super().__init__(
            connection, AuditEntry, audit_entries, noun="audit entry", order=[audit_entries.c.sequence.desc()]
        )

    def append(self, organization_id: str, fields: Mapping[str, Any]) -> None:
        """Add an entry at the end of the organization's chain. `fields` are all but its place and its hashes.

        Whoever appends to the same chain waits until this transaction has ended, so an entry is best written last.
        """
        before, last_hash = self._held_end(organization_id)
        entry = {
            **fields,
            "organization_id": organization_id,
            "sequence": before + 1,
            "previous_hash": last_hash,
        }
        entry["hash"] = hash_of(entry)
        self._connection.execute(audit_entries.insert(), entry)
        self._connection.execute(
            audit_heads.update()
            .where(audit_heads.c.organization_id == organization_id)
            .values(last_sequence=before + 1, last_hash=entry["hash"])
        )

    def holds(self, organization_id: str, id: str) -> bool:
        """Return whether an entry stands, what this transaction has written included."""
        return self.find(Scope(organization_id), id) is not None

    def listed(
        self,
        organization_id: str,
        *,
        offset: int,
        limit: int,
        since: datetime | None = None,
        until: datetime | None = None,
        **equals: Any,
    ) -> Page[AuditEntry]:
        """One window of an organization's log, the latest first."""
        where = in_window(audit_entries.c.occurred_at, since, until)
        return self.page(Scope(organization_id), offset=offset, limit=limit, where=where, **equals)

    def after(
        self,
        organization_id: str,
        sequence: int,
        most: int,
        *,
        since: datetime | None = None,
        until: datetime | None = None,
        **equals: Any,
    ) -> list[AuditEntry]:
        """The next entries of a log after a place, in the order of the chain."""
        where = [
            audit_entries.c.sequence > sequence,
            *in_window(audit_entries.c.occurred_at, since, until),
            *self._equal(equals),
        ]
        query = self.select(Scope(organization_id)).where(*where).order_by(audit_entries.c.sequence).limit(most)
        return self.resources(self._connection.execute(query).all())

    def end(self, organization_id: str) -> tuple[int, str]:
        """The place and the hash of the last entry of a chain; 0 and zeros before the first."""
        row = self._connection.execute(_END.where(audit_heads.c.organization_id == organization_id)).first()
        return (0, FIRST_HASH) if row is None else (row.last_sequence, row.last_hash)

    def organization_ids(self) -> list[str]:
        """Every organization that has a log, or of whose log something is left."""
        both = sa.union(sa.select(audit_heads.c.organization_id), sa.select(audit_entries.c.organization_id))
        return sorted(self._connection.execute(both).scalars())

    def _held_end(self, organization_id: str) -> tuple[int, str]:
        """The end of a chain, held until the transaction ends."""
        query = _END.where(audit_heads.c.organization_id == organization_id).with_for_update()
        row = self._connection.execute(query).first()
        if row is None:
            made = postgresql if self._connection.dialect.name == "postgresql" else sqlite
            first = {"organization_id": organization_id, "last_sequence": 0, "last_hash": FIRST_HASH}
            self._connection.execute(made.insert(audit_heads).values(first).on_conflict_do_nothing())
            row = self._connection.execute(query).one()
        return row.last_sequence, row.last_hash


_END = sa.select(audit_heads.c.last_sequence, audit_heads.c.last_hash)
