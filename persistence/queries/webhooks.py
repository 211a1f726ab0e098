"""Webhooks and the deliveries to them: what is put in line, what is due, and how each attempt went.

What is about the same asset is a lane: its deliveries go out one after another, and while the first of them waits to be
tried again, those behind it wait too. Lanes do not wait for one another. One process at a time sends for a webhook,
under a lease that runs out when that process dies.

What goes to people is one lane, but for tests. What is due in it is gathered into a message, which is written down
before it is sent: when it is sent again, it tells the same under the same id.
"""

import hashlib
from collections.abc import Iterable
from datetime import datetime, timedelta
from typing import Any, Final
from uuid import uuid4

import sqlalchemy as sa

from persistence.queries.catalog_rows import chunks
from persistence.queries.filters import at_or_under
from persistence.repository import Repository, Scope
from persistence.tables.events import events
from persistence.tables.webhooks import webhook_deliveries as deliveries
from persistence.tables.webhooks import webhooks
from schema.data_readiness.violation import Severity
from schema.identifiers import Fqn
from schema.pagination import Page
from schema.utils.event import ONLY_BY_NAME, EventType, PlatformEvent
from schema.utils.webhook import DeliveryStatus, Webhook, WebhookChannel, WebhookDelivery, WebhookFormat, WebhookStatus

OF_RUNS: Final = frozenset({EventType.RUN_STARTED, EventType.RUN_ENDED})
"""What a webhook of OpenLineage tells."""
RANKS: Final = {severity: rank for rank, severity in enumerate(Severity)}


class WebhookRepository(Repository[Webhook]):
    """Webhooks of a project."""

    def __init__(self, connection: sa.Connection) -> None:
        super().__init__(connection, Webhook, webhooks, noun="webhook", order=[webhooks.c.name])

    def held(self, scope: Scope, id: str) -> Webhook:
        """One webhook, which nobody else changes until this transaction ends. Raises NotFound."""
        query = self.select(scope).where(webhooks.c.id == id).with_for_update()
        found = self.resources(self._connection.execute(query).all())
        return found[0] if found else self.get(scope, id)

    def count(self, scope: Scope) -> int:
        """Return how many webhooks a project has."""
        query = sa.select(sa.func.count()).select_from(webhooks).where(*self._within(scope))
        return self._connection.execute(query).scalar_one()

    def key_version(self, id: str) -> int:
        """Return which of a webhook's sealed keys is the newest."""
        query = sa.select(webhooks.c.key_version).where(webhooks.c.id == id)
        version: int = self._connection.execute(query).scalar_one()
        return version

    def active_of(self, scope: Scope) -> list[Webhook]:
        """The webhooks of a project that send."""
        query = self.select(scope).where(webhooks.c.status == WebhookStatus.ACTIVE).order_by(webhooks.c.id)
        return self.resources(self._connection.execute(query).all())

    def lease(self, now: datetime, until: datetime, *, most: int, most_struggling: int) -> list[tuple[str, int]]:
        """Take webhooks of all tenants for which something is due: their ids, each with the number of its round.

        At most so many are taken at once in all processes together; of those whose receivers fail or are slow fewer,
        so that they leave places for the others.
        """
        table = webhooks.c
        is_struggling = sa.or_(table.failures > 0, table.is_slow)
        is_taken = table.leased_until > now
        counted = sa.select(is_struggling, sa.func.count()).where(is_taken).group_by(is_struggling)
        busy = {bool(struggles): number for struggles, number in self._connection.execute(counted)}
        taken: list[tuple[str, int]] = []
        for struggling, room in ((False, most), (True, most_struggling)):
            free = room - busy.get(struggling, 0)
            if free <= 0:
                continue
            query = (
                sa.select(table.id, table.round)
                .where(
                    table.status == WebhookStatus.ACTIVE,
                    sa.or_(table.leased_until.is_(None), table.leased_until <= now),
                    sa.or_(table.rests_until.is_(None), table.rests_until <= now),
                    is_struggling if struggling else ~is_struggling,
                    _is_due(now),
                )
                .order_by(sa.func.coalesce(table.leased_until, table.rests_until, table.created_at), table.id)
                .limit(free)
                .with_for_update(skip_locked=True)
            )
            for id, number in self._connection.execute(query).all():
                self._connection.execute(
                    webhooks.update().where(table.id == id).values(leased_until=until, round=number + 1)
                )
                taken.append((id, number + 1))
        return taken

    def leased(self, id: str, round_: int) -> tuple[Webhook, dict[str, Any], int] | None:
        """A webhook that is taken under a round, with its stored caller and newest key; None when it no longer is."""
        query = sa.select(*self._columns, webhooks.c.caller, webhooks.c.key_version).where(
            webhooks.c.id == id, webhooks.c.round == round_, webhooks.c.leased_until.is_not(None)
        )
        row = self._connection.execute(query).first()
        return None if row is None else (self.resources([row])[0], row.caller, row.key_version)

    def any_due(self, now: datetime) -> bool:
        """Return whether something can be sent to any webhook, whether or not somebody is sending."""
        query = sa.select(webhooks.c.id).where(webhooks.c.status == WebhookStatus.ACTIVE, _is_due(now)).limit(1)
        return self._connection.execute(query).first() is not None

    def acts_for(self, id: str, caller: dict[str, Any]) -> None:
        """Let a webhook act for somebody from now on."""
        self._set(id, caller=caller)

    def release(self, id: str, round_: int) -> None:
        """End a round."""
        self._connection.execute(
            webhooks.update().where(webhooks.c.id == id, webhooks.c.round == round_).values(leased_until=None)
        )

    def took(self, id: str, at: datetime, *, is_slow: bool) -> None:
        """Keep that a receiver took an event."""
        self._set(id, failures=0, failing_since=None, rests_until=None, last_delivered_at=at, is_slow=is_slow)

    def failed(self, id: str, at: datetime, rests_until: datetime | None) -> None:
        """Keep that a delivery failed."""
        since = sa.func.coalesce(webhooks.c.failing_since, sa.literal(at, webhooks.c.failing_since.type))
        self._set(id, failures=webhooks.c.failures + 1, failing_since=since, rests_until=rests_until)

    def pause(self, id: str, reason: str, at: datetime) -> None:
        """Let a webhook send nothing more until somebody lets it go on."""
        paused = {"status": WebhookStatus.PAUSED, "paused_reason": reason[:1000], "updated_at": at}
        self._set(id, **paused, revision=webhooks.c.revision + 1)

    def _set(self, id: str, **values: Any) -> None:
        self._connection.execute(webhooks.update().where(webhooks.c.id == id).values(**values))


