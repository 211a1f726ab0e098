"""What people noted that a plan must follow: measures, patterns of words and of numbers, preferences, and examples.

The content of these memories says one of these; tables may be named by FQN or by name alone:

    kpi              {"name": "revenue", "synonyms": ["turnover"], "expression": "SUM(items.price * items.quantity)"}
                     or "sql", "formula"; "table" (or the memory's `asset_fqn`) is where bare columns belong
    textual_pattern  {"phrase": "active customer", "condition": "customers.status = 'active'"}    or "sql"
    numeric_pattern  {"phrase": "high value order", "column": "orders.amount", "operator": ">", "value": 1000}
    preference       {"table": "customers", "columns": ["name", "city"], "order_by": "name desc", "limit": 20}
                     {"exclude": "orders.status = 'cancelled'"} or {"filter": ...}: unless the question says otherwise
    exemplar         {"question": "...", "sql": "...", "dialect": "postgres"}

Conditions are DuckDB's SQL: comparisons of columns with values, IN, BETWEEN, LIKE, IS NULL, under AND, OR and NOT.
What has another shape is not used.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from functools import cached_property
from typing import Any, Final

import sqlglot
from sqlglot import exp
from sqlglot.errors import SqlglotError

from resolvers.engines.nl2sql.model import ColumnKey
from resolvers.engines.nl2sql.plan import (
    Both,
    Column,
    Comparison,
    Condition,
    Either,
    Expression,
    Literal,
    Operator,
    Order,
)
from resolvers.engines.nl2sql.planner.catalog import Catalog
from schema.utils.memory import Memory, MemoryType

LONGEST: Final = 4000
"""Characters of SQL in a memory that are read."""
_COMPARING: Final[dict[type[exp.Expr], Operator]] = {
    exp.EQ: Operator.EQUAL,
    exp.NEQ: Operator.EQUAL,
    exp.GT: Operator.MORE,
    exp.GTE: Operator.AT_LEAST,
    exp.LT: Operator.LESS,
    exp.LTE: Operator.AT_MOST,
    exp.Like: Operator.LIKE,
    exp.ILike: Operator.LIKE,
}
_TURNED: Final = {
    Operator.MORE: Operator.LESS,
    Operator.LESS: Operator.MORE,
    Operator.AT_LEAST: Operator.AT_MOST,
    Operator.AT_MOST: Operator.AT_LEAST,
}
_SIGNS: Final = {
    ">": Operator.MORE, ">=": Operator.AT_LEAST, "<": Operator.LESS, "<=": Operator.AT_MOST, "=": Operator.EQUAL,
    "==": Operator.EQUAL, "!=": Operator.EQUAL, "<>": Operator.EQUAL, "gt": Operator.MORE, "gte": Operator.AT_LEAST,
    "lt": Operator.LESS, "lte": Operator.AT_MOST, "eq": Operator.EQUAL,
}  # fmt: skip


_LONGEST: Final = 60
"""Sources cut longer names of columns."""


@dataclass(frozen=True, slots=True)
class Preferred:
    """How rows of a table are shown when the question does not say."""

    memory: str
    table: str
    columns: tuple[ColumnKey, ...] = ()
    orders: tuple[Order, ...] = ()
    limit: int | None = None


@dataclass(frozen=True, slots=True)
class Standing:
    """A condition that holds unless the question speaks of its column."""

    memory: str
    condition: Condition
    columns: frozenset[Column]


@dataclass
class Noted:
    """The memories of one catalog, read once."""

    catalog: Catalog
    by_id: dict[str, Memory] = field(init=False)
    _kpis: dict[str, Expression | None] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.by_id = {memory.id: memory for memory in self.catalog.known.memories}

    # Measures.

    def kpi(self, memory: str) -> Expression | None:
        """The expression of a measure."""
        if memory not in self._kpis:
            self._kpis[memory] = self._kpi(memory)
        return self._kpis[memory]

    def _kpi(self, memory: str) -> Expression | None:
        found = self.by_id.get(memory)
        if found is None:
            return None
        content = found.content
        said = next((content[key] for key in ("expression", "sql", "formula", "definition") if content.get(key)), None)
        tree = _parsed(said)
        home = self._table(content.get("table") or content.get("asset_fqn") or found.asset_fqn)
        if isinstance(tree, exp.Select):
            tables = list(tree.find_all(exp.Table))
            plain = not any(tree.args.get(part) for part in ("where", "group", "having", "joins", "with_", "limit"))
            if len(tree.expressions) != 1 or len(tables) != 1 or not plain:
                return None
            home, tree = self._table(tables[0].name), tree.expressions[0].unalias()
        if tree is None or tree.find(exp.Query) is not None:
            return None
        tables_used: list[str] = [home] if home is not None else []
        for column in tree.find_all(exp.Column):
            key = self._column(column, home)
            if key is None:
                return None
            column.set("table", exp.to_identifier(self.catalog.tables[key.table].name, quoted=True))
            column.set("this", exp.to_identifier(key.column, quoted=True))
            for part in ("db", "catalog"):  # a query calls its tables by their names alone
                column.set(part, None)
            if key.table not in tables_used:
                tables_used.append(key.table)
        if not tables_used:
            return None
        called = content.get("name")
        name = called if isinstance(called, str) and called.strip() else found.name
        return Expression(
            tree.sql("duckdb"),
            tuple(tables_used),
            tree.find(exp.AggFunc) is not None,
            " ".join(name.split())[:_LONGEST],
        )

    # Patterns.

    def pattern(self, memory: str) -> Condition | None:
        """The condition that words stand for."""
        found = self.by_id.get(memory)
        if found is None:
            return None
        content = found.content
        if (said := content.get("condition") or content.get("sql")) is not None:
            return self.condition(said, self._table(content.get("table") or found.asset_fqn))
        return self._numeric(content, found)

    def _numeric(self, content: Mapping[str, Any], memory: Memory) -> Condition | None:
        named = content.get("column") or memory.asset_fqn
        key = self.catalog.vocabulary.resolved(named) if isinstance(named, str) else None
        operator = _SIGNS.get(str(content.get("operator", "")).strip().lower())
        if not isinstance(key, ColumnKey) or operator is None:
            return None
        try:
            value = Decimal(str(content.get("value", content.get("threshold"))))
        except ArithmeticError:
            return None
        negated = content.get("operator") in ("!=", "<>")
        return Comparison(Column(key.table, key.column), operator, (Literal("number", value),), negated)

    def condition(self, said: Any, home: str | None) -> Condition | None:
        """A condition in SQL as one of a plan; None when it says more than plans can."""
        tree = _parsed(said)
        return self._made(tree, home) if tree is not None else None

    def _made(self, tree: exp.Expr, home: str | None) -> Condition | None:
        if isinstance(tree, exp.Paren):
            return self._made(tree.this, home)
        if isinstance(tree, exp.And | exp.Or):
            parts = tuple(self._made(part, home) for part in tree.flatten())
            known = tuple(part for part in parts if part is not None)
            if len(known) != len(parts):
                return None
            return Both(known) if isinstance(tree, exp.And) else Either(known)
        if isinstance(tree, exp.Not):
            inner = self._made(tree.this, home)
            if not isinstance(inner, Comparison):
                return None
            return Comparison(inner.left, inner.operator, inner.right, not inner.negated)
        return self._compared(tree, home)

    def _compared(self, tree: exp.Expr, home: str | None) -> Condition | None:
        left, operator, negated = tree.this, _COMPARING.get(type(tree)), isinstance(tree, exp.NEQ)
        right: list[exp.Expr] = []
        if operator is not None:
            right = [tree.expression]
            if not isinstance(left, exp.Column):
                left, right, operator = tree.expression, [left], _TURNED.get(operator, operator)
        elif isinstance(tree, exp.Between):
            operator, right = Operator.BETWEEN, [tree.args["low"], tree.args["high"]]
        elif isinstance(tree, exp.In) and tree.expressions:
            operator, right = Operator.IN, list(tree.expressions)
        elif isinstance(tree, exp.Is) and isinstance(tree.expression, exp.Null):
            operator = Operator.IS_NULL
        elif isinstance(tree, exp.Column):
            left, operator, right = tree, Operator.EQUAL, [exp.true()]
        key = self._column(left, home) if isinstance(left, exp.Column) else None
        values = tuple(value for one in right if (value := _literal(one)) is not None)
        if key is None or operator is None or len(values) != len(right):
            return None
        return Comparison(Column(key.table, key.column), operator, values, negated)

    def _home(self, memory: Memory) -> str | None:
        """The table that a preference is noted for; an empty name for all of them, None where it is of other data."""
        named = memory.content.get("table") or memory.asset_fqn
        found = self._table(named)
        if found is not None or not named:
            return found or ""
        holds = isinstance(named, str) and any(fqn.startswith(f"{named}.") for fqn in self.catalog.tables)
        return "" if holds else None

    def _table(self, named: Any) -> str | None:
        found = self.catalog.vocabulary.resolved(named) if isinstance(named, str) and named else None
        return found.table if isinstance(found, ColumnKey) else found

    def _column(self, column: exp.Column, home: str | None) -> ColumnKey | None:
        path = ".".join(part.name for part in column.parts)
        if len(column.parts) > 1:
            found = self.catalog.vocabulary.resolved(path)
            return found if isinstance(found, ColumnKey) else None
        tables = [home] if home is not None else list(self.catalog.tables)
        keys = [
            key
            for table in tables
            for one in self.catalog.tables[table].columns
            if one.name.lower() == path.lower() and (key := ColumnKey(table, one.name))
        ]
        return keys[0] if len(keys) == 1 else None

    # Preferences.

    @cached_property
    def preferred(self) -> Mapping[str, Preferred]:
        """How rows are shown, by table; an empty name for all."""
        found: dict[str, Preferred] = {}
        for memory in self._of(MemoryType.PREFERENCE):
            content = memory.content
            if (home := self._home(memory)) is None:
                continue
            table = home
            keys = []
            for name in content.get("columns") or () if isinstance(content.get("columns"), list) else ():
                path = f"{self.catalog.tables[table].name}.{name}" if table and "." not in str(name) else str(name)
                if isinstance(key := self.catalog.vocabulary.resolved(path), ColumnKey):
                    keys.append(key)
            limit = content.get("limit", content.get("default_limit"))
            limit = limit if isinstance(limit, int) and 0 < limit <= 10_000 else None
            orders = tuple(self._orders(content.get("order_by"), table))
            if keys or limit or orders:
                found.setdefault(table, Preferred(memory.id, table, tuple(keys), orders, limit))
        return found

    def _orders(self, said: Any, table: str) -> Iterator[Order]:
        if not isinstance(said, str) or len(said) > LONGEST:
            return
        for part in said.split(","):
            tree = _parsed(re.sub(r"\s+(desc|asc)$", "", part.strip(), flags=re.IGNORECASE))
            key = self._column(tree, table or None) if isinstance(tree, exp.Column) else None
            if key is not None:
                yield Order(Column(key.table, key.column), part.strip().lower().endswith(" desc"))

    @cached_property
    def standing(self) -> tuple[Standing, ...]:
        """Conditions that hold unless the question says otherwise."""
        found = []
        for memory in self._of(MemoryType.PREFERENCE):
            content = memory.content
            home = self._home(memory)
            for key in ("exclude", "filter") if home is not None else ():
                condition = self.condition(content[key], home or None) if isinstance(content.get(key), str) else None
                if isinstance(condition, Comparison) and isinstance(condition.left, Column):
                    negated = condition.negated != (key == "exclude")
                    made = Comparison(condition.left, condition.operator, condition.right, negated)
                    found.append(Standing(memory.id, made, frozenset((condition.left,))))
        return tuple(found)

    def _of(self, kind: MemoryType) -> Iterator[Memory]:
        return (memory for memory in self.catalog.known.memories if memory.memory_type is kind)


def _parsed(said: Any) -> exp.Expr | None:
    if not isinstance(said, str) or not 0 < len(said) <= LONGEST:
        return None
    try:
        return sqlglot.parse_one(said, dialect="duckdb")
    except (SqlglotError, RecursionError):
        return None


def _literal(one: exp.Expr) -> Literal | None:
    if isinstance(one, exp.Neg) and isinstance(one.this, exp.Literal) and not one.this.is_string:
        return Literal("number", -Decimal(one.this.this))
    if isinstance(one, exp.Cast):
        inner = _literal(one.this)
        return Literal("date", inner.value) if inner is not None and inner.kind == "text" else inner
    if isinstance(one, exp.Literal):
        return Literal("text", one.this) if one.is_string else Literal("number", Decimal(one.this))
    if isinstance(one, exp.Boolean):
        return Literal("boolean", bool(one.this))
    return None
