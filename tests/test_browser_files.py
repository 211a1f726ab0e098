"""The third-party code of the pages: named, pinned, licensed, and in the package with Stoa's own files."""

import json
import tomllib
from pathlib import Path

import pytest
from setuptools import Distribution
from setuptools.command.build_py import build_py

from rest_compat.pages import CONSOLE_FILES, DOCS_FILES, EXPLORER_FILES, STATIC_FOLDER, missing_files
from tests.support.needs import missing

ROOT = STATIC_FOLDER.parents[1]


@pytest.fixture
def fetched() -> Path:
    if missing_files((*EXPLORER_FILES, *DOCS_FILES, *CONSOLE_FILES)):
        missing("The third-party code of the pages", "run `make setup`, which fetches it.")
    return STATIC_FOLDER


def test_the_lock_pins_every_package_by_its_hash_and_names_no_registry() -> None:
    named = json.loads((ROOT / "package.json").read_text("utf-8"))["dependencies"]
    lock = json.loads((ROOT / "package-lock.json").read_text("utf-8"))["packages"]

    assert lock.pop("")["dependencies"] == named
    assert all(version[0].isdigit() for version in named.values()), "each is one version and no range"
    for name, package in lock.items():
        assert package["integrity"].startswith("sha512-"), name
        assert "resolved" not in package, name
    assert {f"node_modules/{name}" for name in named} <= set(lock)


def test_the_package_holds_the_pages_the_examples_the_fetched_files_and_their_licences(fetched: Path) -> None:
    patterns = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["setuptools"]["package-data"]
    command = build_py(
        Distribution({"packages": ["rest_compat"], "package_data": patterns, "package_dir": {"": str(ROOT)}})
    )
    command.finalize_options()
    command.manifest_files = {}
    found = command.find_data_files("rest_compat", str(ROOT / "rest_compat"))
    packed = {Path(file).relative_to(fetched).as_posix() for file in found if Path(file).is_relative_to(fetched)}

    assert {*EXPLORER_FILES, *DOCS_FILES, *CONSOLE_FILES} <= packed
    assert {"explorer.html", "explorer.js", "session.js", "pages.css"} <= packed
    own = {file.relative_to(fetched).as_posix() for file in (fetched / "console").rglob("*") if file.is_file()}
    assert own <= packed
    assert {file.relative_to(fetched).as_posix() for file in (fetched / "examples").glob("*/*")} <= packed
    # The explorer plug-in itself comes from the repository of GraphiQL, around the package graphiql-explorer.
    for package in (
        "react",
        "react-dom",
        "graphiql",
        "graphiql-explorer",
        "graphql-sse",
        "swagger-ui-dist",
        "preact",
        "htm",
    ):
        licences = [name for name in packed if name.startswith(f"vendor/licences/{package}--")]
        assert licences, f"the licence of {package} is not beside its file"


def test_no_fetched_file_is_committed() -> None:
    assert "rest_compat/static/vendor/" in (ROOT / ".gitignore").read_text("utf-8").splitlines()
