"""A real OpenFGA server for tests: found, started on free ports with the memory store, and stopped.

The binary is named by STOA_OPENFGA_BIN, or is `openfga` on the PATH, or `.cache/bin/openfga` of the checkout, where
`GOBIN=$PWD/.cache/bin go install github.com/openfga/openfga/cmd/openfga@v1.22.1` puts it.
"""

import os
import shutil
import subprocess
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.support.needs import missing
from tests.support.postgres import free_port

VERSION = "v1.22.1"
"""The server that the suite was written against."""
PATIENT = 30.0
"""Seconds to wait for an answer: on a machine that is busy otherwise a whole process may stand still for a while."""

_ROOT = Path(__file__).resolve().parents[2]


def openfga_binary() -> str:
    """Find the server, or skip the test with the command that builds it."""
    named = os.environ.get("STOA_OPENFGA_BIN")
    cached = _ROOT / ".cache" / "bin" / "openfga"
    found = named or shutil.which("openfga") or (str(cached) if cached.exists() else None)
    if found is None:
        missing(
            "An OpenFGA server",
            "build it with `GOBIN=$PWD/.cache/bin go install "
            f"github.com/openfga/openfga/cmd/openfga@{VERSION}`, or name it in STOA_OPENFGA_BIN",
        )
    return found


@contextmanager
def openfga_server(*, token: str | None = None) -> Iterator[str]:
    """Run a server for as long as the block lasts; gives its address. `token` is the key that it asks for."""
    binary = openfga_binary()
    last = ""
    for _ in range(3):  # a free port may be taken between the look and the start
        http, grpc = free_port(), free_port()
        command = [binary, "run", f"--http-addr=127.0.0.1:{http}", f"--grpc-addr=127.0.0.1:{grpc}"]
        command += ["--playground-enabled=false", "--metrics-enabled=false", "--log-level=error"]
        if token is not None:
            command += ["--authn-method=preshared", f"--authn-preshared-keys={token}"]
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        try:
            if _answers(f"http://127.0.0.1:{http}/healthz", process):
                yield f"http://127.0.0.1:{http}"
                return
        finally:
            process.terminate()
            try:
                last = (process.communicate(timeout=10)[0] or b"").decode(errors="replace")[-2000:]
            except subprocess.TimeoutExpired:
                process.kill()
                process.communicate()
    pytest.fail(f"The OpenFGA server did not start: {last}")


class KeptStores:
    """The stores of a server of one's own, emptied between two tests.

    A new store with the platform's model costs the server five times what it costs to take its tuples away.
    """

    def __init__(self, url: str, *names: str) -> None:
        """Of the stores on the server at `url` those with these names are kept."""
        self._http = httpx.Client(base_url=url, timeout=60)
        self._names = names

    def empty(self) -> None:
        """Leave the kept stores without tuples, and no other store."""
        seen: set[str] = set()
        for store in self._asked("GET", "/stores", params={"page_size": 100})["stores"]:
            path = f"/stores/{store['id']}"
            if store["name"] not in self._names or store["name"] in seen or not self._emptied(path):
                self._asked("DELETE", path)
            seen.add(store["name"])

    def close(self) -> None:
        """Close the connection to the server."""
        self._http.close()

    def _emptied(self, path: str) -> bool:
        """Take away the tuples; False when there are more than the server takes away at once."""
        found = self._asked("POST", f"{path}/read", json={"page_size": 100})
        keys = [{name: item["key"][name] for name in ("user", "relation", "object")} for item in found["tuples"]]
        if keys and not found["continuation_token"]:
            self._asked("POST", f"{path}/write", json={"deletes": {"tuple_keys": keys}})
        return not found["continuation_token"]

    def _asked(self, method: str, path: str, **how: Any) -> Any:
        answer = self._http.request(method, path, **how)
        answer.raise_for_status()
        return answer.json() if answer.content else None


@pytest.fixture(scope="session")
def openfga_url() -> Iterator[str]:
    """The address of a server that all tests of a module share; each uses stores of its own."""
    with openfga_server() as url:
        yield url


def _answers(address: str, process: subprocess.Popen[bytes]) -> bool:
    deadline = time.monotonic() + 240
    while time.monotonic() < deadline and process.poll() is None:
        try:
            with urllib.request.urlopen(address, timeout=5) as answer:
                if b"SERVING" in answer.read():
                    return True
        except OSError:
            time.sleep(0.05)
    return False
