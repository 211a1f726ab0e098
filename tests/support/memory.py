"""A folder for temporary files that lies in memory, where the machine has room for it.

A test's database is a copy of a template: hundreds of files, which a file system in memory makes and drops ten times
cheaper than one on a disk. Where there is no such room, everything is where it always was.
"""

import os
import shutil
import tempfile
from pathlib import Path

_MOUNT = Path("/dev/shm")
_LIMIT = Path("/sys/fs/cgroup/memory.max")
"""What a container's programs may take together, in bytes or `max`."""
_LEAST_ROOM = 4 << 30
"""Free bytes that the file system must have: far more than two test processes use at once."""
_LEAST_MEMORY = 8 << 30
"""Bytes of memory that programs could still take, of which the files will use some."""
_PREFIX = "stoa-tests-"


def move_temporary_files() -> Path | None:
    """Put this process's temporary files, and those of the programs that it starts, into memory; gives the folder.

    The caller removes it. None when there is not enough room, or TMPDIR says already where they belong.
    """
    if "TMPDIR" in os.environ or not _fits():
        return None
    _remove_left()
    folder = _MOUNT / f"{_PREFIX}{os.getpid()}"
    folder.mkdir()
    folder.chmod(0o1777)  # as /tmp: a database server runs under an account of its own
    os.environ["TMPDIR"] = str(folder)
    tempfile.tempdir = None
    return folder


def _fits() -> bool:
    """Return whether files may lie there, programs among them."""
    try:
        found = os.statvfs(_MOUNT)
        memory = dict(line.split(":") for line in Path("/proc/meminfo").read_text(encoding="ascii").splitlines())
        available = int(memory["MemAvailable"].split()[0]) * 1024
        if _LIMIT.exists() and (limit := _LIMIT.read_text(encoding="ascii").strip()) != "max":
            available = min(available, int(limit))
    except (OSError, LookupError, ValueError):
        return False
    room = found.f_bavail * found.f_frsize
    may_write = os.access(_MOUNT, os.W_OK | os.X_OK) and not found.f_flag & os.ST_NOEXEC
    return may_write and room >= _LEAST_ROOM and available >= _LEAST_MEMORY


def _remove_left() -> None:
    """Remove the folders of processes that were killed before they could."""
    for folder in _MOUNT.glob(f"{_PREFIX}*"):
        if not Path("/proc", folder.name.removeprefix(_PREFIX)).exists():
            shutil.rmtree(folder, ignore_errors=True)
