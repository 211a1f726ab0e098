"""The metadata catalog: one row per asset, one per old version, and a free-text index beside them.

Text is compared by code point in both stores (SQLite by default, PostgreSQL through collation "C"), so that sorting,
prefix ranges and `lower()`, which then folds a-z only, give the same answer everywhere.

The free-text index holds `search_words`, the tokens that `schema/utils/search_query.py` makes of an asset: in SQLite an
FTS5 table over the column that triggers keep current, in PostgreSQL a GIN index over the same tokens as a tsvector.
Neither store's own tokenizer decides anything; that is why both find the same assets.
"""

from typing import Final

import sqlalchemy as sa

from persistence.columns import Json, Moment
from persistence.tables import metadata
from persistence.tables.counted import Counted, count_columns
from persistence.tables.revised import Revised, token_columns

CodePointText: Final = sa.Text().with_variant(sa.Text(collation="C"), "postgresql")
"""Text that compares and sorts by code point."""

Identifier: Final = sa.String(36).with_variant(sa.String(36, collation="C"), "postgresql")
"""A UUID; pages break ties by it, in one order everywhere."""

RowNumber: Final = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
"""A number for each row that SQLite keeps when it compacts the file; the free-text index points at it."""

WORDS_TABLE: Final = "metadata_words"
"""The FTS5 table of SQLite."""

WORDS_VECTOR: Final = "array_to_tsvector(string_to_array(btrim(search_words), ' '))"
"""What the GIN index of PostgreSQL is over; a query must spell it the same way."""

metadata_assets = sa.Table(
    "metadata_assets",
    metadata,
    sa.Column("row_number", RowNumber, primary_key=True, autoincrement=True),
    sa.Column("id", Identifier, nullable=False, unique=True),
    # No foreign keys: 100,000 columns arrive in one go, and a project's assets are removed by scope.
    sa.Column("organization_id", sa.String(255), nullable=False),
    sa.Column("project_id", sa.String(255), nullable=False),
    sa.Column("resource_uri", CodePointText, nullable=False),
    sa.Column("type", CodePointText, nullable=False),
    sa.Column("name", CodePointText, nullable=False),
    sa.Column("fully_qualified_name", CodePointText, nullable=False),
    sa.Column("parent_fqn", CodePointText, nullable=False),
    sa.Column("parent_id", Identifier),  # null for a database: the service above it is no asset
    sa.Column("service_name", CodePointText, nullable=False),
    sa.Column("version_major", sa.Integer, nullable=False),
    sa.Column("version_minor", sa.Integer, nullable=False),
    sa.Column("version_change_reason", sa.Text, nullable=False),
    sa.Column("created_at", Moment, nullable=False),
    sa.Column("updated_at", Moment, nullable=False),
    sa.Column("created_by", CodePointText, nullable=False),
    sa.Column("updated_by", CodePointText, nullable=False),
    sa.Column("deleted_at", Moment),
    sa.Column("display_name", CodePointText),
    sa.Column("description", sa.Text),
    sa.Column("summary_text", sa.Text),
    sa.Column("schema_definition", sa.Text),
    sa.Column("owners", Json),
    sa.Column("extension", Json, nullable=False),
    sa.Column("is_dq_tagged", sa.Boolean, nullable=False),
    sa.Column("is_pii_tagged", sa.Boolean, nullable=False),
    sa.Column("is_sensitivity_tagged", sa.Boolean, nullable=False),
    sa.Column("tags", Json),
    sa.Column("children_total", sa.Integer, nullable=False),
    sa.Column("table_type", CodePointText),
    sa.Column("row_count", sa.BigInteger),
    sa.Column("column_count", sa.Integer),
    sa.Column("table_count", sa.Integer),
    sa.Column("data_type", CodePointText),
    sa.Column("data_type_display", CodePointText),
    sa.Column("ordinal_position", sa.Integer),
    sa.Column("nullable", sa.Boolean),
    sa.Column("constraint", Json, nullable=False),
    sa.Column("column_relationships", Json),
    sa.Column("precision", sa.Integer),
    sa.Column("scale", sa.Integer),
    sa.Column("data_length", sa.BigInteger),
    sa.Column("business_definition", sa.Text),
    sa.Column("business_rules", sa.Text),
    sa.Column("change_description", Json, nullable=False),
    sa.Column("change_summary", Json, nullable=False),
    sa.Column("changed_by", Json),
    # Kept for the platform itself, never shown:
    sa.Column("source_description", sa.Text),  # the comment in the source, also while a person's word stands above it
    sa.Column("source_hash", sa.String(32)),  # what ingestion last saw; null: written by hand
    sa.Column("people_fields", Json, nullable=False),  # names of the fields that a person set
    sa.Column("search_words", CodePointText, nullable=False),
    sa.Column("revision", sa.Integer, nullable=False),
    sa.UniqueConstraint(
        "organization_id", "project_id", "fully_qualified_name", name="uq_metadata_assets_fully_qualified_name"
    ),
    sa.Index("ix_metadata_assets_children_by_name", "project_id", "parent_fqn", "name", "id"),
    sa.Index("ix_metadata_assets_children_by_position", "project_id", "parent_fqn", "ordinal_position", "name"),
    sa.Index("ix_metadata_assets_children_by_age", "project_id", "parent_fqn", "created_at", "id"),
    sa.Index("ix_metadata_assets_by_name", "project_id", "name", "id"),
    sa.Index("ix_metadata_assets_by_type", "project_id", "type", "name", "id"),
    sa.Index("ix_metadata_assets_by_folded_name", "project_id", sa.text("lower(name)")),
    sa.Index("ix_metadata_assets_by_parent", "parent_id"),
    sa.Index("ix_metadata_assets_search_words", sa.text(WORDS_VECTOR), postgresql_using="gin").ddl_if(
        dialect="postgresql"
    ),
)

