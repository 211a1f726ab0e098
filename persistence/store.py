"""The store: one repository per resource, read or written a whole unit of work at a time."""

from collections.abc import Callable, Iterable, Sequence
from functools import cached_property
from typing import Any, NamedTuple, Protocol, TypeVar

import sqlalchemy as sa

from persistence.engine import Database
from persistence.queries.audit import AuditRepository
from persistence.queries.benchmarks import BenchmarkRepository
from persistence.queries.chat import TurnRepository
from persistence.queries.chat_learning import AnswerNoteRepository, ChatSettingsRepository
from persistence.queries.chat_overlap import AnsweredRepository
from persistence.queries.chat_provenance import ProvenanceRepository
from persistence.queries.chat_sessions import SessionRepository
from persistence.queries.classifications import ClassificationRepository
from persistence.queries.connections import ConnectionRepository
from persistence.queries.events import EventRepository
from persistence.queries.files import ContentRepository, kept_blobs
from persistence.queries.glossary import GlossaryTermRepository, TermAssetRepository
from persistence.queries.idempotency import IdempotencyRepository
from persistence.queries.knowledge import ContextPackRepository, MemoryRepository
from persistence.queries.lineage import LineageRepository
from persistence.queries.metric_results import MetricResultRepository
from persistence.queries.pipelines import PipelineRepository
from persistence.queries.profiles import ProfileRepository
from persistence.queries.projects import ProjectRepository
from persistence.queries.proposals import ProposalRepository
from persistence.queries.quality import (
    DimensionRepository,
    MetricDefinitionRepository,
    ViolationDefinitionRepository,
)
from persistence.queries.rate_limits import RateLimitRepository
from persistence.queries.rules import QualityRuleRepository, RuleExecutionRepository
from persistence.queries.run_tasks import RunTaskRepository
from persistence.queries.schedules import ScheduleRepository, ScheduleRunRepository
from persistence.queries.search import SearchRepository
from persistence.queries.secrets import SecretRepository
from persistence.queries.servers import SERVER_KINDS, ServerCallRepository, ServerRepository
from persistence.queries.slots import SlotRepository
from persistence.queries.suspects import SuspectRepository, SuspectVerdictRepository
from persistence.queries.violations import ViolationEventRepository, ViolationRepository
from persistence.queries.webhooks import WebhookDeliveryRepository, WebhookRepository
from persistence.queries.workflows import ConfigurationRepository, RunRepository
from persistence.repository import Repository, Scope
from persistence.tables import files as files_table
from persistence.tables import governance
from persistence.tuples import WritableTuple, write_tuples
from schema.assets.artifact import Artifact
from schema.assets.file import File
from schema.governance.organization import Organization

T = TypeVar("T")


class RelationsServer(Protocol):
    """An authorization engine that is a server of its own, and so cannot share our transaction."""

    async def write(
        self, store: str, writes: Sequence[Any] = (), deletes: Sequence[Any] = (), *, lenient: bool = False
    ) -> None:
        """Write and delete all or none; lenient: what already stands or is already gone is no failure."""


class _Staged(NamedTuple):
    """Relations that are written with a transaction, where they live in a server of their own."""

    organization_id: str
    writes: list[WritableTuple]
    deletes: list[WritableTuple]
    lenient: bool


