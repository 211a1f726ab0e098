"""Defines what is done to a platform from its own command line: bootstrap, key rotation, snapshots."""

import asyncio
import contextlib
import json
import logging
from collections.abc import AsyncIterator, Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import sqlalchemy as sa

import schema
from auth.relations import RelationTuple, group_subject, object_name, user_subject
from persistence.keyring import KeyRing, KeyUnknown, SealBroken, secret_data
from persistence.store import Store, UnitOfWork
from persistence.tables.governance import organizations, secrets
from rest_compat.settings import Settings
from schema.governance.permission import RepairedAccess

if TYPE_CHECKING:
    from resolvers.context import Services

log = logging.getLogger("stoa.setup")

ORGANIZATION_GROUPS = {"org-owners": "owner", "org-admins": "admin", "org-members": "member"}
"""The identity provider's groups that hold a role on the organization."""

AT_ONCE = 200

_FLUSH_PAUSES = (0.1, 0.3, 1.0, 3.0)
"""Seconds between attempts at a flush, which a read that goes on just then makes fail."""


@contextlib.asynccontextmanager
async def opened_services(settings: Settings) -> AsyncIterator["Services"]:
    """The parts of a platform for one command: no jobs, nothing watched, all of it closed in the end."""
    from rest_compat.app import Parts

    parts = Parts(settings, jobs=_NoJobs(), watches=False)
    await parts.open()
    try:
        yield parts.services
    finally:
        await parts.close()


async def bootstrap_organization(
    settings: Settings, organization_id: str, owner: str, name: str, *, warn: Callable[[str], object] = log.warning
) -> bool:
    """Create an organization, its owner and its group mapping as one unit; whether it was new.

    `warn` is told what the others lose by it, in a sentence for the operator.
    """
    from resolvers.governance.access import organization_ids

    async with opened_services(settings) as services:
        now = services.clock()
        target = object_name("organization", organization_id)
        relations = [
            RelationTuple(user_subject(owner), "owner", target),
            *(RelationTuple(group_subject(group), role, target) for group, role in ORGANIZATION_GROUPS.items()),
        ]

        def work(uow: UnitOfWork) -> bool:
            found = uow.connection.execute(sa.select(organizations.c.id).where(organizations.c.id == organization_id))
            new = found.one_or_none() is None
            if new:
                uow.connection.execute(
                    organizations.insert().values(
                        id=organization_id, name=name, created_at=now, updated_at=now, revision=1
                    )
                )
            uow.relate(organization_id, writes=relations)
            return new

        created = await services.store.write(work)
        if warning := services.connectors.left_out(await organization_ids(services.store)):
            warn(warning)
        return created


async def repair_organizations(
    settings: Settings, organization_id: str | None
) -> list[tuple[str, list[RepairedAccess]]]:
    """Repair the access of one organization, or of all: what was repaired in each. Raises ValueError for none such."""
    from resolvers.governance.access import organization_ids, repaired

    async with opened_services(settings) as services:
        known = await organization_ids(services.store)
        if organization_id is not None and organization_id not in known:
            raise ValueError(f"There is no organization {organization_id!r}. `stoa bootstrap` creates one.")
        chosen = known if organization_id is None else [organization_id]
        return [(id_, await repaired(services.relations, services.store, id_)) for id_ in chosen]


async def rotate_secrets(settings: Settings, *, drop_old: bool) -> tuple[int, int]:
    """Add a key, seal every secret with it, and forget the former keys when asked: (secrets sealed, keys dropped).

    Keys of the environment are the operator's to add and to take away: there the first one of STOA_SECRET_KEYS seals.
    Raises ValueError, with every key kept, when secrets are left that no key opens; the others are sealed anew.
    """
    async with opened_services(settings) as services:
        ring, store = services.keyring, services.store
        former = ring.key_ids  # no later ones: another rotation may have sealed with those when this one ends
        if not ring.fixed:
            ring.rotate()
        sealed, broken = await _seal_all(store, ring)
        if not broken and drop_old and not ring.fixed:
            # What was sealed with a former key before this rotation, and committed while the first look went on.
            late, broken = await _seal_all(store, ring)
            sealed += late
        if broken:
            raise ValueError(
                f"Sealed {sealed} secrets with the active key, and kept every key, because {len(broken)} cannot be "
                f"opened, {broken[0]} among them. Put their key back, or set them anew, and run this again."
            )
        if ring.fixed or not drop_old:
            return sealed, 0
        if not await _flushed(store):
            raise ValueError(
                f"Sealed {sealed} secrets with the active key, and kept every key: the store is too busy to put this "
                "on disk for good. Run it again."
            )
        dropped = 0
        for key_id in former:
            with contextlib.suppress(KeyUnknown):  # another rotation was first
                ring.drop(key_id)
                dropped += 1
        return sealed, dropped


