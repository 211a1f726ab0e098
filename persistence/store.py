"""The store: one shelf per resource, read or written a whole unit of work at a time."""

from collections.abc import Callable, Iterable, Sequence
from functools import cached_property
from typing import Any, Protocol, TypeVar

import sqlalchemy as sa

from persistence.engine import Database
from persistence.queries.chat import TurnShelf
from persistence.queries.chat_learning import AnswerNoteShelf, ChatSettingsShelf
from persistence.queries.chat_overlap import AnsweredShelf
from persistence.queries.chat_provenance import ProvenanceShelf
from persistence.queries.chat_sessions import SessionShelf
from persistence.queries.classifications import ClassificationShelf
from persistence.queries.connections import ConnectionShelf
from persistence.queries.files import ContentShelf, kept_blobs
from persistence.queries.glossary import GlossaryTermShelf, TermAssetShelf
from persistence.queries.idempotency import IdempotencyShelf
from persistence.queries.knowledge import ContextPackShelf, MemoryShelf
from persistence.queries.metric_results import MetricResultShelf
from persistence.queries.pipelines import PipelineShelf
from persistence.queries.profiles import ProfileShelf
from persistence.queries.projects import ProjectShelf
from persistence.queries.proposals import ProposalShelf
from persistence.queries.quality import (
    DimensionShelf,
    MetricDefinitionShelf,
    ViolationDefinitionShelf,
)
from persistence.queries.rate_limits import RateLimitShelf
from persistence.queries.rules import QualityRuleShelf, RuleExecutionShelf
from persistence.queries.run_tasks import RunTaskShelf
from persistence.queries.schedules import ScheduleRunShelf, ScheduleShelf
from persistence.queries.search import SearchShelf
from persistence.queries.secrets import SecretShelf
from persistence.queries.slots import SlotShelf
from persistence.queries.violations import ViolationEventShelf, ViolationShelf
from persistence.queries.workflows import ConfigurationShelf, RunShelf
from persistence.repository import Repository, Scope
from persistence.tables import files as files_table
from persistence.tables import governance
from persistence.tuples import TupleLike, write_tuples
from schema.assets.artifact import Artifact
from schema.assets.file import File
from schema.governance.organization import Organization

T = TypeVar("T")


class RemoteRelations(Protocol):
    """An authorization engine that is a server of its own, and so cannot share our transaction."""

    async def write(
        self, store: str, writes: Sequence[Any] = (), deletes: Sequence[Any] = (), *, lenient: bool = False
    ) -> None:
        """Write and delete all or none; lenient: what already stands or is already gone is no failure."""


