"""Files through the graph: read as they come, in any order, and not before somebody may send them."""

import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from auth.rate_limit import Limits
from tests.world import World

pytestmark = [pytest.mark.anyio, pytest.mark.parametrize("store_kind", ["sqlite"])]

BOUNDARY = "frontier"
ONE = (
    """mutation($about: FileCreate!, $file: Upload!) { uploadFile(about: $about, file: $file) { size contentType } }"""
)
TWO = """mutation($a: Upload!, $b: Upload!) {
  a: uploadFile(about: {key: "a", name: "a"}, file: $a) { size url }
  b: uploadFile(about: {key: "b", name: "b"}, file: $b) { size url } }"""
PLACES = {"0": ["variables.file"]}


@pytest.fixture
def setting_overrides() -> dict[str, Any]:
    """Uploads are larger than other bodies, and still bounded."""
    return {"max_body_bytes": 4096, "max_upload_bytes": 200_000}


def part(name: str, data: bytes, more: str = "") -> bytes:
    """One part of a form."""
    return f'--{BOUNDARY}\r\nContent-Disposition: form-data; name="{name}"{more}\r\n\r\n'.encode() + data + b"\r\n"


def head(query: str, places: Any = None, **variables: Any) -> bytes:
    """Return what stands before the files."""
    asked = part("operations", json.dumps({"query": query, "variables": variables}).encode())
    return asked + part("map", json.dumps(PLACES if places is None else places).encode())


def one(about: Any = None) -> bytes:
    """Return what asks for one file."""
    return head(ONE, about={"key": "k", "name": "n"} if about is None else about, file=None)


def file(name: str, data: bytes, more: str = '; filename="f.bin"') -> bytes:
    """A file."""
    return part(name, data, more)


END = f"--{BOUNDARY}--\r\n".encode()


async def send(world: World, body: Any, token: str | None = None) -> httpx.Response:
    """Send a form as it is."""
    headers = {"Content-Type": f"multipart/form-data; boundary={BOUNDARY}"}
    return await world.request("POST", "/graphql", token=token or world.owner, content=body, headers=headers)


class Endless:
    """The beginning of a file that does not end, and how much of it was taken."""

    def __init__(self, before: bytes) -> None:
        self.before, self.taken = before, 0

    async def __aiter__(self) -> AsyncIterator[bytes]:
        yield self.before + file("0", b"")[:-2]
        while self.taken < 150:
            self.taken += 1
            yield b"x" * 1000


def blobs(world: World) -> list[Path]:
    """Return what lies in the store."""
    return [path for path in (world.app.parts.settings.data / "blobs").rglob("*") if path.is_file()]


def code(answer: httpx.Response) -> tuple[int, str]:
    """The status and the code of the first error."""
    return answer.status_code, answer.json()["errors"][0]["extensions"]["code"]


async def test_a_file_is_kept_as_it_comes(world: World) -> None:
    data = bytes(range(256)) * 300
    whole = one() + file("0", data, '; filename="f.csv"\r\nContent-Type: text/csv') + END

    async def drops() -> AsyncIterator[bytes]:
        for at in range(0, len(whole), 999):
            yield whole[at : at + 999]

    answer = await send(world, drops())
    assert answer.json()["data"] == {"uploadFile": {"size": len(data), "contentType": "text/csv"}}
    (blob,) = blobs(world)
    assert blob.read_bytes() == data


async def test_who_is_refused_is_refused_before_a_byte_of_his_file_is_read(world: World) -> None:
    viewer, owner = await world.member("viewer"), world.owner
    before = await world.dump()
    for token, asked, expected in (
        (viewer, one(), (200, "FORBIDDEN")),
        (owner, one({"key": "", "name": "n"}), (200, "VALIDATION_ERROR")),
        (owner, head("mutation { nothing }"), (200, "VALIDATION_ERROR")),
        (owner, head("mutation {"), (200, "VALIDATION_ERROR")),
    ):
        sent = Endless(asked)
        answer = await send(world, sent, token)
        assert code(answer) == expected, answer.text
        assert sent.taken == 0, expected
    context_factory = world.app.parts.context_factory
    object.__setattr__(context_factory, "defaults", Limits(0, 0, 0, 0))
    sent = Endless(one())
    assert code(await send(world, sent)) == (429, "RATE_LIMIT_EXCEEDED")
    assert sent.taken == 0
    assert (await world.dump(), blobs(world)) == (before, [])


async def test_a_body_that_is_too_large_is_refused_before_it_is_read_and_else_while_it_is(world: World) -> None:
    before = await world.dump()
    whole = one() + file("0", b"x" * 200_000) + END
    declared = await send(world, whole)
    assert "content-length" in declared.request.headers
    assert code(declared) == (413, "INVALID_REQUEST")

    async def pieces() -> AsyncIterator[bytes]:
        for at in range(0, len(whole), 10_000):
            yield whole[at : at + 10_000]

    assert code(await send(world, pieces())) == (413, "INVALID_REQUEST")
    long = part("operations", json.dumps({"query": ONE + " " * 5000}).encode()) + part("map", b"{}") + END
    assert code(await send(world, long)) == (422, "VALIDATION_ERROR")
    assert (await world.dump(), blobs(world)) == (before, [])


@pytest.mark.parametrize("order", ["ab", "ba"])
async def test_files_come_in_any_order(world: World, order: str) -> None:
    places = {"a": ["variables.a"], "b": ["variables.b"]}
    contents = {"a": b"first" * 9000, "b": b"second" * 9000}
    body = head(TWO, places, a=None, b=None) + b"".join(file(name, contents[name]) for name in order) + END
    answer = (await send(world, body)).json()
    assert "errors" not in answer, answer
    for name, content in contents.items():
        assert (await world.request("GET", answer["data"][name]["url"], token=world.owner)).content == content


async def test_one_file_for_two_variables_is_read_for_both(world: World) -> None:
    body = head(TWO, {"0": ["variables.a", "variables.b"]}, a=None, b=None) + file("0", b"same" * 5000) + END
    answer = (await send(world, body)).json()["data"]
    assert (answer["a"]["size"], answer["b"]["size"]) == (20_000, 20_000)


async def test_a_file_that_is_not_there_or_used_up_is_named(world: World) -> None:
    again = TWO.replace("$a: Upload!, $b: Upload!", "$file: Upload!").replace("$a", "$file").replace("$b", "$file")
    for body, stands in (
        (one() + END, 0),
        (one() + file("1", b"x") + END, 0),
        (one() + file("0", b"x" * 900)[:500], 0),
        (head(again, file=None) + file("0", b"x") + END, 1),
    ):
        for blob in blobs(world):
            blob.unlink()
        answer = await send(world, body)
        assert code(answer) == (200, "INVALID_FORMAT"), answer.text
        assert len(blobs(world)) == stands


async def test_the_files_come_last(world: World) -> None:
    asked, places = one().split(f"--{BOUNDARY}".encode())[1:]
    for order in ([places, asked], [asked], [places], []):
        body = b"".join(f"--{BOUNDARY}".encode() + piece for piece in order) + file("0", b"x") + END
        assert code(await send(world, body)) == (400, "INVALID_FORMAT")
    body = file("0", b"x") + one() + END
    assert code(await send(world, body)) == (400, "INVALID_FORMAT")
    assert blobs(world) == []
