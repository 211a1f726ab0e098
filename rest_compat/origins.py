"""Pages of other origins: who of them may call, and how one that may not is told."""

from typing import Final

from starlette.datastructures import Headers
from starlette.middleware.cors import CORSMiddleware
from starlette.responses import Response
from starlette.types import ASGIApp, Receive, Scope, Send

from rest_compat.errors import response_of
from rest_compat.events import RESUME_HEADER
from rest_compat.request import PROJECT_HEADER, RequestState
from rest_compat.route import IDEMPOTENCY_HEADER
from schema.errors import InvalidRequest

TAKEN_HEADERS: Final = (
    *("Authorization", "Content-Type", PROJECT_HEADER, IDEMPOTENCY_HEADER, RESUME_HEADER),
    *("If-Match", "If-None-Match", "If-Range", "Range", "X-Request-ID", "traceparent", "tracestate"),
)
"""What a page of another origin may send: every header that the documents name, and those of tracing."""
ANSWERED_HEADERS: Final = (
    *("ETag", "Accept-Ranges", "Content-Disposition", "Content-Range", "Retry-After", "WWW-Authenticate"),
    *("Deprecation", "Sunset", "Link"),
    *("X-Request-ID", "X-RateLimit-Limit", "X-RateLimit-Remaining", "X-RateLimit-Reset"),
)
"""What it may read of an answer."""
_WAYS_OUT: Final = {
    "origin": "the operator names the origins that may call in STOA_CORS_ORIGINS",
    "method": "use a method that HTTP has for its resources",
    "headers": f"send no others than {', '.join(TAKEN_HEADERS)}",
    "private-network": "call from a page of the same network",
}


class Origins(CORSMiddleware):
    """Lets pages of the named origins call. What a preflight is refused for is told in the envelope."""

    def __init__(self, app: ASGIApp, origins: str) -> None:
        super().__init__(
            app,
            allow_origins=[origin.strip() for origin in origins.split(",") if origin.strip()],
            allow_methods=["*"],
            allow_headers=TAKEN_HEADERS,
            expose_headers=ANSWERED_HEADERS,
        )

    def preflight_response(self, request_headers: Headers) -> Response:
        """Answer a preflight: whether the page may send what it means to send."""
        answer = super().preflight_response(request_headers)
        if answer.status_code != 400:
            return answer
        faults = bytes(answer.body).decode().removeprefix("Disallowed CORS ").split(", ")
        refused = InvalidRequest(
            f"A page of another origin may not send this request ({', '.join(faults)}): "
            f"{'; '.join(_WAYS_OUT[fault] for fault in faults if fault in _WAYS_OUT)}."
        )
        return _Refusal(refused, answer)


class _Refusal(Response):
    """A refused preflight. Its ids are known when it is sent."""

    def __init__(self, failure: InvalidRequest, plain: Response) -> None:
        super().__init__(status_code=failure.status)
        self._failure, self._plain = failure, plain

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send it, with the headers that the refusal in plain text would have had."""
        state: RequestState = scope["stoa"]
        answer = response_of(self._failure, path=scope["path"], request_id=state.request_id, trace_id=state.trace_id)
        own = {name: value for name, value in self._plain.headers.items() if not name.startswith("content-")}
        answer.headers.update(own)
        await answer(scope, receive, send)
