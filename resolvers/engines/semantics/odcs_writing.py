"""The parts of a semantic model as a data contract of ODCS 3.1. It has no words for measures."""

import re
from typing import Any, Final

from resolvers.engines.documents import dump
from resolvers.engines.rules.odcs import VERSION
from resolvers.engines.semantics.exporting import Writing, WrittenJoin, WrittenTerm
from schema.data_readiness.source import ColumnFacts, TableFacts
from schema.identifiers import Fqn

_REFERABLE: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_\-]*")
"""Names that a reference of the standard can hold."""
_TYPES: Final = (
    ("boolean", ("BOOL", "BIT")),
    ("timestamp", ("TIMESTAMP", "DATETIME")),
    ("date", ("DATE",)),
    ("time", ("TIME",)),
    ("integer", ("INT", "SERIAL")),
    ("number", ("NUM", "DEC", "DOUBLE", "FLOAT", "REAL", "MONEY")),
    ("string", ("CHAR", "TEXT", "STRING", "UUID", "CLOB", "ENUM")),
)
"""The standard's types, each with what the names of ours hold. INTERVAL is none of them."""


def write_semantic_contract(made: Writing, id: str, name: str) -> tuple[str, int]:
    """The contract as YAML, and how many memories it holds."""
    contract = _Contract(made)
    document = {
        "apiVersion": VERSION,
        "kind": "DataContract",
        "id": id,
        "name": name,
        "version": "1.0.0",
        "status": "active",
        "schema": contract.schema(),
    }
    return dump(document), len(contract.written)


class _Contract:
    def __init__(self, made: Writing) -> None:
        self.made = made
        self.names: dict[str, str] = {}
        self.written: set[str] = set()
        for facts in made.used():
            taken = set(self.names.values())
            wanted = (facts.name, f"{facts.schema}_{facts.name}", facts.fqn)
            self.names[facts.fqn] = next(one for one in wanted if one not in taken)

    def schema(self) -> list[dict[str, Any]]:
        """The tables, with their columns and what they refer to."""
        for measure in self.made.measures:
            self.made.miss(measure.memory.name, "ODCS 3.1 has no words for a measure. Ossie has.")
        terms: dict[tuple[str, str | None], WrittenTerm] = {}
        for term in self.made.terms:
            if terms.setdefault((term.table, term.column), term) is not term:
                self.made.miss(term.memory.name, "A table or column has one business name, and another is written.")
        tables = []
        for facts in self.made.used():
            _, database, schema, table = Fqn.parse(facts.fqn).parts
            one: dict[str, Any] = {"name": self.names[facts.fqn]}
            one |= self._called(facts.description, terms.get((facts.fqn, None)))
            one |= {
                "physicalName": str(Fqn.of(database, schema, table)),
                "physicalType": "table",
                "logicalType": "object",
            }
            if columns := [self._column(facts, each, terms) for each in facts.columns]:
                one["properties"] = columns
            links = [self._link(join) for join in self.made.joins if join.key.table == facts.fqn]
            if kept := [link for link in links if link is not None]:
                one["relationships"] = kept
            tables.append(one)
        return tables

    def _column(
        self, facts: TableFacts, column: ColumnFacts, terms: dict[tuple[str, str | None], WrittenTerm]
    ) -> dict[str, Any]:
        made: dict[str, Any] = {"name": column.name}
        made |= self._called(column.description, terms.get((facts.fqn, column.name)))
        kind = (column.data_type or "").upper()
        logical = next((name for name, words in _TYPES if any(word in kind for word in words)), None)
        if logical is not None and "INTERVAL" not in kind:
            made["logicalType"] = logical
        if column.data_type:
            made["physicalType"] = column.data_type
        if column.nullable is not None:
            made["required"] = not column.nullable
        if column.name in facts.primary_key:
            made |= {"primaryKey": True, "primaryKeyPosition": facts.primary_key.index(column.name) + 1}
        return made

    def _called(self, described: str | None, term: WrittenTerm | None) -> dict[str, Any]:
        """Return what people call something, and how it is described."""
        made: dict[str, Any] = {}
        if term is not None:
            self.written.add(term.memory.id)
            made["businessName"] = term.name
            others = [name for name in ("instructions", "examples") if getattr(term.words, name)]
            if others or term.words.kept:
                kept = ", ".join((*others, *sorted(term.words.kept)))
                self.made.miss(term.memory.name, f"ODCS 3.1 has no words for {kept[:300]} of it.")
            if term.words.synonyms:
                made["customProperties"] = [{"property": "synonyms", "value": list(term.words.synonyms)}]
        description = (term.words.description if term is not None else None) or described
        return made | ({"description": description} if description else {})

    def _link(self, join: WrittenJoin) -> dict[str, Any] | None:
        key = join.key
        ends = [(key.table, key.columns), (key.to, key.to_columns)]
        parts = [self.names[fqn] for fqn, _ in ends] + [name for _, columns in ends for name in columns]
        if not all(_REFERABLE.fullmatch(part) for part in parts):
            self.made.miss(join.memory.name, "A reference of ODCS holds names of letters, digits, _ and - alone.")
            return None
        if join.words.content():
            self.made.miss(join.memory.name, "ODCS 3.1 has no words for what is said of a join.")
        self.written.add(join.memory.id)
        sides = [[f"{self.names[fqn]}.{name}" for name in columns] for fqn, columns in ends]
        start, end = (side[0] if len(side) == 1 else side for side in sides)
        return {"type": "foreignKey", "from": start, "to": end}
