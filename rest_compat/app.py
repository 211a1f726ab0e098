"""The application: the only place that builds anything. Fakes go in here; nothing is patched."""

import asyncio
import contextlib
import functools
import gc
import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from importlib.metadata import version
from typing import Any

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route, WebSocketRoute
from starlette.types import ASGIApp, Receive, Scope, Send

from auth.issuer import DevelopmentIssuer
from auth.keys import StaticKeys
from auth.local import LocalRelations
from auth.model import platform_model
from auth.openfga import OpenFgaRelations
from auth.rate_limit import RateLimiter, RateWindow
from auth.relations import Relations
from auth.remembered import Remembered
from auth.remote import RemoteRelations
from auth.tokens import TokenVerifier
from persistence.blobs import StoredBlobs
from persistence.connectors.core.gateway import Gateway
from persistence.documents import Documents
from persistence.engine import Database
from persistence.jobs.dbos import DbosJobs
from persistence.jobs.port import Jobs
from persistence.keyring import KeyRing
from persistence.language_models.providers import Models
from persistence.limits import LimitRows
from persistence.mail_sending import MailSender
from persistence.migrations.run import check, upgrade
from persistence.outbound import OutboundPolicy, http_client
from persistence.private import private_folder
from persistence.revisions import Revisions
from persistence.servers.servers import Servers
from persistence.signals import Signals
from persistence.store import Store
from persistence.tuples import StoredTuples
from persistence.webhook_sending import WebhookSender
from resolvers.answer_cache import AnswerCache
from resolvers.context import Services, utc_now
from resolvers.engines.nl2sql.model import Drafter
from resolvers.governance.access import organization_ids
from resolvers.talk2data.answering.analyst import Analyst
from resolvers.talk2data.answering.benchmark_execution import Benchmarking
from resolvers.talk2data.answering.port import TurnEngine
from resolvers.talk2data.answering.turn_execution import Answering
from resolvers.utils.event_sequencing import EventSequencer
from resolvers.utils.schedule_execution import Firings
from resolvers.utils.webhook_delivery import Deliveries
from resolvers.worker import Worker
from rest_compat.assets import assets
from rest_compat.bodies import BodyBounds
from rest_compat.data_readiness import data_readiness
from rest_compat.door import Door
from rest_compat.errors import is_clear, sentence
from rest_compat.explorer import ExplorerAt
from rest_compat.governance import governance
from rest_compat.graphql import GraphEndpoint
from rest_compat.guide import guide_routes
from rest_compat.kept_answers import KeptAnswers
from rest_compat.mcp.endpoint import mcp_routes
from rest_compat.metrics import metrics_route
from rest_compat.middleware import PROBES, RequestMiddleware, probe
from rest_compat.origins import Origins
from rest_compat.pages import ServiceDocument, page_routes
from rest_compat.relations import relation_routes
from rest_compat.request import ContextFactory
from rest_compat.routing import TableRouter
from rest_compat.search import search
from rest_compat.settings import Settings
from rest_compat.sign_in import sign_in_of
from rest_compat.talk2data import talk2data
from rest_compat.utils import utils
from schema.graph import build_graph
from schema.subgraph import build_subgraph

log = logging.getLogger("stoa.app")


@dataclass(frozen=True, slots=True)
class Service:
    """One of the contract's services: its paths, its name and what it answers for."""

    name: str
    title: str
    door: Door
    description: str


SERVICES = (
    Service("governance", "Governance", governance, "Organizations, projects, permissions and secrets."),
    Service(
        "assets",
        "Assets",
        assets,
        "Data connections, registered servers, files, artifacts, and the check of a model's credentials.",
    ),
    Service("utils", "Utils", utils, "The metadata catalog and its search, schedules, context packs and memories."),
    Service("talk2data", "Talk2Data", talk2data, "Chat sessions, their turns, and the stream of each answer."),
    Service(
        "data-readiness",
        "Data Readiness",
        data_readiness,
        "Workflows and their runs, violations, scores, the glossary.",
    ),
    Service("search", "Search", search, "The search index: entities in, entities out, and what a query finds."),
)


