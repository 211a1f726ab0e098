"""Folders and files that only the account that Stoa runs under may read, whatever the umask.

A database is made before SQLite opens it: SQLite gives its -wal and -shm the mode of the database.
"""

import contextlib
import logging
import os
import stat
from pathlib import Path

log = logging.getLogger("stoa.private")

_OTHERS = 0o077
_TREES = ("blobs", "baseball")
_OWN = ("stoa.sqlite*", "jobs.sqlite*", "keyring.json", ".keyring.json*", "issuer.pem", ".issuer.pem*", *_TREES)


def private_folder(folder: Path) -> bool:
    """Make the data folder if it is not there, and close it to others; whether it was open to them.

    What the platform itself has put into a folder that was open is closed too; other files in it are left alone. A
    folder that all may write in, such as /tmp, stays as it is, and so does one whose modes cannot be changed.
    Raises OSError when the folder cannot be made.
    """
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    mode = folder.stat().st_mode
    if not mode & _OTHERS or mode & stat.S_ISVTX:
        return False
    for pattern in _OWN:
        for path in folder.glob(pattern):
            _close(path)
    for name in _TREES:
        for inner, folders, files in os.walk(folder / name):
            for one in (*folders, *files):
                _close(Path(inner, one))
    # Last, so that a start that is interrupted here is made up for by the next one.
    if not _close(folder):
        log.warning("%s is open to other accounts, and this one cannot change that", folder)
        return False
    log.warning("%s was open to other accounts; it is readable by its owner only now", folder)
    return True


def private_file(path: Path) -> None:
    """Make an empty file if it is not there, and close it to others. Raises OSError when it cannot be made."""
    os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600))
    _close(path)


def private_database(database: str | None) -> None:
    """Make the file and the folder of a SQLite database before it is opened; nothing for one in memory."""
    if database and database != ":memory:":
        path = Path(database)
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        private_file(path)


def _close(path: Path) -> bool:
    """Take group and others the rights to a file or folder; whether they have none. Links are left alone."""
    with contextlib.suppress(OSError):
        mode = path.lstat().st_mode
        if stat.S_ISLNK(mode):
            return True
        if mode & _OTHERS:
            os.chmod(path, stat.S_IMODE(mode) & ~_OTHERS)
        return not path.lstat().st_mode & _OTHERS
    return False
