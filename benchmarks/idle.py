"""`python -m benchmarks.idle`: what a server costs that nobody asks anything.

`stoa serve` as it comes, over an empty store, on SQLite and on PostgreSQL at the same time. After a minute, in which
start-up comes to rest, its CPU is read from /proc for another one, and its memory at the end.
"""

import argparse
import contextlib
import os
import subprocess
import tempfile
import time
import urllib.request
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from rich.console import Console
from rich.table import Table

from benchmarks.__main__ import process
from benchmarks.growth import memory_mb
from benchmarks.scorecard import STORES, stores
from persistence.samples.postgres import free_port

ALLOWED_CPU, ALLOWED_MB = 1.0, 200
STARTING_SECONDS = 180
_TICKS = os.sysconf("SC_CLK_TCK")


def cpu_seconds(pid: int) -> float:
    """CPU seconds that a process has taken, of user and system."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / _TICKS


@contextlib.contextmanager
def _server(url: str) -> Iterator[int]:
    """A server over a store; its process."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("STOA_")}
    with tempfile.TemporaryDirectory(prefix="stoa-bench-") as folder, open(os.devnull, "wb") as nowhere:
        port = free_port()
        settings = {"STOA_DATA": folder, "STOA_PORT": str(port), "STOA_SHUTDOWN_SECONDS": "0"}
        if not url.startswith("sqlite"):
            settings["STOA_DATABASE_URL"] = url.replace("postgresql+psycopg://", "postgresql://", 1)
        command = ("-c", "from rest_compat.cli import main; main()", "serve")
        with process(*command, env=kept | settings, stdout=nowhere, stderr=nowhere) as running:
            _ready(port, running)
            yield running.pid


def _ready(port: int, running: "subprocess.Popen[bytes]") -> None:
    """Wait until a server has started."""
    deadline = time.monotonic() + STARTING_SECONDS
    while time.monotonic() < deadline and running.poll() is None:
        with contextlib.suppress(OSError), urllib.request.urlopen(f"http://127.0.0.1:{port}/readyz"):
            return
        time.sleep(0.2)
    raise RuntimeError("a server did not start")


def run(names: Sequence[str], rest: float, seconds: float, say: Callable[[str], None]) -> list[Table]:
    """Start the servers, leave them alone, read; the table."""
    table = Table(title=f"A server without requests, {seconds:g} s after {rest:g} s of rest")
    for head in ("store", "% of a core", "goal", "MB of its own", "goal"):
        table.add_column(head, justify="left" if head == "store" else "right")
    with stores(names, say) as urls, contextlib.ExitStack() as closing:
        pids = {name: closing.enter_context(_server(url)) for name, url in urls.items()}
        say("resting")
        time.sleep(rest)
        started, before = time.monotonic(), {name: cpu_seconds(pid) for name, pid in pids.items()}
        say("reading")
        time.sleep(seconds)
        for name, pid in pids.items():
            share = 100 * (cpu_seconds(pid) - before[name]) / (time.monotonic() - started)
            table.add_row(name, f"{share:.2f}", f"<= {ALLOWED_CPU:g}", f"{memory_mb(pid):.0f}", f"<= {ALLOWED_MB}")
    return [table]


def main(arguments: list[str] | None = None) -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.idle", description=__doc__)
    parser.add_argument("--rest", type=float, default=60.0, help="seconds before it is read")
    parser.add_argument("--seconds", type=float, default=60.0, help="seconds for which it is read")
    parser.add_argument("--store", action="append", choices=STORES, help="only this store")
    given = parser.parse_args(arguments)
    console, started = Console(width=150), time.monotonic()
    for table in run(
        given.store or list(STORES),
        given.rest,
        given.seconds,
        lambda line: console.print(f"[dim]{time.monotonic() - started:5.0f} s  {line}[/dim]"),
    ):
        console.print(table)


if __name__ == "__main__":
    main()
