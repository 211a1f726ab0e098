"""A folder of the machine that Stoa runs on, usually a mounted NFS export, below one that the deployment allows."""

from __future__ import annotations

import contextlib
import errno
import os
import stat
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path

from persistence.connectors.core.base import ConnectorError
from persistence.connectors.core.folders import Folders
from persistence.connectors.files.connector import FileTables
from persistence.connectors.files.formats import FileReader
from persistence.connectors.files.layout import Listing, StoredFile
from persistence.connectors.files.store import FileLimits, FileStore
from schema.assets.connection_configs.files import NfsConfig, NoCredentials

VERIFIED = "real files on a local file system; a mounted NFS export is read through the same calls"

_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
# Without blocking, or opening a pipe would wait for its writer.
_FILE = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
_UNSETTLED = 2_000_000_000
"""Nanoseconds; the coarsest times of a file system are those of FAT."""


class NfsConnector(FileTables[NfsConfig, NoCredentials]):
    """Files of a mounted folder as tables."""

    kind = "nfs"
    config_section = "filesystem_config"
    reads_folders = True
    config_model = NfsConfig
    credentials_model = NoCredentials

    def open_store(self) -> FileStore:
        """Check the path against the allowed roots and open the folder."""
        if self.config.protocol == "smb":
            raise ConnectorError(
                "bad_config", "The protocol smb belongs to the connection type smb. Leave it out, or set it to nfs."
            )
        return LocalFiles(self.config.path, self.folders)


class LocalFiles(FileStore):
    """The tree below one folder. Nothing outside of it can be reached, not even by a link that appears while reading.

    Every file is opened part by part from the folder's own descriptor without following links. A link to a file inside
    the tree is resolved first and then opened in the same way.
    """

    def __init__(self, path: str, folders: Folders) -> None:
        if not folders.allowed and not folders.unclear:
            raise ConnectorError(
                "bad_config",
                "This deployment allows your organization no folder to be read. Its operator can allow some in the "
                "setting STOA_FILESYSTEM_ROOTS.",
            )
        try:
            self._root = os.path.realpath(path, strict=True)
        except OSError as error:
            # A path outside the roots must not become a way to ask what exists.
            if _way(os.path.realpath(path), folders) is None:
                raise _outside(folders) from None
            raise _failure(error, "The path") from None
        way = _way(self._root, folders)
        if way is None:
            raise _outside(folders)
        base, below = way
        self.name = Path(path).name or "root"
        try:
            # From the allowed folder down, or a part that becomes a link just now would lead out of it.
            self._descriptor = _descend(os.open(base, _FOLDER), below)
        except OSError as error:
            raise _failure(error, "The path") from None

    def files(self, limits: FileLimits) -> Listing:
        """Walk the tree in the order of names."""
        walk = _Walk(limits)
        self._walk(self._descriptor, "", 0, walk)
        return Listing(tuple(sorted(walk.files, key=lambda file: file.path)), walk.refused, walk.truncated)

    @contextmanager
    def open(self, file: StoredFile) -> Iterator[FileReader]:
        """Open one file by its path below the root."""
        descriptor = self._open(file.path)
        try:
            yield _LocalReader(descriptor, os.fstat(descriptor).st_size)
        finally:
            os.close(descriptor)

    def local_root(self) -> str | None:
        """The folder, where the system shows open files as paths; DuckDB can open nothing else."""
        return self._root if os.path.isdir("/proc/self/fd") else None

    def descriptor(self, file: StoredFile) -> int | None:
        """The file, opened as `open` does."""
        return None if self.local_root() is None else self._open(file.path)

    def close(self) -> None:
        """Give back the folder."""
        descriptor, self._descriptor = self._descriptor, -1
        if descriptor >= 0:
            os.close(descriptor)

    def _walk(self, folder: int, prefix: str, depth: int, walk: _Walk) -> None:
        left = walk.limits.max_files - walk.seen
        with os.scandir(folder) as found:
            entries = sorted(islice(found, left + 1), key=lambda entry: entry.name)
        if len(entries) > left:
            walk.truncated = True
            entries = entries[:left]
        walk.seen += len(entries)
        for entry in entries:
            path = f"{prefix}{entry.name}"
            try:
                if entry.is_symlink():
                    self._link(path, walk)
                elif entry.is_dir(follow_symlinks=False):
                    if depth >= walk.limits.max_depth or walk.seen >= walk.limits.max_files:
                        walk.truncated = True
                        continue
                    inner = os.open(entry.name, _FOLDER, dir_fd=folder)
                    try:
                        self._walk(inner, f"{path}/", depth + 1, walk)
                    finally:
                        os.close(inner)
                elif entry.is_file(follow_symlinks=False) and _is_text(path):
                    walk.files.append(_stored(path, entry.stat(follow_symlinks=False)))
                else:
                    walk.refused += 1
            except OSError:
                walk.refused += 1

    def _link(self, path: str, walk: _Walk) -> None:
        """A link counts when it leads to a plain file inside the tree; links to folders are not followed."""
        try:
            descriptor = self._open(path)
        except ConnectorError:
            walk.refused += 1
            return
        try:
            walk.files.append(_stored(path, os.fstat(descriptor)))
        finally:
            os.close(descriptor)

    def _open(self, path: str) -> int:
        """A descriptor of a plain file inside the tree."""
        parts = path.split("/")
        target = os.path.realpath(os.path.join(self._root, *parts))
        if not _within(self._root, target):
            raise ConnectorError("permission", "The file leads out of the folder.")
        parts = os.path.relpath(target, self._root).split("/")
        try:
            folder = _descend(os.dup(self._descriptor), parts[:-1])
            try:
                descriptor = os.open(parts[-1], _FILE, dir_fd=folder)
            finally:
                os.close(folder)
        except OSError as error:
            raise _failure(error, "The file") from None
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            os.close(descriptor)
            raise ConnectorError("permission", "It is not a plain file.")
        return descriptor


