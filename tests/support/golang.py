"""Programs of `tests/go/`: clients in Go that what the platform sends is held against."""

import os
import shutil
import subprocess
from pathlib import Path

from tests.support.needs import missing

FOLDER = Path(__file__).parents[1] / "go"


def go_program(name: str, *arguments: str, seconds: float = 300) -> "subprocess.CompletedProcess[str]":
    """Compile a program and run it to its end, or name what is missing."""
    go = shutil.which("go")
    if go is None:
        missing("Go", "install Go 1.22 or later")
    # Compiled as the servers in .ci/ are, so that Go's own packages are compiled once for all of them.
    return subprocess.run(
        [go, "run", "-trimpath", name, *arguments],
        cwd=FOLDER,
        env=os.environ | {"CGO_ENABLED": "0"},
        capture_output=True,
        text=True,
        timeout=seconds,
        check=False,
    )
