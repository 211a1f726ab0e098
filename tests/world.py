"""A running platform for one test: its application, its tenants, and tokens for everybody in them."""

import functools
from collections import defaultdict
from collections.abc import AsyncIterator, Iterable, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager, nullcontext
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import httpx
import pytest
import sqlalchemy as sa
from pydantic import BaseModel
from sqlalchemy.util import LRUCache

from auth.issuer import DevelopmentIssuer
from auth.relations import RelationTuple, object_name, subject_of, user_subject
from persistence.jobs.port import InlineJobs
from rest_compat.app import Application, create_app
from rest_compat.settings import Settings
from rest_compat.setup import bootstrap_organization

ORG, OTHER_ORG = "acme", "globex"


@dataclass
class Clock:
    """A clock that a test moves by hand; it starts at the real time so that tokens are valid."""

    moment: datetime = field(default_factory=lambda: datetime.now(UTC))

    def __call__(self) -> datetime:
        """The moment it shows, a little later at each look, as a real clock."""
        self.moment += timedelta(microseconds=1)
        return self.moment


NOT_DUMPED = (
    "workers",
    "job_ledger",
    "relation_revisions",
    "relation_changes",
    "catalog_revisions",
    "asset_documents",  # what reads leave behind
    "audit_entries",  # and what is refused
    "audit_heads",
)


@functools.cache
def _dumped_tables() -> list[sa.Table]:
    from persistence.migrations.run import whole_metadata

    return [table for table in whole_metadata().sorted_tables if table.name not in NOT_DUMPED]


@functools.cache
def _filled_tables() -> str:
    """The statement that names the tables with a row in them: reading one costs far more, and most are empty."""
    names = (table.name for table in _dumped_tables())
    return " union all ".join(f"select '{name}' where exists (select 1 from {name})" for name in names)


@dataclass
class World:
    """Two organizations; in the first a project `shop` and its sibling `lab`, in the second `theirs`."""

    app: Application
    client: httpx.AsyncClient
    issuer: DevelopmentIssuer
    clock: Clock
    jobs: Any
    shop: str = ""
    lab: str = ""
    theirs: str = ""

    def token(
        self, user: str, *, org: str = ORG, project: str | None = None, groups: tuple[str, ...] = (), ttl: int = 3600
    ) -> str:
        """A token; `project` None leaves the claim out."""
        return self.issuer.issue(user, org, project=project, groups=groups, ttl=timedelta(seconds=ttl))

    @property
    def owner(self) -> str:
        """The token of the first organization's owner, in the project shop."""
        return self.token("olga", project=self.shop)

    @property
    def foreign_owner(self) -> str:
        """The token of the other organization's owner, in its project."""
        return self.token("otto", org=OTHER_ORG, project=self.theirs)

    async def grant(
        self, user: str, relation: str, type_: str, id_: str, *, org: str = ORG, is_group: bool = False
    ) -> None:
        """Write a relation directly."""
        wanted = RelationTuple(subject_of(user, is_group=is_group), relation, object_name(type_, id_))
        await self.app.parts.services.relations.write(org, [wanted], lenient=True)

    async def grant_all(self, given: Iterable[tuple[str, str, str, str]]) -> None:
        """Write relations of the first organization at once: users, relations, types and ids of what they hold."""
        wanted = [RelationTuple(user_subject(user), role, object_name(type_, id_)) for user, role, type_, id_ in given]
        await self.app.parts.services.relations.write(ORG, wanted, lenient=True)

    async def member(self, role: str, *, type_: str = "project", id_: str | None = None) -> str:
        """The token of a user who holds exactly one role on the project shop (or on what is named)."""
        where = self.shop if id_ is None else id_
        user = f"{role}-of-{type_}"
        await self.grant(user, role, type_, where)
        return self.token(user, project=self.shop)

    async def request(self, method: str, path: str, *, token: str | None = None, **how: Any) -> httpx.Response:
        """One HTTP request, as somebody."""
        headers = {**({"Authorization": f"Bearer {token}"} if token else {}), **how.pop("headers", {})}
        return await self.client.request(method, path, headers=headers, **how)

    async def dump(self) -> dict[str, list[tuple[Any, ...]]]:
        """Every row of every table, to show that nothing changed."""

        def work(uow: Any) -> dict[str, list[tuple[Any, ...]]]:
            filled = {name for (name,) in uow.connection.exec_driver_sql(_filled_tables())}
            return {
                table.name: sorted(tuple(map(repr, row)) for row in uow.connection.execute(table.select()))
                if table.name in filled
                else []
                for table in _dumped_tables()
            }

        rows = await self.app.parts.services.store.read(work)
        for org in (ORG, OTHER_ORG):  # wherever the engine keeps them
            relations = await self.app.parts.services.relations.read(org, limit=10_000)
            rows[f"relations of {org}"] = sorted((str(relation),) for relation in relations)
        return rows


