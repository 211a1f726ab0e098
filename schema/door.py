"""The GraphQL door: turn an operation into a field."""

import inspect
from collections.abc import AsyncIterator, Callable
from typing import Any, cast, get_args

import strawberry
from strawberry.file_uploads import Upload as GraphUpload

from resolvers.idempotency import once
from resolvers.operation import Operation
from schema.base import Info
from schema.content import Upload
from schema.problems import require_text


def opens(op: Operation[..., Any]) -> Any:
    """Offer an operation as a field with the same arguments, bounds and description."""

    async def resolve(info: Info, **values: Any) -> Any:
        require_text(values)
        key = info.context.idempotency_key
        if key and info.context.operations_called > 1:  # several writes under the one key that came with the request
            key = f"{key}#{info.path.key}"
        return await once(op, info.context, key, op.checked(values))

    return strawberry.field(
        resolver=_signed(resolve, op, op.returns), description=op.summary, metadata={"operation": op}
    )


def follows(op: Operation[..., Any]) -> Any:
    """Offer an operation that answers with a stream of events as a subscription."""
    (event,) = get_args(op.returns)

    async def resolve(info: Info, **values: Any) -> AsyncIterator[Any]:
        require_text(values)
        async for item in await op(info.context, **op.checked(values)):
            yield item

    return strawberry.subscription(
        resolver=_signed(resolve, op, cast("Any", AsyncIterator)[event]),
        description=op.summary,
        metadata={"operation": op},
    )


def _signed(resolve: Callable[..., Any], op: Operation[..., Any], returns: Any) -> Callable[..., Any]:
    """Give a resolver the operation's name and signature, which is what the graph shows."""
    info = inspect.Parameter("info", inspect.Parameter.POSITIONAL_OR_KEYWORD, annotation=strawberry.Info)
    shown = [info, *(p.replace(annotation=GraphUpload) if p.annotation is Upload else p for p in op.parameters)]
    resolve.__name__ = op.name
    resolve.__annotations__ = {p.name: p.annotation for p in shown} | {"return": returns}
    setattr(resolve, "__signature__", inspect.Signature(shown, return_annotation=returns))  # noqa: B010 (mypy refuses the plain assignment)
    return resolve
