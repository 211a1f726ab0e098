"""A real MariaDB for tests: the one that STOA_TEST_MYSQL_URL names, or a private one on 127.0.0.1.

The private server takes `mariadbd` from PATH, from Debian's folder, or from `.cache/mariadb`, which
`.ci/install-mariadb` fills without root. Its one administrator, `stoa`, has a password; it is stopped when the test
process ends.
"""

import atexit
import functools
import os
import platform
import secrets
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

import pymysql
import pytest

from tests.support.needs import missing
from tests.support.postgres import account_to_drop_to, as_account, die_with_parent, free_port, write_for

_START_SECONDS = 240
_CACHE = Path(__file__).resolve().parents[2] / ".cache" / "mariadb"


class NoMariadb(Exception):
    """No server programs were found, or they do not start here."""


@dataclass(frozen=True)
class MariadbServer:
    """A running server and a user that may do everything on it."""

    host: str
    port: int
    user: str
    password: str

    def execute(self, *statements: str, database: str | None = None) -> None:
        """Run statements one after the other, each committed by itself."""
        connection = pymysql.connect(
            host=self.host,
            port=self.port,
            user=self.user,
            password=self.password,
            database=database,
            autocommit=True,
            charset="utf8mb4",
        )
        try:
            with connection.cursor() as cursor:
                for statement in statements:
                    cursor.execute(statement)
        finally:
            connection.close()

    def create_database(self) -> str:
        """Create an empty database and return its name."""
        name = f"stoa_{secrets.token_hex(6)}"
        self.execute(f"create database {name} character set utf8mb4")
        return name

    def drop_database(self, name: str) -> None:
        """Drop a database by its name."""
        self.execute(f"drop database if exists `{name}`")


@contextmanager
def running_mariadb(*settings: str, certificate: tuple[bytes, bytes] | None = None) -> Iterator[MariadbServer]:
    """Start a private server with the given `name=value` settings; with a (certificate, key) it also speaks TLS.

    Raises NoMariadb when there is nothing to start.
    """
    program, base, environment = _program()
    with tempfile.TemporaryDirectory(prefix="stoa-maria-", ignore_cleanup_errors=True) as folder:
        home = Path(folder)
        account = account_to_drop_to("mysql", "postgres", "nobody")
        data = home / "data"
        data.mkdir()
        if account is not None:
            for path in (home, data):
                os.chown(path, account.pw_uid, account.pw_gid)
        common: list[str] = [
            str(program),
            "--no-defaults",
            f"--basedir={base}",
            f"--lc-messages-dir={base / 'share' / 'mysql'}",
            f"--datadir={data}",
            f"--tmpdir={home}",
            "--innodb-flush-log-at-trx-commit=0",
            "--innodb-buffer-pool-size=64M",
            "--innodb-use-native-aio=0",
            "--innodb-log-file-size=16M",
            *(() if os.geteuid() else ("--user=" + account.pw_name,) if account is not None else ()),
        ]
        options: dict[str, Any] = {"env": environment, "cwd": home, **as_account(account)}
        password = secrets.token_urlsafe(16)
        _bootstrap([*common, "--bootstrap"], base, password, options)
        port = free_port()
        command = [
            *common,
            "--bind-address=127.0.0.1",
            f"--port={port}",
            f"--socket={home / 's'}",
            f"--pid-file={home / 'pid'}",
            "--skip-name-resolve",
            "--character-set-server=utf8mb4",
            "--collation-server=utf8mb4_general_ci",
            *(f"--{setting}" for setting in settings),
        ]
        if certificate is not None:
            for name, content in zip(("server.crt", "server.key"), certificate, strict=True):
                write_for(home / name, content, account)
            command += [f"--ssl-cert={home / 'server.crt'}", f"--ssl-key={home / 'server.key'}"]
        log = home / "log"
        with log.open("wb") as output:
            server = subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=output,
                preexec_fn=die_with_parent,
                **options,
            )
        try:
            running = MariadbServer("127.0.0.1", port, "stoa", password)
            _wait(server, running, log)
            yield running
        finally:
            server.terminate()
            try:
                server.wait(20)
            except subprocess.TimeoutExpired:
                server.kill()
                server.wait()


@functools.cache
def shared_mariadb() -> MariadbServer:
    """The server of this test process, started on first use and stopped when the process ends.

    Raises NoMariadb when there is none to be had.
    """
    address = os.environ.get("STOA_TEST_MYSQL_URL")
    if address:
        parts = urlsplit(address)
        return MariadbServer(
            parts.hostname or "127.0.0.1",
            parts.port or 3306,
            unquote(parts.username or "root"),
            unquote(parts.password or ""),
        )
    running = running_mariadb()
    server = running.__enter__()
    atexit.register(running.__exit__, None, None, None)
    return server


@pytest.fixture(scope="session")
def mariadb_server() -> MariadbServer:
    """A running MariaDB. Import this fixture, or name this module in `pytest_plugins`."""
    try:
        return shared_mariadb()
    except NoMariadb as error:
        missing(
            f"MariaDB ({error})",
            "run .ci/install-mariadb (Debian, no root needed), put mariadbd on PATH, or set STOA_TEST_MYSQL_URL",
        )


def _program() -> tuple[Path, Path, dict[str, str]]:
    """The server program, the folder that holds its `share/mysql`, and the environment to run it in."""
    environment = {"PATH": os.environ.get("PATH", ""), "LC_ALL": "C", "TZ": "UTC"}
    unpacked = _CACHE / "usr" / "sbin" / "mariadbd"
    found = shutil.which("mariadbd", path=f"{environment['PATH']}:/usr/sbin:/usr/libexec")
    if found:
        program = Path(found).resolve()
    elif unpacked.exists():
        program = unpacked
        libraries = _CACHE / "usr" / "lib" / f"{platform.machine()}-linux-gnu"
        environment["LD_LIBRARY_PATH"] = f"{libraries}:{_CACHE / 'lib' / libraries.name}"
    else:
        raise NoMariadb("no mariadbd on PATH")
    for base in program.parents:
        if (base / "share" / "mysql" / "mysql_system_tables.sql").exists():
            return program, base, environment
    raise NoMariadb("mariadbd without its share/mysql folder")


def _bootstrap(command: list[str], base: Path, password: str, options: dict[str, Any]) -> None:
    """Make the system tables and the one administrator; the scripts of the package ask for more tools than this."""
    share = base / "share" / "mysql"
    script = "create database mysql;\nuse mysql;\nset @auth_root_socket=null;\n"
    for name in ("mysql_system_tables.sql", "mysql_performance_tables.sql", "mysql_system_tables_data.sql"):
        script += (share / name).read_text()
    script += (
        "\nflush privileges;\ndelete from mysql.global_priv where user <> 'mariadb.sys';\nflush privileges;\n"
        f"create user 'stoa'@'%' identified by '{password}';\ngrant all on *.* to 'stoa'@'%' with grant option;\n"
    )
    made = subprocess.run(command, input=script.encode(), capture_output=True, check=False, **options)
    if made.returncode != 0:
        raise NoMariadb(f"the system tables could not be made: {made.stderr.decode(errors='replace')[-400:]}")


def _wait(server: "subprocess.Popen[bytes]", address: MariadbServer, log: Path) -> None:
    deadline = time.monotonic() + _START_SECONDS
    while time.monotonic() < deadline:
        if server.poll() is not None:
            break
        try:
            address.execute("select 1")
        except pymysql.err.OperationalError:
            time.sleep(0.05)
        else:
            return
    raise NoMariadb(f"the server did not start: {log.read_text(errors='replace')[-600:]}")
