"""From token and headers to the context of one request, and its charge to the rate window."""

import contextlib
import hashlib
import re
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from functools import partial

from starlette.requests import HTTPConnection

from auth.caller import Caller
from auth.guard import Guard
from auth.rate_limit import CallKind, Limits, RateLimiter, RateWindow
from auth.tokens import TokenVerifier
from persistence.limits import LimitRows
from resolvers.audit import write_refusal
from resolvers.context import Context, Services
from resolvers.nearly_spent import is_nearly_spent, tell_nearly_spent
from schema.errors import (
    ApiError,
    InvalidParameter,
    MissingRequiredField,
    ProjectAccessDenied,
    RateLimitExceeded,
    Unauthenticated,
)
from schema.governance.audit import Door
from schema.governance.permission import Permission

PROJECT_HEADER = "X-Project-ID"
_PROJECT = PROJECT_HEADER.lower().encode()
SELECTING = (Permission.CAN_READ, Permission.CAN_READ_SECRETS)
"""Who holds one of these on a project may select it: every role gives one, a service worker's the second."""
_TAG = r'(W/)?"([0-9]{1,18})(-[0-9a-f]{16})?"'
MOST_TAGS = 32
ETAG_PATTERN = rf"^({_TAG}([ \t]*,[ \t]*{_TAG}){{0,{MOST_TAGS - 1}}}|\*)$"
"""What `If-Match` may hold: the entity tags of this service, or `*`."""
_QUOTED = re.compile(r'(?:W/)?("[^"]*")')
_TAGS, _ETAG = re.compile(ETAG_PATTERN, re.ASCII), re.compile(_TAG, re.ASCII)


RawHeaders = Iterable[tuple[bytes, bytes]]
"""Names in small letters with their values, as the server gives them."""


def header(headers: RawHeaders, name: bytes) -> str:
    """The first value of a header; empty where there is none."""
    return given(headers, name) or ""


def given(headers: RawHeaders, name: bytes) -> str | None:
    """The first value of a header; None where there is none. The library's own look takes four times as long."""
    for one, value in headers:
        if one == name:
            return value.decode("latin-1")
    return None


@dataclass(slots=True)
class RequestState:
    """Holds what the middleware and the doors know of one request."""

    request_id: str
    trace_id: str
    window: RateWindow | None = None
    """The rate window that the response headers show."""
    caller: Caller | None = None
    """Who calls, once their token was looked at; None for nobody, too."""
    looked: bool = False
    """Whether anybody has looked."""
    status: int = 0
    """The status that was answered; 0 until then."""
    extra_headers: list[tuple[bytes, bytes]] = field(default_factory=list)
    refused: ApiError | None = None
    """Why the headers of a GraphQL request were refused, after it was charged."""


