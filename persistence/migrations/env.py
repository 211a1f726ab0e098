"""Runs migrations inside one transaction, under a lock that lets one process at a time do it."""

from typing import Any, Literal

import sqlalchemy as sa
from alembic import context

from persistence.columns import Moment
from persistence.migrations.run import whole_metadata

LOCK = 0x5_70A  # any constant will do; every process of this house uses the same one


def spelled(kind: str, item: Any, autogenerate: Any) -> str | Literal[False]:
    """Spell the house's own column types by their names in a generated migration."""
    if kind != "type" or not isinstance(item, Moment | sa.JSON):
        return False
    name = "Moment()" if isinstance(item, Moment) else "Json"
    autogenerate.imports.add(f"from persistence.columns import {name.removesuffix('()')}")
    return name


url = context.config.attributes["url"]
engine = sa.create_engine(url, poolclass=sa.NullPool)  # a migration that fails leaves nothing open
with engine.connect() as connection:
    if connection.dialect.name == "sqlite":
        connection.exec_driver_sql("pragma busy_timeout=30000")
        connection.connection.driver_connection.isolation_level = None  # type: ignore[union-attr]
        connection.exec_driver_sql("BEGIN IMMEDIATE")
    else:
        connection.execute(sa.text("select pg_advisory_xact_lock(:lock)"), {"lock": LOCK})
    context.configure(
        connection=connection,
        target_metadata=whole_metadata(),
        render_as_batch=True,
        compare_type=True,
        render_item=spelled,
        include_object=lambda item, name, kind, reflected, other: not (name or "").startswith("metadata_words"),
    )
    with context.begin_transaction():
        context.run_migrations()
    connection.commit()
