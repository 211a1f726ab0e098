"""Defines what an operator's monitoring asks for: how much work waits, runs and has failed, in the text format of
Prometheus.

The figures are of the whole deployment, read from the store, so that every process answers alike. They name no tenant.
"""

import hmac
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime, timedelta
from importlib.util import find_spec
from typing import Any, Final

import sqlalchemy as sa
from pydantic import SecretStr
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from persistence.store import UnitOfWork
from persistence.tables.data_readiness import run_tasks, workflow_runs
from persistence.tables.jobs import workers
from rest_compat.errors import as_api_error, response_of
from rest_compat.request import ContextFactory, state_of
from schema.data_readiness.workflow_run import RunStatus
from schema.errors import Unauthenticated

PATH: Final = "/metrics"
OPEN: Final = (RunStatus.PENDING, RunStatus.RUNNING)
ALIVE: Final = timedelta(seconds=60)

Figure = tuple[str, str, str, Sequence[str], Iterable[tuple[Sequence[str], float]]]
"""The kind of a metric, its name, what it means, the names of its labels, and its values by their labels."""


def metrics_route(token: SecretStr) -> Route:
    """The path, for who shows the token as a bearer's. Raises ValueError without the extra that writes the format."""
    if find_spec("prometheus_client") is None:
        raise ValueError("STOA_METRICS_TOKEN needs a package. Install it with: pip install 'stoa-platform[metrics]'")
    expected = f"Bearer {token.get_secret_value()}".encode()

    async def endpoint(request: Request) -> Response:
        given = request.headers.get("Authorization", "").encode("utf-8", "replace")
        context_factory: ContextFactory = request.app.state.context_factory
        try:
            if not hmac.compare_digest(given, expected):
                raise Unauthenticated("This path takes the token of STOA_METRICS_TOKEN.")
            text, media_type = exposed(await context_factory.services.store.read(figures))
        except Exception as error:
            path, state = request.url.path, state_of(request)
            failure = as_api_error(error, path)
            return response_of(failure, path=path, request_id=state.request_id, trace_id=state.trace_id)
        return Response(text, headers={"Content-Type": media_type, "Cache-Control": "no-store"})

    return Route(PATH, endpoint, methods=["GET"])


def figures(uow: UnitOfWork) -> list[Figure]:
    """Return what stands in the store at this moment; four statements."""
    ask, now = uow.connection.execute, datetime.now(UTC)
    runs = workflow_runs.c
    by_type = sa.select(runs.workflow_type, runs.status, sa.func.count()).group_by(runs.workflow_type, runs.status)
    counted = [(str(kind), str(status), int(number)) for kind, status, number in ask(by_type)]
    is_open = runs.status.in_(OPEN)
    of_open = (
        sa.select(run_tasks.c.status, sa.func.count(), sa.func.count(run_tasks.c.waits_for))
        .join(workflow_runs, runs.id == run_tasks.c.run_id)
        .where(is_open)
        .group_by(run_tasks.c.status)
    )
    tasks = {str(status): (int(number), int(waiting)) for status, number, waiting in ask(of_open)}
    first = ask(sa.select(sa.func.min(runs.created_at)).where(runs.status == RunStatus.PENDING)).scalar_one()
    alive = ask(sa.select(workers.c.heartbeat_at)).scalars().all()
    return [
        (
            "gauge", "stoa_runs", "Workflow runs that are not over.", ("workflow_type", "status"),
            [((kind, status), number) for kind, status, number in counted if status in OPEN],
        ),
        (
            "counter", "stoa_runs_ended", "Workflow runs that are over, by how they ended.",
            ("workflow_type", "status"),
            [((kind, status), number) for kind, status, number in counted if status not in OPEN],
        ),
        (
            "gauge", "stoa_oldest_pending_run_seconds", "How long the oldest run that has not begun has waited.", (),
            [((), 0.0 if first is None else max(0.0, (now - first).total_seconds()))],
        ),
        (
            "gauge", "stoa_tasks", "Tasks of the runs that are not over.", ("status",),
            [((status,), tasks.get(status, (0, 0))[0]) for status in ("pending", "running", "completed", "failed")],
        ),
        (
            "gauge", "stoa_tasks_waiting_for_connection", "Tasks that have no place at their data connection yet.", (),
            [((), sum(waiting for _, waiting in tasks.values()))],
        ),
        (
            "gauge", "stoa_workers", "Processes that take jobs and were heard in the last minute; PostgreSQL only.", (),
            [((), sum(now - heard < ALIVE for heard in alive))],
        ),
    ]  # fmt: skip


def exposed(found: Iterable[Figure]) -> tuple[bytes, str]:
    """The figures in the text format, and its media type."""
    from prometheus_client import CollectorRegistry
    from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily
    from prometheus_client.exposition import CONTENT_TYPE_LATEST, generate_latest

    class Collected:
        def collect(self) -> Iterable[Any]:
            for kind, name, meaning, labels, values in found:
                family = (CounterMetricFamily if kind == "counter" else GaugeMetricFamily)(name, meaning, labels=labels)
                for value_labels, value in values:
                    family.add_metric(value_labels, value)
                yield family

    registry = CollectorRegistry(auto_describe=False)
    registry.register(Collected())  # a collector by its shape
    return generate_latest(registry), CONTENT_TYPE_LATEST
