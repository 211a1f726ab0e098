"""One stocked world for each process that takes part, and the count of cases at the end."""

import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.parity.twin import Twin, started

QUICK = 4
"""Cases of each operation in the quick tier."""
CASES = int(os.environ.get("STOA_TEST_PARITY_CASES", "50"))
"""Cases of each operation in the long tier; more for a longer search."""
OF_AGENTS = CASES // 2
"""Cases of each operation as an agent, in the long tier."""
FEW = max(1, CASES // 50)
"""Cases of each operation on PostgreSQL, beside the one that has to work."""

ON_POSTGRESQL = pytest.mark.xdist_group("twin on postgresql")
"""One process runs all that needs the world on PostgreSQL, which is dear to stock."""


@pytest.fixture(scope="session")
def twin(tmp_path_factory: pytest.TempPathFactory, _sqlite_template: Path) -> Iterator[Twin]:
    """The world, stocked once."""
    folder = tmp_path_factory.mktemp("parity") / "world"
    (folder / "data").mkdir(parents=True)
    shutil.copy(_sqlite_template, folder / "data" / "stoa.sqlite")
    twin, close = started(folder)
    yield twin
    require_stock(twin)
    close()


@pytest.fixture(scope="session")
def postgres_twin(tmp_path_factory: pytest.TempPathFactory, _postgres_template: Any) -> Iterator[Twin]:
    """The same on PostgreSQL."""
    server, url = _postgres_template.clone()
    twin, close = started(tmp_path_factory.mktemp("parity") / "postgres", url)
    yield twin
    require_stock(twin)
    close()
    twin.rows.close()
    server.drop_database(url)


def require_stock(twin: Twin) -> None:
    """Show that everything that was ever put back is what stood there first, also where no change was noted."""
    twin.restore()
    different = twin.rows.all_differences()
    assert not different, sorted(different)


def pytest_terminal_summary(terminalreporter: Any) -> None:
    """Say how many cases were compared, of all processes together."""
    counted = [
        value
        for reports in terminalreporter.stats.values()
        for report in reports
        if getattr(report, "when", None) == "call"
        for name, value in report.user_properties
        if name == "parity_cases"
    ]
    if counted:
        terminalreporter.write_line(f"REST = GraphQL: {sum(counted)} cases of {len(counted)} operations were compared")