class UnitOfWork:
    """Every repository over one connection, and so inside one transaction."""

    def __init__(self, connection: sa.Connection, staged: "list[_Staged] | None") -> None:
        self.connection = connection
        self._staged = staged

    @cached_property
    def organizations(self) -> Repository[Organization]:
        """Tenants."""
        return Repository(self.connection, Organization, governance.organizations, noun="organization")

    @cached_property
    def projects(self) -> ProjectRepository:
        """Projects of an organization."""
        return ProjectRepository(self.connection)

    @cached_property
    def rate_limits(self) -> RateLimitRepository:
        """Limits that organizations have of their own."""
        return RateLimitRepository(self.connection)

    @cached_property
    def idempotency(self) -> IdempotencyRepository:
        """Keys of idempotency, and what was answered under them."""
        return IdempotencyRepository(self.connection)

    @cached_property
    def audit(self) -> AuditRepository:
        """Who did what, and was allowed to."""
        return AuditRepository(self.connection)

    @cached_property
    def secrets(self) -> SecretRepository:
        """Sealed values."""
        return SecretRepository(self.connection)

    @cached_property
    def data_connections(self) -> ConnectionRepository:
        """Registered stores."""
        return ConnectionRepository(self.connection)

    @cached_property
    def registered_servers(self) -> ServerRepository:
        """Servers of tools and APIs that can be called."""
        return ServerRepository(self.connection)

    @cached_property
    def server_calls(self) -> ServerCallRepository:
        """Return what was called at them."""
        return ServerCallRepository(self.connection)

    @cached_property
    def files(self) -> ContentRepository[File]:
        """Uploaded files."""
        return ContentRepository(self.connection, File, files_table.files, key="resource_uri", noun="file")

    @cached_property
    def artifacts(self) -> ContentRepository[Artifact]:
        """Artifacts."""
        return ContentRepository(self.connection, Artifact, files_table.artifacts, key="resource_uri", noun="artifact")

    def kept_blobs(self, names: Sequence[str]) -> set[str]:
        """Return which of these blobs a row names, whoever's it is."""
        return kept_blobs(self.connection, names)

    @cached_property
    def workflow_configurations(self) -> ConfigurationRepository:
        """Workflow configurations."""
        return ConfigurationRepository(self.connection)

    @cached_property
    def pipeline_runs(self) -> PipelineRepository:
        """Pipelines of run-all-enrichment."""
        return PipelineRepository(self.connection)

    @cached_property
    def proposals(self) -> ProposalRepository:
        """Return what runs propose, and what was decided about it."""
        return ProposalRepository(self.connection)

    @cached_property
    def table_profiles(self) -> ProfileRepository:
        """Return what runs have measured of tables and columns."""
        return ProfileRepository(self.connection)

    @cached_property
    def workflow_runs(self) -> RunRepository:
        """Workflow runs."""
        return RunRepository(self.connection)

    @cached_property
    def run_tasks(self) -> RunTaskRepository:
        """Tasks of runs."""
        return RunTaskRepository(self.connection)

    @cached_property
    def slots(self) -> SlotRepository:
        """Places at connections."""
        return SlotRepository(self.connection)

    @cached_property
    def search(self) -> SearchRepository:
        """The search index."""
        return SearchRepository(self.connection)

    @cached_property
    def schedules(self) -> ScheduleRepository:
        """Schedules."""
        return ScheduleRepository(self.connection)

    @cached_property
    def schedule_runs(self) -> ScheduleRunRepository:
        """Records of what schedules fired."""
        return ScheduleRunRepository(self.connection)

    @cached_property
    def dimensions(self) -> DimensionRepository:
        """Dimensions of quality."""
        return DimensionRepository(self.connection)

    @cached_property
    def metric_definitions(self) -> MetricDefinitionRepository:
        """Return what is counted for each dimension."""
        return MetricDefinitionRepository(self.connection)

    @cached_property
    def metric_results(self) -> MetricResultRepository:
        """Return what runs have measured."""
        return MetricResultRepository(self.connection)

    @cached_property
    def violation_definitions(self) -> ViolationDefinitionRepository:
        """Kinds of violation."""
        return ViolationDefinitionRepository(self.connection)

    @cached_property
    def violations(self) -> ViolationRepository:
        """Return what is wrong."""
        return ViolationRepository(self.connection)

    @cached_property
    def violation_events(self) -> ViolationEventRepository:
        """The history of violations."""
        return ViolationEventRepository(self.connection)

    @cached_property
    def suspect_cells(self) -> SuspectRepository:
        """Cells that the latest assessments hold for wrong."""
        return SuspectRepository(self.connection)

    @cached_property
    def lineage(self) -> LineageRepository:
        """Which columns depend on which, by the statements that say so."""
        return LineageRepository(self.connection)

    @cached_property
    def suspect_verdicts(self) -> SuspectVerdictRepository:
        """Return what people said of such cells."""
        return SuspectVerdictRepository(self.connection)

    @cached_property
    def quality_rules(self) -> QualityRuleRepository:
        """Return what is expected of data."""
        return QualityRuleRepository(self.connection)

    @cached_property
    def rule_executions(self) -> RuleExecutionRepository:
        """Return what evaluating rules came to."""
        return RuleExecutionRepository(self.connection)

    @cached_property
    def classifications(self) -> ClassificationRepository:
        """Tags that engines find, with what people decided."""
        return ClassificationRepository(self.connection)

    @cached_property
    def glossary_terms(self) -> GlossaryTermRepository:
        """Words of the business."""
        return GlossaryTermRepository(self.connection)

    @cached_property
    def term_assets(self) -> TermAssetRepository:
        """Links from terms to assets."""
        return TermAssetRepository(self.connection)

    @cached_property
    def chat_sessions(self) -> SessionRepository:
        """Chat sessions."""
        return SessionRepository(self.connection)

    @cached_property
    def turns(self) -> TurnRepository:
        """Turns of chat sessions."""
        return TurnRepository(self.connection)

    @cached_property
    def chat_settings(self) -> ChatSettingsRepository:
        """Return how projects want to be answered."""
        return ChatSettingsRepository(self.connection)

    @cached_property
    def answer_notes(self) -> AnswerNoteRepository:
        """Return what people found wrong with answers."""
        return AnswerNoteRepository(self.connection)

    @cached_property
    def turn_provenance(self) -> ProvenanceRepository:
        """Return where the answers of turns come from."""
        return ProvenanceRepository(self.connection)

    @cached_property
    def benchmarks(self) -> BenchmarkRepository:
        """Questions with right answers, and what they came to."""
        return BenchmarkRepository(self.connection)

    @cached_property
    def answered(self) -> AnsweredRepository:
        """Return what users were told of the rows of protected tables."""
        return AnsweredRepository(self.connection)

    @cached_property
    def events(self) -> EventRepository:
        """Return what has become true."""
        return EventRepository(self.connection)

    @cached_property
    def webhooks(self) -> WebhookRepository:
        """Addresses that events are sent to."""
        return WebhookRepository(self.connection)

    @cached_property
    def webhook_deliveries(self) -> WebhookDeliveryRepository:
        """Return what was sent to them, and what is in line."""
        return WebhookDeliveryRepository(self.connection)

    @cached_property
    def context_packs(self) -> ContextPackRepository:
        """Context packs."""
        return ContextPackRepository(self.connection)

    @cached_property
    def memories(self) -> MemoryRepository:
        """Memories of context packs."""
        return MemoryRepository(self.connection)

    def relate(
        self,
        organization_id: str,
        writes: Iterable[WritableTuple] = (),
        deletes: Iterable[WritableTuple] = (),
        *,
        lenient: bool = True,
    ) -> None:
        """Write relations as part of this transaction: they stand when it commits, and never without it.

        Unless lenient, what stands already raises AlreadyExists, and what is to be deleted and does not NotFound.
        """
        staged = _Staged(organization_id, list(writes), list(deletes), lenient)
        if self._staged is None:
            write_tuples(self.connection, organization_id, staged.writes, staged.deletes, lenient=lenient)
        else:
            self._staged.append(staged)

    def stands(self, organization_id: str, object_type: str, object_id: str) -> bool:
        """Return whether the organization holds the object, whatever its project."""
        scope = Scope(organization_id)
        uow: dict[str, Repository[Any]] = {
            "project": self.projects,
            "data_connection": self.data_connections,
            "file": self.files,
            "artifact": self.artifacts,
        }
        if object_type in SERVER_KINDS:
            return self.registered_servers.find(scope, object_id, kind=SERVER_KINDS[object_type]) is not None
        return object_type in uow and uow[object_type].find(scope, object_id) is not None


