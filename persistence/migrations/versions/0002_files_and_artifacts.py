"""The tables of files and artifacts."""

import sqlalchemy as sa
from alembic import op

from persistence.columns import Json, Moment, Name

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None


def _columns() -> list[sa.Column[object]]:
    return [
        sa.Column("resource_uri", sa.String(length=800), nullable=False),
        sa.Column("organization_id", sa.String(length=255), nullable=False),
        sa.Column("project_id", sa.String(length=255), nullable=False),
        sa.Column("name", Name, nullable=False),
        sa.Column("description", sa.String(length=1000), nullable=True),
        sa.Column("tags", Json, nullable=False),
        sa.Column("content_type", sa.String(length=255), nullable=True),
        sa.Column("size", sa.BigInteger(), nullable=True),
        sa.Column("owner_id", sa.String(length=255), nullable=False),
        sa.Column("created_at", Moment(), nullable=False),
        sa.Column("updated_at", Moment(), nullable=False),
        sa.Column("created_by", sa.String(length=255), nullable=False),
        sa.Column("updated_by", sa.String(length=255), nullable=False),
        sa.Column("blob", sa.String(length=100), nullable=False),
        sa.Column("sha256", sa.String(length=64), nullable=False),
        sa.Column("revision", sa.Integer(), nullable=False),
        sa.Column("key", sa.String(length=1024), nullable=False),
    ]


def _constraints(table: str) -> list[sa.Constraint]:
    return [
        sa.ForeignKeyConstraint(
            ["organization_id"], ["organizations.id"], name=op.f(f"fk_{table}_organization_id_organizations")
        ),
        sa.ForeignKeyConstraint(["project_id"], ["projects.id"], name=op.f(f"fk_{table}_project_id_projects")),
        sa.PrimaryKeyConstraint("resource_uri", name=op.f(f"pk_{table}")),
        sa.UniqueConstraint("blob", name=op.f(f"uq_{table}_blob")),
    ]


def upgrade() -> None:
    """Go forward."""
    op.create_table(
        "files",
        *_columns(),
        sa.Column("key_hash", sa.String(length=64), nullable=False),
        *_constraints("files"),
        sa.UniqueConstraint(
            "organization_id", "project_id", "key_hash", name=op.f("uq_files_organization_id_project_id_key_hash")
        ),
    )
    op.create_table(
        "artifacts",
        *_columns(),
        sa.Column("artifact_type", sa.String(length=32), nullable=False),
        sa.Column("source", Json, nullable=True),
        *_constraints("artifacts"),
    )
    for table in ("files", "artifacts"):
        with op.batch_alter_table(table) as batch:
            batch.create_index(f"ix_{table}_scope", ["organization_id", "project_id", "name"], unique=False)


def downgrade() -> None:
    """Go back."""
    op.drop_table("artifacts")
    op.drop_table("files")
