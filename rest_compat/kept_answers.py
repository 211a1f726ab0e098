"""The front of the doors: who asks for what was answered before gets that answer, while its catalog stands unchanged.

Nothing that decides about a caller is left out: their token, the project that they select, the permission for each
operation that made the answer, and what all of it costs their window are looked at as ever, and the catalog's revision
in the same look at the store as their relations. Whatever does not go through here goes the usual way from its
beginning, with nothing charged yet, so that every refusal and every failure is told where it always was.
"""

import hashlib
from collections.abc import Callable
from functools import partial
from typing import Final

from starlette.requests import HTTPConnection
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from auth.rate_limit import CallKind
from persistence.repository import Scope as Tenant
from resolvers.answer_cache import KeptAnswer, Key
from resolvers.context import Context
from rest_compat.request import PROJECT_HEADER, ContextFactory, RawHeaders, given, header, known
from rest_compat.request_ids import say_which_request

GRAPH: Final = "/graphql"
LONGEST: Final = 16_384
"""Bytes of a body, or of a path with its query, that are looked up; a longer one goes the usual way."""

_PROJECT: Final = PROJECT_HEADER.lower().encode()
_ASKED: Final = "stoa.asked"


class KeptAnswers:
    """Answers what is kept, and hands on the rest."""

    def __init__(self, app: ASGIApp, context_factory: Callable[[], ContextFactory | None]) -> None:
        self._app, self._context_factory = app, context_factory

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""
        context_factory = self._context_factory() if scope["type"] == "http" else None
        if context_factory is not None and context_factory.services.answers.open:
            receive = await _asked(scope, receive)
            if _ASKED in scope and context_factory.services.answers.was_asked(scope[_ASKED]):
                answer = await _found(scope, context_factory)
                if answer is not None:
                    await _sent(answer, scope, send)
                    return
        await self._app(scope, receive, send)


def look_at_catalog(request: HTTPConnection, ctx: Context) -> None:
    """Have the catalog's revision looked at before anything of it is read, where the answer may be kept."""
    if _ASKED in request.scope and ctx.catalog_only and ctx.caller.project_id is not None:
        ctx.look = partial(ctx.services.answers.look, ctx.scope)


def keep_answer(request: HTTPConnection, ctx: Context, response: Response) -> None:
    """Keep an answer to a request whose catalog was looked at, when it is made of that alone."""
    if not ctx.catalog_revision or not ctx.catalog_only or response.status_code != 200:
        return
    if request.scope["path"] == GRAPH and request.scope["method"] == "GET":
        response.headers["etag"] = f'"{hashlib.blake2b(response.body, digest_size=12).hexdigest()}"'
    answer = KeptAnswer(bytes(response.body), tuple(response.raw_headers), tuple(ctx.called))
    ctx.services.answers.keep(Key(ctx.scope, request.scope[_ASKED]), ctx.catalog_revision, answer)


async def _asked(scope: Scope, receive: Receive) -> Receive:
    """Put what a request asks for on its scope, where that is short and may be answered again; with its body, if it was
    read, put back.
    """
    method, path, query = scope["method"], scope["path"], scope["query_string"]
    if len(path) + len(query) > LONGEST:
        return receive
    headers: RawHeaders = scope["headers"]
    accept = header(headers, b"accept") if path == GRAPH else ""
    selects = any(name == _PROJECT for name, _ in headers)  # some paths take a project from the header alone
    asked = (path, query, accept, selects)
    if method == "GET":
        scope[_ASKED] = asked
        return receive
    if method != "POST" or path != GRAPH:
        return receive
    length, kind = header(headers, b"content-length"), header(headers, b"content-type")
    if not length.isdigit() or int(length) > LONGEST or not kind.startswith("application/json"):
        return receive
    body, receive = await _body(receive)
    if body is not None:
        scope[_ASKED] = (*asked, kind, body)
    return receive


async def _body(receive: Receive) -> tuple[bytes | None, Receive]:
    """A body, or None when the caller hung up; and a `receive` that gives everything once more."""
    messages: list[Message] = []
    while True:
        message = await receive()
        messages.append(message)
        if message["type"] != "http.request" or not message.get("more_body", False):
            break
    whole = b"".join(message.get("body", b"") for message in messages)
    kept = iter(messages)

    async def again() -> Message:
        return next(kept, None) or await receive()

    return whole if messages[-1]["type"] == "http.request" else None, again


async def _found(scope: Scope, context_factory: ContextFactory) -> KeptAnswer | None:
    """The answer that is kept for this caller, charged; None for everything that should go the usual way."""
    connection, answers = HTTPConnection(scope), context_factory.services.answers
    try:
        caller = await context_factory.caller(connection, CallKind.READ)
        selected = given(scope["headers"], _PROJECT)
        project = caller.project_id if selected is None else selected
        key = Key(Tenant(caller.organization_id, project), scope[_ASKED])
        calls = None if project is None else answers.calls_of(key)
        if calls is None:
            return None
        look = answers.look(key.scope)
        ctx = await context_factory.context(connection, caller, at_once=True)
        for operation, arguments in calls:
            await operation.authorize(ctx, arguments)
        answer = answers.at(key, await look())
        if answer is None or answer.calls is not calls:  # other calls, while this one waited
            return None
        await context_factory.charge(connection, caller, CallKind.READ, len(calls))
    except Exception:  # the usual way finds out what is wrong, and tells it
        return None
    return answer


async def _sent(answer: KeptAnswer, scope: Scope, send: Send) -> None:
    """Send an answer, or that it is what the caller has."""
    tag = next((value for name, value in answer.headers if name == b"etag"), None)
    if (
        tag is not None
        and scope["method"] == "GET"
        and known(header(scope["headers"], b"if-none-match") or None, tag.decode())
    ):
        await send({"type": "http.response.start", "status": 304, "headers": [(b"etag", tag)]})
        await send({"type": "http.response.body", "body": b""})
        return
    content, headers = answer.content, list(answer.headers)
    if scope["path"] == GRAPH:
        response = Response(content)
        response.raw_headers = headers
        say_which_request(HTTPConnection(scope), response)
        content, headers = bytes(response.body), response.raw_headers
    await send({"type": "http.response.start", "status": 200, "headers": headers})
    await send({"type": "http.response.body", "body": content})
