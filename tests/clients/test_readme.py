"""The snippets of the README and of the page that goes on from it, run as they stand, as in a fresh clone."""

import json
import re
import sys
from pathlib import Path

import pytest

from tests.support.clients import generator, run
from tests.support.postgres import free_port
from tests.support.server import COMMAND, ROOT

pytestmark = [pytest.mark.xdist_group("clients"), pytest.mark.timeout(900)]

SNIPPET = re.compile(r"^```(sh|graphql|python)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
PAGES = ("README.md", "docs/api.md")
"""In the order in which they are read: the second goes on in the shell of the first."""
MOST_BYTES = 8 << 10
MARK = "-- the next snippet --"
ASK = """
import json, os, sys, urllib.request
body = json.dumps({"query": open(sys.argv[1]).read()}).encode()
headers = {"Authorization": f"Bearer {os.environ['TOKEN']}", "X-Project-ID": os.environ["PROJECT"]}
request = urllib.request.Request(sys.argv[2], body, headers | {"Content-Type": "application/json"})
print(urllib.request.urlopen(request).read().decode())
"""


def script(folder: Path, address: str, client: Path) -> str:
    """One shell script of all snippets; what each prints is parted by a mark."""
    lines = ["set -euo pipefail", "trap 'kill $(jobs -p)' EXIT"]
    printed = "".join((ROOT / page).read_text() for page in PAGES)
    for number, (language, text) in enumerate(SNIPPET.findall(printed)):
        text = text.replace("localhost:8000", address)
        lines.append(f"echo '{MARK}'")
        if language == "sh":
            lines.append(text)
            continue
        (kept := folder / f"snippet-{number}.{language}").write_text(text)
        if language == "graphql":
            (folder / "ask.py").write_text(ASK)
            lines.append(f"{sys.executable} ask.py {kept} http://{address}/graphql")
        else:
            lines.append(f"PYTHONPATH=examples/python {client} -W error {kept}")
    return "\n".join(lines)


def test_the_readme_can_be_read_in_one_go_and_its_links_lead_somewhere() -> None:
    text = (ROOT / "README.md").read_bytes()
    assert len(text) <= MOST_BYTES
    links = re.findall(r"\]\(([^)]+)\)", text.decode())
    assert links
    assert [link for link in links if not (ROOT / link.partition("#")[0]).exists()] == []


def test_every_snippet_of_the_readme_does_what_it_says(python_client: Path) -> None:
    folder = python_client.parents[1]
    stoa = folder / ".venv" / "bin" / "stoa"
    stoa.parent.mkdir(parents=True, exist_ok=True)
    program = f"import sys; sys.path.insert(0, {str(ROOT)!r}); {COMMAND[-1]}"
    stoa.write_text(f'#!/bin/sh\nexec {COMMAND[0]} -c {json.dumps(program)} "$@"\n')
    stoa.chmod(0o755)
    port = free_port()
    (folder / "readme.sh").write_text(script(folder, f"localhost:{port}", generator()))
    done = run("bash", "readme.sh", cwd=folder, env={"STOA_PORT": str(port), "STOA_SHUTDOWN_SECONDS": "0"})
    assert done.returncode == 0, f"{done.stdout[-3000:]}\n{done.stderr[-3000:]}"

    said = [part.strip() for part in done.stdout.split(MARK)[1:]]
    first, connected, asked, *said = said
    idempotent, ranged, followed, answer, scored, halves, typed, *readiness, words, measured = said
    decided, ready, triaged, suspected = readiness
    assert first.startswith("Organization acme was created; ann is its owner.\n")
    assert first.endswith('{"status":"ok"}')
    assert json.loads(connected)["success"] is True
    ended, number, counted, _, summed = asked.splitlines()
    assert (ended, number) == ("completed", "The number of orders: 4.")
    assert [sql.startswith("SELECT ") for sql in (counted, summed)] == [True, True]
    once, again = idempotent.splitlines()
    assert once == again
    assert ranged == "order_id,customer_id,"
    assert followed.startswith("event: next")
    assert '"status":"COMPLETED"' in followed.replace(" ", "")
    assert "event: complete" in followed
    data = json.loads(answer)["data"]
    assert data["organizations"]["items"] == [{"id": "acme", "projects": [{"name": "Shop"}]}]
    [table] = data["searchMetadata"]["items"]
    assert (data["searchMetadata"]["total"], table["name"], table["columnCount"]) == (1, "orders", 4)
    assert table["fullyQualifiedName"].endswith(".orders")
    tables = {one["name"]: one for one in json.loads(scored)["data"]["searchMetadata"]["items"]}
    assert tables["orders"]["violations"] == {"totalCount": 0, "nodes": []}
    assert tables["orders"]["scorecard"]["metadata"] == {"score": None}  # nothing was measured yet
    half = json.loads(halves)
    assert (half["data"]["viewer"]["userId"], half["data"]["project"]) == ("ann", None)
    assert [one["path"] for one in half["errors"]] == [["project"]]
    assert typed == "orders 4"
    assert '"group":"rule:' in decided
    assert '"dry_run":true' in decided
    assert [one in suspected for one in ('"total_items":0', '"matched":0', '"dry_run":true')] == [True] * 3
    assert [one in triaged for one in ('"matched":0', '"dry_run":true', '"data":[]')] == [True] * 3
    *ran, score = ready.splitlines()
    assert ran == ["run-all-enrichment: completed", "dq-assessment: completed"]
    assert 0 < float(score) <= 1
    assert (folder / "report.html").read_text().startswith("<!doctype html>")
    told, _, provenance = words.rpartition("\n\n")
    assert '"rows":[[4]]' in told
    assert '"final":true' in told.rpartition("event: done")[2]
    assert json.loads(provenance)["tables"][0]["fqn"].endswith(".orders")
    assert [one["verdict"] for one in json.loads(measured)["data"]] == ["right", "right"]
