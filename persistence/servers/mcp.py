"""A server of the Model Context Protocol, reached by the protocol's own client over connections that we vet."""

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from typing import TYPE_CHECKING, Any, Final, TypeVar

import httpx
import orjson

from persistence.outbound import GuardedTransport, OutboundPolicy, RefusedAddress
from persistence.servers.reaching import Answered, ServerSettings, Unanswered, Unreachable
from persistence.web_addresses import BadAddress, place_of

if TYPE_CHECKING:
    from mcp.client import Client

T = TypeVar("T")

NO_CLIENT: Final = (
    "This deployment has no client of the Model Context Protocol. Whoever runs it can install it: "
    "pip install 'stoa-platform[servers]'."
)
NOT_OF_THE_PROTOCOL: Final = "The server's answer is none of the protocol."
LIST_BYTES: Final = 4_000_000
"""Of all that a server says before a tool is called."""
MOST_PAGES: Final = 50
MOST_TOOLS: Final = 1000
CLOSING_SECONDS: Final = 2.0
_NOT_SENT: Final = (httpx.ConnectError, httpx.ConnectTimeout, httpx.UnsupportedProtocol)


class McpSession:
    """A connection to a server that has listed its tools."""

    def __init__(self, client: "Client", gate: "_Gate", tools: list[dict[str, Any]], settings: ServerSettings) -> None:
        self._client, self._gate, self.tools, self._settings = client, gate, tools, settings
        self.is_called = False
        """Whether the server may have done something."""

    async def call(self, tool: str, arguments: Mapping[str, Any]) -> Answered:
        """Call a tool. Raises Unanswered when nothing can be read of what it answered.

        The library would hold the answer to a schema that comes from outside as well, by rules without bounds; that
        is left to whoever reads it.
        """
        import mcp_types as types
        from mcp.shared.exceptions import MCPError

        seconds = self._settings.server_timeout_seconds
        self.is_called = True
        self._gate.allow(self._settings.server_answer_bytes)
        request = types.CallToolRequest(params=types.CallToolRequestParams(name=tool, arguments=dict(arguments)))
        try:
            async with asyncio.timeout(seconds):
                result = await self._client.session.send_request(
                    request, types.CallToolResult, request_read_timeout_seconds=seconds
                )
        except TimeoutError:
            raise Unanswered(f"The server did not answer within {seconds:g} seconds.") from None
        except MCPError as failure:
            if (why := self._gate.failure) is not None:
                raise Unanswered(why) from None
            if failure.code == types.REQUEST_TIMEOUT:
                raise Unanswered(f"The server did not answer within {seconds:g} seconds.") from None
            if failure.code == types.PARSE_ERROR:  # the library's own word for what it cannot read
                raise Unanswered(NOT_OF_THE_PROTOCOL) from None
            told = {"code": failure.code, "message": failure.message, "data": failure.data}
            return Answered({"error": told}, self._gate.taken, f"The server answered with the error {failure.code}.")
        except Exception:  # what a malformed answer makes the library raise
            raise Unanswered(self._gate.failure or NOT_OF_THE_PROTOCOL) from None
        content = result.model_dump(mode="json", by_alias=True, include={"content", "structured_content"})
        return Answered(content, self._gate.taken, "The tool says that it failed." if result.is_error else None)


