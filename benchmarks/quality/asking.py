"""Defines how often a question in words gets the right rows, by database and by class, and how far a draft's
confidence can be
believed. Beside the planner stands the plain way: words that are names.

Right means: the query that was drafted passes the guard, runs, and answers with the rows of a query written by hand; in
another order of columns at most, and in the same order of rows where the question asks for one. To a question that the
data cannot answer, asking back and saying so are right. The held-out databases are told in figures alone.
"""

import asyncio
import importlib
import json
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum
from itertools import pairwise
from pathlib import Path
from statistics import median
from typing import Final

import duckdb
import sqlglot
from rich.console import Console
from rich.table import Table
from sqlglot import exp

from benchmarks import alike
from benchmarks.quality import databases
from benchmarks.quality.databases import Loaded
from benchmarks.quality.questions import CLASSES, FOLDER, HELD_OUT, INVENTED, Question, questions_of
from persistence.samples.baseball import NoSample
from resolvers.engines.answering.comparing import RightAnswer, answered, same_answer
from resolvers.engines.nl2sql.model import (
    Asked,
    Clarification,
    Drafter,
    DraftFailure,
    Exchange,
    Knowledge,
    QueryDraft,
    Unanswerable,
)
from resolvers.engines.sql_guard import QueryRefused, guard_sql, tables_of_catalog
from schema.data_readiness.source import Row
from schema.talk2data.chat_settings import UNSURE

NOW: Final = datetime(2026, 1, 15, 12, tzinfo=UTC)
PLANNER: Final = "resolvers.engines.nl2sql.drafter:Planner"
KEYWORDS: Final = "benchmarks.quality.keywords:Keywords"
MOST_ROWS: Final = 10_000
ALIKE: Final = 70
"""Questions to the large catalog of tables that are all alike."""
ROWS_TOLD: Final = 50
"""Rows of an answer that a later question may see."""
REPAIRS: Final = 1
STRANGERS: Final = "strangers"
DEMO: Final = "demo"
"""Thirty questions to the data of `stoa demo`, written by a fan of the game who had not seen the planner."""
SAMPLES: Final = ("chinook", "northwind", "baseball", DEMO)
"""Well-known databases with questions of our own, or of one stranger about the demo's."""
BINS: Final = (0.0, 0.5, 0.6, 0.7, 0.8, 0.9, 1.01)


class Verdict(StrEnum):
    """Describes what became of a question."""

    RIGHT = "right"
    WRONG = "wrong"
    """Answered without a warning, and other rows than the right ones: the worst that can happen."""
    WARNED = "wrong, warned"
    """The same, with the warning that an answer bears when its draft is below the confidence that projects ask for."""
    ASKED = "asked back"
    SAID_NO = "said no"
    REFUSED = "refused"
    """By the guard."""
    FAILED = "failed"
    """The database could not run it, or the drafter broke."""


@dataclass(frozen=True, slots=True)
class Answer:
    """One question and what came of it."""

    question: Question
    verdict: Verdict
    seconds: float
    confidence: float | None = None
    """Of a draft that was run."""
    sql: str | None = None
    told: str = ""
    """The reading, the question back or the error."""
    offered: bool = False
    """Whether one of the readings that were offered is right."""


@dataclass(frozen=True, slots=True)
class _Ran:
    """A draft with its rows, or why it has none."""

    draft: QueryDraft
    rows: Sequence[Row] | None
    columns: tuple[str, ...] = ()
    rule: str | None = None
    message: str = ""