@dataclass(slots=True)
class Parts:
    """Holds what a running server consists of. A test gives what it wants to hold in its own hands."""

    settings: Settings
    relations: Relations | None = None
    jobs: Jobs | None = None
    turn_engine: TurnEngine = field(default_factory=Analyst)
    """Who answers the questions of Talk2Data."""
    drafter: Drafter | None = None
    """Who drafts queries where a project names nobody else; the planner when None."""
    apart: bool = False
    """Whether governance is another process, which is asked when its address is set."""
    clock: Callable[[], datetime] = utc_now
    watches: bool = True
    """Whether it looks again and again for what is due, what waits and what nobody needs any more."""
    database: Database = field(init=False)
    services: Services = field(init=False)
    context_factory: ContextFactory = field(init=False)
    worker: Worker = field(init=False)
    firings: Firings = field(init=False)
    events: EventSequencer = field(init=False)
    deliveries: Deliveries = field(init=False)
    _closing: contextlib.AsyncExitStack = field(init=False, default_factory=contextlib.AsyncExitStack)

    async def open(self, *, executes: bool | None = None) -> None:
        """Build everything from the settings, bring the store up to date and take up unfinished work."""
        settings = self.settings
        await asyncio.to_thread(private_folder, settings.data)
        url = settings.resolved_database_url
        await asyncio.to_thread(upgrade if settings.migrate_on_start else check, url)
        self.database = Database(url, pool_size=settings.database_pool)
        self._closing.push_async_callback(self.database.close)
        revisions = Revisions(self.database)
        self._closing.push_async_callback(revisions.close)
        documents = Documents(self.database)
        self._closing.push_async_callback(documents.close)
        remote: OpenFgaRelations | RemoteRelations | None = None
        if self.relations is None and self.apart and settings.governance_url is not None:
            if not url.startswith("postgresql"):  # a file takes one writer: governance could not write within ours
                raise ValueError(
                    "Services apart share one PostgreSQL: set STOA_DATABASE_URL beside STOA_GOVERNANCE_URL."
                )
            self.relations = remote = RemoteRelations(settings)
        elif self.relations is None and settings.openfga_url is not None:
            self.relations = remote = OpenFgaRelations(platform_model(), settings)
        elif self.relations is None:
            remembered = Remembered(revisions)
            self.relations = LocalRelations(platform_model(), StoredTuples(self.database), remembered)
        self._closing.push_async_callback(self.relations.close)
        limiter = RateLimiter.of(settings, settings)
        self._closing.push_async_callback(limiter.close)
        store = Store(self.database, remote)
        outbound = OutboundPolicy(settings)
        if self.jobs is None:
            self.jobs = DbosJobs(settings, self.database, data=settings.data, database_url=url, executes=executes)
        blobs = StoredBlobs(settings, settings.data)
        connectors = Gateway(settings, outbound, store.alone)
        if warning := connectors.left_out(await organization_ids(store)):
            log.warning("%s", warning)
        self.services = Services(
            store=store,
            blobs=blobs,
            relations=self.relations,
            keyring=KeyRing.from_settings(settings, settings.data),
            jobs=self.jobs,
            connectors=connectors,
            models=Models(settings, outbound),
            webhooks=self._webhooks(outbound),
            servers=self._servers(outbound),
            mail=MailSender(settings, timeout=settings.webhook_timeout_seconds),
            limits=settings.limits,
            answers=AnswerCache(revisions, settings.answer_cache_bytes),
            documents=documents,
            clock=self.clock,
            runs=settings,
            turns=settings,
            drafter=self.drafter,
            signals=Signals(settings),
        )
        self.context_factory = ContextFactory(
            services=self.services,
            verifier=self._verifier(outbound),
            limiter=limiter,
            defaults=settings.limits,
            tenant_rows=LimitRows(store),
        )
        self.firings = Firings(self.services, settings)
        self.events = EventSequencer(self.services, settings)
        self.deliveries = Deliveries(self.services, settings)
        answering = Answering(self.services, self.turn_engine, settings)
        self.worker = Worker(self.services, [self.firings, answering, Benchmarking(self.services), self.deliveries])
        self.worker.register()
        await self.jobs.start()
        self._closing.push_async_callback(self.jobs.stop)
        await self.worker.take_up()
        if self.watches:
            for watch in (
                blobs.watch(store, self.clock),
                self.worker.watch(),
                self.firings.watch(),
                self.events.watch(),
                self.deliveries.watch(),
            ):
                self._closing.push_async_callback(_ended, asyncio.create_task(watch))

    async def close(self) -> None:
        """Give everything back, in the opposite order."""
        await self._closing.aclose()

    def _webhooks(self, outbound: OutboundPolicy) -> WebhookSender:
        sender = WebhookSender(outbound, timeout=self.settings.webhook_timeout_seconds)
        self._closing.push_async_callback(sender.close)
        return sender

    def _servers(self, outbound: OutboundPolicy) -> Servers:
        servers = Servers(outbound, self.settings)
        self._closing.push_async_callback(servers.close)
        return servers

    def _verifier(self, outbound: OutboundPolicy) -> TokenVerifier:
        settings = self.settings
        if settings.issuer is None:
            keys = StaticKeys(DevelopmentIssuer(settings.data).key_set())
            return TokenVerifier(settings, keys, clock=self.clock)
        client = http_client(outbound)
        self._closing.push_async_callback(client.aclose)
        provider = settings.provider_keys(client)
        self._closing.push_async_callback(provider.close)
        return TokenVerifier(settings, provider, clock=self.clock)


