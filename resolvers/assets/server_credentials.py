"""What lets the platform in at a registered server: headers, sealed, and bound to the server they were entered for.

They stand among the secrets under a type that no grant names, so no operation on secrets reads them. Whoever may change
the address of a server must not have its token sent to a server of their own.
"""

from collections.abc import Mapping
from typing import Final

import orjson

from persistence.servers.reaching import Unreachable
from persistence.store import UnitOfWork
from persistence.web_addresses import server_digest
from resolvers.bound_secrets import BoundElsewhere, BoundSecrets
from resolvers.context import Context
from schema.assets.registered_server import RegisteredServer, ServerCredentials
from schema.headers import check_header_names

SECRETS_OF: Final = "registered_server"
"""The type under which they stand among the secrets."""
_HEADERS: Final = "headers"


def headers_of(credentials: ServerCredentials | None) -> dict[str, str]:
    """The headers that credentials come to. Raises 422 for such as the platform says itself, or that stand twice."""
    if credentials is None:
        return {}
    headers: dict[str, str] = {}
    if credentials.bearer_token is not None:
        headers["Authorization"] = f"Bearer {credentials.bearer_token}"
    check_header_names(
        [one.name for one in credentials.headers], "credentials.headers", taken={*map(str.lower, headers)}
    )
    headers |= {one.name: one.value for one in credentials.headers}
    return headers


def keep_headers(ctx: Context, uow: UnitOfWork, server: RegisteredServer, headers: Mapping[str, str]) -> bool:
    """Keep headers in the place of what stands; whether they are not the same."""
    uri, target = server.resource_uri, server_digest(server.url)
    bound = BoundSecrets(ctx, SECRETS_OF, uri)
    values = {_HEADERS: orjson.dumps(headers)} if headers else {}
    if bound.hold(values, uow.secrets.sealed(ctx.tenant, SECRETS_OF, uri), target):
        return False
    uow.secrets.remove_all_of(ctx.tenant, SECRETS_OF, uri)
    for name, value in values.items():
        uow.secrets.hold()
        bound.keep(uow, name, value, target, ctx.now(), project_id=server.project_id)
    return True


def opened_headers(ctx: Context, uow: UnitOfWork, server: RegisteredServer) -> dict[str, str]:
    """The headers, to be sent to where the server's address leads. Raises Unreachable when they are not for it."""
    held = uow.secrets.sealed(ctx.tenant, SECRETS_OF, server.resource_uri)
    try:
        opened = BoundSecrets(ctx, SECRETS_OF, server.resource_uri).opened(held, server_digest(server.url))
    except BoundElsewhere:
        raise Unreachable(
            "The credentials were entered for another server than the address leads to, so they are not sent. "
            "Enter them again."
        ) from None
    found: dict[str, str] = orjson.loads(opened[_HEADERS]) if opened else {}
    return found