class McpCaller:
    """Connects to servers, once for each visit."""

    def __init__(self, policy: OutboundPolicy, settings: ServerSettings) -> None:
        self._policy, self._settings = policy, settings
        self._transport: GuardedTransport | None = None

    async def visit(self, url: str, headers: Mapping[str, str], work: Callable[[McpSession], Awaitable[T]]) -> T:
        """Connect, list the tools, and do some work with them. Raises Unreachable when it did not come to that.

        What the work raises is raised as it is: the library would put it into a group of failures.
        """
        try:
            import httpx2
            from mcp.client import Client
            from mcp.client.streamable_http import streamable_http_client
        except ImportError:
            raise Unreachable(NO_CLIENT) from None
        _quiet()
        try:
            place_of(url)
        except BadAddress as bad:
            raise Unreachable(str(bad)) from None
        if self._transport is None:
            self._transport = GuardedTransport(self._policy)
        seconds = self._settings.server_timeout_seconds
        gate = _Gate(self._transport, headers, seconds)
        came_to: list[Callable[[], T]] = []
        session: McpSession | None = None
        try:
            async with (
                httpx2.AsyncClient(transport=_transport_of(gate), timeout=seconds, trust_env=False) as http,
                _Deadline(seconds) as deadline,
                Client(
                    streamable_http_client(url, http_client=http, max_sse_event_size=LIST_BYTES),
                    read_timeout_seconds=seconds,
                    cache=None,
                ) as client,
            ):
                tools = await _listed(client)
                deadline.over()
                session = McpSession(client, gate, tools, self._settings)
                came_to.append(await _outcome(work(session)))
        except Exception as failure:
            if not came_to and session is not None and session.is_called:
                raise Unanswered(gate.failure or NOT_OF_THE_PROTOCOL) from None
            if not came_to:
                raise Unreachable(_why(gate, failure, seconds)) from None
        return came_to[0]()

    async def close(self) -> None:
        """Close every connection."""
        if self._transport is not None:
            await self._transport.aclose()
            self._transport = None


class _Deadline:
    """Ends what takes too long, until it is told that the time is over."""

    def __init__(self, seconds: float) -> None:
        self._timeout = asyncio.timeout(seconds)

    async def __aenter__(self) -> "_Deadline":
        await self._timeout.__aenter__()
        return self

    async def __aexit__(self, *about: Any) -> None:
        await self._timeout.__aexit__(*about)

    def over(self) -> None:
        """Return what follows has a time of its own."""
        self._timeout.reschedule(None)


async def _outcome(work: Awaitable[T]) -> Callable[[], T]:
    """Return what some work came to, told when it is asked for: a value, or a failure."""
    try:
        value = await work
    except Exception as raised:
        failure = raised

        def failed() -> T:
            raise failure

        return failed
    return lambda: value


class _TooMuch(Exception):
    """The list of tools does not end."""


async def _listed(client: "Client") -> list[dict[str, Any]]:
    """All tools of a server, page by page, as JSON."""
    tools: list[dict[str, Any]] = []
    cursor: str | None = None
    for _ in range(MOST_PAGES):
        page = await client.list_tools(cursor=cursor)
        tools += [tool.model_dump(mode="json", by_alias=True, exclude_none=True) for tool in page.tools]
        cursor = page.next_cursor
        if cursor is None:
            return tools
        if len(tools) > MOST_TOOLS:
            break
    raise _TooMuch


def _why(gate: "_Gate", failure: BaseException, seconds: float) -> str:
    """Why there is no list of tools, in words of our own."""
    if gate.failure is not None:
        return gate.failure
    if isinstance(failure, TimeoutError):
        return f"The server did not answer within {seconds:g} seconds."
    if isinstance(failure, _TooMuch):
        return "The server's list of tools does not end."
    code = getattr(failure, "code", None)
    if isinstance(code, int):
        return f"The server answered with the error {code}."
    if isinstance(failure, BaseExceptionGroup) and failure.exceptions:
        return _why(gate, failure.exceptions[0], seconds)
    return "The server does not speak the Model Context Protocol at this address."


