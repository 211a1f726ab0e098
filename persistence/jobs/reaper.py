"""Work that lost its process is handed on: heartbeats, one leader, and a sweep that never ends.

The job engine gives every piece of begun work to one executor and, by itself, never takes it back from another
process. So each process that runs jobs keeps a row in `workers` alive, and one of them, the leader, looks for begun
work whose executor has been silent too long and puts it back into its queue. The leader holds an advisory lock of
PostgreSQL, which a killed process loses at once. A leader that is silent itself (frozen, or cut off) does not stop
the others: they sweep as well, because two sweeps at once cost at most a second beginning of the same work.

Every process also looks after itself: work that is marked as its own but that it does not run (its start was lost in
a database failure, or it was given up) goes back too. And a process that finds its row gone was declared dead: it
gives up all it runs, since others run it now, and starts anew.

All moments are the database's clock, so the clocks of the hosts may differ.
"""

import asyncio
import contextlib
import logging
import platform
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, Protocol

import sqlalchemy as sa

from persistence.connecting import Connecting
from persistence.engine import Database
from persistence.tables.jobs import workers

log = logging.getLogger("stoa.jobs")

LEADER_LOCK = 0x53746F61_4A6F6273
"""The advisory lock's number: the letters of StoaJobs."""


@dataclass(frozen=True, slots=True)
class Claim:
    """Begun, unfinished work and the executor that holds it."""

    key: str
    executor_id: str


class Claims(Protocol):
    """Describes what the reaper asks of a job engine."""

    async def held(self) -> Sequence[Claim]:
        """All begun, unfinished work of all executors."""

    async def hand_back(self, keys: Sequence[str]) -> None:
        """Put begun, unfinished work back into its queue; what is over stays over."""

    def running(self) -> Collection[str]:
        """The keys that this process runs at this moment."""

    def give_up(self) -> None:
        """Cut off all that this process runs, without recording an end."""


