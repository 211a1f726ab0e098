"""The scenario of `examples/`, in every hand, against a real server."""

import json
import os
import re
import shlex
import subprocess
from pathlib import Path

import pytest

from tests.clients.conftest import environment_of
from tests.support.clients import PYTHON, run, succeeded
from tests.support.postgres import die_with_parent, free_port
from tests.support.server import COMMAND, ROOT, Server, status_of, until

pytestmark = [pytest.mark.xdist_group("clients"), pytest.mark.timeout(900)]

PRINTED = """\
organization: acme
project: created once by two requests
connection: Shop files, ACTIVE
memory: Totals, added twice, stored 1 time
file: orders.csv, 128 bytes up and the same bytes down
run: completed
search: 1 table, orders with 4 columns
error: RESOURCE_ALREADY_EXISTS
"""
IN_THE_GRAPH = PRINTED.replace("file: orders.csv, 128 bytes up and the same bytes down\n", "")
SHORTER = """\
organization: acme
project: created
connection: Shop files, PENDING
run: completed, 1 tasks
search: 1 table, orders with 4 columns
error: RESOURCE_ALREADY_EXISTS
"""


def test_the_page_of_the_examples_shows_what_they_print() -> None:
    assert PRINTED in (ROOT / "examples" / "README.md").read_text()


@pytest.mark.long  # the quick tier runs it against the server of the test after this one
def test_curl_alone_runs_the_scenario(examples: Path, live: dict[str, str]) -> None:
    assert succeeded(run("bash", "scenario.sh", cwd=examples, env=live)) == PRINTED


def test_a_second_terminal_has_all_that_it_needs_from_what_serve_prints(examples: Path, tmp_path: Path) -> None:
    stoa = tmp_path / "stoa"
    stoa.write_text(f'#!/bin/sh\ncd {ROOT}\nexec {shlex.join(COMMAND)} "$@"\n')
    stoa.chmod(0o755)
    env = {"STOA": str(stoa), "STOA_DATA": str(tmp_path / "data"), "STOA_PORT": str(port := free_port())}
    printed = tmp_path / "printed"
    with printed.open("wb") as output:
        server = subprocess.Popen(
            ["bash", examples / "serve.sh"],
            env=os.environ | env | {"STOA_SHUTDOWN_SECONDS": "0"},
            stdout=output,
            stderr=output,
            preexec_fn=die_with_parent,
        )
    try:
        until(lambda: status_of(port, "/readyz") == 200 or server.poll() is not None, "the server", 240)
        assert server.poll() is None, printed.read_text()
        exported = dict(re.findall(r"^export (\w+)=(.*)$", printed.read_text(), re.MULTILINE))
        assert list(exported) == ["STOA_URL", "STOA_TOKEN"]
        assert succeeded(run("bash", "scenario.sh", cwd=examples, env=exported)) == PRINTED
    finally:
        server.kill()
        server.wait()


def test_the_generated_python_client_runs_the_scenario(python_client: Path, live: dict[str, str]) -> None:
    done = run(PYTHON, "-W", "error", "scenario.py", cwd=python_client, env=live)
    assert (succeeded(done), done.stderr) == (PRINTED, "")


@pytest.mark.long  # compiles them
@pytest.mark.parametrize(("program", "printed"), [("rest", PRINTED), ("codegen", IN_THE_GRAPH), ("tada", SHORTER)])
def test_the_typed_typescript_clients_run_the_scenario(
    typescript_client: Path, live: dict[str, str], program: str, printed: str
) -> None:
    done = run("node", f"build/{program}.js", cwd=typescript_client, env=live)
    assert (succeeded(done), done.stderr) == (printed, "")


def test_the_generated_documents_are_all_that_a_server_of_trusted_documents_takes(
    examples: Path, typescript_client: Path, tmp_path: Path
) -> None:
    trusted = typescript_client / "src" / "generated" / "graphql" / "persisted-documents.json"
    settings = {
        "filesystem_roots": examples / "shop",
        "graphql_trusted_documents": trusted,
        "graphql_trusted_only": True,
    }
    with Server(tmp_path, settings=settings) as server:
        server.ready()
        env = environment_of(server, tmp_path)
        hashes = env | {"STOA_SEND_HASHES": "1"}
        assert succeeded(run("node", "build/codegen.js", cwd=typescript_client, env=hashes)) == IN_THE_GRAPH
        other = run("node", "build/tada.js", cwd=typescript_client, env=env)
        assert other.returncode == 1
        assert "code: 'FORBIDDEN'" in other.stderr
    documents = json.loads(trusted.read_text())
    written = re.findall(r"\b(?:query|mutation|subscription) \w+", (typescript_client / "src/codegen.ts").read_text())
    assert sorted(re.match(r"\w+ \w+", text)[0] for text in documents.values()) == sorted(written)  # type: ignore[index]
