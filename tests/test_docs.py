"""What the pages say of the checkout: every file, folder, target of make and command that they name is there."""

import re
from pathlib import Path

import pytest

from rest_compat.cli import main
from rest_compat.settings import Settings
from tests.support.server import ROOT

ROOMS = "auth|benchmarks|changes|docs|examples|persistence|resolvers|rest_compat|schema|tests"
NAMED = re.compile(rf"`((?:{ROOMS})/[\w./*-]*)`")
CODE = re.compile(r"```.*?```|`[^`]+`", re.DOTALL)
TARGETS = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE))
MADE_LATER = {"rest_compat/static/vendor", "rest_compat/guide"}
PAGES = sorted({*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")} - {ROOT / "CHANGELOG.md"})
EXAMPLES = {"schema/utils/bookmark.py", "resolvers/utils/bookmarks.py", "tests/utils/test_bookmarks.py"}
"""What a newcomer is told to write."""
OF_THE_EXAMPLES = {"STOA_FILES_PER_PROJECT"}
"""A setting that only the example of a line for the changelog has."""


@pytest.mark.parametrize("page", PAGES, ids=[page.relative_to(ROOT).as_posix() for page in PAGES])
def test_every_file_that_a_page_names_is_there(page: Path) -> None:
    named = {name.rstrip("/") for name in NAMED.findall(page.read_text("utf-8"))}
    gone = {name for name in named - EXAMPLES - MADE_LATER if not any(ROOT.glob(name))}
    assert gone == set()


def test_what_a_newcomer_is_told_to_write_does_not_stand_yet() -> None:
    assert [name for name in EXAMPLES if (ROOT / name).exists()] == []


@pytest.mark.parametrize("page", PAGES, ids=[page.relative_to(ROOT).as_posix() for page in PAGES])
def test_every_command_and_setting_that_a_page_names_is_there(page: Path) -> None:
    code = "\n".join(CODE.findall(page.read_text("utf-8")))
    assert set(re.findall(r"\bmake ([a-z][a-z-]*)", code)) <= TARGETS
    assert set(re.findall(r"(?<![\w./-])(?:\.venv/bin/)?stoa ([a-z][a-z-]*)", code)) <= set(main.commands)
    settings = {f"STOA_{name.upper()}" for name in Settings.model_fields}
    named = set(re.findall(r"\bSTOA_[A-Z_]*[A-Z]\b", code)) - {
        "STOA_TEST_REQUIRE_ALL",
        "STOA_CHROMIUM",
        "STOA_OPENFGA_BIN",
    }
    assert named <= settings | OF_THE_EXAMPLES