class Session:
    """A drafter with one database."""

    def __init__(self, drafter: Drafter, loaded: Loaded) -> None:
        self.drafter, self.loaded = drafter, loaded
        self.known = Knowledge(loaded.tables, loaded.profiles, dialect="duckdb")
        self.catalog = tables_of_catalog(loaded.tables)

    async def answer(self, question: Question) -> Answer:
        """Ask it, after what comes before it in its session."""
        began = time.perf_counter()
        try:
            earlier = await self._session(question.earlier)
            began = time.perf_counter()
            outcome, ran = await self._ask(question, earlier)
        except Exception as error:  # a drafter that breaks is a result
            return Answer(
                question, Verdict.FAILED, time.perf_counter() - began, told=f"{type(error).__name__}: {error}"
            )
        seconds = time.perf_counter() - began
        if isinstance(outcome, Clarification | Unanswerable):
            verdict = Verdict.ASKED if isinstance(outcome, Clarification) else Verdict.SAID_NO
            readings = outcome.readings if isinstance(outcome, Clarification) else ()
            offered = any(
                self._fits(question, self._run(QueryDraft(one.sql, "", 0, ""))) for one in readings if one.sql
            )
            if not question.golds:
                verdict = Verdict.RIGHT
            told = "; ".join([outcome.message, *(one.text for one in readings)])
            return Answer(question, verdict, seconds, told=told, offered=offered)
        assert ran is not None
        if ran.rows is None:
            verdict = Verdict.REFUSED if ran.rule else Verdict.FAILED
            return Answer(question, verdict, seconds, sql=outcome.sql, told=f"{ran.rule or ''} {ran.message}")
        wrong = Verdict.WARNED if outcome.confidence < UNSURE else Verdict.WRONG
        verdict = Verdict.RIGHT if self._fits(question, ran) else wrong
        return Answer(question, verdict, seconds, outcome.confidence, outcome.sql, outcome.reading)

    async def _session(self, questions: Sequence[Question]) -> list[Exchange]:
        """Return what comes before a question, with the answers that were given, or else with the right ones."""
        earlier: list[Exchange] = []
        for question in questions:
            outcome, ran = await self._ask(question, earlier)
            if isinstance(outcome, QueryDraft) and ran is not None and ran.rows is not None:
                rows = tuple(ran.rows[:ROWS_TOLD])
                answer = (outcome.sql, outcome.plan, ran.columns, rows, outcome.confidence)
                earlier.append(Exchange(question.text, *answer))
            else:
                earlier.append(Exchange(question.text, question.golds[0]))
        return earlier

    async def _ask(
        self, question: Question, earlier: Sequence[Exchange]
    ) -> tuple[QueryDraft | Clarification | Unanswerable, _Ran | None]:
        asked = Asked(question.text, NOW, tuple(earlier))
        outcome = await self.drafter.draft(asked, self.known, self.loaded.found)
        failures: list[DraftFailure] = []
        while isinstance(outcome, QueryDraft):
            ran = self._run(outcome)
            if ran.rows is not None or len(failures) >= REPAIRS:
                return outcome, ran
            failures.append(DraftFailure(outcome, ran.rule, ran.message))
            outcome = await self.drafter.repair(asked, self.known, failures, self.loaded.found)
        return outcome, None

    def is_right(self, question: Question, draft: QueryDraft) -> bool:
        """Return whether a draft runs and answers a question."""
        return self._fits(question, self._run(draft))

    def rows_of(self, sql: str) -> Sequence[Row] | None:
        """The rows of a query that passes the guard; None of one that does not run."""
        return self._run(QueryDraft(sql, "", 0, "")).rows

    def _run(self, draft: QueryDraft) -> _Ran:
        try:
            guarded = guard_sql(draft.sql, dialect="duckdb", tables=self.catalog, most_rows=MOST_ROWS)
            done = self.loaded.session.execute(guarded.query.sql("duckdb", identify=True))
            names = tuple(str(one[0]) for one in done.description or ())
            return _Ran(draft, done.fetchall(), names)
        except QueryRefused as refused:
            return _Ran(draft, None, rule=refused.rule, message=refused.reason)
        except duckdb.Error as error:
            return _Ran(draft, None, message=str(error).splitlines()[0])

    def _fits(self, question: Question, ran: _Ran) -> bool:
        if ran.rows is None:
            return False
        if question.dialect == "duckdb":
            golds = [answered(gold, self.loaded.rows) for gold in question.golds]
        else:
            golds = [answered(gold, self.loaded.original_rows, question.dialect) for gold in question.golds]
            golds += self._elsewhere(question)
        return any(same_answer(gold.rows, ran.rows, gold.keys) for gold in golds)

    def _elsewhere(self, question: Question) -> list[RightAnswer]:
        """The right queries asked of the engine that answers: of rows that are equal at a limit it takes others."""
        found: list[RightAnswer] = []
        for gold in question.golds:
            try:
                turned = sqlglot.parse_one(gold, dialect=question.dialect).sql("duckdb")
                found.append(answered(turned, self.loaded.rows))
            except (duckdb.Error, sqlglot.errors.SqlglotError):
                continue
        return found


def drafter_of(place: str) -> Drafter:
    """A drafter by `module:class`."""
    module, _, name = place.partition(":")
    made: Drafter = getattr(importlib.import_module(module), name)()
    return made


async def asked(drafter: Drafter, loaded: Loaded, questions: Iterable[Question]) -> list[Answer]:
    """The answers to the questions about one database."""
    session = Session(drafter, loaded)
    return [await session.answer(question) for question in questions]


