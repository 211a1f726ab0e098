"""Operations on webhooks: create, get, list, update, delete, rotate the keys, test, look at deliveries, replay.

A webhook acts for whoever created or last changed it: while they may not read the project, nothing is sent.
"""

import re
from collections.abc import Collection, Mapping, Sequence
from datetime import timedelta
from typing import Annotated, Any, Final
from uuid import UUID, uuid4

from pydantic import Field

from auth.rate_limit import CallKind
from persistence.mail_sending import NoMail
from persistence.queries.events import Happening
from persistence.queries.webhooks import OF_RUNS
from persistence.store import UnitOfWork
from persistence.web_addresses import BadAddress, host_of, server_digest
from persistence.webhook_signing import SigningKeys
from resolvers.context import Context
from resolvers.engines.recurrence import zone_of
from resolvers.operation import operation
from resolvers.utils.webhook_secrets import (
    ADDRESS,
    HEADERS,
    SECRETS_OF,
    check_headers,
    check_still_bound,
    key_name,
    packed,
    seal,
    seal_anew,
)
from schema.errors import QuotaExceeded, ValidationError
from schema.governance.permission import Done, Permission
from schema.pagination import Page, PageNumber, PageSize
from schema.utils.event import EventType
from schema.utils.webhook import (
    MOST_REPLAYED,
    DeliveryStatus,
    Webhook,
    WebhookChannel,
    WebhookCreate,
    WebhookDelivery,
    WebhookFormat,
    WebhookHeader,
    WebhookReplay,
    WebhookReplayed,
    WebhookSecret,
    WebhookStatus,
    WebhookTest,
    WebhookUpdate,
)

WebhookId = Annotated[UUID, Field(description="The webhook's id.")]

MOST_WEBHOOKS: Final = 200
"""How many webhooks a project may have."""
BOTH_KEYS: Final = timedelta(days=1)
"""How long after a rotation deliveries are signed with the keys from before as well."""
_CLOCK: Final = re.compile(r"(?:[01][0-9]|2[0-3]):[0-5][0-9]")


@operation(needs=Permission.CAN_CREATE_RESOURCES, kind=CallKind.WRITE)
async def create_webhook(ctx: Context, *, webhook: WebhookCreate) -> WebhookSecret:
    """Create a webhook in the selected project. The answer has its secret, which is shown this once.

    Each event that passes the filter is sent by POST as a CloudEvent, signed with HMAC-SHA256 and ed25519 as the
    Standard Webhooks specification says; with the format `openlineage`, each run that begins or ends as RunEvents. To
    a `chat` and by `email` it goes as a short text for people. It is tried for three days until the receiver answers
    with 2xx.
    """
    await _check_address(ctx, webhook.channel, webhook.url)
    _check_format(webhook.channel, webhook.format, webhook.types)
    _check_waiting(webhook.channel, webhook.model_dump(include={"digest_minutes", "quiet_hours"}))
    check_headers(webhook.channel, webhook.headers)
    now, user = ctx.now(), ctx.caller.user_id
    keys = SigningKeys.fresh() if webhook.channel is WebhookChannel.WEBHOOK else None
    new = Webhook(
        **webhook.model_dump(exclude={"headers"}) | {"url": _shown(webhook.channel, webhook.url)},
        header_names=[one.name for one in webhook.headers],
        id=str(uuid4()),
        organization_id=ctx.organization_id,
        project_id=ctx.project_id,
        status=WebhookStatus.ACTIVE,
        paused_reason=None,
        public_keys=[] if keys is None else [keys.public_key],
        old_keys_until=None,
        failures=0,
        failing_since=None,
        last_delivered_at=None,
        created_by=user,
        updated_by=user,
        created_at=now,
        updated_at=now,
    )

    def work(uow: UnitOfWork) -> WebhookSecret:
        if uow.webhooks.count(ctx.scope) >= MOST_WEBHOOKS:
            raise QuotaExceeded(f"A project has {MOST_WEBHOOKS} webhooks at most. Delete one.", limit=MOST_WEBHOOKS)
        made = uow.webhooks.add(new, caller=ctx.caller.to_dict(), key_version=1, is_slow=False, round=0)
        if webhook.channel is WebhookChannel.CHAT:
            seal(ctx, uow, made.id, ADDRESS, webhook.url.encode(), now)
        if (headers := packed(webhook.headers)) is not None:
            seal(ctx, uow, made.id, HEADERS, headers, now, server_digest(webhook.url))
        if keys is None:
            return WebhookSecret(webhook=made, secret=None)
        seal(ctx, uow, made.id, key_name(1), keys.packed, now)
        return WebhookSecret(webhook=made, secret=keys.secret)

    return await ctx.store.write(work)


