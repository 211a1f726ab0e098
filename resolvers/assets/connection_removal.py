"""Removing a data connection: what goes with it, what stays, and what forbids it."""

from auth.rate_limit import CallKind
from persistence.queries.catalog_removal import open_run_at, retire_catalog
from persistence.repository import Scope
from persistence.store import UnitOfWork
from resolvers.assets.content import standing_relations
from resolvers.assets.data_connections import Uri
from resolvers.context import Context
from resolvers.operation import operation
from schema.assets.file import Deleted
from schema.errors import ValidationError
from schema.governance.permission import Permission
from schema.identifiers import Fqn, ResourceUri


@operation(needs=Permission.CAN_DELETE, on="data_connection:{resource_uri}", kind=CallKind.WRITE)
async def delete_data_connection(ctx: Context, *, resource_uri: Uri) -> Deleted:
    """Delete a data connection with its credentials and every other secret of it, and all relations on it.

    What is known of the source is marked as deleted in the catalog, where its versions can still be read. Workflow
    configurations, schedules and the history of runs stay; a run that would read the connection is refused. While one
    is not over, the deletion is refused. The same URI can be registered anew: nobody has a role on it then but who
    registers it, and an ingestion takes up again what people wrote in the catalog.
    """
    relations = await standing_relations(ctx, "data_connection", resource_uri)
    service = str(Fqn.of(ResourceUri.parse(resource_uri).name))

    def work(uow: UnitOfWork) -> Deleted:
        found = uow.data_connections.get(ctx.tenant, resource_uri)
        run = open_run_at(uow.connection, Scope(ctx.organization_id, found.project_id), resource_uri, service)
        if run is not None:
            what = "works on the whole project and so on" if run.works_on_all else "may read"
            raise ValidationError(
                f"The run {run.id}, which {what} this connection, is not over. Wait for its end or cancel it first.",
                status=422,
                field="resource_uri",
                run_id=run.id,
            )
        uow.data_connections.remove(ctx.tenant, resource_uri, expected=ctx.expected_revision)
        uow.secrets.remove_all_of(ctx.tenant, "data_connection", resource_uri)
        retire_catalog(uow.connection, ctx.tenant, resource_uri, actor=ctx.caller.user_id, now=ctx.now())
        uow.relate(ctx.organization_id, deletes=relations)
        return Deleted(resource_uri=resource_uri, message="The data connection was deleted.")

    done = await ctx.store.write(work)
    ctx.guard.forget()
    return done
