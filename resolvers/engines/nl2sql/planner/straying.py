"""Runs of words that a name was found for, and that are no name: they take in what ties two nouns, or a verb."""

from collections.abc import Sequence
from typing import Final

from resolvers.engines.english.identifiers import tokens_of
from resolvers.engines.nl2sql.language.degrees import degree_of
from resolvers.engines.nl2sql.language.phrases import ORDINALS, PHRASES, Cue
from resolvers.engines.nl2sql.language.tokens import lemma_of
from resolvers.engines.nl2sql.language.verbs import IRREGULAR_VERBS, VERBS
from resolvers.engines.nl2sql.language.words import COMMANDS, DOING, IDENTIFYING
from resolvers.engines.nl2sql.mention import INITIALS, KIND_OF, Mention, MentionKind, Token

LIGHT: Final = frozenset(words[0] for words, (cue, _) in PHRASES.items() if cue is Cue.LIGHT and len(words) == 1)
LIGHTLY: Final = frozenset(map(lemma_of, LIGHT))
"""Base forms of verbs that a plain reading can do without."""
_BETWEEN: Final = frozenset(("by", "per", "in", "for", "at", "to", "on", "from"))


_OF_KINDS: Final = frozenset(("number", "kind", "sort", "type"))
"""Words before `of` that a column may be called by: the kind of work."""
_ASKED: Final = frozenset(("who", "what", "whom", "many"))
_ONE: Final = "one"
_LASTED: Final = frozenset(("lasted", "lasts", "lasting"))
_ALONE: Final = _LASTED | {_ONE}
"""Words that may stray as they stand alone, beside ordinals."""


def may_stray(tokens: Sequence[Token]) -> set[int]:
    """The places of words that stand alone for something, and may stray nevertheless: of the others none does."""
    return {at for at, token in enumerate(tokens) if (low := token.text.lower()) in _ALONE or low in ORDINALS}


def strays(
    mention: Mention,
    tokens: Sequence[Token],
    tables: set[tuple[int, str | None]],
    begun: set[tuple[int, str | None]],
    sure: set[tuple[int, str | None]],
) -> bool:
    """Return whether a mention takes in words that tie two nouns: `orders by status`, `titles of the courses`."""
    if mention.kind is MentionKind.LITERAL:
        before = tokens[mention.first - 1].text.lower() if mention.first else ""
        return tokens[mention.first].text.lower() == _ONE and before in ("which", "that", "this", "the")
    if mention.how in (INITIALS, KIND_OF):
        return False
    begins_with = tokens[mention.first].text.lower()
    if mention.column is not None and begins_with in _LASTED:
        return "name" in mention.column.column.lower()
    if mention.last - mention.first < 2:
        return tokens[mention.first].text.lower() in ORDINALS and is_ranked(tokens, mention.last)
    first = tokens[mention.first]
    begins = not mention.first or tokens[mention.first - 1].text in (".", "?", "!", ",", ";")
    if first.lemma in COMMANDS and begins:
        return True
    if tokens[mention.last - 1].text.lower() in ORDINALS and is_ranked(tokens, mention.last):
        return True  # poured in the second most pubs
    inside = {token.lemma for token in tokens[mention.first + 1 : mention.last - 1]}
    ends_with = tokens[mention.last - 1]
    ranks = ends_with.text.lower() in ORDINALS or ends_with.text.lower() in ("first", "last")
    if ranks and "of" in inside and any(one == mention.last for one, _ in begun):
        return True  # the name of the first guest, where there is a first name
    if mention.kind is MentionKind.TABLE and "to" in inside and ends_with.is_lemma and ends_with.lemma in VERBS:
        return True  # the last guest to book
    is_loose = mention.kind is MentionKind.TABLE and mention.score < 0.85
    if is_loose and (mention.last, mention.table) in tables:
        return True  # teaches the course
    if mention.last - mention.first == 2 and mention.score < 0.95 and _is_past(tokens[mention.last - 1]):
        named = mention.table if mention.column is None else None
        if (mention.first, named) in sure or (
            named is None and mention.score < 0.8 and any(one == mention.first for one, _ in sure)
        ):
            return True  # publishers published
    others = any(at == mention.first and table != mention.table for at, table in sure)
    if others and _is_turned_round(mention, first, ends_with):
        return True  # tickets opened in May, beside a view of open tickets
    if mention.kind is MentionKind.TABLE and ("per" in inside or (is_loose and inside & _BETWEEN)):
        return True  # players by career
    if mention.kind is MentionKind.TABLE and "of" in inside and (mention.last, mention.table) in tables:
        return mention.score < 0.95
    if mention.kind is not MentionKind.COLUMN or mention.column is None:
        return False
    if "of" in inside and mention.score >= 0.95 and "of" in tokens_of(mention.column.column):
        return False  # date of application
    turned = (mention.last, mention.column.table) in tables and mention.score < 0.95
    own = (mention.last, mention.column.table) in tables and not _calls(mention.column.column, tokens[mention.last - 1])
    if own and (turned or _is_past(first)):
        return True  # the last hired clerk, who sent a letter
    last = tokens[mention.last - 1]
    if mention.last - mention.first == 2 and mention.first and tokens[mention.first - 1].text.lower() in _ASKED:
        if is_inflected(first) and (mention.last, mention.column.table) in tables:
            return True  # who collected accession 4
        rows = (mention.first, mention.column.table) in begun and not first.is_lemma
        if rows and last.lemma in VERBS and last.is_lemma and _goes_on(tokens, mention.last):
            return True  # how many bridges cross the Don
    rows = (mention.first, mention.column.table) in begun and not first.is_lemma
    done = mention.last - mention.first == 2 and last.is_lemma and last.lemma in VERBS
    if rows and done and any(token.text.lower() in DOING for token in tokens[: mention.first]):
        return True  # in which year did the most guests arrive
    if (is_inflected(last) or _is_past(last)) and (
        (mention.first, mention.column.table) in begun or (mention.last - 1, mention.column.table) in tables
    ):
        return True  # the year of the vans bought
    if mention.score < 0.95 and last.text.lower() in LIGHT and (mention.first, mention.column.table) in begun:
        return True
    if mention.last - mention.first < 3:
        return False
    inner = {token.lemma for token in tokens[mention.first + 1 : mention.last - 1]}
    if mention.score < 0.7 and inner & LIGHTLY and any(first == mention.first for first, _ in begun):
        return True  # customers get a discount
    if inner & _BETWEEN:
        return not inner & _BETWEEN & set(tokens_of(mention.column.column))
    ofs = sum(token.lemma in ("of", "'s") for token in tokens[mention.first : mention.last])
    if ofs > 1 or ("of" in inner and mention.score < (0.8 if first.lemma in _OF_KINDS else 0.9)):
        return True
    if "of" in inner and first.lemma == "number" and not last.is_lemma:
        told = any(end == mention.last for end, _ in tables)
        own = (mention.last, mention.column.table) in tables
        return own or (
            told and tokens_of(mention.column.column)[-1] in IDENTIFYING
        )  # how many invoices there are, and not the number of one
    return "of" in inner and first.lemma != "number" and any(end == mention.last for end, _ in tables)


