"""Flows: which columns of tables a value depends on, and in which way, followed through expressions."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Final

from sqlglot import exp

from resolvers.engines.lineage.bounds import Work
from resolvers.engines.lineage.facts import Facts, decided, is_filled, reached, taken
from resolvers.engines.lineage.holding import Place
from resolvers.engines.lineage.outputs import Outputs
from schema.utils.lineage_kind import DIRECT, LineageSubtype

Kind = LineageSubtype

Source = tuple[str, str | None, Kind]
"""The FQN of a table, the name of a column or None for its rows as a whole, and in which way it is depended on."""

Flow = frozenset[Source]

NONE: Final[Flow] = frozenset()

_RISE: Final = {Kind.IDENTITY: 0, Kind.TRANSFORMATION: 1, Kind.AGGREGATION: 2}
_FROM_OTHER_ROWS: Final = (exp.Lag, exp.Lead, exp.FirstValue, exp.LastValue, exp.NthValue)
"""What takes a value of another row as it is; the parser calls it an aggregate."""
_KEPT_ONCE: Final = (exp.Max, exp.Min, exp.LogicalAnd, exp.LogicalOr, exp.ApproxDistinct, exp.ArrayUniqueAgg)
"""The aggregates that are the same however often a row stands there."""
_ORDERED_SETS: Final = (exp.PercentileCont, exp.PercentileDisc, exp.Mode, exp.Quantile)
"""The aggregates whose values stand in the ORDER BY of WITHIN GROUP."""


def as_kind(flow: Flow, kind: Kind) -> Flow:
    """The flow of what is worked out from a value. What is indirect already stays as it is."""
    if kind in DIRECT:
        least = _RISE[kind]
        return frozenset(
            (table, column, kind if old in DIRECT and _RISE[old] < least else old) for table, column, old in flow
        )
    return frozenset((table, column, kind if old in DIRECT else old) for table, column, old in flow)


def joined(flows: Iterable[Flow]) -> Flow:
    """All of them."""
    return frozenset[Source]().union(*flows)


@dataclass(slots=True)
class Relation:
    """What a query or a table answers with, and what decides on its rows."""

    names: list[str]
    flows: list[Flow]
    """Of each column, by its place."""
    rows: Flow = NONE
    """What decides which rows there are."""
    copies: Flow = NONE
    """What decides only how often equal rows stand there, such as what a LEFT JOIN meets."""
    order: list[Flow] = field(default_factory=list)
    """Of each column, what decides on the order in which its values come; empty where there is none."""
    unique: list[frozenset[int]] = field(default_factory=list)
    """Places of columns of which no two rows have the same values; an empty set says that there is one row at most."""
    same: frozenset[int] = frozenset()
    """Places of columns that have one value in all rows, so that neither order nor a limit decides on it."""
    filled: frozenset[int] = frozenset()
    """Places of columns that are never null."""
    firsts: dict[int, Callable[[], "Relation"]] = field(default_factory=dict)
    """Of each column that numbers the rows of a group, what remains of all where it is 1."""

    def with_flow(self, flow: Flow) -> "Relation":
        """The same with something that every column depends on."""
        return Relation(self.names, [one | flow for one in self.flows], self.rows, self.copies, [], self.unique)


class Frame:
    """The relations that the columns of a SELECT may name, and those of the SELECTs around it."""

    __slots__ = ("around", "facts", "items", "work")

    def __init__(self, around: "Frame | None", work: Work, facts: Facts) -> None:
        self.around, self.work, self.facts = around, work, facts
        self.items: dict[str, Relation] = {}

    @property
    def is_one_row(self) -> bool:
        """Return whether there is one row at most, which no order and no part of it can change."""
        return len(self.items) < 2 and all(frozenset() in item.unique for item in self.items.values())

    def flow(self, table: str, column: str) -> Flow:
        """The flow of a column. Raises LookupError."""
        frame: Frame | None = self
        while frame is not None:
            item = frame.items.get(table)
            if item is not None:
                return item.flows[item.names.index(column)]
            frame = frame.around
        raise LookupError(table)

    def is_filled(self, place: Place) -> bool:
        """Return whether a column is known to be never null in the rows that are left."""
        table, column = place
        frame: Frame | None = self
        while frame is not None and table not in frame.items:
            frame = frame.around
        if frame is None or place in frame.facts.filled:
            return frame is not None
        item = frame.items[table]
        return table in frame.facts.met and item.names.index(column) in item.filled


@dataclass(frozen=True, slots=True)
class Aggregating:
    """What an aggregate depends on beside its arguments."""

    rows: Flow = NONE
    copies: Flow = NONE


@dataclass(slots=True)
class Values:
    """Follows the values of expressions in one SELECT."""

    frame: Frame
    query: Callable[[exp.Expr, Frame], Relation]
    """Evaluates a query that stands in an expression."""
    outputs: Outputs
    aggregating: Aggregating = field(default_factory=Aggregating)
    windows: dict[str, exp.Window] = field(default_factory=dict)
    """The named windows."""

    def flow(self, root: exp.Expr | None, kind: Kind = Kind.IDENTITY) -> Flow:
        """Return what the value of an expression depends on, taken in this way."""
        if root is None:
            return NONE
        found: set[Source] = set()
        waiting: list[tuple[exp.Expr, Kind]] = [(root, kind)]
        while waiting:
            node, way = waiting.pop()
            self.frame.work.spend(1)
            if isinstance(node, exp.Column):
                flow = self.frame.flow(node.table, node.name)
                self.frame.work.spend(len(flow))
                found |= as_kind(flow, way)
            elif isinstance(node, exp.Query):
                answer = self.query(node, self.frame)
                self.frame.work.spend_on((*answer.flows, answer.rows, answer.copies))
                found |= as_kind(joined((*answer.flows, answer.rows, answer.copies)), way)
            else:
                flow, parts = self._parts(node, way)
                self.frame.work.spend(len(flow))
                found |= flow
                waiting += parts
        return frozenset(found)

    def _parts(self, node: exp.Expr, way: Kind) -> tuple[Flow, list[tuple[exp.Expr, Kind]]]:
        """Return what an expression adds of itself, and the expressions in it with the way in which each is taken."""
        if isinstance(node, exp.Paren | exp.Alias):
            return NONE, [(node.this, way)]
        if isinstance(node, exp.Exists):
            return as_kind(self._rows_of(node.this), way), []
        if isinstance(node, exp.In) and node.args.get("query") is not None:
            return self._among(node, way)
        if isinstance(node, exp.Case | exp.If):
            return NONE, self._branches(node, way)
        if isinstance(node, exp.Coalesce | exp.And | exp.Or):
            parts = self._reached(node) if isinstance(node, exp.Coalesce) else decided(node)[1]
            return NONE, [(one, _raised(way, Kind.TRANSFORMATION)) for one in parts]
        if isinstance(node, exp.Filter):
            return NONE, [(node.this, way), (node.expression, _forced(way, Kind.FILTER))]
        if isinstance(node, exp.Window):
            return self._window(node, way)
        if isinstance(node, exp.WithinGroup):
            ordered = _ORDERED_SETS if isinstance(node.this, _ORDERED_SETS) else ()
            how = _raised(way, Kind.AGGREGATION) if ordered else _forced(way, Kind.SORT)
            return NONE, [(node.this, way), *[(one.this, how) for one in node.expression.expressions]]
        if isinstance(node, exp.Order):
            inner = [(node.this, way)] if node.args.get("this") is not None else []
            return NONE, [*inner, *[(one.this, _forced(way, Kind.SORT)) for one in node.expressions]]
        if isinstance(node, exp.AggFunc) and not isinstance(node, _FROM_OTHER_ROWS):
            flow = self.aggregating.rows
            if not _counts_once(node):
                flow |= self.aggregating.copies
            return as_kind(flow, way), [(one, _raised(way, Kind.AGGREGATION)) for one in node.iter_expressions()]
        return NONE, [(one, _raised(way, Kind.TRANSFORMATION)) for one in node.iter_expressions()]

    def _rows_of(self, query: exp.Expr) -> Flow:
        answer = self.query(query, self.frame)
        return as_kind(answer.rows, Kind.FILTER)

    def _among(self, node: exp.In, way: Kind) -> tuple[Flow, list[tuple[exp.Expr, Kind]]]:
        """`a IN (SELECT b ...)`: how often b stands there does not matter."""
        answer = self.query(node.args["query"], self.frame)
        how = _raised(way, Kind.TRANSFORMATION)
        return as_kind(joined((*answer.flows, answer.rows)), how), [(node.this, how)]

    def _reached(self, node: exp.Coalesce) -> list[exp.Expr]:
        """The arguments of COALESCE, and of those that stand in it, up to the first that is never null."""
        found: list[exp.Expr] = []
        waiting: list[exp.Expr] = [node]
        while waiting:
            one = waiting.pop().unnest()
            if isinstance(one, exp.Coalesce):
                waiting += reversed((one.this, *one.expressions))
                continue
            found.append(one)
            if is_filled(one, self.frame.is_filled):
                break
        return found

    def _branches(self, node: exp.Case | exp.If, way: Kind) -> list[tuple[exp.Expr, Kind]]:
        """Return what CASE takes, and what decides on it unless all that it takes is the same."""
        deciding, how = _forced(way, Kind.CONDITIONAL), _raised(way, Kind.TRANSFORMATION)
        values = taken(node, self.frame.facts.never)
        found = [(one, how) for one in values]
        if len({self.frame.facts.shown(one) for one in values}) > 1:
            found += [(one.this, deciding) for one in reached(node, self.frame.facts.never)[0]]
            found += [(node.this, deciding)] if isinstance(node, exp.Case) else []
        return [(one, how) for one, how in found if one is not None]

    def _window(self, node: exp.Window, way: Kind) -> tuple[Flow, list[tuple[exp.Expr, Kind]]]:
        """Return what is worked out over the rows around: it depends on all of them, however often they stand there."""
        how = _forced(way, Kind.WINDOW)
        parts: list[tuple[exp.Expr, Kind]] = []
        around, ordered = self._ordered_within(node)
        named = node.args.get("alias")
        if isinstance(node.this, exp.Rank | exp.DenseRank) and not ordered and not isinstance(named, exp.Identifier):
            return NONE, []  # all rows of a group are alike, and first
        if isinstance(node.this, exp.Expr) and not isinstance(node.this, exp.Identifier):
            of_rows = isinstance(node.this, exp.AggFunc) and not isinstance(node.this, _FROM_OTHER_ROWS)
            at = _raised(way, Kind.AGGREGATION if of_rows else Kind.TRANSFORMATION)
            # Its arguments may be aggregates themselves: sum(sum(a)) OVER (). It is none of the groups' own.
            if isinstance(node.this, exp.AggFunc):
                parts += [(one, at) for one in node.this.iter_expressions()]
            else:
                parts.append((node.this, at))
        parts += [(one, how) for one in (*around, *ordered)]
        if isinstance(named, exp.Identifier) and named.name.casefold() in self.windows:
            _, more = self._window(self.windows[named.name.casefold()], way)
            parts += more
        return as_kind(self.aggregating.rows | self.aggregating.copies, way), parts

    def _ordered_within(self, node: exp.Window) -> tuple[list[exp.Expr], list[exp.Expr]]:
        """Return what a window is parted by, and what it is ordered by in each part: not what is equal in all of it."""
        around = list(node.args.get("partition_by") or ())
        facts = self.frame.facts
        if self.frame.is_one_row:
            return [], []
        equal = {facts.shown(one) for one in around}
        order = node.args.get("order")
        by = [one.this for one in order.expressions] if order is not None else []
        return around, [one for one in by if not facts.is_fixed(one) and facts.shown(one) not in equal]


def _raised(way: Kind, least: Kind) -> Kind:
    """The way in which a part is taken that something is worked out of."""
    return least if way in DIRECT and _RISE[way] < _RISE[least] else way


def _forced(way: Kind, kind: Kind) -> Kind:
    """The way in which a part is taken that only decides, unless all around it only decides already."""
    return kind if way in DIRECT else way


def _counts_once(node: exp.AggFunc) -> bool:
    return isinstance(node, _KEPT_ONCE) or isinstance(node.this, exp.Distinct)