@dataclass(slots=True)
class _Walk:
    """Holds what a walk has seen."""

    limits: FileLimits
    files: list[StoredFile] = field(default_factory=list)
    seen: int = 0
    refused: int = 0
    truncated: bool = False


class _LocalReader:
    """An open local file."""

    def __init__(self, descriptor: int, size: int) -> None:
        self._descriptor = descriptor
        self.size = size

    def read(self, offset: int, length: int) -> bytes:
        """Read one stretch."""
        pieces = bytearray()
        try:
            while length > len(pieces):
                piece = os.pread(self._descriptor, length - len(pieces), offset + len(pieces))
                if not piece:
                    break
                pieces += piece
        except OSError as error:
            raise _failure(error, "The file") from None
        return bytes(pieces)


def _stored(path: str, found: os.stat_result) -> StoredFile:
    """The file, with a version unless it was changed so lately that its times need not change with its next change."""
    changed = max(found.st_mtime_ns, found.st_ctime_ns)
    if time.time_ns() - changed < _UNSETTLED:
        return StoredFile(path, found.st_size)
    version = f"{found.st_dev}-{found.st_ino}-{found.st_mtime_ns}-{found.st_ctime_ns}"
    return StoredFile(path, found.st_size, version)


def _descend(folder: int, parts: list[str]) -> int:
    """Go down from an open folder without following links. Takes over `folder`; raises OSError."""
    for part in parts:
        try:
            inner = os.open(part, _FOLDER, dir_fd=folder)
        finally:
            os.close(folder)
        folder = inner
    return folder


def _way(path: str, folders: Folders) -> tuple[str, list[str]] | None:
    """A resolved folder of the operator's and the parts that lead down from it to a resolved path; None: no way."""
    for folder in folders.allowed:
        with contextlib.suppress(OSError, ValueError):
            base = os.path.realpath(folder.base)
            if _within(os.path.join(base, *folder.below), path):
                below = os.path.relpath(path, base)
                return base, [] if below == "." else below.split("/")
    return None


def _within(folder: str, path: str) -> bool:
    """Return whether a resolved path is a resolved folder, or lies in it."""
    return os.path.commonpath((folder, path)) == folder


def _is_text(path: str) -> bool:
    """Names that are not UTF-8 cannot be stored or shown."""
    try:
        path.encode()
    except UnicodeEncodeError:
        return False
    return True


def _outside(folders: Folders) -> ConnectorError:
    if folders.unclear:
        return ConnectorError(
            "permission",
            "Several organizations share this deployment, and its setting STOA_FILESYSTEM_ROOTS holds a folder without "
            f"saying whose it is. Ask its operator to write {folders.organization}=/folder for your organization's "
            "alone, /folder/{organization} for a folder of each organization's own, or *=/folder for one that all may "
            "read.",
        )
    return ConnectorError(
        "permission",
        "The path does not lie below a folder that this deployment allows your organization to read. Choose another "
        "path, or ask its operator to add the folder to the setting STOA_FILESYSTEM_ROOTS.",
    )


def _failure(error: OSError, what: str) -> ConnectorError:
    """The sentence for what the operating system said."""
    if error.errno in {errno.ENOENT, errno.ENOTDIR} and what == "The file":
        return ConnectorError("not_found", "The file does not exist.")
    if error.errno == errno.ENOENT:
        return ConnectorError("not_found", "The path does not exist. Check its spelling and that it is mounted.")
    if error.errno == errno.ENOTDIR:
        return ConnectorError("not_found", "The path is not a folder. Name the folder that holds the files.")
    if error.errno in {errno.EACCES, errno.EPERM, errno.ELOOP}:
        return ConnectorError("permission", f"{what} may not be read by the account that Stoa runs under.")
    if error.errno in {errno.ESTALE, errno.EIO, errno.ETIMEDOUT, errno.EHOSTDOWN}:
        return ConnectorError("unreachable", f"{what} could not be read. Check that its file server is up.")
    return ConnectorError("failed", f"{what} could not be read ({os.strerror(error.errno or 0)}).")
