"""From a semantic model to memories: names of datasets and fields get their meaning in the catalog."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from sqlglot import exp

from resolvers.engines.documents import Tables, Understood, UnreadableDocument, column_fqn
from resolvers.engines.semantics.fragments import (
    DEEPEST,
    MOST_NODES,
    FragmentRefused,
    fragment,
    size,
    spelled,
)
from resolvers.engines.semantics.model import MOST_MEMORIES, Dataset, Field, Link, Measure, Model, ModelMemory, Words
from schema.data_readiness.source import TableFacts
from schema.identifiers import Fqn
from schema.naming import as_name
from schema.utils.memory import MemoryType

PHYSICAL: Final = "stoa_physical"
"""The note on a column that is one of the table, and no field of the dataset."""
MOST_PARTS: Final = 200_000
"""Parts of expressions of one file, with fields written out. A thousand take some milliseconds."""


@dataclass(frozen=True, slots=True)
class _Bound:
    """A dataset with the table that it is."""

    dataset: Dataset
    facts: TableFacts


@dataclass(slots=True)
class Binder:
    """Gives the names of one model their meaning. What has none is told in `found`."""

    model: Model
    tables: Tables
    found: Understood
    _bound: dict[str, _Bound] = field(default_factory=dict)
    _missing: dict[str, str] = field(default_factory=dict)
    _measures: dict[str, Measure] = field(default_factory=dict)
    _homes: dict[str, _Bound] = field(default_factory=dict)
    """The datasets whose measures stand in the measure that is being written, by name."""
    left: int = MOST_PARTS
    """How many parts of expressions may still be written."""

    def memories(self) -> Iterator[ModelMemory]:
        """All that the model tells, in the order of the document."""
        self._bind()
        for one in self._bound.values():
            yield from self._of_dataset(one)
        for link in self.model.links:
            yield from self._of_link(link)
        for measure in self.model.measures:
            yield from self._of_measure(measure)

    def _bind(self) -> None:
        for dataset in self.model.datasets:
            name = dataset.name.casefold()
            if name in self._bound or name in self._missing:
                self.found.miss(dataset.where, f"Another dataset is called {dataset.name[:200]!r}; the first stands.")
                continue
            facts = self.tables.find(str(Fqn.of(*dataset.source)))
            if isinstance(facts, str):
                self._missing[name] = facts
                self.found.miss(dataset.where, facts)
            else:
                self._bound[name] = _Bound(dataset, facts)
                if dataset.key and {one.casefold() for one in dataset.key} != _key(facts):
                    self.found.miss(f"{dataset.where}.primary_key", "The keys that count are those of the catalog.")
        for measure in self.model.measures:
            if self._measures.setdefault(measure.name.casefold(), measure) is not measure:
                self.found.miss(measure.where, f"Another measure is called {measure.name[:200]!r}; the first stands.")

    # Words.

    def _of_dataset(self, one: _Bound) -> Iterator[ModelMemory]:
        dataset, facts = one.dataset, one.facts
        if not dataset.words.says_nothing or dataset.name.casefold() != facts.name.casefold():
            yield _term(dataset.name, dataset.words, facts.fqn, f"dataset {dataset.name}")
        else:
            self._described(dataset.words, dataset.where)
        for each in dataset.fields.values():
            try:
                yield from self._of_field(each, one)
            except FragmentRefused as refused:
                self.found.miss(each.where, str(refused))

    def _of_field(self, each: Field, one: _Bound) -> Iterator[ModelMemory]:
        tree = self._expanded(each.tree, one, within=((one.dataset.name.casefold(), each.name.casefold()),))
        key = f"field {one.dataset.name}.{each.name}"
        if isinstance(column := _uncast(tree), exp.Column):
            tree = column
            fqn = str(Fqn.parse(tree.table).child(tree.name))
            if each.words.says_nothing and each.name.casefold() == tree.name.casefold():
                self._described(each.words, each.where)
            else:
                yield _term(each.name, each.words, fqn, key)
        elif tree.find(exp.AggFunc) is not None:
            self.found.miss(each.where, "A field is of one row, and this one is of many.")
        elif tree.find(exp.Column) is None:
            self.found.miss(each.where, "It is the same for every row.")
        elif column_fqn(one.facts, each.name) is not None:
            self.found.miss(each.where, "A column of its table has its name, and whoever says it means the column.")
        else:
            yield self._kpi(each.name, tree, one, each.words, key)

    def _described(self, words: Words, where: str) -> None:
        """Return what describes a table or column under its own name belongs to the catalog, and is no memory."""
        if words.description:
            self.found.miss(where, "It only describes what the catalog has under this name. Describe it there.")

    # Joins.

    def _of_link(self, link: Link) -> Iterator[ModelMemory]:
        ends = [self._named(name, link.where) for name in (link.start, link.end)]
        start, end = ends
        if start is None or end is None:
            return
        if not link.columns or len(link.columns) != len(link.to_columns):
            self.found.miss(link.where, "It names as many columns on one side as on the other, and one at least.")
            return
        try:
            left = [self._joining(name, start) for name in link.columns]
            right = [self._joining(name, end) for name in link.to_columns]
        except FragmentRefused as refused:
            self.found.miss(link.where, str(refused))
            return
        sides = {"left": left[0], "right": right[0]} if len(left) == 1 else {"left": left, "right": right}
        content = sides | link.words.content()
        yield ModelMemory(
            MemoryType.JOIN, as_name(link.name, "join"), content, None, f"join {link.name}", link.words.kept
        )

    def _joining(self, name: str, one: _Bound) -> str:
        """The FQN of a column that a join is by."""
        tree = self._member(name, one, ())
        if not isinstance(tree, exp.Column):
            raise FragmentRefused(
                f"{name[:200]!r} of {one.dataset.name[:200]} is worked out, and no column to join by."
            )
        return str(Fqn.parse(tree.table).child(tree.name))

    # Measures.

    def _of_measure(self, measure: Measure) -> Iterator[ModelMemory]:
        if not measure.shown or self._measures[measure.name.casefold()] is not measure:
            return
        home = None
        if measure.home is not None and (home := self._named(measure.home, measure.where)) is None:
            return
        try:
            self._homes = {measure.home.casefold(): home} if measure.home is not None and home is not None else {}
            within = (("", measure.name.casefold()),)
            tree = self._expanded(measure.tree, home, within=within)
            if len(self._homes) > 1:
                # Joined rows would be counted once for each that they are joined to.
                raise FragmentRefused("It is made of measures of several tables, each of which is added up by itself.")
            if home is None and self._homes:
                (home,) = self._homes.values()
            if tree.find(exp.AggFunc) is None:
                self.found.miss(measure.where, "A measure is a figure over many rows, and nothing in it aggregates.")
                return
            yield self._kpi(measure.name, tree, home, measure.words, f"measure {measure.name}")
        except FragmentRefused as refused:
            self.found.miss(measure.where, str(refused))

    def _kpi(self, name: str, tree: exp.Expr, home: _Bound | None, words: Words, key: str) -> ModelMemory:
        """A measure, or what is worked out of a row, as a memory. Raises FragmentRefused."""
        tables = list(dict.fromkeys(one.table for one in tree.find_all(exp.Column)))
        if not tables and home is None and len(self._bound) == 1:
            (home,) = self._bound.values()
        if not tables and home is None:
            raise FragmentRefused("It names no column, so it is not clear whose rows it counts.")
        if not tables and home is not None:
            tables = [home.facts.fqn]
        counts_rows = any(one.find(exp.Column) is None for one in tree.find_all(exp.AggFunc))
        if counts_rows and (len(tables) > 1 or (home is not None and tables != [home.facts.fqn])):
            raise FragmentRefused("It counts the rows of one table beside columns of another.")
        about = tables[0] if len(tables) == 1 else None
        tree = tree.copy()
        for one in tree.find_all(exp.Column):
            parts = self._told(one.table) if about is None else ()
            for part, value in zip(("table", "db", "catalog"), (*reversed(parts), None, None, None), strict=False):
                one.set(part, exp.to_identifier(value, quoted=True) if value is not None else None)
        # What another dialect says may be written otherwise in DuckDB's, and is the same text from then on.
        text = spelled(fragment(spelled(tree), "duckdb"))
        content = {"name": name, "expression": text} | words.content()
        return ModelMemory(MemoryType.KPI, as_name(name, "measure"), content, about, key, words.kept)

    def _told(self, fqn: str) -> tuple[str, ...]:
        """The shortest name that means one table of the connection alone."""
        parts = Fqn.parse(fqn).parts
        for length in (1, 2, 3):
            said = parts[-length:]
            found = self.tables.find(str(Fqn.of(*said)))
            if not isinstance(found, str) and found.fqn == fqn:
                return tuple(said)
        raise FragmentRefused(f"No name of at most three parts means {fqn[:300]} alone.")

    # Names.

    def _named(self, name: str, where: str) -> _Bound | None:
        found = self._bound.get(name.casefold())
        if found is None:
            missing = self._missing.get(name.casefold())
            self.found.miss(where, missing or f"The model has no dataset {name[:200]!r}.")
        return found

    def _expanded(self, tree: exp.Expr, home: _Bound | None, *, within: tuple[tuple[str, str], ...]) -> exp.Expr:
        """An expression of columns alone, the table of each as its FQN. Raises FragmentRefused."""
        if len(within) > DEEPEST:
            raise FragmentRefused(f"More than {DEEPEST} fields stand in one another.")
        tree = tree.copy()
        total = size(tree)
        self.left -= total
        if self.left < 0:
            raise UnreadableDocument(f"With fields written out, the file has more than {MOST_PARTS:,} parts of SQL.")
        for one in list(tree.find_all(exp.Column)):
            found = self._meant(one, home, within)
            if not isinstance(found, exp.Column):
                total += size(found)
                found = found if one is tree else exp.paren(found, copy=False)
            if total > MOST_NODES:
                raise FragmentRefused(f"With its fields written out, its SQL has more than {MOST_NODES} parts.")
            if one is tree:
                return found
            one.replace(found)
        return tree

    def _meant(self, one: exp.Column, home: _Bound | None, within: tuple[tuple[str, str], ...]) -> exp.Expr:
        if len(one.parts) > 2:
            raise FragmentRefused(f"{one.sql()[:200]} names more than a field of a dataset.")
        if one.table:
            place = self._bound.get(one.table.casefold())
            if place is None:
                missing = self._missing.get(one.table.casefold())
                raise FragmentRefused(missing or f"The model has no dataset {one.table[:200]!r}.")
            return self._physical(one.name, place) if one.meta.get(PHYSICAL) else self._member(one.name, place, within)
        if home is not None:
            return self._own(one.name, home, within)
        measure = self._measures.get(one.name.casefold())
        if measure is None:
            raise FragmentRefused(f"{one.name[:200]!r} is of no dataset. Write it as dataset.field.")
        _once(("", one.name.casefold()), within)
        place = self._bound.get(measure.home.casefold()) if measure.home is not None else None
        if measure.home is not None and place is None:
            raise FragmentRefused(f"The measure {one.name[:200]!r} is not taken, so what is made of it is not either.")
        if place is not None:
            self._homes[place.dataset.name.casefold()] = place
        return self._expanded(measure.tree, place, within=(*within, ("", one.name.casefold())))

    def _own(self, name: str, home: _Bound, within: tuple[tuple[str, str], ...]) -> exp.Expr:
        """A bare name: a column of the table, else a field of the dataset."""
        if column_fqn(home.facts, name) is not None:
            return self._physical(name, home)
        return self._member(name, home, within)

    def _member(self, name: str, place: _Bound, within: tuple[tuple[str, str], ...]) -> exp.Expr:
        """A name behind that of a dataset: a field of it, else a measure of it, else a column of the table."""
        key = (place.dataset.name.casefold(), name.casefold())
        each = place.dataset.fields.get(name.casefold())
        tree = each.tree if each is not None else place.dataset.measures.get(name.casefold())
        if tree is None:
            return self._physical(name, place)
        _once(key, within)
        if each is None:
            self._homes[key[0]] = place
        return self._expanded(tree, place, within=(*within, key))

    def _physical(self, name: str, place: _Bound) -> exp.Column:
        found = column_fqn(place.facts, name)
        if found is None:
            raise FragmentRefused(f"{place.dataset.name[:200]} has no field, and its table no column {name[:200]!r}.")
        return exp.Column(
            this=exp.to_identifier(found[1], quoted=True), table=exp.to_identifier(place.facts.fqn, quoted=True)
        )


def memories_of(models: Sequence[Model], tables: Sequence[TableFacts], found: Understood) -> list[ModelMemory]:
    """The memories of some models, each thing once. Raises UnreadableDocument where there is too much."""
    known, told, left = Tables(tables), dict[str, ModelMemory](), MOST_PARTS
    for model in models:
        binder = Binder(model, known, found, left=left)
        for one in binder.memories():
            told.setdefault(_same(one), one)
            if len(told) > MOST_MEMORIES:
                raise UnreadableDocument(f"The file tells more than {MOST_MEMORIES:,} things. Split it.")
        left = binder.left
    return list(told.values())


def _uncast(tree: exp.Expr) -> exp.Expr:
    """Return what is told in another type, such as a number as a text, is what it was."""
    while isinstance(tree, exp.Cast | exp.Paren):
        tree = tree.this
    return tree


def _same(one: ModelMemory) -> str:
    return repr((one.kind, one.asset_fqn, sorted(one.content.items(), key=lambda item: item[0])))


def _once(key: tuple[str, str], within: tuple[tuple[str, str], ...]) -> None:
    if key in within:
        raise FragmentRefused(f"{key[1][:200]!r} is defined by itself.")


def _term(name: str, words: Words, fqn: str, key: str) -> ModelMemory:
    content: dict[str, Any] = {"term": name} | words.content()
    return ModelMemory(MemoryType.GLOSSARY, as_name(name, "term"), content, fqn, key, words.kept)


def _key(facts: TableFacts) -> set[str]:
    return {one.casefold() for one in facts.primary_key}
