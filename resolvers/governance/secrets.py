"""Operations on secrets of projects and resources. A value leaves only through the two `get_` operations."""

from typing import Annotated

from pydantic import Field

from auth.rate_limit import CallKind
from persistence.integrity import IntegrityError
from persistence.queries.secrets import Sealed
from persistence.store import UnitOfWork
from resolvers.assets.data_connections import binding_of
from resolvers.bound_secrets import BoundSecrets
from resolvers.context import Context
from resolvers.operation import operation
from schema.errors import AlreadyExists, ValidationError
from schema.governance.permission import Done, ObjectId, Permission, TypeName
from schema.governance.secret import Secret, SecretChange, SecretCreate, SecretValue
from schema.pagination import Page, PageNumber, PageSize

Name = Annotated[str, Field(min_length=1, max_length=255, description="The secret's name.")]
RESOURCE = "{resource_type}:{resource_id}"


@operation(needs=Permission.CAN_MANAGE_SECRETS, kind=CallKind.WRITE)
async def create_project_secret(ctx: Context, *, secret: SecretCreate) -> Secret:
    """Store a secret of the selected project; the answer is without its value."""
    return await _create(ctx, "project", ctx.project_id, secret)


@operation(needs=Permission.CAN_READ_SECRETS)
async def list_project_secrets(ctx: Context, *, page: PageNumber = 1, limit: PageSize = 20) -> Page[Secret]:
    """List the secrets of the selected project, without their values."""
    return await _page(ctx, "project", ctx.project_id, page, limit)


@operation(needs=Permission.CAN_READ_SECRETS, tells_secrets=True)
async def get_project_secret(ctx: Context, *, name: Name) -> SecretValue:
    """Read one secret of the selected project, with its value."""
    return await _value(ctx, "project", ctx.project_id, name)


@operation(needs=Permission.CAN_MANAGE_SECRETS, kind=CallKind.WRITE)
async def update_project_secret(ctx: Context, *, name: Name, changes: SecretChange) -> Secret:
    """Change a secret of the selected project."""
    return await _change(ctx, "project", ctx.project_id, name, changes)


@operation(needs=Permission.CAN_MANAGE_SECRETS, kind=CallKind.WRITE)
async def delete_project_secret(ctx: Context, *, name: Name) -> Done:
    """Delete a secret of the selected project."""
    return await _delete(ctx, "project", ctx.project_id, name)


@operation(needs=Permission.CAN_MANAGE_SECRETS, on=RESOURCE, kind=CallKind.WRITE)
async def create_resource_secret(
    ctx: Context, *, resource_type: TypeName, resource_id: ObjectId, secret: SecretCreate
) -> Secret:
    """Store a secret of a resource; the answer is without its value."""
    return await _create(ctx, resource_type, resource_id, secret)


@operation(needs=Permission.CAN_READ_SECRETS, on=RESOURCE)
async def list_resource_secrets(
    ctx: Context, *, resource_type: TypeName, resource_id: ObjectId, page: PageNumber = 1, limit: PageSize = 20
) -> Page[Secret]:
    """List the secrets of a resource, without their values."""
    return await _page(ctx, resource_type, resource_id, page, limit)


@operation(needs=Permission.CAN_READ_SECRETS, on=RESOURCE, tells_secrets=True)
async def get_resource_secret(
    ctx: Context, *, resource_type: TypeName, resource_id: ObjectId, name: Name
) -> SecretValue:
    """Read one secret of a resource, with its value."""
    return await _value(ctx, resource_type, resource_id, name)


@operation(needs=Permission.CAN_MANAGE_SECRETS, on=RESOURCE, kind=CallKind.WRITE)
async def update_resource_secret(
    ctx: Context, *, resource_type: TypeName, resource_id: ObjectId, name: Name, changes: SecretChange
) -> Secret:
    """Change a secret of a resource."""
    return await _change(ctx, resource_type, resource_id, name, changes)


@operation(needs=Permission.CAN_MANAGE_SECRETS, on=RESOURCE, kind=CallKind.WRITE)
async def delete_resource_secret(ctx: Context, *, resource_type: TypeName, resource_id: ObjectId, name: Name) -> Done:
    """Delete a secret of a resource."""
    return await _delete(ctx, resource_type, resource_id, name)


