"""A real Samba server for tests: smbd from PATH, or the one that `.ci/install-samba` unpacked into `.cache/samba`.

It shares one folder, knows one user with a password and lets nobody in as a guest, except into the share `open`. It
runs as whoever runs the tests and is stopped when the test process ends.
"""

import getpass
import os
import secrets
import shutil
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.support.needs import missing
from tests.support.postgres import die_with_parent, free_port

_CACHE = Path(__file__).resolve().parents[2] / ".cache" / "samba"
_HOW = "run .ci/install-samba, or install Debian's samba"


@dataclass(frozen=True)
class SambaServer:
    """A running server that shares `folder` as `share` (with a password) and `public` as `open` (for guests)."""

    host: str
    port: int
    username: str
    password: str
    folder: Path
    public: Path
    share: str = "data"


@pytest.fixture(scope="session")
def samba_server() -> Iterator[SambaServer]:
    """A running server. Import this fixture, or name this module in `pytest_plugins`."""
    found = shutil.which("smbd") or ("/usr/sbin/smbd" if Path("/usr/sbin/smbd").exists() else None)
    root = Path("/")
    environment = {"PATH": os.environ.get("PATH", ""), "LC_ALL": "C.UTF-8"}
    if found is None:
        root = _CACHE
        found = str(root / "usr/sbin/smbd")
        if not Path(found).exists():
            missing("Samba", _HOW)
        libraries = [
            str(folder)
            for base in ("usr/lib", "lib")
            for pattern in ("*-linux-gnu", "*-linux-gnu/samba")
            for folder in (root / base).glob(pattern)
        ]
        environment["LD_LIBRARY_PATH"] = ":".join(libraries)
    # Short names: a socket's path may not be long.
    with tempfile.TemporaryDirectory(prefix="smb-", dir="/tmp") as place:
        home = Path(place)
        home.chmod(0o755)
        for name in ("data", "open", "state"):
            (home / name).mkdir()
        port, user, password = free_port(), getpass.getuser(), secrets.token_urlsafe(12)
        config = home / "smb.conf"
        config.write_text(_configuration(home, port, user))
        subprocess.run(
            [root / "usr/bin/smbpasswd", "-c", config, "-L", "-a", "-s", user],
            input=f"{password}\n{password}\n",
            text=True,
            check=True,
            env=environment,
            capture_output=True,
        )
        with (home / "log").open("wb") as log:
            server = subprocess.Popen(
                [found, "--foreground", "--no-process-group", f"--configfile={config}", "--debug-stdout"],
                env=environment,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                # A stopping smbd ends its whole process group, which must not be that of the tests.
                start_new_session=True,
                preexec_fn=die_with_parent,
            )
        try:
            if not _answers(server, port):
                missing(f"Samba ({(home / 'log').read_text(errors='replace')[-300:]})", _HOW)
            yield SambaServer("127.0.0.1", port, user, password, home / "data", home / "open")
        finally:
            server.terminate()
            try:
                server.wait(15)
            except subprocess.TimeoutExpired:
                server.kill()
                server.wait()


def _configuration(home: Path, port: int, user: str) -> str:
    state = home / "state"
    folders = "\n".join(
        f"  {name} = {state}"
        for name in ("private dir", "lock directory", "state directory", "cache directory", "pid directory")
    )
    return f"""[global]
  server role = standalone server
  interfaces = 127.0.0.1
  bind interfaces only = yes
  smb ports = {port}
{folders}
  ncalrpc dir = {state}/rpc
  passdb backend = tdbsam:{state}/passdb.tdb
  log level = 0
  load printers = no
  printing = bsd
  disable spoolss = yes
  disable netbios = yes
  server min protocol = SMB2
  map to guest = Bad User
  guest account = {user}
[data]
  path = {home}/data
  valid users = {user}
  read only = yes
[open]
  path = {home}/open
  guest ok = yes
  read only = yes
"""


def _answers(server: "subprocess.Popen[bytes]", port: int) -> bool:
    deadline = time.monotonic() + 120
    while time.monotonic() < deadline and server.poll() is None:
        try:
            socket.create_connection(("127.0.0.1", port), timeout=5).close()
        except OSError:
            time.sleep(0.05)
        else:
            return True
    return False
