"""Defines what the tables and columns of a catalog are called: an index by the words of their names and what people
noted.

It is asked with lemmas, or with words as they come; their order does not matter. Scores say how well a name fits: it is
1 for the very name, a display name or an approved term; less for synonyms, for words of the same root or family, when
something of the name was not said, and for misspelled words.
"""

from collections import OrderedDict
from collections.abc import Iterable, Sequence
from functools import cached_property, lru_cache
from threading import Lock
from typing import Final

from resolvers.engines.nl2sql.joining.joins import Joins, joins_of
from resolvers.engines.nl2sql.joining.ties import Key
from resolvers.engines.nl2sql.language.degrees import Degree
from resolvers.engines.nl2sql.language.forms import (
    asked_words,
    canonical,
    phrase_words,
)
from resolvers.engines.nl2sql.model import ColumnKey, Knowledge
from resolvers.engines.nl2sql.plan import Literal
from resolvers.engines.nl2sql.schema_linking.glossary import names_of
from resolvers.engines.nl2sql.schema_linking.index import IndexMatch, IndexSubset
from resolvers.engines.nl2sql.schema_linking.kinds import ColumnKind, flag_of, is_numeric_text, kind_of
from resolvers.engines.nl2sql.schema_linking.lookups import is_text
from resolvers.engines.nl2sql.schema_linking.naming import Naming
from resolvers.engines.nl2sql.schema_linking.roles import NAMED_ENOUGH, is_identifier, is_person, naming, whole_name
from resolvers.engines.nl2sql.schema_linking.values import ValueIndex
from schema.utils.memory import MemoryType

_MEASURED: Final = 0.7
"""How well a column must fit a word of an adjective: that a part of its name may stand for it is not enough."""
_SOME_TIME: Final = 0.55
"""How well any moment measures what is new, old or late, when no name says so."""
_FULL: Final = 0.9
"""How well a column must be called a full name to be one."""
_KEPT: Final = 8
_SCOPES: Final = 64
_WORDS: Final = 2_000
"""How many vocabularies are kept, and of each how many scopes and words."""
_KEY_HEADS: Final = frozenset(("id", "code", "number", "key", "no", "reference"))
"""Last words of columns that are taken for keys when they refer to another table."""
_KNOWING: Final = frozenset(
    (MemoryType.KPI, MemoryType.TEXTUAL_PATTERN, MemoryType.NUMERIC_PATTERN, MemoryType.GLOSSARY, MemoryType.ONTOLOGY)
)
"""Memories that a question may name."""


