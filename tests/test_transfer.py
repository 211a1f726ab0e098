"""Uploads and downloads as HTTP has them: parts in any order, what is no form, ranges, entity tags, bounds."""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from rest_compat.forms import MultipartForm
from tests.world import World

pytestmark = pytest.mark.anyio

DATA = bytes(range(256)) * 8
BOUNDARY = "frontier"


@pytest.fixture
def setting_overrides() -> dict[str, Any]:
    """Uploads are larger than other bodies, and still bounded."""
    return {"max_body_bytes": 4096, "max_upload_bytes": 200_000}


def part(name: str, data: bytes, *, more: str = "") -> bytes:
    """One part of a form."""
    return f'--{BOUNDARY}\r\nContent-Disposition: form-data; name="{name}"{more}\r\n\r\n'.encode() + data + b"\r\n"


END = f"--{BOUNDARY}--\r\n".encode()
FILE = part("file", DATA, more='; filename="a.bin"')
KEY, NAME = part("key", b"k"), part("name", b"n")


async def send(world: World, body: Any, token: str | None = None, **headers: str) -> httpx.Response:
    """Send a form as it is."""
    given = {"Content-Type": f"multipart/form-data; boundary={BOUNDARY}"} | headers
    return await world.request("POST", "/assets/files", token=token or world.owner, content=body, headers=given)


def blobs(world: World) -> list[Path]:
    """Return what lies in the store."""
    return [path for path in (world.app.parts.settings.data / "blobs").rglob("*") if path.is_file()]


@pytest.mark.parametrize("order", [(FILE, KEY, NAME), (KEY, FILE, NAME), (NAME, KEY, FILE)])
async def test_the_parts_come_in_any_order_and_in_any_pieces(world: World, order: tuple[bytes, ...]) -> None:
    whole = b"".join(order) + END

    async def drops() -> AsyncIterator[bytes]:
        for at in range(0, len(whole), 7):
            yield whole[at : at + 7]

    answer = await send(world, drops())
    assert answer.status_code == 201, answer.text
    assert answer.json()["content_type"] is None
    got = await world.request("GET", answer.json()["url"], token=world.owner)
    assert (got.content, got.headers["content-type"]) == (DATA, "application/octet-stream")


async def test_a_file_may_be_called_anything_and_its_name_arrives_whole(world: World) -> None:
    for number, name in enumerate(("日本語 ☃.csv", "Ünïcode é.csv", "😀", "a;b=c.csv", "../../x", "")):
        parts = part("key", f"k{number}".encode()), part("file", DATA, more=f'; filename="{name}"')
        answer = await send(world, b"".join(parts) + NAME + END)
        assert (answer.status_code, answer.json().get("size")) == (201, len(DATA)), (name, answer.text)

    async def whole() -> AsyncIterator[bytes]:
        yield part("file", b"", more='; filename="日本語 é.csv"') + part("größe", b"1") + END

    read = [
        (one.name, one.file_name)
        async for one in MultipartForm(f"multipart/form-data; boundary={BOUNDARY}", whole()).parts()
    ]
    assert read == [("file", "日本語 é.csv"), ("größe", None)]


@pytest.mark.parametrize(
    ("body", "status", "code", "field"),
    [
        (KEY + NAME + END, 400, "MISSING_REQUIRED_FIELD", "file"),
        (FILE + NAME + END, 400, "MISSING_REQUIRED_FIELD", "key"),
        (FILE + KEY + END, 400, "MISSING_REQUIRED_FIELD", "name"),
        (FILE + KEY + NAME + part("other", b"x") + END, 400, "VALIDATION_ERROR", "other"),
        (FILE + KEY + KEY + NAME + END, 400, "INVALID_FORMAT", "key"),
        (FILE + FILE + KEY + NAME + END, 400, "INVALID_FORMAT", "file"),
        (FILE + KEY + part("name", b"\xff") + END, 400, "INVALID_FORMAT", "name"),
        (FILE + KEY + NAME + part("größe", b"x") + END, 400, "VALIDATION_ERROR", "größe"),
        (FILE + KEY + NAME, 400, "INVALID_FORMAT", ""),
        (KEY + NAME + FILE[:-900], 400, "INVALID_FORMAT", ""),
        (b"nonsense", 400, "INVALID_FORMAT", ""),
        (b"", 400, "INVALID_FORMAT", ""),
        (FILE + KEY + part("name", b"n" * 65_537) + END, 422, "VALIDATION_ERROR", "name"),
        (FILE + b"".join(part(f"p{at}", b"") for at in range(32)) + END, 422, "VALIDATION_ERROR", ""),
        (FILE + KEY + part("name", b"a\x00b") + END, 422, "VALIDATION_ERROR", "name"),
        (KEY + NAME + part("file", b"x" * 200_000) + END, 413, "INVALID_REQUEST", None),
    ],
)
async def test_a_form_that_cannot_be_taken_is_refused_and_leaves_nothing(
    world: World, body: bytes, status: int, code: str, field: str | None
) -> None:
    before = await world.dump()
    answer = await send(world, body)
    error = answer.json()["error"]
    assert (answer.status_code, error["code"], error.get("details", {}).get("field")) == (status, code, field)
    assert (await world.dump(), blobs(world)) == (before, [])


