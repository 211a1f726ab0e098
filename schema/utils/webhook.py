"""A webhook sends events of a project to an address: to programs, signed as the Standard Webhooks specification says,
or to people, as a short text.
"""

from datetime import UTC, datetime, time, timedelta
from enum import StrEnum
from typing import Annotated, Final
from zoneinfo import ZoneInfo

from pydantic import Field

from schema.base import Change, Maybe, Resource, Size, change, choice, resource
from schema.data_readiness.violation import Severity
from schema.grammar import ANY_NAME
from schema.headers import HeaderName, HeaderValue
from schema.identifiers import UuidText
from schema.naming import Name
from schema.node import entity
from schema.pagination import Moment
from schema.utils.event import Domain, EventType

MOST_REPLAYED: Final = 10_000
"""How many events one replay sends again."""

WebhookUrl = Annotated[
    str,
    Field(
        min_length=1,
        max_length=2000,
        pattern=r"^(https?://|mailto:)[^\s]+$",
        description="An https or http address without a user or a fragment. Where it leads is checked by the rules "
        "of the deployment for outbound connections, now and at each delivery; redirects are not followed. Of the "
        "channel email: mailto: and up to 20 plain addresses with commas between them.",
    ),
]
EventTypes = Annotated[
    list[EventType],
    Field(max_length=50, description="Only events of these types; an empty list means all but `run.started`."),
]
Domains = Annotated[list[Domain], Field(max_length=100, description="Only events of these domains; empty: all.")]
AssetPrefix = Annotated[
    str,
    Field(min_length=1, max_length=2000, description="Only events about this asset and what is in it."),
    ANY_NAME,
]
LeastSeverity = Annotated[Severity, Field(description="Only events that are at least as bad as this.")]


@choice
class WebhookChannel(StrEnum):
    """To whom a webhook sends, and in which form."""

    WEBHOOK = "webhook"
    """To a program: each event as a signed CloudEvent."""
    CHAT = "chat"
    """To people in a chat, by its incoming webhook: a short text as `{"text": "..."}`. What is in line by then goes in
    one message. The address is itself a secret; it is sealed and never shown again.
    """
    EMAIL = "email"
    """To people by e-mail, where the deployment has a mail server: the same text, to the addresses of a `mailto:`."""


@choice
class WebhookFormat(StrEnum):
    """What a webhook sends to a program."""

    CLOUDEVENTS = "cloudevents"
    """Each event as a CloudEvent 1.0."""
    OPENLINEAGE = "openlineage"
    """Each run as RunEvents of OpenLineage, one request each: START when it begins, then COMPLETE, FAIL or ABORT."""


@resource
class QuietHours(Resource):
    """Hours of each day in which people are told nothing. What happens then is told in one message when they end."""

    start: str = Field(description="When they begin, such as `22:00`, by the clocks of the time zone.")
    end: str = Field(description="When they end, such as `07:00`: the next day where that is before the start.")
    timezone: str = Field(description="IANA time zone, such as `Europe/Berlin`.")

    def over_at(self, moment: datetime) -> datetime | None:
        """When the quiet hours end that a moment lies in, in UTC; None when it lies in none."""
        zone = ZoneInfo(self.timezone)
        local = moment.astimezone(zone)
        now, start, end = local.time(), time.fromisoformat(self.start), time.fromisoformat(self.end)
        quiet = start <= now < end if start < end else now >= start or now < end
        if not quiet:
            return None
        day = local.date() if now < end else local.date() + timedelta(days=1)
        over = datetime.combine(day, end, zone).astimezone(UTC)
        # Where clocks are set back, the hour that comes twice may be meant for the second time.
        return over if over > moment else datetime.combine(day, end.replace(fold=1), zone).astimezone(UTC)


@choice
class WebhookStatus(StrEnum):
    """Whether a webhook sends."""

    ACTIVE = "active"
    PAUSED = "paused"
    """It sends nothing, and events of this time are not put in line; a replay sends them later."""


@choice
class DeliveryStatus(StrEnum):
    """Where the delivery of an event stands."""

    WAITING = "waiting"
    """It has not been sent yet, or is to be tried again."""
    DELIVERED = "delivered"
    """The receiver answered with 2xx."""
    GIVEN_UP = "given_up"
    """It was tried for three days, or the webhook was given up."""


@entity()
class Webhook(Resource):
    """An address that events of a project are sent to. What is secret of it is sealed and never shown again."""

    id: UuidText
    organization_id: str
    project_id: str
    name: str
    channel: WebhookChannel
    format: WebhookFormat
    url: str = Field(description="Where it sends; of a chat, whose whole address is a secret, the host alone.")
    status: WebhookStatus
    paused_reason: str | None = Field(description="Why it paused by itself; null where somebody paused it.")
    types: list[EventType] = Field(
        description="Only events of these types; an empty list means all but `run.started`, or with the format "
        "openlineage both of runs."
    )
    asset_prefix: str | None = Field(description="Only events about this asset and what is in it; null: all.")
    least_severity: Severity | None = Field(description="Only events that are at least as bad; null: all.")
    domains: list[str] = Field(description="Only events of these domains; an empty list means all.")
    header_names: list[str] = Field(
        description="The headers that each request carries besides, such as `Authorization`; their values are sealed, "
        "and never shown again."
    )
    score_below: float = Field(description="Of falls of a score, only those from this, or above it, to below it.")
    digest_minutes: int = Field(
        description="How many minutes events are gathered for from the first on, and then told in one message; 0: not."
    )
    quiet_hours: QuietHours | None = Field(description="When people are told nothing; null: never.")
    public_keys: list[str] = Field(
        description="The ed25519 keys of the `v1a` signatures, `whpk_` and base64: the newest, and for a day after a "
        "rotation the one before. None where it sends to people."
    )
    old_keys_until: datetime | None = Field(
        description="Until when deliveries are signed with the keys from before the last rotation as well."
    )
    failures: int = Field(description="How many deliveries have failed since the last that did not.")
    failing_since: datetime | None = Field(description="When the first of these failed.")
    last_delivered_at: datetime | None = Field(description="When the receiver last took an event.")
    created_by: str
    updated_by: str
    created_at: datetime
    updated_at: datetime


