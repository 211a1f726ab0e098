"""Words that nothing in the data stands for, and the words of its values that they nearly are: Bnon for Bonn.

Values are looked for by the beginnings and the ends of the words, of which a slip leaves one as it is, in columns that
may be quoted. How far two words are apart is told here, not by the source.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from rapidfuzz.distance import OSA
from sqlglot import exp

from resolvers.engines.english.identifiers import tokens_of
from resolvers.engines.nl2sql.model import ColumnKey, Knowledge
from resolvers.engines.nl2sql.schema_linking.lookups import MOST_COLUMNS, is_text, united

MOST_WORDS: Final = 3
"""Words of one question that others are looked for."""
MOST_NEAR: Final = 3
"""Words that one is nearly, before it is too unlike any of them to tell."""
MOST_VALUES: Final = 20_000
"""Different values of a column that holds names; of more it holds texts, or tells rows apart."""
_SHORTEST: Final = 4
_LONG: Final = 8
"""Letters from which on two slips are forgiven."""
_WORD: Final = re.compile(r"[^\W\d_]+")


def may_be_misspelled(word: str) -> bool:
    """Return whether a word is long enough to be told from its neighbours, and can stand in a pattern."""
    return len(word) >= _SHORTEST and _WORD.fullmatch(word) is not None


def is_a_slip(said: str, name: str) -> bool:
    """Return whether somebody may have meant a name, but for a letter or two."""
    if len(said) < _SHORTEST or len(said.split()) != len(name.split()):
        return False
    return OSA.distance(said.casefold(), name.casefold()) <= _slips(said)


def _slips(word: str) -> int:
    return 2 if len(word) >= _LONG else 1


def columns_of_names(known: Knowledge, closed: Iterable[ColumnKey], tables: Iterable[str]) -> list[ColumnKey]:
    """The columns whose values may be quoted and are names, those that are called so first.

    `closed` are columns that are not looked into, `tables` the FQNs of tables whose rows are not shown.
    """
    hidden, shut = {*closed, *known.private, *known.forbidden}, set(tables)
    found: list[tuple[bool, ColumnKey]] = []
    for table in known.tables:
        profile = known.profiles.get(table.fqn)
        many = {one.name: one.distinct_count for one in profile.columns} if profile is not None else {}
        for column in table.columns:
            key = ColumnKey(table.fqn, column.name)
            is_open = key not in hidden and table.fqn not in shut and not column.is_pii_tagged
            if is_open and is_text(column) and (many.get(column.name) or 0) <= MOST_VALUES:
                found.append(("name" not in tokens_of(column.name), key))
    return [key for _, key in sorted(found, key=lambda one: one[0])][:MOST_COLUMNS]


def query_near(columns: Sequence[ColumnKey], words: Sequence[str], known: Knowledge) -> exp.Query | None:
    """The query for values that hold a word nearly like one of these: one column, the values as they stand there."""
    tables = {table.fqn: table for table in known.tables}
    parts: list[exp.Query] = []
    for key in columns:
        table = tables[key.table]
        value = exp.column(exp.to_identifier(key.column, quoted=True))
        like = [
            exp.Like(this=exp.Lower(this=value.copy()), expression=exp.Literal.string(one)) for one in _patterns(words)
        ]
        source = exp.table_(table.name, db=table.schema, catalog=table.database, quoted=True)
        one = exp.alias_(value, "value", quoted=True)
        parts.append(exp.select(one).distinct().from_(source).where(exp.or_(*like)))
    return united(parts, distinct=True)


def _patterns(words: Sequence[str]) -> list[str]:
    found: list[str] = []
    for word in words:
        few = max(2, len(word) // 3)
        first, last = word.casefold()[:few], word.casefold()[-few:]
        found += [f"{first}%", f"% {first}%", f"%{last}", f"%{last} %"]
    return found


def nearest(words: Sequence[str], values: Iterable[str]) -> Mapping[str, Sequence[str]]:
    """The words of values that each word is nearly, the nearest alone; none of a word that is nearly too many."""
    spoken: dict[str, str] = {}
    for value in values:
        for one in _WORD.findall(value):
            if len(one) >= _SHORTEST:
                spoken.setdefault(one.casefold(), one)
    found: dict[str, Sequence[str]] = {}
    for word in words:
        most = _slips(word)
        apart = {one: OSA.distance(word.casefold(), one, score_cutoff=most) for one in spoken}
        least = min((far for far in apart.values() if 0 < far <= most), default=0)
        best = [spoken[one] for one, far in apart.items() if far == least] if least else []
        if 0 < len(best) <= MOST_NEAR:
            found[word] = sorted(best)
    return found
