"""Each service against its own document: Schemathesis with all checks and stateful links.

The server runs in this process with everything embedded, and Schemathesis is its own command line. It makes the same
requests each time. What it must not report is anything at all: a request that fits the document is taken, or a note in
the document itself (`x-stoa-also-refused`) explains why it is not.
"""

import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from rest_compat.app import SERVICES, Service, openapi_of
from rest_compat.openapi.refusals import EXTENSION, REFUSALS
from tests.openapi import told
from tests.openapi.live import Live, live_server
from tests.support import tiers

QUICK = 1
EXAMPLES = int(os.environ.get("STOA_TEST_SCHEMATHESIS_EXAMPLES", "100"))
"""In the long tier, for each operation, and as many stateful scenarios."""

SECONDS = 7200 if EXAMPLES > 100 else 3600
"""After which a service is taken for stuck."""

LAST = {"governance": "set_rate_limits"}
"""Asked when all else is done, as a tenant's window may be tiny after it."""


def configuration(project: str, examples: int) -> str:
    """The settings of Schemathesis, in its own language."""
    lines = [
        f'hooks = "{told.__file__}"',
        "[generation]",
        # No store keeps the character NUL; a text that holds it is a 422 that no schema of an open object can tell.
        "allow-x00 = false",
        "deterministic = true",
        f"max-examples = {examples}",
        "[parameters]",
        f'"X-Project-ID" = "{project}"',
        # Schemathesis makes entity tags of its own, whatever the pattern says; any of them would be a conflict.
        '"header.If-Match" = "*"',
    ]
    return "\n".join(lines)


def schemathesis(folder: Path, live: Live, service: Service, examples: int, *selection: str) -> tuple[int, str, str]:
    """Run it; its exit status, what it printed, and its closing figures."""
    file = folder / "schemathesis.toml"
    file.write_text(configuration(live.project, examples))
    command = [Path(sys.executable).with_name("schemathesis"), "--config-file", file, "run"]
    command += [f"{live.address}{service.door.prefix}/openapi.json", "--checks", "all", "--no-color"]
    command += ["--exclude-checks", "positive_data_acceptance,negative_data_rejection"]  # `told.py` has both in its way
    phases = "examples,fuzzing"
    if examples > QUICK:  # what is dear, and tried in the long tier alone; one operation alone has no links to follow
        phases += ",coverage" + ("" if "--include-operation-id" in selection else ",stateful")
    command += ["--phases", phases, "--suppress-health-check", "all", *selection]
    command += ["--header", f"Authorization: Bearer {live.token}"]
    report = folder / "report.txt"
    with report.open("w") as output:
        done = subprocess.run(command, cwd=folder, stdout=output, stderr=output, timeout=SECONDS, check=False)
    text = report.read_text().replace(live.token, "<token>")
    figures = next((line.strip() for line in text.splitlines() if re.match(r"\s+\d+ generated", line)), "")
    return done.returncode, text, figures


@pytest.mark.timeout(SECONDS)
@pytest.mark.parametrize("examples", [QUICK, pytest.param(EXAMPLES, marks=tiers.LONG)])
@pytest.mark.parametrize(
    "service",
    [pytest.param(s, id=s.name, marks=pytest.mark.xdist_group(f"schemathesis-{s.name}")) for s in SERVICES],
)
def test_schemathesis_reports_nothing(
    service: Service, examples: int, tmp_path: Path, measured: Callable[[str, object], None]
) -> None:
    last = LAST.get(service.name)
    with live_server(tmp_path) as live:
        selections = [("--exclude-operation-id", last), ("--include-operation-id", last)] if last else [()]
        for selection in selections:
            status, text, figures = schemathesis(tmp_path, live, service, examples, *selection)
            measured("figures", f"Schemathesis, {service.title}, {examples} examples: {figures}")
            assert status == 0, text[:50_000]
            assert "generated" in figures, text


def test_every_rule_is_told_where_it_belongs() -> None:
    told_at = {
        route.operation.name: openapi_of(service)["paths"][route.path][method.lower()]
        for service in SERVICES
        for route in service.door.routes
        for method in route.methods or ()
        if route.path.startswith(service.door.prefix)
    }
    assert set(REFUSALS) <= set(told_at)
    for name, refusals in REFUSALS.items():
        operation = told_at[name]
        for refusal in refusals:
            assert refusal.told() in operation[EXTENSION], name
            assert refusal.rule in operation["description"], name
            assert str(refusal.status) in operation["responses"], f"{name} {refusal.status}"
            codes = operation["responses"][str(refusal.status)]["description"].rpartition("Codes: ")[2]
            assert refusal.code in codes.removesuffix(".").split(", "), f"{name} {refusal.code}"


def test_a_note_excuses_only_its_own_field_and_code() -> None:
    notes = [{"status": 422, "code": "VALIDATION_ERROR", "fields": ["config.*"], "rule": "So it is."}]
    error = {"code": "VALIDATION_ERROR", "details": {"field": "config.cron"}}
    assert told.excuse(notes, 422, error) is notes[0]
    assert told.excuse(notes, 400, error) is None
    assert told.excuse(notes, 422, error | {"code": "INVALID_FORMAT"}) is None
    assert told.excuse(notes, 422, error | {"details": {"field": "name"}}) is None
    assert told.excuse([], 422, error) is None
