"""A small process that runs jobs, for tests that kill it: `python -m tests.support.job_worker '{...}'`.

It registers three kinds of work. `fan` plans `n` tasks that each sleep and then leave an effect; `poison` kills its
own process; `slow` sleeps once. What happens is appended to a ledger file outside the engine, one line per event
(`begin`, `effect` or `end`, then the key, then the process id). An effect is keyed: the file that stands for it can
be created once only, so a second beginning leaves no second effect. Prints `ready` when it has started. SIGTERM
stops it in order, or lets it end without a word when `stop_in_order` is false.
"""

import asyncio
import json
import logging
import os
import signal
import sys
import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from persistence.engine import Database
from persistence.jobs.dbos import DbosJobs
from persistence.jobs.port import FanOut, JobContext, JobOutcome, Jobs, JobSettings, JobTask
from persistence.tables import metadata
from persistence.tables.jobs import job_ledger, workers

QUICK: dict[str, Any] = {
    "job_poll_seconds": 0.05,
    "worker_heartbeat_seconds": 0.2,
    "worker_dead_seconds": 1.5,
    "job_stop_seconds": 5.0,
}
"""Settings that make a test short."""


@dataclass(frozen=True)
class Place:
    """Where a set of processes meets: the store, the data folder and the ledger in it."""

    url: str
    data: str

    @property
    def folder(self) -> Path:
        """The data folder."""
        return Path(self.data)

    def engine(self, database: Database, *, executes: bool, **settings: Any) -> DbosJobs:
        """A job engine of this place."""
        chosen = JobSettings(**{**QUICK, **settings})
        return DbosJobs(chosen, database, data=self.folder, database_url=self.url, executes=executes)

    def note(self, event: str, key: str) -> None:
        """Append one line to the ledger; short appends are never torn."""
        handle = os.open(self.folder / "ledger", os.O_WRONLY | os.O_APPEND | os.O_CREAT)
        os.write(handle, f"{event} {key} {os.getpid()}\n".encode())
        os.close(handle)

    def lines(self, event: str) -> list[tuple[str, int]]:
        """The (key, process) of every line of that event."""
        ledger = self.folder / "ledger"
        words = [line.split() for line in ledger.read_text().splitlines()] if ledger.exists() else []
        return [(key, int(process)) for kind, key, process in words if kind == event]

    def count(self, event: str) -> Counter[str]:
        """How often each key had that event."""
        return Counter(key for key, _ in self.lines(event))

    def effects(self) -> set[str]:
        """The keys that left their effect. A process may be killed between an effect and its line in the ledger."""
        folder = self.folder / "effects"
        return {path.name.replace("+", "/") for path in folder.iterdir()} if folder.exists() else set()

    def effect(self, key: str) -> None:
        """Leave the effect of a key, which is possible once."""
        try:
            (self.folder / "effects").mkdir(exist_ok=True)
            (self.folder / "effects" / key.replace("/", "+")).touch(exist_ok=False)
        except FileExistsError:
            return
        self.note("effect", key)


async def create_tables(database: Database) -> None:
    """The two tables that the engine needs."""
    await database.write(lambda connection: metadata.create_all(connection, tables=[workers, job_ledger]))


async def until(true: Callable[[], Any], what: str, *, patience: float = 240.0) -> None:
    """Wait for a condition, plain or asynchronous."""
    end = time.monotonic() + patience
    while True:
        value = true()
        if value if isinstance(value, bool) else await value:
            return
        assert time.monotonic() < end, f"waited in vain for: {what}"
        await asyncio.sleep(0.02)


def register(jobs: Jobs, place: Place) -> None:
    """Give the names of this module their work."""

    async def plan(context: JobContext, arguments: dict[str, Any]) -> Sequence[JobTask]:
        place.note("begin", f"{context.job}#plan")
        await asyncio.sleep(arguments.get("plan_seconds", 0))
        place.note("end", f"{context.job}#plan")
        return [JobTask(f"t{i}", {"i": i, **arguments}) for i in range(arguments["n"])]

    async def task(context: JobContext, arguments: dict[str, Any]) -> dict[str, Any]:
        key = f"{context.job}/{context.key}"
        place.note("begin", key)
        if arguments.get("poison") == arguments["i"]:
            os.kill(os.getpid(), signal.SIGKILL)
        if arguments.get("raises") == arguments["i"]:
            raise ValueError("a secret that must not be shown")
        await asyncio.sleep(arguments["seconds"])
        place.effect(key)
        place.note("end", key)
        return {"double": 2 * arguments["i"]}

    async def finish(context: JobContext, arguments: dict[str, Any], outcomes: Sequence[JobOutcome]) -> dict[str, Any]:
        place.note("begin", f"{context.job}#finish")
        await asyncio.sleep(arguments.get("finish_seconds", 0))
        place.effect(f"{context.job}#finish")
        place.note("end", f"{context.job}#finish")
        return {"states": dict(Counter(outcome.state.value for outcome in outcomes))}

    async def slow(context: JobContext, arguments: dict[str, Any]) -> dict[str, Any]:
        place.note("begin", context.key)
        await asyncio.sleep(arguments["seconds"])
        place.effect(context.key)
        return {"attempt": context.attempt}

    jobs.register("fan", FanOut(plan=plan, task=task, finish=finish))
    jobs.register("slow", slow)


async def _main(place: Place, settings: dict[str, Any]) -> None:
    stopped = asyncio.Event()
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, stopped.set)
    database = Database(place.url)
    in_order = settings.pop("stop_in_order", True)
    jobs = place.engine(database, executes=True, **settings)
    register(jobs, place)
    await jobs.start()
    sys.stdout.write(f"ready {jobs.executor_id}\n")
    sys.stdout.flush()
    await stopped.wait()
    if not in_order:
        return
    await jobs.stop()
    await database.close()
    sys.stdout.write("stopped\n")


def command(place: Place, **settings: Any) -> list[str]:
    """The command line that starts this process."""
    return [sys.executable, "-m", "tests.support.job_worker", json.dumps({"place": asdict(place), "with": settings})]


if __name__ == "__main__":
    logging.basicConfig(level=logging.INFO)
    given = json.loads(sys.argv[1])
    asyncio.run(_main(Place(**given["place"]), given["with"]))
