"""Keep the questions by which a deployment measures its answers, and what they came to."""

import sqlalchemy as sa
from alembic import op

from persistence.columns import Json, Moment

revision = "0021"
down_revision = "0020"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Go forward."""
    op.create_table(
        "benchmarks",
        sa.Column("id", sa.String(length=36), nullable=False),
        sa.Column("organization_id", sa.String(length=255), nullable=False),
        sa.Column("project_id", sa.String(length=255), nullable=False),
        sa.Column("created_by", sa.String(length=255), nullable=False),
        sa.Column("name", sa.String(length=255), nullable=False),
        sa.Column("open_for", sa.String(length=255), nullable=True),
        sa.Column("datasource", sa.String(length=800), nullable=False),
        sa.Column("extra_columns", sa.Boolean(), nullable=False),
        sa.Column("status", sa.String(length=16), nullable=False),
        sa.Column("status_message", sa.String(length=2000), nullable=True),
        sa.Column("before_id", sa.String(length=36), nullable=True),
        sa.Column("caller", Json, nullable=False),
        sa.Column("created_at", Moment(), nullable=False),
        sa.Column("started_at", Moment(), nullable=True),
        sa.Column("completed_at", Moment(), nullable=True),
        sa.Column("revision", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(
            ["organization_id"], ["organizations.id"], name=op.f("fk_benchmarks_organization_id_organizations")
        ),
        sa.ForeignKeyConstraint(["project_id"], ["projects.id"], name=op.f("fk_benchmarks_project_id_projects")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_benchmarks")),
        sa.UniqueConstraint("project_id", "open_for", "name", name=op.f("uq_benchmarks_open")),
    )
    with op.batch_alter_table("benchmarks") as batch:
        batch.create_index(
            "ix_benchmarks_owner", ["organization_id", "project_id", "created_by", "created_at"], unique=False
        )
        batch.create_index(op.f("ix_benchmarks_status"), ["status"], unique=False)
    op.create_table(
        "benchmark_questions",
        sa.Column("id", sa.String(length=36), nullable=False),
        sa.Column("benchmark_id", sa.String(length=36), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("organization_id", sa.String(length=255), nullable=False),
        sa.Column("question", sa.Text(), nullable=False),
        sa.Column("question_hash", sa.String(length=64), nullable=False),
        sa.Column("sql", sa.Text(), nullable=True),
        sa.Column("rows", Json, nullable=True),
        sa.Column("ordered", sa.Boolean(), nullable=False),
        sa.Column("verdict", sa.String(length=16), nullable=True),
        sa.Column("verdict_before", sa.String(length=16), nullable=True),
        sa.Column("reasons", Json, nullable=False),
        sa.Column("message", sa.Text(), nullable=True),
        sa.Column("reading", sa.Text(), nullable=True),
        sa.Column("confidence", sa.Float(), nullable=True),
        sa.Column("unsure", sa.Boolean(), nullable=False),
        sa.Column("verified", sa.Boolean(), nullable=False),
        sa.Column("answer_sql", sa.Text(), nullable=True),
        sa.Column("right_rows", sa.Integer(), nullable=True),
        sa.Column("answer_rows", sa.Integer(), nullable=True),
        sa.Column("answered_at", Moment(), nullable=True),
        sa.ForeignKeyConstraint(
            ["benchmark_id"],
            ["benchmarks.id"],
            name=op.f("fk_benchmark_questions_benchmark_id_benchmarks"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_benchmark_questions")),
        sa.UniqueConstraint("benchmark_id", "position", name=op.f("uq_benchmark_questions_benchmark_id_position")),
    )


def downgrade() -> None:
    """Go back."""
    op.drop_table("benchmark_questions")
    op.drop_table("benchmarks")
