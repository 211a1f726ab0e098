"""What the parser makes of a question before its nouns are resolved: what is asked for, and under which conditions."""

from dataclasses import dataclass, field
from decimal import Decimal
from typing import Final
from typing import Literal as OneOf

from resolvers.engines.nl2sql.language.degrees import Degree
from resolvers.engines.nl2sql.plan import Aggregate, Operator, Unit
from resolvers.engines.nl2sql.planner.atoms import Ref


@dataclass(slots=True)
class Noun:
    """Something that is named, with what is computed of it."""

    ref: Ref | None = None
    owner: Ref | None = None
    """The table words that it was said to be of."""
    near: tuple[Ref, ...] = ()
    """Table words before it, the nearest first."""
    aggregates: tuple[Aggregate, ...] = ()
    count: bool = False
    distinct: bool = False
    everything: bool = False
    degree: Degree | None = None
    """An adjective that stands for the column: how old."""
    extreme: "Sort | None" = None
    """The order that an adjective before it asks for, unless it is a figure itself: the highest salary."""
    wh: str = ""
    """who, when, where."""
    share: bool = False
    minus: "Noun | None" = None
    """What is taken away from it: the difference between two."""
    first: int = 0
    """The token that the whole phrase begins with."""
    either: bool = False
    """Whether `or` stands before it."""
    unit: Unit | None = None
    """A span of time: per month."""
    hint: str = ""
    """A word beside it that may tell which key is meant: home, away, origin."""


@dataclass(slots=True)
class Nest:
    """A value that must be computed first: the average, the maximum, that of another row."""

    aggregate: Aggregate | None = None
    noun: Noun | None = None
    conditions: "list[Cond]" = field(default_factory=list)
    every: bool = False
    """More than any, more than all."""
    own: Noun | None = None
    """What rows are alike in that it is computed of: the average of their own category."""
    sort: "Sort | None" = None
    """Which row it is of, where one is told by what comes first: the boat with the highest mast."""
    times: Decimal | None = None
    """How many times it: more than twice the average."""

    @property
    def said(self) -> "tuple[Ref, ...]":
        """The values that name the row."""
        return tuple(ref for cond in self.conditions for ref in cond.values)


DONE_TO: Final = "done to"
"""How a condition is said that a participle before a noun tells: paid bills, of which it is known when they were."""


ALIKE: Final = "alike"
"""How a condition is said that two columns of a row hold the same, or not."""
BESIDE: Final = "beside the plan"
"""How a condition is said that compares what came about with what was planned."""
ALIKE_OTHERS: Final = "alike others"
"""How a condition is said that other rows of the same table hold the same."""
OF_OTHERS: Final = "of others"
"""How a condition is said that other rows of the same table refer to."""


@dataclass(slots=True)
class Cond:
    """One condition as it was said."""

    kind: OneOf["compare", "value", "exists", "null", "superlative"]
    first: int
    noun: Noun | None = None
    operator: Operator = Operator.EQUAL
    values: tuple[Ref, ...] = ()
    nest: Nest | None = None
    negated: bool = False
    degree: Degree | None = None
    figure: Aggregate | None = None
    """What is compared of the rows of a group, where no noun says so: on average."""
    how: str = ""
    """starts, ends, contains; time for before and after."""
    table: Ref | None = None
    """Of `exists`: the other table."""
    count: tuple[Operator, tuple[int, ...]] | None = None
    """Of `exists`: how many of them; two numbers where it is between them."""
    part: Decimal | None = None
    """Of `exists`: which part of them, 0 to 1."""
    inner: "list[Cond]" = field(default_factory=list)
    near: tuple[Ref, ...] = ()
    joined: OneOf["and", "or", "but"] = "and"
    """How it is tied to the condition before."""
    both: bool = False
    those: bool = False
    """Whether what it denies are things of other rows: except those of."""
    apart: bool = True
    """Whether a connector stands between it and the condition before."""


@dataclass(slots=True)
class Sort:
    """An order as it was said."""

    noun: Noun | None = None
    descending: bool | None = None
    degree: Degree | None = None
    by_count: bool = False
    """By the number of rows of the noun's table."""
    limit: int | None = None
    most: bool = False
    """Said as `the most` or `the fewest` of something."""
    common: bool = False
    plural: bool = False
    had: bool = False
    """Whether rows have what an adjective is said of: has the highest enrollment."""
    verb: str = ""
    """The verb that the most is said of, where no noun is: earned the most."""
    deed: Ref | None = None
    """What that verb may be called by in the data: the most downloaded episode."""
    sized: bool = False
    """Said as from the lowest to the highest, or the like: by a number, where one is shown."""
    averaged: bool = False
    """Whether groups are put in order by their average: the tallest on average."""
    summed: bool = False
    """Whether the most is that of a total: won the most prizes in total."""
    bare: bool = False
    """Said as `by` alone, which may ask for groups as well."""


@dataclass(slots=True)
class Frame:
    """A question in parts."""

    items: list[Noun] = field(default_factory=list)
    shown: list[Noun] = field(default_factory=list)
    """What a second sentence says to show, instead of what the first one asks for."""
    subject: Ref | None = None
    conditions: list[Cond] = field(default_factory=list)
    groups: list[Noun] = field(default_factory=list)
    grouped_first: bool = False
    per: bool = False
    """Whether what is asked for is of groups though no figure is named: stays per country."""
    hidden: bool = False
    """Whether the groups are not shown: the greatest number of orders of a customer."""
    sorts: list[Sort] = field(default_factory=list)
    limit: int | None = None
    skipped: int = 0
    """Rows passed over: 1 of the second highest."""
    distinct: bool = False
    tables: list[Ref] = field(default_factory=list)
    """Every noun that may be a table, in order."""
    unknown: list[tuple[int, int]] = field(default_factory=list)
    """Tokens that nothing explains."""
    loose: list[tuple[int, int]] = field(default_factory=list)
    """Nouns and phrases that were understood but found no place."""
    modifiers: list[tuple[int, int]] = field(default_factory=list)
    """Words before a noun that nothing stands for."""
    dangling: bool = False
    """Whether something is denied, and nothing says what."""
    which: bool = False
    """Whether it begins with which or what."""
    both: bool = False
    less: bool = False
    """Whether a part is taken away: all but."""
    either: bool = False

    @property
    def asks_who(self) -> bool:
        """Return whether nothing but what was done tells who is asked for: `who managed the Yankees`."""
        return any(one.wh == "who" and one.ref is None for one in self.items)
