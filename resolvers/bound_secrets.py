"""Secrets that are bound to where they may be sent: sealed for one destination, and opened for use at no other.

Who changes where a secret goes must be allowed to read it: that is what they could then do. So a secret of a resource
that has an address is sealed together with a digest of that address; a config that is changed by whatever way does not
open it for another one. A secret that stands by itself, such as one of a project, names its address itself, or is sent
where somebody who may read it has decided (`may_read_project_secrets`).
"""

import hmac
from collections.abc import Mapping
from contextlib import suppress
from datetime import datetime
from typing import Final

from auth.caller import Caller
from persistence.connectors.core.base import ConnectorError
from persistence.keyring import SealBroken, secret_data
from persistence.queries.secrets import Sealed
from persistence.store import UnitOfWork
from resolvers.context import Context
from schema.governance.permission import Permission
from schema.governance.secret import Secret

ENTER_AGAIN: Final = (
    "The stored credentials were removed, because somebody who may not read them changed where or how they are sent. "
    "Enter them again as credentials."
)
"""What stands in the place of credentials that were dropped."""


class BoundElsewhere(ConnectorError):
    """A secret that is bound to another destination than it was wanted for."""

    def __init__(self) -> None:
        super().__init__(
            "refused_address",
            "The stored credentials were entered for another address than the one that stands in the config, so they "
            "are not sent. Enter them again as credentials, or have somebody who may read them save the config.",
        )


class BoundSecrets:
    """The secrets of one resource."""

    def __init__(self, ctx: Context, resource_type: str, resource_id: str) -> None:
        self._ctx, self._type, self._id = ctx, resource_type, resource_id

    def sealed(self, name: str, value: bytes, destination: str | None) -> Sealed:
        """Seal a value for a destination; None for a secret of a resource that sends none by itself."""
        return Sealed(self._ctx.services.keyring.seal(value, self._data(name, destination)), destination)

    def keep(
        self,
        uow: UnitOfWork,
        name: str,
        value: bytes,
        destination: str | None,
        now: datetime,
        *,
        project_id: str | None = None,
    ) -> None:
        """Seal a value and add it to what is held, after `uow.secrets.hold()`."""
        sealed, user = self.sealed(name, value, destination), self._ctx.caller.user_id
        secret = Secret(
            name=name,
            description=None,
            resource_type=self._type,
            resource_id=self._id,
            created_at=now,
            updated_at=now,
            created_by=user,
            updated_by=user,
        )
        tenant = {"organization_id": self._ctx.organization_id, "project_id": project_id}
        uow.secrets.add(secret, **tenant, sealed=sealed.text, bound_to=sealed.bound_to)

    def read(self, name: str, sealed: Sealed) -> bytes:
        """The value, for somebody who has been allowed to read it. Raises SealBroken."""
        return self._ctx.services.keyring.open(sealed.text, self._data(name, sealed.bound_to))

    def opened(self, held: Mapping[str, Sealed], destination: str) -> dict[str, bytes]:
        """The values, to be sent to a destination. Raises BoundElsewhere when one of them is not for it."""
        if any(sealed.bound_to != destination for sealed in held.values()):
            raise BoundElsewhere
        return {name: self.read(name, sealed) for name, sealed in held.items()}

    def hold(self, values: Mapping[str, bytes], held: Mapping[str, Sealed], destination: str | None) -> bool:
        """Return whether what is held are these values for this destination. What no key opens is no value."""
        if values.keys() != held.keys() or any(sealed.bound_to != destination for sealed in held.values()):
            return False
        with suppress(SealBroken):
            return all(hmac.compare_digest(values[name], self.read(name, sealed)) for name, sealed in held.items())
        return False

    def bind(self, uow: UnitOfWork, destination: str, *, only_unbound: bool = False) -> None:
        """Bind the secrets to a destination, on behalf of somebody who may read them.

        `only_unbound` leaves those that are bound as they are: what an earlier version stored is bound to the address
        that stands when it is first used. What no key opens stays as it is, and is of no use to anybody.
        """
        for name, sealed in uow.secrets.sealed(self._ctx.tenant, self._type, self._id).items():
            if sealed.bound_to == destination or (only_unbound and sealed.bound_to is not None):
                continue
            uow.secrets.hold()
            with suppress(SealBroken):
                anew = self.sealed(name, self.read(name, sealed), destination)
                uow.secrets.seal_anew(self._ctx.tenant, self._type, self._id, name, anew)

    def _data(self, name: str, destination: str | None) -> bytes:
        return secret_data(self._ctx.organization_id, self._type, self._id, name, destination)


async def may_read_project_secrets(ctx: Context, *deciders: Caller | None) -> bool:
    """Return whether everybody who decides where a secret of the selected project goes may read it, at this moment.

    Somebody who is not known (None) may not.
    """
    for decider in deciders:
        if decider is None or not await ctx.guard.allows(
            decider, Permission.CAN_READ_SECRETS, "project", ctx.project_id
        ):
            return False
    return True