class Vocabulary(Naming):
    """The names of one knowledge. Making it reads every name once; asking it is quick."""

    def __init__(self, known: Knowledge) -> None:
        super().__init__(known)
        self._kinds: dict[ColumnKey, ColumnKind] = {}
        self._flags: dict[ColumnKey, tuple[Literal, Literal] | None] = {}
        self._identifiers: dict[ColumnKey, bool] = {}
        self._texts: dict[str, list[ColumnKey]] = {}
        self._with: dict[str, tuple[dict[str, float], float]] = {}
        self._neighbours: dict[str, frozenset[str]] = {}
        self._scopes: dict[tuple[str, ...], IndexSubset] = {}

    @classmethod
    def of(cls, known: Knowledge) -> "Vocabulary":
        """The vocabulary of a knowledge, made once as long as it is the same object."""
        with _LOCK:
            kept = _MADE.get(id(known))
            if kept is not None and kept.known is known:
                _MADE.move_to_end(id(known))
                return kept
        made = cls(known)
        with _LOCK:
            _MADE[id(known)] = made
            while len(_MADE) > _KEPT:
                _MADE.popitem(last=False)
        return made

    # --- what it is called

    def tables(self, lemmas: Sequence[str]) -> list[tuple[str, float]]:
        """The tables that are called so, best first."""
        return [(fqn, one.score) for fqn, one in self.found_tables(lemmas)]

    def found_tables(
        self, lemmas: Sequence[str], most: int | None = None, least: float = 0.0
    ) -> list[tuple[str, IndexMatch]]:
        """The tables that are called so, with how it is known, best first."""
        found = self._table_index.search(self.asked(lemmas), None, most, least)
        return [(self._fqns[at], one) for at, one in found]

    def found_columns(
        self,
        lemmas: Sequence[str],
        within: Sequence[str] | None = None,
        most: int | None = None,
        least: float = 0.0,
    ) -> list[tuple[ColumnKey, IndexMatch]]:
        """The columns that are called so, with how it is known, best first; none of a lower score than the least."""
        scope = self._scope(tuple(within)) if within is not None else None
        found = self._column_index.search(self.asked(lemmas), scope, most, least)
        return [(self._keys[at], one) for at, one in found]

    def _scope(self, tables: tuple[str, ...]) -> IndexSubset:
        """The columns of some tables. The last ones asked for are kept: a question asks often about the same."""
        kept = self._scopes.get(tables)
        if kept is None:
            owners = self._column_index.owners
            kept = IndexSubset(self._column_index, (owners[own.start] for fqn in tables if (own := self._own.get(fqn))))
            self._scopes[tables] = kept
            while len(self._scopes) > _SCOPES:
                self._scopes.pop(next(iter(self._scopes)), None)
        return kept

    def says(self, key: ColumnKey, lemma: str) -> bool:
        """Return whether a column is called by a word, or by what it may stand for."""
        entity, index = self._numbers[key], self._column_index
        return any(entity in index.bearers(at) for word in self.asked((lemma,)) for at in index.hits(word))

    def tables_with(self, lemma: str) -> tuple[dict[str, float], float]:
        """The tables in whose columns' names a word is said, or what it may stand for, with how near it is; and how
        near at best."""
        known = self._with.get(lemma)
        if known is not None:
            return known
        found: dict[str, float] = {}
        for word in self.asked((lemma,)):
            for at, (near, place, guessed, _) in self._column_index.hits(word).items():
                form = self._column_index.forms[at]
                sure = 0.0 if guessed else near * form.weights[place] * form.score
                for entity in self._column_index.bearers(at) if sure else ():
                    fqn = self._keys[entity].table
                    if sure > found.get(fqn, 0.0):
                        found[fqn] = sure
        if len(self._with) > _WORDS:
            self._with.clear()
        self._with[lemma] = found, max(found.values(), default=0.0)
        return self._with[lemma]

    @staticmethod
    def asked(lemmas: Iterable[str]) -> tuple[str, ...]:
        """Lemmas of a question as names are compared; identifiers such as `stu_id` in their words."""
        return _asked(tuple(lemmas))

    def is_word(self, lemma: str) -> bool:
        """Return whether some table or column has the word in its name."""
        return any(word in self._table_index or word in self._column_index for word in self.asked((lemma,)))

    def is_value(self, text: str) -> bool:
        """Return whether some column holds a text, as far as profiles know."""
        self.values.read(self.fqns)
        return bool(self.values.named(text))

    def measured(self, degree: Degree, within: Sequence[str] | None = None) -> list[tuple[ColumnKey, float]]:
        """The columns that an adjective measures: `age` for "older", best first."""
        found: dict[ColumnKey, float] = {}
        for at, word in enumerate(degree.measures):
            for key, one in self.found_columns((word,), within):
                kind = self.column_kind(key)
                if not kind.is_ordered or self.is_identifier(key) or one.score < _MEASURED:
                    continue
                if word in ("date", "year") and not kind.is_temporal:  # a level is a year in schools only
                    continue
                if "duration" in degree.measures and kind in _CALENDAR:  # a day does not last
                    continue
                score = one.score * (1 - 0.04 * min(at, 10))
                found[key] = max(found.get(key, 0.0), score)
        if not found and {"date", "year"} & set(degree.measures):
            tables = self._fqns if within is None else within
            keys = [key for fqn in tables for key in self.keys_of(fqn)]
            found = {key: _SOME_TIME for key in keys if self.column_kind(key).is_temporal}
        return sorted(found.items(), key=lambda item: (-item[1], self._numbers[item[0]]))

    def is_reversed(self, degree: Degree, key: ColumnKey) -> bool:
        """Return whether an adjective points the other way on a column: the oldest has the least birth date."""
        words = set(self.words(key))
        kind = self.column_kind(key)
        if kind.is_temporal and "age" not in words and degree.adjective in ("old", "young", "senior", "ancient"):
            return True
        return bool(words & set(canonical(degree.reversed_on)))

    # --- what they are

    def column_kind(self, key: ColumnKey) -> ColumnKind:
        """Return what the values of a column are."""
        kind = self._kinds.get(key)
        if kind is None:
            facts, at = self._places[key]
            kind = kind_of(facts, self._names[key.table].columns[at].words, self.profile(key))
            self._kinds[key] = kind
        return kind

    kind = column_kind

    def is_numeric_text(self, key: ColumnKey) -> bool:
        """Return whether a column of texts holds numbers only, which must be cast to be compared as such."""
        return self.column_kind(key) is ColumnKind.TEXT and is_numeric_text(self.profile(key))

    def is_identifier(self, key: ColumnKey) -> bool:
        """Return whether a column only tells rows apart, or refers to other rows."""
        known = self._identifiers.get(key)
        if known is None:
            facts, at = self._places[key]
            named = self._names[key.table].columns[at]
            known = is_identifier(facts, named) or (named.words[-1] in _KEY_HEADS and self.refers(key))
            self._identifiers[key] = known
        return known

    def tells_rows_apart(self, key: ColumnKey) -> bool:
        """Return whether a column only tells rows apart, or is the key that a profile found of its table."""
        return self.is_identifier(key) or joins_of(self.known).key(key.table) == (key.column,)

    def flag(self, key: ColumnKey) -> tuple[Literal, Literal] | None:
        """Return what a column holds for yes and for no; None when it is no such column, or nobody knows."""
        try:
            return self._flags[key]
        except KeyError:
            found = self._flags[key] = flag_of(self.facts(key), self.column_kind(key), self.profile(key))
            return found

    def text_columns(self, fqn: str) -> Sequence[ColumnKey]:
        """The columns of a table that texts can be looked up in, without those that may not be used."""
        if fqn not in self._texts:
            self._texts[fqn] = [
                key
                for key in self.keys_of(fqn)
                if key not in self.known.forbidden
                and is_text(self.facts(key))
                and self.column_kind(key) is ColumnKind.TEXT
            ]
        return self._texts[fqn]

    def name_column(self, fqn: str) -> ColumnKey | None:
        """The column that names a row; of a first and a last name the last."""
        found = self._naming(fqn)
        return found[-1] if found else None

    def name_columns(self, fqn: str) -> tuple[ColumnKey, ...]:
        """The columns that together name a row: one, or first and last name; none when nothing names it."""
        return tuple(self._naming(fqn))

    def _naming(self, fqn: str) -> list[ColumnKey]:
        names, keys = self._names[fqn], self.keys_of(fqn)
        if not keys:
            return []
        kinds = [self.column_kind(key) for key in keys]
        best = naming(self._tables[fqn], names, kinds, self._profiles_of(fqn))
        whole = whole_name(names)
        if best and best[0][0] >= (0.97 if whole else 0.7):  # a person with a title is called by their name
            return [keys[best[0][1]]]
        if whole:
            return [keys[at] for at in whole]
        return [keys[best[0][1]]] if best and best[0][0] >= NAMED_ENOUGH else []

    def is_person(self, fqn: str) -> bool:
        """Return whether rows of a table are people."""
        return is_person(self._names[fqn])

    @cached_property
    def has_full_names(self) -> bool:
        """Return whether some column holds full names."""
        return bool(self.found_columns(("full", "name"), most=1, least=_FULL))

    @cached_property
    def values(self) -> ValueIndex:
        """The values that profiles know."""
        return ValueIndex(self)

    @cached_property
    def memories_named(self) -> dict[tuple[str, ...], list[tuple[str, str, str | None]]]:
        """Memories by the words of their names and synonyms: the id, the type, and the table that one is about."""
        found: dict[tuple[str, ...], list[tuple[str, str, str | None]]] = {}
        for memory in self.known.memories:
            if memory.memory_type not in _KNOWING:
                continue
            about = self.resolved(memory.asset_fqn) if memory.asset_fqn else None
            table = about.table if isinstance(about, ColumnKey) else about
            for words in dict.fromkeys(map(phrase_words, names_of(memory))):
                if words:
                    found.setdefault(words, []).append((memory.id, memory.memory_type.value, table))
        return found

    # --- how tables hang together

    @cached_property
    def _joins(self) -> Joins:
        return joins_of(self.known)

    def ties(self, fqn: str) -> Sequence[Key]:
        """The keys from and to a table."""
        return self._joins.keys_of(fqn)

    def refers(self, key: ColumnKey) -> bool:
        """Return whether a column, alone or with others, refers to another table."""
        return any(one.table == key.table and key.column in one.columns for one in self.ties(key.table))

    def neighbours(self, fqn: str) -> frozenset[str]:
        """The tables that a key ties to a table."""
        if fqn not in self._neighbours:
            ends = frozenset(end for key in self.ties(fqn) for end in (key.table, key.to))
            self._neighbours[fqn] = ends - {fqn}
        return self._neighbours[fqn]


_CALENDAR: Final = (ColumnKind.DATE, ColumnKind.MOMENT, ColumnKind.YEAR)


@lru_cache(maxsize=50_000)
def _asked(lemmas: tuple[str, ...]) -> tuple[str, ...]:
    return canonical(tuple(word for lemma in lemmas for word in asked_words(lemma)))


_LOCK: Final = Lock()
_MADE: Final[OrderedDict[int, Vocabulary]] = OrderedDict()
