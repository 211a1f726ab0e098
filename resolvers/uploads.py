"""Calling an operation that takes an upload: who may not is refused before a byte is read, and nothing is left over."""

import asyncio
import logging
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import Any

from resolvers.context import Context
from resolvers.idempotency import once
from resolvers.operation import Operation
from schema.content import Sent, Upload

log = logging.getLogger("stoa.uploads")


@asynccontextmanager
async def settled(ctx: Context, uploads: list[Upload]) -> AsyncIterator[None]:
    """Afterwards every staged blob is one that a row names, or it is gone.

    A failure may come after the commit, and a request that was done before names the blob of the first one: so the
    rows are asked. When the request is cancelled its transaction may still be on its way, and the sweep decides.
    """
    try:
        yield
    except Exception:
        await asyncio.shield(discard(ctx, [upload.blob for upload in uploads]))
        raise
    await discard(ctx, [upload.blob for upload in uploads])


async def discard(ctx: Context, names: list[str]) -> None:
    """Remove those of the blobs that no row names. What fails here is swept later, and the answer stands."""
    if not names:
        return
    try:
        kept = await ctx.services.store.read(lambda uow: uow.kept_blobs(names))
        for name in names:
            if name not in kept:
                await ctx.services.blobs.remove(name)
    except Exception as error:
        log.warning("a blob could not be discarded: %s", type(error).__name__)


async def upload_once(
    op: Operation[..., Any],
    ctx: Context,
    key: str | None,
    arguments: Mapping[str, Any],
    sent: Sent,
) -> Any:
    """Authorize, keep the bytes, and call the operation once per idempotency key."""
    assert op.upload is not None
    await op.authorize(ctx, arguments)
    coming = await sent.opened()
    upload = await ctx.services.blobs.stage(
        ctx.organization_id, coming.chunks, file_name=coming.file_name, content_type=coming.content_type
    )
    async with settled(ctx, [upload]):
        return await once(op, ctx, key, {**arguments, op.upload.name: upload})
