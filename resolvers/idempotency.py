"""Doing a write once, however often it is sent (`Idempotency-Key`, after the IETF draft of that name).

The first request claims its key, does the work and keeps the answer; the same request again gets that answer, another
one under the same key is a 409. A claim goes through three states: `running`, `committed` from the first transaction of
the work on (set inside that very transaction), and `done` with the answer. So a process that is killed loses nothing
and does nothing twice: before the first commit the next request takes the claim over, after it nobody does.

A request that fails before it has changed anything gives the key back. Keys are forgotten after a day.
"""

import asyncio
import contextlib
import hashlib
import re
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from datetime import timedelta
from typing import Any
from uuid import uuid4

import orjson
from pydantic import TypeAdapter

from auth.rate_limit import CallKind
from persistence.keyring import SealBroken, associated_data
from persistence.queries.idempotency import IdempotencyKey, KeyClaim
from persistence.store import UnitOfWork
from resolvers.context import Context
from resolvers.operation import Operation
from schema.errors import AlreadyExists, ApiError, InvalidParameter, ValidationError, VersionConflict

LONGEST_KEY = 255
KEY_PATTERN = rf"^[!-~]([ -~]{{0,{LONGEST_KEY - 2}}}[!-~])?$"
"""What travels unchanged in an HTTP header."""
KEPT = timedelta(days=1)
LEASE = timedelta(seconds=20)
"""After so long a claim that nobody has renewed is taken for that of a process that died."""
PATIENCE = 30.0
"""How many seconds a request waits for the first of its kind before it is told to come back."""


class StoredFailure(ApiError):
    """The failure that the first request ended with, told again."""

    def __init__(self, code: str, status: int, message: str, details: Mapping[str, Any]) -> None:
        super().__init__(message, status=status, **details)
        self.code = code  # type: ignore[misc]  # the code of the failure that was kept


async def once(op: Operation[..., Any], ctx: Context, key: str | None, arguments: Mapping[str, Any]) -> Any:
    """Call the operation, or answer as the first call under this key did.

    Reads, and calls without a key, are simply made. Raises RESOURCE_ALREADY_EXISTS when the key stands for another
    request, VERSION_CONFLICT when the first one is still at work, so that a retry helps, and VALIDATION_ERROR (422)
    when none does: it was cut off after it had changed something, or what it was answered can no longer be read.
    """
    if key is None or op.kind is CallKind.READ:
        return await op(ctx, **arguments)
    if re.fullmatch(KEY_PATTERN, key) is None:
        raise InvalidParameter(
            f"Idempotency-Key takes 1 to {LONGEST_KEY} printable ASCII characters, and no space at either end.",
            field="Idempotency-Key",
        )
    claim = _Claim(op, ctx, key, _fingerprint(op, ctx, arguments))
    kept = await claim.taken()
    if kept is not None:
        return kept.told(op)
    try:
        async with claim.renewed():
            value = await op(ctx.guarded(claim.committing), **arguments)
    except BaseException as failure:
        await asyncio.shield(claim.failed(failure))
        raise
    await claim.done(_Answer.of(op, value))
    return value


class _Answer:
    """Describes what the first request answered, as it is kept."""

    def __init__(self, kept: dict[str, Any]) -> None:
        self._kept = kept

    @classmethod
    def of(cls, op: Operation[..., Any], value: Any) -> "_Answer":
        return cls(
            {
                "value": orjson.loads(TypeAdapter(op.returns).dump_json(value)),
                "revision": getattr(value, "_revision", None),
                "created": getattr(value, "_created", False),
            }
        )

    @classmethod
    def failure(cls, error: ApiError) -> "_Answer":
        told = {"code": error.code, "status": error.status, "message": error.message, "details": error.details}
        return cls({"failure": told})

    def told(self, op: Operation[..., Any]) -> Any:
        """The value again, or the failure raised again."""
        if "failure" in self._kept:
            raise StoredFailure(**self._kept["failure"])
        value = TypeAdapter(op.returns).validate_json(orjson.dumps(self._kept["value"]))
        if self._kept["revision"] is not None:
            value._revision = self._kept["revision"]
        if self._kept["created"]:
            value._created = True
        return value

    def bytes(self) -> bytes:
        return orjson.dumps(self._kept, default=str)


