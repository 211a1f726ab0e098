"""Defines what drafters are told and what they answer with. Everything here is a value: no drafter reads or runs
anything.

A question goes through plain steps: link (words to the catalog), draft (a plan, or SQL), guard, run, repair, answer.
Two kinds of drafter stand behind one port: the planner, which needs no model, and a language model.
"""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, NamedTuple, Protocol

from resolvers.engines.describing.known import Term
from resolvers.engines.nl2sql.plan import Plan
from schema.data_readiness.profile import TableProfile
from schema.data_readiness.source import TableFacts
from schema.utils.memory import Memory


class ColumnKey(NamedTuple):
    """A column of the catalog: the FQN of its table, and its name."""

    table: str
    column: str


@dataclass(frozen=True, slots=True)
class Knowledge:
    """Holds what a drafter may know: the part of the catalog that the asker may ask about, and what people noted on
    it.
    """

    tables: tuple[TableFacts, ...]
    profiles: Mapping[str, TableProfile] = field(default_factory=dict)
    """The latest profile of a table, by its FQN; a table may have none."""
    terms: Sequence[Term] = ()
    """The glossary, approved terms and drafts."""
    memories: Sequence[Memory] = ()
    """Active memories of the project's context packs, pinned ones first. Policies are not among them."""
    private: frozenset[ColumnKey] = frozenset()
    """Columns whose values may be quoted nowhere: tagged as personal data, or masked by a policy."""
    forbidden: frozenset[ColumnKey] = frozenset()
    """Columns that no query of the asker may use. Known, so that a question about one is refused."""
    dialect: str = "postgres"
    """sqlglot's name of the dialect that the source speaks."""


@dataclass(frozen=True, slots=True)
class Exchange:
    """An earlier question of the session that was answered, for questions that follow it."""

    question: str
    sql: str
    plan: Plan | None = None
    """None when a language model drafted it."""
    columns: tuple[str, ...] = ()
    """The names of the answer's columns."""
    rows: tuple[tuple[Any, ...], ...] = ()
    """The first rows of the answer."""
    confidence: float | None = None
    """How sure the answer was; None when that is not known."""
    memories: tuple[str, ...] = ()
    """The ids of the memories that shaped its query."""


@dataclass(frozen=True, slots=True)
class Asked:
    """A question with what came before it, oldest first."""

    text: str
    now: datetime
    """In UTC; relative dates count from here."""
    earlier: Sequence[Exchange] = ()


@dataclass(frozen=True, slots=True)
class FoundValue:
    """A value that a column holds, spelled as it stands there."""

    column: ColumnKey
    value: str


Lookup = Callable[[Sequence[ColumnKey], Sequence[str]], Sequence[FoundValue]]
"""Looks texts up in columns of the source itself, without regard to case; blocks. Bounded by who gives it: columns that
it may not read, or more than it is willing to ask for, are left out. Used for words that no profile knows."""


def no_lookup(columns: Sequence[ColumnKey], texts: Sequence[str]) -> Sequence[FoundValue]:
    """A lookup that finds nothing: for drafting without a source."""
    return ()


@dataclass(frozen=True, slots=True)
class QueryDraft:
    """A query that may answer the question. It is hostile until the guard has passed it."""

    sql: str
    """In the dialect of the knowledge."""
    reading: str
    """How the question was understood, in one plain sentence."""
    confidence: float
    """0 to 1: how often such a draft is right, as measured."""
    drafter: str
    """Its name and version, such as `planner/1`."""
    plan: Plan | None = None
    memories: tuple[str, ...] = ()
    """The ids of the memories that shaped it."""
    evidence: Mapping[str, Any] = field(default_factory=dict)
    """JSON: the mentions that were linked, the words left over, tokens spent, the hash of the prompt."""


@dataclass(frozen=True, slots=True)
class Interpretation:
    """One of several ways to understand a question."""

    text: str
    """A question or sentence that, asked as it stands, is understood this way."""
    sql: str | None = None
    plan: Plan | None = None
    """None when a language model drafted it."""
    memories: tuple[str, ...] = ()
    """The ids of the memories that shaped it."""
    uri: str | None = None
    """The data connection that is meant, where the readings are the same question to different data."""


@dataclass(frozen=True, slots=True)
class Clarification:
    """The question can be understood in several ways that lead to different answers: the asker chooses."""

    message: str
    readings: tuple[Interpretation, ...]
    evidence: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Unanswerable:
    """The data cannot answer the question, or it asks for what may not be read."""

    message: str
    """A sentence that says what is missing and what could be asked instead."""
    missing: tuple[str, ...] = ()
    """The words that nothing in the catalog stands for."""
    forbidden: tuple[ColumnKey, ...] = ()
    evidence: Mapping[str, Any] = field(default_factory=dict)
    without: QueryDraft | None = None
    """The answer to the question without the missing words, where all else of it is understood well."""


Outcome = QueryDraft | Clarification | Unanswerable


@dataclass(frozen=True, slots=True)
class DraftFailure:
    """A draft that the guard refused or the source could not run."""

    draft: QueryDraft
    rule: str | None
    """The guard's rule; None when the source refused."""
    message: str


class Drafter(Protocol):
    """Drafts queries. Raises JobError when it cannot work at all, such as a model that does not answer."""

    name: str

    def draft(self, asked: Asked, known: Knowledge, lookup: Lookup) -> Awaitable[Outcome]:
        """The best way to answer."""

    def repair(
        self, asked: Asked, known: Knowledge, failures: Sequence[DraftFailure], lookup: Lookup
    ) -> Awaitable[Outcome]:
        """Another way, after those that failed."""
