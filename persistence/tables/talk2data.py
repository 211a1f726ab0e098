"""Chat sessions, and of each turn its messages, events, artifacts, feedback and provenance."""

import sqlalchemy as sa

from persistence.columns import Json, Moment
from persistence.tables import metadata


def _of_turn() -> sa.Column[str]:
    return sa.Column("turn_id", sa.String(36), sa.ForeignKey("turns.turn_id", ondelete="CASCADE"), nullable=False)


chat_sessions = sa.Table(
    "chat_sessions",
    metadata,
    sa.Column("session_id", sa.String(36), primary_key=True),
    sa.Column("organization_id", sa.String(255), sa.ForeignKey("organizations.id"), nullable=False),
    sa.Column("project_id", sa.String(255), sa.ForeignKey("projects.id"), nullable=False),
    sa.Column("created_by", sa.String(255), nullable=False),  # whose session it is
    sa.Column("title", sa.String(255)),
    sa.Column("turn_count", sa.Integer, nullable=False),
    sa.Column("message_count", sa.Integer, nullable=False),
    sa.Column("artifact_count", sa.Integer, nullable=False),
    sa.Column("created_at", Moment, nullable=False),
    sa.Column("updated_at", Moment, nullable=False),
    sa.Column("revision", sa.Integer, nullable=False),
    sa.Index("ix_chat_sessions_owner", "organization_id", "project_id", "created_by", "created_at"),
)

turns = sa.Table(
    "turns",
    metadata,
    sa.Column("turn_id", sa.String(36), primary_key=True),
    sa.Column(
        "session_id", sa.String(36), sa.ForeignKey("chat_sessions.session_id", ondelete="CASCADE"), nullable=False
    ),
    sa.Column("organization_id", sa.String(255), nullable=False),
    sa.Column("project_id", sa.String(255), nullable=False),
    sa.Column("task_id", sa.String(36), nullable=False, unique=True),
    sa.Column("position", sa.Integer, nullable=False),
    sa.Column("state", sa.String(16), nullable=False, index=True),
    sa.Column("caller", Json, nullable=False),  # who asked, as the worker needs them; not shown
    sa.Column("last_sequence", sa.Integer, nullable=False),  # of the turn's events
    sa.Column("created_at", Moment, nullable=False),
    sa.Column("updated_at", Moment, nullable=False),
    sa.UniqueConstraint("session_id", "position"),
)

turn_messages = sa.Table(
    "turn_messages",
    metadata,
    sa.Column("message_id", sa.String(36), primary_key=True),
    _of_turn(),
    sa.Column("organization_id", sa.String(255), nullable=False),
    sa.Column("position", sa.Integer, nullable=False),
    sa.Column("role", sa.String(16), nullable=False),
    sa.Column("content", sa.Text, nullable=False),
    sa.Column("message_type", sa.String(16), nullable=False),
    sa.Column("task_id", sa.String(36), nullable=False),
    sa.Column("generated_artifacts", Json, nullable=False),
    sa.Column("context", Json),
    sa.Column("created_at", Moment, nullable=False),
    sa.UniqueConstraint("turn_id", "position"),
)

turn_events = sa.Table(
    "turn_events",
    metadata,
    _of_turn(),
    sa.Column("sequence", sa.Integer, nullable=False),
    sa.Column("organization_id", sa.String(255), nullable=False),
    sa.Column("task_id", sa.String(36), nullable=False),
    sa.Column("event", sa.String(16), nullable=False),
    sa.Column("final", sa.Boolean, nullable=False),
    sa.Column("data", Json, nullable=False),
    sa.Column("created_at", Moment, nullable=False),
    sa.PrimaryKeyConstraint("turn_id", "sequence"),
)

turn_artifacts = sa.Table(
    "turn_artifacts",
    metadata,
    _of_turn(),
    sa.Column("position", sa.Integer, nullable=False),
    sa.Column("organization_id", sa.String(255), nullable=False),
    sa.Column("resource_uri", sa.String(800), nullable=False),
    sa.Column("artifact_type", sa.String(64), nullable=False),
    sa.Column("artifact_title", sa.String(255)),
    sa.Column("artifact_description", sa.String(2000)),
    sa.Column("metadata", Json, nullable=False),
    sa.Column("created_at", Moment, nullable=False),
    sa.PrimaryKeyConstraint("turn_id", "position"),
)

turn_feedback = sa.Table(
    "turn_feedback",
    metadata,
    _of_turn(),
    sa.Column("organization_id", sa.String(255), nullable=False),
    sa.Column("rating", sa.String(16), nullable=False),
    sa.Column("comment", sa.String(2000)),
    sa.Column("created_at", Moment, nullable=False),
    sa.Column("updated_at", Moment, nullable=False),
    sa.PrimaryKeyConstraint("turn_id"),
)

turn_provenance = sa.Table(
    "turn_provenance",
    metadata,
    _of_turn(),
    sa.Column("organization_id", sa.String(255), nullable=False),
    sa.Column("project_id", sa.String(255), nullable=False),
    sa.Column("draft", Json),  # the draft that was told, until the answer is found: a second process goes on from it
    sa.Column("kind", sa.String(16)),  # null until the answer is found
    sa.Column("resource_uri", sa.String(800)),
    sa.Column("provenance", Json),
    sa.Column("events", Json),  # the events that tell the answer, so that it is told to its end as it was found
    sa.Column("created_at", Moment, nullable=False),
    sa.PrimaryKeyConstraint("turn_id"),
)

