"""What the platform writes in its data folder is readable by its owner only, whatever the umask of the shell."""

import os
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest

from persistence.private import private_file, private_folder
from tests.support.server import Client, Server, stoa

pytestmark = pytest.mark.timeout(900)


def open_to_others(folder: Path) -> dict[str, str]:
    """The modes of what somebody else may read, write or enter, the folder itself included."""
    return {
        str(path.relative_to(folder)): oct(path.lstat().st_mode)
        for path in (folder, *folder.rglob("*"))
        if path.lstat().st_mode & 0o077
    }


@pytest.fixture
def careless() -> Iterator[None]:
    """A shell that hides nothing; processes that are started in it have its umask."""
    before = os.umask(0)
    yield
    os.umask(before)


@pytest.mark.usefixtures("careless")
def test_nothing_that_a_server_writes_is_open_to_others(tmp_path: Path) -> None:
    files = tmp_path / "files"
    files.mkdir()
    (files / "a.csv").write_text("a\n1\n")
    assert stoa(tmp_path, "bootstrap", "--org", "acme", "--owner", "olga").returncode == 0
    assert open_to_others(tmp_path / "data") == {}
    with Server(tmp_path, settings={"filesystem_roots": files}) as server, Client(tmp_path, server.ready()) as client:
        client("POST", "/assets/files", data={"key": "a.csv", "name": "A"}, files={"file": ("a.csv", b"a\n1\n")})
        connection = client(
            "POST",
            "/assets/data",
            json={"name": "F", "connection_type": "nfs", "filesystem_config": {"path": str(files)}},
        )
        config = {"resource_uri": connection["resource_uri"]}
        configuration = client(
            "POST",
            "/data-readiness/workflows",
            json={"name": "Ingest", "workflow_type": "service-ingestion", "config": config},
        )
        runs = f"/data-readiness/workflows/{configuration['id']}/runs"
        run = client.over(f"{runs}/{client('POST', runs, json={})['id']}")
        assert run["status"] == "completed", run
        names = {path.name for path in (tmp_path / "data").iterdir()}
        assert {"stoa.sqlite", "stoa.sqlite-wal", "jobs.sqlite", "blobs", "issuer.pem", "keyring.json"} <= names
        assert open_to_others(tmp_path / "data") == {}


@pytest.mark.usefixtures("careless")
def test_a_token_makes_a_private_folder(tmp_path: Path) -> None:
    assert stoa(tmp_path, "token", "--user", "olga", "--org", "acme").returncode == 0
    assert open_to_others(tmp_path / "data") == {}


def test_a_folder_of_before_is_narrowed_and_told(tmp_path: Path) -> None:
    data = tmp_path / "data"
    assert stoa(tmp_path, "bootstrap", "--org", "acme", "--owner", "olga").returncode == 0
    (data / "blobs" / "acme").mkdir(parents=True, exist_ok=True)
    (data / "blobs" / "acme" / "one").write_bytes(b"1")
    (data / "own").write_text("not the platform's")
    for path in (data, *data.rglob("*")):
        path.chmod(0o755 if path.is_dir() else 0o644)
    with Server(tmp_path) as server:
        server.ready()
        said = server.text
    assert open_to_others(data) == {"own": "0o100644"}
    assert f"{data} was open to other accounts" in said


def test_a_folder_that_others_share_and_one_that_cannot_be_changed_are_left(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shared = tmp_path / "shared"
    shared.mkdir()
    shared.chmod(0o1777)
    assert not private_folder(shared)
    assert stat.S_IMODE(shared.stat().st_mode) == 0o1777

    def refuse(*_: object) -> None:
        raise PermissionError

    monkeypatch.setattr(os, "chmod", refuse)
    other = tmp_path / "other"
    other.mkdir(mode=0o755)
    assert not private_folder(other)
    (other / "file").touch(mode=0o644)
    private_file(other / "file")
