"""`python -m benchmarks.deliveries`: what reaches the receiver of webhooks while the processes that send are killed.

A server takes changes of violations through its REST door; each is an event in the transaction of the change. Workers
send the events to two webhooks. All of them are killed with SIGKILL at random moments, also while they start, and
started again. The receiver takes its time, answers some deliveries with 503, and checks every signature. In the end
what arrived is put beside the store and beside what the door had said: nothing may be lost, every event has one id
however often it comes, and the events of an asset come in order. On PostgreSQL two workers share the work; a file takes
one.
"""

import argparse
import asyncio
import itertools
import signal
import sys
import tempfile
import threading
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence, Set
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import httpx
import orjson
import sqlalchemy as sa
from rich.console import Console
from rich.table import Table

from benchmarks.killing import HOOKS, PATIENCE, Arrival, Killing, Place, prepare, receiving
from benchmarks.scorecard import STORES, stores
from persistence.tables.events import events
from persistence.tables.quality import violation_events
from persistence.tables.webhooks import webhook_deliveries

KILLS: Final = 200
WRITERS: Final = 3
MOST_BEHIND: Final = 400
"""How many events may wait for their delivery before nothing new happens for a while."""
OPENED, CLOSED = "open", "false_positive"
TYPES: Final = {None: "violation.opened", CLOSED: "violation.reopened", OPENED: "violation.resolved"}
"""What a move of a violation is, by the status that it leaves."""


class Changing:
    """Changes violations through the REST door, one writer for each of them, and keeps what it knows to have changed.

    An answer that does not come leaves open whether the change was made; the violation itself tells it afterwards.
    """

    def __init__(self, place: Place) -> None:
        self._place = place
        self.known: dict[str, list[str]] = {id: [OPENED] for id in place.violations}
        self.unanswered = 0

    @property
    def made(self) -> int:
        """How many changes there were."""
        return sum(map(len, self.known.values()))

    def change(self, ids: Sequence[str], is_over: Callable[[], bool]) -> None:
        """Change some violations in turns until told that it is enough."""
        headers = {"Authorization": f"Bearer {self._place.token}", "X-Project-ID": self._place.project}
        address = f"http://127.0.0.1:{self._place.port}"
        with httpx.Client(base_url=address, headers=headers, timeout=30) as client:
            for id in itertools.cycle(ids):
                while not is_over() and self.made - self._place.receiver.fewest() > MOST_BEHIND:
                    time.sleep(0.02)
                if is_over():
                    return
                self._one(client, id)
                time.sleep(0.01)

    def _one(self, client: httpx.Client, id: str) -> None:
        path, now = f"/data-readiness/violations/{id}", self.known[id][-1]
        wanted = OPENED if now == CLOSED else CLOSED
        answer = _answer(client, "PATCH", path, json={"status": wanted})
        if answer is None:
            self.unanswered += 1
            stands = self._status(client, path)
        else:
            stands = answer["status"]
        if stands != now:
            self.known[id].append(stands)

    @staticmethod
    def _status(client: httpx.Client, path: str) -> str:
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            if (answer := _answer(client, "GET", path)) is not None:
                return str(answer["status"])
            time.sleep(0.05)
        raise RuntimeError("the server did not come back")


def _answer(client: httpx.Client, method: str, path: str, **how: Any) -> dict[str, Any] | None:
    """Return what a request is answered with; None where no answer comes, or that it is to be asked again."""
    try:
        answer = client.request(method, path, **how)
    except httpx.TransportError:
        return None
    if answer.status_code == httpx.codes.SERVICE_UNAVAILABLE:
        return None
    if not answer.is_success:
        raise RuntimeError(f"{method} {path}: {answer.status_code} {answer.text}")
    told: dict[str, Any] = answer.json()
    return told


@dataclass(frozen=True)
class Figures:
    """Holds what was counted."""

    workers: int
    kills: Counter[str]
    unanswered: int
    events: int
    refused: int
    broken_off: int
    """Deliveries whose sender was killed before all of it was sent."""
    lost: int
    """Changes without an event, events of no change, and events that a webhook was not sent."""
    without_stable_id: int
    twice: int
    forged: int
    disordered: int
    seconds: float

    @property
    def is_right(self) -> bool:
        """Return whether all is as promised."""
        return not (self.lost or self.without_stable_id or self.forged or self.disordered)


def measured(place: Place, *, kills: int, workers: int, seed: int = 1) -> Figures:
    """Let things happen while processes are killed, wait until all is delivered, and count."""
    started = time.monotonic()
    asyncio.run(prepare(place))
    killing, changing, over = Killing(place, workers, kills, seed), Changing(place), threading.Event()
    try:
        killing.server.ready()
        with ThreadPoolExecutor(WRITERS + workers + 1) as threads:
            ids = list(place.violations)
            writers = [threads.submit(changing.change, ids[n::WRITERS], over.is_set) for n in range(WRITERS)]
            killers = [threads.submit(killing.of_workers, index) for index in range(workers)]
            others = [*writers, threads.submit(killing.of_the_server, over.is_set)]
            try:
                _wait_for(killers, others)
            finally:
                over.set()
                killing.enough()
            for one in others:
                one.result()
        _until_sent(place)
    finally:
        killing.end()
    return judged(place, changing, killing, time.monotonic() - started)


