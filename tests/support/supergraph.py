"""The composer and the gateway from npm, in `tests/node/gateway/`: subgraphs in, one address out."""

import json
import os
import shutil
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

import httpx

from tests.support.needs import missing
from tests.support.postgres import die_with_parent, free_port
from tests.support.server import until

FOLDER = Path(__file__).parents[1] / "node" / "gateway"


def node() -> str:
    """Node with the packages of the folder, or skip with the command that puts them there."""
    found = shutil.which("node")
    if found is None or not (FOLDER / "node_modules" / "@apollo" / "composition").exists():
        missing("The composer and the gateway", "run `npm ci` in tests/node/gateway, with Node 20 or later")
    return found


@dataclass(frozen=True)
class Composed:
    """What the composer said."""

    errors: list[dict[str, str]]
    hints: list[dict[str, str]]
    supergraph: str
    version: str


def compose(subgraphs: Mapping[str, tuple[str, str]]) -> Composed:
    """Compose subgraphs, each an address and its SDL."""
    given = [{"name": name, "url": url, "sdl": sdl} for name, (url, sdl) in subgraphs.items()]
    done = subprocess.run(
        [node(), str(FOLDER / "compose.mjs")],
        input=json.dumps(given),
        capture_output=True,
        text=True,
        timeout=400,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    said = json.loads(done.stdout)
    return Composed(said["errors"], said["hints"], said["supergraph"] or "", said["version"])


class Gateway:
    """A running gateway in front of a supergraph; it keeps nothing and reaches nothing but the subgraphs."""

    def __init__(self, folder: Path, supergraph: str) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self.port = free_port()
        self.address = f"http://127.0.0.1:{self.port}"
        self.log = folder / "gateway.log"
        schema = folder / "supergraph.graphql"
        schema.write_text(supergraph)
        kept = {name: value for name, value in os.environ.items() if name in ("PATH", "HOME", "LANG", "TMPDIR")}
        with self.log.open("wb") as output:
            self.process = subprocess.Popen(
                [
                    node(),
                    str(FOLDER / "node_modules" / "@graphql-hive" / "gateway" / "dist" / "bin.js"),
                    "supergraph",
                    "--config-path",
                    str(FOLDER / "gateway.config.mjs"),
                ],
                cwd=FOLDER,
                env=kept | {"SUPERGRAPH": str(schema), "PORT": str(self.port), "NODE_ENV": "production"},
                stdout=output,
                stderr=output,
                preexec_fn=die_with_parent,
            )

    def __enter__(self) -> Self:
        """Use it; it is ended afterwards."""
        return self

    def __exit__(self, *_: object) -> None:
        """End it."""
        self.process.kill()
        self.process.wait()

    def ready(self) -> Self:
        """Wait until it answers."""
        until(lambda: self._answers() or self.process.poll() is not None, "the gateway")
        assert self.process.poll() is None, self.log.read_text(errors="replace")[-3000:]
        return self

    def _answers(self) -> bool:
        try:
            return httpx.get(f"{self.address}/readiness", timeout=60).status_code == 200
        except httpx.TransportError:
            return False


def ask(address: str, query: str, headers: Mapping[str, str], **variables: Any) -> dict[str, Any]:
    """One GraphQL request; its JSON."""
    answer = httpx.post(
        f"{address}/graphql", json={"query": query, "variables": variables}, headers=dict(headers), timeout=240
    )
    found: dict[str, Any] = answer.json()
    return found