async def _ended(task: "asyncio.Task[None]") -> None:
    task.cancel()
    with contextlib.suppress(asyncio.CancelledError):
        await task


class Application:
    """The ASGI application. It answers 503 until `open` has finished and after `begin_shutdown`."""

    def __init__(self, parts: Parts, service: str | None = None) -> None:
        self.parts = parts
        self._ready = False
        self._stopping = False
        self._started = asyncio.Event()
        self._failure: BaseException | None = None
        self.services = self.services_of(service)
        self.http = _http_app(self.services, parts.settings, self._is_ready, parts.clock)
        self._front = self._wrapped()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one connection, or the server's lifespan."""
        if scope["type"] == "lifespan":
            await self._lifespan(receive, send)
        else:
            await self._front(scope, receive, send)

    @staticmethod
    def services_of(name: str | None) -> list[Service]:
        """The service of a name, or all of them. Raises ValueError where there is no such one."""
        found = [service for service in SERVICES if name in (None, service.name)]
        if not found:
            raise ValueError(f"There is no service {name!r}. Choose one of: {', '.join(s.name for s in SERVICES)}.")
        return found

    def begin_shutdown(self) -> None:
        """From now on every path but the probes answers 503, and open streams end."""
        self._stopping = True
        if self._ready:
            self.parts.services.signals.close()

    async def started(self) -> bool:
        """Wait until start-up has ended, and say whether it went well."""
        await self._started.wait()
        return self._is_ready()

    def _is_ready(self) -> bool:
        return self._ready and not self._stopping

    def _wrapped(self) -> ASGIApp:
        settings = self.parts.settings
        return RequestMiddleware(
            KeptAnswers(self.http, lambda: self.parts.context_factory if self._ready else None),
            ready=self._is_ready,
            peek=self._peek,
            bodies=BodyBounds(settings.max_body_bytes, settings.request_body_seconds, settings.least_transfer_rate),
            max_upload_bytes=settings.max_upload_bytes,
            within=lambda app: Origins(app, settings.cors_origins) if settings.cors_origins.strip(" ,") else app,
        )

    async def _peek(self, scope: Scope) -> RateWindow | None:
        return await self.parts.context_factory.peek(Request(scope)) if self._ready else None

    async def open(self) -> None:
        """Start up."""
        await self.parts.open()
        self.http.state.context_factory = self.parts.context_factory
        self._ready = True
        self._started.set()
        gc.freeze()  # what start-up made lives as long as the process; the collector need not walk it again

    async def close(self) -> None:
        """Shut down."""
        self._stopping = True
        gc.unfreeze()  # so that what is left can be collected in order when the process ends
        await self.parts.close()

    async def _lifespan(self, receive: Receive, send: Send) -> None:
        """Let the server listen at once, and start up behind the 503."""
        await receive()
        opening = asyncio.create_task(self.open())
        await send({"type": "lifespan.startup.complete"})
        stop = asyncio.create_task(_shutdown(receive))
        await asyncio.wait({opening, stop}, return_when=asyncio.FIRST_COMPLETED)
        if opening.done() and (failure := opening.exception()) is not None:
            self._failure = failure
            self._started.set()
            told = is_clear(failure) and not log.isEnabledFor(logging.DEBUG)
            log.error("start-up failed: %s", sentence(failure), exc_info=None if told else failure)
            self.on_failure()
        await stop
        if not opening.done():
            opening.cancel()
        with contextlib.suppress(asyncio.CancelledError, Exception):
            await opening
        await self.close()
        await send({"type": "lifespan.shutdown.complete"})

    on_failure: Callable[[], Any] = staticmethod(lambda: None)
    """What to do when start-up fails; the command line ends the server."""

    @property
    def failure(self) -> BaseException | None:
        """Return why start-up failed, if it did."""
        return self._failure