metadata_versions = sa.Table(
    "metadata_versions",
    metadata,
    sa.Column("asset_id", Identifier, nullable=False),
    sa.Column("version_major", sa.Integer, nullable=False),
    sa.Column("version_minor", sa.Integer, nullable=False),
    sa.Column("document", Json, nullable=False),  # the asset as it was; a table's also lists its columns
    sa.Column("created_at", Moment, nullable=False),
    sa.PrimaryKeyConstraint("asset_id", "version_major", "version_minor"),
)

catalog_revisions = sa.Table(
    "catalog_revisions",
    metadata,
    sa.Column("organization_id", sa.String(255), nullable=False),
    sa.Column("project_id", sa.String(255), nullable=False),
    *token_columns(),
    sa.PrimaryKeyConstraint("organization_id", "project_id", "slot"),
)
"""What tells that a project's catalog is still what it was (`revised.py`)."""

catalog_counts = sa.Table(
    "catalog_counts",
    metadata,
    sa.Column("organization_id", sa.String(255), nullable=False),
    sa.Column("project_id", sa.String(255), nullable=False),
    sa.Column("resource_uri", CodePointText, nullable=False),
    sa.Column("type", CodePointText, nullable=False),
    *count_columns(),
    sa.PrimaryKeyConstraint("organization_id", "project_id", "resource_uri", "type", "slot"),
)
"""How many assets stand, those that were deleted left out (`counted.py`)."""

asset_documents = sa.Table(
    "asset_documents",
    metadata,
    sa.Column("row_number", sa.BigInteger, primary_key=True, autoincrement=False),
    sa.Column("rendered_by", sa.String(16), nullable=False),
    sa.Column("digest", sa.String(16), nullable=False),
    sa.Column("document", sa.LargeBinary, nullable=False),  # as bytes: nothing then decodes it and encodes it again
)
"""Assets as they are answered, ready-made, under the number of their row. What is missing here is made anew."""

revised_catalog: Final = Revised("metadata_assets", ("organization_id", "project_id"), catalog_revisions.name)

counted_catalog: Final = Counted(
    "metadata_assets", ("organization_id", "project_id", "resource_uri", "type"), "deleted_at", catalog_counts.name
)

_ENDING: Final = ("update", "delete")
"""What ends a document."""

