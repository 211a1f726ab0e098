"""`python -m benchmarks.catalogs`: what reading a large catalog costs beside a small one, in one store and in one run.

Both catalogs are taken in by the platform's own ingestion. Measured are the functions that an operation hands to the
store, with the exact total that each page has; the ratio is that of the medians. Each question is asked anew, as
after a change of the catalog, and then again while the catalog stands.
"""

import argparse
import asyncio
import statistics
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final

from rich.console import Console
from rich.table import Table

from benchmarks.data import BATCH, NOUNS, NOW, SERVICE, WORD, _table
from benchmarks.scorecard import STORES, stores
from persistence.engine import Database
from persistence.migrations.run import upgrade
from persistence.queries.asset_pages import Hits
from persistence.queries.catalog import search_assets
from persistence.queries.catalog_ingest import refresh_statistics, upsert_source
from persistence.queries.metadata_search import Window
from persistence.repository import Scope
from resolvers.engines.catalog_diff import judge
from resolvers.engines.query_string import parse_query
from schema.utils.metadata_asset import AssetType
from schema.utils.source_asset import SourceAsset

COLUMNS: Final = 50
URI: Final = "data:bench:{}:main"


@dataclass(frozen=True)
class Size:
    """Holds how many columns the catalogs have, and how often each question is asked."""

    small: int
    large: int
    rounds: int


FULL: Final = Size(small=10_000, large=200_000, rounds=15)
QUICK: Final = Size(small=500, large=2_000, rounds=3)

CHILDREN: Final = ("children of a table, limit 50", {"fqn_prefix": f"{SERVICE}.db.public.{WORD}_0000"}, "", 50, 1.5)
QUESTIONS: Final[tuple[tuple[str, dict[str, str], str, int, float | None], ...]] = (
    CHILDREN,
    ("q, the name of one table", {}, f"{WORD}_0000", 50, 1.5),
    ("q, one word that a tenth of the tables has", {}, WORD, 50, 1.5),
    ("q, two words that one table has", {}, f"{WORD} 0000", 50, 1.5),
    ("q, two words that one column in fifty has", {}, "value 12", 50, 1.5),
    ("exact total of all", {}, "", 0, 3.0),
    ("exact total of a word", {}, WORD, 0, 3.0),
)
"""What is asked: filters, `q`, the rows of the page (0: the total alone), and the ratio that is wanted."""


async def _filled(database: Database, project: str, columns: int) -> float:
    """Take in a catalog; seconds."""
    scope, started = Scope("bench", project), time.perf_counter()
    names = [f"{NOUNS[number % len(NOUNS)]}_{number:04d}" for number in range(columns // COLUMNS)]
    top = [SourceAsset(AssetType.DATABASE, ("db",)), SourceAsset(AssetType.DATABASE_SCHEMA, ("db", "public"))]
    for at in range(0, len(names), BATCH):
        batch = [*(top if at == 0 else ()), *(one for name in names[at : at + BATCH] for one in _table(name, COLUMNS))]
        await database.write(
            lambda connection, batch=batch: upsert_source(  # type: ignore[misc]
                connection, scope, URI.format(project), SERVICE, batch, actor="ingestion", now=NOW, judge=judge
            )
        )
    await database.write(refresh_statistics)
    return time.perf_counter() - started


@dataclass(frozen=True)
class Asked:
    """Holds the median milliseconds of a question in the small and in the large catalog, and the ratio wanted."""

    name: str
    anew: tuple[float, float]
    again: tuple[float, float]
    wanted: float | None


async def measured(url: str, size: Size, say: Callable[[str], None]) -> list[Asked]:
    """Each question, asked of both catalogs in turns."""
    await asyncio.to_thread(upgrade, url)
    database = Database(url, pool_size=2)
    try:
        for project, columns in (("small", size.small), ("large", size.large)):
            say(f"  {columns:,} columns in {await _filled(database, project, columns):.0f} s")
        found = []
        for name, filters, q, limit, wanted in QUESTIONS:
            took: dict[tuple[str, bool], list[float]] = {}
            for _ in range(size.rounds):
                for project in ("small", "large"):
                    scope, hits = Scope("bench", project), Hits()
                    window = Window(limit=limit or 1, offset=0 if limit else 10**9)  # beyond all rows: the total alone

                    def work(connection: Any, scope: Scope = scope, window: Window = window, hits: Hits = hits) -> int:
                        query = parse_query(q or None)  # noqa: B023
                        return search_assets(connection, scope, query, window=window, hits=hits, **filters).total  # noqa: B023

                    for again in (False, True):
                        started = time.perf_counter()
                        assert await database.read(work) > 0
                        took.setdefault((project, again), []).append((time.perf_counter() - started) * 1000)
            anew, kept = (
                (statistics.median(took["small", again]), statistics.median(took["large", again]))
                for again in (False, True)
            )
            found.append(Asked(name, anew, kept, wanted))
        return found
    finally:
        await database.close()


def run(size: Size, names: Sequence[str], say: Callable[[str], None]) -> list[Table]:
    """Fill, measure; the table."""
    table = Table(title=f"A catalog of {size.large:,} columns beside one of {size.small:,}, in one run")
    for head in (
        "store",
        "asked",
        f"{size.small:,} ms",
        f"{size.large:,} ms",
        "ratio",
        "ms again",
        "ratio again",
        "goal",
    ):
        table.add_column(head, justify="left" if head in ("store", "asked") else "right")
    with stores(names, say) as urls:
        for store, url in urls.items():
            say(f"{store}: filling catalogs")
            for one in asyncio.run(measured(url, size, say)):
                goal = "" if one.wanted is None else f"<= {one.wanted:g}"
                (few, many), (few_again, many_again) = one.anew, one.again
                ratios = [f"[bold]{large / small:.2f}[/bold]" for small, large in (one.anew, one.again)]
                again = f"{few_again:.2f} / {many_again:.2f}"
                table.add_row(store, one.name, f"{few:.2f}", f"{many:.2f}", ratios[0], again, ratios[1], goal)
    return [table]


def main(arguments: list[str] | None = None) -> None:
    """Fill, measure and print."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.catalogs", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="little data, to see that it runs")
    parser.add_argument("--columns", type=int, default=FULL.large, help="columns of the large catalog")
    parser.add_argument("--store", action="append", choices=STORES, help="only this store")
    given = parser.parse_args(arguments)
    console, started = Console(width=150), time.monotonic()
    size = QUICK if given.quick else Size(FULL.small, given.columns, FULL.rounds)
    for table in run(
        size,
        given.store or list(STORES),
        lambda line: console.print(f"[dim]{time.monotonic() - started:5.0f} s  {line}[/dim]"),
    ):
        console.print(table)


if __name__ == "__main__":
    main()
