"""Benchmarks: questions with their right answers, and what each of them came to.

Every step is one conditional update: a benchmark moves on only while it is open, and a question gets its verdict once.
So a step that is repeated, by a process that was killed or beside another, changes nothing.
"""

import hashlib
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import uuid4

import sqlalchemy as sa

from persistence.queries.run_tasks import OPEN
from persistence.repository import Repository, Scope
from persistence.tables.talk2data import benchmark_questions, benchmarks
from schema.data_readiness.workflow_run import RunStatus
from schema.pagination import Page
from schema.talk2data.benchmark import (
    Benchmark,
    BenchmarkChange,
    BenchmarkDifference,
    BenchmarkQuestion,
    BenchmarkResult,
    BenchmarkVerdict,
)

_B, _Q = benchmarks.c, benchmark_questions.c
_RIGHT, _WRONG = BenchmarkVerdict.RIGHT.value, BenchmarkVerdict.WRONG.value
_NOTHING_YET: Mapping[str, Any] = {
    **dict.fromkeys(("questions", "right", "wrong", "wrong_unwarned", "asked_back", "said_no", "failed"), 0),
    "difference": None,
}


@dataclass(frozen=True, slots=True)
class BenchmarkRow:
    """Holds what the worker needs to know of a benchmark."""

    id: str
    organization_id: str
    project_id: str
    datasource: str
    extra_columns: bool
    status: RunStatus
    caller: dict[str, Any]

    @property
    def over(self) -> bool:
        """Return whether nothing more will happen."""
        return self.status not in OPEN


@dataclass(frozen=True, slots=True)
class QuestionRow:
    """A question with its right answer, as it is asked."""

    id: str
    question: str
    sql: str | None
    rows: list[list[Any]] | None
    ordered: bool
    verdict: BenchmarkVerdict | None


def question_hash(question: str) -> str:
    """Return by what a question is known in other runs: its words, however they are spaced or capitalized."""
    return hashlib.sha256(" ".join(question.split()).casefold().encode()).hexdigest()


