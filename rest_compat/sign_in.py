"""How people sign in to the console: at the provider of OpenID Connect whose tokens this server accepts.

The console is a public client: it sends the browser to the provider by the authorization code flow with PKCE and takes
the code for an access token by itself. The server has no part in that but to name the provider, and to let the page ask
it: its content policy names the provider's origin.
"""

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from pydantic import BaseModel, Field

if TYPE_CHECKING:
    from rest_compat.settings import Settings


class SignInSettings(BaseModel):
    """Whether and how the console offers to sign in at the provider."""

    sign_in_client: str | None = Field(
        None,
        min_length=1,
        max_length=255,
        description="The client id under which the console is registered at STOA_ISSUER, as a public client with PKCE "
        "whose redirect address is that of /console. Unset: people bring a token.",
    )
    sign_in_scope: str = Field("openid", min_length=1, max_length=1000, description="The scopes that it asks for.")
    sign_in_resource: str | None = Field(
        None,
        max_length=1000,
        description="The resource that it asks a token for (RFC 8707), for providers that then put it into `aud`.",
    )
    sign_in_origins: str = Field(
        "",
        max_length=2000,
        description="Comma-separated origins of the provider that the console may ask beside the issuer's own, where "
        "its token endpoint stands elsewhere.",
    )


@dataclass(frozen=True)
class SignIn:
    """A provider at which people sign in.

    Attributes:
        issuer: Its issuer, under which its discovery document stands.
        client: The client id of the console.
        scope: The scopes to ask for, separated by blanks.
        resource: The resource to ask for; None leaves it out.
        origins: The origins that the page may ask, such as `https://login.example`.
    """

    issuer: str
    client: str
    scope: str
    resource: str | None
    origins: tuple[str, ...]

    def as_json(self) -> str:
        """Return what the page is told."""
        told = {"issuer": self.issuer, "client": self.client, "scope": self.scope, "resource": self.resource}
        return json.dumps(told)


def sign_in_of(settings: "Settings") -> SignIn | None:
    """The provider at which people sign in; None where they bring tokens. Raises ValueError for settings that clash."""
    if settings.sign_in_client is None:
        return None
    if settings.issuer is None or settings.realms:
        raise ValueError("STOA_SIGN_IN_CLIENT needs STOA_ISSUER, and one issuer: at which provider do people sign in?")
    named = [settings.issuer, *filter(None, map(str.strip, settings.sign_in_origins.split(",")))]
    return SignIn(
        settings.issuer,
        settings.sign_in_client,
        settings.sign_in_scope,
        settings.sign_in_resource,
        tuple(dict.fromkeys(map(_origin, named))),
    )


def _origin(address: str) -> str:
    """The scheme, host and port of an address. What a content policy would read as something else is refused."""
    parts = urlsplit(address)
    if parts.scheme not in ("http", "https") or not parts.netloc or set(parts.netloc) & set(" ;,'*@"):
        raise ValueError(f"{address} is no address of a provider: write it as https://login.example")
    return f"{parts.scheme}://{parts.netloc}"