class WebhookDeliveryRepository(Repository[WebhookDelivery]):
    """Deliveries of events to webhooks."""

    def __init__(self, connection: sa.Connection) -> None:
        order = [deliveries.c.ordinal.desc()]
        super().__init__(connection, WebhookDelivery, deliveries, noun="webhook_delivery", order=order)

    def put_in_line(self, placed: Iterable[tuple[PlatformEvent, str | None]], now: datetime) -> int:
        """Put events that have just got their places in line for the webhooks that want them; how many deliveries."""
        by_project: dict[Scope, list[tuple[PlatformEvent, str | None]]] = {}
        for event, only_for in placed:
            by_project.setdefault(Scope(event.organization_id, event.project_id), []).append((event, only_for))
        rows = []
        for scope, happened in by_project.items():
            active = WebhookRepository(self._connection).active_of(scope)
            due = {webhook.id: self._due(webhook, now) for webhook in active}
            rows += [
                _row(webhook, event, now, now if only_for is not None else due[webhook.id])
                for event, only_for in happened
                for webhook in active
                if (wants(webhook, event) if only_for is None else only_for == webhook.id)
            ]
        for some in chunks(rows):
            self._connection.execute(deliveries.insert(), list(some))
        return len(rows)

    def _due(self, webhook: Webhook, now: datetime) -> datetime:
        """When what happens now is sent: with what is being gathered already, and not in quiet hours."""
        due = now
        if webhook.digest_minutes:
            first = sa.select(sa.func.min(deliveries.c.due_at)).where(*_is_gathered_for(webhook.id))
            begun: datetime | None = self._connection.execute(first).scalar_one()
            due = begun or now + timedelta(minutes=webhook.digest_minutes)
        return due if webhook.quiet_hours is None else webhook.quiet_hours.over_at(due) or due

    def hold_back(self, webhook_id: str, now: datetime, until: datetime) -> None:
        """Let what is due wait, but for tests."""
        held = [*_waits_for(webhook_id), deliveries.c.type != EventType.WEBHOOK_TEST, deliveries.c.due_at <= now]
        self._connection.execute(deliveries.update().where(*held).values(due_at=until))

    def tell_now(self, webhook_id: str, now: datetime) -> None:
        """Let what is being gathered be due."""
        gathered = _is_gathered_for(webhook_id)
        self._connection.execute(deliveries.update().where(*gathered).values(due_at=now))

    def replay(self, webhook: Webhook, since: datetime, until: datetime, now: datetime, most: int) -> int | None:
        """Put the events of a window in line again, in order; how many, or None where there are more than `most`."""
        table = events.c
        where = [
            table.organization_id == webhook.organization_id,
            table.project_id == webhook.project_id,
            table.sequence.is_not(None),
            table.only_for.is_(None),
            table.occurred_at >= since,
            table.occurred_at < until,
        ]
        if webhook.types:
            where.append(table.type.in_([one.value for one in webhook.types]))
        if webhook.asset_prefix is not None:
            where += at_or_under(table.asset_fqn, webhook.asset_prefix)
        names = list(PlatformEvent.model_fields)
        query = sa.select(*(table[name] for name in names)).where(*where).order_by(table.sequence).limit(most + 1)
        found = [PlatformEvent(**dict(zip(names, row, strict=True))) for row in self._connection.execute(query)]
        wanted = [event for event in found if wants(webhook, event)]
        if len(found) > most:
            return None
        for some in chunks([_row(webhook, event, now, now) for event in wanted]):
            self._connection.execute(deliveries.insert(), list(some))
        return len(wanted)

    def heads(self, webhook_id: str, now: datetime, most: int) -> list[WebhookDelivery]:
        """The first delivery that waits in each lane, where it is due, the longest waiting first."""
        query = sa.select(*self._columns).where(
            deliveries.c.webhook_id == webhook_id,
            deliveries.c.status == DeliveryStatus.WAITING,
            deliveries.c.due_at <= now,
            ~_earlier(),
        )
        rows = self._connection.execute(query.order_by(deliveries.c.ordinal).limit(most)).all()
        return self.resources(rows)

    def gathered(self, head: WebhookDelivery, now: datetime, most: int) -> list[WebhookDelivery]:
        """The deliveries that one message tells, of which one is the head of its lane; they are its own from now on."""
        message = head.message_id
        if message is None:
            message = head.id
            own = sa.select(deliveries.c.lane).where(deliveries.c.id == head.id).scalar_subquery()
            due = (
                sa.select(deliveries.c.ordinal)
                .where(
                    *_waits_for(head.webhook_id),
                    deliveries.c.lane == own,
                    deliveries.c.message_id.is_(None),
                    deliveries.c.due_at <= now,
                )
                .order_by(deliveries.c.ordinal)
                .limit(most)
            )
            ordinals = self._connection.execute(due).scalars().all()
            for some in chunks(ordinals):
                self._connection.execute(
                    deliveries.update().where(deliveries.c.ordinal.in_(some)).values(message_id=message)
                )
        query = sa.select(*self._columns).where(*_waits_for(head.webhook_id), deliveries.c.message_id == message)
        return self.resources(self._connection.execute(query.order_by(deliveries.c.ordinal)).all())

    def tried(self, one: WebhookDelivery, **values: Any) -> bool:
        """Keep how an attempt went, for all that the message tells if it is one; False when nothing waits any more."""
        own = deliveries.c.id == one.id if one.message_id is None else deliveries.c.message_id == one.message_id
        changed = self._connection.execute(
            deliveries.update()
            .where(*_waits_for(one.webhook_id), own)
            .values(attempts=deliveries.c.attempts + 1, **values)
        )
        return bool(changed.rowcount)

    def was_told_start(self, of_end: WebhookDelivery, run_id: str) -> bool:
        """Return whether a receiver has taken the start of the run that a delivery tells the end of."""
        lane = sa.select(deliveries.c.lane).where(deliveries.c.id == of_end.id).scalar_subquery()
        query = (
            sa.select(deliveries.c.id)
            .join(events, events.c.id == deliveries.c.event_id)
            .where(
                deliveries.c.webhook_id == of_end.webhook_id,
                deliveries.c.status == DeliveryStatus.DELIVERED,
                deliveries.c.lane == lane,
                deliveries.c.type == EventType.RUN_STARTED,
                events.c.data["run_id"].as_string() == run_id,
            )
            .limit(1)
        )
        return self._connection.execute(query).first() is not None

    def remove_all_of(self, webhook_id: str) -> None:
        """Remove what is in line for a webhook, and its log."""
        self._connection.execute(deliveries.delete().where(deliveries.c.webhook_id == webhook_id))

    def forget(self, before: datetime, most: int) -> int:
        """Remove the oldest records of all tenants from before a moment; how many."""
        old = (
            sa.select(deliveries.c.ordinal)
            .where(deliveries.c.created_at < before, deliveries.c.status != DeliveryStatus.WAITING)
            .order_by(deliveries.c.created_at)
            .limit(most)
        )
        return self._connection.execute(deliveries.delete().where(deliveries.c.ordinal.in_(old))).rowcount

    def log(self, scope: Scope, webhook_id: str, *, offset: int, limit: int, **equals: Any) -> Page[WebhookDelivery]:
        """One window of the deliveries to a webhook, the latest first."""
        return self.page(scope, offset=offset, limit=limit, webhook_id=webhook_id, **equals)


