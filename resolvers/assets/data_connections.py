"""Operations on data connections: register, read, list, update, verify, read the secret."""

import time
from collections.abc import Mapping
from typing import Annotated, Any

import orjson
from pydantic import Field

from auth.rate_limit import CallKind
from auth.relations import RelationTuple, object_name, user_subject
from persistence.connectors.core.base import ConnectorError, Discovery
from persistence.connectors.core.destination import NOWHERE, destination
from persistence.integrity import IntegrityError
from persistence.queries.connections import SORTABLE
from persistence.queries.secrets import Sealed
from persistence.repository import same
from persistence.store import UnitOfWork
from resolvers.bound_secrets import ENTER_AGAIN, BoundSecrets
from resolvers.context import Context
from resolvers.operation import operation
from schema.assets.data_connection import (
    ConnectionSecret,
    ConnectionStatus,
    ConnectionType,
    ConnectionVerification,
    DataConnection,
    DataConnectionChange,
    DataConnectionCreate,
)
from schema.errors import AlreadyExists, ValidationError
from schema.governance.permission import Permission
from schema.grammar import sort_by
from schema.identifiers import ResourceUri, slug, unique_slug
from schema.pagination import Page, PageNumber, PageSize
from schema.problems import body_problems
from schema.typed import ALL_TAGS

Uri = Annotated[str, Field(min_length=1, max_length=800, description="The connection's resource URI.")]
SECTIONS = ("database_config", "storage_config", "filesystem_config")


def _home(ctx: Context, arguments: Mapping[str, Any]) -> tuple[str, str]:
    """A new connection is checked on its project, or on the organization when it belongs to all projects."""
    if arguments["connection"].organization_wide:
        return "organization", ctx.organization_id
    return "project", ctx.project_id


@operation(needs=Permission.CAN_CREATE_RESOURCES, on=_home, kind=CallKind.WRITE)
async def create_data_connection(ctx: Context, *, connection: DataConnectionCreate) -> DataConnection:
    """Register a data connection. It starts PENDING; verify it to make it ACTIVE."""
    config = _checked_config(ctx, connection.connection_type, connection.model_dump(), connection.credentials)
    project = None if connection.organization_wide else ctx.project_id
    now, user = ctx.now(), ctx.caller.user_id
    credentials = connection.credentials or {}

    def work(uow: UnitOfWork) -> DataConnection:
        uri = _free_uri(ctx, uow, project, connection)
        new = DataConnection(
            resource_uri=uri,
            name=connection.name,
            connection_type=connection.connection_type,
            status=ConnectionStatus.PENDING,
            status_message=None,
            description=connection.description,
            tags=connection.tags,
            organization_id=ctx.organization_id,
            project_id=project,
            owner_id=user,
            created_at=now,
            updated_at=now,
            created_by=user,
            updated_by=user,
            type="data",
            secret_names=sorted(credentials),
            **config,
        )
        uow.data_connections.add(new)
        _keep(ctx, uow, new, credentials)
        parent = ("organization", ctx.organization_id) if project is None else ("project", project)
        name = object_name("data_connection", uri)
        uow.relate(
            ctx.organization_id,
            writes=[
                RelationTuple(object_name(*parent), parent[0], name),
                RelationTuple(user_subject(user), "owner", name),
            ],
        )
        return new

    try:
        created = await ctx.store.write(work)
    except IntegrityError:
        raise AlreadyExists(
            "A data connection with this resource URI exists already. Choose another one.",
            resource_type="data_connection",
            resource_id=str(
                ResourceUri("data", ctx.organization_id, project, connection.resource_uri or slug(connection.name))
            ),
        ) from None
    ctx.guard.forget()
    return created


@operation(needs=Permission.CAN_READ, on="data_connection:{resource_uri}")
async def get_data_connection(ctx: Context, *, resource_uri: Uri) -> DataConnection:
    """Get a data connection, without its credentials."""
    return await ctx.store.read(lambda uow: uow.data_connections.get(ctx.tenant, resource_uri))


