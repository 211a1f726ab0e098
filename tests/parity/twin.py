"""A world whose whole state can be put back, so that one call can be made twice: once through either door."""

import asyncio
import hashlib
import os
import re
from collections import Counter
from collections.abc import Coroutine
from copy import deepcopy
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path
from typing import Any

from pydantic import BaseModel, TypeAdapter

from tests.contract.stage import Stage
from tests.contract.test_permission_matrix import MATRIX, headers_of, places_of
from tests.doors import ROUTES, Sent
from tests.parity.doors import ABSENT, Answer, Call, by_graph, by_rest
from tests.parity.rows import NEW, PostgresRows, Rows, SqliteRows
from tests.world import Clock, World, running_world, settings_for

KEYS = re.compile(r"\bwh(?:sec|pk|sk)_[\w+/=]+")
"""Keys of webhooks, which are made by chance."""
TOOK = "<milliseconds>"
TRACE = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"


class StoppedClock(Clock):
    """A clock that shows one moment until a test moves it."""

    def __call__(self) -> Any:
        """The moment."""
        return self.moment


@dataclass
class Base:
    """A call that an operation would take as it is."""

    place: str
    plain: dict[str, Any]
    body: Any
    file: Sent | None
    headers: dict[str, str]


@dataclass
class Snapshot:
    """Everything that a call can change."""

    rows: Any
    blobs: dict[str, bytes]
    jobs: dict[str, Any]
    stamp: Any
    moment: Any


@dataclass
class Seen:
    """What one call did: its answer, how rows and blobs now differ from the stock's, and what it charged."""

    answer: Answer
    changes: Any
    charged: Any