class _Claim:
    """One request's hold on a key."""

    def __init__(self, op: Operation[..., Any], ctx: Context, key: str, fingerprint: bytes) -> None:
        self._op, self._ctx, self._fingerprint = op, ctx, fingerprint
        self._owner = str(uuid4())
        self._key = IdempotencyKey(ctx.organization_id, ctx.caller.principal, key)
        self._bound = associated_data("idempotency", ctx.organization_id, ctx.caller.principal, key)
        self._known: bytes | None = None

    @asynccontextmanager
    async def renewed(self) -> AsyncIterator[None]:
        """Meanwhile the claim does not run out, so that a short lease is enough to tell who has died."""

        async def renewing() -> None:
            while True:
                await asyncio.sleep(LEASE.total_seconds() / 4)
                with contextlib.suppress(ApiError):  # a store that cannot answer now may do so the next time
                    await self._ctx.services.store.write(self._renew)

        task = asyncio.create_task(renewing())
        try:
            yield
        finally:
            task.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await task

    async def taken(self) -> _Answer | None:
        """None when the key is ours now; the kept answer when it was another's and they are done."""
        waited = 0.0
        while True:
            row = await self._ctx.services.store.write(self._try)
            if row is None:
                return None
            if self._open(row.fingerprint) != self._fingerprint:
                raise AlreadyExists(
                    "This Idempotency-Key was used for another request. Choose a new key for a new request.",
                    field="Idempotency-Key",
                )
            if row.state == "done":
                assert row.answer is not None  # which is written with the state
                return _Answer(orjson.loads(self._open(row.answer)))
            if row.state == "committed" and row.claimed_at + LEASE < self._ctx.now():
                if row.answer is not None:  # the transaction of the work said what it would be answered with
                    return _Answer(orjson.loads(self._open(row.answer)))
                raise ValidationError(
                    "The first request under this key was carried out, but it was cut off before its answer was kept. "
                    "Read the resource to see what stands.",
                    status=422,
                    field="Idempotency-Key",
                )
            if waited >= PATIENCE:
                raise VersionConflict(
                    "The first request under this key is still being carried out. Retry in a moment.",
                    field="Idempotency-Key",
                )
            await asyncio.sleep(0.05)
            waited += 0.05

    def _renew(self, uow: UnitOfWork) -> None:
        uow.idempotency.renew(self._key, self._owner, self._ctx.now())

    def _try(self, uow: UnitOfWork) -> KeyClaim | None:
        """Claim the key in one transaction; the claim that stands in the way, if one does."""
        now, keys = self._ctx.now(), uow.idempotency
        keys.forget_expired(now)
        claim = keys.held(self._key)
        if claim is None:
            fingerprint = self._seal(self._fingerprint)
            is_ours = keys.claim(
                self._key,
                operation=self._op.name,
                fingerprint=fingerprint,
                owner=self._owner,
                now=now,
                until=now + KEPT,
            )
            return None if is_ours else keys.standing(self._key)
        dead = claim.state == "running" and claim.claimed_at + LEASE < now
        if dead and self._open(claim.fingerprint) == self._fingerprint:
            keys.take_over(self._key, owner=self._owner, now=now, until=now + KEPT)
            return None
        return claim

    def committing(self, uow: UnitOfWork, value: Any) -> None:
        """End a transaction of the work: mark that it has changed something, and keep the answer if it is known by now.

        Raises when the claim is lost.
        """
        self._known = _Answer.of(self._op, value).bytes() if _answers(self._op, value) else None
        sealed = None if self._known is None else self._seal(self._known)
        if not uow.idempotency.commit(self._key, self._owner, sealed):
            raise VersionConflict(
                "Another request under this Idempotency-Key took over. Retry to get its answer.",
                field="Idempotency-Key",
            )

    async def failed(self, failure: BaseException) -> None:
        """Give the key back when nothing was changed; else keep the failure as the answer."""

        def work(uow: UnitOfWork) -> bool:
            return uow.idempotency.free(self._key, self._owner)

        if not await self._ctx.services.store.write(work) and isinstance(failure, ApiError):
            await self.done(_Answer.failure(failure))

    async def done(self, answer: _Answer) -> None:
        """Keep the answer."""
        told = answer.bytes()
        sealed = {} if told == self._known else {"answer": self._seal(told)}
        await self._ctx.services.store.write(lambda uow: uow.idempotency.keep(self._key, self._owner, **sealed))

    def _seal(self, plain: bytes) -> str:
        return self._ctx.services.keyring.seal(plain, self._bound)

    def _open(self, sealed: str) -> bytes:
        try:
            return self._ctx.services.keyring.open(sealed, self._bound)
        except SealBroken:
            raise ValidationError(
                "What was kept under this Idempotency-Key can no longer be read. Read the resource to see what stands, "
                "and choose a new key for another change.",
                status=422,
                field="Idempotency-Key",
            ) from None


def _answers(op: Operation[..., Any], value: Any) -> bool:
    """Return whether a value that a transaction answered with is one that the operation could answer with."""
    kind = op.returns
    return isinstance(kind, type) and isinstance(value, kind)


def _fingerprint(op: Operation[..., Any], ctx: Context, arguments: Mapping[str, Any]) -> bytes:
    """Return what makes two requests the same: the operation, the project, every argument, and what `If-Match`
    named.
    """
    plain = {name: _plain(value) for name, value in arguments.items()}
    text = orjson.dumps(
        [op.name, ctx.caller.project_id, _sorted(ctx.expected_revision), plain],
        option=orjson.OPT_SORT_KEYS,
        default=str,
    )
    return hashlib.sha256(text).digest()


def _sorted(revisions: frozenset[int] | None) -> list[int] | None:
    return None if revisions is None else sorted(revisions)


def _plain(value: Any) -> Any:
    if hasattr(value, "blob"):  # an upload is the same when its bytes are, wherever they were put
        return [value.size, value.sha256, value.file_name, value.content_type]
    return TypeAdapter(Any).dump_python(value, mode="json", exclude_defaults=True)
