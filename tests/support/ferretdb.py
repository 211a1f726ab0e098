"""A FerretDB server for tests: MongoDB's protocol over SQLite, written by others than MongoDB and us.

The binary is named by STOA_FERRETDB_BIN, or is `ferretdb` on the PATH, or stands in `.cache/bin` of the checkout, where
`.ci/install-ferretdb` builds it.
"""

import os
import shutil
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.support.needs import missing
from tests.support.openfga import PATIENT
from tests.support.postgres import free_port

USER, PASSWORD, DATABASE = "ann", "right-pass-phrase", "shop"
"""Whom the server knows, and the database that knows them."""

_ROOT = Path(__file__).resolve().parents[2]


def ferretdb_binary() -> str:
    """Find the server, or skip the test with the command that builds it."""
    cached = _ROOT / ".cache" / "bin" / "ferretdb"
    found = (
        os.environ.get("STOA_FERRETDB_BIN") or shutil.which("ferretdb") or (str(cached) if cached.exists() else None)
    )
    if found is None:
        missing("A FerretDB server", "build it with `.ci/install-ferretdb`, or name it in STOA_FERRETDB_BIN")
    return found


@contextmanager
def ferretdb_server(folder: Path) -> Iterator[int]:
    """Run a server for as long as the block lasts, with its files in a folder; gives its port."""
    binary, port = ferretdb_binary(), free_port()
    command = [binary, "--handler=sqlite", f"--sqlite-url=file:{folder}/", f"--listen-addr=127.0.0.1:{port}"]
    command += ["--debug-addr=-", "--telemetry=disable", f"--state-dir={folder}", "--log-level=error"]
    command += ["--test-enable-new-auth", f"--setup-username={USER}", f"--setup-password={PASSWORD}"]
    command += [f"--setup-database={DATABASE}"]
    log = folder / "log"
    with log.open("wb") as output:
        process = subprocess.Popen(command, stdout=output, stderr=subprocess.STDOUT)
    try:
        if not _answers(port, process):
            pytest.fail(f"The FerretDB server did not start: {log.read_text(errors='replace')[-2000:]}")
        yield port
    finally:
        process.terminate()
        try:
            process.wait(timeout=10)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def _answers(port: int, process: subprocess.Popen[bytes]) -> bool:
    import pymongo

    deadline = time.monotonic() + 8 * PATIENT
    login = {"username": USER, "password": PASSWORD, "authSource": DATABASE}
    while time.monotonic() < deadline and process.poll() is None:
        with pymongo.MongoClient("127.0.0.1", port, serverSelectionTimeoutMS=500, **login) as client:
            try:
                client.server_info()
                client[DATABASE].list_collection_names()
            except pymongo.errors.PyMongoError:
                time.sleep(0.1)
            else:
                return True
    return False
