"""Packages that hold queries of others: fetched by hash when they are measured, and kept nowhere."""

import re
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Final

from benchmarks.quality.lineage_sources import Shape

CACHE: Final = Path(".cache/lineage-public")
_KINDS: Final = (
    (r"bool", "bool"),
    (r"bigint|int|serial|oid", "int"),
    (r"double|decimal|numeric|float|real|money", "num"),
    (r"timestamp|datetime", "timestamp"),
    (r"date", "date"),
)


@dataclass(frozen=True, slots=True)
class Package:
    """A file of the package index."""

    requirement: str
    sha256: str
    is_source: bool = False


@dataclass(frozen=True, slots=True)
class Published:
    """One query that somebody has published, over the tables that it names."""

    of: str
    """The set that it belongs to."""
    name: str
    sql: str
    shape: Shape


def kind_of(declared: str) -> str:
    """What the oracle calls a declared type."""
    return next((kind for pattern, kind in _KINDS if re.search(pattern, declared.lower())), "text")


def fetched(package: Package) -> bytes:
    """The file of a package, from the folder or from the index. Raises subprocess.CalledProcessError."""
    CACHE.mkdir(parents=True, exist_ok=True)
    for path in CACHE.iterdir():
        if sha256(path.read_bytes()).hexdigest() == package.sha256:
            return path.read_bytes()
    with tempfile.NamedTemporaryFile("w", suffix=".txt") as wanted:
        wanted.write(f"{package.requirement} --hash=sha256:{package.sha256}\n")
        wanted.flush()
        how = ["--no-binary", ":all:"] if package.is_source else ["--only-binary", ":all:"]
        subprocess.run(
            [sys.executable, "-m", "pip", "download", "-q", "--no-deps", *how, "-d", str(CACHE), "-r", wanted.name],
            check=True,
        )
    return fetched(package)
