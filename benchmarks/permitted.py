"""`python -m benchmarks.permitted`: a list of what a caller may see, of an organization that has far more.

An organization with 10,000 projects, of which one caller may read 100. Their list of 100 stands beside the first 100 of
the owner, who may read all: again and again while no relation changes, and each time after one has changed. Each list
is a request's own, with a guard that knows nothing yet.
"""

import argparse
import asyncio
import statistics
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Final
from uuid import uuid4

from rich.console import Console
from rich.table import Table

from auth.caller import Caller
from auth.guard import Guard
from auth.relations import RelationTuple, object_name, user_subject
from benchmarks.data import ORGANIZATION, settings_of
from benchmarks.scorecard import STORES, stores
from persistence.jobs.port import InlineJobs
from persistence.tables.governance import projects
from resolvers.context import Context
from resolvers.governance.projects import list_projects, project_relations
from rest_compat.app import Parts
from rest_compat.setup import bootstrap_organization
from schema.governance.project import Project

OWNER, CALLER = "olga", "vera"
AT_ONCE: Final = 500
GOAL: Final = 1.5
SEEN: Final = 100


async def _filled(parts: Parts, many: int) -> None:
    """Projects as the platform makes them, every so many of them with the caller as a viewer."""
    every, now = max(1, many // SEEN), parts.clock()
    made = {"organization_id": ORGANIZATION, "created_by": OWNER, "created_at": now, "updated_at": now}
    for start in range(0, many, AT_ONCE):
        some = [
            Project.model_validate({"id": str(uuid4()), "name": f"project {number:06d}", "description": None, **made})
            for number in range(start, min(many, start + AT_ONCE))
        ]
        relations = [one for project in some for one in project_relations(project)]
        relations += [
            RelationTuple(user_subject(CALLER), "viewer", object_name("project", project.id))
            for number, project in enumerate(some, start)
            if number % every == 0
        ]

        def work(uow: Any, some: list[Project] = some, relations: list[RelationTuple] = relations) -> None:
            rows = [{"id": one.id, "name": one.name, "revision": 1, **made} for one in some]
            uow.connection.execute(projects.insert(), rows)
            uow.relate(ORGANIZATION, writes=relations)

        await parts.services.store.write(work)
    if parts.database.dialect == "postgresql":  # as the server does by itself within a minute
        await parts.services.store.write(lambda uow: uow.connection.exec_driver_sql("analyze"))


async def _listed(parts: Parts, user: str) -> float:
    """Milliseconds of one list of a hundred, as a request of its own."""
    services = parts.services
    caller = Caller(user_id=user, organization_id=ORGANIZATION)
    ctx = Context(caller=caller, request_id="bench", services=services, guard=Guard(services.relations))
    started = time.perf_counter()
    page = await list_projects(ctx, page=1, limit=SEEN)
    took = (time.perf_counter() - started) * 1000
    assert len(page.items) == SEEN
    return took


async def _changed(parts: Parts, turn: int) -> None:
    """Change a relation that concerns neither."""
    one = RelationTuple(user_subject(f"somebody-{turn}"), "member", object_name("organization", ORGANIZATION))
    await parts.services.store.write(lambda uow: uow.relate(ORGANIZATION, writes=[one]))


async def measured(url: str, folder: Path, many: int, rounds: int) -> list[tuple[str, float, float]]:
    """Return what was asked, with the median milliseconds of the owner and of the caller."""
    plain = None if url.startswith("sqlite") else url.replace("postgresql+psycopg://", "postgresql://", 1)
    settings = settings_of(folder, plain)
    await bootstrap_organization(settings, ORGANIZATION, OWNER, "Bench")
    parts = Parts(settings, jobs=InlineJobs(), watches=False)
    await parts.open()
    try:
        await _filled(parts, many)
        found = []
        for name, changes in (("unchanged relations", False), ("after a change of relations", True)):
            took: dict[str, list[float]] = {OWNER: [], CALLER: []}
            for turn in range(rounds + 1):
                for user, times in took.items():
                    if changes:
                        await _changed(parts, 2 * turn + (user == OWNER))
                    times.append(await _listed(parts, user))
            found.append((name, statistics.median(took[OWNER][1:]), statistics.median(took[CALLER][1:])))
        return found
    finally:
        await parts.close()


def run(many: int, rounds: int, names: Sequence[str], say: Callable[[str], None]) -> list[Table]:
    """Fill, measure; the table."""
    table = Table(title=f"A list of {SEEN} for a caller who may see {SEEN} of {many:,}, beside an owner's")
    for head in ("store", "list", "owner ms", "caller ms", "ratio", "goal"):
        table.add_column(head, justify="left" if head in ("store", "list") else "right")
    with stores(names, say) as urls, tempfile.TemporaryDirectory(prefix="stoa-bench-") as folder:
        for store, url in urls.items():
            say(f"{store}: {many:,} projects")
            for name, owner, caller in asyncio.run(measured(url, Path(folder) / store, many, rounds)):
                ratio = f"[bold]{caller / owner:.1f}[/bold]"
                table.add_row(store, name, f"{owner:.2f}", f"{caller:.2f}", ratio, f"<= {GOAL}")
    return [table]


def main(arguments: list[str] | None = None) -> None:
    """Fill, measure and print."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.permitted", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="few projects, to see that it runs")
    parser.add_argument("--projects", type=int, default=10_000, help="how many there are")
    parser.add_argument("--store", action="append", choices=STORES, help="only this store")
    given = parser.parse_args(arguments)
    console, started = Console(width=150), time.monotonic()
    many, rounds = (200, 3) if given.quick else (given.projects, 9)
    for table in run(
        many,
        rounds,
        given.store or list(STORES),
        lambda line: console.print(f"[dim]{time.monotonic() - started:5.0f} s  {line}[/dim]"),
    ):
        console.print(table)


if __name__ == "__main__":
    main()
