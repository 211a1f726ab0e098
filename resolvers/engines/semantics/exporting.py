"""The memories of a pack as a semantic model: what each means in the catalog, or why it is not written."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from sqlglot import exp

from resolvers.engines.documents import Understood
from resolvers.engines.nl2sql.joining.keys import Key, KeyFinder
from resolvers.engines.nl2sql.model import ColumnKey, Knowledge
from resolvers.engines.nl2sql.planner.catalog import Catalog
from resolvers.engines.semantics.fragments import FragmentRefused, fragment
from resolvers.engines.semantics.model import Words
from schema.data_readiness.source import TableFacts
from schema.utils.memory import Memory, MemoryType

FAMILY: Final = "semantic_model"
"""The key in a memory's `meta_data` under which an import notes where it comes from."""

_WORDS: Final = frozenset({"synonyms", "description", "definition", "instructions", "examples"})
_OF_MEASURES: Final = _WORDS | {"name", "expression", "sql", "formula", "table", "asset_fqn"}
_OF_JOINS: Final = _WORDS | {"left", "right", "condition"}
_OF_TERMS: Final = _WORDS | {"term", "name", "word", "asset_fqn", "asset", "column", "table", "aliases"}


@dataclass(frozen=True, slots=True)
class WrittenMeasure:
    """A measure: what it is called, and its expression of columns, the table of each as its FQN."""

    memory: Memory
    name: str
    tree: exp.Expr
    tables: tuple[str, ...]
    aggregates: bool
    words: Words


@dataclass(frozen=True, slots=True)
class WrittenJoin:
    """A join of two tables by equal columns."""

    memory: Memory
    key: Key
    words: Words


@dataclass(frozen=True, slots=True)
class WrittenTerm:
    """A word for a table, or for a column of it."""

    memory: Memory
    name: str
    table: str
    column: str | None
    words: Words


@dataclass(slots=True)
class Writing(Understood):
    """The parts of a semantic model, and what is not among them."""

    tables: dict[str, TableFacts] = field(default_factory=dict)
    measures: list[WrittenMeasure] = field(default_factory=list)
    joins: list[WrittenJoin] = field(default_factory=list)
    terms: list[WrittenTerm] = field(default_factory=list)

    def used(self) -> list[TableFacts]:
        """The tables that something is said of, by FQN."""
        named = {fqn for one in self.measures for fqn in one.tables}
        named |= {fqn for one in self.joins for fqn in (one.key.table, one.key.to)}
        named |= {one.table for one in self.terms}
        return [self.tables[fqn] for fqn in sorted(named)]


def writing_of(memories: Sequence[Memory], tables: Sequence[TableFacts]) -> Writing:
    """The parts that some memories are, of tables of one connection."""
    catalog = Catalog(Knowledge(tables=tuple(tables), memories=memories))
    keys = KeyFinder(catalog.known)
    made = Writing(tables={one.fqn: one for one in tables})
    for memory in memories:
        if memory.memory_type is MemoryType.KPI:
            _measure(memory, catalog, made)
        elif memory.memory_type is MemoryType.JOIN:
            _join(memory, keys, made)
        elif memory.memory_type is MemoryType.GLOSSARY:
            _term(memory, catalog, made)
        else:
            made.miss(memory.name, f"A memory of the type {memory.memory_type.value} is no part of a semantic model.")
    return made


def _measure(memory: Memory, catalog: Catalog, made: Writing) -> None:
    expression = catalog.noted.kpi(memory.id)
    if expression is None:
        made.miss(memory.name, "The measure is not of tables of this connection, or not in SQL that is read.")
        return
    by_name = {catalog.tables[fqn].name: fqn for fqn in expression.tables}
    if len(by_name) < len(expression.tables):
        made.miss(memory.name, "The measure is of two tables with the same name, which it does not tell apart.")
        return
    try:
        tree = fragment(expression.sql, "duckdb").copy()
    except FragmentRefused as refused:
        made.miss(memory.name, str(refused))
        return
    for one in tree.find_all(exp.Column):
        one.set("table", exp.to_identifier(by_name[one.table], quoted=True))
    called = memory.content.get("name")
    name = called if isinstance(called, str) and called.strip() else memory.name
    words = _words(memory, _OF_MEASURES, made)
    made.measures.append(WrittenMeasure(memory, name, tree, expression.tables, expression.aggregates, words))


def _join(memory: Memory, keys: KeyFinder, made: Writing) -> None:
    key = keys.remembered(memory)
    if key is None:
        made.miss(memory.name, "The join is not of two tables of this connection.")
    elif key.condition is not None:
        made.miss(memory.name, "The join is by more than equal columns, which the format has no words for.")
    else:
        made.joins.append(WrittenJoin(memory, key, _words(memory, _OF_JOINS, made)))


def _term(memory: Memory, catalog: Catalog, made: Writing) -> None:
    content = memory.content
    name = _first(content, ("term", "name", "word"))
    about = _first(content, ("asset_fqn", "asset", "column", "table")) or memory.asset_fqn
    found = catalog.vocabulary.resolved(about) if about is not None else None
    if name is None or found is None:
        made.miss(memory.name, "The words are about no table or column of this connection.")
        return
    table, column = (found.table, found.column) if isinstance(found, ColumnKey) else (found, None)
    made.terms.append(WrittenTerm(memory, name, table, column, _words(memory, _OF_TERMS, made)))


def _words(memory: Memory, known: Iterable[str], made: Writing) -> Words:
    """Return what a memory says in words; what else it says is told."""
    content = memory.content
    others = sorted(set(content) - set(known))
    if others:
        made.miss(memory.name, f"{', '.join(others)[:500]} of it is not written.")
    return Words(
        _first(content, ("description", "definition")),
        _listed(content.get("synonyms") or content.get("aliases")),
        _first(content, ("instructions",)),
        _listed(content.get("examples")),
        kept_of(memory),
    )


def kept_of(memory: Memory) -> Mapping[str, Any]:
    """Return what an import kept for the format alone."""
    family = memory.meta_data.get(FAMILY)
    kept = family.get("kept") if isinstance(family, dict) else None
    return kept if isinstance(kept, dict) else {}


def _first(content: Mapping[str, Any], names: Sequence[str]) -> str | None:
    return next((said for name in names if isinstance(said := content.get(name), str) and said.strip()), None)


def _listed(value: Any) -> tuple[str, ...]:
    listed = [value] if isinstance(value, str) else value if isinstance(value, list) else []
    return tuple(one for one in listed if isinstance(one, str) and one.strip())
