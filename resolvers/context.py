"""Defines what an operation may touch. Every door builds the same one."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import cached_property
from typing import Any, Final

from auth.caller import Caller
from auth.guard import Guard
from auth.rate_limit import Limits, RateWindow
from auth.relations import Relations
from persistence.blobs import Blobs
from persistence.connectors.core.gateway import Gateway
from persistence.documents import Documents
from persistence.jobs.port import Jobs
from persistence.jobs.slots import RunSettings
from persistence.keyring import KeyRing
from persistence.language_models.providers import Models
from persistence.mail_sending import MailSender
from persistence.queries.asset_pages import Hits
from persistence.repository import Expected, Scope, meets
from persistence.revisions import Asked
from persistence.servers.servers import Servers
from persistence.signals import Signals
from persistence.store import Store, UnitOfWork
from persistence.turn_limits import TurnSettings
from persistence.webhook_sending import WebhookSender
from resolvers.answer_cache import AnswerCache
from resolvers.engines.nl2sql.model import Drafter
from resolvers.loaders import Loaders
from resolvers.recently import Recently
from schema.base import Resource
from schema.errors import MissingRequiredField
from schema.governance.audit import Door
from schema.governance.viewer import Budget, BudgetKind

SPENT_SECONDS: Final = 3600.0
"""For how long it is not told again that somebody has nearly spent a budget of calls."""


def utc_now() -> datetime:
    """The clock that a running server uses."""
    return datetime.now(UTC)


Charging = Callable[[Mapping[str, int], int], Awaitable[None]]
StoreGuard = Callable[[UnitOfWork, Any], None]


@dataclass(frozen=True, slots=True)
class Services:
    """The parts of a running platform that outlive a request; `rest_compat/app.py` builds them once."""

    store: Store
    relations: Relations
    keyring: KeyRing
    jobs: Jobs
    connectors: Gateway
    models: Models
    blobs: Blobs
    limits: Limits
    """The deployment's rate limits, which a tenant's own stand over."""
    answers: AnswerCache
    """Answers about catalogs that are given again."""
    documents: Documents
    """What stores assets as they are answered."""
    webhooks: WebhookSender
    """What sends events to addresses."""
    servers: Servers
    """What calls the registered servers of others."""
    mail: MailSender
    """What sends messages to people by e-mail."""
    clock: Callable[[], datetime] = utc_now
    runs: RunSettings = field(default_factory=RunSettings)
    """How much runs may do at once, and for how long."""
    hits: Hits = field(default_factory=Hits)
    """What searches of catalogs have found."""
    turns: TurnSettings = field(default_factory=TurnSettings)
    """How long answers may take, and how much of a source they may bring."""
    drafter: Drafter | None = None
    """Who drafts queries where a project names nobody else; the planner when None."""
    refusals: Recently = field(default_factory=lambda: Recently(60))
    """The refusals that this process has just written into audit logs."""
    spent: Recently = field(default_factory=lambda: Recently(SPENT_SECONDS))
    """Whose budget of calls this process has told to be nearly spent."""
    signals: Signals = field(default_factory=Signals)
    """The bells of this process: who changes a run or a turn rings, who follows one listens."""


@dataclass
class Context:
    """The caller, their request, and the parts that operations use."""

    caller: Caller
    request_id: str
    services: Services
    guard: Guard
    trace_id: str | None = None
    charging: Charging | None = None
    """How a door that learns late what it is asked for charges the caller's windows."""
    budget: Callable[[], Awaitable[Sequence[tuple[str, RateWindow]]]] | None = None
    """How a door tells the caller's windows, each with its kind."""
    expected_revision: frozenset[int] | None = None
    """What `If-Match` named; a write to any other revision is a VERSION_CONFLICT. Nothing may be expected: None."""
    idempotency_key: str | None = None
    """Under which name a write is done once; the doors hand it to `resolvers.idempotency.once`."""
    operations_called: int = 1
    """How many operations the request calls; each of several has a key of its own."""
    called: list[tuple[Any, Mapping[str, Any]]] = field(default_factory=list)
    """The operations that were called and answer of the catalog alone, each with its arguments."""
    writes_only: bool = False
    """Whether the door writes an answer as it is, and reads nothing of it."""
    catalog_only: bool = False
    """Whether the whole answer is made of nothing else, as far as a door knows."""
    look: Callable[[], Asked] | None = None
    """What begins a look at the catalog's revision, where a door may keep the answer."""
    catalog_revision: str = ""
    """What the catalog was at before anything of it was read, or as it was; empty where an answer is not kept."""
    readmit: Callable[[], Awaitable[None]] | None = None
    """What a door asked of the caller's rights before the operation, to be asked again. Raises what it raised."""
    store_guard: StoreGuard | None = None
    """What ends every transaction that writes; it is given what the work answered."""
    door: Door = Door.JOB
    """How the call came in; what is called in no request is called by a job."""
    audited: bool = False
    """Whether the call has its entry in the audit log by whoever began it."""

    @property
    def store(self) -> Store:
        """Return where the platform keeps its own records."""
        store = self.services.store
        return store if self.store_guard is None else store.guarded(self.store_guard)

    def guarded(self, last: StoreGuard) -> "Context":
        """The same context, where every transaction that writes ends with `last` as well."""
        before = self.store_guard

        def both(uow: UnitOfWork, value: Any) -> None:
            if before is not None:
                before(uow, value)
            last(uow, value)

        return replace(self, store_guard=both)

    def expected_of(self, standing: Resource) -> Expected:
        """Return what a write expects that has read what stands: a revision that `If-Match` named, or none but this
        one.
        """
        return standing._revision if self.expected_revision is None else self.expected_revision

    def expects_another(self, revision: int | None) -> bool:
        """Return whether `If-Match` named revisions, and not this one."""
        return not meets(revision, self.expected_revision)

    def now(self) -> datetime:
        """The current moment, in UTC."""
        return self.services.clock()

    @cached_property
    def load(self) -> Loaders:
        """The batched reads behind edges; one instance per request."""
        return Loaders(self.store, self.services.relations, self.guard, self.caller)

    async def charge(self, costs: Mapping[str, int], *, most: int) -> None:
        """Charge each kind's window once per operation. Raises what the door raises for a window that is full."""
        if self.charging is not None:
            await self.charging(costs, most)

    async def budget_left(self) -> list[Budget]:
        """How many calls of each kind the caller has left; nothing where the door keeps no windows."""
        windows = [] if self.budget is None else await self.budget()
        return [
            Budget(
                kind=BudgetKind(kind),
                limit=window.limit,
                remaining=window.remaining,
                resets_at=datetime.fromtimestamp(window.reset, UTC),
            )
            for kind, window in windows
        ]

    async def look_first(self) -> None:
        """Look at the catalog before anything of it is read, and at relations where it is not sure how they are."""
        asked = None if self.look is None or self.catalog_revision else self.look()
        unsure = self.guard.unsure
        if unsure is not None:
            await unsure.confirmed()  # in the same look; what comes of it is for `Operation`
        if asked is not None:
            self._catalog_at(await asked())

    def told(self, relations: str, catalog: str) -> None:
        """Take in what relations and the catalog were at when something was read of it, in the very statement."""
        self.guard.tell(self.organization_id, relations)
        if self.look is not None:
            self._catalog_at(catalog)

    def _catalog_at(self, revision: str) -> None:
        """Keep the revision that the answer may be kept by, unless it is made of more than one state or none."""
        if revision and self.catalog_revision in ("", revision):
            self.catalog_revision = revision
        else:
            self.catalog_only = False

    async def sure(self) -> None:
        """Make sure of what was assumed about the caller's rights, where no operation did. Raises what the door did."""
        unsure = self.guard.unsure
        if unsure is not None and not await unsure.confirmed():
            await self.admit_anew()

    async def admit_anew(self) -> None:
        """Forget what was decided about the caller, and ask again what a door asked before. Raises what it did."""
        self.guard.forget()
        if self.readmit is not None:
            await self.readmit()

    @property
    def organization_id(self) -> str:
        """The caller's tenant; always from the token."""
        return self.caller.organization_id

    @property
    def project_id(self) -> str:
        """The selected project. Raises MissingRequiredField when the request names none."""
        if self.caller.project_id is None:
            raise MissingRequiredField(
                "No project is selected: send the X-Project-ID header or a token with a project_id claim.",
                field="X-Project-ID",
            )
        return self.caller.project_id

    @property
    def scope(self) -> Scope:
        """The caller's organization and selected project."""
        return Scope(self.organization_id, self.project_id)

    @property
    def tenant(self) -> Scope:
        """The caller's whole organization."""
        return Scope(self.organization_id)

    def as_caller(self, caller: Caller) -> "Context":
        """The same parts for another caller; the guard's answers of this request are not shared."""
        return replace(self, caller=caller, guard=self.guard.fresh())
