"""The entities of the federated graph: by which key each is known, and how many of them are read at once.

Run apart, a service answers with a reference to another service's entity, and the gateway asks its owner for the
rest. What comes in as a reference is a caller's claim and nothing more: every entity is read in the caller's
organization and shown only when they hold the permission that reading it by itself demands, else it is null. However
many references come, an entity type costs one read of the store and one question to the authorization engine.
"""

from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from persistence.queries.catalog import live_assets
from persistence.repository import Repository, Scope
from persistence.store import UnitOfWork
from resolvers.context import Context
from resolvers.engines.masking import masked_cells
from resolvers.utils.memory_lifecycle import as_shown
from schema.assets.artifact import Artifact
from schema.assets.data_connection import DataConnection
from schema.assets.file import File
from schema.data_readiness.glossary import GlossaryTerm
from schema.data_readiness.rule import QualityRule
from schema.data_readiness.suspect import SuspectCell
from schema.data_readiness.violation import Violation
from schema.data_readiness.workflow import WorkflowConfiguration
from schema.data_readiness.workflow_run import WorkflowRun
from schema.governance.organization import Organization
from schema.governance.permission import Permission
from schema.governance.project import Project
from schema.talk2data.benchmark import Benchmark
from schema.talk2data.session import ChatSession
from schema.talk2data.turn import Turn
from schema.text import is_storable
from schema.utils.context_pack import ContextPack
from schema.utils.lineage import LineageStatement
from schema.utils.memory import Memory
from schema.utils.metadata_asset import MetadataAsset
from schema.utils.schedule import Schedule
from schema.utils.webhook import Webhook

Found = Mapping[str, Any]
Read = Callable[[Context, Sequence[str]], Awaitable[Found]]


@dataclass(frozen=True, slots=True)
class Entity:
    """One entity type: the field that tells one from another, and the read of many."""

    model: type
    read: Read
    key: str = "id"
    """The key by its Python name."""


@dataclass(frozen=True, slots=True)
class Guarded:
    """Holds what was read, and the object that a permission on it is checked on."""

    key: str
    value: Any
    object_type: str
    object_id: str


Work = Callable[[UnitOfWork, Context, Sequence[str]], Iterable[Guarded]]


def guarded(work: Work, permission: Permission = Permission.CAN_READ) -> Read:
    """A read that leaves out what the caller may not read."""

    async def read(ctx: Context, keys: Sequence[str]) -> Found:
        known = [key for key in keys if is_storable(key)]
        found = await ctx.store.read(lambda uow: list(work(uow, ctx, known)))
        if not found:
            return {}
        allowed: dict[tuple[str, str], bool] = {}
        for object_type in sorted({item.object_type for item in found}):
            ids = sorted({item.object_id for item in found if item.object_type == object_type})
            answers = await ctx.guard.allows_many(ctx.caller, permission, object_type, ids)
            allowed |= {(object_type, id): answer for id, answer in answers.items()}
        return {item.key: item.value for item in found if allowed[item.object_type, item.object_id]}

    return read


def itself(repository_of: Callable[[UnitOfWork], Repository[Any]], object_type: str, *, key: str = "id") -> Read:
    """The read of a resource that has roles of its own."""

    def work(uow: UnitOfWork, ctx: Context, keys: Sequence[str]) -> Iterable[Guarded]:
        for item in repository_of(uow).where_in(ctx.tenant, key, keys):
            found = getattr(item, key)
            yield Guarded(found, item, object_type, found)

    return guarded(work)


def of_project(
    repository_of: Callable[[UnitOfWork], Repository[Any]],
    *,
    key: str = "id",
    completed: Callable[[UnitOfWork, Context, list[Any]], list[Any]] = lambda _uow, _ctx, items: items,
    own: bool = False,
) -> Read:
    """The read of a resource that is checked on its project; `own` for one that is its maker's alone."""

    def work(uow: UnitOfWork, ctx: Context, keys: Sequence[str]) -> Iterable[Guarded]:
        made_by = ctx.caller.user_id if own else None
        found = repository_of(uow).with_projects(ctx.tenant, key, keys, made_by=made_by)
        items = completed(uow, ctx, [item for item, _ in found])
        for item, (_, project) in zip(items, found, strict=True):
            yield Guarded(getattr(item, key), item, "project", project)

    return guarded(work)