def wants(webhook: Webhook, event: PlatformEvent) -> bool:
    """Return whether an event passes the filter of a webhook."""
    if event.type is EventType.WEBHOOK_TEST or (webhook.types and event.type not in webhook.types):
        return False
    if webhook.format is WebhookFormat.OPENLINEAGE:
        if event.type not in OF_RUNS:
            return False
    elif event.type in ONLY_BY_NAME and not webhook.types:
        return False
    if event.type is EventType.SCORE_FELL and not _fell_below(webhook.score_below, event):
        return False
    if webhook.domains and event.domain not in webhook.domains:
        return False
    if webhook.least_severity is not None and (
        event.severity is None or RANKS[event.severity] < RANKS[webhook.least_severity]
    ):
        return False
    return webhook.asset_prefix is None or (
        event.asset_fqn is not None and _is_in(event.asset_fqn, webhook.asset_prefix)
    )


def _fell_below(limit: float, event: PlatformEvent) -> bool:
    return float(event.data["score"]) < limit <= float(event.data["score_before"])


def _is_in(fqn: str, prefix: str) -> bool:
    name = str(Fqn.parse(prefix))
    return fqn == name or fqn.startswith(f"{name}.")


def _lane(webhook: Webhook, event: PlatformEvent) -> str:
    if webhook.channel is WebhookChannel.WEBHOOK:
        return event.asset_fqn or ""
    return event.type.value if event.type is EventType.WEBHOOK_TEST else ""


