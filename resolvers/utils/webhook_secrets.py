"""What is secret of a webhook: the keys that it signs with, the address of a chat, and the headers that it carries.

They stand sealed among the secrets, under a type that no grant names, so no operation on secrets reads them. Headers
are bound to the server that they were entered for: whoever may change the address of a webhook must not have a token
sent to a server of their own.
"""

import contextlib
from collections.abc import Sequence
from datetime import datetime
from typing import Final

import orjson

from persistence.keyring import SealBroken, secret_data
from persistence.store import UnitOfWork
from persistence.web_addresses import server_digest
from resolvers.bound_secrets import BoundSecrets
from resolvers.context import Context
from schema.errors import ValidationError
from schema.headers import check_header_names
from schema.utils.webhook import Webhook, WebhookChannel, WebhookHeader

SECRETS_OF: Final = "webhook"
"""The type under which they stand among the secrets."""
ADDRESS: Final = "address"
"""Under which name the address of a chat stands there."""
HEADERS: Final = "headers"
"""Under which name the headers stand there."""


def key_name(version: int) -> str:
    """Return under which name the keys of a version stand among the secrets."""
    return f"signing-{version}"


def seal(
    ctx: Context, uow: UnitOfWork, id: str, name: str, value: bytes, now: datetime, bound_to: str | None = None
) -> None:
    """Keep something secret of a webhook."""
    uow.secrets.hold()
    BoundSecrets(ctx, SECRETS_OF, id).keep(uow, name, value, bound_to, now)


def seal_anew(
    ctx: Context, uow: UnitOfWork, id: str, name: str, value: bytes | None, now: datetime, bound_to: str | None = None
) -> bool:
    """Keep something secret in the place of what stands, or nothing; whether it is not the same."""
    sealed = uow.secrets.sealed(ctx.tenant, SECRETS_OF, id).get(name)
    if sealed is None and value is None:
        return False
    place = secret_data(ctx.organization_id, SECRETS_OF, id, name, bound_to)
    if sealed is not None and sealed.bound_to == bound_to:
        with contextlib.suppress(SealBroken):
            if ctx.services.keyring.open(sealed.text, place) == value:
                return False
    uow.secrets.forget(ctx.tenant, SECRETS_OF, id, name)
    if value is not None:
        seal(ctx, uow, id, name, value, now, bound_to)
    return True


def packed(headers: Sequence[WebhookHeader]) -> bytes | None:
    """Headers as they are sealed; None for none."""
    return orjson.dumps({one.name: one.value for one in headers}) if headers else None


def check_headers(channel: WebhookChannel, headers: Sequence[WebhookHeader]) -> None:
    """Refuse headers that a request of this channel does not carry, or carries already."""
    if headers and channel is WebhookChannel.EMAIL:
        raise ValidationError("E-mail carries no headers of its own.", status=422, field="headers")
    check_header_names([one.name for one in headers], "headers")


def check_still_bound(webhook: Webhook, before: str, after: str) -> None:
    """Refuse another server for headers whose values are not given anew."""
    if webhook.header_names and server_digest(before) != server_digest(after):
        raise ValidationError(
            f"The headers {', '.join(webhook.header_names)} were entered for another server, and are not sent to this "
            "one. Give them anew, or leave them out by an empty list.",
            status=422,
            field="headers",
        )
