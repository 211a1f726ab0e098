"""Glossary terms and their links to the assets of the catalog."""

import sqlalchemy as sa

from persistence.columns import Json, Moment, Name
from persistence.tables import metadata
from persistence.tables.catalog import CodePointText, Identifier

glossary_terms = sa.Table(
    "glossary_terms",
    metadata,
    sa.Column("id", Identifier, primary_key=True),
    sa.Column("organization_id", sa.String(255), sa.ForeignKey("organizations.id"), nullable=False),
    sa.Column("project_id", sa.String(255), sa.ForeignKey("projects.id"), nullable=False),
    sa.Column("name", Name, nullable=False),
    sa.Column("display_name", sa.String(255)),
    sa.Column("definition", sa.Text),
    sa.Column("synonyms", Json, nullable=False),
    sa.Column("related_terms", Json, nullable=False),
    sa.Column("parent_term_id", Identifier, index=True),
    sa.Column("owners", Json, nullable=False),
    sa.Column("tags", Json, nullable=False),
    sa.Column("status", sa.String(16), nullable=False),
    sa.Column("reviewed_by", sa.String(255)),
    sa.Column("reviewed_at", Moment),
    sa.Column("review_notes", sa.String(1000)),
    sa.Column("version", sa.Integer, nullable=False),
    sa.Column("asset_count", sa.Integer, nullable=False),
    sa.Column("search_words", sa.Text, nullable=False),  # names, synonyms and definition, folded; not shown
    sa.Column("created_at", Moment, nullable=False),
    sa.Column("updated_at", Moment, nullable=False),
    sa.Column("created_by", sa.String(255), nullable=False),
    sa.Column("updated_by", sa.String(255), nullable=False),
    sa.Column("revision", sa.Integer, nullable=False),
    sa.UniqueConstraint("organization_id", "project_id", "name"),
)

glossary_term_assets = sa.Table(
    "glossary_term_assets",
    metadata,
    sa.Column("term_id", Identifier, sa.ForeignKey("glossary_terms.id"), primary_key=True),
    sa.Column("asset_id", Identifier, primary_key=True),  # assets have no foreign keys: they come and go in bulk
    sa.Column("organization_id", sa.String(255), nullable=False),
    sa.Column("project_id", sa.String(255), nullable=False),
    sa.Column("asset_fqn", CodePointText, nullable=False),
    sa.Column("asset_type", sa.String(32), nullable=False),
    sa.Column("created_at", Moment, nullable=False),
    sa.Column("created_by", sa.String(255), nullable=False),
    sa.Index("ix_glossary_term_assets_asset", "project_id", "asset_id"),
)
