"""Scripts of `tests/node/`: clients from npm that a live server is held against."""

import shutil
import subprocess
from pathlib import Path

from tests.support.needs import missing

FOLDER = Path(__file__).parents[1] / "node"


def node_script(name: str, *arguments: str, seconds: float = 120) -> "subprocess.CompletedProcess[str]":
    """Run a script to its end, or name what is missing."""
    node = shutil.which("node")
    if node is None:
        missing("Node.js", "install Node.js 20 or later")
    if not (FOLDER / "node_modules").is_dir():
        missing("The npm packages of tests/node", "run `npm ci` in tests/node")
    return subprocess.run(
        [node, name, *arguments], cwd=FOLDER, capture_output=True, text=True, timeout=seconds, check=False
    )
