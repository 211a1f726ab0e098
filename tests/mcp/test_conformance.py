"""The protocol's conformance suite from npm asks a live server, in both of the revisions that are promised.

What the suite asks of a server that was made for it, and what is not here, stands with its reason in the files
`lacking-*.yml` beside it. Whatever else fails, and whatever stands there and passes, fails the test.
"""

import subprocess
from pathlib import Path

import pytest

from tests.support.needs import missing
from tests.support.postgres import free_port
from tests.support.server import Client, Server, stoa

FOLDER = Path(__file__).parents[1] / "node" / "conformance"

PASSED = {
    "2025-06-18": ("server-initialize: 2", "ping: 2", "tools-list: 2"),
    "2026-07-28": (
        "server-stateless: 21",
        "tools-list: 4",
        "http-header-validation: 14",
        "dns-rebinding-protection: 2",
    ),
}
"""Checks that are passed by what is here, so that a suite that asks nothing is not taken for one that found nothing."""


def node() -> Path:
    """The Node.js that came with the suite, which needs a newer one than the other tests do."""
    found = next(FOLDER.glob("node_modules/node-*/bin/node"), None)
    if found is None:
        missing("The conformance suite", "run `.ci/install-node-packages`")
    return found


@pytest.mark.long  # starts a server and suites of its own
def test_the_conformance_suite_finds_nothing_but_what_is_not_here(tmp_path: Path) -> None:
    program, port = node(), free_port()
    stoa(tmp_path, "bootstrap", "--org", "acme", "--owner", "olga").check_returncode()
    page = {"cors_origins": f"http://localhost:{port}"}  # the suite calls as a page of the server's own address, too
    with Server(tmp_path, settings=page).ready() as server, Client(tmp_path, server) as client:
        for revision, passed in PASSED.items():
            asked = ["--suite", "all", "--spec-version", revision, "--expected-failures", f"lacking-{revision}.yml"]
            done = subprocess.run(
                [program, "run.mjs", str(port), f"{server.address}/mcp", client.token, *asked],
                cwd=FOLDER,
                capture_output=True,
                text=True,
                timeout=300,
                check=False,
            )
            assert done.returncode == 0, f"{revision}: {done.stdout[-5000:]}{done.stderr[-2000:]}"
            assert [one for one in passed if f"{one} passed" not in done.stdout] == []
