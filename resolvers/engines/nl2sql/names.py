"""Defines what people call tables, their rows and their columns."""

from collections import deque
from functools import lru_cache
from typing import Final

from resolvers.engines.english.grammar import UNCOUNTABLE, plural_phrase
from resolvers.engines.english.identifiers import shared_prefix, table_name, tokens_of, words_of
from resolvers.engines.nl2sql.joining.names import nouns
from resolvers.engines.nl2sql.language.forms import LONGEST_MEANING, NAME_PARTS, first_clause
from resolvers.engines.nl2sql.model import Knowledge
from resolvers.engines.nl2sql.plan import Column
from schema.data_readiness.source import ColumnFacts, TableFacts

_Kept = tuple[dict[str, TableFacts], dict[str, str | None]]
_KEPT: Final[deque[tuple[tuple[TableFacts, ...], _Kept]]] = deque(maxlen=8)
"""The latest catalogs that were spoken of, known again as the same object."""


def _names_of(tables: tuple[TableFacts, ...]) -> _Kept:
    """Tables by their FQN, and by schema what their names begin with, as far as it was looked for."""
    for kept, names in tuple(_KEPT):
        if kept is tables:
            return names
    made: _Kept = {one.fqn: one for one in tables}, {}
    _KEPT.append((tables, made))
    return made


def _beside(facts: TableFacts) -> frozenset[str]:
    """The pieces of the names in a table, which tell what one of several meanings stands for: `dr` beside `dept`."""
    return _pieces((facts.name, *(one.name for one in facts.columns[:_MOST_BESIDE])))


@lru_cache(maxsize=1_024)
def _pieces(names: tuple[str, ...]) -> frozenset[str]:
    return frozenset(piece for name in names for piece in tokens_of(name))


_MOST_BESIDE: Final = 200
"""Columns of a table that are looked at for that."""


_OF_ROWS: Final = frozenset(("id", "code", "number", "no", "nr"))
"""Last words of columns that are called by their table too: the bill number, and not the number of the bill."""


_CODE: Final = 3
"""Letters of a name that is a code rather than a word: `SO`, of strikeouts."""


def _meaning(description: str | None) -> str:
    """Return what a description calls a column where its first clause is as short as a name; empty where it
    is longer.
    """
    words = first_clause(description).split()
    if len(words) > LONGEST_MEANING:
        return ""
    return " ".join(word if word[1:] != word[1:].lower() else word.lower() for word in words)


class CatalogNames:
    """The names of one catalog."""

    def __init__(self, known: Knowledge) -> None:
        self._known = known
        self._tables, self._shared = _names_of(known.tables)

    def noun(self, fqn: str) -> str:
        """Return what one row of a table is."""
        facts = self._tables.get(fqn)
        if facts is None:
            return fqn.rsplit(".", 1)[-1]
        if facts.display_name:
            return facts.display_name
        if facts.schema not in self._shared:
            self._shared[facts.schema] = shared_prefix(
                [one.name for one in self._known.tables if one.schema == facts.schema]
            )
        name = table_name(facts.name, self._shared[facts.schema], context=_beside(facts))
        return (name.noun or words_of(facts.name).phrase or facts.name).lower() if name.words.words else facts.name

    def many(self, fqn: str) -> str:
        """The rows of a table."""
        noun = self.noun(fqn)
        return noun if noun.split(" ")[-1].lower() in UNCOUNTABLE else plural_phrase(noun)

    def name(self, column: Column) -> str:
        """A column as people say it."""
        facts = self._facts(column)
        if facts is not None and facts.display_name:
            return facts.display_name
        if facts is not None and len(column.column) <= _CODE and (meaning := _meaning(facts.description)):
            return meaning
        table = self._tables.get(column.table)
        said = words_of(column.column, context=_beside(table) if table is not None else ()).words
        words = [word if word.isupper() else word.lower() for word in said]
        for noun in nouns(self._tables[column.table].name) if column.table in self._tables else ():
            low = tuple(word.lower() for word in words)
            if len(words) > len(noun) and low[: len(noun)] == noun and words[-1].lower() not in _OF_ROWS:
                words = words[len(noun) :]  # the name of the student, not the student name of the student
                break
        if tuple(word.lower() for word in words[1:]) in NAME_PARTS and words[0].lower() == "name":
            words = [*words[1:], words[0]]  # nameLast is the last name
        if words in (["first"], ["last"]) and column.column.lower() not in ("first", "last"):
            words = [*words, "name"]  # baker_first is the first name of a baker
        return " ".join(words) or column.column

    def _facts(self, column: Column) -> ColumnFacts | None:
        facts = self._tables.get(column.table)
        return next((one for one in facts.columns if one.name == column.column), None) if facts else None