@resource
class WebhookSecret(Resource):
    """A webhook with its secret, which is shown this once."""

    webhook: Webhook
    secret: str | None = Field(
        description="The key of the `v1` signatures, `whsec_` and base64. Keep it; it is shown once. "
        "Null where it sends to people."
    )


@resource
class WebhookDelivery(Resource):
    """The delivery of one event to one webhook. An event that is sent again keeps its id."""

    id: UuidText
    webhook_id: UuidText = Field(description="Where it goes.")
    event_id: UuidText = Field(description="The header `webhook-id` of each attempt, and the id of the CloudEvent.")
    message_id: UuidText | None = Field(
        description="The message to people that tells it, perhaps with others; it keeps its id when it is sent again."
    )
    sequence: Size = Field(description="The place of the event among the events of its project.")
    type: EventType
    asset_fqn: str | None = Field(description="What the event is about; deliveries about the same asset are in order.")
    status: DeliveryStatus
    attempts: int = Field(description="How often it was sent so far.")
    due_at: datetime | None = Field(description="When it is sent next at the earliest; null once it is over.")
    response_status: int | None = Field(
        description="The HTTP status of the last answer, or the mail server's code; null where none came."
    )
    error: str | None = Field(description="Why the last attempt failed, in the platform's words.")
    milliseconds: int | None = Field(description="How long the last attempt took.")
    created_at: datetime
    ended_at: datetime | None = Field(description="When it was delivered or given up.")


@resource
class WebhookTest(Resource):
    """The test event that was put in line."""

    event_id: UuidText = Field(description="Its id, by which it is found among the deliveries.")


@resource
class WebhookReplayed(Resource):
    """How many events were put in line again."""

    deliveries: int = Field(description="How many events were put in line.")


ClockTime = Annotated[str, Field(min_length=5, max_length=5)]
DigestMinutes = Annotated[
    int, Field(ge=0, le=1440, description="Gather events for so many minutes; 0: tell them at once. For people alone.")
]


ScoreBelow = Annotated[
    float, Field(gt=0, le=1, description="Of falls of a score, only those from this, or above it, to below it.")
]


@change
class QuietHoursInput(Change):
    """Hours of each day in which people are told nothing."""

    start: Annotated[ClockTime, Field(description="Such as `22:00`.")]
    end: Annotated[ClockTime, Field(description="Such as `07:00`, of the next day where that is before the start.")]
    timezone: Annotated[str, Field(min_length=1, max_length=64, description="IANA time zone.")]


@change
class WebhookHeader(Change):
    """A header that each request to a receiver carries, such as a token that lets it in."""

    name: HeaderName
    value: HeaderValue


WebhookHeaders = Annotated[
    list[WebhookHeader],
    Field(
        max_length=10,
        description="Headers that each request carries besides, such as `Authorization`, to the server of the url.",
    ),
]


@change
class WebhookCreate(Change):
    """A webhook to create. It is active from then on, and gets the events that happen later."""

    name: Name
    channel: Annotated[WebhookChannel, Field(description="It stays what it is.")] = WebhookChannel.WEBHOOK
    format: Annotated[
        WebhookFormat,
        Field(description="It stays what it is. `openlineage` is of the channel webhook, and of runs alone."),
    ] = WebhookFormat.CLOUDEVENTS
    url: WebhookUrl
    headers: WebhookHeaders = Field(default_factory=list)
    types: EventTypes = Field(default_factory=list)
    asset_prefix: AssetPrefix | None = None
    least_severity: LeastSeverity | None = None
    domains: Domains = Field(default_factory=list)
    score_below: ScoreBelow = 0.9
    digest_minutes: DigestMinutes = 0
    quiet_hours: QuietHoursInput | None = None


@change
class WebhookUpdate(Change):
    """What may change; a field left out stays. `status` pauses a webhook, or lets it go on."""

    name: Maybe[Name] = None
    url: Maybe[WebhookUrl] = None
    headers: Maybe[WebhookHeaders] = None
    status: Maybe[WebhookStatus] = None
    types: Maybe[EventTypes] = None
    asset_prefix: Maybe[AssetPrefix | None] = None
    least_severity: Maybe[LeastSeverity | None] = None
    domains: Maybe[Domains] = None
    score_below: Maybe[ScoreBelow] = None
    digest_minutes: Maybe[DigestMinutes] = None
    quiet_hours: Maybe[QuietHoursInput | None] = None


@change
class WebhookReplay(Change):
    """A window of events to send again: those that the webhook's filter lets through."""

    since: Annotated[Moment, Field(description="The first moment.")]
    until: Annotated[Moment, Field(description="The first moment after it; left out: now.")] | None = None