@dataclass(frozen=True)
class Stock:
    """What stands in a store that was copied from one with both organizations and their projects in it."""

    shop: str
    lab: str
    theirs: str
    relations: dict[str, Sequence[RelationTuple]]
    """Of each organization: an OpenFGA server is not copied with the store."""


@dataclass(frozen=True)
class StockedStore:
    """A store of a test's own, with both organizations and their projects in it."""

    url: str | None
    stock: Stock


async def stocked(settings: Settings) -> Stock:
    """Fill an empty store as `running_world` does, to be copied."""
    async with running_world(settings) as world:
        relations = world.app.parts.services.relations
        return Stock(
            world.shop,
            world.lab,
            world.theirs,
            {org: await relations.read(org, limit=10_000) for org in (ORG, OTHER_ORG)},
        )


class RareCookies(httpx.Cookies):
    """Cookies that are looked for in those answers that set one; a client looks through all of them."""

    def extract_cookies(self, response: httpx.Response) -> None:
        """Take them."""
        if "set-cookie" in response.headers:
            super().extract_cookies(response)


class CompiledStatements:
    """The texts of statements, kept from one platform to the next: an engine compiles each of them anew for itself.

    SQLAlchemy looks for them by the engine's dialect, which is another object for each engine, and by what they say.
    """

    def __init__(self) -> None:
        self._kept: LRUCache[Any, Any] = LRUCache(2_000)

    def get(self, key: tuple[Any, ...]) -> Any:
        """Return what was compiled, or None."""
        return self._kept.get(key[1:])

    def __setitem__(self, key: tuple[Any, ...], compiled: Any) -> None:
        self._kept[key[1:]] = compiled


_COMPILED: defaultdict[str, CompiledStatements] = defaultdict(CompiledStatements)
"""By the name of the dialect."""


@contextmanager
def _known_to_be_migrated() -> Iterator[None]:
    """Let a platform begin on a copy of a migrated store without looking for the revision of its tables.

    The look takes a connection and an engine of its own, 14 ms on PostgreSQL; what it finds is tried where stores are
    of another revision.
    """
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("rest_compat.app.check", lambda url: None)
        yield


@asynccontextmanager
async def running_world(
    settings: Settings, *, jobs: Any = None, stock: Stock | None = None, **parts: Any
) -> AsyncIterator[World]:
    """Start a platform with both organizations and their projects; everything is gone afterwards.

    `stock` tells that they stand in the store already. Nothing happens in it by itself, however long a test takes on
    a busy machine: a test looks for what is due, and takes up what waits, by hand.
    """
    settings.data.mkdir(parents=True, exist_ok=True)
    if stock is None:
        await bootstrap_organization(settings, ORG, "olga", "Acme")
        await bootstrap_organization(settings, OTHER_ORG, "otto", "Globex")
    clock, inline = Clock(), InlineJobs() if jobs is None else jobs
    app = create_app(settings, jobs=inline, clock=clock, **({"watches": False} | parts))
    with _known_to_be_migrated() if stock is not None else nullcontext():
        await app.open()
    for engine in app.parts.database.sync_engines:
        engine.update_execution_options(compiled_cache=_COMPILED[engine.dialect.name])
    transport = httpx.ASGITransport(app, raise_app_exceptions=False)
    async with httpx.AsyncClient(transport=transport, base_url="http://stoa.test") as client:
        client._cookies = RareCookies()
        world = World(app, client, DevelopmentIssuer(settings.data, clock=clock), clock, inline)
        if stock is None:
            world.shop = await _project(world, "shop", "olga", ORG)
            world.lab = await _project(world, "lab", "olga", ORG)
            world.theirs = await _project(world, "theirs", "otto", OTHER_ORG)
        else:
            world.shop, world.lab, world.theirs = stock.shop, stock.lab, stock.theirs
            if settings.openfga_url:
                for org, relations in stock.relations.items():
                    await app.parts.services.relations.write(org, relations, lenient=True)
        try:
            yield world
        finally:
            await app.close()


async def _project(world: World, name: str, user: str, org: str) -> str:
    answer = await world.request("POST", "/governance/projects", token=world.token(user, org=org), json={"name": name})
    assert answer.status_code == 201, answer.text
    project_id: str = answer.json()["id"]
    return project_id


class GivenSettings(Settings):
    """Settings that a test gives, validated as any; there is no environment to search for each of them again."""

    def __init__(self, **given: Any) -> None:
        BaseModel.__init__(self, **given)


def settings_for(folder: Path, url: str | None = None, **given: Any) -> Settings:
    """Settings of a test: its own folder and store, loopback sources allowed, and room in every window."""
    values: dict[str, Any] = {
        "data": folder / "data",
        "database_url": url,
        "outbound_private": True,
        "rate_limit_reads": 100_000,
        "rate_limit_writes": 100_000,
        "rate_limit_bulk": 100_000,
        "job_poll_seconds": 0.05,
        "schedule_tick_seconds": 3600,
        "shutdown_seconds": 0,
        "event_stream_seconds": 0.2,
        "connect_timeout": 5,
    }
    return GivenSettings(**(values | given))