class Reaper:
    """Keeps this process's heartbeat and hands on the work of silent ones. `lock_url` is None on SQLite.

    Without a lock address there is one process only, so only the look after one's own lost work remains.
    """

    def __init__(
        self,
        database: Database,
        claims: Claims,
        *,
        executor_id: str,
        version: str,
        lock_url: str | None,
        heartbeat_seconds: float,
        dead_seconds: float,
    ) -> None:
        self._database = database
        self._claims = claims
        self._executor_id = executor_id
        self._version = version
        self._lock_url = lock_url
        self._beat_every = heartbeat_seconds
        self._dead_after = timedelta(seconds=dead_seconds)
        self._connecting = Connecting()
        self._lock: Any = None
        self._suspects: frozenset[str] = frozenset()
        self._failing: set[str] = set()
        self._loop_task: asyncio.Task[None] | None = None

    @property
    def leading(self) -> bool:
        """Return whether this process holds the leader's lock, as far as it knows."""
        return self._lock is not None

    async def start(self) -> None:
        """Write the first heartbeat, then go on in the background. Raises DatabaseError when the store is away.

        Call it before the engine takes any work, so that whoever holds work has a row.
        """
        if self._lock_url is not None:
            await self._database.write(self._announce)
        self._loop_task = asyncio.get_running_loop().create_task(self._for_ever(), name="stoa-reaper")

    async def stop(self) -> None:
        """End the loop, give up leadership and take the row away, so that what is left is handed on at once."""
        if self._loop_task is not None:
            self._loop_task.cancel()
            await asyncio.gather(self._loop_task, return_exceptions=True)
            self._loop_task = None
        await self._connecting.close()
        await self._resign()
        if self._lock_url is not None:
            gone = sa.delete(workers).where(workers.c.executor_id == self._executor_id)
            with contextlib.suppress(Exception):  # a store that is away sees the silence instead
                await self._database.write(lambda connection: connection.execute(gone).rowcount)

    async def _for_ever(self) -> None:
        while True:
            await asyncio.sleep(self._beat_every)
            for step in (self._beat, self._try_to_lead, self.sweep_own, self._sweep_if_called_for):
                await self._survive(step)

    async def _survive(self, step: Callable[[], Any]) -> None:
        name = step.__name__.lstrip("_")
        try:
            await step()
        except Exception as error:  # a restarting database must not end the reaper
            if name not in self._failing:  # once per outage, not once per beat
                log.warning("the reaper's step %s fails and is tried on", name, exc_info=error)
            self._failing.add(name)
        else:
            if name in self._failing:
                log.warning("the reaper's step %s works again", name)
            self._failing.discard(name)

    async def _beat(self) -> None:
        if self._lock_url is None:
            return

        def beat(connection: sa.Connection) -> bool:
            values = {"heartbeat_at": sa.func.now(), "leader": self.leading}
            mine = workers.c.executor_id == self._executor_id
            return connection.execute(sa.update(workers).where(mine).values(values)).rowcount == 1

        if not await self._database.write(beat):
            log.warning("this process was taken for dead; it gives up its running jobs, which others have taken over")
            self._claims.give_up()
            await self._database.write(self._announce)

    def _announce(self, connection: sa.Connection) -> None:
        connection.execute(
            sa.insert(workers).values(
                executor_id=self._executor_id,
                heartbeat_at=sa.func.now(),
                started_at=sa.func.now(),
                host=platform.node()[:255],
                version=self._version,
                leader=False,
            )
        )

    async def _try_to_lead(self) -> None:
        import psycopg

        if self._lock is not None:
            try:
                await self._lock.execute("select 1")
            except psycopg.Error:
                await self._resign()
        if self._lock is None and self._lock_url is not None:
            address = sa.make_url(self._lock_url).set(drivername="postgresql")
            connection = await self._connecting(
                address.render_as_string(hide_password=False), autocommit=True, connect_timeout=10
            )
            try:
                row = await (await connection.execute("select pg_try_advisory_lock(%s)", (LEADER_LOCK,))).fetchone()
                if row is not None and row[0]:
                    self._lock = connection
                    log.info("this process leads: it hands on the work of silent ones")
            finally:
                if self._lock is not connection:
                    await connection.close()

    async def _resign(self) -> None:
        lock, self._lock = self._lock, None
        if lock is not None:
            with contextlib.suppress(Exception):
                await lock.close()

    async def sweep_own(self) -> None:
        """Hand back what is marked as this process's but is not running, once two looks in a row agree.

        One look is not enough: between the taking of work and the start of its thread it looks the same.
        """
        running = set(self._claims.running())
        mine = {claim.key for claim in await self._claims.held() if claim.executor_id == self._executor_id}
        lost = frozenset(mine - running - set(self._claims.running()))
        again, self._suspects = lost & self._suspects, lost
        if again:
            log.warning("%d jobs were taken but are not running; they go back to the queue", len(again))
            await self._claims.hand_back(sorted(again))

    async def _sweep_if_called_for(self) -> None:
        if self._lock_url is not None and (self.leading or not await self._database.read(self._fresh_leader)):
            await self.sweep()

    def _fresh_leader(self, connection: sa.Connection) -> bool:
        fresh = workers.c.heartbeat_at > sa.func.now() - self._dead_after
        return connection.execute(sa.select(workers.c.executor_id).where(workers.c.leader, fresh)).first() is not None

    async def sweep(self) -> int:
        """Hand on the work of every executor that has no fresh heartbeat; return how many pieces that were."""
        # The claims are read first: whoever made one had its row before, so a newcomer is never taken for dead.
        held = await self._claims.held()

        def living(connection: sa.Connection) -> set[str]:
            fresh = workers.c.heartbeat_at > sa.func.now() - self._dead_after
            return set(connection.execute(sa.select(workers.c.executor_id).where(fresh)).scalars())

        alive = await self._database.read(living)
        lost = [claim.key for claim in held if claim.executor_id not in alive]
        if lost:
            silent = {claim.executor_id for claim in held} - alive
            log.warning("%d jobs of %d silent processes are handed on", len(lost), len(silent))
            await self._claims.hand_back(lost)
        stale = sa.delete(workers).where(workers.c.heartbeat_at <= sa.func.now() - self._dead_after)
        await self._database.write(lambda connection: connection.execute(stale).rowcount)
        return len(lost)
