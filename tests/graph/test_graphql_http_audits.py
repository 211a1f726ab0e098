"""Every audit of graphql-http, the reference for GraphQL over HTTP, passes against a live server."""

import json
from pathlib import Path

from tests.support.node import node_script
from tests.support.server import Client, Server, stoa

AUDITS = 61
"""As many as graphql-http 1.23.1 has; the 60 of earlier versions are among them."""


def test_all_audits_pass(tmp_path: Path) -> None:
    stoa(tmp_path, "bootstrap", "--org", "acme", "--owner", "olga").check_returncode()
    with Server(tmp_path).ready() as server, Client(tmp_path, server) as client:
        done = node_script("audits.mjs", f"{server.address}/graphql", client.token)
        assert done.returncode == 0, done.stderr
    results = [json.loads(line) for line in done.stdout.splitlines()]
    failed = [result for result in results if result["status"] != "ok"]
    assert failed == []
    assert len(results) == AUDITS
