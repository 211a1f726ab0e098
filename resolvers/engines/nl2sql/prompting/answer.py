"""Defines what of a model's answer is taken: the fields that were asked for, of their types, and sentences that are
only words.

The SQL is taken as it is, for the guard to judge. Sentences are shown to people, so one with markup or a link (which
could carry data away), or with a figure that is neither in the query nor in what the asker said, is replaced by a
neutral one.
"""

import re
from dataclasses import dataclass
from typing import Annotated, Final

import sqlglot
from pydantic import BaseModel, ConfigDict, Field, ValidationError
from sqlglot import exp
from sqlglot.errors import SqlglotError

LONGEST_SQL: Final = 20_000
LONGEST_SENTENCE: Final = 600
MOST_READINGS: Final = 5
LONGEST_ANSWER: Final = 100_000

READ: Final = "The query shows how the question was understood."
CANNOT: Final = "The data does not hold what the question asks for. Ask for something that the catalog describes."

_MARKUP: Final = re.compile(
    r"[<>{}\\|]|```|\]\s*\(|!\[|//|\bwww\.|\b\w+:\S*/|\b(?:mailto|javascript|data):|\b[\w.-]+\.(?:com|net|org|io|dev|xyz|"
    r"app|info|co|ru|cn|site|online|evil|test|example)\b|[\x00-\x1f\x7f\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff]",
    re.IGNORECASE,
)
_NUMBER: Final = re.compile(r"\d+(?:[.,]\d+)*")

MADE_UP: Final = "The query answers with constants that come from no table. Say so in `cannot` when there is no answer."

Sentence = Annotated[str, Field(max_length=4000)]


class _Answer(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)

    sql: Annotated[str, Field(max_length=LONGEST_SQL)] | None = None
    reading: Sentence = ""
    confidence: Annotated[float, Field(ge=0, le=1, allow_inf_nan=False)] | None = None
    needs_clarification: bool = False
    readings: Annotated[list[Sentence], Field(max_length=20)] = []
    cannot: Sentence | None = None
    notes: Annotated[list[int], Field(max_length=100)] = []


@dataclass(frozen=True, slots=True)
class DraftedQuery:
    """The model wrote a query."""

    sql: str
    reading: str
    confidence: float | None
    notes: tuple[int, ...] = ()
    """The numbers of the notes that shaped it, as the model says."""


@dataclass(frozen=True, slots=True)
class ClarifyingQuestion:
    """The model wants to know which of several readings is meant."""

    readings: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Cannot:
    """The model says that the data cannot answer."""

    message: str


def read_answer(text: str, said: str) -> DraftedQuery | ClarifyingQuestion | Cannot | str:
    """Return what an answer holds, or a sentence that says why nothing of it can be used.

    `said` is what the asker said: what sentences may take figures from, beside the query.
    """
    body = text.strip()
    if body.startswith("```"):
        body = body.strip("`").removeprefix("json").strip()
    if len(body) > LONGEST_ANSWER:
        return "The answer is longer than an answer can be."
    try:
        answer = _Answer.model_validate_json(body)
    except (ValidationError, RecursionError):
        return "The answer is not the JSON object that was asked for."
    sql = (answer.sql or "").strip().removesuffix(";").rstrip()
    cannot = (answer.cannot or "").strip()
    if sum((bool(sql), answer.needs_clarification, bool(cannot))) != 1:
        return "The answer must be exactly one of a query, a need of clarification, and a reason why it cannot be."
    if sql:
        return DraftedQuery(sql, plain(answer.reading, said + sql) or READ, answer.confidence, tuple(answer.notes))
    if cannot:
        return Cannot(plain(cannot, said) or CANNOT)
    readings = list(dict.fromkeys(one for given in answer.readings if (one := plain(given, said))))[:MOST_READINGS]
    if len(readings) < 2:
        return "A need of clarification must come with two to five readings, as plain questions."
    return ClarifyingQuestion(tuple(readings))


def is_made_up(sql: str, dialect: str) -> bool:
    """Return whether a query answers with constants alone, as models do that mean to say something: no row bears them
    out.

    What calls functions is for the guard to judge.
    """
    try:
        query = sqlglot.parse_one(sql, dialect=dialect)
    except (SqlglotError, RecursionError, ValueError):
        return False  # for the guard to say
    waiting: list[exp.Expr] = [query]
    while waiting:
        one = waiting.pop()
        if isinstance(one, exp.SetOperation):
            waiting += [one.left, one.right]
        elif isinstance(one, exp.Subquery):
            waiting.append(one.this)
        elif isinstance(one, exp.Select) and not any(
            node.find(exp.Column, exp.Star, exp.Func, exp.Dot, exp.Query) for node in one.expressions
        ):
            return True
    return False


def plain(text: str, said: str) -> str | None:
    """A sentence on one line, when it is nothing but words and figures that were said; else None."""
    sentence = " ".join(text.split())
    if not 3 <= len(sentence) <= LONGEST_SENTENCE or _MARKUP.search(sentence):
        return None
    figures = {_bare(one) for one in _NUMBER.findall(said)}
    if any(_bare(one) not in figures for one in _NUMBER.findall(sentence)):
        return None
    return sentence


def _bare(number: str) -> str:
    return number.replace(",", "").rstrip("0").rstrip(".") if "." in number else number.replace(",", "")
