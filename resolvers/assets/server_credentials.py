"""What lets the platform in at a registered server: headers, sealed, and bound to the server they were entered for.

They stand among the secrets under a type that no grant names, so no operation on secrets reads them. Whoever may change
the address of a server must not have its token sent to a server of their own.
"""

import hashlib
from collections.abc import Mapping
from typing import Final
from urllib.parse import urlsplit

import orjson

from persistence.servers.reaching import Unreachable
from persistence.store import UnitOfWork
from persistence.webhook_sending import place_of
from resolvers.bound_secrets import BoundElsewhere, BoundSecrets
from resolvers.context import Context
from schema.assets.registered_server import RegisteredServer, ServerCredentials
from schema.errors import ValidationError
from schema.governance.secret import Secret
from schema.headers import is_our_own

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
    taken = {name.lower() for name in headers}
    for at, one in enumerate(credentials.headers):
        field = f"credentials.headers.{at}.name"
        if is_our_own(one.name):
            raise ValidationError(f"{one.name} is said by the platform itself.", status=422, field=field)
        if one.name.lower() in taken:
            raise ValidationError(f"{one.name} stands twice.", status=422, field=field)
        taken.add(one.name.lower())
        headers[one.name] = one.value
    return headers


def destination_of(url: str) -> str:
    """A digest of the server that an address leads to, which the headers are bound to."""
    host, port = place_of(url)
    return hashlib.sha256(f"{urlsplit(url).scheme}://{host}:{port}".encode()).hexdigest()


def keep_headers(ctx: Context, uow: UnitOfWork, server: RegisteredServer, headers: Mapping[str, str]) -> bool:
    """Keep headers in the place of what stands; whether they are not the same."""
    uri, target = server.resource_uri, destination_of(server.url)
    bound = BoundSecrets(ctx, SECRETS_OF, uri)
    values = {_HEADERS: orjson.dumps(headers)} if headers else {}
    if bound.hold(values, uow.secrets.sealed(ctx.tenant, SECRETS_OF, uri), target):
        return False
    uow.secrets.remove_all_of(ctx.tenant, SECRETS_OF, uri)
    for name, value in values.items():
        uow.secrets.hold()
        sealed, now, user = bound.sealed(name, value, target), ctx.now(), ctx.caller.user_id
        secret = Secret(
            name=name,
            description=None,
            resource_type=SECRETS_OF,
            resource_id=uri,
            created_at=now,
            updated_at=now,
            created_by=user,
            updated_by=user,
        )
        tenant = {"organization_id": ctx.organization_id, "project_id": server.project_id}
        uow.secrets.add(secret, **tenant, sealed=sealed.text, bound_to=sealed.bound_to)
    return True


def opened_headers(ctx: Context, uow: UnitOfWork, server: RegisteredServer) -> dict[str, str]:
    """The headers, to be sent to where the server's address leads. Raises Unreachable when they are not for it."""
    held = uow.secrets.sealed(ctx.tenant, SECRETS_OF, server.resource_uri)
    try:
        opened = BoundSecrets(ctx, SECRETS_OF, server.resource_uri).opened(held, destination_of(server.url))
    except BoundElsewhere:
        raise Unreachable(
            "The credentials were entered for another server than the address leads to, so they are not sent. "
            "Enter them again."
        ) from None
    found: dict[str, str] = orjson.loads(opened[_HEADERS]) if opened else {}
    return found