def sets(folder: Path | None, console: Console, only: Sequence[str] = ()) -> list[tuple[Loaded, list[Question]]]:
    """The databases that can be had here, with their questions."""
    found: list[tuple[Loaded, list[Question]]] = []
    for name in (one for one in SAMPLES if not only or one in only):
        try:
            found.append((_sample(name, folder), questions_of(FOLDER / f"{name}.md")))
        except NoSample as reason:
            console.print(f"{name} is left out: {reason}")
    if not only or STRANGERS in only:
        if folder is None or not (folder / "questions").is_dir():
            console.print("The questions of strangers are left out: their folder is questions, beside chinook.")
        else:
            found += strangers(folder / "questions")
    if not only or "alike" in only:
        large = [alike.asked(at) for at in range(ALIKE)]
        found.append((databases.alike(), [Question("alike", kind, text, (gold,)) for kind, text, gold in large]))
    for group in (INVENTED, HELD_OUT):
        if not only or group.name in only:
            for script in sorted(group.glob("*.sql")):
                loaded = databases.from_script(script.stem, script.read_text())
                found.append((loaded, questions_of(script.with_suffix(".md"))))
    return found


def _sample(name: str, folder: Path | None) -> Loaded:
    """A well-known database.

    Raises:
        NoSample: It is not here.
    """
    if name in ("baseball", DEMO):
        return databases.lahman()
    if folder is None:
        raise NoSample("name the folder that holds it with --databases FOLDER.")
    return databases.chinook(folder / name) if name == "chinook" else databases.northwind(folder / name)


def strangers(folder: Path) -> Iterator[tuple[Loaded, list[Question]]]:
    """The questions of people who never saw this program, with the databases that they ask about."""
    by_database: dict[str, list[Question]] = {}
    for one in json.loads((folder / "questions.json").read_text()):
        of = by_database.setdefault(one["database"], [])
        of.append(Question(one["database"], kind_of(one["sql"]), one["question"], (one["sql"],), dialect="sqlite"))
    for name, of in by_database.items():
        yield databases.from_sqlite(folder / "databases" / f"{name}.sqlite"), of


def kind_of(sql: str) -> str:
    """The class of a question by the query in SQLite's dialect that answers it."""
    query = sqlglot.parse_one(sql, dialect="sqlite")
    if isinstance(query, exp.SetOperation):
        return "set"
    if len(list(query.find_all(exp.Select))) > 1:
        return "nested"
    return "group" if query.find(exp.Group) else "join" if query.find(exp.Join) else "one table"


def is_held_out(question: Question) -> bool:
    """Return whether it belongs to a database that nobody may tune on."""
    return (HELD_OUT / f"{question.database}.md").exists()


def set_of(question: Question) -> str:
    """Return where a question is told: a database of its own, or the small ones as one."""
    if question.dialect != "duckdb":
        return STRANGERS
    invented = (INVENTED / f"{question.database}.md").exists()
    return "held out" if is_held_out(question) else "invented" if invented else question.database


def is_warned(answer: Answer) -> bool:
    """Return whether it is right and says that it may be wrong."""
    return answer.verdict is Verdict.RIGHT and answer.confidence is not None and answer.confidence < UNSURE


def share(count: int, of: int) -> str:
    """A share in percent."""
    return f"{count / of:.1%}" if of else "-"


def table_of(title: str, groups: dict[str, list[Answer]]) -> Table:
    """The figures of each group."""
    table = Table(title=title)
    for head in ("", "questions", *(str(one) for one in Verdict), "right, warned", "right one offered", "ms"):
        table.add_column(head, justify="left" if not head else "right")
    for name, answers in groups.items():
        counts = Counter(answer.verdict for answer in answers)
        told = [share(counts[verdict], len(answers)) for verdict in Verdict]
        told += [share(sum(map(asks, answers)), len(answers)) for asks in (is_warned, lambda answer: answer.offered)]
        milliseconds = f"{median(answer.seconds for answer in answers) * 1000:.1f}" if answers else "-"
        table.add_row(name, str(len(answers)), *told, milliseconds)
    return table


def grouped(answers: Sequence[Answer], *, by_class: bool) -> dict[str, list[Answer]]:
    """The answers by database, the small ones as one and those of strangers first; or by class; all at the end."""
    groups: dict[str, list[Answer]] = {name: [] for name in (CLASSES if by_class else (STRANGERS, DEMO))}
    for answer in answers:
        groups.setdefault(answer.question.kind if by_class else set_of(answer.question), []).append(answer)
    groups = {name: group for name, group in groups.items() if group}
    groups["all"] = list(answers)
    return groups


