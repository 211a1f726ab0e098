"""The Snowflake connector and its real driver against fakesnow's server, in an environment of its own."""

import json
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.support.needs import missing

ROOT = Path(__file__).parents[3]
PYTHON = ROOT / ".cache" / "stand-ins" / "bin" / "python"

pytestmark = pytest.mark.xdist_group("stand-ins")


@pytest.fixture(scope="module")
def found() -> Any:
    """Return what the connector read."""
    if not PYTHON.exists():
        missing("The stand-in for Snowflake", "run `bash .ci/install-stand-ins`")
    script = ROOT / "tests" / "support" / "read_snowflake.py"
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    ran = subprocess.run(
        [PYTHON, script], capture_output=True, text=True, env=environment, cwd=ROOT, timeout=800, check=False
    )
    assert ran.returncode == 0, ran.stderr[-3000:]
    return json.loads(ran.stdout)


def test_the_schemas_and_tables_of_the_database_are_found(found: Any) -> None:
    assert found["verified"]["schemas"] >= 2
    assert found["verified"]["tables"] == 3
    assert {name: tables for name, tables in found["schemas"].items() if tables} == {
        "SALES": ["CUSTOMERS", "ORDERS"],
        "STOCK": ["ITEMS"],
    }


def test_columns_come_with_their_types_in_their_order(found: Any) -> None:
    columns = {
        table["name"]: [(c["name"], c["data_type"], c["nullable"]) for c in table["columns"]]
        for table in found["tables"]
    }
    assert columns["CUSTOMERS"] == [
        ("ID", "NUMERIC", False),
        ("NAME", "VARCHAR", True),
        ("SINCE", "TIMESTAMP", True),
    ]
    orders = next(table for table in found["tables"] if table["name"] == "ORDERS")
    amount = orders["columns"][1]
    assert (amount["precision"], amount["scale"], amount["data_type_display"]) == (10, 2, "NUMBER(10,2)")


def test_a_server_that_cannot_be_reached_is_told_without_the_password(found: Any) -> None:
    kind, reason = found["refused"]
    assert kind in ("unreachable", "timeout")
    assert "secret" not in reason


def test_the_data_is_read_through_the_real_driver(found: Any) -> None:
    data = found["data"]
    assert data["rows"] == [["1", "0.25", "False"], ["2", "0.50", "True"], ["3", "0.75", "False"]]
    assert data["batches"] == [700, 700, 600]
    assert data["known"] == 2000
    length, whole = data["sample"]
    assert 50 <= length <= 100
    assert whole is False


def test_what_writes_or_is_not_there_is_refused(found: Any) -> None:
    data = found["data"]
    assert data["own"][0] == "not_found"
    assert data["write"] == ["failed", "Only a query may be sent to a source: one SELECT, or a union of them."]
    assert data["unknown"][0] == "failed"
