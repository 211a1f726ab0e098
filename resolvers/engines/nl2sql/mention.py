"""The words of a question, and what they may stand for: `schema_linking/link.py` finds it, the planner chooses."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from enum import StrEnum
from typing import NamedTuple

from resolvers.engines.nl2sql.model import ColumnKey
from resolvers.engines.nl2sql.plan import Literal, Unit

KIND_OF = "kind of"
"""How a column is known that tells the kind of the rows behind `kind of`."""
INITIALS = "initials"
"""How a column is known that is called by the first letters of the words."""


class MentionKind(StrEnum):
    """Describes what words may stand for."""

    TABLE = "table"
    COLUMN = "column"
    VALUE = "value"
    """A value that a column holds."""
    LITERAL = "literal"
    """A number, a date or a quoted text that belongs to no column yet."""
    KNOWLEDGE = "knowledge"
    """What a memory or a glossary term says: a KPI, a synonym, a pattern."""


@dataclass(frozen=True, slots=True)
class Token:
    """One word, number, quoted text or sign of the question."""

    text: str
    """As it was written; of a quoted text what stands between the quotes."""
    lemma: str
    """In small letters, nouns in the singular, verbs in their base form."""
    start: int
    """Where it begins in the question, in characters."""
    end: int
    quoted: bool = False

    @property
    def is_lemma(self) -> bool:
        """Return whether it is written as its lemma: a noun in the singular, a verb in its base form."""
        return self.text.lower() == self.lemma


class Mention(NamedTuple):
    """Tokens that may stand for something. Mentions may overlap; the score says how well each fits."""

    first: int
    """The index of the first token."""
    last: int
    """One past the index of the last token."""
    kind: MentionKind
    score: float
    """0 to 1; 1 when the words are the very name, synonym or value."""
    how: str
    """name, initials, display_name, description, glossary, memory, value, lookup, fuzzy, number, date, quote."""
    table: str | None = None
    """The FQN of the table, of TABLE mentions and of a KPI that belongs to one."""
    column: ColumnKey | None = None
    """The column, of COLUMN and VALUE mentions."""
    values: tuple[Literal, ...] = ()
    """VALUE and LITERAL: the value; of a span of time its first and last day."""
    memory: str | None = None
    """The id of the memory or glossary term that made the link."""
    unit: Unit | None = None
    """Of a span of time that is a whole year, quarter, month, week or day."""


class Correction(NamedTuple):
    """A word as it was written, and as it is read."""

    written: str
    read: str


@dataclass(frozen=True, slots=True)
class Linked:
    """A question with everything that its words may stand for."""

    text: str
    tokens: tuple[Token, ...]
    mentions: tuple[Mention, ...]
    corrections: tuple[Correction, ...] = ()
    """The misspelled words that were read as others."""
    today: date | None = None
    """The day of the question."""
    length: tuple[ColumnKey, ColumnKey] | None = None
    """The two days between which a length lies that is asked for, where both are named."""

    def over(self, first: int, last: int, *kinds: MentionKind) -> list[Mention]:
        """The mentions that lie within tokens, longest first, then best first."""
        found = [
            one for one in self.mentions if first <= one.first and one.last <= last and (not kinds or one.kind in kinds)
        ]
        return sorted(found, key=lambda one: (one.first - one.last, -one.score, one.first))

    def words(self, first: int = 0, last: int | None = None) -> Sequence[str]:
        """The lemmas of tokens; of all of them where no end is told."""
        return [token.lemma for token in self.tokens[first:last]]
