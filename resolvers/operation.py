"""An operation is one thing the platform can do, written once and opened through several doors."""

import inspect
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import replace
from types import NoneType, UnionType
from typing import Annotated, Any, Concatenate, Final, Generic, ParamSpec, TypeVar, get_args, get_origin, get_type_hints

from pydantic import BaseModel, ConfigDict, TypeAdapter, create_model
from pydantic import ValidationError as PydanticError

from auth.caller import READ_SCOPE, WRITE_SCOPE
from auth.rate_limit import CallKind
from auth.seen import Outdated, Seen
from resolvers.audit import Audited, names_in, write_refusal
from resolvers.context import Context
from schema.base import Change, Received
from schema.content import Upload
from schema.errors import ApiError, Forbidden, InsufficientScope, NotFound, OrgAccessDenied, ProjectAccessDenied
from schema.governance.permission import Permission
from schema.numbers import require_finite
from schema.problems import refused_body, refused_parameters

P = ParamSpec("P")
R = TypeVar("R")


MOST_LETTERS: Final = 4096
"""Of a parameter that says nothing of its own length."""


class Parameters(Received):
    """The plain arguments of an operation: unknown ones are refused."""

    model_config = ConfigDict(extra="forbid", str_max_length=MOST_LETTERS, allow_inf_nan=False)


class OwnView:
    """The requirement of an operation that shows a caller what is their and filters every row itself.

    Any caller with a valid token passes; used where the answer is by definition limited to what they may read.
    """

    def __repr__(self) -> str:
        return "own_view"


OWN_VIEW: Final = OwnView()
Need = Permission | OwnView
Target = str | Callable[[Context, Mapping[str, Any]], tuple[str, str]]


class Operation(Generic[P, R]):
    """A typed function of the request context, with the permission it needs and the object it is checked on.

    `on` is "project" (the selected one), "organization" (the caller's), a template of `type:{argument}` such as
    "data_connection:{resource_uri}" or "{grant.resource_type}:{grant.resource_id}", or a function that names both.

    `catalog_only` says that the answer is made of the arguments and the selected project's catalog and of nothing else:
    all who may call it are answered alike, and a door may give an answer again while the catalog stands unchanged
    (`answer_cache.py`). It either reads with a statement that tells what relations and catalog are at (`Context.told`),
    or looks first (`Context.look_first`). It changes nothing, for it may begin before it is sure that the caller may.

    Calls that may change something go into the audit log when they are allowed (`audit.py`), and so do those of an
    operation that `tells_secrets`.
    """

    def __init__(
        self,
        run: Callable[Concatenate[Context, P], Awaitable[R]],
        needs: Need,
        on: Target,
        kind: CallKind,
        catalog_only: bool = False,
        tells_secrets: bool = False,
    ) -> None:
        hints = get_type_hints(run, include_extras=True)
        declared = list(inspect.signature(run).parameters.values())[1:]
        self.run, self.needs, self.on, self.kind, self.catalog_only = run, needs, on, kind, catalog_only
        self.audited = tells_secrets or kind is not CallKind.READ
        self.name, self.summary = run.__name__, inspect.getdoc(run) or ""
        self.returns: Any = hints["return"]
        self.parameters = [p.replace(annotation=hints[p.name], kind=p.KEYWORD_ONLY) for p in declared]
        bodies = [p for p in self.parameters if is_body(p.annotation)]
        if len(bodies) > 1:
            raise TypeError(f"{self.name} takes {len(bodies)} bodies; an operation takes one at most")
        self.body = bodies[0] if bodies else None
        self.body_type: TypeAdapter[Any] | None = TypeAdapter(self.body.annotation) if self.body else None
        self.upload = next((p for p in self.parameters if p.annotation is Upload), None)
        self.plain = [p for p in self.parameters if p is not self.body and p is not self.upload]
        self.arguments: type[BaseModel] = _model(self.name, self.plain)

    async def __call__(self, ctx: Context, /, *args: P.args, **kwargs: P.kwargs) -> R:
        try:
            await self.authorize(ctx, kwargs)
        except Outdated:
            await self._admitted_anew(ctx, kwargs)
        unsure = ctx.guard.unsure
        ctx.guard.admitted()
        if self.catalog_only:
            ctx.called.append((self, kwargs))
            if unsure is not None:
                return await self._run_unsure(ctx, unsure, *args, **kwargs)
        elif unsure is not None and not await unsure.confirmed():
            await self._admitted_anew(ctx, kwargs)
        if ctx.audited or not self.audited:
            return await self.run(ctx, *args, **kwargs)
        value: R = await Audited(self, ctx, kwargs).run(*args)
        return value

    async def _run_unsure(self, ctx: Context, unsure: Seen, /, *args: P.args, **kwargs: P.kwargs) -> R:
        """Read while it is not sure yet that the caller may; what was read, or went wrong, is told once it is."""
        try:
            value = await self.run(ctx, *args, **kwargs)
        except Exception:
            if await unsure.confirmed():
                raise
        else:
            if await unsure.confirmed():
                return value
        await self._admitted_anew(ctx, kwargs)
        return await self.run(ctx, *args, **kwargs)

    async def _admitted_anew(self, ctx: Context, arguments: Mapping[str, Any]) -> None:
        """Ask everything again that relations decide, of how they are now."""
        await ctx.admit_anew()
        await self.authorize(ctx, arguments)

    async def authorize(self, ctx: Context, arguments: Mapping[str, Any]) -> None:
        """Raise unless the caller may. Another tenant's object is answered like one that does not exist."""
        beyond = ctx.caller.reads_only and self.kind is not CallKind.READ
        if isinstance(self.needs, OwnView):
            if beyond:
                raise InsufficientScope(READ_SCOPE, WRITE_SCOPE)
            return
        on = self.target(ctx, arguments)
        try:
            if beyond:
                raise InsufficientScope(READ_SCOPE, WRITE_SCOPE)
            await require(ctx, self.needs, *on)
        except ApiError as refused:
            if refused.status == 403:
                await write_refusal(self.name, ctx, on, refused, names_in(self, arguments))
            raise

    def checked_on(self, ctx: Context, arguments: Mapping[str, Any]) -> tuple[str, str] | None:
        """The object that the permission is checked on; None where everybody sees what is their own."""
        return None if isinstance(self.needs, OwnView) else self.target(ctx, arguments)

    def target(self, ctx: Context, arguments: Mapping[str, Any]) -> tuple[str, str]:
        """The type and id of the object that the permission is checked on."""
        if callable(self.on):
            return self.on(ctx, arguments)
        if self.on == "project":
            return "project", ctx.project_id
        if self.on == "organization":
            return "organization", ctx.organization_id
        object_type, _, object_id = self.on.partition(":")
        return object_type.format(**arguments), object_id.format(**arguments)

    def checked(self, values: Mapping[str, Any]) -> dict[str, Any]:
        """Apply the declared bounds to arguments that arrive as Python values: GraphQL fields and queued jobs."""
        given = dict(values)
        checked: dict[str, Any] = {}
        if self.upload is not None and self.upload.name in given:
            checked[self.upload.name] = given.pop(self.upload.name)
        if self.body is not None and self.body.name in given:
            checked[self.body.name] = self._checked_body(given.pop(self.body.name))
        try:
            arguments = self.arguments(**given)
        except PydanticError as error:
            raise refused_parameters(error) from None
        return checked | {name: getattr(arguments, name) for name in self.arguments.model_fields}

    def parsed(self, strings: Mapping[str, Any]) -> dict[str, Any]:
        """Parse path and query parameters that arrive as strings. Raises a 400 of the catalogue."""
        try:
            arguments = self.arguments.model_validate_strings(strings)
        except PydanticError as error:
            raise refused_parameters(error) from None
        return dict(arguments.__dict__)

    def parsed_body(self, raw: bytes, *, graph: bool = False) -> Any:
        """Parse a JSON body strictly: no string becomes a number, no number a boolean. Raises 400 or 422.

        `graph` says that it came through the graph, which has fields of its own.
        """
        assert self.body_type is not None
        require_finite(raw)
        try:
            return self.body_type.validate_json(raw, strict=True, context={"graph": graph})
        except PydanticError as error:
            raise refused_body(error) from None

    def _checked_body(self, value: Any) -> Any:
        assert self.body_type is not None
        try:
            return self.body_type.validate_python(value)
        except PydanticError as error:
            raise refused_body(error) from None