class Shelves:
    """Every shelf over one connection, and so inside one transaction."""

    def __init__(
        self, connection: sa.Connection, staged: list[tuple[str, list[TupleLike], list[TupleLike]]] | None
    ) -> None:
        self.connection = connection
        self._staged = staged

    @cached_property
    def organizations(self) -> Repository[Organization]:
        """Tenants."""
        return Repository(self.connection, Organization, governance.organizations, noun="organization")

    @cached_property
    def projects(self) -> ProjectShelf:
        """Projects of an organization."""
        return ProjectShelf(self.connection)

    @cached_property
    def rate_limits(self) -> RateLimitShelf:
        """Limits that organizations have of their own."""
        return RateLimitShelf(self.connection)

    @cached_property
    def idempotency(self) -> IdempotencyShelf:
        """Keys of idempotency, and what was answered under them."""
        return IdempotencyShelf(self.connection)

    @cached_property
    def secrets(self) -> SecretShelf:
        """Sealed values."""
        return SecretShelf(self.connection)

    @cached_property
    def data_connections(self) -> ConnectionShelf:
        """Registered stores."""
        return ConnectionShelf(self.connection)

    @cached_property
    def files(self) -> ContentShelf[File]:
        """Uploaded files."""
        return ContentShelf(self.connection, File, files_table.files, key="resource_uri", noun="file")

    @cached_property
    def artifacts(self) -> ContentShelf[Artifact]:
        """Artifacts."""
        return ContentShelf(self.connection, Artifact, files_table.artifacts, key="resource_uri", noun="artifact")

    def kept_blobs(self, names: Sequence[str]) -> set[str]:
        """Which of these blobs a row names, whoever's it is."""
        return kept_blobs(self.connection, names)

    @cached_property
    def workflow_configurations(self) -> ConfigurationShelf:
        """Workflow configurations."""
        return ConfigurationShelf(self.connection)

    @cached_property
    def pipeline_runs(self) -> PipelineShelf:
        """Pipelines of run-all-enrichment."""
        return PipelineShelf(self.connection)

    @cached_property
    def proposals(self) -> ProposalShelf:
        """What runs propose, and what was decided about it."""
        return ProposalShelf(self.connection)

    @cached_property
    def table_profiles(self) -> ProfileShelf:
        """What runs have measured of tables and columns."""
        return ProfileShelf(self.connection)

    @cached_property
    def workflow_runs(self) -> RunShelf:
        """Workflow runs."""
        return RunShelf(self.connection)

    @cached_property
    def run_tasks(self) -> RunTaskShelf:
        """Tasks of runs."""
        return RunTaskShelf(self.connection)

    @cached_property
    def slots(self) -> SlotShelf:
        """Places at connections."""
        return SlotShelf(self.connection)

    @cached_property
    def search(self) -> SearchShelf:
        """The search index."""
        return SearchShelf(self.connection)

    @cached_property
    def schedules(self) -> ScheduleShelf:
        """Schedules."""
        return ScheduleShelf(self.connection)

    @cached_property
    def schedule_runs(self) -> ScheduleRunShelf:
        """Records of what schedules fired."""
        return ScheduleRunShelf(self.connection)

    @cached_property
    def dimensions(self) -> DimensionShelf:
        """Dimensions of quality."""
        return DimensionShelf(self.connection)

    @cached_property
    def metric_definitions(self) -> MetricDefinitionShelf:
        """What is counted for each dimension."""
        return MetricDefinitionShelf(self.connection)

    @cached_property
    def metric_results(self) -> MetricResultShelf:
        """What runs have measured."""
        return MetricResultShelf(self.connection)

    @cached_property
    def violation_definitions(self) -> ViolationDefinitionShelf:
        """Kinds of violation."""
        return ViolationDefinitionShelf(self.connection)

    @cached_property
    def violations(self) -> ViolationShelf:
        """What is wrong."""
        return ViolationShelf(self.connection)

    @cached_property
    def violation_events(self) -> ViolationEventShelf:
        """The history of violations."""
        return ViolationEventShelf(self.connection)

    @cached_property
    def quality_rules(self) -> QualityRuleShelf:
        """What is expected of data."""
        return QualityRuleShelf(self.connection)

    @cached_property
    def rule_executions(self) -> RuleExecutionShelf:
        """What evaluating rules came to."""
        return RuleExecutionShelf(self.connection)

    @cached_property
    def classifications(self) -> ClassificationShelf:
        """Tags that engines find, with what people decided."""
        return ClassificationShelf(self.connection)

    @cached_property
    def glossary_terms(self) -> GlossaryTermShelf:
        """Words of the business."""
        return GlossaryTermShelf(self.connection)

    @cached_property
    def term_assets(self) -> TermAssetShelf:
        """Links from terms to assets."""
        return TermAssetShelf(self.connection)

    @cached_property
    def chat_sessions(self) -> SessionShelf:
        """Chat sessions."""
        return SessionShelf(self.connection)

    @cached_property
    def turns(self) -> TurnShelf:
        """Turns of chat sessions."""
        return TurnShelf(self.connection)

    @cached_property
    def chat_settings(self) -> ChatSettingsShelf:
        """How projects want to be answered."""
        return ChatSettingsShelf(self.connection)

    @cached_property
    def answer_notes(self) -> AnswerNoteShelf:
        """What people found wrong with answers."""
        return AnswerNoteShelf(self.connection)

    @cached_property
    def turn_provenance(self) -> ProvenanceShelf:
        """Where the answers of turns come from."""
        return ProvenanceShelf(self.connection)

    @cached_property
    def answered(self) -> AnsweredShelf:
        """What users were told of the rows of protected tables."""
        return AnsweredShelf(self.connection)

    @cached_property
    def context_packs(self) -> ContextPackShelf:
        """Context packs."""
        return ContextPackShelf(self.connection)

    @cached_property
    def memories(self) -> MemoryShelf:
        """Memories of context packs."""
        return MemoryShelf(self.connection)

    def relate(self, organization_id: str, writes: Iterable[TupleLike] = (), deletes: Iterable[TupleLike] = ()) -> None:
        """Write relations as part of this transaction: they stand when it commits, and never without it."""
        if self._staged is None:
            write_tuples(self.connection, organization_id, list(writes), list(deletes), lenient=True)
        else:
            self._staged.append((organization_id, list(writes), list(deletes)))

    def stands(self, organization_id: str, object_type: str, object_id: str) -> bool:
        """Whether the organization holds the object, whatever its project."""
        scope = Scope(organization_id)
        shelves: dict[str, Repository[Any]] = {
            "project": self.projects,
            "data_connection": self.data_connections,
            "file": self.files,
            "artifact": self.artifacts,
        }
        return object_type in shelves and shelves[object_type].find(scope, object_id) is not None


