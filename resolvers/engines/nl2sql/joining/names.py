"""Defines how names of tables and columns are compared when keys are looked for."""

from collections.abc import Sequence
from functools import lru_cache
from typing import Final

from resolvers.engines.english.grammar import singular
from resolvers.engines.english.identifiers import table_name, tokens_of
from resolvers.engines.english.vocabulary import words

HEADS: Final = words("id key code cd no nr nbr number num fk pk sk ref uuid guid uid")
"""Last words of names of keys."""
NAMES: Final = words("name title fname lname mname first last middle full forename surname firstname lastname label")
"""Words that columns are called by which say who or what a row is."""


@lru_cache(maxsize=20_000)
def folded(name: str) -> tuple[str, ...]:
    """The words of a name as they are compared: `StudentIDs` is student, id."""
    return tuple(singular(token) for token in tokens_of(name))


@lru_cache(maxsize=5_000)
def nouns(name: str) -> frozenset[tuple[str, ...]]:
    """Return what a row of a table may be called in the names of columns, in words."""
    said = tuple(singular(word.lower()) for word in table_name(name).words.words)
    plain = folded(" ".join(said))
    return frozenset(one for one in (folded(name), said, plain) if one)


def names_its_row(column: str, table: str) -> bool:
    """Return whether a column holds the name of what the rows of its table are."""
    said = set(folded(column))
    own = {word for noun in nouns(table) for word in noun}
    return bool(said & NAMES) and said - own <= NAMES


@lru_cache(maxsize=1_000)
def family(data_type: str | None) -> str:
    """Types whose values can be equal; empty for one that says nothing."""
    kind = (data_type or "").upper()
    if not kind or kind in ("UNKNOWN", "NULL", "ANY"):
        return ""
    if any(word in kind for word in ("CHAR", "TEXT", "STRING", "CLOB", "ENUM", "NAME", "CITEXT")):
        return "text"
    if any(word in kind for word in ("DATE", "TIME")):
        return "moment"
    if "INTERVAL" not in kind and any(
        word in kind for word in ("INT", "NUM", "DEC", "DOUBLE", "FLOAT", "REAL", "SERIAL", "MONEY", "YEAR")
    ):
        return "number"
    if "BOOL" in kind or kind == "BIT":
        return "boolean"
    return kind


def role_of(columns: Sequence[str], target: str, to_columns: Sequence[str]) -> tuple[str, ...]:
    """Return what the name of a key says beside what it refers to: `home` of `home_team_id` to `team.id`."""
    if len(columns) != 1:
        return ()
    said = list(folded(columns[0]))
    if tuple(said) == folded(to_columns[0]):
        return ()
    if len(said) > 1 and said[-1] in HEADS:
        said.pop()
    beside = {word for noun in nouns(target) for word in noun} | set(folded(to_columns[0]))
    return tuple(word for word in said if word not in beside)


@lru_cache(maxsize=20_000)
def names_key(column: str, table: str) -> bool:
    """Return whether a column is called as the key of its table: `id`, `student_id` or `StuID` of `Student`."""
    called = folded(column)
    if called in (("id",), ("uuid",), ("key",), ("pk",), ("rowid",), ("uid",), ("guid",)):
        return True
    if len(called) > 1 and called[-1] in HEADS:
        before = called[:-1]
        return any(before == noun or (len(before) == 1 and _shortens(before[0], noun)) for noun in nouns(table))
    squeezed = column.lower()
    return squeezed.endswith("id") and any(_shortens(squeezed[:-2], noun) for noun in nouns(table))


def _shortens(short: str, noun: Sequence[str]) -> bool:
    """Return whether a word is the beginning or the initials of a noun: `stu` of student, `dept` of department."""
    if len(short) < 2:
        return False
    if len(noun) > 1:
        return short == "".join(word[0] for word in noun) or short == "".join(noun)
    (whole,) = noun
    if whole.startswith(short):
        return True
    if len(short) < 3 or whole[0] != short[0]:
        return False
    rest = iter(whole)
    return all(letter in rest for letter in short) and len(short) * 3 >= len(whole)
