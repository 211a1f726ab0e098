"""The GraphQL door: turn an operation into a field."""

import inspect
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import aclosing
from functools import partial
from typing import Annotated, Any, Final, cast, get_args

import strawberry
from strawberry.file_uploads import Upload as GraphUpload

from resolvers.chosen import choose
from resolvers.idempotency import once
from resolvers.operation import Operation
from resolvers.uploads import upload_once
from schema.base import Info
from schema.connections import Lister, filters_of, is_list, item_of
from schema.content import Sent, Upload
from schema.descriptions import described_argument
from schema.errors import InvalidFormat
from schema.governance.permission import Done
from schema.node import key_named, names_resource
from schema.pagination import Connection
from schema.plan import read_in
from schema.typed import Typed, as_texts, texts_of, with_typed
from schema.windows import Window

NUMBERED: Final = (
    "Since 2026-11-27: the field of this name that ends in Connection takes the same filters, and has cursors. "
    "This one stays."
)
"""Why a list with numbered pages is deprecated, and since when."""


def opens(op: Operation[..., Any]) -> Any:
    """Offer an operation as a field with the same arguments, bounds and description."""
    texts = texts_of(op.parameters)

    async def resolve(info: Info, **values: Any) -> Any:
        key = info.context.idempotency_key
        if key and info.context.operations_called > 1:  # several writes under the one key that came with the request
            key = f"{key}#{info.path.key}"
        arguments = op.checked(_received(texts, values))
        if op.upload is None:
            forget = choose(op, partial(read_in, info._raw_info))
            try:
                answer = await once(op, info.context, key, arguments)
            finally:
                forget()
            # What a deletion is about is named by its last argument; one that is repeated under its key tells it too.
            is_deletion = isinstance(answer, Done) and op.name.startswith("delete_")
            return answer.of_deleted(arguments[op.parameters[-1].name]) if is_deletion else answer
        return await _uploaded(op, info.context, key, arguments)

    return strawberry.field(
        resolver=_signed(resolve, op.name, op.parameters, op.returns),
        description=op.summary,
        deprecation_reason=NUMBERED if is_list(op) else None,
        metadata={"operation": op},
    )


async def _uploaded(op: Operation[..., Any], ctx: Any, key: str | None, arguments: dict[str, Any]) -> Any:
    """Call an operation with the file that came with the request."""
    assert op.upload is not None
    sent = arguments.pop(op.upload.name)
    if not isinstance(sent, Sent):
        raise InvalidFormat(
            "A file comes as a part of a form: see the GraphQL multipart request specification.", field=op.upload.name
        )
    return await upload_once(op, ctx, key, arguments, sent)


def connects(op: Operation[..., Any]) -> Any:
    """Offer a list operation by cursors, beside the field with its numbered pages: same filters, permission, charge."""
    lister, texts = Lister(op), texts_of(op.parameters)

    async def resolve(info: Info, **values: Any) -> Connection[Any]:
        return await lister(info.context, _received(texts, values))

    bounds = [
        inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, annotation=field.rebuild_annotation(), default=None)
        for name, field in Window.model_fields.items()
    ]
    summary = f"{op.summary.partition(chr(10))[0].rstrip('.')}, by cursors: 20 unless `first` or `last` says otherwise."
    return strawberry.field(
        resolver=_signed(resolve, op.name, [*bounds, *filters_of(op)], Connection[item_of(op)]),  # type: ignore[misc]
        description=summary,
        metadata={"connects": op, "charges": op.kind},
    )


def follows(op: Operation[..., Any]) -> Any:
    """Offer an operation that answers with a stream of events as a subscription."""
    (event,), texts = get_args(op.returns), texts_of(op.parameters)

    async def resolve(info: Info, **values: Any) -> AsyncIterator[Any]:
        async with aclosing(await op(info.context, **op.checked(_received(texts, values)))) as events:
            async for item in events:
                yield item

    return strawberry.subscription(
        resolver=_signed(resolve, op.name, op.parameters, cast("Any", AsyncIterator)[event]),
        description=op.summary,
        metadata={"operation": op},
    )


def _received(texts: Sequence[tuple[inspect.Parameter, Typed]], values: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments as the operation takes them: the key of a resource where its global id was sent, and texts."""
    keyed = {name: key_named(value) if names_resource(name) else value for name, value in values.items()}
    return as_texts(texts, keyed)


def _signed(
    resolve: Callable[..., Any], name: str, parameters: Sequence[inspect.Parameter], returns: Any
) -> Callable[..., Any]:
    """Give a resolver a name and a signature, which is what the graph shows."""
    info = inspect.Parameter("info", inspect.Parameter.POSITIONAL_OR_KEYWORD, annotation=strawberry.Info)
    shown = [info, *(p.replace(annotation=_argument(p, typed)) for p, typed in with_typed(parameters))]
    resolve.__name__ = name
    resolve.__annotations__ = {p.name: p.annotation for p in shown} | {"return": returns}
    setattr(resolve, "__signature__", inspect.Signature(shown, return_annotation=returns))  # noqa: B010 (mypy refuses the plain assignment)
    return resolve


def _argument(parameter: inspect.Parameter, typed: Typed | None) -> Any:
    """The type of an argument in the graph, with what front ends read about it; `typed` is what to use instead."""
    annotation = GraphUpload if parameter.annotation is Upload else parameter.annotation
    text = described_argument(parameter.name, parameter.annotation)
    if parameter.annotation is Upload:
        text = "The bytes: a part of the form, as the GraphQL multipart request specification has it."
    reason = None if typed is None else typed.reason
    return Annotated[annotation, strawberry.argument(description=text, deprecation_reason=reason)]
