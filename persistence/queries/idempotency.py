"""Keys of idempotency: which request claims one, and what it was answered with. Texts are sealed by the caller."""

from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any, NamedTuple, TypeVar

import sqlalchemy as sa

from persistence.tables.idempotency import idempotency_keys as table

StatementT = TypeVar("StatementT", sa.Update, sa.Delete)


@dataclass(frozen=True, slots=True)
class IdempotencyKey:
    """A key of a principal of an organization."""

    organization_id: str
    principal: str
    key: str


class KeyClaim(NamedTuple):
    """A claim as it stands: which request has the key, and how far it has come."""

    fingerprint: str
    state: str
    claimed_at: datetime
    answer: str | None


class IdempotencyRepository:
    """Claims of keys. A change names the owner of the claim, whose it is no longer once another has taken over."""

    def __init__(self, connection: sa.Connection) -> None:
        self._connection = connection

    def forget_expired(self, now: datetime) -> None:
        """Delete the claims of all tenants whose time is over."""
        self._connection.execute(table.delete().where(table.c.expires_at < now))

    def held(self, key: IdempotencyKey) -> KeyClaim | None:
        """The claim of a key, which nobody else changes until this transaction ends; None when it is free."""
        row = self._connection.execute(self._select(key).with_for_update()).one_or_none()
        return None if row is None else KeyClaim(*row)

    def standing(self, key: IdempotencyKey) -> KeyClaim:
        """The claim of a key that is claimed."""
        return KeyClaim(*self._connection.execute(self._select(key)).one())

    def claim(
        self, key: IdempotencyKey, *, operation: str, fingerprint: str, owner: str, now: datetime, until: datetime
    ) -> bool:
        """Claim a free key; False when another request has claimed it in this moment."""
        values = {"operation": operation, "fingerprint": fingerprint, **_begun(owner, now, until)}
        with self._connection.begin_nested() as attempt:
            try:
                self._connection.execute(table.insert().values(**asdict(key), **values))
            except sa.exc.IntegrityError:
                attempt.rollback()
                return False
        return True

    def take_over(self, key: IdempotencyKey, *, owner: str, now: datetime, until: datetime) -> None:
        """Claim a key whose owner has died."""
        self._connection.execute(table.update().where(*_is(key)).values(**_begun(owner, now, until)))

    def renew(self, key: IdempotencyKey, owner: str, now: datetime) -> None:
        """Let a claim begin now."""
        self._connection.execute(_own(table.update(), key, owner).values(claimed_at=now))

    def commit(self, key: IdempotencyKey, owner: str, answer: str | None) -> bool:
        """Mark that the request has changed something, with its answer if it is known; False when the claim is lost."""
        here = _own(table.update(), key, owner).where(table.c.state.in_(("running", "committed")))
        return bool(self._connection.execute(here.values(state="committed", answer=answer)).rowcount)

    def free(self, key: IdempotencyKey, owner: str) -> bool:
        """Give back a key of which nothing was changed; whether that was so."""
        free = _own(table.delete(), key, owner).where(table.c.state == "running")
        return bool(self._connection.execute(free).rowcount)

    def keep(self, key: IdempotencyKey, owner: str, **answer: str) -> None:
        """Mark that the request is done, with its `answer` unless that is kept already."""
        self._connection.execute(_own(table.update(), key, owner).values(state="done", **answer))

    @staticmethod
    def _select(key: IdempotencyKey) -> sa.Select[Any]:
        return sa.select(*(table.c[name] for name in KeyClaim._fields)).where(*_is(key))


def _is(key: IdempotencyKey) -> list[sa.ColumnElement[bool]]:
    return [table.c[name] == value for name, value in asdict(key).items()]


def _own(statement: StatementT, key: IdempotencyKey, owner: str) -> StatementT:
    return statement.where(*_is(key), table.c.owner == owner)


def _begun(owner: str, now: datetime, until: datetime) -> dict[str, Any]:
    return {"owner": owner, "state": "running", "claimed_at": now, "expires_at": until}