async def require(ctx: Context, needs: Permission, object_type: str, object_id: str) -> None:
    """Raise the documented refusal unless the caller holds the permission on the object.

    404 when the object is not in the caller's organization, 403 when it is.
    """
    if await ctx.guard.allows(ctx.caller, needs, object_type, object_id):
        return
    raise await refusal(ctx, needs, object_type, object_id)


async def refusal(ctx: Context, needs: Permission, object_type: str, object_id: str) -> ApiError:
    """The error for a caller who lacks a permission."""
    alone = replace(ctx.caller, limited_by=())
    if alone != ctx.caller and await ctx.guard.allows(alone, needs, object_type, object_id):
        return Forbidden.lacking(
            needs,
            object_type,
            object_id,
            f"{needs} on {object_type} {object_id!r} is required of who last wrote the config of this configuration as "
            "well. Have somebody who has it write the config anew.",
        )
    if object_type == "organization":
        if object_id != ctx.organization_id:
            return NotFound("organization", object_id)
        reads = await ctx.guard.allows(ctx.caller, Permission.CAN_READ, object_type, object_id)
        return (Forbidden if reads else OrgAccessDenied).lacking(needs, object_type, object_id)
    if object_type == "project" and object_id == ctx.caller.project_id:
        reads = await ctx.guard.allows(ctx.caller, Permission.CAN_READ, object_type, object_id)
        return (Forbidden if reads else ProjectAccessDenied).lacking(needs, object_type, object_id)
    stands = await ctx.store.read(lambda uow: uow.stands(ctx.organization_id, object_type, object_id))
    return Forbidden.lacking(needs, object_type, object_id) if stands else NotFound(object_type, object_id)


def is_body(annotation: Any) -> bool:
    """Return whether a parameter is a body: a `Change`, or a list of them; or one that may be left out (`Change |
    None`).
    """
    if get_origin(annotation) is Annotated:
        annotation = get_args(annotation)[0]
    if get_origin(annotation) is UnionType:
        (annotation, *others) = (part for part in get_args(annotation) if part is not NoneType)
        if others:
            return False
    if get_origin(annotation) is list:
        return is_body(get_args(annotation)[0])
    return isinstance(annotation, type) and issubclass(annotation, Change)


def _model(name: str, parameters: list[inspect.Parameter]) -> type[BaseModel]:
    fields: dict[str, Any] = {p.name: (p.annotation, ... if p.default is p.empty else p.default) for p in parameters}
    return create_model(name, __base__=Parameters, **fields)


def operation(
    *,
    needs: Need,
    on: Target = "project",
    kind: CallKind = CallKind.READ,
    catalog_only: bool = False,
    tells_secrets: bool = False,
) -> Callable[[Callable[Concatenate[Context, P], Awaitable[R]]], Operation[P, R]]:
    """Declare an operation. `needs` has no default, so nothing is open by accident."""
    return lambda run: Operation(run, needs, on, kind, catalog_only, tells_secrets)
