"""A Windows or Samba share over SMB 2 and 3.

smbprotocol's low level is used and not `smbclient`: the latter follows DFS referrals and links to other servers, to
which it would send the tenant's credentials past the deployment's address policy, and shares its connections with the
whole process.
"""

from __future__ import annotations

import contextlib
import threading
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import islice
from typing import Any

from persistence.connectors.core.base import ConnectorError, ConnectorSettings, Outbound, vetted_addresses
from persistence.connectors.files.connector import FileTables
from persistence.connectors.files.formats import FileReader
from persistence.connectors.files.layout import Listing, StoredFile
from persistence.connectors.files.store import FileLimits, FileStore
from schema.assets.connection_configs.files import SmbConfig, SmbCredentials, split_share

VERIFIED = "a Samba 4.17 server with user names and passwords"

_AT_ONCE = 1 << 16
_FOLDER_MARK = 0x10
_LINK_MARK = 0x400


class SmbConnector(FileTables[SmbConfig, SmbCredentials]):
    """Files of a share as tables."""

    kind = "smb"
    config_section = "filesystem_config"
    config_model = SmbConfig
    credentials_model = SmbCredentials
    extra = "smb"

    def open_store(self) -> FileStore:
        """Check the server's address and log on to the share."""
        if self.config.protocol not in {None, "smb"}:
            raise ConnectorError("bad_config", "A connection of the type smb speaks smb. Leave the protocol out.")
        if self.config.auth_required and self._credentials.username is None:
            raise ConnectorError(
                "bad_config", "auth_required is set, but the credentials hold no username. Enter one, or unset it."
            )
        host, port, share, folder = split_share(self.config.path)
        return SmbTree(host, port, share, folder, self._credentials, self.settings, self.outbound)


