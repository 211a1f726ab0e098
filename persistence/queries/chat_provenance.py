"""Defines where answers come from, kept with their turns; and what each answer rests on in the catalog, as of now."""

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any, Final

import sqlalchemy as sa

from persistence.queries.catalog_rows import chunks
from persistence.queries.metadata_search import in_scope
from persistence.repository import Scope
from persistence.tables.catalog import metadata_assets
from persistence.tables.quality import dimensions, violations
from persistence.tables.talk2data import chat_sessions, turn_events, turn_messages, turn_provenance, turns
from schema.data_readiness.quality import AssessmentType
from schema.data_readiness.quality_builtin import DIMENSIONS
from schema.data_readiness.violation import UNRESOLVED
from schema.identifiers import Fqn
from schema.talk2data.provenance import AnswerKind, TurnProvenance
from schema.talk2data.turn_event import TurnEventType

_OF_THE_CATALOG: Final = [one.id for one in DIMENSIONS if one.assessment_type is AssessmentType.METADATA]
"""The built-in dimensions that judge the catalog rather than the data."""


@dataclass(frozen=True, slots=True)
class KeptWork:
    """Holds how far an answer had come when its process died."""

    draft: dict[str, Any] | None
    """The draft that was told last."""
    events: list[dict[str, Any]] | None
    """The events that tell the answer, once it was found."""


@dataclass(frozen=True, slots=True)
class EarlierAnswer:
    """An answered question of a session."""

    question: str
    provenance: TurnProvenance
    result: dict[str, Any]
    """What its result event showed."""
    position: int
    """The place of its turn in the session, from 1."""

    @property
    def asked(self) -> str:
        """The question as it was understood to be asked: of a turn that chose a reading, that reading."""
        return self.provenance.evidence.get("asked") or self.question


@dataclass(frozen=True, slots=True)
class AskedBack:
    """A question of a session that was asked back."""

    text: str
    """The question, as it was understood to be asked."""
    names: list[str]
    """The data that it was limited to."""
    readings: list[dict[str, Any]]
    """What it can mean, each with its `id` and what is needed to answer it."""


@dataclass(frozen=True, slots=True)
class LastTurn:
    """The turn before a question, whatever became of it."""

    question: str
    position: int
    kind: AnswerKind | None
    """What it came to; None when it failed or was canceled."""
    provenance: TurnProvenance | None
    draft: dict[str, Any] | None
    """The draft that was told last, of a turn that came to nothing."""
    context: dict[str, Any]
    message: str | None
    """What was told in the place of an answer."""
    asked_back: AskedBack | None = None

    @property
    def _evidence(self) -> dict[str, Any]:
        if self.provenance is not None:
            return self.provenance.evidence
        return self.draft["draft"]["evidence"] if self.draft is not None else {}

    @property
    def asked(self) -> str:
        """The question as it was understood to be asked."""
        return self._evidence.get("asked") or self.question

    @property
    def form(self) -> str | None:
        """The form that it wished its answer in."""
        return self._evidence.get("form")

    @property
    def names(self) -> tuple[str, ...]:
        """The data that it was limited to."""
        return tuple(self.context.get("datasources") or ())

    @property
    def uri(self) -> str | None:
        """The data connection that was asked."""
        if self.provenance is not None:
            return self.provenance.resource_uri
        return self.draft["uri"] if self.draft is not None else None

    @property
    def missing(self) -> list[str]:
        """Its words that nothing in the data stands for."""
        return list(self._evidence.get("missing") or ())

    @property
    def in_the_way(self) -> list[str]:
        """Its words that nothing stands for, or that ask for what may not be read."""
        return [*self.missing, *(self._evidence.get("forbidden") or ())]