class Store:
    """Runs units of work on the uow. `remote` is given when relations live in a server of their own."""

    def __init__(
        self,
        database: Database,
        remote: RelationsServer | None = None,
        *,
        last: Callable[[UnitOfWork, Any], None] | None = None,
    ) -> None:
        self.database = database
        self._remote = remote
        self._last = last

    def guarded(self, last: Callable[[UnitOfWork, Any], None]) -> "Store":
        """The same store, where `last` ends every transaction that writes, and is given what the work answered."""
        return Store(self.database, self._remote, last=last)

    async def read(self, work: Callable[[UnitOfWork], T]) -> T:
        """Run a unit that only reads."""
        return await self.database.read(lambda connection: work(UnitOfWork(connection, None)))

    async def alone(self, organization_id: str) -> bool:
        """Return whether no other organization stands in the store."""
        others = governance.organizations.c.id != organization_id
        query = sa.select(sa.exists().where(others))
        return not await self.read(lambda uow: uow.connection.execute(query).scalar_one())

    async def write(self, work: Callable[[UnitOfWork], T], *, told: Callable[[T], Any] | None = None) -> T:
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
            return await self.database.write(lambda connection: work(UnitOfWork(connection, None)))
        staged: list[_Staged] = []
        delivered: list[_Staged] = []

        async def deliver() -> None:
            for one in staged:
                await remote.write(one.organization_id, one.writes, one.deletes, lenient=one.lenient)
                delivered.append(one)

        try:
            return await self.database.write(
                lambda connection: work(UnitOfWork(connection, staged)), before_commit=deliver
            )
        except BaseException:
            for one in reversed(delivered):
                await remote.write(one.organization_id, one.deletes, one.writes, lenient=True)
            raise


def _ended_by(
    last: Callable[[UnitOfWork, Any], None], work: Callable[[UnitOfWork], T], told: Callable[[T], Any] | None
) -> Callable[[UnitOfWork], T]:
    def both(uow: UnitOfWork) -> T:
        value = work(uow)
        last(uow, value if told is None else told(value))
        return value

    return both
