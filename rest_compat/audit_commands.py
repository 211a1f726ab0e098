"""What `stoa audit` does with the audit logs of a store."""

from collections.abc import AsyncIterator
from datetime import datetime
from typing import Any

import orjson

from persistence.store import Store
from resolvers.engines.table_formats import csv_line
from resolvers.governance.audit_chain import KnownEnd, Verified, entries_of, organization_ids, verified
from rest_compat.settings import Settings
from rest_compat.setup import opened_services
from schema.governance.audit import AuditEntry


async def verify_logs(settings: Settings, organization_id: str | None, known: str | None) -> list[Verified]:
    """Walk through the log of one organization, or of every one. Raises ValueError where there is none such."""
    end = None if known is None else KnownEnd.parse(known)
    async with opened_services(settings) as services:
        if organization_id is None:
            return [await verified(services.store, id_) for id_ in await organization_ids(services.store)]
        await _require_log(services.store, organization_id)
        return [await verified(services.store, organization_id, end)]


async def exported_lines(
    settings: Settings,
    organization_id: str,
    *,
    as_csv: bool,
    since: datetime | None,
    until: datetime | None,
    **equals: Any,
) -> AsyncIterator[str]:
    """The log of one organization, the oldest entry first: JSON lines, or CSV with a head line."""
    async with opened_services(settings) as services:
        await _require_log(services.store, organization_id)
        if as_csv:
            yield csv_line(list(AuditEntry.model_fields))
        async for entry in entries_of(services.store, organization_id, since=since, until=until, **equals):
            plain = entry.model_dump(mode="json")
            yield csv_line(list(plain.values())) if as_csv else orjson.dumps(plain).decode() + "\n"


async def _require_log(store: Store, organization_id: str) -> None:
    if organization_id not in await organization_ids(store):
        raise ValueError(f"Organization {organization_id!r} has no audit log: nobody has called anything in it yet.")