@dataclass
class Twin:
    """The world, everything that stands in it, and how to put it back."""

    world: World
    runner: asyncio.Runner
    folder: Path
    url: str | None = None
    """Of the store, when it is no file."""
    bases: dict[str, list[Base]] = field(default_factory=dict)
    known: dict[str, list[str]] = field(default_factory=dict)
    tokens: dict[str, str | None] = field(default_factory=dict)

    def run(self, work: Coroutine[Any, Any, Any]) -> Any:
        """Run a coroutine on the world's own loop."""
        return self.runner.run(work)

    async def stock(self) -> None:
        """Put something of everything into the world, stop its clock, and remember all of it."""
        stage = await Stage.set(self.world)
        for case in (case for case in MATRIX if case.operation in ROUTES):  # what one door alone has cannot be compared
            for name in places_of(case):
                place = stage.places[name]
                made = await case.makes(stage, place)
                self._remember(case.operation, name, made, headers_of(case, place, stage.places["own"]))
        await self.world.jobs.settle()
        world, hour = self.world, 3600
        expired = world.token("olga", project=world.shop, ttl=1)
        world.clock.moment += timedelta(seconds=hour)
        self.tokens = {
            "owner": world.owner,
            "viewer": world.token("viewer-of-project", project=world.shop),
            "developer": world.token("developer-of-project", project=world.shop),
            "member": world.token("member-of-organization", project=world.shop),
            "operator": world.token("operator-of-project", project=world.shop),
            "nobody": world.token("nobody", project=world.shop),
            "stranger": world.foreign_owner,
            "unselected": world.token("olga"),
            "nowhere": None,
            "expired": expired,
            "garbage": "garbage",
        }
        world.clock.__class__ = StoppedClock
        self.world.app.parts.worker.take_up = _idle  # nothing happens but what a call does
        self.rows: Rows = SqliteRows(self.folder) if self.url is None else PostgresRows(self.url)
        self.where = self.folder / "data" / "blobs"
        self.standing = self.base = self._snapshot()
        self.base_blobs = Counter(hashlib.sha256(data).hexdigest() for data in self.base.blobs.values())
        self.ids = self.rows.ids()

    def _remember(self, operation: str, place: str, made: dict[str, Any], headers: dict[str, str]) -> None:
        op = ROUTES[operation].operation
        file = made.pop(op.upload.name) if op.upload is not None else None
        plain = {n: v for n, v in made.items() if op.body is None or n != op.body.name}
        body: Any = ABSENT
        if op.body is not None and op.body.name in made:
            body = _json(made[op.body.name])
        self.bases.setdefault(operation, []).append(Base(place, _json(plain), body, file, headers))
        for where in (plain, *([body] if isinstance(body, dict) else [])):
            for name, value in where.items():
                if isinstance(value, str):
                    self.known.setdefault(name, []).append(value)

    def restore(self) -> None:
        """Put everything back as it was when the stock was complete."""
        self._put_back(self.base)
        self.standing = self.base
        self.world.clock.moment = self.base.moment

    def twice(self, call: Call, other: Any = by_graph) -> tuple[Seen, Seen]:
        """Make the call through REST, put everything back, make it through another door, and leave it at that."""
        self.world.clock.moment += timedelta(seconds=1)
        if self.standing is None:  # the last call has changed something
            self.standing = self._snapshot()
        before = self.standing
        rest = self.run(self._seen(by_rest, call))
        self._put_back(before)
        graph = self.run(self._seen(other, call))
        if self.rows.stamp() != before.stamp or self._blob_names() != set(before.blobs):
            self.standing = None
        return rest, graph

    def after_one_another(self, call: Call) -> tuple[Seen, Seen]:
        """Make the call through REST and then, on what it did, through the graph."""
        rest = self.run(self._seen(by_rest, call))
        graph = self.run(self._seen(by_graph, call))
        self.standing = None
        if graph.changes is None:  # nothing was committed: what stands is what the first call left
            graph.changes = rest.changes
        return rest, graph

    def _snapshot(self) -> "Snapshot":
        entries = dict(self.world.jobs._entries)
        return Snapshot(self.rows.copy(), self._blobs(), entries, self.rows.stamp(), self.world.clock.moment)

    def _put_back(self, snapshot: "Snapshot") -> None:
        if self.rows.stamp() != snapshot.stamp:
            self.rows.put_back(snapshot.rows)
            snapshot.stamp = self.rows.stamp()
        there = self._blob_names()
        for name in there - set(snapshot.blobs):
            (self.where / name).unlink()
        for name in set(snapshot.blobs) - there:
            (self.where / name).write_bytes(snapshot.blobs[name])
        self.world.jobs._entries.clear()
        self.world.jobs._entries.update(snapshot.jobs)

    async def _seen(self, send: Any, call: Call) -> Seen:
        parts = self.world.app.parts
        windows = parts.context_factory.limiter._memory._windows
        windows.clear()
        parts.context_factory.tenant_rows._known.clear()
        parts.services.refusals._seen.clear()
        stamp, blobs = self.rows.stamp(), self._blob_names()
        answer = await send(self.world.client, deepcopy(call))
        await self.world.jobs.settle()
        charged = {key: len(times) for key, times in windows.items() if times}
        named: dict[str, str] = {}
        for text in NEW.findall(answer.raw):
            if text not in self.ids:
                named.setdefault(text, f"<new {len(named)}>")
        answer.told = self._plain(answer.told, named)
        changed = self.rows.stamp() != stamp or self._blob_names() != blobs
        return Seen(answer, (self._changes(named) or None) if changed else None, charged)

    def _plain(self, value: Any, named: dict[str, str]) -> Any:
        """A value without what is random: a new id is named by its place in the answer, or else only marked as new."""
        if isinstance(value, str):
            value = KEYS.sub("<key>", value)
            return NEW.sub(lambda m: m[0] if m[0] in self.ids else named.get(m[0], "<new>"), value)
        if isinstance(value, dict):
            return {
                self._plain(name, named): TOOK
                if name in ("latency_ms", "milliseconds") and item is not None
                else self._plain(item, named)
                for name, item in value.items()
            }
        if isinstance(value, list | tuple):
            return [self._plain(item, named) for item in value]
        return value

    def _changes(self, named: dict[str, str]) -> dict[str, Any]:
        """How the rows and the blobs differ from the stock's."""
        changes: dict[str, Any] = {
            key: sorted(repr(self._plain(row, named)) for row in rows) for key, rows in self.rows.differences().items()
        }
        blobs = Counter(hashlib.sha256(data).hexdigest() for data in self._blobs().values())
        if blobs != self.base_blobs:
            changes["blobs"] = blobs
        return changes

    def _blob_names(self) -> set[str]:
        above = len(str(self.where)) + 1
        return {f"{folder}/{name}"[above:] for folder, _, names in os.walk(self.where) for name in names}

    def _blobs(self) -> dict[str, bytes]:
        return {name: (self.where / name).read_bytes() for name in self._blob_names()}


def started(folder: Path, url: str | None = None) -> tuple[Twin, Any]:
    """A stocked twin, on a migrated store in its folder or at an address, and what closes it."""
    runner = asyncio.Runner()
    living = running_world(settings_for(folder, url, migrate_on_start=False, mcp_answer_bytes=10_000_000))
    twin = Twin(runner.run(living.__aenter__()), runner, folder, url)
    runner.run(twin.stock())

    def close() -> None:
        runner.run(living.__aexit__(None, None, None))
        runner.close()

    return twin, close


async def _idle() -> None:
    """Take up nothing."""


def _json(value: Any) -> Any:
    if isinstance(value, BaseModel):
        return value.model_dump(mode="json", exclude_unset=True)
    if isinstance(value, list):
        return [_json(item) for item in value]
    if isinstance(value, dict):
        return {name: _json(item) for name, item in value.items()}
    return TypeAdapter(Any).dump_python(value, mode="json")
