"""Questions that people answered with SQL: the same question, or the same with other values, is answered alike."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import sqlglot
from sqlglot import exp
from sqlglot.errors import SqlglotError

from resolvers.engines.nl2sql.language.tokens import tokenize
from resolvers.engines.nl2sql.mention import Linked, MentionKind, Token
from resolvers.engines.nl2sql.model import Knowledge
from schema.utils.memory import Memory, MemoryType, ValidationStatus

LONGEST: Final = 20_000
_SILENT: Final = frozenset(("the", "a", "an", "please", "me", "of", "all", ".", "?", "!", ",", "'s"))
_ALIKE: Final = {"show": "list", "give": "list", "find": "list", "return": "list", "display": "list", "get": "list"}


@dataclass(frozen=True, slots=True)
class Example:
    """SQL of an example that fits the question."""

    memory: str
    sql: str
    question: str
    confidence: float
    is_validated: bool
    is_same: bool
    """Whether the question is the very same, and not one with other values."""


def example_for(linked: Linked, known: Knowledge) -> Example | None:
    """The best example; one that somebody disputed is none, nor are unchecked ones that contradict each other."""
    found = [
        one
        for memory in known.memories
        if memory.memory_type is MemoryType.EXEMPLAR and (one := _fits(memory, linked, known)) is not None
    ]
    best = max(found, key=lambda one: (one.confidence, one.memory), default=None)
    if best is None or best.is_validated:
        return best
    return best if all(one.sql == best.sql for one in found if one.confidence == best.confidence) else None


def _fits(memory: Memory, linked: Linked, known: Knowledge) -> Example | None:
    question, sql = memory.content.get("question"), memory.content.get("sql")
    status = memory.quality.validation_status
    if not isinstance(question, str) or not isinstance(sql, str) or len(sql) > LONGEST:
        return None
    if status is ValidationStatus.DISPUTED:
        return None
    swaps = _swaps(tokenize(question), linked)
    if swaps is None:
        return None
    dialect = memory.content.get("dialect")
    written = _written(sql, swaps, dialect if isinstance(dialect, str) else known.dialect, known.dialect)
    if written is None:
        return None
    validated = status is ValidationStatus.VALIDATED
    sure = 0.97 if validated else 0.72
    return Example(memory.id, written, question, sure - (0.07 if swaps else 0.0), validated, not swaps)


def _plain(tokens: Sequence[Token]) -> list[tuple[int, str]]:
    return [
        (at, _ALIKE.get(token.lemma, token.lemma))
        for at, token in enumerate(tokens)
        if token.lemma not in _SILENT and (token.quoted or any(map(str.isalnum, token.text)))
    ]


def _swaps(old: Sequence[Token], linked: Linked) -> list[tuple[str, str]] | None:
    """The values that differ; None when more than values does."""
    tokens = linked.tokens
    mine, theirs = _plain(tokens), _plain(old)
    if len(mine) != len(theirs):
        return None
    found: list[tuple[str, str]] = []
    for (at, here), (before, there) in zip(mine, theirs, strict=True):
        if here == there:
            continue
        new, past = tokens[at], old[before]
        numbers = _is_number(new.text) and _is_number(past.text)
        held = any(
            one.first <= at < one.last and one.kind is MentionKind.VALUE and one.last - one.first == 1
            for one in linked.mentions
        )
        if not (numbers or (new.quoted and past.quoted) or (held and past.text[:1].isupper())):
            return None
        value = next(
            (
                str(one.values[0].value)
                for one in linked.mentions
                if one.first == at and one.last == at + 1 and one.kind is MentionKind.VALUE and one.values
            ),
            new.text,
        )
        found.append((past.text, value))
    return found if len(found) <= 3 else None


def _written(sql: str, swaps: Sequence[tuple[str, str]], read: str, write: str) -> str | None:
    """The SQL with other values; None when a value is not exactly once in it."""
    try:
        tree = sqlglot.parse_one(sql, dialect=read)
    except (SqlglotError, RecursionError):
        return None
    if not isinstance(tree, exp.Query):
        return None
    literals = list(tree.find_all(exp.Literal))
    for past, new in swaps:
        same = [one for one in literals if one.this.lower() == past.lower().replace(",", "")]
        if len(same) != 1 or (not same[0].is_string and not _is_number(new)):
            return None
        same[0].set("this", new if same[0].is_string else new.replace(",", ""))
    return tree.sql(dialect=write)


def _is_number(text: str) -> bool:
    return text.replace(",", "").replace(".", "", 1).isdigit()
