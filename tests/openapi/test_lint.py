"""The published documents before the three linters: openapi-spec-validator, Redocly and Spectral."""

import json
import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from openapi_spec_validator import OpenAPIV30SpecValidator

from rest_compat.app import SERVICES, Service, openapi_of
from tests.support.needs import missing
from tests.support.node import FOLDER

BY_NAME = pytest.mark.parametrize("service", SERVICES, ids=[s.name for s in SERVICES])


@pytest.fixture(scope="module")
def documents(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """A file for each service's document."""
    folder = tmp_path_factory.mktemp("documents")
    for service in SERVICES:
        (folder / f"{service.name}.json").write_text(json.dumps(openapi_of(service)))
    return sorted(map(str, folder.iterdir()))


def linter(name: str, *arguments: str) -> str:
    """Return what a linter of tests/node writes."""
    if shutil.which("node") is None:
        missing("Node.js", "install Node.js 20 or later")
    program = FOLDER / "node_modules" / ".bin" / name
    if not program.exists():
        missing(f"{name} of tests/node", "run `npm ci` in tests/node")
    quiet = {"REDOCLY_TELEMETRY": "off", "REDOCLY_SUPPRESS_UPDATE_NOTICE": "true"}
    done = subprocess.run(
        [program, *arguments],
        cwd=FOLDER,
        env=os.environ | quiet,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode in (0, 1), done.stderr
    return done.stdout


def redocly(files: list[str]) -> list[dict[str, Any]]:
    """The problems that Redocly finds with its recommended rules."""
    text = linter("redocly", "lint", *files, "--config", "redocly.yaml", "--format", "json", "--max-problems", "10000")
    problems, at, decoder = [], text.find("{"), json.JSONDecoder()
    assert at >= 0, text
    while at >= 0:  # one object per file
        found, end = decoder.raw_decode(text, at)
        problems += found["problems"]
        at = text.find("{", end)
    return problems


def spectral(files: list[str]) -> list[dict[str, Any]]:
    """The problems that Spectral finds with spectral:oas."""
    text = linter("spectral", "lint", *files, "--ruleset", "spectral.yaml", "--format", "json", "--quiet")
    found: list[dict[str, Any]] = json.loads(text)
    return found


@BY_NAME
def test_a_document_is_valid_openapi_3_0(service: Service) -> None:
    document = json.loads(json.dumps(openapi_of(service)))
    assert document["openapi"] == "3.0.3"
    assert [error.message for error in OpenAPIV30SpecValidator(document).iter_errors()] == []


def test_redocly_finds_no_error_and_no_warning(documents: list[str], measured: Callable[[str, object], None]) -> None:
    problems = redocly(documents)
    measured("figures", f"Redocly recommended: {len(documents)} documents, {len(problems)} errors and warnings")
    assert [(p["ruleId"], p["location"][0].get("pointer"), p["message"]) for p in problems] == []


@pytest.mark.long  # walks through all documents; Redocly does in the quick tier
def test_spectral_finds_no_error_and_no_warning(documents: list[str], measured: Callable[[str, object], None]) -> None:
    problems = spectral(documents)
    measured(
        "figures", f"Spectral spectral:oas: {len(documents)} documents, {len(problems)} errors, warnings and hints"
    )
    assert [(p["code"], p["path"], p["message"]) for p in problems] == []


def test_the_linters_find_what_is_wrong(tmp_path: Path) -> None:
    document = json.loads(json.dumps(openapi_of(SERVICES[0])))
    operation = document["paths"]["/governance/projects"]["post"]
    del operation["operationId"]
    operation["requestBody"]["content"]["application/json"]["example"] = {"name": 7}
    file = tmp_path / "broken.json"
    file.write_text(json.dumps(document))

    assert {"operation-operationId", "no-invalid-media-type-examples"} <= {p["ruleId"] for p in redocly([str(file)])}
    assert {"operation-operationId", "oas3-valid-media-example"} <= {p["code"] for p in spectral([str(file)])}
