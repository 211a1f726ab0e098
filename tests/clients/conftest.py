"""One copy of the examples, one server, and each client generated once."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.clients import copied_examples, generator, node_packages, run, succeeded
from tests.support.server import Server, stoa


@pytest.fixture(scope="session")
def examples(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The examples in a folder of their own."""
    return copied_examples(tmp_path_factory.mktemp("repository"))


@pytest.fixture(scope="package")
def live(examples: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, str]]:
    """A server as `serve.sh` starts it; the environment of a client."""
    folder = tmp_path_factory.mktemp("live")
    with Server(folder, settings={"filesystem_roots": examples / "shop"}) as server:
        server.ready()
        yield environment_of(server, folder)


def environment_of(server: Server, folder: Path) -> dict[str, str]:
    """Return what `serve.sh` prints: where the server is, and a token of the owner of an organization."""
    succeeded(stoa(folder, "bootstrap", "--org", "acme", "--owner", "ann"))
    token = succeeded(stoa(folder, "token", "--user", "ann", "--org", "acme")).strip()
    return {"STOA_URL": server.address, "STOA_TOKEN": token}


@pytest.fixture(scope="session")
def python_client(examples: Path) -> Path:
    """The folder of the Python example, its client generated."""
    done = run(generator(), "generate.py", cwd=examples / "python")
    said = succeeded(done) + done.stderr
    assert "warning" not in said.lower(), said
    return examples / "python"


@pytest.fixture(scope="session")
def typescript_client(examples: Path) -> Path:
    """The folder of the TypeScript examples, its types generated and its programs built under the strict settings."""
    folder = examples / "typescript"
    (folder / "node_modules").symlink_to(node_packages())
    done = run("npm", "run", "--silent", "generate", cwd=folder)
    said = succeeded(done) + done.stderr
    assert "warning" not in said.lower().replace("npm warn", ""), said
    succeeded(run("npm", "run", "--silent", "build", cwd=folder))
    return folder