class _Gate:
    """The way of one visit to the server: with its credentials, never elsewhere, and up to a number of bytes."""

    def __init__(self, transport: GuardedTransport, headers: Mapping[str, str], seconds: float) -> None:
        self._transport, self._headers, self._seconds = transport, headers, seconds
        self.taken = 0
        self._most = LIST_BYTES
        self.failure: str | None = None

    def allow(self, most: int) -> None:
        """Begin to count anew, for what may have so many bytes."""
        self.taken, self._most, self.failure = 0, most, None

    async def send(self, method: str, url: str, headers: list[tuple[bytes, bytes]], body: bytes) -> httpx.Response:
        """Send a request. Raises what httpx raises, after noting what is to be told of it."""
        request = httpx.Request(method, url, headers=headers, content=body)
        request.headers.update({"User-Agent": "stoa-servers/1", "Accept-Encoding": "identity", **self._headers})
        timeout = min(self._seconds, 5.0)
        request.extensions["timeout"] = {"connect": timeout, "pool": timeout, "read": self._seconds, "write": timeout}
        try:
            if method == "DELETE":  # a session that ends; whoever waits has the answer by then
                async with asyncio.timeout(CLOSING_SECONDS):
                    response = await self._transport.handle_async_request(request)
            else:
                response = await self._transport.handle_async_request(request)
        except RefusedAddress as refused:
            raise self._noted(str(refused)[:1000]) from None
        except _NOT_SENT as failure:
            raise self._noted(f"The server cannot be reached ({type(failure).__name__}).") from None
        except (httpx.HTTPError, OSError) as failure:
            raise self.broken(failure) from None
        if 300 <= response.status_code < 400:
            await response.aclose()
            told = f"The server redirects elsewhere (HTTP {response.status_code}), which is not followed."
            raise self._noted(f"{told} Correct the address.")
        if response.headers.get("content-encoding", "identity").lower() != "identity":
            await response.aclose()
            raise self._noted("The server's answer is compressed although that was not asked for.")
        kind = response.headers.get("content-type", "").lower()
        of_the_protocol = kind.startswith(("application/json", "text/event-stream"))
        if response.status_code == 200 and not of_the_protocol and _waits(body):
            await response.aclose()
            raise self._noted(NOT_OF_THE_PROTOCOL)
        if response.status_code in (401, 403):
            self.failure = f"The server lets nobody in with these credentials (HTTP {response.status_code})."
        return response

    async def body(self, response: httpx.Response) -> AsyncIterator[bytes]:
        """The bytes of an answer, counted."""
        assert isinstance(response.stream, httpx.AsyncByteStream)
        async for part in response.stream:
            self.taken += len(part)
            if self.taken > self._most:
                raise self._noted(f"The server answered more than {self._most:,} bytes.")
            yield part

    def broken(self, failure: Exception) -> "Blocked":
        """Return what is told of a connection that came to nothing."""
        if isinstance(failure, httpx.TimeoutException | TimeoutError):
            return self._noted(f"The server did not answer within {self._seconds:g} seconds.")
        return self._noted(f"The connection to the server broke off ({type(failure).__name__}).")

    def _noted(self, why: str) -> "Blocked":
        self.failure = why
        return Blocked(why)


def _waits(message: bytes) -> bool:
    """Return whether a message is a request, which is answered; a notification is not."""
    said = orjson.loads(message) if message else None
    return isinstance(said, dict) and "id" in said


class Blocked(Exception):
    """A request that did not go through the gate, or an answer that did not come through it."""


def _transport_of(gate: _Gate) -> Any:
    """The gate as the transport that the protocol's client sends by."""
    import httpx2

    class Stream(httpx2.AsyncByteStream):
        def __init__(self, response: httpx.Response) -> None:
            self._response = response

        async def __aiter__(self) -> AsyncIterator[bytes]:
            try:
                async for part in gate.body(self._response):
                    yield part
            except Blocked as blocked:
                raise httpx2.ReadError(str(blocked)) from None
            except (httpx.HTTPError, OSError) as broken:
                raise httpx2.ReadError(str(gate.broken(broken))) from None

        async def aclose(self) -> None:
            await self._response.aclose()

    class Transport(httpx2.AsyncBaseTransport):
        async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
            if request.method == "GET":  # a stream of what the server says unasked, which nobody here would hear
                return httpx2.Response(405, request=request)
            body = await request.aread()
            headers = [(name, value) for name, value in request.headers.raw if name.lower() != b"accept-encoding"]
            try:
                response = await gate.send(request.method, str(request.url), headers, body)
            except Blocked as blocked:
                raise httpx2.ConnectError(str(blocked)) from None
            if request.method == "DELETE":  # what is said at the end of a session is not waited for
                await response.aclose()
                return httpx2.Response(response.status_code, request=request)
            return httpx2.Response(
                response.status_code, headers=response.headers.raw, stream=Stream(response), request=request
            )

    return Transport()


def _quiet() -> None:
    """Keep out of our logs what the library would write there: it repeats what servers say, which may be anything."""
    for name in ("mcp.client", "mcp.shared", "client"):
        logging.getLogger(name).setLevel(logging.CRITICAL + 1)
