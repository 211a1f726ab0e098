"""Object stores: HTTP to one vetted address, and a bucket as a tree of files.

The stores are spoken to over httpx and not through an object-store SDK, which would follow redirects and lend the
deployment's own credentials: docs/decisions/0005. Listing and ranged reads, all that a catalog needs, are two requests.
"""

from __future__ import annotations

import contextlib
import ssl
import time
from abc import abstractmethod
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from urllib.parse import urlsplit

import httpx

from persistence.connectors.core.base import ConnectorError, ConnectorSettings, Outbound, vetted_addresses
from persistence.connectors.files.formats import FileReader
from persistence.connectors.files.layout import Listing, StoredFile
from persistence.connectors.files.store import FileLimits, FileStore

__all__ = ["BucketStore", "HttpAnswer", "PinnedHttp"]

_TRIES = 3
_WAIT = 0.2
_AGAIN = {429, 500, 502, 503, 504}
_LONGEST_ANSWER = 16 << 20


@dataclass(frozen=True, slots=True)
class HttpAnswer:
    """A status, headers and a body of bounded length."""

    status: int
    headers: Mapping[str, str]
    body: bytes = field(repr=False)


class PinnedHttp:
    """HTTP to one origin, at an address that the deployment's policy allows.

    The name is looked up and checked once, and every connection goes to the checked address while the certificate is
    still compared with the name; a name that points elsewhere later changes nothing. Redirects are not followed, and
    nothing (proxies, certificates, passwords) is taken from the process's environment.
    """

    def __init__(
        self, origin: str, settings: ConnectorSettings, outbound: Outbound, tls: ssl.SSLContext | None = None
    ) -> None:
        """`origin` is `http(s)://host[:port]`; `tls` replaces the usual checks of certificates.

        Raises ConnectorError when the policy refuses the host.
        """
        parts = urlsplit(origin)
        host = parts.hostname or ""
        self._scheme = parts.scheme
        self._port = parts.port or (443 if parts.scheme == "https" else 80)
        self._name = host
        bare = f"[{host}]" if ":" in host else host
        self.host = bare if parts.port in {None, 443 if parts.scheme == "https" else 80} else f"{bare}:{parts.port}"
        """What the Host header says."""
        self._addresses = vetted_addresses(outbound, host, self._port)
        self._deadline = settings.statement_timeout
        self._client = httpx.Client(
            verify=True if tls is None else tls,
            trust_env=False,
            follow_redirects=False,
            timeout=httpx.Timeout(settings.statement_timeout, connect=settings.connect_timeout),
            limits=httpx.Limits(max_connections=4, max_keepalive_connections=2),
        )

    def close(self) -> None:
        """Close the connections."""
        self._client.close()

    def send(
        self,
        method: str,
        target: str,
        headers: Mapping[str, str],
        *,
        content: bytes | None = None,
        at_most: int = _LONGEST_ANSWER,
    ) -> HttpAnswer:
        """Send a request that may be repeated, and read at most `at_most` bytes of the answer.

        `target` is the encoded path with its query. Overload, server errors and broken connections are tried again a
        few times. Raises ConnectorError("unreachable", "tls" or "timeout"); every status is returned.
        """
        began = time.monotonic()
        for attempt in range(1, _TRIES + 1):
            left = self._deadline - (time.monotonic() - began)
            if left <= 0:
                raise self._late()
            try:
                answer = self._once(method, target, headers, content, at_most, left)
            except ConnectorError as error:
                if error.kind != "unreachable" or attempt == _TRIES:
                    raise
            else:
                if answer.status not in _AGAIN or attempt == _TRIES:
                    return answer
            time.sleep(_WAIT * attempt)
        raise AssertionError("the last try returns or raises")

    def _once(
        self, method: str, target: str, headers: Mapping[str, str], content: bytes | None, at_most: int, left: float
    ) -> HttpAnswer:
        last: ConnectorError | None = None
        for address in self._addresses:
            url = httpx.URL(scheme=self._scheme, host=address, port=self._port, raw_path=target.encode("ascii"))
            try:
                return self._exchange(
                    httpx.Request(
                        method,
                        url,
                        headers={"Accept-Encoding": "identity", **headers, "Host": self.host},
                        content=content,
                        extensions={
                            **({"sni_hostname": self._name} if self._scheme == "https" else {}),
                            "timeout": {
                                "connect": min(left, self._client.timeout.connect or left),
                                "read": left,
                                "write": left,
                                "pool": left,
                            },
                        },
                    ),
                    at_most,
                    time.monotonic() + left,
                )
            except httpx.ConnectTimeout:
                last = ConnectorError(
                    "timeout",
                    f"{self._name} did not accept a connection on port {self._port} in time. Check the address, and "
                    "that a firewall lets Stoa through.",
                )
            except httpx.TimeoutException:
                raise self._late() from None
            except httpx.TransportError as error:
                last = self._broken(error)
                if not isinstance(error, httpx.ConnectError) or last.kind == "tls":
                    break
        # Outside the handlers: the transport's own text may quote the request.
        raise last if last is not None else self._late()

    def _exchange(self, request: httpx.Request, at_most: int, until: float) -> HttpAnswer:
        response = self._client.send(request, stream=True)
        try:
            body = bytearray()
            for piece in response.iter_raw(64 << 10):
                body += piece
                if len(body) >= at_most:
                    break
                if time.monotonic() > until:
                    raise httpx.ReadTimeout("the deadline has passed")
            return HttpAnswer(response.status_code, response.headers, bytes(body[:at_most]))
        finally:
            response.close()

    def _late(self) -> ConnectorError:
        return ConnectorError(
            "timeout",
            f"{self._name} did not answer within {self._deadline:g} seconds. Check that it is up and not overloaded, "
            "then try again.",
        )

    def _broken(self, error: Exception) -> ConnectorError:
        cause: BaseException | None = error
        while cause is not None:
            if isinstance(cause, ssl.SSLCertVerificationError):
                return ConnectorError(
                    "tls",
                    f"The certificate of {self._name} could not be verified. Check that it is valid, issued for that "
                    "name and signed by an authority that this machine trusts.",
                )
            if isinstance(cause, ssl.SSLError):
                return ConnectorError(
                    "tls",
                    f"{self._name} did not answer with TLS on port {self._port}. Check the port, and whether the "
                    "address should begin with http:// instead of https://.",
                )
            cause = cause.__cause__ or cause.__context__
        if isinstance(error, httpx.ConnectError):
            return ConnectorError(
                "unreachable",
                f"{self._name} could not be reached on port {self._port}. Check the address and that the server is up.",
            )
        return ConnectorError(
            "unreachable",
            f"{self._name} broke off the connection on port {self._port}. Check the address, and whether it should "
            f"begin with {'http' if self._scheme == 'https' else 'https'}://.",
        )