async def _create(ctx: Context, resource_type: str, resource_id: str, secret: SecretCreate) -> Secret:
    now, user = ctx.now(), ctx.caller.user_id
    new = Secret(
        name=secret.name,
        description=secret.description,
        resource_type=resource_type,
        resource_id=resource_id,
        created_at=now,
        updated_at=now,
        created_by=user,
        updated_by=user,
    )
    bound = BoundSecrets(ctx, resource_type, resource_id)

    def work(uow: UnitOfWork) -> Secret:
        target = binding_of(ctx, uow, resource_type, resource_id)
        uow.secrets.hold()
        sealed = bound.sealed(secret.name, secret.value.encode(), target)
        tenant = {"organization_id": ctx.organization_id}
        return uow.secrets.add(new, **tenant, sealed=sealed.text, bound_to=sealed.bound_to)

    try:
        return await ctx.store.write(work)
    except IntegrityError:
        raise AlreadyExists(
            f"A secret named {secret.name!r} exists already. Change it with PUT.",
            resource_type="secret",
            resource_id=f"{resource_id}/{secret.name}",
        ) from None


async def _page(ctx: Context, resource_type: str, resource_id: str, page: int, limit: int) -> Page[Secret]:
    return await ctx.store.read(
        lambda uow: uow.secrets.page(
            ctx.tenant,
            offset=(page - 1) * limit,
            limit=limit,
            resource_type=resource_type,
            resource_id=resource_id,
        )
    )


async def _value(ctx: Context, resource_type: str, resource_id: str, name: str) -> SecretValue:
    def work(uow: UnitOfWork) -> tuple[Secret, Sealed]:
        secret = uow.secrets.get(ctx.tenant, name, resource_type=resource_type, resource_id=resource_id)
        return secret, uow.secrets.sealed(ctx.tenant, resource_type, resource_id)[name]

    secret, sealed = await ctx.store.read(work)
    value = BoundSecrets(ctx, resource_type, resource_id).read(name, sealed)
    return SecretValue(value=value.decode(), **secret.model_dump(exclude={"created_by", "updated_by"}))


async def _change(ctx: Context, resource_type: str, resource_id: str, name: str, changes: SecretChange) -> Secret:
    given = changes.given()
    value = given.pop("value", None)
    if not given and value is None:
        raise ValidationError("Send a new value, a new description, or both.", status=422, field="value")
    given |= {"updated_at": ctx.now(), "updated_by": ctx.caller.user_id}
    bound = BoundSecrets(ctx, resource_type, resource_id)
    # Whether a value is the one that stands is told by the entity tag, so only to who may read it anyway.
    reads = await ctx.guard.allows(ctx.caller, Permission.CAN_READ_SECRETS, resource_type, resource_id)

    def work(uow: UnitOfWork) -> Secret:
        if value is not None and not (reads and stands(uow, value)):
            target = binding_of(ctx, uow, resource_type, resource_id)
            uow.secrets.hold()
            given["sealed"], given["bound_to"] = bound.sealed(name, value.encode(), target)
        return uow.secrets.change(
            ctx.tenant,
            name,
            given,
            expected=ctx.expected_revision,
            resource_type=resource_type,
            resource_id=resource_id,
        )

    def stands(uow: UnitOfWork, value: str) -> bool:
        sealed = uow.secrets.sealed(ctx.tenant, resource_type, resource_id).get(name)
        target = binding_of(ctx, uow, resource_type, resource_id)
        return sealed is not None and bound.hold({name: value.encode()}, {name: sealed}, target)

    return await ctx.store.write(work)


async def _delete(ctx: Context, resource_type: str, resource_id: str, name: str) -> Done:
    def work(uow: UnitOfWork) -> None:
        uow.secrets.remove(
            ctx.tenant,
            name,
            expected=ctx.expected_revision,
            resource_type=resource_type,
            resource_id=resource_id,
        )

    done = Done(message=f"Deleted the secret {name}.")
    await ctx.store.write(work, told=lambda _: done)
    return done
