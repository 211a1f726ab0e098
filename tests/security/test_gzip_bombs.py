"""A small file that unpacks to more than the machine holds: reading it ends when nobody waits for it any more."""

import asyncio
import gzip
import resource
import threading
import time
from collections.abc import Collection
from pathlib import Path

import pytest

from persistence.connectors.core.base import Connector, ConnectorError, ConnectorSettings
from persistence.connectors.core.gateway import Gateway
from tests.support.sources import Loopback, opened

MEMBERS = 4000
"""Gzip files joined one behind the other are one: 4,000 times 8 MB are 32 GB, in a few dozen MB."""

BOMBS = {
    "rows.csv.gz": b"1,2\n" * (1 << 21),
    "line.csv.gz": b"a" * (8 << 20),
    "blank.csv.gz": b"\n" * (8 << 20),
    "quote.csv.gz": b'1,"' + b"a\n" * (4 << 20),
    "latin.tsv.gz": b"1\t\xe9\n" * (1 << 21),
    "text.json.gz": b'{"a":"' + b"a" * (8 << 20),
    "rows.ndjson.gz": b'{"a":1}\n' * (1 << 20),
}


PATIENCE = 40
"""Seconds that a busy machine may take to stop; unpacking a bomb to its end takes minutes."""


def planted(folder: Path, name: str, members: int = MEMBERS) -> None:
    """A bomb in a folder."""
    head = b"" if "json" in name else b"id,name\n1,2\n"
    (folder / name).write_bytes(gzip.compress(head, 1) + gzip.compress(BOMBS[name], 9) * members)


def read(connector: Connector) -> None:
    """Bring the one table there is to where it can be queried."""
    (schema,) = connector.schemas()
    with connector.source() as source:
        source.relation(schema.database, schema.name, schema.tables[0])


def at_work(besides: Collection[threading.Thread] = ()) -> list[threading.Thread]:
    """Threads in which connectors are, besides those of other tests."""
    return [one for one in threading.enumerate() if one.name == "stoa-connector" and one not in besides]


@pytest.mark.anyio
@pytest.mark.parametrize("name", BOMBS)
async def test_a_cancelled_reading_stops_unpacking(tmp_path: Path, name: str) -> None:
    folder, scratch = tmp_path / "files", tmp_path / "scratch"
    folder.mkdir()
    scratch.mkdir()
    planted(folder, name)
    settings = ConnectorSettings(filesystem_roots=(f"*={folder}",), source_scratch=str(scratch))
    gateway = Gateway(settings, Loopback())
    peak, before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, at_work()
    task = asyncio.ensure_future(gateway.use("nfs", {"path": str(folder)}, {}, read, organization="acme", timeout=600))
    await asyncio.wait({task}, timeout=0.7)
    if not task.done():
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
    else:
        with pytest.raises(ConnectorError, match="cannot be read"):
            task.result()
    patience = time.monotonic() + PATIENCE
    while at_work(before) and time.monotonic() < patience:
        await asyncio.sleep(0.05)
    assert not at_work(before)
    assert not list(scratch.iterdir())
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - peak < 600 << 10


@pytest.mark.parametrize("name", ["rows.csv.gz", "rows.ndjson.gz", "latin.tsv.gz"])
def test_no_more_is_unpacked_than_the_deployment_copies(tmp_path: Path, name: str) -> None:
    planted(tmp_path, name)
    with (
        opened("nfs", {"path": str(tmp_path)}, roots=(str(tmp_path),), source_copy_bytes=32 << 20) as connector,
        pytest.raises(ConnectorError, match="STOA_SOURCE_COPY_BYTES"),
    ):
        read(connector)


def test_a_cancelled_look_at_the_columns_stops_too(tmp_path: Path) -> None:
    (tmp_path / "empty.csv.gz").write_bytes(gzip.compress(b"") * 200_000)
    with opened("nfs", {"path": str(tmp_path)}, roots=(str(tmp_path),)) as connector:
        (schema,) = connector.schemas()
        threading.Timer(0.05, connector.cancel).start()
        time.sleep(0.1)
        with pytest.raises(ConnectorError) as caught:
            list(connector.tables(schema.database, schema.name, schema.tables))
        assert caught.value.kind == "cancelled"
