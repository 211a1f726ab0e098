"""Defines what a question asks for, free of any SQL: the tree that the planner builds and `sql_writing/` turns into a
query.

Tables are named by FQN, columns by table and name. Joins are not part of a plan: they follow from the tables that it
uses and the keys between them (`joining/`). It is stored with a turn, so that a later question can build on it.
"""

from dataclasses import dataclass
from decimal import Decimal
from enum import StrEnum
from typing import Literal as OneOf
from typing import Union


class Aggregate(StrEnum):
    """Describes what is computed of many rows."""

    COUNT = "count"
    SUM = "sum"
    AVG = "avg"
    MEDIAN = "median"
    MIN = "min"
    MAX = "max"


OF_NUMBERS = (Aggregate.SUM, Aggregate.AVG, Aggregate.MEDIAN)
"""What is computed of numbers alone."""


class Unit(StrEnum):
    """Spans that moments are grouped by."""

    DECADE = "decade"
    YEAR = "year"
    QUARTER = "quarter"
    MONTH = "month"
    WEEK = "week"
    DAY = "day"
    WEEKDAY = "weekday"
    """A part only: 1 for every Monday, 7 for every Sunday."""
    HOUR = "hour"
    """A part only: of the day, 0 to 23."""
    CLOCK = "clock"
    """A part only: the time of the day."""
    MINUTE = "minute"
    """Of a time between two moments only."""


PARTS = (Unit.WEEKDAY, Unit.HOUR, Unit.CLOCK)
"""Spans that come again and again, whatever else is said of them."""


class Operator(StrEnum):
    """Describes how two sides compare. `between` takes two on the right (both included), `in` any number, `is_null`
    none.
    """

    EQUAL = "="
    LESS = "<"
    AT_MOST = "<="
    MORE = ">"
    AT_LEAST = ">="
    LIKE = "like"
    """Without regard to case; the right side is a pattern with % and _."""
    BETWEEN = "between"
    IN = "in"
    IS_NULL = "is_null"


@dataclass(frozen=True, slots=True)
class Literal:
    """A value. Numbers are exact; dates and moments are ISO 8601 text."""

    kind: OneOf["text", "number", "boolean", "date", "moment"]
    value: str | bool | Decimal


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a table. `instance` tells uses of one table apart, such as manager and employee."""

    table: str
    column: str
    instance: int = 0


@dataclass(frozen=True, slots=True)
class Figure:
    """An aggregate of a column or an expression; without one, the count of rows."""

    aggregate: Aggregate
    of: Union["Term", None] = None
    distinct: bool = False
    rows_of: str | None = None
    """For a count of rows: the FQN of the table whose rows are counted, when others are joined beside it."""
    when: Union["Condition", None] = None
    """Which rows alone the figure is made of, where others of the same group stand in other figures."""


@dataclass(frozen=True, slots=True)
class Span:
    """The year, month, ... of a moment; equal for moments of the same span. `part` takes 3 for every March instead."""

    of: Column
    unit: Unit
    part: bool = False


@dataclass(frozen=True, slots=True)
class Elapsed:
    """The time from one moment to another of the same row, or to a day: in completed years, days, hours or minutes."""

    since: Column
    until: Column | Literal
    unit: Unit


@dataclass(frozen=True, slots=True)
class Arithmetic:
    """Two terms combined; a division is exact and never by zero."""

    operator: OneOf["+", "-", "*", "/"]
    left: "Term"
    right: "Term"


@dataclass(frozen=True, slots=True)
class Share:
    """A figure's part of its total over all groups, in percent."""

    of: Figure


@dataclass(frozen=True, slots=True)
class Running:
    """A running total: a figure that is added up over the groups, in their order."""

    of: "Figure | Expression"
    along: "Term"
    """What the groups are in the order of, such as months."""
    within: tuple["Term", ...] = ()
    """What else rows are grouped by: it begins anew for each."""


