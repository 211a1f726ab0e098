"""Writing the audit log: what calls change goes into it in the transaction that changes it, what is refused at once.

A call is written once, whatever number of transactions it takes: with the first of them that stands. What changes
nothing in the store, such as reading a secret, is written before it is answered.
"""

import logging
from collections.abc import Mapping
from enum import Enum
from typing import TYPE_CHECKING, Any, Final, get_origin
from uuid import uuid4

from pydantic import BaseModel
from pydantic_core import to_jsonable_python

from persistence.store import UnitOfWork
from resolvers.context import Context
from schema.base import Change, Maybe, Resource
from schema.errors import ApiError
from schema.governance.audit import AuditOutcome

if TYPE_CHECKING:
    from resolvers.operation import Operation

log = logging.getLogger("stoa.audit")

LONGEST: Final = 255
"""Letters that are kept of a name or an id."""
MOST_FIELDS: Final = 100
MOST_NAMES: Final = 20
"""Of a list of names or ids that a call was made with."""
_WINDOW: Final = ("page", "limit")
"""Which part of a list was asked for says nothing of what was done."""
_NAMED_BY: Final = ("id", "resource_uri", "name")


class Audited:
    """One call that is allowed, and its entry."""

    def __init__(self, op: "Operation[..., Any]", ctx: Context, arguments: Mapping[str, Any]) -> None:
        self._op, self._ctx, self._arguments = op, ctx, arguments
        self._id = str(uuid4())
        self._tried = False

    async def run(self, *args: Any) -> Any:
        """Call the operation; its entry stands as soon as something that it changes does, or else with its answer."""
        ctx = self._ctx.guarded(self.end)
        ctx.audited = True
        value = await self._op.run(ctx, *args, **self._arguments)
        if not self._tried:
            await self._ctx.services.store.write(lambda uow: self.end(uow, value))
        return value

    def end(self, uow: UnitOfWork, value: Any) -> None:
        """End a transaction with the entry, unless one before has done so and stands."""
        op, ctx, arguments = self._op, self._ctx, self._arguments
        if self._tried and uow.audit.holds(ctx.organization_id, self._id):
            return
        self._tried = True
        entry = _entry(self._id, op.name, ctx, op.checked_on(ctx, arguments), AuditOutcome.ALLOWED)
        entry |= {
            "result_id": _result(value),
            "arguments": names_in(op, arguments),
            "changed_fields": _given(_body(op, arguments)),
        }
        uow.audit.append(ctx.organization_id, entry)


async def write_refusal(
    operation: str, ctx: Context, on: tuple[str, str], error: ApiError, names: Mapping[str, Any]
) -> None:
    """Write down that somebody was not allowed to do something. The refusal stands even where that fails."""
    key = (ctx.organization_id, ctx.caller.user_id, operation, *on, error.code)
    if not ctx.organization_id or not ctx.services.refusals.is_new(key, ctx.now().timestamp()):
        return
    entry = _entry(str(uuid4()), operation, ctx, on, AuditOutcome.REFUSED)
    entry |= {"error_code": error.code, "arguments": names}
    try:
        await ctx.services.store.write(lambda uow: uow.audit.append(ctx.organization_id, entry))
    except Exception:
        log.exception("a refusal could not be written into the audit log")


def told_outcome(
    operation: str, ctx: Context, on: tuple[str, str], result_id: str, names: Mapping[str, Any]
) -> dict[str, Any]:
    """A second entry of a call that asks somebody else, for the transaction that writes down what became of it."""
    told = {name: _short(value) for name, value in names.items()}
    return _entry(str(uuid4()), operation, ctx, on, AuditOutcome.ALLOWED) | {"result_id": result_id, "arguments": told}


def names_in(op: "Operation[..., Any]", arguments: Mapping[str, Any]) -> dict[str, Any]:
    """The names, ids and switches that a call is made with, and those of a body that is made of nothing else."""
    return _named(op, arguments) | _told(_body(op, arguments))


def _entry(id: str, operation: str, ctx: Context, on: tuple[str, str] | None, outcome: AuditOutcome) -> dict[str, Any]:
    """Return what an entry says of any call. What was done, and what it was done with, is added where it is known."""
    return {
        "id": id,
        "project_id": _name(ctx.caller.project_id),
        "occurred_at": ctx.now(),
        "user_id": _name(ctx.caller.user_id, 1000),
        "client_id": _name(ctx.caller.client_id),
        "door": ctx.door.value,
        "operation": operation,
        "outcome": outcome.value,
        "error_code": None,
        "object_type": None if on is None else on[0],
        "object_id": None if on is None else _name(on[1]),
        "result_id": None,
        "arguments": {},
        "changed_fields": [],
        "request_id": _name(ctx.request_id),
    }


def _body(op: "Operation[..., Any]", arguments: Mapping[str, Any]) -> Any:
    return arguments.get(op.body.name) if op.body else None


def _named(op: "Operation[..., Any]", arguments: Mapping[str, Any]) -> dict[str, Any]:
    """The plain arguments of a call. Those of calls that change something are names, ids and switches."""
    found = {parameter.name: arguments.get(parameter.name) for parameter in op.plain if parameter.name not in _WINDOW}
    return {name: _short(value) for name, value in found.items() if value is not None}


def _told(body: Any) -> dict[str, Any]:
    """The values of a body that is made of names alone; nothing of any other one."""
    if not isinstance(body, Change) or not body.names_only:
        return {}
    return {name: _short(value) for name, value in body if value is not None}


def _given(body: Any) -> list[str]:
    """The fields that a body, or the bodies of a list, gave a value to; never the values."""
    bodies = [one for one in (body if isinstance(body, list) else [body]) if isinstance(one, BaseModel)]
    given = {name for one in bodies for name in one.model_fields_set if not _as_left_out(one, name)}
    return sorted(given)[:MOST_FIELDS]


def _as_left_out(body: BaseModel, name: str) -> bool:
    """Return whether a field has the value that it has where it is left out, as the graph sends some; null may say
    more.
    """
    field, value = type(body).model_fields[name], getattr(body, name)
    if get_origin(field.annotation) is Maybe:
        return False
    if field.default_factory is not None:
        return value is not None and bool(value == field.get_default(call_default_factory=True, validated_data={}))
    return not field.is_required() and bool(value == field.default)


def _short(value: Any) -> Any:
    if isinstance(value, Enum):
        value = value.value
    if isinstance(value, bool | int):
        return value
    if isinstance(value, list | tuple | set | frozenset):
        return [_short(one) for one in list(value)[:MOST_NAMES]]
    return _name(value if isinstance(value, str) else str(to_jsonable_python(value)))


def _result(value: Any) -> str | None:
    """The id, or else the name, of what a call answered with, or of the one thing that its answer holds."""
    if not isinstance(value, Resource):
        return None
    for name in _NAMED_BY:
        if isinstance(found := getattr(value, name, None), str):
            return _name(found)
    within = [part for _, part in value if isinstance(part, Resource)]
    return _result(within[0]) if len(within) == 1 else None


def _name(text: str | None, longest: int = LONGEST) -> str | None:
    """A name as both stores can keep it: no longer than so many letters, and nothing that is no letter of Unicode."""
    if text is None:
        return None
    return text[:longest].encode("utf-8", "replace").decode().replace("\0", "�")
