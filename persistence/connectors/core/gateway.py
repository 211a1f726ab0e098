"""The one way from an operation to a tenant's store: off the event loop, with a deadline and an address policy."""

import threading
from collections.abc import Awaitable, Callable, Collection, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, TypeVar

from pydantic import ValidationError

from persistence.connectors import connector_class, in_thread, open_connector
from persistence.connectors.core.base import Connector, ConnectorSettings, Outbound
from persistence.connectors.core.folders import NOWHERE, Folders, does_not_say, folders_of, parsed
from persistence.connectors.core.reading import cancelled
from schema.problems import problems_of

T = TypeVar("T")

_TELLING = 5.0
_AGAIN = (0.1, 0.5, 2.0, 10.0, 30.0)


@dataclass(frozen=True, slots=True)
class Gateway:
    """Opens connectors with the deployment's settings."""

    settings: ConnectorSettings
    outbound: Outbound
    alone: Callable[[str], Awaitable[bool]] | None = None
    """Whether the store holds no other organization; None: nobody can tell."""

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
            problems += problems_of(error, kind.config_section)
        if credentials is not None:
            try:
                kind.credentials_model.model_validate(dict(credentials))
            except ValidationError as error:
                problems += problems_of(error, "credentials")
        return complete, problems

    def left_out(self, organizations: Collection[str]) -> str | None:
        """Return what to tell the operator of a folder that counts for nobody, because these organizations stand in
        the store.

        None when there is no such folder.
        """
        if len(organizations) < 2 or not does_not_say(parsed(self.settings.filesystem_roots)):
            return None
        return (
            f"STOA_FILESYSTEM_ROOTS holds a folder without saying whose it is, and {len(organizations)} organizations "
            "stand in the store: nobody may read it. Write acme=/folder for one organization's alone, "
            "/folder/{organization} for a folder of each organization's own, or *=/folder for one that all may read."
        )

    async def use(
        self,
        connection_type: str,
        config: Mapping[str, Any],
        credentials: Mapping[str, Any],
        work: Callable[[Connector], T],
        *,
        organization: str,
        timeout: float | None = None,  # noqa: ASYNC109 - the deadline of the thread, which cannot be cancelled
    ) -> T:
        """Run blocking work on a connector of an organization in a thread of its own. Raises ConnectorError.

        When the deadline passes or the caller is cancelled, what the source is doing is stopped too.
        """
        folders = await self._folders(connection_type, organization)
        inside = _Inside()

        def run() -> T:
            try:
                with open_connector(
                    connection_type, config, credentials, self.settings, self.outbound, folders
                ) as connector:
                    inside.enter(connector)
                    return work(connector)
            finally:
                inside.ended.set()

        limit = self.settings.connect_timeout + self.settings.statement_timeout if timeout is None else timeout
        try:
            return await in_thread(run, timeout=limit)
        finally:
            if not inside.ended.is_set():
                threading.Thread(target=inside.stop, name="stoa-cancel", daemon=True).start()
                # A process that ends right after this must not leave the statement behind in the source.
                await in_thread(lambda: inside.told.wait(_TELLING), timeout=_TELLING + 1)

    async def _folders(self, connection_type: str, organization: str) -> Folders:
        """The folders of this machine that a connection of the organization may read."""
        if not connector_class(connection_type).reads_folders:
            return NOWHERE
        entries = parsed(self.settings.filesystem_roots)
        alone = self.alone is not None and does_not_say(entries) and await self.alone(organization)
        return folders_of(entries, organization, alone=alone)


class _Inside:
    """A connector at work in a thread that nobody waits for any more, and how it is stopped."""

    def __init__(self) -> None:
        self.ended = threading.Event()
        """The work is over."""
        self.told = threading.Event()
        """The source has been told to stop, or has nothing to stop."""
        self._lock = threading.Lock()
        self._connector: Connector | None = None
        self._given_up = False

    def enter(self, connector: Connector) -> None:
        """Before the work begins. Raises ConnectorError("cancelled") when it is wanted no longer."""
        with self._lock:
            if self._given_up:
                raise cancelled()
            self._connector = connector

    def stop(self) -> None:
        """Cancel until the work is over.

        PostgreSQL, for one, drops a request that arrives while it is still taking a statement in.
        """
        with self._lock:
            self._given_up = True
            connector = self._connector
        for attempt, pause in enumerate(_AGAIN):
            if connector is None or self.ended.is_set():
                break
            with suppress(Exception):  # it is tried again, and the source's own time-outs remain
                connector.cancel()
            if attempt:
                self.told.set()
            self.ended.wait(pause)
        self.told.set()
