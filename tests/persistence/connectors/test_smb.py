"""Shares on a real Samba server."""

import logging
import shutil
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from persistence.connectors.core.base import ConnectorError
from persistence.connectors.files.connector import FileTables
from persistence.connectors.files.store import FileLimits
from schema.assets.connection_configs.files import split_share
from tests.persistence.connectors.test_files import put, put_parquet
from tests.support.samba import SambaServer, samba_server
from tests.support.sources import SECRET, columns, everything, failure, opened

__all__ = ["samba_server"]


@pytest.fixture
def share(samba_server: SambaServer) -> Iterator[Path]:
    """The shared folder, emptied after the test."""
    yield samba_server.folder
    for entry in samba_server.folder.iterdir():
        if entry.is_dir() and not entry.is_symlink():
            shutil.rmtree(entry)
        else:
            entry.unlink()


def path_of(server: SambaServer, share: str = "data") -> str:
    """The address of a share, by a name that the policy resolves."""
    return f"//files.example:{server.port}/{share}"


def login(server: SambaServer) -> dict[str, str]:
    """The credentials of the one user."""
    return {"username": server.username, "password": server.password}


def test_a_share_is_read_as_tables(samba_server: SambaServer, share: Path) -> None:
    put(share, "people.csv", "id,name\n1,Ann\n")
    put(share, "Größe & co/été.ndjson", '{"a": 1}\n')
    put(share, "notes.txt", "x")
    put_parquet(share, "lake/t/year=2023/a.parquet", "select range a, md5(range::varchar) b from range(50000)")
    put_parquet(share, "lake/t/year=2024/a.parquet", "select 1::bigint a, 'x' b")
    with opened("smb", {"path": path_of(samba_server), "protocol": "smb"}, login(samba_server)) as connector:
        discovery = connector.verify()
        found = everything(connector)
        assert {schema.database for schema in connector.schemas()} == {"data"}
    assert discovery.message == "Connected to 'data': 3 tables in 4 files."
    assert discovery.details["ignored_files"] == 1
    assert columns(found["root"]["people"]) == {"id": "BIGINT", "name": "VARCHAR"}
    assert columns(found["Größe & co"]["été"]) == {"a": "BIGINT"}
    assert columns(found["lake"]["t"]) == {"a": "BIGINT", "b": "VARCHAR", "year": "BIGINT"}
    assert found["lake"]["t"].row_count == 50_001


def test_a_folder_of_a_share_is_the_root_and_many_files_are_listed(samba_server: SambaServer, share: Path) -> None:
    for number in range(700):
        put(share, f"many/file with a rather long name to fill the answers {number:04}.csv", "a\n1\n")
    with opened("smb", {"path": f"{path_of(samba_server)}/many/"}, login(samba_server)) as connector:
        assert connector.verify().details["tables"] == 700
        assert [schema.name for schema in connector.schemas()] == ["root"]