async def test_a_body_that_is_no_form_is_not_taken(world: World) -> None:
    for kind, status in (("application/json", 415), ("text/plain", 415), ("multipart/form-data", 400)):
        answer = await send(world, b"{}", **{"Content-Type": kind})
        assert answer.status_code == status, kind


async def test_an_upload_that_is_cut_off_leaves_nothing(world: World) -> None:
    before = await world.dump()

    async def cut() -> AsyncIterator[bytes]:
        yield KEY + NAME + FILE[:500]
        raise ConnectionError("gone")

    assert (await send(world, cut())).status_code == 500
    assert (await world.dump(), blobs(world)) == (before, [])


async def test_who_may_not_upload_is_refused_before_his_bytes_are_read(world: World) -> None:
    viewer, taken = await world.member("viewer"), 0

    async def endless() -> AsyncIterator[bytes]:
        nonlocal taken
        yield KEY + NAME + part("file", b"")[:-2]
        while taken < 50:
            taken += 1
            yield b"x" * 1000

    answer = await send(world, endless(), viewer)
    assert answer.status_code == 403
    assert taken < 50


async def test_only_uploads_may_be_larger_than_other_bodies(world: World) -> None:
    form = f"multipart/form-data; boundary={BOUNDARY}"
    large = KEY + NAME + part("file", b"x" * 100_000) + END
    assert (await send(world, large)).status_code == 201
    for path in ("/assets/artifacts", "/assets/data"):
        answer = await world.request("POST", path, token=world.owner, content=large, headers={"Content-Type": form})
        assert answer.status_code == 413, path
    json = await world.request("POST", "/graphql", token=world.owner, json={"query": "{__typename}" + " " * 5000})
    assert json.status_code == 413


async def uploaded(world: World, data: bytes = DATA) -> str:
    """The path of a file to download."""
    file = {"file": ('ü "q".bin', data, "text/html")}
    answer = await world.request(
        "POST", "/assets/files", token=world.owner, data={"key": 'a/ü "q".bin', "name": "n"}, files=file
    )
    assert answer.status_code == 201, answer.text
    path: str = answer.json()["url"]
    return path


async def test_a_download_is_safe_to_open(world: World) -> None:
    got = await world.request("GET", await uploaded(world), token=world.owner)
    assert (got.status_code, got.content) == (200, DATA)
    assert got.headers["content-length"] == str(len(DATA))
    assert got.headers["accept-ranges"] == "bytes"
    assert got.headers["content-disposition"] == "attachment; filename*=UTF-8''%C3%BC%20%22q%22.bin"
    assert got.headers["x-content-type-options"] == "nosniff"
    assert got.headers["content-security-policy"] == "default-src 'none'; sandbox"


@pytest.mark.parametrize(
    ("wanted", "start", "end"),
    [
        ("bytes=0-0", 0, 1),
        ("bytes=10-19", 10, 20),
        ("bytes=2000-", 2000, 2048),
        ("bytes=2000-99999", 2000, 2048),
        ("bytes=-5", 2043, 2048),
        ("bytes=-99999", 0, 2048),
        ("BYTES = 1-2", 1, 3),
    ],
)
async def test_a_range_is_answered_with_exactly_its_bytes(world: World, wanted: str, start: int, end: int) -> None:
    path = await uploaded(world)
    got = await world.request("GET", path, token=world.owner, headers={"Range": wanted})
    assert (got.status_code, got.content) == (206, DATA[start:end])
    assert got.headers["content-range"] == f"bytes {start}-{end - 1}/2048"
    assert got.headers["content-length"] == str(end - start)


