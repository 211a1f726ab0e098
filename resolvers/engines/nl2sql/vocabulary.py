"""What the tables and columns of a catalog are called: an index by the words of their names and what people noted.

It is asked with lemmas, or with words as they come; their order does not matter. Scores say how well a name fits: it is
1 for the very name, a display name or an approved term; less for synonyms, for words of the same root or family, when
something of the name was not said, and for misspelled words.
"""

from collections import OrderedDict
from collections.abc import Iterable, Sequence
from functools import cached_property
from threading import Lock
from typing import Final

from resolvers.engines.nl2sql.forms import (
    Form,
    NamedTable,
    asked_words,
    canonical,
    named,
    phrase_words,
    schema_prefix,
    weights_of,
)
from resolvers.engines.nl2sql.index import Found, Index, Scope
from resolvers.engines.nl2sql.joining import Joins, joins_of
from resolvers.engines.nl2sql.kinds import ColumnKind, flag_of, is_numeric_text, kind_of
from resolvers.engines.nl2sql.language_degrees import Degree
from resolvers.engines.nl2sql.lookups import is_text
from resolvers.engines.nl2sql.model import ColumnKey, Knowledge
from resolvers.engines.nl2sql.noted import Note, names_of, notes_of
from resolvers.engines.nl2sql.plan import Literal
from resolvers.engines.nl2sql.roles import NAMED_ENOUGH, is_identifier, is_person, naming, whole_name
from resolvers.engines.nl2sql.ties import Key
from resolvers.engines.nl2sql.values import Values
from schema.data_readiness.profile import ColumnProfile
from schema.data_readiness.source import ColumnFacts, TableFacts
from schema.utils.memory import MemoryType

_EXACT: Final = 0.9
"""How well an asset must be called by a noted name for the other names to count for it."""
_DESCRIBED: Final = 0.6
_SOME_TIME: Final = 0.55
"""How well any moment measures what is new, old or late, when no name says so."""
_DATED: Final = 0.85
"""How well a column of dates is called a date, when its name does not say so: `seen_on`."""
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


