"""The benches of large catalogs, nested and permitted lists, growth and idle servers run, and tell what they found."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent


@pytest.mark.long
@pytest.mark.timeout(900)
@pytest.mark.parametrize(
    ("module", "arguments", "wanted"),
    [
        ("nested", ["--side", "20"], ("CPU ms", ">= 15")),
        ("catalogs", ["--quick"], ("children of a table", "exact total of a word", "SQLite")),
        ("growth", ["--quick"], ("made anew", "by name, one asset", ">= 1.7")),
        ("permitted", ["--quick"], ("unchanged relations", "after a change of relations", "<= 1.5")),
        ("idle", ["--rest", "1", "--seconds", "1"], ("% of a core", "SQLite", "<= 200")),
    ],
)
def test_a_bench_runs(module: str, arguments: list[str], wanted: tuple[str, ...]) -> None:
    done = subprocess.run(
        [sys.executable, "-W", "error", "-m", f"benchmarks.{module}", *arguments],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=800,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    for one in wanted:
        assert one in done.stdout
