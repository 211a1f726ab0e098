"""What the tests of connectors share: an address policy, opening by kind, and a failure looked at from every side."""

import traceback
from collections.abc import Callable, Mapping
from typing import Any

import pytest

from persistence.connectors import open_connector
from persistence.connectors.core.base import Connector, ConnectorError, ConnectorSettings, TableInfo
from persistence.connectors.core.folders import Folder, Folders

SECRET = "sentinel-5up3r-s3cret"
"""A secret that must not turn up anywhere."""


class Loopback:
    """A policy that sends every name to this machine, so that a test shows where connections really go."""

    def __init__(self) -> None:
        self.asked: list[tuple[str, int]] = []

    def resolve(self, host: str, port: int) -> list[str]:
        """Answer 127.0.0.1 for everything but `unknown.invalid` and `inside.invalid`."""
        self.asked.append((host, port))
        if host == "unknown.invalid":
            raise OSError("no such name")
        if host == "inside.invalid":
            raise PermissionError_("The address of 'inside.invalid' is private, which this deployment refuses.")
        return ["127.0.0.1"]


class PermissionError_(Exception):
    """How a policy refuses; not an OSError, which means an unknown name."""


def opened(
    kind: str,
    config: Mapping[str, Any],
    credentials: Mapping[str, Any] | None = None,
    *,
    policy: Loopback | None = None,
    connect: float = 3,
    statement: float = 20,
    roots: tuple[str, ...] = (),
    **limits: Any,
) -> Connector:
    """A connector with short time-outs."""
    settings = ConnectorSettings(connect_timeout=connect, statement_timeout=statement, **limits)
    folders = Folders(tuple(Folder(root) for root in roots))
    return open_connector(kind, config, credentials or {}, settings, policy or Loopback(), folders)


def everything(connector: Connector) -> dict[str, dict[str, TableInfo]]:
    """Schema → table → what the source says about it."""
    return {
        schema.name: {table.name: table for table in connector.tables(schema.database, schema.name, schema.tables)}
        for schema in connector.schemas()
    }


def columns(table: TableInfo) -> dict[str, str]:
    """Column → type, in order."""
    return {column.name: column.data_type for column in table.columns}


def failure(
    call: Callable[[], object], caplog: pytest.LogCaptureFixture | None = None, *, secret: str = SECRET
) -> ConnectorError:
    """The ConnectorError of a call, after a search for the secret in its text, its traceback and the log."""
    with pytest.raises(ConnectorError) as caught:
        call()
    error = caught.value
    shown = "".join(traceback.format_exception(error)) + repr(error) + str(error.args) + error.reason
    # Lines of the test's own source are no leak.
    shown = "\n".join(line for line in shown.splitlines() if "secret=" not in line)
    assert secret not in shown
    if caplog is not None:
        assert secret not in caplog.text
    assert error.reason.endswith((".", "'"))
    return error