class Vocabulary:
    """The names of one knowledge. Making it reads every name once; asking it is quick."""

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
        self._kinds: dict[ColumnKey, ColumnKind] = {}
        self._table_index = Index(unsaid=0.4)
        self._column_index = Index(unsaid=0.62)
        self._flags: dict[ColumnKey, tuple[Literal, Literal] | None] = {}
        self._texts: dict[str, list[ColumnKey]] = {}
        self._with: dict[str, dict[str, float]] = {}
        self._scopes: dict[tuple[str, ...], Scope] = {}
        self._beside: dict[int, frozenset[str]] = {}
        self.noted: dict[tuple[str, ...], list[Note]] = {}
        """What people noted, by the words of every name; values and memories are linked from it."""
        self._read()
        self._note()

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

    # --- making it

    def _read(self) -> None:
        siblings: dict[str, list[str]] = {}
        for table in self._tables.values():
            siblings.setdefault(table.fqn.rpartition(".")[0], []).append(table.name)
        prefixes = {schema: schema_prefix(names) for schema, names in siblings.items()}
        for number, table in enumerate(self._tables.values()):
            names = named(table.name, tuple(one.name for one in table.columns), prefixes[table.fqn.rpartition(".")[0]])
            self._names[table.fqn] = names
            self._add_table(number, table, names)
            start = len(self._keys)
            beside = frozenset(names.words)
            for at, (column, called) in enumerate(zip(table.columns, names.columns, strict=False)):
                key = ColumnKey(table.fqn, column.name)
                entity = len(self._keys)
                self._keys.append(key)
                self._places[key] = (column, at)
                self._numbers[key] = entity
                self._beside[entity] = beside
                weights = weights_of(called.words, called.own)
                self._column_index.add(entity, Form(called.words, weights, 1.0, "name"))
                if called.own != called.words[len(called.words) - len(called.own) :]:
                    self._column_index.add(entity, Form(called.own, weights_of(called.own, called.own), 1.0, "name"))
                self._column_index.add_piece(column.name)
                if called.plain:
                    plain = Form(called.plain, weights_of(called.plain, called.plain), 0.98, "name")
                    self._column_index.add(entity, plain)
                if (column.data_type or "").upper().startswith(("DATE", "TIMESTAMP")) and "date" not in called.words:
                    weights = (*(0.2 for _ in called.own), 0.6)
                    self._column_index.add(entity, Form((*called.own, "date"), weights, _DATED, "name"))
                self._more(self._column_index, entity, column.display_name, column.description)
            self._own[table.fqn] = range(start, len(self._keys))

    def _add_table(self, number: int, table: TableFacts, names: NamedTable) -> None:
        self._table_index.add(number, Form(names.words, (1.0,) * len(names.words), 1.0, "name"))
        whole = phrase_words(table.name.replace("_", " "))
        if whole and whole != names.words:
            self._table_index.add(number, Form(whole, (1.0,) * len(whole), 1.0, "name"))
        self._more(self._table_index, number, table.display_name, table.description)

    @staticmethod
    def _more(index: Index, entity: int, display_name: str | None, description: str | None) -> None:
        if display_name and (words := phrase_words(display_name)):
            index.add(entity, Form(words, weights_of(words, words), 1.0, "display_name"))
        if description and (words := phrase_words(description)):
            index.add(entity, Form(words, (1.0,) * len(words), _DESCRIBED, "description"))

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
                    self._add_noted(target, Form(words, weights_of(words, words), score, note.how, note.id))
            if not targets:
                self._synonyms(phrases, [words for words in map(phrase_words, note.wider) if words], note.score)

    def _called(self, words: tuple[str, ...]) -> set[str | ColumnKey]:
        """What is exactly called so."""
        tables = self._table_index.search(words)
        columns = self._column_index.search(words, None, self._beside)
        found: set[str | ColumnKey] = {self._fqns[at] for at, one in tables.items() if one.score > _EXACT}
        return found or {self._keys[at] for at, one in columns.items() if one.score > _EXACT}

    def _add_noted(self, target: "str | ColumnKey", form: Form) -> None:
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
        """What the catalog knows of a table."""
        return self._tables[fqn]

    def facts(self, key: ColumnKey) -> ColumnFacts:
        """What the catalog knows of a column."""
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
        """Whether no value of it may be quoted."""
        return key in self.known.private

    def is_forbidden(self, key: ColumnKey) -> bool:
        """Whether no query of the asker may use it."""
        return key in self.known.forbidden

    def noun(self, fqn: str) -> str:
        """What one row of a table is, in the singular."""
        return self._names[fqn].noun

    def words(self, of: "str | ColumnKey") -> tuple[str, ...]:
        """The words of a table's name, or of a column's own, as they are compared."""
        if isinstance(of, str):
            return self._names[of].words
        return self._names[of.table].columns[self._places[of][1]].own

    def phrase(self, key: ColumnKey) -> str:
        """A column's name in words, for readings."""
        facts, at = self._places[key]
        return (facts.display_name or self._names[key.table].columns[at].phrase).lower()

    # --- what it is called

    def tables(self, lemmas: Sequence[str]) -> list[tuple[str, float]]:
        """The tables that are called so, best first."""
        return [(fqn, one.score) for fqn, one in self.found_tables(lemmas)]

    def found_tables(self, lemmas: Sequence[str]) -> list[tuple[str, Found]]:
        """The tables that are called so, with how it is known, best first."""
        found = self._table_index.search(self.asked(lemmas))
        best = sorted(found.items(), key=lambda item: (-item[1].score, item[0]))
        return [(self._fqns[at], one) for at, one in best]

    def columns(self, lemmas: Sequence[str], within: Sequence[str] | None = None) -> list[tuple[ColumnKey, float]]:
        """The columns that are called so, best first; only those of the tables `within`, when given."""
        return [(key, one.score) for key, one in self.found_columns(lemmas, within)]

    def found_columns(
        self, lemmas: Sequence[str], within: Sequence[str] | None = None, most: int | None = None
    ) -> list[tuple[ColumnKey, Found]]:
        """The columns that are called so, with how it is known, best first."""
        scope = self._scope(tuple(within)) if within is not None else None
        found = self._column_index.search(self.asked(lemmas), scope, self._beside)
        best = sorted(found.items(), key=lambda item: (-item[1].score, item[0]))
        return [(self._keys[at], one) for at, one in best[:most]]

    def _scope(self, tables: tuple[str, ...]) -> Scope:
        """The columns of some tables. The last ones asked for are kept: a question asks often about the same."""
        kept = self._scopes.get(tables)
        if kept is None:
            kept = self._column_index.scope({at for fqn in tables for at in self._own.get(fqn, ())})
            self._scopes[tables] = kept
            while len(self._scopes) > _SCOPES:
                self._scopes.pop(next(iter(self._scopes)), None)
        return kept

    def tables_with(self, lemma: str) -> dict[str, float]:
        """The tables in whose columns' names a word is said, or what it may stand for, with how near it is."""
        known = self._with.get(lemma)
        if known is not None:
            return known
        found: dict[str, float] = {}
        for word in self.asked((lemma,)):
            for at, (near, place, guessed) in self._column_index.hits(word).items():
                entity, form = self._column_index.forms[at]
                sure = 0.0 if guessed else near * form.weights[place] * form.score
                fqn = self._keys[entity].table
                if sure > found.get(fqn, 0.0):
                    found[fqn] = sure
        if len(self._with) > _WORDS:
            self._with.clear()
        self._with[lemma] = found
        return found

    @staticmethod
    def asked(lemmas: Iterable[str]) -> tuple[str, ...]:
        """Lemmas of a question as names are compared; identifiers such as `stu_id` in their words."""
        return canonical(tuple(word for lemma in lemmas for word in asked_words(lemma)))

    def is_word(self, lemma: str) -> bool:
        """Whether some table or column has the word in its name."""
        return any(word in self._table_index or word in self._column_index for word in self.asked((lemma,)))

    def measured(self, degree: Degree, within: Sequence[str] | None = None) -> list[tuple[ColumnKey, float]]:
        """The columns that an adjective measures: `age` for "older", best first."""
        found: dict[ColumnKey, float] = {}
        for at, word in enumerate(degree.measures):
            for key, one in self.found_columns((word,), within):
                if not self.column_kind(key).is_ordered or self.is_identifier(key) or one.score < 0.6:
                    continue
                score = one.score * (1 - 0.04 * min(at, 10))
                found[key] = max(found.get(key, 0.0), score)
        if not found and {"date", "year"} & set(degree.measures):
            tables = self._fqns if within is None else within
            keys = [key for fqn in tables for key in self.keys_of(fqn)]
            found = {key: _SOME_TIME for key in keys if self.column_kind(key).is_temporal}
        return sorted(found.items(), key=lambda item: (-item[1], self._numbers[item[0]]))

    def is_reversed(self, degree: Degree, key: ColumnKey) -> bool:
        """Whether an adjective points the other way on a column: the oldest has the least birth date."""
        words = set(self.words(key))
        kind = self.column_kind(key)
        if kind.is_temporal and "age" not in words and degree.adjective in ("old", "young", "senior", "ancient"):
            return True
        return bool(words & set(canonical(degree.reversed_on)))

    def asked_by(self, word: str, within: Sequence[str] | None = None) -> list[tuple[ColumnKey, float]]:
        """The columns that answer when, where or who, best first."""
        low = word.lower()
        tables = self._fqns if within is None else within
        if low in ("who", "whom"):
            persons = [fqn for fqn in tables if fqn in self._names and is_person(self._names[fqn])]
            names = [(key, 0.9) for fqn in persons for key in self.name_columns(fqn)]
            others = [(key, 0.5) for fqn in tables if fqn not in persons for key in self.name_columns(fqn)]
            return names + others
        if low == "when":
            order = {ColumnKind.MOMENT: 0.85, ColumnKind.DATE: 0.9, ColumnKind.YEAR: 0.75, ColumnKind.TIME: 0.6}
            keys = [key for fqn in tables for key in self.keys_of(fqn)]
            timed = [(key, order[kind]) for key in keys if (kind := self.column_kind(key)) in order]
            return sorted(timed, key=lambda item: -item[1])
        return [one for one in self.columns((low,), within) if not self.is_identifier(one[0])]

    # --- what they are

    def column_kind(self, key: ColumnKey) -> ColumnKind:
        """What the values of a column are."""
        kind = self._kinds.get(key)
        if kind is None:
            facts, at = self._places[key]
            kind = kind_of(facts, self._names[key.table].columns[at].words, self.profile(key))
            self._kinds[key] = kind
        return kind

    kind = column_kind

    def is_numeric_text(self, key: ColumnKey) -> bool:
        """Whether a column of texts holds numbers only, which must be cast to be compared as such."""
        return self.column_kind(key) is ColumnKind.TEXT and is_numeric_text(self.profile(key))

    def is_identifier(self, key: ColumnKey) -> bool:
        """Whether a column only tells rows apart, or refers to other rows."""
        facts, at = self._places[key]
        named = self._names[key.table].columns[at]
        return is_identifier(facts, named) or (named.words[-1] in _KEY_HEADS and self.refers(key))

    def flag(self, key: ColumnKey) -> tuple[Literal, Literal] | None:
        """What a column holds for yes and for no; None when it is no such column, or nobody knows."""
        if key not in self._flags:
            self._flags[key] = flag_of(self.facts(key), self.column_kind(key), self.profile(key))
        return self._flags[key]

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
        if best and best[0][0] >= (0.97 if whole else 0.7):  # a person with a title is called by his name
            return [keys[best[0][1]]]
        if whole:
            return [keys[at] for at in whole]
        return [keys[best[0][1]]] if best and best[0][0] >= NAMED_ENOUGH else []

    def key_column(self, fqn: str) -> ColumnKey | None:
        """The one column that tells rows apart; None when it takes several, or nobody knows."""
        columns = self._joins.key(fqn)
        return ColumnKey(fqn, columns[0]) if len(columns) == 1 else None

    def is_person(self, fqn: str) -> bool:
        """Whether rows of a table are people."""
        return is_person(self._names[fqn])

    @cached_property
    def values(self) -> Values:
        """The values that profiles know."""
        return Values(self)

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
        """Whether a column, alone or with others, refers to another table."""
        return any(one.table == key.table and key.column in one.columns for one in self.ties(key.table))

    def neighbours(self, fqn: str) -> frozenset[str]:
        """The tables that a key ties to a table."""
        return frozenset(end for key in self.ties(fqn) for end in (key.table, key.to)) - {fqn}


_LOCK: Final = Lock()
_MADE: Final[OrderedDict[int, Vocabulary]] = OrderedDict()