class BucketStore(FileStore):
    """A bucket, or a folder of it, as a tree of files. A kind says how a page is listed and a stretch is read."""

    def __init__(self, bucket: str, prefix: str | None) -> None:
        self.name = bucket
        self._prefix = f"{prefix}/" if prefix else ""

    @abstractmethod
    def page(self, prefix: str, after: str | None) -> tuple[list[tuple[str, int, str]], str | None]:
        """One page of keys with sizes and ETags, and the mark of the next page or None. Raises ConnectorError."""

    @abstractmethod
    def stretch(self, key: str, offset: int, length: int) -> bytes:
        """At most `length` bytes of an object. ConnectorError("not_found") when it is gone."""

    def files(self, limits: FileLimits) -> Listing:
        """Page through the keys in the store's order until there are no more or enough."""
        files: list[StoredFile] = []
        seen = refused = 0
        after: str | None = None
        while True:
            keys, following = self.page(self._prefix, after)
            for key, size, version in keys:
                if seen >= limits.max_files:
                    return Listing(_sorted(files), refused, truncated=True)
                seen += 1
                path = key.removeprefix(self._prefix)
                if path.endswith("/") or not path:
                    continue  # the mark of an empty folder
                parts = path.split("/")
                if any(part in {"", ".", ".."} for part in parts) or len(parts) > limits.max_depth:
                    refused += 1
                else:
                    files.append(StoredFile(path, size, version))
            if following is None or following == after:
                return Listing(_sorted(files), refused)
            after = following

    @contextmanager
    def open(self, file: StoredFile) -> Iterator[FileReader]:
        """Open one object; nothing is asked of the store before the first read."""
        yield _ObjectReader(self, self._prefix + file.path, file.size)

    def part(self, answer: HttpAnswer, offset: int, length: int) -> bytes:
        """The wanted stretch of an answer to a ranged read whose status was good."""
        if answer.status == 200 and offset:
            raise ConnectorError("failed", "The store sends whole objects only, so Parquet files cannot be read.")
        return answer.body[:length]


class _ObjectReader:
    """An object, read by stretches."""

    def __init__(self, store: BucketStore, key: str, size: int) -> None:
        self._store = store
        self._key = key
        self.size = size

    def read(self, offset: int, length: int) -> bytes:
        """Read one stretch."""
        length = min(length, self.size - offset)
        return self._store.stretch(self._key, offset, length) if length > 0 else b""


def _sorted(files: list[StoredFile]) -> tuple[StoredFile, ...]:
    return tuple(sorted(files, key=lambda file: file.path))


def redirected(answer: HttpAnswer, name: str) -> ConnectorError:
    """Return what a redirect means here: it is not followed, since it could lead anywhere."""
    with contextlib.suppress(ValueError):
        elsewhere = urlsplit(answer.headers.get("location", "")).hostname
        if elsewhere and len(elsewhere) < 254:
            return ConnectorError(
                "bad_config", f"{name} redirects to {elsewhere!r}, which is not followed. Enter the final address."
            )
    return ConnectorError("bad_config", f"{name} redirects elsewhere, which is not followed. Enter the final address.")
