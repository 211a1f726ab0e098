"""What generated clients are made with, and a copy of the examples beside the documents as they are published."""

import os
import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path

from rest_compat.setup import snapshots
from tests.support.needs import missing
from tests.support.server import ROOT

PYTHON = ROOT / ".cache" / "clients" / "bin" / "python"
MODULES = ROOT / "examples" / "typescript" / "node_modules"


def generator() -> Path:
    """The Python that generates the client and runs it, installed now where it is not there."""
    _installed(PYTHON, "The generator of the Python client", ["bash", ".ci/install-python-client"])
    return PYTHON


def node_packages() -> Path:
    """The packages of the TypeScript examples, installed now where they are not there."""
    if shutil.which("node") is None or shutil.which("npm") is None:
        missing("Node.js", "install Node.js 20 or later")
    install = ["npm", "ci", "--prefix", "examples/typescript", "--ignore-scripts", "--no-audit", "--no-fund"]
    _installed(MODULES, "The npm packages of examples/typescript", install)
    return MODULES


def _installed(there: Path, what: str, install: list[str]) -> None:
    if there.exists():
        return
    trusting = {name: value for name, value in os.environ.items() if name != "SSL_CERT_FILE"}  # as outside of tests
    done = subprocess.run(install, cwd=ROOT, env=trusting, capture_output=True, text=True, timeout=280, check=False)
    if done.returncode != 0 or not there.exists():
        missing(what, f"`{' '.join(install)}` failed: {done.stderr.strip()[-500:]}")


def copied_examples(folder: Path) -> Path:
    """The examples as a user of the repository finds them: the documents stand two folders above."""
    kept = shutil.ignore_patterns("node_modules", "stoa_client", "generated", "build", "stoa-data")
    shutil.copytree(ROOT / "examples", folder / "examples", ignore=kept)
    for path, content in snapshots():
        copy = folder / path.relative_to(ROOT)
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy.write_text(content)
    return folder / "examples"


def run(
    *command: str | Path, cwd: Path, env: Mapping[str, str] | None = None, seconds: float = 240
) -> "subprocess.CompletedProcess[str]":
    """Run a program to its end."""
    plain = {name: value for name, value in os.environ.items() if not name.startswith("STOA_")}
    return subprocess.run(
        list(map(str, command)),
        cwd=cwd,
        env=plain | dict(env or {}),
        capture_output=True,
        text=True,
        timeout=seconds,
        check=False,
    )


def succeeded(done: "subprocess.CompletedProcess[str]") -> str:
    """Return what it printed; fails with everything that it said when it failed."""
    assert done.returncode == 0, f"{done.args}: {done.stdout[-4000:]}\n{done.stderr[-4000:]}"
    return done.stdout
