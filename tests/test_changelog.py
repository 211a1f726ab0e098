"""The changelog and the lines of the next version: plain, short, and of a kind that towncrier puts in."""

import re
import shutil
import subprocess
import sys
import tomllib
from importlib.util import find_spec
from pathlib import Path

from tests.support.needs import missing
from tests.support.server import ROOT

CONFIG = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
KINDS = {kind["directory"]: kind["name"] for kind in CONFIG["tool"]["towncrier"]["type"]}
MOST_LETTERS = 120


def test_the_changelog_has_the_version_of_the_package_and_one_short_line_for_each_change() -> None:
    text = (ROOT / "CHANGELOG.md").read_text("utf-8")
    _, mark, versions = text.partition(CONFIG["tool"]["towncrier"]["start_string"])
    assert mark, "without this line towncrier does not know where to put a new version"
    newest = re.search(r"^## (\S+) - \d{4}-\d{2}-\d{2}$", versions, re.MULTILINE)
    assert newest is not None
    assert newest[1] == CONFIG["project"]["version"]
    assert set(re.findall(r"^### (.+)$", versions, re.MULTILINE)) <= set(KINDS.values())
    for line in versions.splitlines():
        assert not line or line.startswith(("## ", "### ", "- ")), f"more than one line: {line}"
        assert len(line) <= MOST_LETTERS, line


def test_each_line_for_the_next_version_has_a_kind_and_is_short() -> None:
    for file in sorted((ROOT / "changes").iterdir()):
        if file.name == "README.md":
            continue
        assert re.fullmatch(rf"\+[a-z0-9-]+\.({'|'.join(KINDS)})\.md", file.name), file.name
        (line,) = Path(file).read_text("utf-8").splitlines()
        assert len(line) + 2 <= MOST_LETTERS, file.name


def test_a_release_puts_the_lines_above_the_last_version_and_takes_the_files_away(tmp_path: Path) -> None:
    if find_spec("towncrier") is None:
        missing("towncrier", "run `make setup`.")
    for name in ("pyproject.toml", "CHANGELOG.md"):
        shutil.copy(ROOT / name, tmp_path)
    (tmp_path / "changes").mkdir()
    shutil.copy(ROOT / "changes" / "README.md", tmp_path / "changes")
    (tmp_path / "changes" / "+quota.added.md").write_text("Projects have a quota.\n")
    (tmp_path / "changes" / "+leak.security.md").write_text("Nothing leaks.\n")
    command = [sys.executable, "-m", "towncrier", "build", "--yes", "--version", "9.0.0", "--date", "2030-01-02"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    _, _, versions = (
        (tmp_path / "CHANGELOG.md").read_text("utf-8").partition(CONFIG["tool"]["towncrier"]["start_string"])
    )
    new = "## 9.0.0 - 2030-01-02\n\n### Added\n\n- Projects have a quota.\n\n### Security\n\n- Nothing leaks.\n"
    assert versions.strip().startswith(f"{new}\n\n## {CONFIG['project']['version']} - ")
    assert [file.name for file in (tmp_path / "changes").iterdir()] == ["README.md"]
