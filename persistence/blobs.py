"""Defines where the bytes of files and artifacts are kept: a folder, or a bucket of the operator's, reached through
obstore.

The operator chooses the store and vouches for it; why tenants' buckets are reached in another way tells
docs/decisions/0005.

A blob is written once under a name that nobody chooses, and never changed. A row names it from the moment that the
upload's transaction commits. What no row names after a day is swept: the remains of a process that was killed. A bucket
needs one lifecycle rule besides, which ends multipart uploads that were never completed: a killed process cannot.
"""

import asyncio
import contextlib
import hashlib
import logging
import re
from collections.abc import AsyncIterator, Callable, Iterator
from datetime import datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol
from uuid import uuid4

import obstore
import orjson
from obstore.store import LocalStore, MemoryStore, from_url
from pydantic import BaseModel, Field, SecretStr, field_validator

from schema.content import Upload
from schema.errors import DatabaseError, InvalidRequest, UpstreamUnavailable

if TYPE_CHECKING:
    from persistence.store import Store

log = logging.getLogger("stoa.blobs")

PART = 8 << 20
"""A part of a multipart upload. A bucket takes 10,000 of them, so that the default bound of 64 GiB fits."""
PARTS_AT_ONCE = 3
PIECE = 1 << 20
"""What goes to the store in one call."""
ABANDONED = timedelta(days=1)
"""After so long a blob that no row names belongs to nobody."""
SWEEP_SECONDS = 6 * 3600.0
_KNOWN = ("file", "memory", "s3", "s3a", "gs", "az", "adl", "azure", "abfs", "abfss")
_UNFINISHED = re.compile(r"#\d+$")


class BlobSettings(BaseModel):
    """Where the bytes of files and artifacts are kept."""

    blobs_url: SecretStr | None = Field(
        None,
        description="Where the bytes of files are kept: s3://bucket/prefix, gs://bucket/prefix, az://container/prefix, "
        "file:///folder or memory:///; unset: the folder blobs in the data folder.",
    )
    blobs_options: dict[str, SecretStr] = Field(
        default_factory=dict,
        description="JSON object of options of that store, such as endpoint, region, access_key_id, secret_access_key; "
        "what is left out comes from the provider's own environment variables.",
    )
    blobs_retry_seconds: float = Field(
        30.0, gt=0, le=600, description="How long a request that the store of files failed is tried again."
    )
    max_upload_bytes: int = Field(
        64 << 30, ge=1024, le=80 << 30, description="Largest upload of a file, in bytes, the form around it included."
    )

    @field_validator("blobs_options", mode="before")
    @classmethod
    def _object(cls, value: Any) -> Any:
        try:
            return orjson.loads(value) if isinstance(value, str) else value
        except ValueError:
            raise ValueError('it must be a JSON object, such as {"region": "eu-west-1"}') from None

    @field_validator("blobs_url")
    @classmethod
    def _known_scheme(cls, value: SecretStr | None) -> SecretStr | None:
        scheme, separator, _ = (value.get_secret_value() if value else "file://").partition("://")
        if not separator or scheme not in _KNOWN:
            raise ValueError("it must start with s3://, gs://, az://, file:// or memory://")
        return value


class Blobs(Protocol):
    """The port: bytes in, bytes out, bytes away."""

    most: int
    """How many bytes an upload may have."""

    async def stage(
        self,
        organization_id: str,
        chunks: AsyncIterator[bytes],
        *,
        file_name: str | None,
        content_type: str | None,
        most: int | None = None,
    ) -> Upload:
        """Keep a stream under a fresh name. Nothing stays when the stream breaks or is too long (413)."""

    def read(self, blob: str, start: int, end: int) -> AsyncIterator[bytes]:
        """The bytes from `start` up to, and without, `end`."""

    async def remove(self, blob: str) -> None:
        """Remove a blob. One that is gone already is no failure."""


