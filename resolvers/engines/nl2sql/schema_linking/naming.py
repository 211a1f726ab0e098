"""The tables and columns of a catalog by number, with an index of all that they are called."""

import re
from collections.abc import Sequence
from functools import cached_property
from typing import Final

from resolvers.engines.english.identifiers import tokens_of
from resolvers.engines.nl2sql.joining.joins import joins_of
from resolvers.engines.nl2sql.language.forms import (
    LONGEST_MEANING,
    NamedTable,
    NameForm,
    first_clause,
    named,
    phrase_words,
    schema_prefix,
    table_words,
    weights_of,
)
from resolvers.engines.nl2sql.model import ColumnKey, Knowledge
from resolvers.engines.nl2sql.schema_linking.glossary import Note, notes_of
from resolvers.engines.nl2sql.schema_linking.index import Index
from resolvers.engines.nl2sql.schema_linking.kinds import kind_of
from resolvers.engines.nl2sql.schema_linking.roles import KEY_HEADS
from schema.data_readiness.profile import ColumnProfile
from schema.data_readiness.source import ColumnFacts, TableFacts

_EXACT: Final = 0.9
"""How well an asset must be called by a noted name for the other names to count for it."""
_PLAIN: Final = 0.98
"""How well a column is called by its name without what says nothing of it."""
_DESCRIBED: Final = 0.6
_MEANT: Final = 0.96
"""How well a column is called by a description that is no longer than a name: `Home runs.` of `HR`."""
_LEAST_NAME: Final = 4
_ALIKE: Final = 0.7
"""Letters of a name, and the share of its columns, that a variant of a table has at least."""
_CALLED_SO: Final = 0.95
"""How well another table must be called by a word to hold what it says rather than the one whose key is called so."""
_KEYED: Final = 0.85
"""How well a table is called by the name of its key: `player` of people, whose key is `player_id`."""
_DATED: Final = 0.85
"""How well a column of dates is called a date, when its name does not say so: `seen_on`."""


