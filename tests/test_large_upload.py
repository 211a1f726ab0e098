"""A file of any size goes through a real server in constant memory, and any part of it can be had back.

By default it is small, so that the test costs little; `STOA_TEST_UPLOAD_MIB=4200` makes it larger than 32 bits can
count.
"""

import os
import re
from collections.abc import Iterator
from pathlib import Path

import httpx
import orjson
import pytest

from tests.support.server import Client, Server, stoa

pytestmark = [pytest.mark.starts, pytest.mark.timeout(1800)]

MIB = 1 << 20
SIZE = int(os.environ.get("STOA_TEST_UPLOAD_MIB", "96")) * MIB + 777
"""Of the file; it does not end where a block does."""
MORE_MEMORY = 200 * MIB
"""What the server may need beside what it has when it starts: the parts that are on their way to the store."""
BOUNDARY = "frontier"
_REST = os.urandom(MIB - 8)


def content(start: int, end: int) -> Iterator[bytes]:
    """The bytes of the file from one position up to another: no two blocks are alike."""
    for block in range(start // MIB, -(-end // MIB)):
        whole = block.to_bytes(8, "big") + _REST
        yield whole[max(0, start - block * MIB) : end - block * MIB]


def part(name: str, data: bytes, more: str = "") -> bytes:
    """One part of a form."""
    return f'--{BOUNDARY}\r\nContent-Disposition: form-data; name="{name}"{more}\r\n\r\n'.encode() + data + b"\r\n"


REST = part("key", b"large") + part("name", b"Large") + part("file", b"", '; filename="large.bin"')[:-2]
_ASKED = {
    "query": """mutation($file: Upload!) {
        uploadFile(about: {key: "large", name: "Large"}, file: $file) { url size } }""",
    "variables": {"file": None},
}
GRAPH = part("operations", orjson.dumps(_ASKED)) + part("map", b'{"0": ["variables.file"]}') + part("0", b"")[:-2]
END = f"\r\n--{BOUNDARY}--\r\n".encode()


def memory(server: Server, kind: str) -> int:
    """Return what the server has (VmRSS) or had at most (VmHWM), in bytes."""
    status = Path(f"/proc/{server.process.pid}/status").read_text()
    found = re.search(rf"{kind}:\s+(\d+) kB", status)
    assert found is not None
    return int(found.group(1)) * 1024


@pytest.mark.parametrize(
    ("path", "head"),
    [
        pytest.param("/assets/files", REST, id="rest"),
        pytest.param("/graphql", GRAPH, id="graphql", marks=pytest.mark.long),  # another door of the same way
    ],
)
def test_a_large_file_goes_in_and_out_in_constant_memory(tmp_path: Path, path: str, head: bytes) -> None:
    assert stoa(tmp_path, "bootstrap", "--org", "acme", "--owner", "olga").returncode == 0
    with Server(tmp_path).ready() as server, Client(tmp_path, server) as client:
        before = memory(server, "VmRSS")

        def body() -> Iterator[bytes]:
            yield head
            yield from content(0, SIZE)
            yield END

        headers = {
            "Authorization": f"Bearer {client.token}",
            "Content-Type": f"multipart/form-data; boundary={BOUNDARY}",
            "Content-Length": str(len(head) + SIZE + len(END)),
        }
        answer = httpx.post(server.address + path, content=body(), headers=headers, timeout=1200)
        assert answer.is_success, answer.text
        made = answer.json() if path != "/graphql" else answer.json()["data"]["uploadFile"]
        assert made["size"] == SIZE

        for start, end in (
            (0, 100),
            (SIZE // 2 - 5, SIZE // 2 + 5 * MIB),
            (min(1 << 32, SIZE - MIB) - 8, min(1 << 32, SIZE - MIB) + 8),
            (SIZE - 3 * MIB, SIZE),
        ):
            wanted = {"Range": f"bytes={start}-{end - 1}", "Authorization": headers["Authorization"]}
            got = httpx.get(server.address + made["url"], headers=wanted, timeout=60)
            assert (got.status_code, got.headers["content-range"]) == (206, f"bytes {start}-{end - 1}/{SIZE}")
            assert got.content == b"".join(content(start, end))

        with httpx.stream("GET", server.address + made["url"], headers=wanted | {"Range": ""}, timeout=60) as whole:
            assert sum(map(len, whole.iter_bytes())) == SIZE
        peak = memory(server, "VmHWM")
        assert peak - before < MORE_MEMORY, f"{before // MIB} MiB at first and {peak // MIB} MiB at most"
        assert client("DELETE", f"/assets/files/{made['url'].split('/')[3]}")
    assert [found for found in (tmp_path / "data" / "blobs").rglob("*") if found.is_file()] == []
