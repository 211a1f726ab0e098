"""Defines what the engine is told of a table and what stands around it, and what it answers with."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from resolvers.engines.claims import claims_in, is_contradicted
from resolvers.engines.english.grammar import UNCOUNTABLE
from resolvers.engines.english.identifiers import TableName, Words, shared_prefix, table_name, tokens_of, words_of
from resolvers.engines.english.vocabulary import PERSONAL
from schema.data_readiness.profile import ColumnProfile, TableProfile
from schema.data_readiness.source import ColumnFacts, TableFacts
from schema.identifiers import Fqn

ENGINE: Final = "words/1"
"""The name and version of the engine that needs no model."""

LONGEST: Final = 1000
"""How many characters a description has at most."""

MOST_BESIDE: Final = 200
"""How many columns are looked at to tell what the names of a table are like."""

_PRIVATE_TAGS: Final = ("pii.", "sensitivity.restricted", "sensitivity.confidential")


@dataclass(frozen=True, slots=True)
class Statement:
    """One sentence, with what it was taken from and how sure it is."""

    text: str
    origin: str
    """name, abbreviation, comment, keys, references, statistics, values, definition, glossary, context_pack, ..."""
    sure: float
    informs: bool = True
    """Whether it says more than the name itself does."""


@dataclass(frozen=True, slots=True)
class Offer:
    """Words for one field of an asset."""

    field: str
    value: str
    evidence: dict[str, Any]
    confidence: float


@dataclass(frozen=True, slots=True)
class Term:
    """A word of the business: of the glossary, or of a context pack's memories."""

    id: str | None
    """Its id in the glossary; None for what a context pack says."""
    name: str
    names: tuple[str, ...]
    """All that it is called: its name, its display name, its synonyms."""
    definition: str | None
    is_approved: bool
    asset_fqn: str | None = None
    """The one asset that it is about, if it is."""


@dataclass(frozen=True, slots=True)
class Surroundings:
    """Holds what stands around the tables to describe."""

    siblings: Mapping[str, Sequence[str]] = field(default_factory=dict)
    """The names of all tables of a schema, by the schema's FQN."""
    referrers: Mapping[str, Sequence[tuple[str, str, str]]] = field(default_factory=dict)
    """Who refers to a table, by its FQN: the FQN of the other table, its column, and the column referred to."""
    comments: Mapping[str, str] = field(default_factory=dict)
    """What the source says of columns elsewhere, by their FQN."""
    abbreviations: Mapping[str, str] = field(default_factory=dict)
    """What the deployment's own abbreviations stand for."""
    private: frozenset[str] = frozenset()
    """The FQNs of columns that are taken for personal data though nobody has tagged them yet."""
    terms: Sequence[Term] = ()
    industry: str | None = None
    """What the data is about, as who started the run says it."""


@dataclass(slots=True)
class DescribedTable:
    """A table with its profile and surroundings, and what its name says."""

    facts: TableFacts
    profile: TableProfile | None = None
    around: Surroundings = field(default_factory=Surroundings)
    name: TableName = field(init=False)
    columns: dict[str, ColumnProfile] = field(init=False)
    known: frozenset[str] = field(init=False)
    beside: frozenset[str] = field(init=False)
    """All words of the table and its columns, which tell what an abbreviation of several meanings stands for."""
    is_english: bool = field(init=False)
    """Whether its names are of words that are known here; others are quoted rather than put into a sentence."""

    def __post_init__(self) -> None:
        siblings = self.around.siblings.get(self.schema_fqn, ())
        names = [tokens_of(name) for name in (self.facts.name, *(one.name for one in self.facts.columns[:MOST_BESIDE]))]
        self.beside = frozenset(token for tokens in names for token in tokens)
        self.name = table_name(self.facts.name, shared_prefix(siblings), self.around.abbreviations, self.beside)
        self.columns = {one.name: one for one in self.profile.columns} if self.profile else {}
        self.known = frozenset(word.lower() for word in self.name.words.words if len(word) > 3)
        familiar = [self.words(one.name).is_familiar for one in self.facts.columns[:MOST_BESIDE]]
        self.is_english = self.name.words.is_familiar or 2 * sum(familiar) >= max(len(familiar), 1)

    @property
    def schema_fqn(self) -> str:
        """The FQN of the schema that it is in."""
        return str(Fqn.parse(self.facts.fqn).parent)

    @property
    def noun(self) -> str | None:
        """Return what one of its rows is."""
        return self.name.noun

    @property
    def the_row(self) -> str:
        """Return how a sentence speaks of one of its rows."""
        if self.name.role in ("history", "log"):
            return "the entry"
        return f"the {self.a_row}" if self.a_row else "the row"

    @property
    def a_row(self) -> str | None:
        """Return what one of its rows is, as it stands behind an article."""
        noun = self.noun
        if noun is None:
            return None
        if not self.is_english:
            return f"“{self.name.words.phrase}” record"
        return f"{noun} record" if noun.split(" ")[-1].lower() in UNCOUNTABLE else noun

    def words(self, column: str) -> Words:
        """A column's name in words."""
        return words_of(column, self.around.abbreviations, self.known, self.beside)

    def noun_of(self, fqn: str) -> str | None:
        """Return what one row of another table is."""
        other = Fqn.parse(fqn)
        siblings = self.around.siblings.get(str(other.parent), ())
        return table_name(other.name, shared_prefix(siblings), self.around.abbreviations).noun

    def is_private(self, column: ColumnFacts) -> bool:
        """Return whether no value of a column may be quoted: personal data, or what is likely to be."""
        tagged = column.is_pii_tagged or any(tag.lower().startswith(_PRIVATE_TAGS) for tag in column.tags)
        profile = self.columns.get(column.name)
        if tagged or column.fqn in self.around.private or (profile is not None and profile.masked):
            return True
        if column.references is not None:
            table, name = column.references
            if str(Fqn.parse(table).child(name)) in self.around.private:
                return True
        said = {word.lower() for word in self.words(column.name).words}
        return bool(said & PERSONAL) and not said & {"type", "status", "count", "category", "flag"}


def borne_out(subject: DescribedTable, statements: Sequence[Statement], column: str | None) -> list[Statement]:
    """The sentences that the profile does not contradict.

    What the source or a person wrote is theirs to say, and a name that has the word unique in it claims nothing.
    """
    return [
        one
        for one in statements
        if one.origin in _UNASKED or not is_contradicted(claims_in(one.text, column), subject.profile)
    ]


_UNASKED: Final = frozenset(("comment", "glossary", "context_pack", "name", "abbreviation"))


def joined(statements: Sequence[Statement]) -> str:
    """The sentences in a row, as many as fit."""
    text = ""
    for one in statements:
        longer = f"{text} {one.text}".strip()
        if len(longer) > LONGEST:
            break
        text = longer
    return text


def offer_of(name: str, statements: Sequence[Statement], **evidence: Any) -> Offer | None:
    """The sentences as a proposal for a field; None when they say no more than the name, or none is short enough."""
    text = joined(statements)
    if not text or not any(one.informs for one in statements):
        return None
    told = [{"says": one.text, "from": one.origin} for one in statements]
    confidence = round(min(one.sure for one in statements), 2)
    return Offer(name, text, {"engine": ENGINE, "statements": told, **evidence}, confidence)