def _waits_for(webhook_id: str) -> list[sa.ColumnElement[bool]]:
    return [deliveries.c.webhook_id == webhook_id, deliveries.c.status == DeliveryStatus.WAITING]


def _is_gathered_for(webhook_id: str) -> list[sa.ColumnElement[bool]]:
    """That a delivery waits for a message which is not put together yet."""
    return [*_waits_for(webhook_id), deliveries.c.message_id.is_(None), deliveries.c.type != EventType.WEBHOOK_TEST]


def _row(webhook: Webhook, event: PlatformEvent, now: datetime, due: datetime) -> dict[str, Any]:
    return {
        "id": str(uuid4()),
        "organization_id": event.organization_id,
        "project_id": event.project_id,
        "webhook_id": webhook.id,
        "event_id": event.id,
        "sequence": event.sequence,
        "type": event.type.value,
        "asset_fqn": event.asset_fqn,
        "lane": hashlib.sha256(_lane(webhook, event).encode()).hexdigest(),
        "status": DeliveryStatus.WAITING,
        "attempts": 0,
        "due_at": due,
        "created_at": now,
    }


def _earlier() -> sa.ColumnElement[bool]:
    """That something of the same lane waits before a delivery."""
    before = deliveries.alias("before")
    return (
        sa.exists()
        .where(
            before.c.webhook_id == deliveries.c.webhook_id,
            before.c.status == DeliveryStatus.WAITING,
            before.c.lane == deliveries.c.lane,
            before.c.ordinal < deliveries.c.ordinal,
        )
        .correlate(deliveries)
    )


def _is_due(now: datetime) -> sa.ColumnElement[bool]:
    """That something can be sent to a webhook now."""
    return (
        sa.exists()
        .where(
            deliveries.c.webhook_id == webhooks.c.id,
            deliveries.c.status == DeliveryStatus.WAITING,
            deliveries.c.due_at <= now,
            ~_earlier(),
        )
        .correlate(webhooks)
    )