def calibration(answers: Sequence[Answer]) -> tuple[list[tuple[float, float, int, float, float]], float]:
    """For each bin of confidence its bounds, answers, mean confidence and share right; and the expected error."""
    told = [(answer.confidence, answer.verdict is Verdict.RIGHT) for answer in answers if answer.confidence is not None]
    rows, error = [], 0.0
    for low, high in pairwise(BINS):
        inside = [(confidence, right) for confidence, right in told if low <= confidence < high]
        if inside:
            mean = sum(confidence for confidence, _ in inside) / len(inside)
            right = sum(1 for _, is_right in inside if is_right) / len(inside)
            rows.append((low, high, len(inside), mean, right))
            error += abs(mean - right) * len(inside) / len(told)
    return rows, error


def calibration_table(answers: Sequence[Answer], whose: str = "") -> Table:
    """Return how often an answer of some confidence is right."""
    rows, _ = calibration(answers)
    table = Table(title=f"How often an answer is right, by its confidence{whose}")
    for head in ("confidence", "answers", "mean confidence", "right"):
        table.add_column(head, justify="right")
    for low, high, count, mean, right in rows:
        table.add_row(f"{low:.1f}-{min(high, 1.0):.1f}", str(count), f"{mean:.2f}", f"{right:.2f}")
    return table


def show(console: Console, answers: Sequence[Answer], verdicts: Sequence[str]) -> None:
    """The questions with one of these verdicts, but for the held-out ones."""
    for answer in answers:
        if is_held_out(answer.question) or answer.verdict.value.replace(",", " ").split()[0] not in verdicts:
            continue
        question = answer.question
        console.rule(f"{question.database}, {question.kind}: {answer.verdict}", align="left")
        for before in question.earlier:
            console.print(f"before: {before.text}", markup=False, soft_wrap=True)
        console.print(question.text, markup=False, soft_wrap=True, highlight=False)
        for gold in question.golds:
            console.print(f"gold:   {gold}", markup=False, soft_wrap=True, highlight=False)
        if answer.sql:
            confidence = "" if answer.confidence is None else f" ({answer.confidence:.2f})"
            console.print(f"draft{confidence}: {answer.sql}", markup=False, soft_wrap=True, highlight=False)
        console.print(f"told:   {answer.told}", markup=False, soft_wrap=True, highlight=False)


def report(
    console: Console,
    *,
    folder: str | None = None,
    keys: bool = True,
    profiles: bool = True,
    shown: Sequence[str] = (),
    only: Sequence[str] = (),
    drafter: str = PLANNER,
) -> None:
    """Measure the planner and the plain way; print."""
    answers: dict[str, list[Answer]] = {drafter: [], KEYWORDS: []}
    for loaded, questions in sets(None if folder is None else Path(folder), console, only):
        ready = loaded if keys else loaded.without_keys()
        ready = ready.profiled() if profiles else ready
        for place, into in answers.items():
            into += asyncio.run(asked(drafter_of(place), ready, questions))
    if not answers[drafter]:
        console.print("There is no database to ask.")
        return
    how = "".join(
        told for told, on in ((", no declared foreign keys", not keys), (", no profiles", not profiles)) if on
    )
    own = answers[drafter]
    console.print(table_of(f"Questions in words by database{how}", grouped(own, by_class=False)))
    console.print(table_of(f"Questions in words by class{how}", grouped(own, by_class=True)))
    theirs = [answer for answer in own if set_of(answer.question) == STRANGERS]
    held_out = [answer for answer in own if is_held_out(answer.question)]
    if theirs and len(theirs) < len(own):
        console.print(table_of(f"Questions of strangers by class{how}", grouped(theirs, by_class=True)))
        console.print(calibration_table(theirs, ", questions of strangers"))
    if held_out and len(held_out) < len(own):
        console.print(table_of(f"Held-out databases by class{how}", grouped(held_out, by_class=True)))
    console.print(table_of(f"The plain way: words that are names{how}", grouped(answers[KEYWORDS], by_class=False)))
    console.print(calibration_table(own))
    errors = [
        f"{calibration(group)[1]:.3f} {name}"
        for name, group in (("in all", own), ("strangers", theirs), ("held out", held_out))
        if group
    ]
    console.print(f"Expected calibration error: {', '.join(errors)}.")
    show(console, own, shown)
