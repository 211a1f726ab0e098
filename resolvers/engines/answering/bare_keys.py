"""Rows that only a number of theirs would name: what else they hold is shown beside it.

`unpaid fees of 2023` are fees, and a list of their ids tells nobody which they are. Who asks for ids gets ids.
"""

import re
from collections.abc import Sequence
from typing import Final

from sqlglot import exp

from resolvers.engines.answering.ranking import parsed
from resolvers.engines.english.identifiers import tokens_of

WHOLE_ROWS: Final = "whole_rows"
"""Notes of a draft that columns nobody named are shown, of which no chart is drawn unasked."""
MOST_BESIDE: Final = 5
"""How many columns are shown beside a key."""
_WORD: Final = re.compile(r"[^\W\d_]+")
_NUMBERED: Final = frozenset(("id", "key", "number", "no", "nr", "num", "code", "uuid", "guid", "ref"))
"""Last words of the names of keys, any of which asks for keys."""


def asks_for_keys(question: str, key: str) -> bool:
    """Return whether a question speaks of numbers or codes, or says the last word of the name of a key."""
    words = {word.casefold() for word in _WORD.findall(question)}
    words |= {word.removesuffix("s") for word in words}
    return bool(words & (_NUMBERED | set(tokens_of(key)[-1:])))


def with_columns_beside(sql: str, dialect: str, key: str, columns: Sequence[str]) -> str | None:
    """The query with columns of the same rows behind the key; None where it shows more than the key, or cannot."""
    query = parsed(sql, dialect)
    if not isinstance(query, exp.Select) or any(query.args.get(part) for part in ("distinct", "group", "into", "hint")):
        return None
    shown = query.selects[0].unalias() if len(query.selects) == 1 else None
    if not isinstance(shown, exp.Column) or shown.name != key or not columns:
        return None
    table = shown.args.get("table")
    more = [
        exp.column(exp.to_identifier(name, quoted=True), table=None if table is None else table.copy())
        for name in columns[:MOST_BESIDE]
    ]
    return query.select(*more, copy=False).sql(dialect)