class BenchmarkRepository(Repository[Benchmark]):
    """Benchmarks, each with how many of its questions came to what."""

    def __init__(self, connection: sa.Connection) -> None:
        super().__init__(connection, Benchmark, benchmarks, noun="benchmark", order=[_B.created_at.desc()])

    def completed(self, values: dict[str, Any]) -> dict[str, Any]:
        """A bare benchmark; `filled` counts its questions."""
        return {**values, **_NOTHING_YET}

    # --- reading ----------------------------------------------------------------------------------------------

    def owner_of(self, scope: Scope, benchmark_id: str) -> str | None:
        """Return whose benchmark it is; None when there is none in the scope."""
        query = sa.select(_B.created_by).where(*self._within(scope), _B.id == benchmark_id)
        return self._connection.execute(query).scalar_one_or_none()

    def filled(self, found: Sequence[Benchmark]) -> list[Benchmark]:
        """The benchmarks with their counts, in one statement, however many they are."""
        counted: dict[str, Counter[str]] = defaultdict(Counter)
        before: dict[str, str | None] = {}
        groups = (_B.id, _B.before_id, _Q.verdict, _Q.verdict_before, _Q.unsure)
        query = (
            sa.select(*groups, sa.func.count())
            .join_from(benchmarks, benchmark_questions)
            .where(_B.id.in_([one.id for one in found]))
            .group_by(*groups)
        )
        for id, before_id, verdict, then, unsure, count in self._connection.execute(query):
            before[id] = before_id
            told = ["questions", *([] if verdict is None else [verdict, change_of(verdict, then).value])]
            if verdict == _WRONG and not unsure:
                told.append("wrong_unwarned")
            counted[id].update(dict.fromkeys(told, count))
        return [one.model_copy(update=_counts(counted[one.id], before.get(one.id))) for one in found]

    def results(
        self,
        scope: Scope,
        benchmark_id: str,
        *,
        verdict: BenchmarkVerdict | None,
        change: BenchmarkChange | None,
        offset: int,
        limit: int,
    ) -> Page[BenchmarkResult]:
        """One window of the questions of a benchmark, in their order."""
        where = [] if change is None else [_changed(change)]
        return _Results(self._connection).page(
            Scope(scope.organization_id), offset=offset, limit=limit, where=where, benchmark_id=benchmark_id,
            verdict=verdict,
        )  # fmt: skip

    def row(self, benchmark_id: str) -> BenchmarkRow | None:
        """Return what the worker needs to know; None when it is gone."""
        query = sa.select(
            _B.id, _B.organization_id, _B.project_id, _B.datasource, _B.extra_columns, _B.status, _B.caller
        ).where(_B.id == benchmark_id)
        found = self._connection.execute(query).one_or_none()
        return None if found is None else BenchmarkRow(**(dict(found._mapping) | {"status": RunStatus(found.status)}))

    def open_everywhere(self, limit: int) -> list[str]:
        """The benchmarks of all tenants that are not over, the oldest first."""
        query = sa.select(_B.id).where(_B.status.in_(OPEN)).order_by(_B.created_at).limit(limit)
        return list(self._connection.execute(query).scalars())

    def waiting(self, benchmark_id: str) -> list[int]:
        """The places of the questions that have no verdict."""
        query = sa.select(_Q.position).where(_Q.benchmark_id == benchmark_id, _Q.verdict.is_(None))
        return list(self._connection.execute(query.order_by(_Q.position)).scalars())

    def question(self, benchmark_id: str, position: int) -> QuestionRow | None:
        """One question."""
        query = sa.select(_Q.id, _Q.question, _Q.sql, _Q.rows, _Q.ordered, _Q.verdict).where(
            _Q.benchmark_id == benchmark_id, _Q.position == position
        )
        found = self._connection.execute(query).one_or_none()
        return None if found is None else QuestionRow(**found._mapping)

    def latest(self, scope: Scope, user_id: str, name: str, *, completed: bool) -> str | None:
        """The latest of a user's benchmarks of a name, whether over or not unless it is to be completed."""
        where = [_B.created_by == user_id, _B.name == name]
        if completed:
            where.append(_B.status == RunStatus.COMPLETED)
        query = sa.select(_B.id).where(*self._within(scope), *where).order_by(_B.created_at.desc(), _B.id).limit(1)
        return self._connection.execute(query).scalar_one_or_none()

    def asked_by(self, benchmark_id: str) -> list[BenchmarkQuestion]:
        """The questions of a benchmark, to be asked again."""
        query = sa.select(_Q.question, _Q.sql, _Q.rows, _Q.ordered).where(_Q.benchmark_id == benchmark_id)
        rows = self._connection.execute(query.order_by(_Q.position))
        return [BenchmarkQuestion.model_construct(**row._mapping) for row in rows]

    # --- writing ----------------------------------------------------------------------------------------------

    def begin(
        self,
        scope: Scope,
        new: Benchmark,
        questions: Sequence[BenchmarkQuestion],
        *,
        user_id: str,
        caller: Mapping[str, Any],
    ) -> None:
        """Write a benchmark down, beside what its questions came to before. Raises IntegrityError while one is open."""
        before = self.latest(scope, user_id, new.name, completed=True)
        hashes = [question_hash(one.question) for one in questions]
        then = self._verdicts(before) if before is not None else {}
        self.add(
            new,
            organization_id=scope.organization_id,
            project_id=scope.project_id,
            created_by=user_id,
            open_for=user_id,
            before_id=before,
            caller=dict(caller),
        )
        rows = [
            {
                "id": str(uuid4()),
                "benchmark_id": new.id,
                "position": position,
                "organization_id": scope.organization_id,
                "question": one.question,
                "question_hash": hashed,
                "sql": one.sql,
                "rows": one.rows,
                "ordered": one.ordered,
                "verdict_before": then.get(hashed),
                "reasons": [],
                "unsure": False,
                "verified": False,
            }
            for position, (one, hashed) in enumerate(zip(questions, hashes, strict=True), 1)
        ]
        self._connection.execute(benchmark_questions.insert(), rows)

    def _verdicts(self, benchmark_id: str) -> dict[str, str]:
        query = sa.select(_Q.question_hash, _Q.verdict).where(_Q.benchmark_id == benchmark_id, _Q.verdict.is_not(None))
        return {hashed: verdict for hashed, verdict in self._connection.execute(query)}

    def move(self, benchmark_id: str, to: RunStatus, **values: Any) -> bool:
        """Move an open benchmark on; whether it moved. What is over leaves room for another of its name."""
        if to not in OPEN:
            values["open_for"] = None
        moved = self._connection.execute(
            benchmarks.update()
            .where(_B.id == benchmark_id, _B.status.in_(OPEN))
            .values(status=to, revision=_B.revision + 1, **values)
        )
        return bool(moved.rowcount)

    def conclude(self, benchmark_id: str, position: int, values: Mapping[str, Any]) -> bool:
        """Give a question its verdict, once, while its benchmark is open; whether it was given."""
        open_ones = sa.select(_B.id).where(_B.id == benchmark_id, _B.status.in_(OPEN))
        given = self._connection.execute(
            benchmark_questions.update()
            .where(_Q.benchmark_id.in_(open_ones), _Q.position == position, _Q.verdict.is_(None))
            .values(**values)
        )
        return bool(given.rowcount)


class _Results(Repository[BenchmarkResult]):
    """The questions of benchmarks."""

    def __init__(self, connection: sa.Connection) -> None:
        super().__init__(connection, BenchmarkResult, benchmark_questions, noun="benchmark_result", order=[_Q.position])

    def completed(self, values: dict[str, Any]) -> dict[str, Any]:
        """How a verdict differs from the one before follows from both."""
        verdict = values["verdict"]
        return values | {"change": None if verdict is None else change_of(verdict, values["verdict_before"])}


def change_of(verdict: str, before: str | None) -> BenchmarkChange:
    """Return how a verdict differs from that of the run before."""
    if before is None:
        return BenchmarkChange.NEW
    if verdict == before:
        return BenchmarkChange.SAME
    if verdict == _RIGHT:
        return BenchmarkChange.NEWLY_RIGHT
    if verdict == _WRONG:
        return BenchmarkChange.NEWLY_WRONG
    return BenchmarkChange.NO_LONGER_RIGHT if before == _RIGHT else BenchmarkChange.OTHER


def _changed(change: BenchmarkChange) -> sa.ColumnElement[bool]:
    """The same as a condition."""
    verdicts = [one.value for one in BenchmarkVerdict]
    pairs = [(verdict, before) for verdict in verdicts for before in verdicts if change_of(verdict, before) is change]
    if change is BenchmarkChange.NEW:
        return sa.and_(_Q.verdict.is_not(None), _Q.verdict_before.is_(None))
    return sa.or_(*[sa.and_(_Q.verdict == verdict, _Q.verdict_before == before) for verdict, before in pairs])


def _counts(counted: Counter[str], before: str | None) -> dict[str, Any]:
    made: dict[str, Any] = {name: counted[name] for name in _NOTHING_YET if name != "difference"}
    if before is not None:
        changes = {name: counted[name] for name in ("newly_right", "newly_wrong", "no_longer_right")}
        made["difference"] = BenchmarkDifference(benchmark_id=before, **changes)
    return made