@operation(needs=Permission.CAN_READ)
async def list_data_connections(
    ctx: Context,
    *,
    page: PageNumber = 1,
    limit: PageSize = 20,
    sort: Annotated[
        str,
        Field(max_length=200, description="field:order, comma-separated, such as name:desc."),
        sort_by(SORTABLE, of="DataConnection"),
    ] = "name:asc",
    search: Annotated[str, Field(max_length=255, description="Part of the name or description.")] | None = None,
    tags: Annotated[
        str, Field(max_length=1000, description="Comma-separated; a connection must have them all."), ALL_TAGS
    ]
    | None = None,
    status: ConnectionStatus | None = None,
    connection_type: ConnectionType | None = None,
    created_by: Annotated[str, Field(max_length=300, description="A user id, `user:` may stand before it.")]
    | None = None,
) -> Page[DataConnection]:
    """List the data connections of the selected project and those of its whole organization."""
    return await ctx.store.read(
        lambda uow: uow.data_connections.listed(
            ctx.tenant,
            ctx.project_id,
            sort=sort,
            offset=(page - 1) * limit,
            limit=limit,
            search=search,
            tags=tags,
            status=status,
            connection_type=connection_type,
            created_by=created_by.removeprefix("user:") if created_by else None,
        )
    )


@operation(needs=Permission.CAN_WRITE, on="data_connection:{resource_uri}", kind=CallKind.WRITE)
async def update_data_connection(ctx: Context, *, resource_uri: Uri, changes: DataConnectionChange) -> DataConnection:
    """Update a data connection; only the fields that are sent change.

    A new config or new credentials make it PENDING again, unless it is DISABLED or the same request sets a status.
    Credentials are new unless they are the stored ones and the caller may read those.

    Stored credentials go along to another address only when the caller may read them (can_read_secrets). Otherwise a
    config that says something new of where or how to connect removes them, and they are to be entered again; new
    `credentials` in the same request take their place.
    """
    given = changes.given()
    credentials = given.pop("credentials", None)
    now, user = ctx.now(), ctx.caller.user_id
    is_new = credentials is not None or any(section in given for section in SECTIONS)
    may_read = is_new and await ctx.guard.allows(
        ctx.caller, Permission.CAN_READ_SECRETS, "data_connection", resource_uri
    )

    def work(uow: UnitOfWork) -> DataConnection:
        current = uow.data_connections.held(ctx.tenant, resource_uri)
        values, entered = dict(given), False
        if is_new:
            sections = {section: given.get(section, getattr(current, section)) for section in SECTIONS}
            changes.require_type(current.connection_type)
            values |= _checked_config(ctx, current.connection_type, sections, credentials)
            changed = current.model_copy(update={section: values[section] for section in SECTIONS})
            entered = credentials is not None and not (may_read and _stand(ctx, uow, changed, credentials))
            is_other = any(not same(getattr(current, section), values[section]) for section in SECTIONS)
            if (entered or is_other) and current.status is not ConnectionStatus.DISABLED:
                values = {"status": ConnectionStatus.PENDING, "status_message": None} | values
            if entered and credentials is not None:
                uow.secrets.remove_all_of(ctx.tenant, "data_connection", resource_uri)
                _keep(ctx, uow, changed, credentials)
            elif not _follows(ctx, uow, current, changed, may_read=may_read):
                status = values.get("status", current.status)
                disabled = status is ConnectionStatus.DISABLED
                values |= {"status": status if disabled else ConnectionStatus.PENDING, "status_message": ENTER_AGAIN}
        return uow.data_connections.change(
            ctx.tenant,
            resource_uri,
            values | {"updated_at": now, "updated_by": user},
            expected=ctx.expected_of(current),
            beside=entered,
        )

    return await ctx.store.write(work)


