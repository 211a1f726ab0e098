"""Defines which words of the business an asset is about, found by name and synonym, never by chance."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from resolvers.engines.describing.known import DescribedTable, Offer, Term
from resolvers.engines.english.grammar import singular
from resolvers.engines.english.identifiers import words_of
from schema.data_readiness.source import ColumnFacts

ENOUGH: Final = 0.6
"""How sure a match must be to be proposed."""
SURE: Final = 0.85
"""How sure it must be for its definition to be taken."""

_LITTLE: Final = frozenset(("a", "an", "of", "the", "for", "in", "to", "and"))


@dataclass(frozen=True, slots=True)
class TermMatch:
    """A term that fits an asset."""

    term: Term
    sure: float
    how: str
    said: str
    """Which of the term's names it was."""


@dataclass(frozen=True, slots=True)
class Glossary:
    """Terms by what they are called."""

    by_words: Mapping[tuple[str, ...], Sequence[tuple[Term, str]]]
    by_asset: Mapping[str, Sequence[Term]]


def folded(words: Iterable[str]) -> tuple[str, ...]:
    """Words as they are compared: lower case, singular, without little ones."""
    return tuple(singular(word.lower()) for word in words if word.lower() not in _LITTLE)


def glossary_of(terms: Sequence[Term], abbreviations: Mapping[str, str]) -> Glossary:
    """The terms in a form that is quick to look things up in."""
    by_words: dict[tuple[str, ...], list[tuple[Term, str]]] = {}
    by_asset: dict[str, list[Term]] = {}
    for term in sorted(terms, key=lambda term: (not term.is_approved, term.id is None, term.name)):
        if term.asset_fqn is not None:
            by_asset.setdefault(term.asset_fqn, []).append(term)
        for name in term.names:
            if key := folded(words_of(name, abbreviations).words):
                by_words.setdefault(key, []).append((term, name))
            by_words.setdefault((_squeezed(name),), []).append((term, name))
    return Glossary(by_words, by_asset)


def _squeezed(name: str) -> str:
    """A name in one piece, marked as such: `KdNr` is `kdnr`, whatever it stands for."""
    return "=" + "".join(sign for sign in name.lower() if sign.isalnum())


def table_matches(subject: DescribedTable, glossary: Glossary) -> list[TermMatch]:
    """The terms that a table is about."""
    found = [
        TermMatch(term, 0.95, "about this asset", term.name) for term in glossary.by_asset.get(subject.facts.fqn, ())
    ]
    return _best([*found, *_exact(folded(subject.name.words.words), glossary, 0.95, "the table's name")])


def column_matches(subject: DescribedTable, column: ColumnFacts, glossary: Glossary) -> list[TermMatch]:
    """The terms that a column is about."""
    own = folded(subject.words(column.name).words)
    table = folded(subject.name.words.words)
    found = [TermMatch(term, 0.95, "about this asset", term.name) for term in glossary.by_asset.get(column.fqn, ())]
    found += _exact((_squeezed(column.name),), glossary, 0.9 if len(own) > 1 else 0.75, "the column's name")
    if own[: len(table)] != table or len(own) == len(table):
        found += _exact((*table, *own), glossary, 0.95, "the names of table and column")
    found += _exact(own, glossary, 0.9 if len(own) > 1 else 0.75, "the column's name")
    for start in range(1, len(own) - 1):  # `billing customer number` ends in `customer number`
        found += _exact(own[start:], glossary, 0.7, "the last words of the column's name")
    return _best(found)


def _exact(key: tuple[str, ...], glossary: Glossary, sure: float, how: str) -> list[TermMatch]:
    return [
        TermMatch(term, sure if term.is_approved else round(sure * 0.85, 2), how, said)
        for term, said in glossary.by_words.get(key, ())
    ]


def _best(found: Sequence[TermMatch]) -> list[TermMatch]:
    """Each term once, by its best reason, the surest first."""
    best: dict[tuple[str | None, str], TermMatch] = {}
    for match in found:
        key = (match.term.id, match.term.name)
        if match.sure >= ENOUGH and (key not in best or best[key].sure < match.sure):
            best[key] = match
    return sorted(best.values(), key=lambda match: (-match.sure, match.term.id is None, match.term.name))[:3]


def definition_offer(matches: Sequence[TermMatch]) -> Offer | None:
    """The definition of the surest term that has one, as a business definition."""
    for match in matches:
        if match.sure >= SURE and match.term.definition and match.term.definition.strip():
            origin = "glossary" if match.term.id else "context_pack"
            evidence = {"engine": "words/1", "from": [origin], "term": match.term.name, "matched": match.how}
            if match.term.id:
                evidence["term_id"] = match.term.id
            return Offer("business_definition", match.term.definition.strip()[:5000], evidence, match.sure)
    return None
