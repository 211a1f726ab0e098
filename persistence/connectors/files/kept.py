"""Tables of files that are kept in DuckDB's own format, so that a file is parsed again only when it has changed.

A kept table is found by the connection's place, its files and the versions that the store lists them with (an ETag, the
times of a local file), and by the versions of what reads them: whoever lists other versions finds nothing. It says
nothing of who may read: that the caller asks of the store, file by file, before using it. Nothing else depends on it;
it may be deleted at any time.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import stat
import tempfile
import time
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Final

from persistence.connectors.files.layout import StoredFile

_FORMAT: Final = 1
"""Goes up when the same files would be read as other rows or types than before."""
KEPT: Final = ".kept"
"""How the names of kept tables end."""
_UNUSED_SECONDS: Final = 7 * 86_400.0
_SHARE: Final = 4
"""A quarter of the disk is taken at most: the system's temporary folder may lie in memory."""


class KeptTables:
    """The kept tables of one connection, in a folder that the system's user shares with nobody else."""

    def __init__(self, scratch: str, most: int, place: str, reader: str) -> None:
        """`most` bytes are kept of all connections; `place` is what the connection reads, `reader` what reads it."""
        self._most = most
        self._about = [_FORMAT, reader, place]
        self._folder = Path(scratch or tempfile.gettempdir()) / f"stoa-kept-{os.getuid()}"

    def key(self, table: Iterable[str], files: Iterable[StoredFile]) -> str | None:
        """Return what a table of these files is kept as; None where a version is unknown or nothing is kept."""
        parts = [(file.path, file.size, file.version) for file in files]
        if not self._most or not all(version for _, _, version in parts):
            return None
        return hashlib.sha256(json.dumps([*self._about, list(table), parts]).encode()).hexdigest()

    def take(self, key: str, into: Path) -> bool:
        """Link a kept table into a private folder, where nothing removes it; whether there is one."""
        kept = self._folder / f"{key}{KEPT}"
        if not _is_private(self._folder):
            return False
        try:
            os.link(kept, into)
            os.utime(kept)
        except OSError:
            return False
        return True

    def drop(self, key: str) -> None:
        """Remove a kept table that cannot be read."""
        with suppress(OSError):
            (self._folder / f"{key}{KEPT}").unlink()

    def keep(self, key: str, made: Path) -> None:
        """Keep a file of DuckDB, and remove what was used longest ago beyond the bound. Never fails."""
        with suppress(OSError):
            self._folder.mkdir(mode=0o700)
        if not _is_private(self._folder):
            return
        with suppress(OSError):
            room = min(self._most, shutil.disk_usage(self._folder).total // _SHARE)
            if made.stat().st_size <= room:
                os.link(made, self._folder / f"{key}{KEPT}")
            self._make_room(room)

    def _make_room(self, room: int) -> None:
        left, now = room, time.time()
        for path, found in sorted(self._held(), key=lambda one: -one[1].st_mtime):
            left -= found.st_size
            if left < 0 or now - found.st_mtime > _UNUSED_SECONDS:
                with suppress(OSError):
                    path.unlink()

    def _held(self) -> Iterator[tuple[Path, os.stat_result]]:
        with suppress(OSError):
            for path in self._folder.iterdir():
                if path.suffix == KEPT:
                    with suppress(FileNotFoundError):
                        yield path, path.lstat()


def _is_private(folder: Path) -> bool:
    """Return whether it is a folder that nobody but the system's user can read or write in."""
    try:
        found = folder.lstat()
    except OSError:
        return False
    return stat.S_ISDIR(found.st_mode) and found.st_uid == os.getuid() and not found.st_mode & 0o077