def _stand(ctx: Context, uow: UnitOfWork, connection: DataConnection, credentials: Mapping[str, Any]) -> bool:
    """Return whether credentials are stored already, for where the connection points."""
    uri = connection.resource_uri
    given = {name: _bytes(value) for name, value in credentials.items()}
    held = uow.secrets.sealed(ctx.tenant, "data_connection", uri)
    return BoundSecrets(ctx, "data_connection", uri).hold(given, held, destination_of(connection))


def _follows(
    ctx: Context, uow: UnitOfWork, current: DataConnection, changed: DataConnection, *, may_read: bool
) -> bool:
    """Let the credentials of a connection follow its config, or remove them: whether they are still there."""
    uri, target = current.resource_uri, destination_of(changed)
    if not current.secret_names or destination_of(current) == target:
        return True
    if not may_read:
        uow.secrets.remove_all_of(ctx.tenant, "data_connection", uri)
        return False
    BoundSecrets(ctx, "data_connection", uri).bind(uow, target)
    return True


@operation(needs=Permission.CAN_EXECUTE, on="data_connection:{resource_uri}", kind=CallKind.WRITE)
async def verify_data_connection(ctx: Context, *, resource_uri: Uri) -> ConnectionVerification:
    """Connect to the store with the stored credentials and look around.

    Success moves the connection to ACTIVE, a failure to ERROR with the reason as its `status_message`.
    """
    connection, sealed = await _stored(ctx, resource_uri)
    if connection.status is ConnectionStatus.DISABLED:
        raise ValidationError(
            "This connection is disabled. Set its status to PENDING first.", status=422, field="status"
        )
    started = time.perf_counter()
    try:
        credentials = _credentials(ctx, connection, sealed)
        found = await ctx.services.connectors.use(
            connection.connection_type.value,
            config_of(connection),
            credentials,
            _verify,
            organization=ctx.organization_id,
        )
    except ConnectorError as error:
        answer = ConnectionVerification(
            success=False, message=error.reason[:1000], latency_ms=None, details={"reason": error.kind}
        )
    else:
        latency = round((time.perf_counter() - started) * 1000, 2)
        answer = ConnectionVerification(success=True, message=found.message, latency_ms=latency, details=found.details)
    values = {
        "status": ConnectionStatus.ACTIVE if answer.success else ConnectionStatus.ERROR,
        "status_message": None if answer.success else answer.message,
        "updated_at": ctx.now(),
        "updated_by": ctx.caller.user_id,
    }
    # The revision that was verified: a connection that was changed meanwhile keeps the state of its change.
    await ctx.store.write(
        lambda uow: uow.data_connections.verified(ctx.tenant, connection, values, ctx.caller.project_id),
        told=lambda _: answer,
    )
    return answer


@operation(needs=Permission.CAN_READ_SECRETS, on="data_connection:{resource_uri}", tells_secrets=True)
async def get_data_connection_secret(ctx: Context, *, resource_uri: Uri) -> ConnectionSecret:
    """Read the stored credentials of a data connection."""
    _, sealed = await _stored(ctx, resource_uri)
    bound = BoundSecrets(ctx, "data_connection", resource_uri)
    return ConnectionSecret(credentials={name: _value(bound.read(name, one)) for name, one in sealed.items()})


async def opened(ctx: Context, resource_uri: str) -> tuple[DataConnection, dict[str, Any]]:
    """A connection with its credentials, to connect to what its config names, whoever was allowed to.

    Raises ConnectorError when the credentials were entered for another address.
    """
    connection, sealed = await _stored(ctx, resource_uri)
    return connection, _credentials(ctx, connection, sealed)


async def _stored(ctx: Context, resource_uri: str) -> tuple[DataConnection, Mapping[str, Sealed]]:
    """A connection and its sealed credentials. Those that an earlier version stored are bound to where it points."""

    def read(uow: UnitOfWork) -> tuple[DataConnection, Mapping[str, Sealed]]:
        connection = uow.data_connections.get(ctx.tenant, resource_uri)
        return connection, uow.secrets.sealed(ctx.tenant, "data_connection", resource_uri)

    def bind(uow: UnitOfWork) -> tuple[DataConnection, Mapping[str, Sealed]]:
        target = destination_of(uow.data_connections.held(ctx.tenant, resource_uri))
        BoundSecrets(ctx, "data_connection", resource_uri).bind(uow, target, only_unbound=True)
        return read(uow)

    connection, sealed = await ctx.store.read(read)
    if any(one.bound_to is None for one in sealed.values()):
        connection, sealed = await ctx.store.write(bind)
    return connection, sealed


