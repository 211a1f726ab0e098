"""The bench of deliveries under kills counts what is wrong, and takes no request that broke off for a forgery."""

import socket

import httpx
import orjson
import pytest

from benchmarks.deliveries import compared
from benchmarks.killing import Arrival, receiving
from persistence.webhook_signing import SigningKeys, signed_headers
from resolvers.context import utc_now


def arrival(id: str, sequence: int, asset: str = "a", said: str | None = None, data: int = 0) -> Arrival:
    """A delivery; `said` is the id that its body names, when that is another one."""
    body = {"id": said or id, "sequence": f"{sequence:019d}", "subject": asset, "data": data}
    return Arrival(id, orjson.dumps(body))


@pytest.mark.parametrize(
    ("arrived", "wrong"),
    [
        ([arrival("x", 1), arrival("y", 2)], {}),
        ([arrival("y", 2), arrival("x", 1, "b"), arrival("y", 2)], {"twice": 1}),
        ([arrival("x", 1)], {"lost": 1}),
        ([arrival("y", 2), arrival("x", 1)], {"disordered": 1}),
        ([arrival("x", 1), arrival("y", 2), arrival("x", 1)], {"twice": 1}),
        ([arrival("x", 1), arrival("y", 2), arrival("x", 1, data=1)], {"twice": 1, "without stable id": 1}),
        ([arrival("x", 1), arrival("y", 2), arrival("z", 3)], {"without stable id": 1}),
        ([arrival("x", 1), arrival("y", 2, said="x")], {"without stable id": 1}),
    ],
)
def test_what_is_wrong_with_deliveries_is_counted(arrived: list[Arrival], wrong: dict[str, int]) -> None:
    right = {"lost": 0, "twice": 0, "without stable id": 0, "disordered": 0}
    assert compared(arrived, {"x", "y"}) == right | wrong


def test_a_request_that_broke_off_is_no_forgery_and_a_forged_one_is() -> None:
    keys, body = SigningKeys.fresh(), b'{"id": "x"}'
    headers = signed_headers([keys], "x", utc_now(), body)
    with receiving(busy=0) as receiver:
        receiver.secrets["first"] = keys.secret
        lines = [f"{name}: {value}\r\n" for name, value in {"Content-Length": str(len(body)), **headers}.items()]
        with socket.create_connection(("127.0.0.1", receiver.port)) as connection:
            connection.sendall(f"POST /first HTTP/1.1\r\n{''.join(lines)}\r\n".encode() + body[:-1])
            connection.shutdown(socket.SHUT_WR)
            assert connection.recv(1) == b""
        assert (receiver.broken_off, receiver.forged, receiver.taken["first"]) == (1, 0, [])
        url = f"http://127.0.0.1:{receiver.port}/first"
        assert httpx.post(url, content=body.replace(b"x", b"y"), headers=headers).status_code == 400
        assert httpx.post(url, content=body, headers=headers).status_code == 204
        assert (receiver.forged, receiver.taken["first"]) == (1, [Arrival("x", body)])
