"""All settings: the sections that each room declares, read from environment variables STOA_... and nowhere else."""

import inspect
from collections.abc import Iterable, Iterator
from typing import Any, Literal, NamedTuple

from pydantic import BaseModel, Field, SecretStr, ValidationError
from pydantic_settings import BaseSettings, SettingsConfigDict

from auth.openfga import OpenFgaSettings
from auth.rate_limit import RateLimitSettings, RedisSettings
from auth.remote import GovernanceSettings
from auth.tokens import TokenSettings
from persistence.blobs import BlobSettings
from persistence.connectors.core.base import ConnectorSettings
from persistence.engine import DatabaseSettings
from persistence.jobs.port import JobSettings
from persistence.jobs.slots import RunSettings
from persistence.keyring import KeyRingSettings
from persistence.language_models.providers import ModelSettings
from persistence.mail_sending import MailSettings
from persistence.outbound import OutboundSettings
from persistence.servers.reaching import ServerSettings
from persistence.signals import StreamSettings
from persistence.turn_limits import TurnSettings
from resolvers.answer_cache import AnswerSettings
from resolvers.utils.event_settings import EventSettings
from resolvers.utils.schedule_limits import ScheduleSettings
from rest_compat.mcp.settings import McpSettings
from rest_compat.sign_in import SignInSettings
from schema.graph_bounds import GraphSettings

PREFIX = "STOA_"
MISTYPED = 2
"""By how many letters a variable may differ from a setting to be taken for that setting, mistyped."""


class HttpSettings(BaseModel):
    """How the server listens and what it takes in."""

    host: str = Field("127.0.0.1", description="Address to listen on.")
    port: int = Field(8000, ge=0, le=65535, description="Port to listen on; 0 takes a free one.")
    processes: int = Field(
        1, ge=1, le=64, description="Processes that serve the address; more than one share a PostgreSQL."
    )
    max_body_bytes: int = Field(10_485_760, ge=1024, description="Largest request body, in bytes.")
    request_head_seconds: float = Field(
        10.0, gt=0, le=600, description="How long a connection may take to send the head of a request, or be silent."
    )
    request_body_seconds: float = Field(
        30.0, gt=0, le=3600, description="How long a body may stop coming before its request is given up."
    )
    least_transfer_rate: int = Field(
        500, ge=1, le=1_000_000, description="Bytes a second on average, below which a body or an answer is given up."
    )
    keep_alive_seconds: int = Field(
        5, ge=1, le=3600, description="How long a connection is kept open for another request; more than a balancer's."
    )
    response_stall_seconds: float = Field(
        60.0, gt=0, le=3600, description="How long a caller may take little of its answer before it is cut off."
    )
    unknown_parameters: Literal["refuse", "ignore"] = Field(
        "refuse", description="What a query parameter that a path does not have comes to: refuse (400) or ignore."
    )
    migrate_on_start: bool = Field(True, description="Bring the store's tables up to date at start-up.")
    shutdown_seconds: float = Field(
        1.0, ge=0, le=300, description="How long a stopping server still answers 503, so that balancers notice."
    )
    log_format: str = Field(
        "auto", pattern="^(auto|json|text)$", description="json, text, or auto: text on a terminal."
    )
    log_level: str = Field("INFO", pattern="^(DEBUG|INFO|WARNING|ERROR)$", description="Least level that is logged.")
    metrics_token: SecretStr | None = Field(
        None,
        min_length=16,
        description="Secret, 16 characters or more, that a monitoring system shows as a bearer token at /metrics; "
        "unset: there is no such path.",
    )
    cors_origins: str = Field("", description="Comma-separated origins that browsers may call from; empty: same only.")


class Settings(
    McpSettings,
    GraphSettings,
    StreamSettings,
    TurnSettings,
    MailSettings,
    ServerSettings,
    EventSettings,
    ScheduleSettings,
    RunSettings,
    JobSettings,
    KeyRingSettings,
    ConnectorSettings,
    ModelSettings,
    OutboundSettings,
    OpenFgaSettings,
    GovernanceSettings,
    RedisSettings,
    RateLimitSettings,
    SignInSettings,
    TokenSettings,
    BlobSettings,
    AnswerSettings,
    DatabaseSettings,
    HttpSettings,
    BaseSettings,
):
    """Everything that a deployment can set, shown from the last section to the first."""

    model_config = SettingsConfigDict(env_prefix=PREFIX, extra="ignore", env_ignore_empty=True, enable_decoding=False)


class SettingLine(NamedTuple):
    """One setting as the help and `docs/settings.md` show it."""

    variable: str
    default: str
    description: str


def setting_lines() -> Iterator[SettingLine]:
    """Every setting with its variable, default and meaning, in the order of the sections."""
    yield from map(_line, Settings.model_fields)


def setting_sections() -> Iterator[tuple[str, list[SettingLine]]]:
    """Yield every section that has settings, in their order: what it is about, and its settings."""
    for section in reversed(Settings.__mro__):
        names = [name for name in Settings.model_fields if name in inspect.get_annotations(section)]
        if names:
            title = (section.__doc__ or section.__name__).partition("\n")[0].rstrip(".")
            yield title, list(map(_line, names))


def _line(name: str) -> SettingLine:
    field = Settings.model_fields[name]
    default = field.get_default(call_default_factory=True)
    shown = "" if default is None or default in ("", ()) else str(default)
    return SettingLine(f"{PREFIX}{name.upper()}", shown, field.description or "")


def settings_of(given: dict[str, Any]) -> Settings:
    """The settings of the environment, with the given ones over them.

    Raises ValueError with a line for each problem: the variable, what is wrong and what it means. No line holds a
    value, which may be a secret.
    """
    try:
        return Settings(**given)
    except ValidationError as error:
        raise ValueError("\n".join(_problem(found) for found in error.errors(include_input=False))) from None


def _problem(found: Any) -> str:
    what = str(found["msg"]).removeprefix("Value error, ").rstrip(".")
    name = str(found["loc"][0]) if found["loc"] else ""
    if name not in Settings.model_fields:  # settings that contradict one another: the words name them
        return f"{what}."
    return f"{PREFIX}{name.upper()}: {what}. ({Settings.model_fields[name].description})"


def strangers(variables: Iterable[str]) -> dict[str, str | None]:
    """The variables that look like settings and are none, each with the setting that it probably means."""
    from rapidfuzz import process
    from rapidfuzz.distance import OSA

    known = [f"{PREFIX}{name.upper()}" for name in Settings.model_fields]
    found: dict[str, str | None] = {}
    for name in sorted(variables):
        if name.upper().startswith(PREFIX) and name.upper() not in known:
            near = process.extractOne(name.upper(), known, scorer=OSA.distance, score_cutoff=MISTYPED)
            found[name] = near[0] if near else None
    return found