class Naming:
    """Names of one knowledge, read once."""

    def __init__(self, known: Knowledge) -> None:
        self.known = known
        self._tables = {table.fqn: table for table in known.tables}
        self._fqns = list(self._tables)
        self._names: dict[str, NamedTable] = {}
        self._keys: list[ColumnKey] = []
        self._places: dict[ColumnKey, tuple[ColumnFacts, int]] = {}
        self._numbers: dict[ColumnKey, int] = {}
        self._own: dict[str, range] = {}
        self._profiles: dict[str, dict[str, ColumnProfile]] = {}
        self._table_index = Index(unsaid=0.4)
        self._column_index = Index(unsaid=0.62)
        self.noted: dict[tuple[str, ...], list[Note]] = {}
        """What people noted, by the words of every name; values and memories are linked from it."""
        self._read()
        self._name_by_keys()
        self._note()

    # --- making it

    def _read(self) -> None:
        siblings: dict[str, list[str]] = {}
        for table in self._tables.values():
            siblings.setdefault(table.fqn.rpartition(".")[0], []).append(table.name)
        prefixes = {schema: schema_prefix(names) for schema, names in siblings.items()}
        words = {schema: table_words(names) for schema, names in siblings.items()}
        for number, table in enumerate(self._tables.values()):
            schema = table.fqn.rpartition(".")[0]
            columns = tuple(one.name for one in table.columns)
            names = named(table.name, columns, prefixes[schema], words[schema])
            self._names[table.fqn] = names
            self._add_table(number, table, names)
            start = len(self._keys)
            for at, (column, called) in enumerate(zip(table.columns, names.columns, strict=False)):
                key = ColumnKey(table.fqn, column.name)
                entity = len(self._keys)
                self._keys.append(key)
                self._places[key] = (column, at)
                self._numbers[key] = entity
                weights = weights_of(called.words, called.own)
                self._column_index.add(entity, NameForm(called.words, weights, 1.0, "name"))
                self._column_index.add_piece(column.name)
                if called.plain:
                    plain = NameForm(called.plain, weights_of(called.plain, called.plain), _PLAIN, "name")
                    self._column_index.add(entity, plain)
                kind = kind_of(column, called.words, self._profiles_of(table.fqn).get(column.name))
                if kind.is_temporal and called.own[-1] in KEY_HEADS and (bare := called.own[:-1]):  # `yearID` is a year
                    self._column_index.add(entity, NameForm(bare, weights_of(bare, bare), _PLAIN, "name"))
                if kind.tells_days and "date" not in called.words:
                    weights = (*(0.2 for _ in called.own), 0.6)
                    self._column_index.add(entity, NameForm((*called.own, "date"), weights, _DATED, "name"))
                self._more(self._column_index, entity, column.display_name, column.description)
                if meaning := meaning_of(column.description):
                    form = NameForm(meaning, weights_of(meaning, meaning), _MEANT, "meaning")
                    self._column_index.add(entity, form)
            self._own[table.fqn] = range(start, len(self._keys))
            self._column_index.put_beside(len(self._own[table.fqn]), names.words)

    def _name_by_keys(self) -> None:
        """A table whose key is called `player id` holds the players, where no other table is called so."""
        joins = joins_of(self.known)
        for number, fqn in enumerate(self._fqns):
            columns = joins.key(fqn)
            if len(columns) != 1 or joins.refers(fqn, columns[0]) is not None:
                continue
            *said, head = self._names[fqn].columns[self._places[ColumnKey(fqn, columns[0])][1]].own
            if head not in KEY_HEADS or not said or set(said) <= set(self._names[fqn].words):
                continue
            if not self._table_index.search(said, most=1, least=_CALLED_SO):
                self._table_index.add(number, NameForm(tuple(said), weights_of(said, said), _KEYED, "name"))

    def _add_table(self, number: int, table: TableFacts, names: NamedTable) -> None:
        self._table_index.add(number, NameForm(names.words, _headed(names.words, table.name), 1.0, "name"))
        whole = phrase_words(table.name.replace("_", " "))
        if whole and whole != names.words:
            self._table_index.add(number, NameForm(whole, _headed(whole, table.name), 1.0, "name"))
        self._more(self._table_index, number, table.display_name, table.description)

    @staticmethod
    def _more(index: Index, entity: int, display_name: str | None, description: str | None) -> None:
        if display_name and (words := phrase_words(display_name)):
            index.add(entity, NameForm(words, weights_of(words, words), 1.0, "display_name"))
        if description and (words := phrase_words(description)):
            index.add(entity, NameForm(words, (1.0,) * len(words), _DESCRIBED, "description"))

    def _note(self) -> None:
        for note in notes_of(self.known.terms, self.known.memories):
            phrases = [words for words in map(phrase_words, note.names) if words]
            for words in phrases:
                self.noted.setdefault(words, []).append(note)
            if note.values:
                continue
            resolved = self.resolved(note.asset) if note.asset else None
            targets: set[str | ColumnKey] = {resolved} if resolved is not None else set()
            if not targets:
                for words in phrases:
                    targets |= self._called(words)
            for words in (*phrases, *(words for words in map(phrase_words, note.wider) if words)):
                wider = words not in phrases
                score = note.score * (0.8 if wider else 1.0)
                for target in list(targets)[:20]:
                    self._add_noted(target, NameForm(words, weights_of(words, words), score, note.how, note.id))
            if not targets:
                self._synonyms(phrases, [words for words in map(phrase_words, note.wider) if words], note.score)

    def _called(self, words: tuple[str, ...]) -> set[str | ColumnKey]:
        """Return what is exactly called so."""
        tables = self._table_index.search(words, least=_EXACT)
        found: set[str | ColumnKey] = {self._fqns[at] for at, one in tables if one.score > _EXACT}
        columns = self._column_index.search(words, least=_EXACT) if not found else ()
        return found or {self._keys[at] for at, one in columns if one.score > _EXACT}

    def _add_noted(self, target: "str | ColumnKey", form: NameForm) -> None:
        if isinstance(target, str):
            self._table_index.add(self._fqns.index(target), form)
        else:
            self._column_index.add(self._numbers[target], form)

    def _synonyms(self, phrases: Sequence[tuple[str, ...]], wider: Sequence[tuple[str, ...]], score: float) -> None:
        """Names that call nothing as they stand may still be words of names."""
        for said in (*phrases, *wider):
            for meant in phrases:
                if said != meant and len(said) == len(meant) == 1:
                    for index in (self._table_index, self._column_index):
                        index.synonyms.setdefault(said[0], {})[meant[0]] = 0.95 * score

    # --- what there is

    @property
    def fqns(self) -> Sequence[str]:
        """The FQNs of all tables."""
        return self._fqns

    def table(self, fqn: str) -> TableFacts:
        """Return what the catalog knows of a table."""
        return self._tables[fqn]

    def facts(self, key: ColumnKey) -> ColumnFacts:
        """Return what the catalog knows of a column."""
        return self._places[key][0]

    def keys_of(self, fqn: str) -> tuple[ColumnKey, ...]:
        """The columns of a table in their order."""
        return tuple(self._keys[at] for at in self._own.get(fqn, ()))

    def profile(self, key: ColumnKey) -> ColumnProfile | None:
        """The profile of a column; None when its table has none, or the column was not in it."""
        return self._profiles_of(key.table).get(key.column)

    def _profiles_of(self, fqn: str) -> dict[str, ColumnProfile]:
        if fqn not in self._profiles:
            profile = self.known.profiles.get(fqn)
            self._profiles[fqn] = {one.name: one for one in profile.columns} if profile is not None else {}
        return self._profiles[fqn]

    def resolved(self, path: str) -> "str | ColumnKey | None":
        """The table or column that an FQN, `table.column` or the name of a table means; None when it is not one."""
        if path in self._tables:
            return path
        before, _, column = path.rpartition(".")
        if before in self._tables:
            low = column.lower()
            return next((key for key in self.keys_of(before) if key.column.lower() == low), None)
        low = path.lower()
        ends = [
            fqn for fqn, table in self._tables.items() if table.name.lower() == low or fqn.lower().endswith("." + low)
        ]
        if len(ends) == 1:
            return ends[0]
        if before:
            table = self.resolved(before)
            if isinstance(table, str):
                return next((key for key in self.keys_of(table) if key.column.lower() == column.lower()), None)
        return None

    def is_private(self, key: ColumnKey) -> bool:
        """Return whether no value of it may be quoted."""
        return key in self.known.private

    def noun(self, fqn: str) -> str:
        """Return what one row of a table is, in the singular."""
        return self._names[fqn].noun

    def words(self, of: "str | ColumnKey") -> tuple[str, ...]:
        """The words of a table's name, or of a column's own, as they are compared."""
        if isinstance(of, str):
            return self._names[of].words
        return self._names[of.table].columns[self._places[of][1]].own

    @cached_property
    def initialisms(self) -> dict[str, list[ColumnKey]]:
        """The columns whose whole name is two to four letters, by those: `mpg`, `HR`."""
        found: dict[str, list[ColumnKey]] = {}
        for key in self._keys:
            name = key.column.lower()
            if 2 <= len(name) <= 4 and name.isalpha():
                found.setdefault(name, []).append(key)
        return found

    @cached_property
    def variants(self) -> dict[str, str]:
        """Tables whose name is another's with more behind it, and that have nearly all of its columns: `orders_2019`,
        with the other.
        """
        written = {fqn: table.name.lower() for fqn, table in self._tables.items()}
        columns = {fqn: {one.name.lower() for one in table.columns} for fqn, table in self._tables.items()}
        by_name: dict[tuple[str, str], str] = {
            (fqn.rpartition(".")[0], name): fqn for fqn, name in written.items() if len(name) >= _LEAST_NAME
        }
        found: dict[str, str] = {}
        for fqn, name in written.items():
            for end in range(len(name) - 2, _LEAST_NAME - 1, -1):
                base = by_name.get((fqn.rpartition(".")[0], name[:end]))
                if base is not None and len(columns[base] & columns[fqn]) >= _ALIKE * len(columns[base]):
                    found[fqn] = base
                    break
        return found

    @cached_property
    def spoken(self) -> frozenset[str]:
        """The words of all names, as they are written in them and in the singular."""
        names = (name for table in self._tables.values() for name in (table.name, *(one.name for one in table.columns)))
        written = {word.lower() for name in names for word in tokens_of(name) if word.isalpha()}
        called = {word for names in self._names.values() for words in (names.words, *(one.own for one in names.columns))
                  for word in words}  # fmt: skip
        return frozenset(word for word in written | called if len(word) > 2)

    def phrase(self, key: ColumnKey) -> str:
        """A column's name in words, for readings."""
        facts, at = self._places[key]
        return (facts.display_name or self._names[key.table].columns[at].phrase).lower()


_WHETHER: Final = re.compile(
    r"^(?:whether|if|true if|true when|yes if) (?:it|he|she|they|this|(?:an?|the) \w+)\b", re.I
)


def meaning_of(description: str | None) -> tuple[str, ...]:
    """Return what a description calls a column, when its first clause is as short as a name; nothing when it
    is longer.
    """
    if not description:
        return ()
    words = phrase_words(_WHETHER.sub("", first_clause(description)))
    return words if len(words) <= LONGEST_MEANING else ()


_OF: Final = re.compile(r"[a-z](?:_|(?=O))[Oo][Ff](?:_|(?=[A-Z]))")


_LISTS: Final = frozenset(("list", "reference", "register", "directory", "header"))
"""Last words of tables that say nothing of what a row is: `country_ref`."""


def _headed(words: Sequence[str], name: str) -> tuple[float, ...]:
    """The last word of a table's name says what a row is, those before it only which; in `member_of_club` the first."""
    others = (0.5,) * (len(words) - 1)
    if len(words) > 1 and words[-1] in _LISTS:
        return (*others[1:], 1.0, 0.3)
    return (1.0, *others) if _OF.search(name) else (*others, 1.0)
