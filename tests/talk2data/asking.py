"""What tests of answers share: a shop in PostgreSQL, ingested, and a drafter that drafts what its script says."""

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from resolvers.assets.data_connections import create_data_connection
from resolvers.engines.nl2sql.model import Asked, DraftFailure, Knowledge, Lookup, Outcome, QueryDraft
from tests.doors import RestDoor
from tests.support.chat import asked, begun, streamed
from tests.support.ingestion import Bench, Source, body_of, connected, source
from tests.world import StockedStore, World, running_world, settings_for

__all__ = ["Answered", "ScriptedDrafter", "drafter", "shop", "source", "world"]

SHOP = """
    drop schema if exists "Ünï ""x"".y Z" cascade;
    drop schema if exists sales cascade;
    create schema sales;
    create table sales.customers (
        id integer primary key, email varchar(120) not null unique, city text, credit numeric(10, 2)
    );
    create table sales.orders (
        id integer primary key, customer_id integer not null references sales.customers (id), placed date not null,
        total numeric(10, 2) not null
    );
    insert into sales.customers values
        (1, 'ada@example.org', 'Bonn', 10.50), (2, 'ben@example.org', 'Kiel', 20.25),
        (3, 'cy@example.org', 'Bonn', null);
    insert into sales.orders values
        (1, 1, '2024-01-05', 12.50), (2, 1, '2024-02-05', 7.25), (3, 2, '2024-02-06', 100.00),
        (4, 3, '2024-03-01', 0.10);
    analyze;
"""
Script = Outcome | Exception | Callable[[Asked, Knowledge, Lookup], Outcome]


def draft(sql: str, **given: Any) -> QueryDraft:
    """A draft of a query."""
    return QueryDraft(**{"sql": sql, "reading": f"Run {sql}.", "confidence": 0.9, "drafter": "scripted/1"} | given)


@dataclass
class ScriptedDrafter:
    """Answers each question with its script, and repairs with the next of `repairs`."""

    name: str = "scripted/1"
    script: dict[str, Script] = field(default_factory=dict)
    repairs: list[Outcome] = field(default_factory=list)
    asked: list[Asked] = field(default_factory=list)
    known: list[Knowledge] = field(default_factory=list)
    failures: list[Sequence[DraftFailure]] = field(default_factory=list)

    async def draft(self, asked: Asked, known: Knowledge, lookup: Lookup) -> Outcome:
        """Return what the script says."""
        self.asked.append(asked)
        self.known.append(known)
        found = self.script[asked.text]
        if isinstance(found, Exception):
            raise found
        return await asyncio.to_thread(found, asked, known, lookup) if callable(found) else found

    async def repair(self, asked: Asked, known: Knowledge, failures: Sequence[DraftFailure], lookup: Lookup) -> Outcome:
        """The next of the repairs."""
        self.failures.append(list(failures))
        return self.repairs.pop(0)


@pytest.fixture
def drafter() -> ScriptedDrafter:
    """Who drafts."""
    return ScriptedDrafter()


@pytest.fixture
async def world(
    stocked_store: StockedStore,
    tmp_path: Path,
    deployment: dict[str, Any],
    setting_overrides: dict[str, Any],
    drafter: ScriptedDrafter,
) -> AsyncIterator[World]:
    """The world, with that drafter behind the engine of the platform."""
    given: dict[str, Any] = {"token_leeway": 120}
    settings = settings_for(
        tmp_path, stocked_store.url, migrate_on_start=False, **(given | deployment | setting_overrides)
    )
    async with running_world(settings, stock=stocked_store.stock, drafter=drafter) as world:
        yield world


@pytest.fixture
async def shop(world: World, source: Source) -> Bench:
    """The shop, connected and ingested."""
    source.run(SHOP)
    source.may_read("sales")
    bench = await connected(world, RestDoor(world.client), body_of(source))
    await bench.ingest()
    return bench


@dataclass
class Answered:
    """A turn that is over."""

    turn: dict[str, Any]
    events: list[dict[str, Any]]

    def of(self, kind: str) -> list[dict[str, Any]]:
        """The data of the events of a kind."""
        return [event["data"] for event in self.events if event["event"] == kind]

    @property
    def steps(self) -> list[str]:
        """The steps that the engine told."""
        return [one["data"]["step"] for one in self.of("task_update") if one["agent"] is not None]

    @property
    def text(self) -> str:
        """Return what was said."""
        return "".join(one["delta"] for one in self.of("message_delta"))

    @property
    def done(self) -> dict[str, Any]:
        """The last event."""
        last = self.events[-1]
        assert last["final"] is True
        data: dict[str, Any] = last["data"]
        return data

    @property
    def result(self) -> dict[str, Any]:
        """The rows that were shown."""
        (found,) = self.of("result")
        return found


async def ask(
    world: World, text: str, *, session: str | None = None, token: str | None = None, **body: Any
) -> Answered:
    """Ask, and follow the answer to its end."""
    session = session or await begun(world, token)
    turn = await asked(world, session, text, token, **body)
    await world.jobs.settle()
    return Answered(turn, await streamed(world, turn, token))


async def second_shop(world: World, source: Source, **given: Any) -> Mapping[str, Any]:
    """Another connection to the same database."""
    from schema.assets.data_connection import DataConnectionCreate

    made: Mapping[str, Any] = await RestDoor(world.client)(
        create_data_connection, world.owner, connection=DataConnectionCreate(**body_of(source, **given))
    )
    return made
