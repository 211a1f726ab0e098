"""The parts of a semantic model as a document of Apache Ossie, in the form of one model."""

import json
from typing import Any, Final

from sqlglot import exp

from resolvers.engines.documents import dump
from resolvers.engines.semantics.exporting import Writing, WrittenMeasure, WrittenTerm
from resolvers.engines.semantics.fragments import FragmentRefused, column, fragment, spelled
from resolvers.engines.semantics.model import Words
from resolvers.engines.semantics.ossie import KEPT, VENDOR, VERSION
from schema.data_readiness.source import TableFacts
from schema.identifiers import Fqn

_STANDARD: Final = "ANSI_SQL"


class _Ossie:
    def __init__(self, made: Writing) -> None:
        self.made = made
        self.names: dict[str, str] = {}
        """What each table is called in the document, by FQN."""
        self.datasets: dict[str, dict[str, Any]] = {}
        self.fields: dict[str, dict[str, dict[str, Any]]] = {}
        """By table and the name in small letters."""
        self.metrics: set[str] = set()
        """The names of measures in small letters."""
        self.written: set[str] = set()
        """The ids of the memories that the document holds."""

    def document(self, name: str) -> dict[str, Any]:
        """The whole document."""
        terms = {one.table: one for one in reversed(self.made.terms) if one.column is None}
        for facts in self.made.used():
            self._dataset(facts, terms.get(facts.fqn))
        for measure in self.made.measures:
            for one in measure.tree.find_all(exp.Column):
                self._plain(one.table, one.name)
        for join in self.made.joins:
            for table, columns in ((join.key.table, join.key.columns), (join.key.to, join.key.to_columns)):
                for each in columns:
                    self._plain(table, each)
        for term in self.made.terms:
            self._term(term, terms)
        metrics = [item for measure in self.made.measures if (item := self._measure(measure)) is not None]
        document: dict[str, Any] = {"version": VERSION, "name": name, "datasets": list(self.datasets.values())}
        for fqn, fields in self.fields.items():
            if fields:
                self.datasets[fqn]["fields"] = list(fields.values())
        if links := [self._link(at) for at in range(len(self.made.joins))]:
            document["relationships"] = links
        if metrics:
            document["metrics"] = metrics
        return document

    def _dataset(self, facts: TableFacts, term: WrittenTerm | None) -> None:
        wanted = [term.name] if term is not None else []
        wanted += [facts.name, f"{facts.schema}_{facts.name}", facts.fqn]
        taken = {one.casefold() for one in self.names.values()}
        self.names[facts.fqn] = name = next(one for one in wanted if one.casefold() not in taken)
        _, database, schema, table = Fqn.parse(facts.fqn).parts
        source = ".".join(_quoted(part) for part in (database, schema, table))
        made: dict[str, Any] = {"name": name, "source": source}
        if facts.primary_key:
            made["primary_key"] = list(facts.primary_key)
        if term is not None and name == term.name:
            made |= _said(term.words)
            self.written.add(term.memory.id)
        self.datasets[facts.fqn], self.fields[facts.fqn] = made, {}

    def _plain(self, fqn: str, name: str) -> None:
        """A column that something names."""
        self.fields[fqn].setdefault(
            name.casefold(), {"name": name, "expression": _in_standard(spelled(column(name), ""))}
        )

    def _term(self, term: WrittenTerm, datasets: dict[str, WrittenTerm]) -> None:
        if term.column is None:
            if term.memory.id not in self.written:
                self.made.miss(term.memory.name, "A table has one name in Ossie, and another one is written.")
            return
        fields = self.fields[term.table]
        key = term.name.casefold()
        own = {one.name.casefold() for one in self.made.tables[term.table].columns}
        if key == term.column.casefold():
            self._plain(term.table, term.column)
        elif key in fields or key in own:
            self.made.miss(term.memory.name, f"Another field of {self.names[term.table]} has this name.")
            return
        else:
            fields[key] = _field(term.name, term.column)
        if set(fields[key]) - {"name", "expression"}:
            self.made.miss(term.memory.name, f"Another memory says what {self.names[term.table]}.{term.name} is.")
            return
        fields[key] |= _said(term.words)
        self.written.add(term.memory.id)

    def _measure(self, one: WrittenMeasure) -> dict[str, Any] | None:
        """A metric; a measure of single rows becomes a field."""
        tree = one.tree.copy()
        for each in tree.find_all(exp.Column):
            each.set("table", exp.to_identifier(self.names[each.table], quoted=True) if one.aggregates else None)
        try:
            text = spelled(tree, "")
            if fragment(text, "").sql("duckdb", identify=True) != tree.sql("duckdb", identify=True):
                raise FragmentRefused("Its SQL is not the same in the standard's dialect.")
        except FragmentRefused as refused:
            self.made.miss(one.memory.name, str(refused))
            return None
        item = {"name": one.name, "expression": _in_standard(text)} | _said(one.words)
        if one.aggregates:
            return self._metric(item, one)
        if len(one.tables) > 1:
            self.made.miss(one.memory.name, "It is of the rows of several tables, and a field is of one.")
            return None
        fields, key = self.fields[one.tables[0]], one.name.casefold()
        if key in fields or key in {each.name.casefold() for each in self.made.tables[one.tables[0]].columns}:
            self.made.miss(one.memory.name, f"Another field of {self.names[one.tables[0]]} has this name.")
        else:
            fields[key] = item
            self.written.add(one.memory.id)
        return None

    def _metric(self, item: dict[str, Any], one: WrittenMeasure) -> dict[str, Any] | None:
        if one.name.casefold() in self.metrics:
            self.made.miss(one.memory.name, "Another measure has this name.")
            return None
        self.metrics.add(one.name.casefold())
        if one.tree.find(exp.Column) is None:  # the standard does not say whose rows such a metric counts
            said = {"vendor_name": VENDOR, "data": json.dumps({"dataset": self.names[one.tables[0]]})}
            item["custom_extensions"] = [*item.get("custom_extensions", ()), said]
        self.written.add(one.memory.id)
        return item

    def _link(self, at: int) -> dict[str, Any]:
        join = self.made.joins[at]
        self.written.add(join.memory.id)
        if join.words.description:
            self.made.miss(join.memory.name, "Ossie has no words for the description of a join.")
        return {
            "name": join.memory.name,
            "from": self.names[join.key.table],
            "to": self.names[join.key.to],
            "from_columns": list(join.key.columns),
            "to_columns": list(join.key.to_columns),
        } | {name: value for name, value in _said(join.words).items() if name != "description"}