async def _shutdown(receive: Receive) -> None:
    while (await receive())["type"] != "lifespan.shutdown":
        pass


class _Http(Starlette):
    """The paths, without the library's two layers for failures: `RequestMiddleware` answers those of all paths."""

    def build_middleware_stack(self) -> ASGIApp:
        """Serve by the routes alone."""
        return self.router


def _http_app(
    services: Sequence[Service], settings: Settings, ready: Callable[[], bool], clock: Callable[[], datetime]
) -> Starlette:
    app = _Http()
    app.state.unknown_parameters = settings.unknown_parameters
    app.router = TableRouter([])
    for service in services:
        app.router.routes.extend(service.door.routes)

    def document(service: Service) -> Callable[[Request], Response]:
        # Not a coroutine, so that the first request, which makes the document, holds up nobody else.
        return lambda _request: JSONResponse(openapi_of(service))

    for service in services:
        app.router.routes.append(Route(f"{service.door.prefix}/openapi.json", document(service)))
    # One service alone is the whole.
    app.router.routes.append(Route("/openapi.json", document(services[0]) if len(services) == 1 else _whole))
    if any(service.name == "governance" for service in services) and settings.service_key is not None:
        app.router.routes.extend(relation_routes(settings.service_key))
    if settings.metrics_token is not None:
        app.router.routes.append(metrics_route(settings.metrics_token))
    graph = build_subgraph(services[0].name, settings) if len(services) == 1 else build_graph(settings)
    endpoint = GraphEndpoint(graph, settings, clock, multipart_uploads_enabled=True)
    pages = [ServiceDocument(s.name, s.title, s.description, f"{s.door.prefix}/openapi.json") for s in services]
    app.router.routes.append(Route("/graphql", ExplorerAt(endpoint, pages), methods=["GET", "POST"]))
    app.router.routes.append(WebSocketRoute("/graphql", endpoint))
    app.router.routes.extend(mcp_routes([route for service in services for route in service.door.routes], settings))
    app.router.routes.extend([*guide_routes(), *page_routes(pages, sign_in_of(settings))])
    for path in sorted(PROBES):
        app.router.routes.append(Route(path, probe(ready if path == "/readyz" else lambda: True)))
    return app


@functools.cache
def openapi_of(service: Service) -> dict[str, Any]:
    """The OpenAPI 3.0 document of one service, made when it is first asked for. Not to be changed."""
    from rest_compat.openapi.document import document_of

    return document_of(
        service.door, title=service.title, version=version("stoa-platform"), description=service.description
    )


@functools.cache
def whole_openapi() -> dict[str, Any]:
    """The OpenAPI 3.0 document of all services together, made when it is first asked for. Not to be changed."""
    from rest_compat.openapi.document import READING
    from rest_compat.openapi.whole import whole_of

    services = {service.title: openapi_of(service) for service in SERVICES}
    return whole_of(services, title="Stoa", description=f"All services of the platform. {READING}")


def _whole(_request: Request) -> Response:
    return JSONResponse(whole_openapi())


def create_app(settings: Settings | None = None, *, service: str | None = None, **parts: Any) -> Application:
    """The application for the settings of the environment, or for given ones; `parts` replaces what a test holds."""
    apart = service not in (None, "governance")
    return Application(Parts(settings or Settings(), apart=apart, **parts), service)
