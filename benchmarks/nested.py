"""`python -m benchmarks.nested`: a list of lists over the graph, by plans and by the library's executor alone.

250 objects with 250 objects each, four plain fields of every one, of one schema that Strawberry builds. Measured are
the CPU of carrying it out and the most memory that doing so took, each way for itself; the answers are compared first.
"""

import argparse
import statistics
import time
import tracemalloc
from collections.abc import Callable
from typing import Final

import strawberry
from rich.console import Console
from rich.table import Table

from schema.plan import PlanExecutor

SIDE: Final = 250
ROUNDS: Final = 5
QUERY: Final = "{ groups { name size open items { name size open note } } }"


@strawberry.type
class Item:
    """One object of the inner lists."""

    name: str
    size: int
    open: bool
    note: str | None


@strawberry.type
class Group:
    """One object of the outer list."""

    name: str
    size: int
    open: bool
    items: list[Item]


GROUPS: list[Group] = []


@strawberry.type
class Query:
    """The outer list."""

    @strawberry.field
    def groups(self) -> list[Group]:
        """All of them."""
        return GROUPS


def _filled(side: int) -> None:
    GROUPS[:] = [
        Group(
            name=f"group {outer}",
            size=outer,
            open=outer % 2 == 0,
            items=[Item(name=f"item {at}", size=at, open=True, note=None if at % 3 else "third") for at in range(side)],
        )
        for outer in range(side)
    ]


def _most_memory(execute: Callable[[], object]) -> float:
    """Megabytes at the most while something is carried out, its answer included."""
    tracemalloc.start()
    try:
        execute()
        return tracemalloc.get_traced_memory()[1] / 1e6
    finally:
        tracemalloc.stop()


def run(side: int, say: Callable[[str], None]) -> list[Table]:
    """Measure; the table."""
    say(f"the graph: a list of {side} x {side}")
    _filled(side)
    plans, library = strawberry.Schema(Query, execution_context_class=PlanExecutor), strawberry.Schema(Query)
    ways = {"plan": lambda: plans.execute_sync(QUERY), "library": lambda: library.execute_sync(QUERY)}
    assert ways["plan"]().data == ways["library"]().data == ways["plan"]().data
    took: dict[str, list[float]] = {name: [] for name in ways}
    for _ in range(ROUNDS):
        for name, execute in ways.items():
            started = time.process_time()
            execute()
            took[name].append((time.process_time() - started) * 1000)
    speed = {name: statistics.median(values) for name, values in took.items()}
    memory = {name: _most_memory(execute) for name, execute in ways.items()}
    table = Table(title=f"A nested list of {side} x {side} over the graph, {4 * side * side + 4 * side:,} fields")
    for head in ("what", "library", "plan", "ratio", "goal"):
        table.add_column(head, justify="left" if head == "what" else "right")
    ratio = speed["library"] / speed["plan"]
    table.add_row("CPU ms", f"{speed['library']:.1f}", f"{speed['plan']:.1f}", f"[bold]{ratio:.1f}[/bold]", ">= 15")
    share = memory["plan"] / memory["library"]
    told = f"{memory['library']:.1f}", f"{memory['plan']:.1f}", f"[bold]{share:.2f}[/bold]"
    table.add_row("most MB, the answer included", *told, "<= 0.10")
    return [table]


def main(arguments: list[str] | None = None) -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.nested", description=__doc__)
    parser.add_argument("--side", type=int, default=SIDE, help="objects of each list")
    for table in run(parser.parse_args(arguments).side, print):
        Console(width=150).print(table)


if __name__ == "__main__":
    main()