_SQLITE_DDL: Final = (
    """CREATE VIRTUAL TABLE IF NOT EXISTS metadata_words USING fts5(
        search_words, content='metadata_assets', content_rowid='row_number',
        detail=none, columnsize=0, tokenize="ascii tokenchars '_'"
    )""",
    """CREATE TRIGGER IF NOT EXISTS metadata_words_insert AFTER INSERT ON metadata_assets BEGIN
        INSERT INTO metadata_words(rowid, search_words) VALUES (new.row_number, new.search_words);
    END""",
    """CREATE TRIGGER IF NOT EXISTS metadata_words_delete AFTER DELETE ON metadata_assets BEGIN
        INSERT INTO metadata_words(metadata_words, rowid, search_words)
        VALUES ('delete', old.row_number, old.search_words);
    END""",
    """CREATE TRIGGER IF NOT EXISTS metadata_words_update AFTER UPDATE OF search_words ON metadata_assets
    WHEN old.search_words IS NOT new.search_words BEGIN
        INSERT INTO metadata_words(metadata_words, rowid, search_words)
        VALUES ('delete', old.row_number, old.search_words);
        INSERT INTO metadata_words(rowid, search_words) VALUES (new.row_number, new.search_words);
    END""",
)


def documents_ddl(dialect: str) -> list[str]:
    """Return what takes a document away in the transaction that changes its asset, whoever does so, for migrations.

    A migration that makes the table of assets anew, as SQLite does to change a column, has to run it again.
    """
    if dialect == "sqlite":
        return [
            f"""CREATE TRIGGER IF NOT EXISTS asset_documents_{event} AFTER {event.upper()} ON metadata_assets BEGIN
                DELETE FROM asset_documents WHERE row_number = old.row_number;
            END"""  # noqa: S608 - our own names
            for event in _ENDING
        ]
    return [
        """CREATE OR REPLACE FUNCTION asset_documents_outdated() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN
            DELETE FROM asset_documents USING touched WHERE asset_documents.row_number = touched.row_number;
            RETURN NULL;
        END $$""",
        """CREATE OR REPLACE FUNCTION asset_documents_emptied() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN
            DELETE FROM asset_documents;
            RETURN NULL;
        END $$""",
        *(
            f"""CREATE TRIGGER asset_documents_{event} AFTER {event.upper()} ON metadata_assets
            REFERENCING OLD TABLE AS touched FOR EACH STATEMENT EXECUTE FUNCTION asset_documents_outdated()"""
            for event in _ENDING
        ),
        """CREATE TRIGGER asset_documents_truncate AFTER TRUNCATE ON metadata_assets
        FOR EACH STATEMENT EXECUTE FUNCTION asset_documents_emptied()""",
    ]


def documents_ddl_down(dialect: str) -> list[str]:
    """Return what takes that away again."""
    if dialect == "sqlite":
        return [f"DROP TRIGGER IF EXISTS asset_documents_{event}" for event in _ENDING]
    return [f"DROP FUNCTION IF EXISTS asset_documents_{what}() CASCADE" for what in ("outdated", "emptied")]


def catalog_ddl(dialect: str) -> list[str]:
    """Return what the catalog needs beyond its tables and plain indexes, for migrations: run it after the tables stand.

    PostgreSQL: the GIN index. SQLite: the FTS5 table and the triggers that keep it. `metadata.create_all` runs the
    same statements by itself.
    """
    if dialect == "sqlite":
        return list(_SQLITE_DDL)
    return [
        f"CREATE INDEX IF NOT EXISTS ix_metadata_assets_search_words ON metadata_assets USING gin (({WORDS_VECTOR}))"
    ]


def catalog_ddl_down(dialect: str) -> list[str]:
    """The way back: run it before the tables are dropped."""
    if dialect == "sqlite":
        triggers = [f"DROP TRIGGER IF EXISTS {WORDS_TABLE}_{event}" for event in ("insert", "delete", "update")]
        return [*triggers, f"DROP TABLE IF EXISTS {WORDS_TABLE}"]
    return ["DROP INDEX IF EXISTS ix_metadata_assets_search_words"]


def _runs(statement: str) -> sa.ExecutableDDLElement:
    ddl: sa.ExecutableDDLElement = sa.DDL(statement).execute_if(dialect="sqlite")  # type: ignore[no-untyped-call]
    return ddl


for _statement in _SQLITE_DDL:
    sa.event.listen(metadata_assets, "after_create", _runs(_statement))
for _statement in catalog_ddl_down("sqlite"):
    sa.event.listen(metadata_assets, "before_drop", _runs(_statement))