def _credentials(ctx: Context, connection: DataConnection, sealed: Mapping[str, Sealed]) -> dict[str, Any]:
    """The credentials, to be sent to where the connection points. Raises ConnectorError."""
    bound = BoundSecrets(ctx, "data_connection", connection.resource_uri)
    return {name: _value(value) for name, value in bound.opened(sealed, destination_of(connection)).items()}


def destination_of(connection: DataConnection) -> str:
    """A digest of where and how a connection sends its credentials."""
    return destination(connection.connection_type.value, config_of(connection))


def binding_of(ctx: Context, uow: UnitOfWork, resource_type: str, resource_id: str) -> str | None:
    """Return what a secret of a resource is bound to; None for one of a resource that connects to nothing by itself.

    A connection is held until the transaction ends, so that its address does not change before the secret stands.
    """
    if resource_type != "data_connection":
        return None
    if uow.data_connections.find(ctx.tenant, resource_id) is None:
        return NOWHERE
    return destination_of(uow.data_connections.held(ctx.tenant, resource_id))


def config_of(connection: DataConnection) -> dict[str, Any]:
    """The one config section that a connection has."""
    return connection.database_config or connection.storage_config or connection.filesystem_config or {}


def _verify(connector: Any) -> Discovery:
    found: Discovery = connector.verify()
    return found


def _checked_config(
    ctx: Context, kind: ConnectionType, given: Mapping[str, Any], credentials: Mapping[str, Any] | None
) -> dict[str, Any]:
    """All three sections, the right one complete and the others null. Raises 400 or 422 with every field's path."""
    gateway = ctx.services.connectors
    section = gateway.section_of(kind.value)
    for other in SECTIONS:
        if other != section and given.get(other) is not None:
            raise ValidationError(
                f"A connection of type {kind} takes {section}, not {other}.",
                status=422,
                field=other,
                connection_type=kind,
            )
    config, problems = gateway.checked(kind.value, given.get(section) or {}, credentials)
    if given.get(section) is None:
        problems = [("missing", (section,), f"A connection of type {kind} needs it")]
    if problems:
        raise body_problems(problems)
    return {name: config if name == section else None for name in SECTIONS}


def _free_uri(ctx: Context, uow: UnitOfWork, project: str | None, connection: DataConnectionCreate) -> str:
    if connection.resource_uri is not None:
        return str(ResourceUri("data", ctx.organization_id, project, connection.resource_uri))
    prefix = str(ResourceUri("data", ctx.organization_id, project, "x"))[:-1]
    taken = {uri.removeprefix(prefix) for uri in uow.data_connections.taken_parts(ctx.tenant, prefix)}
    return prefix + unique_slug(connection.name, taken, fallback="connection")


def _keep(ctx: Context, uow: UnitOfWork, connection: DataConnection, credentials: Mapping[str, Any]) -> None:
    """Store credentials as one secret each, sealed for where the connection points."""
    now, target = ctx.now(), destination_of(connection)
    bound = BoundSecrets(ctx, "data_connection", connection.resource_uri)
    if credentials:
        uow.secrets.hold()
    for name, value in credentials.items():
        bound.keep(uow, name, _bytes(value), target, now, project_id=connection.project_id)


_JSON = b"\x00json\x00"
"""Marks a credential that is no string, such as a service account's whole key file."""


def _bytes(value: Any) -> bytes:
    return value.encode() if isinstance(value, str) else _JSON + orjson.dumps(value)


def _value(stored: bytes) -> Any:
    return orjson.loads(stored[len(_JSON) :]) if stored.startswith(_JSON) else stored.decode()
