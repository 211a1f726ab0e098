"""The wheel, in an environment that holds nothing but it and what it asks for: it serves, pages and all."""

import re
import shutil
import subprocess
import sys
import venv
import zipfile
from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

import httpx
import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from rest_compat.pages import CONSOLE_FILES, DOCS_FILES, EXPLORER_FILES, missing_files
from tests.support.needs import missing
from tests.support.server import ROOT, Server
from tests.test_guide import DOCS, build

pytestmark = [pytest.mark.long, pytest.mark.timeout(900)]

PACKAGES = ("schema", "resolvers", "rest_compat", "persistence", "auth")
PAGE = {"Accept": "text/html"}
LINK = re.compile(r'(?:src|href)="(/static/[^"]+|_static/[^"]+)"')


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A wheel of this checkout with the guide, built from a copy, since building leaves files behind."""
    if missing_files((*EXPLORER_FILES, *DOCS_FILES, *CONSOLE_FILES)):
        missing("The third-party code of the pages", "run `make setup`, which fetches it.")
    folder = tmp_path_factory.mktemp("wheel")
    source = folder / "source"
    for name in PACKAGES:
        shutil.copytree(ROOT / name, source / name, ignore=shutil.ignore_patterns("__pycache__", "guide"))
    for name in ("pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, source)
    guide = build(DOCS, folder)
    assert guide.returncode == 0, guide.stderr
    (folder / "built").rename(source / "rest_compat" / "guide")
    pip("wheel", "--no-deps", "--no-build-isolation", "-w", str(folder), str(source))
    [wheel] = folder.glob("*.whl")
    return wheel


@pytest.fixture(scope="module")
def python(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The interpreter of a new environment with the wheel."""
    folder = tmp_path_factory.mktemp("empty")
    venv.create(folder, symlinks=True)
    python = folder / "bin" / "python"
    pip("--python", str(python), "install", "--no-deps", "--no-index", str(wheel))
    [packages] = folder.glob("lib/python*/site-packages")
    for name in wanted(packages):
        lend(name, packages)
    return python


def pip(*arguments: str) -> None:
    """Run pip to its end."""
    command = [sys.executable, "-m", "pip", "--disable-pip-version-check", *arguments]
    done = subprocess.run(command, capture_output=True, text=True, timeout=600, check=False)
    assert done.returncode == 0, f"{done.stdout[-2000:]}\n{done.stderr[-2000:]}"


def wanted(packages: Path) -> set[str]:
    """Return what the wheel asks for, and what that asks for, without any extra that nobody names."""
    [metadata] = packages.glob("stoa_platform-*.dist-info/METADATA")
    lines = re.findall(r"^Requires-Dist: (.+)$", metadata.read_text(), re.MULTILINE)
    waiting = [(Requirement(line), "") for line in lines]
    seen: set[tuple[str, str]] = set()
    while waiting:
        requirement, extra = waiting.pop()
        if requirement.marker is not None and not requirement.marker.evaluate({"extra": extra}):
            continue
        name = canonicalize_name(requirement.name)
        try:
            found = distribution(name)
        except PackageNotFoundError:
            missing(name, "run `make setup`, which installs what the wheel asks for.")
        assert requirement.specifier.contains(found.version, prereleases=True), requirement
        for one in {"", *requirement.extras}:
            if (name, one) not in seen:
                seen.add((name, one))
                waiting += [(Requirement(line), one) for line in found.requires or ()]
    return {name for name, _ in seen}


def lend(name: str, packages: Path) -> None:
    """Put an installed distribution into another environment, and nothing that does not belong to it."""
    for file in distribution(name).files or ():
        top = file.parts[0]
        there = packages / top
        if top not in ("..", "__pycache__") and not there.exists():
            there.symlink_to(Path(str(distribution(name).locate_file(top))))


class Installed(Server):
    """The server of the wheel; `-I` keeps it from what this checkout and its environment hold."""


@pytest.fixture(scope="module")
def server(python: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """It, with an organization."""
    folder = tmp_path_factory.mktemp("served")
    Installed.command = (str(python), "-I", str(python.with_name("stoa")))
    told = stoa(python, folder, "bootstrap", "--org", "acme", "--owner", "ann")
    assert told == "Organization acme was created; ann is its owner.\n"
    with Installed(folder) as server:
        yield server.ready()


def stoa(python: Path, folder: Path, *arguments: str) -> str:
    """Return what a command of the wheel prints."""
    settings = () if "--version" in arguments else ("--data", str(folder / "data"))
    command = [str(python), "-I", str(python.with_name("stoa")), *arguments, *settings]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_the_wheel_holds_every_file_of_the_packages(wheel: Path) -> None:
    packed = set(zipfile.ZipFile(wheel).namelist())
    there = {
        file.relative_to(ROOT).as_posix()
        for name in PACKAGES
        for file in (ROOT / name).rglob("*")
        if file.is_file()
        and "__pycache__" not in file.parts
        and file.relative_to(ROOT).parts[:2] != ("rest_compat", "guide")
    }
    assert there - packed == set()
    assert "rest_compat/guide/index.html" in packed
    strangers = {name for name in packed if name.partition("/")[0] not in PACKAGES and ".dist-info/" not in name}
    assert strangers == set()


def test_nothing_of_the_checkout_is_in_the_environment(python: Path) -> None:
    program = "import rest_compat, sys; print(rest_compat.__file__); print('\\n'.join(sys.path))"
    done = subprocess.run([python, "-I", "-c", program], capture_output=True, text=True, check=True)
    first, *paths = done.stdout.splitlines()
    assert Path(first).is_relative_to(python.parents[1])
    assert not [path for path in paths if Path(path).is_relative_to(ROOT)]


def test_it_serves_probes_explorer_documentation_guide_and_graph(python: Path, server: Server) -> None:
    with httpx.Client(base_url=server.address, timeout=120) as client:
        assert client.get("/healthz").json() == {"status": "ok"}
        for path in ("/", "/console", "/explorer", "/docs", "/docs/assets", "/docs/guide"):
            page = client.get(path, headers=PAGE, follow_redirects=True)
            assert (page.status_code, page.headers["content-type"]) == (200, "text/html; charset=utf-8"), path
            links = LINK.findall(page.text)
            assert links, path
            for link in links:
                assert client.get(str(page.url.join(link))).status_code == 200, link
        published = client.get("/openapi.json").json()["info"]["version"]
        assert stoa(python, server.log.parent, "--version") == f"stoa, version {published}\n"
        token = stoa(python, server.log.parent, "token", "--user", "ann", "--org", "acme").strip()
        query = {"query": "{ organizations { items { id } } }"}
        answer = client.post("/graphql", json=query, headers={"Authorization": f"Bearer {token}"})
        assert answer.json()["data"] == {"organizations": {"items": [{"id": "acme"}]}}
