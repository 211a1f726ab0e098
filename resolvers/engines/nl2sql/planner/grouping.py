"""Groups of a plan: what rows are put together by, and how groups are told."""

from dataclasses import dataclass, field

from resolvers.engines.nl2sql.plan import (
    Aggregate,
    Column,
    Condition,
    Order,
    Span,
)
from resolvers.engines.nl2sql.planner.above import group_above
from resolvers.engines.nl2sql.planner.counting import as_figure
from resolvers.engines.nl2sql.planner.frame import Sort
from resolvers.engines.nl2sql.planner.items import Item, Items
from resolvers.engines.nl2sql.planner.measuring import done_most
from resolvers.engines.nl2sql.planner.resolving import Resolver, as_column
from resolvers.engines.nl2sql.planner.roles import by_role, is_named


@dataclass(slots=True)
class Grouping:
    """A plan in the making."""

    resolver: Resolver
    items: list[Item] = field(default_factory=list)
    shown: list[Item] = field(default_factory=list)
    """What to show, when that is said apart from what is asked for."""
    groups: list[Column | Span] = field(default_factory=list)
    also: list[str] = field(default_factory=list)
    orders: list[Order] = field(default_factory=list)
    limit: int | None = None
    having: list[Condition] = field(default_factory=list)
    first: Condition | None = None
    """That a row belongs to the first of something."""
    via: list[tuple[Column, Column]] = field(default_factory=list)
    """How rows are joined to others of their table."""
    extremes: list[Order] = field(default_factory=list)
    """The orders that only the first of something is asked for by."""

    def _grouped(self, maker: Items, main: str) -> list[Item]:
        """The groups that the question names, as items to show."""
        frame = self.resolver.frame
        if frame.per and frame.groups and not self._ranks_within():
            made = [as_figure(self.resolver, item, maker.item(frame.groups[0])) for item in self.items]
            first = any((sort.limit or frame.limit or 0) > 1 and not sort.by_count for sort in frame.sorts)
            if first and any(
                one.counted is not None and one is not item for one, item in zip(made, self.items, strict=True)
            ):
                self.resolver.doubt("the first of each may be meant, or their number", 0.6)
            self.items = made
        figures = any(item.figures for item in self.items)
        by_count = any(sort.by_count or (sort.most and not self._is_of_each(sort)) for sort in frame.sorts)
        found: list[Item] = []
        for noun in frame.groups:
            if noun.ref is None:
                continue
            noun.aggregates, noun.count = (), False
            item = maker.item(noun)
            if item is None:
                self.resolver.doubt("a group was not found", 0.4)
                continue
            if self._is_each_row(item):
                continue
            if not figures and not by_count:
                if item.entity is not None and self.items[0].table != item.table:
                    self.also.append(item.table)
                    if frame.which:
                        self.resolver.doubt("all of them together may be meant", 0.35)
                if not self._tells(item):
                    found.append(item)
                continue
            if (part := by_role(self.resolver, item)) is not None:
                item, pair = part
                self.via.append(pair)
            if (above := group_above(self.resolver, item, self.items)) is not None:
                item, pair = above
                self.groups.append(pair[0])
                self.via.append(pair)
            self._by_its_key(item)
            found.append(item)
            self._group_by(item)
        return found

    def _is_of_each(self, sort: Sort) -> bool:
        """Return whether each row asked for has the number that it is put in order by: the most downloaded episode."""
        column = done_most(self.resolver, sort, self.items)
        return column is not None and self.items[0].entity == column.table

    def _ranks_within(self) -> bool:
        """`the top 3 products per category by price`: rows that come first in each group, rather than their number."""
        frame, item = self.resolver.frame, self.items[0] if len(self.items) == 1 else None
        if item is None or item.entity is None or item.figures or frame.skipped or len(frame.sorts) != 1:
            return False
        sort = frame.sorts[0]
        said = sort.noun is not None and sort.noun.ref is not None and not sort.noun.count
        return (sort.limit or frame.limit or 0) > 1 and (said or sort.degree is not None) and not sort.most

    def _is_each_row(self, group: Item) -> bool:
        """`the average fee per visit`, of visits: what each row has, rather than figures of single rows."""
        means = [item for item in self.items if item.figures and item.noun.aggregates == (Aggregate.AVG,)]
        if group.entity is None or self.resolver.catalog.names(group.table) or not means:
            return False
        return all(item.columns and self._has_one(group.entity, item.table) for item in means)

    def _has_one(self, group: str, table: str) -> bool:
        """Return whether no two rows of a table are of one row of the group: they are the same, or tied one to one."""
        if group == table:
            return True
        joins = self.resolver.catalog.joins
        keys = (key for key in joins.between(table, group) if key.table == table)
        return any(joins.is_unique(table, key.columns) for key in keys)

    def _by_role(self, items: list[Item]) -> None:
        """Return what is named by the part that it plays is shown along the key that tells it."""
        pairs = []
        for at, item in enumerate(items):
            if (found := by_role(self.resolver, item)) is not None:
                items[at], pair = found
                pairs.append(pair)
        self.via += pairs
        alone = len(pairs) == len(items) and len(set(pairs)) == 1 and not self.resolver.frame.groups
        if alone and not is_named(self.resolver.cut.linked, pairs[0][0].table):
            self.resolver.frame.distinct = True  # the drivers, whatever they drove

    def _tells(self, group: Item) -> bool:
        """Return whether what is shown of each says already which one it is."""
        catalog = self.resolver.catalog
        shown = {column for item in (*self.items, *self.shown) for column in item.columns}
        keys = {catalog.key(group.table), *catalog.names(group.table), *group.columns}
        if group.entity is not None and not catalog.names(group.table):
            return True
        if group.entity is not None and any(item.table == group.table for item in self.items):
            return bool(shown & keys) or any(item.entity == group.table for item in self.items)
        return bool(shown & set(group.columns)) or any(
            term in item.terms for item in self.items for term in group.terms
        )

    def _by_its_key(self, item: Item) -> None:
        """A group without a name is told by its key, rather than by all that is known of it."""
        catalog = self.resolver.catalog
        key = tuple(one for one in catalog.whole_key(item.table) if one not in catalog.known.forbidden)
        if item.entity is None or catalog.names(item.table) or len(item.columns) <= len(key) or item.noun.everything:
            return
        if not key:
            self.resolver.doubt("a group has neither name nor key", 0.5)
            return
        item.columns, item.terms = key, [as_column(one) for one in key]
        if len(key) > 1:
            self.resolver.doubt("a group without a name", 0.3)

    def _group_by(self, item: Item, counted: str | None = None) -> None:
        """Groups by what is shown, and by the key of its table where its rows are meant.

        Where each row has one at most of what is counted, rows of the same name are meant together.
        """
        catalog = self.resolver.catalog
        if counted is not None:
            self._by_its_key(item)
        alone = counted is not None and counted != item.table and catalog.refers(item.table, counted)
        if item.entity is not None and not (alone and item.columns and item.columns[0] in catalog.names(item.table)):
            for key in catalog.whole_key(item.table):
                if key not in self.resolver.catalog.known.forbidden:
                    self.groups.append(as_column(key))
        self.groups += [term for term in item.terms if isinstance(term, Column | Span)]

    def _mixed(self) -> None:
        """Plain columns beside figures are what the figures are grouped by."""
        figures = any(item.figures for item in self.items)
        if figures or self.groups:
            counted = {item.counted for item in self.items if item.counted}
            for item in self.items:
                if not item.figures and not all(term in self.groups for term in item.terms):
                    if (
                        item.table in counted
                        and item.entity is not None
                        and not self.resolver.frame.groups
                        and item.columns
                        and item.columns[0] != self.resolver.catalog.key(item.table)
                    ):
                        self.groups += [term for term in item.terms if isinstance(term, Column)]
                    else:
                        self._group_by(item)