def write_ossie(made: Writing, name: str) -> tuple[str, int]:
    """The document as YAML, and how many memories it holds."""
    ossie = _Ossie(made)
    return dump(ossie.document(name)), len(ossie.written)


def _said(words: Words) -> dict[str, Any]:
    """Return what a part of the document says in words."""
    said: dict[str, Any] = {"description": words.description} if words.description else {}
    context: dict[str, Any] = {}
    for name, value in (
        ("instructions", words.instructions),
        ("synonyms", words.synonyms),
        ("examples", words.examples),
    ):
        if value:
            context[name] = list(value) if isinstance(value, tuple) else value
    others = words.kept.get("ai_context")
    context |= others if isinstance(others, dict) else {}
    if context:
        said["ai_context"] = context
    return said | {name: words.kept[name] for name in KEPT if name in words.kept}


def _field(name: str, of: str) -> dict[str, Any]:
    return {"name": name, "expression": _in_standard(spelled(column(of), ""))}


def _in_standard(text: str) -> dict[str, Any]:
    return {"dialects": [{"dialect": _STANDARD, "expression": text}]}


def _quoted(part: str) -> str:
    """A part of a table's name as SQL has it."""
    return (
        exp.to_identifier(part).sql()
        if exp.SAFE_IDENTIFIER_RE.match(part)
        else exp.to_identifier(part, quoted=True).sql()
    )