def _with_tasks(uow: UnitOfWork, ctx: Context, runs: list[WorkflowRun]) -> list[WorkflowRun]:
    return uow.run_tasks.beside(ctx.tenant, runs)


def _with_topics(uow: UnitOfWork, ctx: Context, packs: list[ContextPack]) -> list[ContextPack]:
    return uow.context_packs.with_topics(packs, ctx.now())


def _at_this_moment(_uow: UnitOfWork, ctx: Context, memories: list[Memory]) -> list[Memory]:
    now = ctx.now()
    return [as_shown(memory, now) for memory in memories]


def _assets(uow: UnitOfWork, ctx: Context, keys: Sequence[str]) -> Iterable[Guarded]:
    for asset in live_assets(uow.connection, ctx.organization_id, keys):  # a union tells its members by their class
        yield Guarded(asset.id, asset, "project", asset.project_id)


def _statements(uow: UnitOfWork, ctx: Context, keys: Sequence[str]) -> Iterable[Guarded]:
    """Statements of lineage, each checked on its connection, as their list is; of one that is gone there are none."""
    found = list(uow.lineage.where_in(ctx.tenant, "id", keys))
    uris = sorted({one.resource_uri for one in found})
    standing = {one.resource_uri for one in uow.data_connections.where_in(ctx.tenant, "resource_uri", uris)}
    for one in found:
        if one.resource_uri in standing:
            yield Guarded(one.id, one, "data_connection", one.resource_uri)


def _suspects(uow: UnitOfWork, ctx: Context, keys: Sequence[str]) -> Iterable[Guarded]:
    """Suspect cells as they may be shown, as tags stand now."""
    found = uow.suspect_cells.by_id(ctx.tenant, keys)
    for project in {project for _, project in found}:
        own = [cell for cell, of in found if of == project]
        tables = list({cell.table_fqn for cell in own})
        for cell in masked_cells(own, uow.table_profiles.personal(Scope(ctx.organization_id, project), tables)):
            yield Guarded(cell.id, cell, "project", project)


ENTITIES: Final[dict[type, Entity]] = {
    entity.model: entity
    for entity in (
        Entity(Organization, itself(lambda uow: uow.organizations, "organization")),
        Entity(Project, itself(lambda uow: uow.projects, "project")),
        Entity(
            DataConnection,
            itself(lambda uow: uow.data_connections, "data_connection", key="resource_uri"),
            key="resource_uri",
        ),
        Entity(File, itself(lambda uow: uow.files, "file", key="resource_uri"), key="resource_uri"),
        Entity(Artifact, itself(lambda uow: uow.artifacts, "artifact", key="resource_uri"), key="resource_uri"),
        Entity(MetadataAsset, guarded(_assets, Permission.CAN_READ_METADATA)),
        Entity(ContextPack, of_project(lambda uow: uow.context_packs, completed=_with_topics)),
        Entity(Memory, of_project(lambda uow: uow.memories, completed=_at_this_moment)),
        Entity(Schedule, of_project(lambda uow: uow.schedules, key="schedule_id"), key="schedule_id"),
        Entity(
            ChatSession,
            of_project(lambda uow: uow.chat_sessions, key="session_id", own=True),
            key="session_id",
        ),
        Entity(
            Turn,
            of_project(
                lambda uow: uow.turns,
                key="turn_id",
                own=True,
                completed=lambda uow, _ctx, found: uow.turns.filled(found),
            ),
            key="turn_id",
        ),
        Entity(WorkflowConfiguration, of_project(lambda uow: uow.workflow_configurations)),
        Entity(WorkflowRun, of_project(lambda uow: uow.workflow_runs, completed=_with_tasks)),
        Entity(Violation, of_project(lambda uow: uow.violations)),
        Entity(GlossaryTerm, of_project(lambda uow: uow.glossary_terms)),
        Entity(QualityRule, of_project(lambda uow: uow.quality_rules)),
        Entity(Webhook, of_project(lambda uow: uow.webhooks)),
        Entity(SuspectCell, guarded(_suspects)),
        Entity(LineageStatement, guarded(_statements, Permission.CAN_READ_METADATA)),
        Entity(
            Benchmark,
            of_project(
                lambda uow: uow.benchmarks, own=True, completed=lambda uow, _, found: uow.benchmarks.filled(found)
            ),
        ),
    )
}
"""Every entity of the graph. A class that is not here is a value, which each subgraph that uses it holds in full."""
