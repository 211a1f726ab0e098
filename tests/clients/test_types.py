"""The generated clients hold every operation, pass the strictest checks, and refuse what the contract does not have."""

import compileall
import json
import re
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.clients import PYTHON, run, succeeded

pytestmark = [pytest.mark.xdist_group("clients"), pytest.mark.timeout(900)]


def operations(examples: Path) -> Iterator[tuple[str, str, str]]:
    """The tag, the path and the name of every published operation."""
    for document in sorted((examples.parent / "rest_compat" / "openapi").glob("*.json")):
        for path, methods in json.loads(document.read_text())["paths"].items():
            for operation in methods.values():
                if isinstance(operation, dict):
                    yield operation["tags"][0], path, operation["operationId"]


def mypy(folder: Path, cache: Path, *what: str) -> str:
    """Return what mypy says of a folder's modules under its strictest settings."""
    options = ["--strict", "--config-file=", f"--cache-dir={cache}", f"--python-executable={PYTHON}"]
    return run(sys.executable, "-m", "mypy", *options, *what, cwd=folder).stdout


@pytest.fixture(scope="session")
def mypy_cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("mypy")


def test_the_python_client_has_every_published_operation_under_a_name_of_its_own(
    examples: Path, python_client: Path
) -> None:
    found = list(operations(examples))
    assert len(found) > 100
    assert len({name for _, _, name in found}) == len(found)
    for tag, path, name in found:
        [module] = (python_client / "stoa_client" / "api").glob(f"*/{name}.py")
        assert module.parent.name.replace("_", "") == tag.lower().replace(" ", ""), name
        text = module.read_text()
        assert f'"{re.sub("{[^}]+}", "{}", path)}"' in re.sub(r"\{\w+\}", "{}", text), (path, name)
        assert re.search(r"^def sync_detailed\(", text, re.MULTILINE), name


@pytest.mark.long  # reads a whole client for its types
def test_the_python_client_and_its_example_pass_mypy_at_its_strictest(python_client: Path, mypy_cache: Path) -> None:
    assert compileall.compile_dir(python_client / "stoa_client", quiet=1)
    said = mypy(python_client, mypy_cache, "scenario.py", "generate.py", "stoa_client")
    assert said.startswith("Success: no issues found"), said


@pytest.mark.parametrize(
    ("right", "wrong"),
    [
        ('connection_type="nfs"', 'connection_type="ftp"'),
        ("body=RunCreate()", "body={}"),
        ("table.column_count", "table.columns"),
        ("ProjectCreate(name=", "ProjectCreate(title="),
    ],
)
def test_mypy_refuses_what_the_contract_does_not_have(
    python_client: Path, mypy_cache: Path, tmp_path: Path, right: str, wrong: str
) -> None:
    text = (python_client / "scenario.py").read_text()
    assert right in text
    (tmp_path / "stoa_client").symlink_to(python_client / "stoa_client")
    (tmp_path / "scenario.py").write_text(text.replace(right, wrong))
    assert "scenario.py:" in mypy(tmp_path, mypy_cache, "scenario.py")


@pytest.mark.long  # compiles a client for each mistake
def test_tsc_refuses_what_the_contract_does_not_have(typescript_client: Path, tmp_path: Path) -> None:
    shutil.copytree(typescript_client, folder := tmp_path / "a" / "typescript", symlinks=True)
    wrong = {
        "rest.ts": [
            ("connection_type: 'nfs'", "connection_type: 'ftp'"),
            ("'/utils/context-packs'", "'/utils/context-pack'"),
            ("memories.pagination.total_items", "memories.pagination.total"),
        ],
        "codegen.ts": [
            ("memoryType: 'FACT'", "memoryType: 'RUMOUR'"),
            ("found.total", "found.count"),
            ("{ q: 'orders' }", "{ query: 'orders' }"),
        ],
        "tada.ts": [
            ("connectionType: 'NFS'", "connectionType: 'FTP'"),
            ("connection.status", "connection.state"),
            ("last?.tasks.length", "last?.steps.length"),
        ],
    }
    for name, changes in wrong.items():
        text = (folder / "src" / name).read_text()
        for right, other in changes:
            assert right in text, right
            text = text.replace(right, other, 1)
        (folder / "src" / name).write_text(text)
    done = run("node_modules/.bin/tsc", "--noEmit", cwd=folder)
    assert done.returncode == 2
    for name, changes in wrong.items():
        lines = set(re.findall(rf"^src/{name}\((\d+),", done.stdout, re.MULTILINE))
        assert len(lines) >= len(changes), done.stdout


def test_the_settings_of_the_compiler_are_the_strict_ones(typescript_client: Path) -> None:
    said = json.loads(succeeded(run("node_modules/.bin/tsc", "--showConfig", cwd=typescript_client)))["compilerOptions"]
    for name in ("strict", "noUncheckedIndexedAccess", "exactOptionalPropertyTypes"):
        assert said[name] is True, name
    assert said["skipLibCheck"] is False