@operation(needs=Permission.CAN_READ)
async def get_webhook(ctx: Context, *, webhook_id: WebhookId) -> Webhook:
    """Get a webhook, without its secret."""
    return await ctx.store.read(lambda uow: uow.webhooks.get(ctx.scope, str(webhook_id)))


@operation(needs=Permission.CAN_READ)
async def list_webhooks(
    ctx: Context, *, status: WebhookStatus | None = None, page: PageNumber = 1, limit: PageSize = 20
) -> Page[Webhook]:
    """List the webhooks of the selected project by name."""
    return await ctx.store.read(
        lambda uow: uow.webhooks.page(ctx.scope, offset=(page - 1) * limit, limit=limit, status=status)
    )


@operation(needs=Permission.CAN_WRITE, kind=CallKind.WRITE)
async def update_webhook(ctx: Context, *, webhook_id: WebhookId, changes: WebhookUpdate) -> Webhook:
    """Update a webhook; only the fields that are sent change. From now on it acts for who changed it.

    `headers` take the place of all that stand; a `url` on another server needs them anew, or an empty list. `status`
    active lets a paused webhook go on, with what was in line when it paused. Another digest, or other quiet hours, hold
    for what happens from then on; what was being gathered is told.
    """
    given, now = changes.given(), ctx.now()
    dumped = given.pop("headers", None)
    headers = None if dumped is None else [WebhookHeader(**one) for one in dumped]
    if headers is not None or not given.keys().isdisjoint(("url", "types", "digest_minutes", "quiet_hours")):
        stands = await ctx.store.read(lambda uow: uow.webhooks.get(ctx.scope, str(webhook_id)))
        _check_format(stands.channel, stands.format, given.get("types", ()))
        _check_waiting(stands.channel, given)
        check_headers(stands.channel, headers or ())
        if "url" in given:
            await _check_address(ctx, stands.channel, given["url"])

    def work(uow: UnitOfWork) -> Webhook:
        current = uow.webhooks.held(ctx.scope, str(webhook_id))
        values = dict(given)
        moved = headers is not None and _take_headers(ctx, uow, current, headers, given, values)
        if "url" in given and headers is None:
            check_still_bound(current, current.url, given["url"])
        if "url" in given and current.channel is WebhookChannel.CHAT:
            values["url"] = _shown(current.channel, given["url"])
            moved = seal_anew(ctx, uow, current.id, ADDRESS, given["url"].encode(), now) or moved
        if given.get("status", current.status) is not current.status:
            values |= {"paused_reason": None, "failures": 0, "failing_since": None, "rests_until": None}
        stamps = {"updated_at": now, "updated_by": ctx.caller.user_id}
        expected = ctx.expected_of(current)
        changed = uow.webhooks.change(ctx.scope, current.id, values | stamps, expected=expected, beside=moved)
        if not changed._as_it_stood:
            uow.webhooks.acts_for(changed.id, ctx.caller.to_dict())
        if (changed.digest_minutes, changed.quiet_hours) != (current.digest_minutes, current.quiet_hours):
            uow.webhook_deliveries.tell_now(changed.id, now)
        return changed

    return await ctx.store.write(work)


