"""The pages of `docs/` that are written from the code: they hold all of it, and it is told when they are stale."""

import re
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from persistence.connectors import CONNECTION_TYPES, connector_class
from rest_compat import reference
from rest_compat.cli import main
from rest_compat.reference import connectors_page, settings_page
from rest_compat.settings import Settings
from schema import subgraph as subgraphs
from tests.support.subgraphs import subgraph

PAGES = {"settings.md", "connectors.md"}


@pytest.fixture
def checkout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A checkout whose written pages are current."""
    (tmp_path / "pyproject.toml").write_text("")
    (tmp_path / "docs").mkdir()
    monkeypatch.setattr(reference, "CHECKOUT", tmp_path)
    monkeypatch.setattr(subgraphs, "build_subgraph", subgraph)  # a snapshot writes them all, not only the pages
    assert snapshot().exit_code == 0
    return tmp_path


def snapshot(*arguments: str) -> Result:
    """The command, run in this process."""
    return CliRunner().invoke(main, ["snapshot", *arguments])


@pytest.mark.parametrize("name", sorted(PAGES))
def test_a_stale_page_fails_the_check_by_name_and_is_written_again(checkout: Path, name: str) -> None:
    page = checkout / "docs" / name
    current = page.read_text()
    page.write_text(current.replace("| ", "| was ", 1))

    checked = snapshot("--check")
    assert (checked.exit_code, checked.output) == (1, f"out of date: {name}\n")
    assert page.read_text() != current, "a check writes nothing"

    assert snapshot().output == f"wrote: {name}\n"
    assert page.read_text() == current
    assert snapshot("--check").exit_code == 0


def test_a_page_that_is_gone_fails_the_check(checkout: Path) -> None:
    (checkout / "docs" / "settings.md").unlink()
    assert snapshot("--check").output == "out of date: settings.md\n"


def test_an_installed_package_has_no_such_pages(checkout: Path) -> None:
    (checkout / "pyproject.toml").unlink()
    for page in PAGES:
        (checkout / "docs" / page).unlink()
    assert snapshot("--check").output == "Every snapshot is current.\n"


def test_every_setting_has_one_row_with_its_default_and_meaning() -> None:
    rows = re.findall(r"^\| `STOA_(\w+)` \| (.*?) \| (.+) \|$", settings_page(), re.MULTILINE)
    assert sorted(name.lower() for name, *_ in rows) == sorted(Settings.model_fields)
    told = {name.lower(): (default, meaning) for name, default, meaning in rows}
    assert told["port"] == ("`8000`", "Port to listen on; 0 takes a free one.")
    assert told["database_url"][0] == ""
    assert all(meaning for _, meaning in told.values())


@pytest.mark.parametrize("name", CONNECTION_TYPES)
def test_every_connection_type_has_a_part_with_every_field_that_it_takes(name: str) -> None:
    [part] = re.findall(rf"^## {name}\n(.*?)(?=^## |\Z)", connectors_page(), re.MULTILINE | re.DOTALL)
    kind = connector_class(name)
    assert kind.config_section in part
    for where, model in (("config", kind.config_model), ("credentials", kind.credentials_model)):
        for field in model.model_fields:
            [row] = [line for line in part.splitlines() if line.startswith(f"| {where} | `{field}")][:1]
            assert not row.endswith("|  |"), "a field without a word on what it means"