class ProvenanceRepository:
    """Describes where the answers of turns come from. One row per turn, gone with it."""

    def __init__(self, connection: sa.Connection) -> None:
        self._connection = connection

    def work(self, turn_id: str) -> KeptWork | None:
        """Return how far an answer has come; None when it was not begun."""
        c = turn_provenance.c
        row = self._connection.execute(sa.select(c.draft, c.events).where(c.turn_id == turn_id)).one_or_none()
        return None if row is None else KeptWork(row.draft, row.events["events"] if row.events else None)

    def tables_read(self, scope: Scope, user_id: str, most: int) -> list[tuple[str, list[str]]]:
        """The latest answers to a user's own questions, the newest first: the turn, and the tables that it read."""
        c, turn, session = turn_provenance.c, turns.c, chat_sessions.c
        query = (
            sa.select(c.turn_id, c.provenance)
            .join(turns, turn.turn_id == c.turn_id)
            .join(chat_sessions, session.session_id == turn.session_id)
            .where(
                c.organization_id == scope.organization_id,
                c.project_id == scope.project_id,
                c.provenance.is_not(None),
                session.organization_id == scope.organization_id,
                session.created_by == user_id,
            )
            .order_by(c.created_at.desc(), c.turn_id)
            .limit(most)
        )
        found: list[tuple[str, list[str]]] = []
        for id, kept in self._connection.execute(query):
            told: list[Any] = (kept or {}).get("tables") or []
            found.append((id, list(dict.fromkeys(str(one["fqn"]) for one in told if "fqn" in one))))
        return found

    def keep_draft(self, scope: Scope, turn_id: str, draft: dict[str, Any], now: datetime) -> None:
        """Keep the draft that is about to be told. Raises IntegrityError when the turn is gone."""
        self._put(scope, turn_id, {"draft": draft}, now)

    def keep(
        self,
        scope: Scope,
        found: TurnProvenance,
        events: Sequence[dict[str, Any]],
        now: datetime,
        *,
        asked_back: AskedBack | None = None,
    ) -> None:
        """Keep an answer with the events that tell it, and what a reply to a question back chooses from.

        Raises IntegrityError when the turn is gone.
        """
        told: dict[str, Any] = {"events": list(events)}
        if asked_back is not None:
            told["asked_back"] = asdict(asked_back)
        values = {
            "kind": found.kind,
            "resource_uri": found.resource_uri,
            "provenance": found.model_dump(mode="json"),
            "events": told,
        }
        self._put(scope, found.turn_id, values, now)

    def _put(self, scope: Scope, turn_id: str, values: dict[str, Any], now: datetime) -> None:
        changed = self._connection.execute(
            turn_provenance.update().where(turn_provenance.c.turn_id == turn_id).values(**values)
        )
        if not changed.rowcount:
            tenant = {"organization_id": scope.organization_id, "project_id": scope.project_id}
            self._connection.execute(
                turn_provenance.insert().values(turn_id=turn_id, created_at=now, **tenant, **values)
            )

    def find(self, scope: Scope, turn_id: str) -> TurnProvenance | None:
        """Return where the answer of a turn comes from; None before it was found."""
        c = turn_provenance.c
        query = sa.select(c.provenance).where(
            c.organization_id == scope.organization_id, c.project_id == scope.project_id, c.turn_id == turn_id
        )
        found = self._connection.execute(query).scalar_one_or_none()
        return None if found is None else TurnProvenance.model_validate(found)

    def earlier(self, session_id: str, position: int, limit: int) -> list[EarlierAnswer]:
        """The last answered questions of a session before a position, the oldest first."""
        c = turn_provenance.c
        query = (
            sa.select(turn_messages.c.content, c.provenance, c.turn_id, turns.c.position)
            .join(turns, turns.c.turn_id == c.turn_id)
            .join(turn_messages, sa.and_(turn_messages.c.turn_id == c.turn_id, turn_messages.c.position == 1))
            .where(turns.c.session_id == session_id, turns.c.position < position, c.kind == AnswerKind.ANSWER)
            .order_by(turns.c.position.desc())
            .limit(limit)
        )
        rows = self._connection.execute(query).all()
        results = self._results([row.turn_id for row in rows])
        return [
            EarlierAnswer(
                row.content, TurnProvenance.model_validate(row.provenance), results.get(row.turn_id, {}), row.position
            )
            for row in reversed(rows)
        ]

    def asked_back(self, session_id: str, turn_id: str) -> AskedBack | None:
        """Return what a turn of a session has asked back; None when it has not."""
        return self._asked_back(session_id, turns.c.turn_id == turn_id)

    def open_question(self, session_id: str, position: int) -> AskedBack | None:
        """The last question back before a position, while no answer stands behind it."""
        return self._asked_back(session_id, turns.c.position < position)

    def _asked_back(self, session_id: str, which: sa.ColumnElement[bool]) -> AskedBack | None:
        c = turn_provenance.c
        query = (
            sa.select(c.kind, c.events)
            .join(turns, turns.c.turn_id == c.turn_id)
            .where(turns.c.session_id == session_id, which, c.kind.in_((AnswerKind.ANSWER, AnswerKind.CLARIFICATION)))
            .order_by(turns.c.position.desc())
            .limit(1)
        )
        row = self._connection.execute(query).one_or_none()
        if row is None or row.kind != AnswerKind.CLARIFICATION:
            return None
        kept = (row.events or {}).get("asked_back")
        return None if kept is None else AskedBack(**kept)

    def last(self, session_id: str, position: int) -> LastTurn | None:
        """The turn before a position, without those that asked beside the data."""
        c = turn_provenance.c
        query = (
            sa.select(
                turns.c.turn_id,
                turns.c.position,
                turn_messages.c.content,
                turn_messages.c.context,
                c.kind,
                c.provenance,
                c.draft,
                c.events,
            )
            .join(turn_messages, sa.and_(turn_messages.c.turn_id == turns.c.turn_id, turn_messages.c.position == 1))
            .outerjoin(turn_provenance, c.turn_id == turns.c.turn_id)
            .where(
                turns.c.session_id == session_id,
                turns.c.position < position,
                sa.or_(c.kind.is_(None), c.kind != AnswerKind.INFORMATION),
            )
            .order_by(turns.c.position.desc())
            .limit(1)
        )
        row = self._connection.execute(query).one_or_none()
        if row is None:
            return None
        back = (row.events or {}).get("asked_back")
        found = None if row.provenance is None else TurnProvenance.model_validate(row.provenance)
        return LastTurn(
            question=row.content,
            position=row.position,
            kind=None if row.kind is None else AnswerKind(row.kind),
            provenance=found,
            draft=row.draft if row.kind is None else None,
            context=row.context or {},
            message=self._told_last(row.turn_id) if found is None else found.message,
            asked_back=None if back is None else AskedBack(**back),
        )

    def _told_last(self, turn_id: str) -> str | None:
        """The message of the event that ended a turn."""
        query = sa.select(turn_events.c.data).where(turn_events.c.turn_id == turn_id, turn_events.c.final.is_(True))
        data = self._connection.execute(query.limit(1)).scalar_one_or_none()
        return None if data is None else data.get("message")

    def _results(self, turn_ids: Sequence[str]) -> dict[str, dict[str, Any]]:
        query = (
            sa.select(turn_events.c.turn_id, turn_events.c.data)
            .where(turn_events.c.turn_id.in_(turn_ids), turn_events.c.event == TurnEventType.RESULT)
            .order_by(turn_events.c.sequence)
        )
        return {turn_id: data for turn_id, data in self._connection.execute(query)}

    # --- what an answer rests on ------------------------------------------------------------------------------

    def asked_before(self, turn_id: str) -> tuple[str, dict[str, Any] | None, str, int]:
        """The question of a turn with its context, its session, and its place there."""
        query = (
            sa.select(turn_messages.c.content, turn_messages.c.context, turns.c.session_id, turns.c.position)
            .join(turns, turns.c.turn_id == turn_messages.c.turn_id)
            .where(turn_messages.c.turn_id == turn_id, turn_messages.c.position == 1)
        )
        row = self._connection.execute(query).one()
        return row.content, row.context, row.session_id, row.position

    def versions_of(self, scope: Scope, fqns: Iterable[str]) -> dict[str, str]:
        """The versions of live assets, by their dotted names."""
        asset, found = metadata_assets.c, {}
        for some in chunks(sorted(set(fqns))):
            query = sa.select(asset.fully_qualified_name, asset.version_major, asset.version_minor).where(
                *in_scope(scope), asset.deleted_at.is_(None), asset.fully_qualified_name.in_(some)
            )
            for fqn, major, minor in self._connection.execute(query):
                found[fqn] = f"{major}.{minor}"
        return found

    def violations_of(self, scope: Scope, tables: Iterable[str]) -> dict[str, dict[str | None, int]]:
        """Return how many violations of the data of tables are not resolved, by the name of the column; None for the
        table's own. What is missing in the catalog, such as an owner, changes no answer and is left out.
        """
        row, found = violations.c, {}
        described = sa.select(dimensions.c.id).where(
            dimensions.c.organization_id == scope.organization_id,
            dimensions.c.project_id == scope.project_id,
            dimensions.c.assessment_type == AssessmentType.METADATA,
        )
        for fqn in sorted(set(tables)):
            service, database, schema, table, *_ = Fqn.parse(fqn).parts
            query = (
                sa.select(row.column, sa.func.count())
                .where(
                    row.organization_id == scope.organization_id,
                    row.project_id == scope.project_id,
                    row.service == service,
                    row.database == database,
                    row.schema == schema,
                    row.table == table,
                    row.status.in_(UNRESOLVED),
                    row.dimension_id.not_in(_OF_THE_CATALOG),
                    row.dimension_id.not_in(described),
                )
                .group_by(row.column)
            )
            found[fqn] = {column: many for column, many in self._connection.execute(query)}
        return found