@operation(needs=Permission.CAN_DELETE, kind=CallKind.WRITE)
async def delete_webhook(ctx: Context, *, webhook_id: WebhookId) -> Done:
    """Delete a webhook with its keys, what is in line for it, and the log of its deliveries."""
    id = str(webhook_id)

    def work(uow: UnitOfWork) -> None:
        uow.webhooks.held(ctx.scope, id)
        uow.webhook_deliveries.remove_all_of(id)
        uow.secrets.remove_all_of(ctx.tenant, SECRETS_OF, id)
        uow.webhooks.remove(ctx.scope, id, expected=ctx.expected_revision)

    done = Done(message="The webhook is deleted.")
    await ctx.store.write(work, told=lambda _: done)
    return done


@operation(needs=Permission.CAN_WRITE, kind=CallKind.WRITE)
async def rotate_webhook_secret(ctx: Context, *, webhook_id: WebhookId) -> WebhookSecret:
    """Give a webhook new keys; the answer has the new secret, which is shown this once.

    For a day deliveries are signed with the old keys as well, so that the receiver can change its own in between.
    Messages to people are not signed. The address of a chat is changed by an update.
    """
    now, keys, id = ctx.now(), SigningKeys.fresh(), str(webhook_id)

    def work(uow: UnitOfWork) -> WebhookSecret:
        current = uow.webhooks.held(ctx.scope, id)
        if current.channel is not WebhookChannel.WEBHOOK:
            raise ValidationError(
                "What goes to people is not signed. If its address became known, update the url.",
                status=422,
                field="channel",
            )
        version = uow.webhooks.key_version(id)
        uow.secrets.forget(ctx.tenant, SECRETS_OF, id, key_name(version - 1))
        seal(ctx, uow, id, key_name(version + 1), keys.packed, now)
        values = {
            "public_keys": [keys.public_key, current.public_keys[0]],
            "old_keys_until": now + BOTH_KEYS,
            "key_version": version + 1,
            "updated_at": now,
            "updated_by": ctx.caller.user_id,
        }
        changed = uow.webhooks.change(ctx.scope, id, values, expected=ctx.expected_of(current))
        return WebhookSecret(webhook=changed, secret=keys.secret)

    return await ctx.store.write(work)


@operation(needs=Permission.CAN_WRITE, kind=CallKind.WRITE)
async def send_webhook_test(ctx: Context, *, webhook_id: WebhookId) -> WebhookTest:
    """Send a test event to one webhook, whatever its filter. How that went is told by the list of its deliveries."""
    now = ctx.now()

    def work(uow: UnitOfWork) -> WebhookTest:
        webhook = uow.webhooks.get(ctx.scope, str(webhook_id))
        if webhook.status is not WebhookStatus.ACTIVE:
            raise ValidationError("This webhook is paused. Set its status to active first.", status=422, field="status")
        said = {"webhook_id": webhook.id, "name": webhook.name, "asked_by": ctx.caller.user_id}
        happening = Happening(EventType.WEBHOOK_TEST, data=said, only_for=webhook.id)
        return WebhookTest(event_id=uow.events.tell(ctx.scope, now, happening)[0])

    return await ctx.store.write(work)


@operation(needs=Permission.CAN_READ)
async def list_webhook_deliveries(
    ctx: Context,
    *,
    webhook_id: WebhookId,
    status: DeliveryStatus | None = None,
    event_id: Annotated[UUID, Field(description="Only deliveries of this event.")] | None = None,
    page: PageNumber = 1,
    limit: PageSize = 20,
) -> Page[WebhookDelivery]:
    """List the deliveries to a webhook, the latest first. They are kept as long as events are."""

    def work(uow: UnitOfWork) -> Page[WebhookDelivery]:
        webhook = uow.webhooks.get(ctx.scope, str(webhook_id))
        about = None if event_id is None else str(event_id)
        window = {"offset": (page - 1) * limit, "limit": limit}
        return uow.webhook_deliveries.log(ctx.scope, webhook.id, **window, status=status, event_id=about)

    return await ctx.store.read(work)


