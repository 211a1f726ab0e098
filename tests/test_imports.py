"""What is optional, or not needed yet, stays out of memory until it is used."""

import subprocess
import sys
from pathlib import Path

import pytest

OPTIONAL = {
    *("openfga_sdk", "aiohttp", "redis", "celpy", "duckdb", "pandas", "moto"),
    *("pymysql", "smbprotocol", "smbclient", "pymongo", "oracledb", "snowflake", "impala", "databricks", "litellm"),
    "google.cloud",
}
STORE = {"persistence.store", "persistence.tables", "resolvers.context", "sqlglot", "alembic", "dbos", "fastapi"}
EVERYTHING = {*STORE, "pydantic", "sqlalchemy", "strawberry", "graphql", "starlette", "uvicorn", "httpx", "jwt", "rich"}

HELP = "import rest_compat.cli as cli; cli.main(['--help'], standalone_mode=False)"
TOKEN = "import rest_compat.cli as cli; cli.main({}, standalone_mode=False)"
LISTED = "\nimport sys; print('\\n'.join(sys.modules))"


def loaded(program: str) -> set[str]:
    """The modules that a process has in memory after a program."""
    command = [sys.executable, "-c", program + LISTED]
    return set(subprocess.run(command, capture_output=True, text=True, check=True).stdout.split())


@pytest.mark.parametrize(
    ("program", "needs", "not_needed"),
    [
        pytest.param("import rest_compat.app", "rest_compat.app", {*OPTIONAL, "fastapi", "uvicorn"}, id="app"),
        pytest.param("import rest_compat.settings", "rest_compat.settings", {*OPTIONAL, *STORE}, id="settings"),
        pytest.param("import rest_compat.child", "rest_compat.child", {*OPTIONAL, *STORE, "pydantic"}, id="child"),
        pytest.param(HELP, "rest_compat.cli", {*OPTIONAL, *EVERYTHING}, id="help"),
    ],
)
def test_what_is_not_needed_is_not_loaded(program: str, needs: str, not_needed: set[str]) -> None:
    found = loaded(program)
    assert needs in found
    assert not_needed & found == set()


def test_a_token_is_printed_without_the_store(tmp_path: Path) -> None:
    given = ["token", "--user", "olga", "--org", "acme", "--data", str(tmp_path)]
    found = loaded(TOKEN.format(given))
    assert "auth.issuer" in found
    assert (STORE | OPTIONAL) & found == set()


IN_VAIN = """
from pydantic._internal import _docs_extraction as extraction
search, missed = extraction._extract_source_from_frame, []
def counted(cls):
    found = search(cls)
    if found is None:
        missed.append(cls.__name__)
    return found
extraction._extract_source_from_frame = counted
import rest_compat.app
assert not missed, missed
"""


def test_no_class_looks_in_vain_for_the_texts_below_its_fields() -> None:
    """Such a search goes through every frame and every module; a class made by `Page[...]` finds nothing there."""
    assert "rest_compat.app" in loaded(IN_VAIN)