async def _flushed(store: Store) -> bool:
    """Put what was committed on disk for good, once those who read at this moment have ended; whether it worked."""
    for pause in (*_FLUSH_PAUSES, None):
        if await store.database.flush():
            return True
        if pause is not None:
            await asyncio.sleep(pause)
    return False


async def _seal_all(store: Store, ring: KeyRing) -> tuple[int, list[str]]:
    """Seal every secret with the active key: how many were not, and the places of those that no key opens.

    Each window waits until every write that may have sealed with a key of before has ended, and lets none in until it
    has: what is written after it is sealed with a key that was active when it began, or with a later one.
    """
    sealed, broken = 0, list[str]()
    after: tuple[str, str, str, str] | None = None

    def window(uow: UnitOfWork) -> tuple[int, list[str], tuple[str, str, str, str] | None]:
        uow.secrets.hold(alone=True)
        rows = uow.secrets.all_sealed(after, AT_ONCE)
        done, lost = 0, []
        for organization_id, resource_type, resource_id, name, bound_to, text in rows:
            key = [organization_id, resource_type, resource_id, name]
            bound = secret_data(organization_id, resource_type, resource_id, name, bound_to)
            try:
                if ring.needs_rotation(text):
                    done += _reseal(uow.connection, key, ring.seal(ring.open(text, bound), bound))
            except SealBroken:
                lost.append("/".join(key))
        return done, lost, tuple(rows[-1][:4]) if rows else None

    while True:
        done, lost, after = await store.write(window)
        if after is None:
            return sealed, broken
        sealed += done
        broken += lost


def _reseal(connection: sa.Connection, key: list[str], text: str) -> int:
    columns = (secrets.c.organization_id, secrets.c.resource_type, secrets.c.resource_id, secrets.c.name)
    held = [column == part for column, part in zip(columns, key, strict=True)]
    return connection.execute(secrets.update().where(*held).values(sealed=text)).rowcount


def snapshots() -> Iterator[tuple[Path, str]]:
    """Every published file with what it should hold."""
    from rest_compat.app import SERVICES, openapi_of
    from rest_compat.reference import reference_pages
    from schema.graph import build_graph
    from schema.subgraph import build_subgraph

    schema_folder = Path(schema.__file__).parent
    yield schema_folder / "schema.graphql", build_graph().as_str() + "\n"
    for service in SERVICES:
        yield schema_folder / "subgraphs" / f"{service.name}.graphql", build_subgraph(service.name).sdl
        text = json.dumps(openapi_of(service), indent=2, ensure_ascii=False, sort_keys=False)
        yield Path(__file__).parent / "openapi" / f"{service.name}.json", text + "\n"
    yield from reference_pages()


class _NoJobs:
    """A job engine for commands that start none."""

    def register(self, *_: object) -> None:
        """Nothing will be asked for."""

    async def start(self) -> None:
        """Nothing to start."""

    async def stop(self, grace: float | None = None) -> None:
        """Nothing to stop."""

    async def enqueue(self, *_: object, **__: object) -> None:
        """Runs that wait stay for the server to take up."""

    async def cancel(self, key: str) -> None:
        """Nothing runs."""

    async def state(self, key: str) -> None:
        """Nothing runs."""

    async def outcome(self, key: str) -> None:
        """Nothing ran."""