class StoredBlobs:
    """Blobs in an object store or a folder."""

    def __init__(self, settings: BlobSettings, data: Path) -> None:
        self.most = settings.max_upload_bytes
        self._folder: Path | None = None
        url = settings.blobs_url.get_secret_value() if settings.blobs_url else ""
        self._store: Any
        if not url:
            self._folder = (data / "blobs").resolve()
            self._store = LocalStore(self._folder, mkdir=True)
        elif url.startswith("memory:"):
            self._store = MemoryStore()
        elif url.startswith("file:"):
            self._store = from_url(url, mkdir=True)
            self._folder = Path(str(self._store.prefix))
        else:
            options = {name: value.get_secret_value() for name, value in settings.blobs_options.items()}
            plain = {"allow_http": True} if options.get("endpoint", "").startswith("http://") else {}
            try:
                self._store = from_url(  # type: ignore[call-overload]
                    url,
                    config=options,
                    client_options=plain,
                    retry_config={"retry_timeout": timedelta(seconds=settings.blobs_retry_seconds)},
                )
            except Exception as error:
                # The library's own message may quote an option's value.
                raise ValueError(f"STOA_BLOBS_URL and STOA_BLOBS_OPTIONS do not fit: {type(error).__name__}.") from None

    async def stage(
        self,
        organization_id: str,
        chunks: AsyncIterator[bytes],
        *,
        file_name: str | None,
        content_type: str | None,
        most: int | None = None,
    ) -> Upload:
        """Keep a stream under a fresh name, in constant memory. Nothing stays when it breaks or is too long (413)."""
        blob, limit = (
            f"{_folder_of(organization_id)}/{uuid4().hex}",
            self.most if most is None else min(most, self.most),
        )
        digest, size = hashlib.sha256(), 0
        broken: Exception | None = None

        async def pieces() -> AsyncIterator[bytes]:
            # A stream that breaks is ended in order and its blob removed: the library would leave the parts behind.
            nonlocal size, broken
            try:
                async for piece in _gathered(chunks):
                    size += len(piece)
                    if size > limit:
                        raise InvalidRequest(f"The file is larger than the {limit} bytes taken here.", status=413)
                    await asyncio.to_thread(digest.update, piece)
                    yield piece
            except Exception as error:
                broken = error

        try:
            with _told("kept"):
                await obstore.put_async(
                    self._store, blob, pieces(), use_multipart=True, chunk_size=PART, max_concurrency=PARTS_AT_ONCE
                )
        except BaseException:
            # Failed or cut off: what may stand is removed as well as can be, and else left to the sweep.
            with contextlib.suppress(Exception):
                await asyncio.shield(self.remove(blob))
            raise
        if broken is not None:
            await self.remove(blob)
            raise broken
        return Upload(blob=blob, size=size, sha256=digest.hexdigest(), file_name=file_name, content_type=content_type)

    async def read(self, blob: str, start: int, end: int) -> AsyncIterator[bytes]:
        """The bytes from `start` up to, and without, `end`. Raises DatabaseError when they are gone."""
        if start >= end:
            return
        with _told("read"):
            found = await obstore.get_async(self._store, blob, options={"range": (start, end)})
            async for piece in found.stream(min_chunk_size=PIECE // 4):
                yield bytes(piece)

    async def remove(self, blob: str) -> None:
        """Remove a blob. One that is gone already is no failure."""
        with _told("removed"), contextlib.suppress(FileNotFoundError):
            await obstore.delete_async(self._store, blob)

    async def sweep(self, store: "Store", now: datetime) -> int:
        """Remove what no row has named for a day, and tell how many that were."""
        before, removed = now - ABANDONED, 0
        with _told("listed"):
            async for batch in obstore.list(self._store, chunk_size=500):
                old = [str(found["path"]) for found in batch if found["last_modified"] < before]
                if not old:
                    continue
                kept = await store.read(lambda uow, names=old: uow.kept_blobs(names))  # type: ignore[misc]
                for blob in old:
                    if blob not in kept:
                        await self.remove(blob)
                        removed += 1
        if self._folder is not None:
            removed += await asyncio.to_thread(_sweep_unfinished, self._folder, before)
        return removed

    async def watch(self, store: "Store", clock: Callable[[], datetime]) -> None:
        """Sweep at once, and then from time to time, until cancelled."""
        while True:
            try:
                removed = await self.sweep(store, clock())
                if removed:
                    log.info("removed %d blobs that no file or artifact names", removed)
            except Exception as error:
                log.warning("blobs could not be swept: %s", type(error).__name__)
            await asyncio.sleep(SWEEP_SECONDS)


def _folder_of(organization_id: str) -> str:
    """The folder of an organization: its id may hold letters that a store does not take."""
    return hashlib.sha256(organization_id.encode()).hexdigest()[:24]


async def _gathered(chunks: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
    """The same bytes in fewer pieces."""
    gathered = bytearray()
    async for chunk in chunks:
        gathered += chunk
        if len(gathered) >= PIECE:
            yield bytes(gathered)
            gathered.clear()
    if gathered:
        yield bytes(gathered)


@contextlib.contextmanager
def _told(done: str) -> Iterator[None]:
    """Turn a failure of the store into one of the catalogue; the library's message may quote the store's address."""
    try:
        yield
    except FileNotFoundError:
        log.error("a blob that a row names is gone")
        raise DatabaseError("The content is no longer there. Ask the operator to look into the store.") from None
    except (obstore.exceptions.BaseError, OSError, ValueError) as error:
        log.error("a blob could not be %s: %s", done, type(error).__name__)
        raise UpstreamUnavailable(f"The content could not be {done}: the store of files failed. Retry.") from None


def _sweep_unfinished(folder: Path, before: datetime) -> int:
    """Remove what a killed process had begun to write into a folder."""
    removed = 0
    for path in folder.rglob("*"):
        with contextlib.suppress(OSError):
            if _UNFINISHED.search(path.name) and path.stat().st_mtime < before.timestamp():
                path.unlink()
                removed += 1
    return removed