def _wait_for(enough: "Sequence[Future[None]]", others: "Sequence[Future[None]]") -> None:
    """Wait for the end of some; what another one fails with is raised at once."""
    while not all(one.done() for one in enough):
        for one in others:
            if one.done():
                one.result()
        time.sleep(0.05)
    for one in enough:
        one.result()


def _until_sent(place: Place) -> None:
    """Wait until nothing is in line any more, or it has taken too long."""
    unplaced = sa.select(sa.func.count()).select_from(events).where(events.c.sequence.is_(None))
    waiting = sa.select(sa.func.count()).select_from(webhook_deliveries)
    waiting = waiting.where(webhook_deliveries.c.status == "waiting")
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end and any(place.rows(query)[0][0] for query in (unplaced, waiting)):
        time.sleep(0.2)


def judged(place: Place, changing: Changing, killing: Killing, seconds: float) -> Figures:
    """Put what arrived beside what the store holds and what the door had said."""
    column = events.c
    stored = place.rows(sa.select(column.id, column.type, column.asset_fqn).order_by(column.sequence))
    moves = sa.select(violation_events.c.violation_id, violation_events.c.from_status, violation_events.c.to_status)
    history: defaultdict[str, list[Any]] = defaultdict(list)
    for row in place.rows(moves.order_by(violation_events.c.violation_id, violation_events.c.position)):
        history[row.violation_id].append(row)
    lost = 0
    for id, asset in place.violations.items():
        lost += _differences(changing.known[id], [move.to_status for move in history[id]])
        told = [event.type for event in stored if event.asset_fqn == asset]
        lost += _differences([TYPES[move.from_status] for move in history[id]], told)
    known = {event.id for event in stored}
    sums = Counter[str]()
    for hook in HOOKS:
        sums.update(compared(place.receiver.taken[hook], known))
    receiver = place.receiver
    return Figures(
        workers=len(killing.workers),
        kills=killing.kills,
        unanswered=changing.unanswered,
        events=len(stored),
        refused=receiver.refused,
        broken_off=receiver.broken_off,
        lost=lost + sums["lost"],
        without_stable_id=sums["without stable id"],
        twice=sums["twice"],
        forged=receiver.forged,
        disordered=sums["disordered"],
        seconds=seconds,
    )


def compared(arrived: Sequence[Arrival], known: Set[str]) -> dict[str, int]:
    """Count what is wrong with the deliveries to one webhook, in the order in which they came.

    `known` are the ids of all events. Out of order is an event that came for the first time after a later one of its
    asset; without a stable id is one whose header, body and store do not name the same, or whose content changed.
    """
    bodies: dict[str, bytes] = {}
    last: dict[str, int] = {}
    found = {"lost": 0, "twice": 0, "without stable id": 0, "disordered": 0}
    for one in arrived:
        body = orjson.loads(one.body)
        is_stable = one.id in known and body["id"] == one.id and bodies.get(one.id, one.body) == one.body
        found["without stable id"] += not is_stable
        if one.id in bodies:
            found["twice"] += 1
        else:
            sequence, before = int(body["sequence"]), last.get(body["subject"], 0)
            found["disordered"] += sequence <= before
            last[body["subject"]] = max(sequence, before)
        bodies[one.id] = one.body
    return found | {"lost": len(known - bodies.keys())}


def _differences(one: Sequence[str], other: Sequence[str]) -> int:
    return sum(a != b for a, b in itertools.zip_longest(one, other))


def main(arguments: list[str] | None = None) -> int:
    """Kill, count and print; the exit status says whether all was as promised."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.deliveries", description=__doc__)
    parser.add_argument("--kills", type=int, default=KILLS, help="how often a worker is killed")
    parser.add_argument("--seed", type=int, default=1, help="which random moments")
    parser.add_argument("--store", action="append", choices=STORES, help="only this store")
    given = parser.parse_args(arguments)
    console = Console(width=150)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # as by Ctrl-C, so that no process is left

    def say(line: str) -> None:
        console.print(f"[dim]{line}[/dim]")

    heads = (
        "store", "workers", "workers killed", "server killed", "changes unanswered", "events", "deliveries", "lost",
        "without stable id", "out of order", "forged", "again, same id", "broken off", "answered 503", "s",
    )  # fmt: skip
    table = Table(title="Events of changes made through REST, delivered while processes are killed (SIGKILL)")
    for head in heads:
        table.add_column(head, justify="left" if head == "store" else "right", no_wrap=head == "store")
    is_right = True
    with stores(given.store or list(STORES), say) as urls:
        for store, url in urls.items():
            with ExitStack() as closing:
                folder = Path(closing.enter_context(tempfile.TemporaryDirectory(prefix="stoa-bench-")))
                receiver = closing.enter_context(receiving())
                is_file = url.startswith("sqlite")
                place = Place(folder, None if is_file else url.replace("+psycopg", ""), receiver)
                say(f"{store}: killing workers {given.kills} times")
                found = measured(place, kills=given.kills, workers=1 if is_file else 2, seed=given.seed)
            is_right &= found.is_right
            told = (
                found.workers, found.kills["worker"], found.kills["server"], found.unanswered, found.events,
                found.events * len(HOOKS), found.lost, found.without_stable_id, found.disordered, found.forged,
                found.twice, found.broken_off, found.refused, f"{found.seconds:.0f}",
            )  # fmt: skip
            table.add_row(store, *map(str, told))
    console.print(table)
    return 0 if is_right else 1


if __name__ == "__main__":
    sys.exit(main())