@dataclass(frozen=True, slots=True)
class Expression:
    """SQL of a KPI that people defined: DuckDB's dialect, columns qualified by the name of their table."""

    sql: str
    tables: tuple[str, ...]
    aggregates: bool
    name: str = ""
    """What people call it."""


@dataclass(frozen=True, slots=True)
class Nested:
    """The single value that another plan answers with, such as the average."""

    plan: "Plan"
    within: tuple[Column, ...] = ()
    """Columns of its main table in which its rows are like the row that it stands beside: of their own category."""


Term = Column | Figure | Span | Elapsed | Arithmetic | Share | Running | Expression | Literal | Nested


@dataclass(frozen=True, slots=True)
class Comparison:
    """A condition on terms. On figures it becomes HAVING."""

    left: Term
    operator: Operator
    right: tuple[Term, ...] = ()
    negated: bool = False


@dataclass(frozen=True, slots=True)
class Member:
    """Holds whether a column's value is among what another plan answers with: `IN (SELECT ...)`."""

    column: Column
    plan: "Plan"
    negated: bool = False


@dataclass(frozen=True, slots=True)
class Related:
    """Holds whether a row of `to` has rows of another table that fit: "singers without concerts", "customers who
    bought ...".

    `plan` is about the other table (its `main`), and is tied to `to` along the keys between them.
    """

    to: str
    plan: "Plan"
    negated: bool = False
    fewer: int = 1
    """What is denied is that so many rows fit: 3 for the three best of each kind, which at most two others surpass."""


@dataclass(frozen=True, slots=True)
class Both:
    """All conditions hold."""

    parts: tuple["Condition", ...]


@dataclass(frozen=True, slots=True)
class Either:
    """One condition at least holds."""

    parts: tuple["Condition", ...]


Condition = Comparison | Member | Related | Both | Either


@dataclass(frozen=True, slots=True)
class Output:
    """A column of the answer."""

    term: Term
    name: str | None = None


@dataclass(frozen=True, slots=True)
class Order:
    """Holds how rows are ordered."""

    term: Term
    descending: bool = False


@dataclass(frozen=True, slots=True)
class Combined:
    """Another plan whose rows are added, kept in common or taken away; both answer with as many columns."""

    how: OneOf["union", "intersect", "except"]
    plan: "Plan"


@dataclass(frozen=True, slots=True)
class Plan:
    """One query."""

    main: str
    """The FQN of the table that the question is about."""
    outputs: tuple[Output, ...]
    where: Condition | None = None
    groups: tuple[Column | Span, ...] = ()
    having: Condition | None = None
    orders: tuple[Order, ...] = ()
    limit: int | None = None
    offset: int = 0
    """Rows that are passed over before the limit: 1 for the second most expensive."""
    each: tuple[Column | Span, ...] = ()
    """What the limit is one of each of, rather than of all rows: the best customer of each country, with all ties."""
    ties: bool = False
    """Whether rows equal to the last of the limit belong to the answer too: "the youngest singers"."""
    distinct: bool = False
    also: tuple[str, ...] = ()
    """FQNs of tables that must be joined though no term names them."""
    keep: tuple[str, ...] = ()
    """FQNs of tables whose rows stay in the answer when nothing joins to them (outer joins)."""
    via: tuple[tuple[Column, Column], ...] = ()
    """Pairs of columns to join by, where the question says which way is meant."""
    combined: Combined | None = None

    @property
    def orders_by_rows_of(self) -> str | None:
        """Return the FQN of the table whose rows are counted for the order; None for another order."""
        first = self.orders[0].term if self.orders else None
        return first.rows_of if isinstance(first, Figure) and first.of is None else None

    @property
    def bare_key(self) -> Column | None:
        """Return the only column that is shown, where it is one of the rows asked for; None for any other answer."""
        only = self.outputs[0].term if len(self.outputs) == 1 else None
        if not isinstance(only, Column) or (only.table, only.instance) != (self.main, 0):
            return None
        return None if self.groups or self.distinct or self.combined is not None else only