async def test_a_range_that_is_malformed_or_manifold_is_answered_with_the_whole(world: World) -> None:
    path = await uploaded(world)
    for wanted in ("bytes=5-2", "bytes=-", "bytes=a-b", "lines=0-1", "bytes=0-1,5-6", ""):
        got = await world.request("GET", path, token=world.owner, headers={"Range": wanted})
        assert (got.status_code, len(got.content)) == (200, 2048), wanted


async def test_a_range_outside_the_bytes_is_refused(world: World) -> None:
    path, empty = await uploaded(world), "bytes=0-"
    for wanted in ("bytes=2048-", "bytes=9999-10000", "bytes=-0"):
        got = await world.request("GET", path, token=world.owner, headers={"Range": wanted})
        assert (got.status_code, got.json()["error"]["code"]) == (416, "INVALID_REQUEST"), wanted
        assert got.headers["content-range"] == "bytes */2048"
    about = {"key": "empty", "name": "empty"}
    made = await world.request("POST", "/assets/files", token=world.owner, data=about, files={"file": ("e", b"")})
    got = await world.request("GET", made.json()["url"], token=world.owner, headers={"Range": empty})
    assert got.status_code == 416


async def test_an_entity_tag_that_still_stands_saves_the_bytes(world: World) -> None:
    path = await uploaded(world)
    tag = (await world.request("GET", path, token=world.owner)).headers["etag"]
    for header in (tag, f"W/{tag}", f'"other", {tag}', "*"):
        got = await world.request("GET", path, token=world.owner, headers={"If-None-Match": header})
        assert (got.status_code, got.content, got.headers["etag"]) == (304, b"", tag), header
    got = await world.request("GET", path, token=world.owner, headers={"If-None-Match": '"other"'})
    assert got.status_code == 200
    for condition, status in ((tag, 206), ('"other"', 200), ("Sat, 01 Jan 2028 00:00:00 GMT", 200)):
        headers = {"Range": "bytes=0-9", "If-Range": condition}
        assert (await world.request("GET", path, token=world.owner, headers=headers)).status_code == status


async def test_head_tells_what_get_would(world: World) -> None:
    path = await uploaded(world)
    got = await world.request("HEAD", path, token=world.owner)
    assert (got.status_code, got.content, got.headers["content-length"]) == (200, b"", "2048")
    assert (await world.request("HEAD", path, token=world.foreign_owner)).status_code == 404
    assert (await world.request("POST", path, token=world.owner)).status_code == 405


async def test_bytes_that_are_gone_are_told_in_the_envelope(world: World) -> None:
    path = await uploaded(world)
    for blob in blobs(world):
        blob.unlink()
    got = await world.request("GET", path, token=world.owner)
    assert (got.status_code, got.json()["error"]["code"]) == (500, "DATABASE_ERROR")


@pytest.mark.parametrize(
    ("operations", "places"),
    [
        ("{", "{}"),
        ("[]", "{}"),
        ("{}", '{"0": ["variables.file"]}'),
        ('{"query": "{__typename}", "variables": {"a": []}}', '{"0": ["variables.a.x"]}'),
        ('{"query": "{__typename}"}', '{"1": ["variables.file"]}'),
        ('{"query": "{__typename}"}', '{"0": 5}'),
    ],
)
async def test_a_form_for_the_graph_that_does_not_fit_is_refused(world: World, operations: str, places: str) -> None:
    answer = await world.request(
        "POST",
        "/graphql",
        token=world.owner,
        data={"operations": operations, "map": places},
        files={"0": ("a", b"x")},
    )
    assert answer.status_code == 400, answer.text
    assert answer.json()["error"]["code"] in ("INVALID_FORMAT", "INVALID_REQUEST")


async def test_nobody_sends_files_to_the_graph_without_a_token(world: World) -> None:
    answer = await world.request("POST", "/graphql", data={"operations": "{}"}, files={"0": ("a", b"x")})
    assert answer.status_code == 401
