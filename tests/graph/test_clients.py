"""The clients of front ends, graphql-ws and graphql-sse from npm, follow a run of a live server."""

import json
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from auth.issuer import DevelopmentIssuer
from tests.support.node import node_script
from tests.support.server import Client, Server, stoa

UNREACHABLE = "postgresql://reader:secret@127.0.0.1:1/shop"


def lines(text: str) -> list[Any]:
    return [json.loads(line) for line in text.splitlines()]


@pytest.mark.parametrize("kind", ["ws", "sse"])
def test_a_run_is_followed_until_it_has_ended(tmp_path: Path, kind: str) -> None:
    stoa(tmp_path, "bootstrap", "--org", "acme", "--owner", "olga").check_returncode()
    with Server(tmp_path).ready() as server, Client(tmp_path, server) as client:
        runs = client.configure(UNREACHABLE)
        run = client("POST", runs, json={})
        configuration = runs.split("/")[3]
        where = (kind, f"{server.address}/graphql")
        done = node_script("follow.mjs", *where, client.token, client.project, configuration, run["id"])
        *events, last = lines(done.stdout)
        assert last == {"complete": True}, (done.stdout, done.stderr)
        shown = [event["data"]["runProgress"] for event in events]
        assert {one["id"] for one in shown} == {run["id"]}
        assert shown[-1]["status"] == "FAILED"
        assert client("GET", f"{runs}/{run['id']}")["status"] == "failed"

        stranger = DevelopmentIssuer(tmp_path / "data").issue("nobody", "acme", ttl=timedelta(hours=1))
        refused = node_script("follow.mjs", *where, stranger, client.project, configuration, run["id"])
        told = {"ws": '"reason":"PROJECT_ACCESS_DENIED"', "sse": "403"}
        assert told[kind] in refused.stdout, (refused.stdout, refused.stderr)
        refused = node_script("follow.mjs", *where, "nonsense", client.project, configuration, run["id"])
        told = {"ws": '"code":4401,"reason":"TOKEN_MALFORMED"', "sse": "401"}
        assert told[kind] in refused.stdout, (refused.stdout, refused.stderr)