@dataclass(frozen=True, slots=True)
class ContextFactory:
    """Receives requests: who calls, on which project, and whether their window has room."""

    services: Services
    verifier: TokenVerifier
    limiter: RateLimiter
    defaults: Limits
    tenant_rows: LimitRows

    async def caller(self, connection: HTTPConnection, kind: CallKind) -> Caller:
        """Return who calls. Raises the exact 401."""
        state = state_of(connection)
        state.looked = True
        try:
            state.caller = await self.verifier.verify(given(connection.scope["headers"], b"authorization"))
            return state.caller
        except Unauthenticated as refused:
            if type(refused) is not Unauthenticated or kind is not CallKind.READ:
                raise
            return self.verifier.anonymous(_address(connection))  # raises unless the deployment allows it

    async def charge(self, connection: HTTPConnection, caller: Caller, kind: CallKind, cost: int = 1) -> None:
        """Charge the caller's window. Raises RateLimitExceeded; a refused charge costs nothing."""
        limits = await self.limits_of(caller.organization_id)
        of_kind = self.window_kind(caller, kind)
        window = await self.limiter.charge(caller.principal, of_kind, limits.of(of_kind), cost)
        state_of(connection).window = window
        if is_nearly_spent(window) and not caller.anonymous:
            await self._tell_nearly_spent(connection, caller, of_kind, window)
        if not window.allowed:
            raise RateLimitExceeded(window.retry_after)

    async def _tell_nearly_spent(
        self, connection: HTTPConnection, caller: Caller, kind: CallKind, window: RateWindow
    ) -> None:
        project = given(connection.scope["headers"], _PROJECT) or caller.project_id
        if project:
            selects = partial(require_project, Guard(self.services.relations), caller, project)
            await tell_nearly_spent(self.services, replace(caller, project_id=project), selects, kind, window)

    @staticmethod
    def window_kind(caller: Caller, kind: CallKind) -> CallKind:
        """Return which of the caller's windows a call of this kind is charged to."""
        return CallKind.ANONYMOUS if caller.anonymous else kind

    async def peek(self, connection: HTTPConnection) -> RateWindow:
        """The window that a response shows when nothing was charged: the caller's own of reads.

        Without a token that holds it is the anonymous one of this address. Never raises for what ails the store: a
        response that tells of a failure has to go out all the same.
        """
        state = state_of(connection)
        if not state.looked:
            with contextlib.suppress(Exception):
                await self.caller(connection, CallKind.WRITE)  # not of reads, for which nobody would do too
        caller = state.caller or self._nobody(connection)
        limits = self.defaults
        if caller.organization_id:
            with contextlib.suppress(Exception):
                limits = await self.limits_of(caller.organization_id)
        kind = CallKind.ANONYMOUS if caller.anonymous else CallKind.READ
        return await self.limiter.peek(caller.principal, kind, limits.of(kind))

    def _nobody(self, connection: HTTPConnection) -> Caller:
        """Return who reads without a token, in the organization that everybody may read if there is one."""
        try:
            return self.verifier.anonymous(_address(connection))
        except Unauthenticated:
            return Caller.nobody("", _address(connection))

    async def windows(self, caller: Caller) -> list[tuple[str, RateWindow]]:
        """The windows of a caller as they stand, each with its kind; looking charges nothing."""
        limits = await self.limits_of(caller.organization_id)
        kinds = (CallKind.READ, CallKind.WRITE, CallKind.BULK)
        return [(kind.value, await self.limiter.peek(caller.principal, kind, limits.of(kind))) for kind in kinds]

    async def limits_of(self, organization_id: str) -> Limits:
        """The deployment's limits, with what the tenant's administrators set over them."""
        row = await self.tenant_rows.of(organization_id)
        return self.defaults if row is None else self.defaults.overridden(*row)

    async def context(
        self,
        connection: HTTPConnection,
        caller: Caller,
        *,
        project_required: bool = False,
        project: str | None = None,
        if_match: str | None = None,
        at_once: bool = False,
        assumes: bool = False,
    ) -> Context:
        """The context of an operation: the project header wins when the caller may read that project.

        `project` and `if_match` stand for the headers where a door takes them beside the arguments of a call. `at_once`
        says that the operation is called without waiting for anything more, such as a body; `assumes` that whoever
        calls it has what was assumed about rights confirmed, whatever comes of the call (`auth/seen.py`).
        """
        ctx = self.unselected(connection, caller, at_once=at_once, assumes=assumes)
        headers: RawHeaders = connection.scope["headers"]
        project = given(headers, _PROJECT) if project is None else project
        if project is None and project_required:
            raise MissingRequiredField(f"The {PROJECT_HEADER} header is required here.", field=PROJECT_HEADER)
        if project is not None:
            if not project.strip():
                raise MissingRequiredField(f"The {PROJECT_HEADER} header is empty.", field=PROJECT_HEADER)
            # The claim's own project is left to the operation's permission: a service worker may not read projects.
            if project != caller.project_id:
                select = partial(self._select, connection, caller, ctx.guard, project)
                await select()
                ctx.readmit = select
                ctx.caller = replace(caller, project_id=project)
        ctx.expected_revision = expected_revisions(given(headers, b"if-match") if if_match is None else if_match)
        return ctx

    async def _select(self, connection: HTTPConnection, caller: Caller, guard: Guard, project: str) -> None:
        """Raise ProjectAccessDenied, and write it down, unless a caller may select a project."""
        try:
            await require_project(guard, caller, project)
        except ProjectAccessDenied as refused:
            ctx = self.unselected(connection, caller)
            await write_refusal("select_project", ctx, ("project", project), refused, {})
            raise

    def unselected(
        self, connection: HTTPConnection, caller: Caller, *, at_once: bool = False, assumes: bool = False
    ) -> Context:
        """The context before any header that selects a project or a version has been looked at."""
        state = state_of(connection)
        return Context(
            caller=caller,
            request_id=state.request_id,
            services=self.services,
            guard=Guard(self.services.relations, at_once=at_once, assumes=assumes),
            trace_id=state.trace_id,
            door=_door(connection.scope["path"]),
        )


async def require_project(guard: Guard, caller: Caller, project: str) -> None:
    """Raise ProjectAccessDenied unless the caller has a role on the project; a foreign one and none look alike."""
    for permission in SELECTING:
        if await guard.allows(caller, permission, "project", project):
            return
    raise ProjectAccessDenied.lacking(
        Permission.CAN_READ,
        "project",
        project,
        "You have no access to the selected project. Choose another one or ask its administrator.",
    )


def expected_revisions(header: str | None) -> frozenset[int] | None:
    """Return what `If-Match` names; None for whatever stands. Raises InvalidParameter for what is no tag of this
    service.
    """
    if header is None or header.strip() == "*":
        return None
    if _TAGS.fullmatch(header.strip()) is None:
        raise InvalidParameter(
            f"If-Match takes ETags that this service answered with, {MOST_TAGS} at most, separated by commas.",
            field="If-Match",
        )
    return frozenset(int(revision) for _, revision, _ in _ETAG.findall(header))


def digest_of(content: bytes) -> str:
    """Return what tells an answer from every other one of its revision: 64 bits as sixteen digits."""
    return hashlib.blake2b(content, digest_size=8).hexdigest()


def entity_tag(revision: int, digest: str) -> str:
    """The `ETag` of an answer: the revision, which guards updates, and a digest of what is said about it.

    What is shown can change while the revision stands, such as how often it was read, so the revision alone would not
    tell a client that what it has is still what it would get.
    """
    return f'"{revision}-{digest}"'


def known(header: str | None, tag: str) -> bool:
    """Return whether `If-None-Match` names a tag, by the weak comparison of RFC 9110."""
    return header is not None and (header.strip() == "*" or tag in _QUOTED.findall(header))


def state_of(connection: HTTPConnection) -> RequestState:
    """The state that the middleware put on the request."""
    state: RequestState = connection.scope["stoa"]
    return state


def _door(path: str) -> Door:
    """How a request comes in."""
    if path.endswith("/graphql"):
        return Door.GRAPH
    return Door.MCP if path.endswith(("/mcp", "/mcp/read")) else Door.REST


def _address(connection: HTTPConnection) -> str:
    return connection.client.host if connection.client else "unknown"
