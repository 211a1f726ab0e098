"""Rows that a question calls by a word of its own: `contestants`, where the table is `bakers`.

A word that nothing in the data stands for, and that stands where rows are asked for, is read as each table in turn. The
drafter tries the readings, and asks back with those that the rest of the question fits: a table is not taken for what
it may not hold at all.
"""

from collections.abc import Iterator
from typing import Final

from resolvers.engines.english.identifiers import tokens_of
from resolvers.engines.english.vocabulary import words
from resolvers.engines.nl2sql.language.degrees import degree_of
from resolvers.engines.nl2sql.language.measures import is_numeric
from resolvers.engines.nl2sql.language.phrases import ORDINALS, PHRASES
from resolvers.engines.nl2sql.language.verbs import VERBS
from resolvers.engines.nl2sql.language.words import NUMBER_WORDS, STOP_WORDS, SUPERFLUOUS, UNITS
from resolvers.engines.nl2sql.mention import Linked, Mention, MentionKind, Token
from resolvers.engines.nl2sql.schema_linking.vocabulary import Vocabulary

MOST_TABLES: Final = 5
"""How many tables a word is read as."""
_EXPLAINED: Final = 0.6
"""How well words must fit something to stand for it."""
_NAMED: Final = 0.9
"""How well words must fit a table to be its name."""
_SHORTEST: Final = 3
_ASKING: Final = words("which what many list show all any every each top number of find give")
"""What stands before things that are asked for."""
_NOT_ROWS: Final = words(
    "percentage percent share average total amount number most least more less time times way kind sort type part rest "
    "half double vs versus than same as often long far much ago late early"
)
"""Words for figures and manners, which are no rows."""


def rows_called_otherwise(linked: Linked, vocabulary: Vocabulary) -> Iterator[tuple[str, str, str]]:
    """The question with the word read as one table after another, as the text, the word and the table's name.

    The tables come first that hold most of what else is said, then those that most others refer to.
    """
    word = _unnamed(linked)
    if word is None:
        return
    for name in _names(linked, vocabulary):
        text = linked.text
        for token in reversed(linked.tokens):
            if token.lemma == word.lemma and not token.quoted:
                text = f"{text[: token.start]}{name}{text[token.end :]}"
        yield text, word.text, name


def _unnamed(linked: Linked) -> Token | None:
    """The first word that stands for nothing, and stands where rows are asked for; None where there is none."""
    sure = [one for one in linked.mentions if one.score >= _EXPLAINED]
    named = [one.first for one in sure if one.kind is MentionKind.TABLE and one.score >= _NAMED]
    explained = {at for one in sure for at in range(one.first, one.last)}
    left = [at for at in range(len(linked.tokens)) if at not in explained and _may_be_rows(linked.tokens[at])]
    asked = [at for at in left if at < min(named, default=at + 1) and _is_asked(linked, at)]
    return linked.tokens[asked[0]] if asked else None


def _may_be_rows(token: Token) -> bool:
    word = token.text.lower()
    if token.quoted or not word.isalpha() or len(word) < _SHORTEST or degree_of(word) is not None:
        return False
    if {word, token.lemma} & (_NOT_ROWS | STOP_WORDS | SUPERFLUOUS) or {word, token.lemma} & {*UNITS, *NUMBER_WORDS}:
        return False
    if word.endswith("ing") or (token.lemma in VERBS and word.endswith("ed")):
        return False
    return (word,) not in PHRASES and (token.lemma,) not in PHRASES


def _is_asked(linked: Linked, at: int) -> bool:
    """Return whether only what tells which rows are meant stands between a word and one that asks for them."""
    values = {
        place
        for one in linked.mentions
        if one.kind is MentionKind.VALUE and one.score >= _EXPLAINED
        for place in range(one.first, one.last)
    }
    for before in range(at - 1, max(-1, at - 6), -1):
        token = linked.tokens[before]
        low = token.text.lower()
        if low in _ASKING or token.lemma in _ASKING:
            return True
        between = before in values or low in ("the", "a", "an", "different", "single", "other", "new", "our", "these")
        between = between or is_numeric(low) or low in NUMBER_WORDS or low in ORDINALS or degree_of(low) is not None
        if not between:
            return False
    return 0 < at <= 2  # heaviest elements


def _names(linked: Linked, vocabulary: Vocabulary) -> list[str]:
    held: dict[str, float] = {}
    for one in linked.mentions:
        table = _table_of(one)
        if table is not None and one.score >= _EXPLAINED:
            held[table] = max(held.get(table, 0.0), one.score)
    named = {one.table for one in linked.mentions if one.kind is MentionKind.TABLE and one.score >= _NAMED}
    tables = [one.fqn for one in vocabulary.known.tables if one.fqn not in named]
    tables = [one for one in tables if not _only_ties(one, vocabulary)]
    near = {fqn: max((held.get(one, 0.0) for one in vocabulary.neighbours(fqn)), default=0.0) for fqn in tables}
    ranked = sorted(
        tables,
        key=lambda fqn: (-max(held.get(fqn, 0.0), 0.7 * near[fqn]), -len(vocabulary.neighbours(fqn))),
    )
    return [" ".join(tokens_of(vocabulary.table(fqn).name)) for fqn in ranked[:MOST_TABLES]]


def _table_of(mention: Mention) -> str | None:
    return mention.table or (mention.column.table if mention.column is not None else None)


def _only_ties(fqn: str, vocabulary: Vocabulary) -> bool:
    """Return whether a table only says which rows of two others belong together, and of what kind the tie is."""
    keys = vocabulary.keys_of(fqn)
    referring = [key for key in keys if vocabulary.refers(key)]
    told = [key for key in vocabulary.text_columns(fqn) if key not in referring and vocabulary.flag(key) is None]
    times = [key for key in keys if vocabulary.column_kind(key).tells_days]
    return len(referring) > 1 and not told and not times