class SmbTree(FileStore):
    """The tree below one folder of a share. Links and referrals to other servers are not followed."""

    def __init__(
        self,
        host: str,
        port: int,
        share: str,
        folder: str,
        credentials: SmbCredentials,
        settings: ConnectorSettings,
        outbound: Outbound,
    ) -> None:
        try:
            from smbprotocol import connection, exceptions, session, tree
        except ImportError:
            raise ConnectorError(
                "missing_extra",
                "Reading SMB shares needs a driver. Install it with: pip install 'stoa-platform[smb,files]'",
            ) from None
        self.name = share
        self._host = host
        self._folder = folder.replace("/", "\\")
        self._errors = exceptions
        self._seconds = settings.statement_timeout
        self._connection: Any = None
        user = credentials.username
        secret = "" if credentials.password is None else credentials.password.get_secret_value()
        if user is not None and credentials.domain and "\\" not in user and "@" not in user:
            user = f"{credentials.domain}\\{user}"
        addresses = vetted_addresses(outbound, host, port)
        for at, address in enumerate(addresses):
            # A guest has no key to sign with; everybody else's messages must be signed.
            made = connection.Connection(uuid.uuid4(), address, port, require_signing=user is not None)
            try:
                made.connect(timeout=max(1, int(settings.connect_timeout)))
            except Exception as error:
                with contextlib.suppress(Exception):
                    made.disconnect()
                if at + 1 == len(addresses):
                    raise self._unconnected(error, port) from None
            else:
                self._connection = made
                break
        try:
            with self._limited("The share"):
                # NTLM and no other way, or the server's own Kerberos tickets would be tried first.
                logon = session.Session(
                    self._connection, user or "guest", secret, require_encryption=False, auth_protocol="ntlm"
                )
                logon.connect()
                self._tree = tree.TreeConnect(logon, rf"\\{host}\{share}")
                self._tree.connect(require_secure_negotiate=user is not None)
        except ConnectorError:
            self.close()
            raise

    def files(self, limits: FileLimits) -> Listing:
        """Walk the tree in the order of names."""
        files: list[StoredFile] = []
        folders = [("", 0)]
        seen = refused = 0
        truncated = False
        while folders:
            path, depth = folders.pop()
            try:
                with self._limited("The path"):
                    entries = list(islice(self._entries(self._full(path)), limits.max_files - seen + 1))
            except ConnectorError as error:
                if not path or error.kind not in {"permission", "not_found"}:
                    raise
                refused += 1
                continue
            if len(entries) > limits.max_files - seen:
                truncated = True
                entries = entries[: limits.max_files - seen]
            seen += len(entries)
            inner = []
            for name, size, marks, version in sorted(entries):
                below = f"{path}/{name}" if path else name
                if marks & _LINK_MARK:
                    refused += 1
                elif not marks & _FOLDER_MARK:
                    files.append(StoredFile(below, size, version))
                elif depth >= limits.max_depth or seen >= limits.max_files:
                    truncated = True
                else:
                    inner.append((below, depth + 1))
            folders += reversed(inner)
        return Listing(tuple(sorted(files, key=lambda file: file.path)), refused, truncated)

    @contextmanager
    def open(self, file: StoredFile) -> Iterator[FileReader]:
        """Open one file for reading."""
        with self._limited("The file"):
            handle = self._open(self._full(file.path), folder=False)
        try:
            yield _ShareReader(self, handle, int(handle.end_of_file))
        finally:
            self._shut(handle)

    def read(self, handle: Any, offset: int, length: int) -> bytes:
        """Read one stretch of an open file, in pieces that every server sends."""
        pieces = bytearray()
        with self._limited("The file"):
            try:
                while len(pieces) < length:
                    piece = handle.read(offset + len(pieces), min(_AT_ONCE, length - len(pieces)))
                    if not piece:
                        break
                    pieces += piece
            except self._errors.EndOfFile:
                pass
        return bytes(pieces)

    def close(self) -> None:
        """Log off and disconnect."""
        connection, self._connection = self._connection, None
        if connection is not None:
            with contextlib.suppress(Exception):
                connection.disconnect(timeout=5)

    def _full(self, path: str) -> str:
        return "\\".join(part for part in (self._folder, path.replace("/", "\\")) if part)

    def _open(self, path: str, *, folder: bool) -> Any:
        from smbprotocol import open as opening

        handle = opening.Open(self._tree, path)
        options = opening.CreateOptions
        kind = options.FILE_DIRECTORY_FILE if folder else options.FILE_NON_DIRECTORY_FILE
        handle.create(
            opening.ImpersonationLevel.Impersonation,
            opening.FilePipePrinterAccessMask.FILE_READ_DATA | opening.FilePipePrinterAccessMask.FILE_READ_ATTRIBUTES,
            0,
            opening.ShareAccess.FILE_SHARE_READ
            | opening.ShareAccess.FILE_SHARE_WRITE
            | opening.ShareAccess.FILE_SHARE_DELETE,
            opening.CreateDisposition.FILE_OPEN,
            kind | options.FILE_OPEN_REPARSE_POINT,
        )
        return handle

    def _shut(self, handle: Any) -> None:
        # A handle that cannot be closed goes with its connection.
        with contextlib.suppress(Exception), self._limited("The file"):
            handle.close()

    def _entries(self, path: str) -> Iterator[tuple[str, int, int, str]]:
        """Name, size, attributes and times of the last change of what a folder holds."""
        from smbprotocol.file_info import FileInformationClass
        from smbprotocol.open import QueryDirectoryFlags

        handle = self._open(path, folder=True)
        try:
            flags: Any = QueryDirectoryFlags.SMB2_RESTART_SCANS
            while True:
                try:
                    found = handle.query_directory(
                        "*", FileInformationClass.FILE_ID_FULL_DIRECTORY_INFORMATION, flags=flags
                    )
                except (self._errors.NoMoreFiles, self._errors.NoSuchFile):
                    return
                flags = 0
                for entry in found:
                    name = entry["file_name"].get_value().decode("utf-16-le", errors="replace")
                    if name not in {".", ".."} and not {"/", "\\", "\ufffd"} & set(name):
                        times = (entry[time].get_value() for time in ("last_write_time", "change_time"))
                        version = "-".join(map(str, (entry["file_id"].get_value(), *times)))
                        size, marks = entry["end_of_file"].get_value(), int(entry["file_attributes"].get_value())
                        yield name, size, marks, version
        finally:
            self._shut(handle)

    @contextmanager
    def _limited(self, what: str) -> Iterator[None]:
        """Run a step for a bounded time, and say in a sentence what went wrong with it."""
        late = threading.Event()

        def stop() -> None:
            late.set()
            # The driver waits without end for an answer; without its connection it gives up.
            with contextlib.suppress(Exception):
                self._connection.transport.close()

        timer = threading.Timer(self._seconds, stop)
        timer.daemon = True
        timer.start()
        try:
            yield
        except ConnectorError:
            raise
        except Exception as error:
            failure = self._failure(error, what, late=late.is_set())
        else:
            return
        finally:
            timer.cancel()
        # Outside the handler: the driver's messages and frames may hold what was sent.
        raise failure

    def _unconnected(self, error: BaseException, port: int) -> ConnectorError:
        cause = error.__cause__
        if isinstance(cause, TimeoutError) or "timeout" in str(error).lower():
            return ConnectorError(
                "timeout",
                f"{self._host} did not answer on port {port} in time. Check the address, and that a firewall lets "
                "Stoa through.",
            )
        if isinstance(cause, OSError):
            return ConnectorError(
                "unreachable",
                f"{self._host} could not be reached on port {port}. Check the address and that the server is up.",
            )
        return ConnectorError(
            "unreachable", f"{self._host} did not answer as an SMB 2 or 3 server does on port {port}. Check the port."
        )

    def _failure(self, error: Exception, what: str, *, late: bool) -> ConnectorError:
        name = type(error).__name__
        if late or isinstance(error, TimeoutError):
            return ConnectorError("timeout", f"{self._host} did not answer within {self._seconds:g} seconds.")
        status = getattr(error, "status", None)
        if name in {"LogonFailure", "WrongPassword", "SMBAuthenticationError", "NoneMapped"} or status in _LOGON:
            return ConnectorError("authentication", "The server refuses the user name or the password. Check both.")
        if name == "PasswordExpired" or status == 0xC0000224:
            return ConnectorError("authentication", "The password has expired. Set a new one and enter it here.")
        if name == "BadNetworkName":
            return ConnectorError("not_found", f"The server has no share {self.name!r}. Check its name.")
        if name == "AccessDenied":
            return ConnectorError("permission", f"{what} may not be read by this user.")
        if name in {"ObjectNameNotFound", "ObjectPathNotFound", "NotFound", "DeletePending", "NoSuchFile"}:
            return ConnectorError("not_found", f"{what} does not exist in the share. Check its spelling.")
        if name in {"StatusNotADirectory", "ObjectNameInvalid", "ObjectPathInvalid", "ObjectPathSyntaxBad"}:
            return ConnectorError("not_found", f"{what} is not a folder of the share.")
        if name == "SharingViolation":
            return ConnectorError("permission", "Somebody has opened the file for themselves alone.")
        if name == "PathNotCovered":
            return ConnectorError(
                "bad_config", "The path leads to another server (DFS), which is not followed. Enter the final address."
            )
        if isinstance(error, self._errors.SMBConnectionClosed | OSError):
            return ConnectorError("unreachable", f"{self._host} broke off the connection. Check that it is up.")
        if "as a guest" in str(error):
            return ConnectorError(
                "authentication", "The server does not know the user name and offers only a guest's access."
            )
        known = f" with the status 0x{status & 0xFFFFFFFF:08X}" if isinstance(status, int) else ""
        return ConnectorError("failed", f"The server refused{known}.")


# Account restriction, logon hours, workstation, disabled, expired account, locked out, password must change apart.
_LOGON = {0xC000006E, 0xC000006F, 0xC0000070, 0xC0000072, 0xC0000193, 0xC0000234, 0xC0000064, 0xC000006A, 0xC000006D}


class _ShareReader:
    """An open file of a share."""

    def __init__(self, share: SmbTree, handle: Any, size: int) -> None:
        self._share = share
        self._handle = handle
        self.size = size

    def read(self, offset: int, length: int) -> bytes:
        """Read one stretch."""
        return self._share.read(self._handle, offset, length)
