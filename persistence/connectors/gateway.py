"""The one way from an operation to a tenant's store: off the event loop, with a deadline and an address policy."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

from pydantic import ValidationError

from persistence.connectors import connector_class, in_thread, open_connector
from persistence.connectors.base import Connector, ConnectorSettings, Outbound
from schema.problems import message_of

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Gateway:
    """Opens connectors with the deployment's settings."""

    settings: ConnectorSettings
    outbound: Outbound

    def section_of(self, connection_type: str) -> str:
        """The config section that a connection type uses."""
        return connector_class(connection_type).config_section

    def checked(
        self, connection_type: str, config: Mapping[str, Any], credentials: Mapping[str, Any] | None
    ) -> tuple[dict[str, Any], list[tuple[str, tuple[Any, ...], str]]]:
        """The config with its defaults filled in, and what is wrong as (pydantic type, path, message)."""
        kind = connector_class(connection_type)
        problems: list[tuple[str, tuple[Any, ...], str]] = []
        complete: dict[str, Any] = {}
        try:
            complete = kind.config_model.model_validate(dict(config)).model_dump(mode="json", exclude_none=True)
        except ValidationError as error:
            problems += _found(error, kind.config_section)
        if credentials is not None:
            try:
                kind.credentials_model.model_validate(dict(credentials))
            except ValidationError as error:
                problems += _found(error, "credentials")
        return complete, problems

    async def use(
        self,
        connection_type: str,
        config: Mapping[str, Any],
        credentials: Mapping[str, Any],
        work: Callable[[Connector], T],
        *,
        timeout: float | None = None,  # noqa: ASYNC109 - the deadline of the thread, which cannot be cancelled
    ) -> T:
        """Run blocking work on a connector in a thread of its own. Raises ConnectorError."""

        def run() -> T:
            with open_connector(connection_type, config, credentials, self.settings, self.outbound) as connector:
                return work(connector)

        limit = self.settings.connect_timeout + self.settings.statement_timeout if timeout is None else timeout
        return await in_thread(run, timeout=limit)


def _found(error: ValidationError, section: str) -> list[tuple[str, tuple[Any, ...], str]]:
    # Path and rule alone: the refused value may be a secret.
    return [
        (problem["type"], (section, *problem["loc"]), message_of(problem))
        for problem in error.errors(include_url=False, include_input=False, include_context=False)
    ]
