"""The GraphQL door: turn an operation into a field."""

import inspect
from typing import Any

import strawberry

from resolvers.operation import Operation
from schema.base import Info
from schema.problems import require_text


def opens(op: Operation[..., Any]) -> Any:
    """Offer an operation as a field with the same arguments, bounds and description."""

    async def resolve(info: Info, **values: Any) -> Any:
        require_text(values)
        return await op(info.context, **op.checked(values))

    info = inspect.Parameter("info", inspect.Parameter.POSITIONAL_OR_KEYWORD, annotation=strawberry.Info)
    resolve.__name__ = op.name
    resolve.__annotations__ = {p.name: p.annotation for p in (info, *op.parameters)} | {"return": op.returns}
    signature = inspect.Signature([info, *op.parameters], return_annotation=op.returns)
    setattr(resolve, "__signature__", signature)  # noqa: B010 (mypy refuses the plain assignment)
    return strawberry.field(resolver=resolve, description=op.summary, metadata={"operation": op})
