"""Numbers that people say as a place in a row: of columns that are told apart by one only, as `the second phone` and
`all lines` are, and of values, as in `on the second floor`.
"""

import re
from collections.abc import Sequence
from typing import Final

from resolvers.engines.english.grammar import singular
from resolvers.engines.english.identifiers import tokens_of
from resolvers.engines.english.vocabulary import words
from resolvers.engines.nl2sql.language.tokens import tokenize
from resolvers.engines.nl2sql.mention import Token
from resolvers.engines.nl2sql.schema_linking.kinds import ColumnKind
from resolvers.engines.nl2sql.schema_linking.vocabulary import Vocabulary

_ORDINALS: Final = {
    word: number
    for number, said in enumerate(("first 1st", "second 2nd", "third 3rd", "fourth 4th", "fifth 5th"), 1)
    for word in said.split()
}
_LEAST: Final = 3
"""Letters of the word before the number."""
_MOST: Final = 6
"""So many columns are listed by hand; more are a row of measurements."""
_EVERY: Final = words("all every both each")
_BETWEEN: Final = words("of the its their his her these")
_PLACING: Final = words("on in at from")
_TYING: Final = words("and or ,")
_TELLING: Final = frozenset((*_ORDINALS, *_EVERY, *_BETWEEN))
_NAMED: Final = 0.9
_CALLED: Final = 0.6
"""How well a table is called by the word that is named so, and a column by a word of its name."""
_MOST_FOUND: Final = 24
_NUMBERED: Final = re.compile(r"(.*[^\W\d_])[_ ]?(\d)")


def numbered_columns(text: str, vocabulary: Vocabulary) -> str:
    """The question with each number said so: `the first and second line` as `line 1 and line 2`."""
    tokens = tokenize(text)
    for at in range(len(tokens) - 1, 0, -1):
        if tokens[at].quoted or tokens[at - 1].text.lower() not in _TELLING:
            continue
        word = singular(tokens[at].text.lower())
        found = _said(tokens, at, _numbers(word, vocabulary)) or _place(tokens, at, word, vocabulary)
        if found is not None:
            first, meant = found
            named = " and ".join(f"{word} {number}" for number in meant)
            text = f"{text[: tokens[first].start]}{named}{text[tokens[at].end :]}"
    return text


def _place(tokens: Sequence[Token], at: int, word: str, vocabulary: Vocabulary) -> tuple[int, Sequence[int]] | None:
    """`on the second floor`: the number that a column holds which is called so; None where it is no place."""
    number = _ORDINALS.get(tokens[at - 1].text.lower())
    start = at - 2 if at > 1 and tokens[at - 2].text.lower() == "the" else at - 1
    before = tokens[start - 1].text.lower() if start > 0 else ""
    if number is None or before not in _PLACING or vocabulary.found_tables((word,), 1, _NAMED):
        return None
    found = vocabulary.found_columns((word,), None, 1, _NAMED)
    key = found[0][0] if found else None
    if key is None or vocabulary.is_identifier(key) or vocabulary.column_kind(key) is not ColumnKind.NUMBER:
        return None
    return start, (number,)


def _numbers(word: str, vocabulary: Vocabulary) -> Sequence[int]:
    """The numbers that columns of one table are told apart by behind a word; none where it is a name of its own."""
    if len(word) < _LEAST or vocabulary.found_tables((word,), 1, _NAMED):
        return ()
    found: dict[str, list[int]] = {}
    for key, _ in vocabulary.found_columns((word,), None, _MOST_FOUND, _CALLED):
        match = _NUMBERED.fullmatch(key.column)
        if match is None and tokens_of(key.column)[-1:] == [word]:
            return ()
        if match is not None and singular((tokens_of(match[1]) or [""])[-1]) == word:
            found.setdefault(key.table, []).append(int(match[2]))
    only = sorted(next(iter(found.values()))) if len(found) == 1 else []
    return only if 1 < len(set(only)) == len(only) <= _MOST else ()


def _said(tokens: Sequence[Token], at: int, numbers: Sequence[int]) -> tuple[int, Sequence[int]] | None:
    """Where what tells which of them are meant begins, and their numbers; None where nothing does."""
    before = [token.text.lower() for token in tokens[:at]]
    start = at
    while start and before[start - 1] in _BETWEEN:
        start -= 1
    if (
        numbers
        and start
        and before[start - 1] in _EVERY
        and tokens[at].text.lower() != singular(tokens[at].text.lower())
    ):
        return start - 1, numbers
    meant: list[int] = []
    first = at
    while first and (before[first - 1] in _ORDINALS or (meant and before[first - 1] in _TYING)):
        first -= 1
        if before[first] in _ORDINALS:
            meant.insert(0, _ORDINALS[before[first]])
    while meant and before[first] in _TYING:
        first += 1
    return (first, meant) if meant and set(meant) <= set(numbers) else None
