"""What the pages say of the checkout: every file and folder that they name is there."""

import re
from pathlib import Path

import pytest

from tests.support.server import ROOT

ROOMS = "auth|benchmarks|changes|docs|examples|persistence|resolvers|rest_compat|schema|tests"
NAMED = re.compile(rf"`((?:{ROOMS})/[\w./*-]*)`")
MADE_LATER = {"rest_compat/static/vendor", "rest_compat/guide"}
PAGES = sorted({*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")} - {ROOT / "CHANGELOG.md"})
EXAMPLES = {"schema/utils/bookmark.py", "resolvers/utils/bookmarks.py", "tests/utils/test_bookmarks.py"}
"""What a newcomer is told to write."""


@pytest.mark.parametrize("page", PAGES, ids=[page.relative_to(ROOT).as_posix() for page in PAGES])
def test_every_file_that_a_page_names_is_there(page: Path) -> None:
    named = {name.rstrip("/") for name in NAMED.findall(page.read_text("utf-8"))}
    gone = {name for name in named - EXAMPLES - MADE_LATER if not any(ROOT.glob(name))}
    assert gone == set()


def test_what_a_newcomer_is_told_to_write_does_not_stand_yet() -> None:
    assert [name for name in EXAMPLES if (ROOT / name).exists()] == []
