"""The one query that looks texts up in columns of a source, for words that no profile knows.

Whoever gives a drafter its `Lookup` builds the query here, runs it as the caller's own and reads its rows here:

    query = query_of(columns, texts, known, relation=source.relation)
    found = found_in(source.ask(query), columns) if query is not None else []

It has two columns: which column (its place among `columns`), and a value of it as it stands there. Every text is
compared whole and stands in the query as a literal; nothing else of the asker's gets in. With `exact` a text is
compared as it is commonly written, which an index serves; else without regard to case, which reads every row and finds
names that a text is a part of as well: `Red Sox` in Boston Red Sox.
"""

import re
from collections.abc import Callable, Sequence
from typing import Any, Final

from sqlglot import exp

from resolvers.engines.nl2sql.model import ColumnKey, FoundValue, Knowledge
from schema.data_readiness.source import ColumnFacts, TableFacts

MOST_COLUMNS: Final = 60
"""More columns are not looked at, so that a question cannot read a whole source."""
MOST_TEXTS: Final = 40
MOST_FOUND: Final = 5
"""How many spellings of the texts one column answers with."""
MOST_PARTS: Final = 12
"""How many values may have a text as a part before it says too little to tell which are meant."""
_MOST_LOOKED_FOR: Final = 6
"""How many texts are looked for inside of values as well, which takes a comparison each."""
_LONGEST_WHOLE: Final = 80
"""Longer values are told, and name nothing."""
LONGEST: Final = 200
"""Longer texts are not looked up."""

_PLAIN: Final = re.compile(r"[^\W_]+(?:[ .&'-]+[^\W_]+)*")
"""What can stand in a pattern as it is."""
_TEXT: Final = ("CHAR", "TEXT", "STRING", "CLOB", "ENUM", "NAME", "CITEXT")
Relation = Callable[[str, str, str], exp.Table]
"""What stands in FROM for a database, a schema and a table; `Source.relation`."""


def is_text(facts: ColumnFacts) -> bool:
    """Return whether texts can be looked up in a column without a cast of every row."""
    kind = (facts.data_type or "TEXT").upper()
    return any(name in kind for name in _TEXT)


def spellings(text: str) -> list[str]:
    """The ways that a text is commonly written in data."""
    return list(dict.fromkeys((text, text.lower(), text.upper(), text.capitalize(), text.title())))


def query_of(
    columns: Sequence[ColumnKey], texts: Sequence[str], known: Knowledge, relation: Relation, *, exact: bool = False
) -> exp.Query | None:
    """The query; None when there is nothing to look up. Forbidden columns, and unknown ones, are left out."""
    tables = {table.fqn: table for table in known.tables}
    wanted = list(dict.fromkeys(text for text in texts if text.strip() and len(text) <= LONGEST))[:MOST_TEXTS]
    parts_of = [] if exact else [text for text in wanted if may_be_part(text)][:_MOST_LOOKED_FOR]
    parts: list[exp.Select] = []
    for at, key in enumerate(columns[:MOST_COLUMNS]):
        table = tables.get(key.table)
        facts = next((one for one in table.columns if one.name == key.column), None) if table else None
        if table is None or facts is None or key in known.forbidden or not is_text(facts):
            continue
        if wanted:
            parts.append(_one(at, table, facts, wanted, parts_of, relation, exact=exact))
    return united(parts, distinct=False)


def united(parts: Sequence[exp.Query], *, distinct: bool) -> exp.Query | None:
    """Return the rows of all queries as one query; None without any."""
    return exp.union(*parts, distinct=distinct, copy=False) if len(parts) > 1 else next(iter(parts), None)


def may_be_part(text: str) -> bool:
    """Return whether a text may be a part of a name: several words, or one with a capital letter."""
    return _PLAIN.fullmatch(text) is not None and (" " in text or text[:1].isupper()) and len(text) > 2


def _one(
    at: int,
    table: TableFacts,
    facts: ColumnFacts,
    texts: Sequence[str],
    parts: Sequence[str],
    relation: Relation,
    *,
    exact: bool,
) -> exp.Select:
    """The values of one column that equal a text; without regard to case the source lowers both, for its letters."""
    value = _as_text(exp.column(facts.name, quoted=True), facts)
    if exact:
        written = [exp.Literal.string(one) for text in texts for one in spellings(text)]
        equal: exp.Condition = exp.In(this=value, expressions=written)
    else:
        lowered = [exp.Lower(this=exp.Literal.string(text)) for text in texts]
        equal = exp.In(this=exp.Lower(this=value), expressions=lowered)
        if parts:
            inside = [exp.Like(this=exp.Lower(this=value.copy()), expression=exp.Literal.string(like))
                      for text in parts for like in _around(text.lower())]  # fmt: skip
            short = exp.LTE(this=exp.Length(this=value.copy()), expression=exp.Literal.number(_LONGEST_WHOLE))
            equal = exp.or_(equal, exp.and_(short, exp.or_(*inside)))
    inner = (
        exp.select(exp.alias_(value.copy(), "value", quoted=True))
        .distinct()
        .from_(relation(table.database, table.schema, table.name))
        .where(equal)
    )
    if parts:  # whole values before longer ones, of which there may be too many
        found = exp.column("value", quoted=True)
        whole = exp.Case().when(exp.In(this=exp.Lower(this=found), expressions=lowered), "0").else_("1")
        inner = exp.select(found.copy()).from_(inner.subquery(f"held_{at}")).order_by(whole, found.copy())
    inner = inner.limit(MOST_FOUND + (MOST_PARTS if parts else 0))
    place = exp.alias_(exp.Literal.number(at), "place", quoted=True)
    return exp.select(place, exp.column("value", quoted=True)).from_(inner.subquery(f"found_{at}"))


def _around(text: str) -> tuple[str, str, str]:
    """The patterns of longer values that begin with a text, end in it, or have it inside, in whole words."""
    return f"{text} %", f"% {text}", f"% {text} %"


def _as_text(column: exp.Column, facts: ColumnFacts) -> exp.Expression:
    """An enum is no text in some sources, and cannot be lowered there."""
    return exp.cast(column.copy(), "text") if "ENUM" in (facts.data_type or "").upper() else column.copy()


def found_in(rows: Sequence[Sequence[Any]], columns: Sequence[ColumnKey]) -> list[FoundValue]:
    """Return what the rows of the query's answer say. `columns` must be those that the query was made of."""
    return [
        FoundValue(columns[int(place)], str(value))
        for place, value in rows
        if value is not None and 0 <= int(place) < len(columns)
    ]