def _is_turned_round(mention: Mention, noun: Token, done: Token) -> bool:
    """Return whether a table is called by a verb and a noun the other way round: tickets opened, of open tickets."""
    if mention.table is None or mention.last - mention.first != 2 or not _is_past(done):
        return False
    called = tokens_of(mention.table.rpartition(".")[2])
    return len(called) > 1 and lemma_of(called[-1]) == noun.lemma


def is_value_of_rows(mention: Mention) -> bool:
    """Return whether a word is surely a value, as `pilots` are of a column of roles."""
    return mention.kind is MentionKind.VALUE and mention.score >= 0.85


def is_done_by(mention: Mention, tokens: Sequence[Token], valued: set[int]) -> bool:
    """Return whether a name loosely takes in who does something and the verb behind: `pilots flew`, of flights."""
    if mention.last - mention.first != 2 or mention.score >= 0.95 or mention.first not in valued:
        return False
    return mention.kind is not MentionKind.VALUE and _is_past(tokens[mention.last - 1])


def _calls(column: str, token: Token) -> bool:
    """Return whether a column has a word in its name."""
    return token.lemma in column.lower()


def _is_past(token: Token) -> bool:
    """Return whether a word is a verb of the past: hired, sent."""
    low = token.text.lower()
    return low != token.lemma and (is_inflected(token) or (low in IRREGULAR_VERBS and token.lemma in VERBS))


def _goes_on(tokens: Sequence[Token], at: int) -> bool:
    """Return whether an article or a name stands there."""
    return at < len(tokens) and (tokens[at].text.lower() in ("the", "a", "an") or tokens[at].text[:1].isupper())


def is_inflected(token: Token) -> bool:
    """Return whether a word is a form of a verb in -ed or -ing."""
    return token.text.lower().endswith(("ed", "ing")) and not token.is_lemma


def is_ranked(tokens: Sequence[Token], at: int) -> bool:
    """Return whether a superlative stands there."""
    if at >= len(tokens):
        return False
    word = tokens[at].text.lower()
    degree = degree_of(word)
    return word in ("most", "least", "fewest") or (degree is not None and degree.superlative)
