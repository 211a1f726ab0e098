"""How long events are kept, and how webhooks are tried."""

from pydantic import BaseModel, Field


class EventSettings(BaseModel):
    """Events and the webhooks that they are sent to."""

    event_days: int = Field(
        30,
        ge=1,
        le=3650,
        description="How many days events, and records of deliveries and of calls to servers, are kept.",
    )
    event_tick_seconds: float = Field(
        1.0, gt=0, le=60, description="How often a process looks for events that are to be put in order and sent."
    )
    public_url: str | None = Field(
        None,
        max_length=200,
        pattern=r"^https?://[^\s?#@<>]+$",
        description="The address at which people open the platform, such as https://stoa.example.com; messages link to "
        "its console. Unset: they have no links.",
    )
    webhook_timeout_seconds: float = Field(
        10.0, gt=0, le=60, description="How long a receiver of a webhook may take to answer."
    )
    webhook_round_seconds: float = Field(
        15.0, gt=0, le=300, description="How long a process sends to one webhook before others have their turn."
    )
