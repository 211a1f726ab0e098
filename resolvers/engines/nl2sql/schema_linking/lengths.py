"""The time between two days that are named: `average days from received to completed`, `30 days between order and
delivery`. What is said of the two days is taken out, and what is left asks for a length as others do.
"""

from collections.abc import Mapping, Sequence, Set
from itertools import product
from typing import Final

from resolvers.engines.english.identifiers import tokens_of
from resolvers.engines.english.vocabulary import words
from resolvers.engines.nl2sql.language.measures import is_numeric
from resolvers.engines.nl2sql.language.tokens import root_of
from resolvers.engines.nl2sql.language.words import NUMBER_WORDS
from resolvers.engines.nl2sql.mention import Linked, MentionKind, Token
from resolvers.engines.nl2sql.model import ColumnKey
from resolvers.engines.nl2sql.schema_linking.vocabulary import Vocabulary

Days = tuple[ColumnKey, ColumnKey]
"""The day from which a length is counted, and the day up to which it is."""

_UNITS: Final = {"day": " in days", "hour": " in hours", "minute": " in minutes", "time": "", "delay": "", "gap": ""}
"""Words for a length, and how its unit is said."""
_JOINERS: Final = {"between": ("and",), "from": ("to", "until", "till")}
"""How two days are named, and what stands between them."""
_LONGEST: Final = 4
"""Words of the name of a day at most."""
_LITTLE: Final = words("the a an its their of being was were is are been having got date day time")
"""Words that tell no day from another."""
_SPOKEN: Final = 0.55
"""How well a table must be called by words that speak of its rows beside a day."""
_NAMED: Final = 0.8
"""How well a table must be called by words that ask for its rows."""


def with_length(linked: Linked, vocabulary: Vocabulary) -> tuple[str, Days] | None:
    """Return the question with a length in place of two days, and these; None where no two days of a table are."""
    tokens = linked.tokens
    for at, token in enumerate(tokens[:-3]):
        joiners = _JOINERS.get(tokens[at + 1].text.lower(), ())
        if token.lemma not in _UNITS or not joiners:
            continue
        names = _names_of_days(vocabulary)
        rows = {one.first for one in linked.mentions if one.kind is MentionKind.TABLE and one.score >= _SPOKEN}
        for middle in range(at + 3, min(at + 3 + _LONGEST, len(tokens) - 1)):
            if tokens[middle].text.lower() not in joiners:
                continue
            since = _called(tokens[at + 2 : middle], names) or _called(
                _without_rows(tokens, at + 2, middle, rows), names
            )
            for end in range(min(middle + 1 + _LONGEST, len(tokens)), middle + 1, -1) if since else ():
                until = _called(tokens[middle + 1 : end], names)
                until = until or _called(_without_rows(tokens, middle + 1, end, rows), names)
                days = _days(since, until, vocabulary)
                if days is not None:
                    return _without(linked, vocabulary, at, end, days[0].table), days
    return None


def _without_rows(tokens: Sequence[Token], first: int, last: int, rows: Set[int]) -> list[Token]:
    """Return what is said of a day without the rows that it is the day of: until the repair is done."""
    return [tokens[at] for at in range(first, last) if at not in rows]


def _names_of_days(vocabulary: Vocabulary) -> dict[ColumnKey, set[str]]:
    """Return the columns that tell days, with the roots of the words of their names."""
    return {
        key: {root_of(word.lower()) for word in (*vocabulary.words(key), *tokens_of(key.column))}
        for table in vocabulary.known.tables
        for key in vocabulary.keys_of(table.fqn)
        if vocabulary.column_kind(key).tells_days and key not in vocabulary.known.forbidden
    }


def _days(since: Sequence[ColumnKey], until: Sequence[ColumnKey], vocabulary: Vocabulary) -> Days | None:
    """Return one of either that are of the only table that has both, views after tables."""
    found = [(one, other) for one, other in product(since, until) if one.table == other.table and one != other]
    of_tables = [days for days in found if not vocabulary.table(days[0].table).is_view]
    found = of_tables or found
    return found[0] if len(found) == 1 else None


def _called(said: Sequence[Token], names: Mapping[ColumnKey, set[str]]) -> list[ColumnKey]:
    """Return the days of whose name every word is that tells something."""
    roots = {root_of(token.lemma) for token in said if not _LITTLE & {token.lemma, token.text.lower()}}
    if not roots or not all(token.text.isalpha() for token in said):
        return []
    return [key for key, own in names.items() if all(_is_among(root, own) for root in roots)]


def _is_among(root: str, own: set[str]) -> bool:
    """Return whether a root is one of a name, or written out what a name has short: notification, of `notif`."""
    return root in own or any(len(one) >= _SHORTEST and root.startswith(one) for one in own)


_SHORTEST: Final = 4
"""Letters of a word that is short for a longer one, at least."""


def _without(linked: Linked, vocabulary: Vocabulary, at: int, end: int, table: str) -> str:
    """Return the text with what is said of the days left out."""
    tokens, text = linked.tokens, linked.text
    before = tokens[at - 1].text.lower() if at else ""
    rest = text[tokens[end - 1].end :]
    if is_numeric(before) or before in NUMBER_WORDS:  # took more than 30 days from ... to ...
        return f"{text[: tokens[at].end]}{rest}"
    first = at
    if at > 1 and [one.lemma for one in tokens[at - 2 : at]] == ["number", "of"]:
        first = at - 2
    kept = [one for one in linked.mentions if one.last <= at or one.first >= end]
    named = any(one.kind is MentionKind.TABLE and one.table == table and one.score >= _NAMED for one in kept)
    rows = "" if named else f" of {' '.join(tokens_of(vocabulary.table(table).name))}"
    return f"{text[: tokens[first].start]}duration{_UNITS[tokens[at].lemma]}{rows}{rest}"
