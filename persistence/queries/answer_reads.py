"""What the kept answers of a project read, for whoever asks which of them a change would touch."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

import sqlalchemy as sa

from persistence.queries.catalog_rows import chunks
from persistence.repository import Scope
from persistence.tables.talk2data import chat_sessions, turn_messages, turn_provenance, turns
from schema.talk2data.provenance import AnswerKind


@dataclass(frozen=True, slots=True)
class AnswerReads:
    """One answer, and what its query names."""

    turn_id: str
    resource_uri: str
    tables: Mapping[str, Sequence[str]]
    """The columns that it names of each table, by their FQNs."""
    answered_at: datetime


@dataclass(frozen=True, slots=True)
class AskedQuery:
    """What was asked, and the query that was drafted for it."""

    session_id: str
    question: str
    sql: str | None
    dialect: str | None


def answer_reads(
    connection: sa.Connection, scope: Scope, user_id: str, *, own: bool, most: int
) -> tuple[list[AnswerReads], bool]:
    """The latest answers to a user's own questions, or to those of everybody else; whether these are all."""
    c, session = turn_provenance.c, chat_sessions.c
    query = (
        sa.select(c.turn_id, c.resource_uri, c.provenance["tables"], c.created_at)
        .join(turns, turns.c.turn_id == c.turn_id)
        .join(chat_sessions, session.session_id == turns.c.session_id)
        .where(
            c.organization_id == scope.organization_id,
            c.project_id == scope.project_id,
            c.kind == AnswerKind.ANSWER,
            c.resource_uri.is_not(None),
            session.organization_id == scope.organization_id,
            session.created_by == user_id if own else session.created_by != user_id,
        )
        .order_by(c.created_at.desc(), c.turn_id)
        .limit(most + 1)
    )
    found = [
        AnswerReads(
            id, uri, {one["fqn"]: [column["name"] for column in one.get("columns") or ()] for one in tables or ()}, at
        )
        for id, uri, tables, at in connection.execute(query)
    ]
    return found[:most], len(found) <= most


def asked_queries(
    connection: sa.Connection, scope: Scope, turn_ids: Sequence[str], most_characters: int
) -> dict[str, AskedQuery]:
    """Some turns, with as much of each question."""
    c = turn_provenance.c
    query = (
        sa.select(c.turn_id, turns.c.session_id, turn_messages.c.content, c.provenance)
        .join(turns, turns.c.turn_id == c.turn_id)
        .join(turn_messages, sa.and_(turn_messages.c.turn_id == c.turn_id, turn_messages.c.position == 1))
        .where(c.organization_id == scope.organization_id, c.project_id == scope.project_id)
    )
    return {
        id: AskedQuery(session, question[:most_characters], kept["sql_drafted"], kept["dialect"])
        for some in chunks(list(turn_ids))
        for id, session, question, kept in connection.execute(query.where(c.turn_id.in_(some)))
    }