chat_settings = sa.Table(
    "chat_settings",
    metadata,
    sa.Column("organization_id", sa.String(255), nullable=False),
    sa.Column("project_id", sa.String(255), nullable=False),
    sa.Column("drafter", sa.String(16), nullable=False),
    sa.Column("llm_model", sa.String(255)),
    sa.Column("provider", sa.String(255)),
    sa.Column("api_base", sa.String(1000)),
    sa.Column("api_version", sa.String(255)),
    sa.Column("credentials_secret", sa.String(255)),
    sa.Column("candidates", sa.Integer, nullable=False),
    sa.Column("window", sa.Integer),
    sa.Column("unsure_below", sa.Float, nullable=False),
    sa.Column("warn_below", sa.String(8)),
    sa.Column("refuse_below", sa.String(8)),
    sa.Column("updated_by", sa.String(255), nullable=False),
    sa.Column("authors", Json),  # who set them, whose right to the key counts; not shown
    sa.Column("updated_at", Moment, nullable=False),
    sa.Column("revision", sa.Integer, nullable=False),
    sa.PrimaryKeyConstraint("project_id"),
)

answer_notes = sa.Table(
    "answer_notes",
    metadata,
    sa.Column("id", sa.String(36), primary_key=True),
    _of_turn(),
    sa.Column("organization_id", sa.String(255), nullable=False),
    sa.Column("project_id", sa.String(255), nullable=False),
    sa.Column("question", sa.Text, nullable=False),
    sa.Column("sql", sa.Text),
    sa.Column("comment", sa.String(2000), nullable=False),
    sa.Column("status", sa.String(16), nullable=False),
    sa.Column("resolution", sa.String(2000)),
    sa.Column("created_by", sa.String(255), nullable=False),
    sa.Column("created_at", Moment, nullable=False),
    sa.Column("closed_by", sa.String(255)),
    sa.Column("closed_at", Moment),
    sa.Column("updated_at", Moment, nullable=False),
    sa.Column("revision", sa.Integer, nullable=False),
    sa.UniqueConstraint("turn_id"),
    sa.Index("ix_answer_notes_project", "organization_id", "project_id", "status", "created_at"),
)

answered_sets = sa.Table(
    "answered_sets",
    metadata,
    sa.Column("id", sa.String(36), primary_key=True),
    sa.Column("organization_id", sa.String(255), nullable=False),
    sa.Column("project_id", sa.String(255), nullable=False),
    sa.Column("user_id", sa.String(255), nullable=False),
    sa.Column("subject_hash", sa.String(64), nullable=False),  # of the table, or the column, that a policy protects
    sa.Column("query_hash", sa.String(64), nullable=False),
    sa.Column("sets", Json, nullable=False),  # sketches of the rows behind each group; no key can be read from them
    sa.Column("created_at", Moment, nullable=False),
    # It outlives the chat session: who deletes what was told does not forget it.
    sa.UniqueConstraint(
        "organization_id", "project_id", "user_id", "subject_hash", "query_hash", name="uq_answered_sets_query"
    ),
)

benchmarks = sa.Table(
    "benchmarks",
    metadata,
    sa.Column("id", sa.String(36), primary_key=True),
    sa.Column("organization_id", sa.String(255), sa.ForeignKey("organizations.id"), nullable=False),
    sa.Column("project_id", sa.String(255), sa.ForeignKey("projects.id"), nullable=False),
    sa.Column("created_by", sa.String(255), nullable=False),  # whose benchmark it is
    sa.Column("name", sa.String(255), nullable=False),
    sa.Column("open_for", sa.String(255)),  # who began it, until it is over: one of a name is open at a time
    sa.Column("datasource", sa.String(800), nullable=False),
    sa.Column("extra_columns", sa.Boolean, nullable=False),
    sa.Column("status", sa.String(16), nullable=False, index=True),
    sa.Column("status_message", sa.String(2000)),
    sa.Column("before_id", sa.String(36)),  # the run that it is compared with, which may be deleted by now
    sa.Column("caller", Json, nullable=False),  # who began it, as the worker needs them; not shown
    sa.Column("created_at", Moment, nullable=False),
    sa.Column("started_at", Moment),
    sa.Column("completed_at", Moment),
    sa.Column("revision", sa.Integer, nullable=False),
    sa.UniqueConstraint("project_id", "open_for", "name", name="uq_benchmarks_open"),
    sa.Index("ix_benchmarks_owner", "organization_id", "project_id", "created_by", "created_at"),
)

benchmark_questions = sa.Table(
    "benchmark_questions",
    metadata,
    sa.Column("id", sa.String(36), primary_key=True),
    sa.Column("benchmark_id", sa.String(36), sa.ForeignKey("benchmarks.id", ondelete="CASCADE"), nullable=False),
    sa.Column("position", sa.Integer, nullable=False),
    sa.Column("organization_id", sa.String(255), nullable=False),
    sa.Column("question", sa.Text, nullable=False),
    sa.Column("question_hash", sa.String(64), nullable=False),  # by which it is found again in another run
    sa.Column("sql", sa.Text),
    sa.Column("rows", Json),
    sa.Column("ordered", sa.Boolean, nullable=False),
    sa.Column("verdict", sa.String(16)),
    sa.Column("verdict_before", sa.String(16)),
    sa.Column("reasons", Json, nullable=False),
    sa.Column("message", sa.Text),
    sa.Column("reading", sa.Text),
    sa.Column("confidence", sa.Float),
    sa.Column("unsure", sa.Boolean, nullable=False),
    sa.Column("verified", sa.Boolean, nullable=False),
    sa.Column("answer_sql", sa.Text),
    sa.Column("right_rows", sa.Integer),
    sa.Column("answer_rows", sa.Integer),
    sa.Column("answered_at", Moment),
    sa.UniqueConstraint("benchmark_id", "position"),
)
