"""Defines the denotations that rules build of a question: pieces of a plan, some of them with columns still open.

An *open* piece keeps every column that its words may name. It is resolved where it is attached to a table
(`binding.py`).
"""

from dataclasses import dataclass
from typing import Literal as OneOf

from resolvers.engines.nl2sql.language.degrees import Degree
from resolvers.engines.nl2sql.model import ColumnKey
from resolvers.engines.nl2sql.plan import Aggregate, Condition, Literal, Operator, Order, Unit


@dataclass(frozen=True, slots=True)
class Attribute:
    """A property of rows, by every column that its words may name, with how well."""

    options: tuple[tuple[ColumnKey, float], ...]
    words: tuple[str, ...] = ()
    """Its lemmas, which columns of other tables may be called by too."""
    unit: Unit | None = None
    """The span of time that its moments fall into."""


@dataclass(frozen=True, slots=True)
class Value:
    """A value of the data, by every column that may hold it, with how well."""

    options: tuple[tuple[ColumnKey, tuple[Literal, ...], float], ...]
    flag: bool = False
    """Whether rows are described by it: roadworthy."""


@dataclass(frozen=True, slots=True)
class Time:
    """A span of time: its first and its last day."""

    first: Literal
    last: Literal
    unit: Unit | None = None


@dataclass(frozen=True, slots=True)
class Quantity:
    """A number with how it is compared: at least two."""

    operator: Operator
    numbers: tuple[Literal, ...]


@dataclass(frozen=True, slots=True)
class Ranking:
    """A superlative with its place and how many are meant: the third highest, the five oldest."""

    degree: Degree
    limit: int = 1
    offset: int = 0


@dataclass(frozen=True, slots=True)
class Many:
    """The most or the fewest of something, and how many rows are meant."""

    descending: bool
    limit: int = 1
    offset: int = 0


Measured = Attribute | Degree | None
"""What is compared: a named property, what an adjective measures, or what nothing names."""


@dataclass(frozen=True, slots=True)
class Holds:
    """A condition: a property is a value, or one of several."""

    value: Value
    attribute: Attribute | None = None


@dataclass(frozen=True, slots=True)
class Compares:
    """A condition: a property compares with numbers."""

    by: Measured
    quantity: Quantity


@dataclass(frozen=True, slots=True)
class Happens:
    """A condition: a moment lies in, before or after a span of time."""

    by: Attribute | None
    operator: Operator
    time: Time


@dataclass(frozen=True, slots=True)
class Matches:
    """A condition: a text starts with, ends with, contains or is another."""

    attribute: Attribute
    how: OneOf["starts", "ends", "contains", "is"]
    text: str


@dataclass(frozen=True, slots=True)
class Lacks:
    """A condition: a property is not known."""

    attribute: Attribute


@dataclass(frozen=True, slots=True)
class Surpasses:
    """A condition: a property compares with a figure over rows: above the average."""

    by: Measured
    operator: Operator
    aggregate: Aggregate
    of: Attribute | None = None
    rows: "Rows | None" = None
    """The rows that the figure is of; all of the table where none are told."""


@dataclass(frozen=True, slots=True)
class Outdoes:
    """A condition: a property compares with that of other rows of the same table: older than Lucy."""

    by: Measured
    operator: Operator
    rows: "Rows"
    every: bool = False
    """Whether it compares with all of them."""
    timed: bool = False
    """Whether it tells which was earlier or later."""


@dataclass(frozen=True, slots=True)
class Has:
    """A condition: a row has rows of another table, none of them, or so many."""

    rows: "Rows"
    negated: bool = False
    quantity: Quantity | None = None


@dataclass(frozen=True, slots=True)
class Denied:
    """A condition: another does not hold."""

    part: "Open"


@dataclass(frozen=True, slots=True)
class Joint:
    """A condition of several: all hold, or one does."""

    parts: tuple["Open", ...]
    either: bool = False
    both: bool = False
    """Whether they are said of different rows beside: both a bow and a stern line."""


Open = Holds | Compares | Happens | Matches | Lacks | Surpasses | Outdoes | Has | Denied | Joint
"""A condition that is attached to no table yet."""


@dataclass(frozen=True, slots=True)
class Rows:
    """Rows of a table: chosen, put in order, cut off."""

    table: str
    where: tuple[Condition, ...] = ()
    orders: tuple[Order, ...] = ()
    limit: int | None = None
    offset: int = 0
    distinct: bool = False

    @property
    def is_bare(self) -> bool:
        """Whether all rows of the table are meant."""
        return not self.where and not self.orders and self.limit is None


@dataclass(frozen=True, slots=True)
class Tally:
    """A figure: an aggregate of a property, or the count of rows."""

    aggregate: Aggregate
    of: Attribute | None = None
    rows: Rows | None = None
    distinct: bool = False


@dataclass(frozen=True, slots=True)
class Shown:
    """A property that an answer shows, and the table that it was said to be of."""

    attribute: Attribute
    table: str | None = None
    by: ColumnKey | None = None
    """The column that refers to the row that it is of: the name of their chief."""


@dataclass(frozen=True, slots=True)
class Ratio:
    """How many rows of a table there are on average for each of another."""

    rows: Rows
    of: Rows


@dataclass(frozen=True, slots=True)
class Difference:
    """How far two figures lie apart."""

    greater: Tally
    less: Tally


Item = Shown | Rows | Tally | Ratio | Difference


@dataclass(frozen=True, slots=True)
class Items:
    """What an answer shows, in its order."""

    items: tuple[Item, ...]
    distinct: bool = False


@dataclass(frozen=True, slots=True)
class Sorting:
    """An order that was said apart: by a property, by a figure, or by what is shown."""

    by: Attribute | Tally | Degree | None
    descending: bool = False
    limit: int | None = None


@dataclass(frozen=True, slots=True)
class Ask:
    """A whole question: what is shown of which rows, by which groups, in which order."""

    items: tuple[Item, ...] = ()
    rows: Rows | None = None
    groups: tuple[Shown | Rows, ...] = ()
    having: tuple[tuple[Tally, Quantity], ...] = ()
    sortings: tuple[Sorting, ...] = ()
    distinct: bool = False
    combined: "tuple[OneOf['union', 'intersect', 'except'], Ask] | None" = None
    """Another question whose answer is added, kept in common or taken away."""