def test_a_large_tree_is_cut_and_says_so(
    samba_server: SambaServer, share: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(FileTables, "limits", FileLimits(max_files=10))
    for number in range(20):
        put(share, f"f{number:02}.csv", "a\n1\n")
    with opened("smb", {"path": path_of(samba_server)}, login(samba_server)) as connector:
        details = connector.verify().details
    assert (details["tables"], details["truncated"]) == (10, True)


def test_a_vanished_file_is_left_out_and_one_that_may_not_be_read_says_so(
    samba_server: SambaServer, share: Path
) -> None:
    put(share, "gone.csv", "a\n1\n")
    put(share, "stays.csv", "a\n1\n")
    with opened("smb", {"path": path_of(samba_server)}, login(samba_server)) as connector:
        connector.schemas()
        (share / "gone.csv").unlink()
        assert list(everything(connector)["root"]) == ["stays"]


def test_guests_are_let_into_open_shares_only(samba_server: SambaServer) -> None:
    put(samba_server.public, "b.json", '{"a": 1}')
    with opened("smb", {"path": path_of(samba_server, "open")}) as connector:
        assert list(everything(connector)["root"]) == ["b"]
    with opened("smb", {"path": path_of(samba_server)}) as connector:
        assert failure(connector.verify).kind == "permission"


def test_each_refusal_of_a_server_has_its_own_sentence(
    samba_server: SambaServer, share: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    put(share, "a.csv", "a\n1\n")
    good, host = login(samba_server), path_of(samba_server)
    for path, credentials, kind, words in (
        (host, good | {"password": SECRET}, "authentication", "the password"),
        (host, good | {"username": "nobody-known", "password": SECRET}, "authentication", "guest"),
        (path_of(samba_server, "none"), good, "not_found", "no share 'none'"),
        (f"{host}/none", good, "not_found", "does not exist"),
        (f"{host}/a.csv", good, "not_found", "not a folder"),
    ):
        with opened("smb", {"path": path}, credentials) as connector:
            error = failure(connector.verify, caplog)
        assert (error.kind, words in error.reason) == (kind, True), error.reason
    assert samba_server.password not in caplog.text


def test_each_failure_on_the_way_has_its_own_kind(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    pytest.importorskip("smbprotocol")
    credentials = {"username": "ann", "password": SECRET}

    def error_at(path: str, **times: float) -> ConnectorError:
        with opened("smb", {"path": path}, credentials, **times) as connector:  # type: ignore[arg-type]
            return failure(connector.verify, caplog)

    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        assert error_at(f"//files.example:{closed.getsockname()[1]}/data").kind == "unreachable"
    assert error_at("//unknown.invalid/data").kind == "unreachable"
    assert error_at("//inside.invalid/data").kind == "refused_address"
    with socket.socket() as silent:
        silent.bind(("127.0.0.1", 0))
        silent.listen()
        assert error_at(f"//files.example:{silent.getsockname()[1]}/data", connect=1).kind == "timeout"


@contextmanager
def relay(port: int) -> Iterator[tuple[int, threading.Event]]:
    """A port that passes everything on to another until the event is set, and is silent from then on."""
    frozen = threading.Event()

    def pump(source: socket.socket, target: socket.socket) -> None:
        with suppress(OSError):
            while data := source.recv(1 << 16):
                if frozen.is_set():
                    return
                target.sendall(data)

    with socket.create_server(("127.0.0.1", 0)) as door:

        def serve() -> None:
            with suppress(OSError):
                near, _ = door.accept()
                far = socket.create_connection(("127.0.0.1", port))
                sockets.extend((near, far))
                for pair in ((near, far), (far, near)):
                    threading.Thread(target=pump, args=pair, daemon=True).start()

        sockets: list[socket.socket] = []
        threading.Thread(target=serve, daemon=True).start()
        try:
            yield door.getsockname()[1], frozen
        finally:
            for held in sockets:
                held.close()


def test_a_server_that_falls_silent_is_given_up(samba_server: SambaServer, share: Path) -> None:
    put(share, "a.csv", "a\n1\n")
    with relay(samba_server.port) as (port, frozen):
        connector = opened("smb", {"path": f"//files.example:{port}/data"}, login(samba_server), statement=1)
        connector.schemas()
        frozen.set()
        error = failure(lambda: everything(connector))
        connector.close()
    assert error.kind == "timeout"


def test_a_missing_driver_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "smbprotocol", None)
    with opened("smb", {"path": "//files.example/data"}) as connector:
        error = failure(connector.verify)
    assert error.kind == "missing_extra"
    assert "pip install 'stoa-platform[smb,files]'" in error.reason


@pytest.mark.parametrize(
    ("path", "parts"),
    [
        ("//server/share", ("server", 445, "share", "")),
        ("\\\\server\\share\\a\\b", ("server", 445, "share", "a/b")),
        ("smb://server.example:1445/share/a b/", ("server.example", 1445, "share", "a b")),
        ("//[fd00::1]:445/c$", ("fd00::1", 445, "c$", "")),
    ],
)
def test_a_shares_address_is_understood_in_every_spelling(path: str, parts: tuple[str, int, str, str]) -> None:
    assert split_share(path) == parts


@pytest.mark.parametrize(
    "path",
    ["server/share", "//server", "//server/", f"smb://ann:{SECRET}@server/share", "//server/share/../x", "/mnt/x"],
)
def test_what_is_not_a_shares_address_is_refused(path: str) -> None:
    error = failure(lambda: opened("smb", {"path": path}))
    assert error.kind == "bad_config"
    assert "filesystem_config.path" in error.reason


def test_a_share_that_asks_for_a_login_is_not_tried_without() -> None:
    with opened("smb", {"path": "//server/share", "auth_required": True}) as connector:
        assert "auth_required" in failure(connector.verify).reason
    assert SECRET not in repr(opened("smb", {"path": "//s/s"}, {"username": "a", "password": SECRET}))