@operation(needs=Permission.CAN_WRITE, kind=CallKind.WRITE)
async def replay_webhook(ctx: Context, *, webhook_id: WebhookId, replay: WebhookReplay) -> WebhookReplayed:
    """Send the events of a window again, in order and under their old ids: those that pass the webhook's filter.

    A window may hold 10,000 events of its types and assets; ask for a shorter one where there are more.
    """
    now = ctx.now()
    until = min(replay.until or now, now)
    if replay.since >= until:
        raise ValidationError("`since` lies before `until`, and has passed.", status=422, field="since")

    def work(uow: UnitOfWork) -> WebhookReplayed:
        webhook = uow.webhooks.held(ctx.scope, str(webhook_id))
        if webhook.status is not WebhookStatus.ACTIVE:
            raise ValidationError("This webhook is paused. Set its status to active first.", status=422, field="status")
        number = uow.webhook_deliveries.replay(webhook, replay.since, until, now, MOST_REPLAYED)
        if number is None:
            raise ValidationError(
                f"There are more than {MOST_REPLAYED} events between these moments. Ask for a shorter time.",
                status=422,
                field="since",
            )
        return WebhookReplayed(deliveries=number)

    return await ctx.store.write(work)


async def _check_address(ctx: Context, channel: WebhookChannel, url: str) -> None:
    try:
        if channel is WebhookChannel.EMAIL:
            ctx.services.mail.check(url)
        else:
            await ctx.services.webhooks.check(url)
    except NoMail as none:
        raise ValidationError(str(none), status=422, field="channel") from None
    except BadAddress as bad:
        raise ValidationError(str(bad), status=422, field="url") from None


def _check_format(channel: WebhookChannel, format: WebhookFormat, types: Collection[EventType]) -> None:
    """Refuse RunEvents of what is no run, and to people."""
    if format is not WebhookFormat.OPENLINEAGE:
        return
    if channel is not WebhookChannel.WEBHOOK:
        raise ValidationError(
            "People get a short text. OpenLineage is for the channel webhook.", status=422, field="format"
        )
    if others := [one.value for one in types if one not in OF_RUNS]:
        raise ValidationError(
            f"OpenLineage tells of runs alone, so of run.started and run.ended and not of {', '.join(others)}. "
            "Leave the types out, or receive the others by a webhook of the format cloudevents.",
            status=422,
            field="types",
        )


def _check_waiting(channel: WebhookChannel, given: Mapping[str, Any]) -> None:
    """Refuse a digest and quiet hours of what goes to a program, and quiet hours that are none."""
    for field in ("digest_minutes", "quiet_hours"):
        if given.get(field) and channel is WebhookChannel.WEBHOOK:
            raise ValidationError(
                "A program gets each event at once. Digests and quiet hours are for the channels chat and email.",
                status=422,
                field=field,
            )
    if quiet := given.get("quiet_hours"):
        for name in ("start", "end"):
            if _CLOCK.fullmatch(quiet[name]) is None:
                field = f"quiet_hours.{name}"
                raise ValidationError("Write a time of day as hh:mm, such as 07:00.", status=422, field=field)
        if quiet["start"] == quiet["end"]:
            raise ValidationError("Quiet hours end at another time than they start.", status=422, field="quiet_hours")
        try:
            zone_of(quiet["timezone"])
        except ValueError as unknown:
            raise ValidationError(str(unknown), status=422, field="quiet_hours.timezone") from None


def _shown(channel: WebhookChannel, url: str) -> str:
    """Return what is shown of an address: of a chat, whose address lets everybody write there, the host alone."""
    return host_of(url) if channel is WebhookChannel.CHAT else url


def _take_headers(
    ctx: Context,
    uow: UnitOfWork,
    webhook: Webhook,
    headers: Sequence[WebhookHeader],
    given: Mapping[str, Any],
    values: dict[str, Any],
) -> bool:
    """Let a webhook carry other headers; whether they are not the same."""
    values["header_names"] = [one.name for one in headers]
    bound_to = server_digest(given.get("url", webhook.url)) if headers else None
    return seal_anew(ctx, uow, webhook.id, HEADERS, packed(headers), ctx.now(), bound_to)
