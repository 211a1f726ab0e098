"""The order of a catalog search by how well an asset's name fits what is looked for.

First stands what is called just that, then what begins with it, then what has all its words somewhere in the name, then
what is found by its description, its tags or a table's columns. Of what fits alike, whatever holds columns stands
before columns.
"""

from typing import Final

import sqlalchemy as sa

from schema.utils.metadata_asset import AssetType
from schema.utils.search_query import All, Dotted, Query, Some, Text, split_words

MOST_PHRASES: Final = 4
"""How many alternatives of a query are looked for in names."""

MOST_WORDS: Final = 8
"""How many words of one alternative are."""

BY_RELEVANCE: Final = "relevance"

Phrase = tuple[str, ...]
"""Texts that a name would hold one after the other, as they were typed."""


def sought(query: Query) -> tuple[Phrase, ...]:
    """Return what a query looks for in names: its free words, and the last part of a dotted name; of each alternative
    of an OR apart. What it excludes, and what it asks of other fields, is nothing of that."""
    phrases = dict.fromkeys(phrase for phrase in _phrases(query) if any(map(split_words, phrase)))
    return tuple(phrases)[:MOST_PHRASES]


def _phrases(query: Query) -> list[Phrase]:
    match query:
        case Some(parts):
            return [phrase for part in parts for phrase in _phrases(part)]
        case All(parts):
            together: list[Phrase] = [()]
            for part in parts:
                more = _phrases(part)[:MOST_PHRASES] or [()]
                together = [(*one, *another)[:MOST_WORDS] for one in together for another in more][:MOST_PHRASES]
            return together
        case Text(value, _, field) if field in (None, "name"):
            return [(value,)]
        case Dotted(value):
            return [(value.rpartition(".")[2],)]
        case _:
            return [()]


def folded(text: str) -> str:
    """Return what `lower()` makes of a text in both stores: only the letters A-Z change."""
    return "".join(letter.lower() if "A" <= letter <= "Z" else letter for letter in text)


def relevance(assets: sa.FromClause, phrases: tuple[Phrase, ...]) -> sa.ColumnElement[int]:
    """The number that the best assets have the least of."""
    name, words = sa.func.lower(assets.c.name), assets.c.search_words
    exact, begins, within = [], [], []
    for phrase in phrases:
        texts = [folded(text) for text in phrase]
        whole = " ".join(texts)
        # The words of the name come first of all that is stored, up to the sign that parts texts.
        own = " ".join(word for text in phrase for word in split_words(text))
        exact += [name == whole, words == f" {own} ", words.startswith(f" {own} | ", autoescape=True)]
        begins += [name.startswith(whole, autoescape=True), words.startswith(f" {own}", autoescape=True)]
        within.append(sa.and_(*[name.contains(text, autoescape=True) for text in texts]))
    fit = sa.case(
        (sa.or_(sa.false(), *exact), 0), (sa.or_(sa.false(), *begins), 2), (sa.or_(sa.false(), *within), 4), else_=6
    )
    return fit + sa.case((assets.c.type == AssetType.COLUMN.value, 1), else_=0)
