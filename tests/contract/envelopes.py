"""What every failure looks like: the two envelopes of the contract (section 7), for the tests that meet one."""

import re
from typing import Any

import httpx

REQUEST_ID = re.compile(r"req-[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")
SECRET = "the-password-is-swordfish"
"""What a failure of ours holds; an answer must never show it."""


def assert_envelope(answer: httpx.Response, status: int, code: str) -> dict[str, Any]:
    """The envelope of every service but Data Readiness; the error inside."""
    assert answer.status_code == status, answer.text
    assert answer.headers["content-type"] == "application/json"
    body = answer.json()
    # A graph's client looks for `errors`; a wrong method is refused before the graph is reached.
    if answer.request.url.path == "/graphql" and status != 405:
        (told,) = body.pop("errors")
        assert (told["extensions"]["code"], told["extensions"]["status"]) == (code, status)
        assert told["message"] == body["error"]["message"]
    assert list(body) == ["error"]
    error: dict[str, Any] = body["error"]
    keys = {"code", "message", "status", "request_id", "trace_id"}
    assert set(error) == (keys if status == 429 else keys | {"details"})
    assert (error["code"], error["status"]) == (code, status)
    assert error["request_id"] == answer.headers["X-Request-ID"]
    assert re.fullmatch("[0-9a-f]{32}", error["trace_id"])
    assert error["message"].endswith((".", "\u2026"))
    assert isinstance(error.get("details", {}), dict)
    return error


def assert_variant(answer: httpx.Response, status: int, code: str) -> dict[str, Any]:
    """The variant of Data Readiness; the error inside."""
    assert answer.status_code == status, answer.text
    body = answer.json()
    assert list(body) == ["error", "request_id"]
    assert body["request_id"] == answer.headers["X-Request-ID"]
    error: dict[str, Any] = body["error"]
    assert set(error) == ({"code", "message"} if status == 429 else {"code", "message", "details"})
    assert error["code"] == code
    return error
