"""The blob store on a folder, in memory and on S3: whole streams, ranges, broken streams, and the sweep."""

import hashlib
import os
import time
import tracemalloc
from collections.abc import AsyncIterator, Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from persistence.blobs import BlobSettings, StoredBlobs
from schema.errors import ApiError
from tests.support.moto import MotoServer

pytestmark = pytest.mark.anyio

MIB = 1 << 20


@pytest.fixture(params=["folder", "file", "memory", "s3"])
def blobs(request: pytest.FixtureRequest, tmp_path: Path) -> StoredBlobs:
    """A store of each kind."""
    given: dict[str, Any] = {}
    if request.param == "s3":
        server: MotoServer = request.getfixturevalue("moto_server")
        options = {
            "endpoint": server.endpoint_url,
            "access_key_id": server.access_key_id,
            "secret_access_key": server.secret_access_key,
            "region": "us-east-1",
        }
        given = {"blobs_url": f"s3://{server.bucket()}/kept", "blobs_options": options}
    elif request.param != "folder":
        given = {"blobs_url": "memory:///" if request.param == "memory" else f"file://{tmp_path}/other"}
    return StoredBlobs(BlobSettings(**given), tmp_path)


async def stream(*pieces: bytes, fails: Exception | None = None) -> AsyncIterator[bytes]:
    """Pieces, and then perhaps a failure."""
    for piece in pieces:
        yield piece
    if fails is not None:
        raise fails


async def stage(blobs: StoredBlobs, chunks: AsyncIterator[bytes], **how: Any) -> Any:
    """Keep a stream."""
    return await blobs.stage("acme", chunks, file_name="a", content_type=None, **how)


async def content(blobs: StoredBlobs, blob: str, start: int, end: int) -> bytes:
    """Return what is read."""
    return b"".join([piece async for piece in blobs.read(blob, start, end)])


class Rows:
    """A store whose rows name some blobs."""

    def __init__(self, *kept: str) -> None:
        self._kept = set(kept)

    async def read(self, work: Callable[[Any], Any]) -> Any:
        """Run a unit."""
        return work(self)

    def kept_blobs(self, names: list[str]) -> set[str]:
        """Those that are named."""
        return self._kept & set(names)


async def all_of(blobs: StoredBlobs) -> int:
    """How many blobs there are, by sweeping them all away."""
    return await blobs.sweep(Rows(), datetime.now(UTC) + timedelta(days=2))  # type: ignore[arg-type]


@pytest.mark.parametrize("size", [0, 1, MIB, 9 * MIB + 3])
async def test_a_stream_is_kept_whole_and_read_in_ranges(blobs: StoredBlobs, size: int) -> None:
    data = os.urandom(size)
    upload = await stage(blobs, stream(*(data[at : at + 70_000] for at in range(0, size, 70_000))))
    assert (upload.size, upload.sha256) == (size, hashlib.sha256(data).hexdigest())
    assert await content(blobs, upload.blob, 0, size) == data
    if size > 10:
        assert await content(blobs, upload.blob, 5, size - 5) == data[5:-5]
        assert await content(blobs, upload.blob, size - 1, size) == data[-1:]
    assert await content(blobs, upload.blob, 0, 0) == b""
    await blobs.remove(upload.blob)
    await blobs.remove(upload.blob)
    if size:
        with pytest.raises(ApiError) as gone:
            await content(blobs, upload.blob, 0, size)
        assert gone.value.code == "DATABASE_ERROR"
        assert upload.blob not in gone.value.message
    assert await all_of(blobs) == 0


async def test_a_stream_that_breaks_leaves_nothing(blobs: StoredBlobs) -> None:
    for pieces in ((), (b"x" * 10,), (b"x" * MIB,) * 10):
        with pytest.raises(ConnectionError, match="gone"):
            await stage(blobs, stream(*pieces, fails=ConnectionError("gone")))
    assert await all_of(blobs) == 0


async def test_a_stream_that_is_too_long_is_refused_and_leaves_nothing(blobs: StoredBlobs) -> None:
    await stage(blobs, stream(b"x" * 1000), most=1000)
    with pytest.raises(ApiError) as refused:
        await stage(blobs, stream(b"x" * 1001), most=1000)
    assert (refused.value.code, refused.value.status) == ("INVALID_REQUEST", 413)
    assert await all_of(blobs) == 1


async def test_the_sweep_takes_what_is_old_and_named_by_no_row(blobs: StoredBlobs) -> None:
    kept, left = [(await stage(blobs, stream(b"x"))).blob for _ in range(2)]
    rows: Any = Rows(kept)
    assert await blobs.sweep(rows, datetime.now(UTC) + timedelta(hours=23)) == 0
    assert await blobs.sweep(rows, datetime.now(UTC) + timedelta(hours=25)) == 1
    assert await content(blobs, kept, 0, 1) == b"x"
    with pytest.raises(ApiError):
        await content(blobs, left, 0, 1)


async def test_what_a_killed_process_had_begun_is_swept_from_a_folder(tmp_path: Path) -> None:
    blobs = StoredBlobs(BlobSettings(), tmp_path)
    folder = tmp_path / "blobs" / "somebody"
    folder.mkdir(parents=True)
    for name, age in (("old#1", 90_000), ("new#1", 1_000)):
        (folder / name).write_bytes(b"x")
        os.utime(folder / name, (time.time() - age,) * 2)
    assert await blobs.sweep(Rows(), datetime.now(UTC)) == 1  # type: ignore[arg-type]
    assert [path.name for path in folder.iterdir()] == ["new#1"]


async def test_an_upload_takes_the_same_memory_whatever_its_size(tmp_path: Path) -> None:
    blobs = StoredBlobs(BlobSettings(), tmp_path)

    async def many(count: int) -> AsyncIterator[bytes]:
        for _ in range(count):
            yield bytes(MIB)

    tracemalloc.start()
    try:
        upload = await stage(blobs, many(64))
        async for _ in blobs.read(upload.blob, 0, upload.size):
            pass
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert upload.size == 64 * MIB
    assert peak < 40 * MIB  # three parts of 8 MiB on their way, and what the test itself makes


async def test_a_store_that_cannot_be_reached_is_told_without_its_secrets(tmp_path: Path) -> None:
    options = {
        "endpoint": "http://127.0.0.1:1",
        "access_key_id": "quagga",
        "secret_access_key": "swordfish",
        "region": "us-east-1",
    }
    given: dict[str, Any] = {"blobs_url": "s3://bucket", "blobs_options": options, "blobs_retry_seconds": 0.1}
    blobs = StoredBlobs(BlobSettings(**given), tmp_path)
    for attempt in (stage(blobs, stream(b"x")), content(blobs, "a/b", 0, 1), blobs.remove("a/b")):
        with pytest.raises(ApiError) as failed:
            await attempt
        assert (failed.value.code, failed.value.status) == ("UPSTREAM_UNAVAILABLE", 502)
        assert "swordfish" not in failed.value.message


@pytest.mark.parametrize("url", ["ftp://x", "bucket", "http://x"])
def test_an_address_of_another_kind_is_refused(url: str) -> None:
    with pytest.raises(ValueError, match="must start with"):
        BlobSettings(blobs_url=url)


def test_options_show_nowhere() -> None:
    settings = BlobSettings(blobs_url="s3://b", blobs_options={"secret_access_key": "swordfish"})
    assert "swordfish" not in repr(settings)