class Store:
    """Runs units of work on the shelves. `remote` is given when relations live in a server of their own."""

    def __init__(
        self,
        database: Database,
        remote: RemoteRelations | None = None,
        *,
        last: Callable[[Shelves, Any], None] | None = None,
    ) -> None:
        self.database = database
        self._remote = remote
        self._last = last

    def guarded(self, last: Callable[[Shelves, Any], None]) -> "Store":
        """The same store, where `last` ends every transaction that writes, and is given what the work answered."""
        return Store(self.database, self._remote, last=last)

    async def read(self, work: Callable[[Shelves], T]) -> T:
        """Run a unit that only reads."""
        return await self.database.read(lambda connection: work(Shelves(connection, None)))

    async def alone(self, organization_id: str) -> bool:
        """Whether no other organization stands in the store."""
        others = governance.organizations.c.id != organization_id
        query = sa.select(sa.exists().where(others))
        return not await self.read(lambda shelves: shelves.connection.execute(query).scalar_one())

    async def write(self, work: Callable[[Shelves], T], *, told: Callable[[T], Any] | None = None) -> T:
        """Run a unit as one transaction, its relations included: all of it or nothing.

        `told` makes what the caller is answered out of what the work answers, where that is something else; whatever
        ends the transaction is given that, so that an answer can be kept with what it tells of.

        With a remote engine the relations are written just before the commit; when they cannot be, nothing is
        committed, and when the commit itself fails they are taken back.
        """
        remote = self._remote
        if self._last is not None:
            work = _ended_by(self._last, work, told)
        if remote is None:
            return await self.database.write(lambda connection: work(Shelves(connection, None)))
        staged: list[tuple[str, list[TupleLike], list[TupleLike]]] = []
        delivered: list[tuple[str, list[TupleLike], list[TupleLike]]] = []

        async def deliver() -> None:
            for organization_id, writes, deletes in staged:
                await remote.write(organization_id, writes, deletes, lenient=True)
                delivered.append((organization_id, writes, deletes))

        try:
            return await self.database.write(
                lambda connection: work(Shelves(connection, staged)), before_commit=deliver
            )
        except BaseException:
            for organization_id, writes, deletes in reversed(delivered):
                await remote.write(organization_id, deletes, writes, lenient=True)
            raise


def _ended_by(
    last: Callable[[Shelves, Any], None], work: Callable[[Shelves], T], told: Callable[[T], Any] | None
) -> Callable[[Shelves], T]:
    def both(shelves: Shelves) -> T:
        value = work(shelves)
        last(shelves, value if told is None else told(value))
        return value

    return both
