"""The servers that connectors are tried on."""

from tests.support.mariadb import mariadb_server
from tests.support.postgres import postgres_server, postgres_url

__all__ = ["mariadb_server", "postgres_server", "postgres_url"]
