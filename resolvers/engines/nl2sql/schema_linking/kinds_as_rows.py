"""Kinds in the plural stand for the rows of that kind: `dramas` are the movies whose genre is Drama."""

from typing import Final

from resolvers.engines.english.identifiers import tokens_of
from resolvers.engines.english.vocabulary import words
from resolvers.engines.nl2sql.language.measures import is_numeric
from resolvers.engines.nl2sql.language.words import NUMBER_WORDS
from resolvers.engines.nl2sql.mention import Linked, Mention, MentionKind
from resolvers.engines.nl2sql.schema_linking.kinds import ColumnKind
from resolvers.engines.nl2sql.schema_linking.vocabulary import Vocabulary

_SURE: Final = 0.8
"""How sure a word must be a value."""
_NAMED: Final = 0.6
"""How well a table or a column may be called by a word that is taken for a kind of rows, at most."""
_MOST_KINDS: Final = 500
_MOST_COLUMNS: Final = 5
"""A table of kinds has few rows, and says little of them."""
_BEFORE: Final = words("many all the which what list show of any are display count find")
"""What stands before things that are asked for."""


def with_rows(linked: Linked, vocabulary: Vocabulary) -> str | None:
    """The question with the rows written behind a kind in the plural that stands for them; None where none does.

    A kind is the name of a row of a small table that one other table refers to, and that is no table of people.
    """
    for at, token in enumerate(linked.tokens):
        word = token.text
        before = linked.tokens[at - 1].text.lower() if at else ""
        counted = is_numeric(before) or before in NUMBER_WORDS
        plural = word != token.lemma or counted  # more than 1 soup
        if not (plural and word.isalpha() and word.islower()) or token.quoted:
            continue
        if at and before not in _BEFORE and not counted:
            continue
        here = [one for one in linked.mentions if one.first <= at < one.last]
        named = [one for one in here if one.kind in (MentionKind.TABLE, MentionKind.COLUMN)]
        if any(one.score >= _NAMED for one in named):
            continue
        kinds = [one for one in here if one.kind is MentionKind.VALUE and one.last - one.first == 1]
        kinds = [one for one in kinds if one.score >= _SURE and one.how != "part"]
        rows = {found for one in kinds if (found := _rows_of(one, vocabulary)) is not None}
        said = {one.table for one in linked.mentions if one.table is not None and one.score >= _SURE}
        if len(rows) == 1 == len({one.column for one in kinds}) and not rows & said:
            name = " ".join(tokens_of(vocabulary.table(rows.pop()).name))
            return f"{linked.text[: token.start]}{kinds[0].values[0].value} {name}{linked.text[token.end :]}"
    return None


def _rows_of(kind: Mention, vocabulary: Vocabulary) -> str | None:
    """The only table that refers to the table of kinds that a value names a row of."""
    if kind.column is None or kind.column not in vocabulary.name_columns(kind.column.table):
        return None
    table = kind.column.table
    facts = vocabulary.table(table)
    numbers = [one for one in vocabulary.keys_of(table) if vocabulary.column_kind(one) is ColumnKind.NUMBER]
    if vocabulary.is_person(table) or (facts.row_count or 0) > _MOST_KINDS or len(facts.columns) > _MOST_COLUMNS:
        return None
    if not all(map(vocabulary.is_identifier, numbers)):
        return None  # what has a price is a thing itself
    rows = {key.table for key in vocabulary.ties(table) if key.to == table and key.table != table}
    return rows.pop() if len(rows) == 1 else None
