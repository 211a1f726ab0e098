"""More than ten thousand harmless drafts for each dialect: the SQL that analysts write, over what they may read.

Every expression has a kind, so that what is made runs on an engine that is strict about types, and every query has an
order where its answer depends on one.
"""

import functools
import random
import re
from collections.abc import Callable
from typing import Final

from tests.security.guard.drafts import Draft, distinct, quoted, tokens
from tests.security.guard.harmless_parts import OPEN, Parts, Source

_BARE_TEAMS: Final = re.compile(r"(?<!distinct )from teams\b")


class _Writer(Parts):
    """Writes one draft at a time."""

    def derived(self) -> Source:
        query, kinds = self.select(simple=True)
        return Source(f"({query}) d", [(f"d.c{at}", kind) for at, kind in enumerate(kinds)])

    def source(self) -> Source:
        return self.chance.choice(
            (self.bare, self.bare, lambda: self.table("t"), self.joined, self.joined, self.derived)
        )()

    # Queries

    def select(self, *, simple: bool = False, kinds: list[str] | None = None) -> tuple[str, list[str]]:
        """A query with the columns c0, c1 … of these kinds."""
        source = self.table("i") if simple else self.source()
        kinds = kinds or [self.of("int", "number", "text", "date") for _ in range(self.chance.randrange(1, 4))]
        chosen = ", ".join(f"{self.value(kind, source.terms)} as c{at}" for at, kind in enumerate(kinds))
        where = f" where {self.test(source.terms)}" if self.odds(0.6) else ""
        return f"select {self.of('', '', 'distinct ')}{chosen} from {source.text}{where}", kinds

    def ending(self, number: int) -> str:
        made = f" order by {self.chance.randrange(number) + 1}{self.of('', ' desc', ' asc')}" if self.odds(0.6) else ""
        if self.dialect != "mysql" and made and self.odds(0.2):
            made += " nulls last"
        if self.odds(0.4):
            made += f" limit {self.chance.randrange(1, 30)}" + self.of("", "", " offset 2")
        return made

    def plain(self) -> str:
        query, kinds = self.select()
        return query + self.ending(len(kinds))

    def ordered(self) -> str:
        source = self.source()
        first, second = (self.value(self.of("int", "text", "date"), source.terms, 1) for _ in range(2))
        chosen = f"{first}, {second} as second"
        where = f" where {self.test(source.terms)}" if self.odds(0.5) else ""
        return (
            f"select {chosen} from {source.text}{where} order by {self.order(source.terms)}, {self.order(source.terms)}"
        )

    def grouped(self) -> str:
        source = self.source()
        keys = [self.value(self.of("int", "text", "date"), source.terms, 1) for _ in range(self.chance.randrange(1, 3))]
        figures = [self.aggregate(source.terms) for _ in range(self.chance.randrange(1, 3))]
        by = self.of("ordinal", "ordinal", "alias")
        named = [f"{key} as k{at}" for at, key in enumerate(keys)]
        grouping = ", ".join(str(at + 1) if by == "ordinal" else f"k{at}" for at in range(len(keys)))
        if self.odds(0.1):
            grouping = self.per(postgres=f"rollup ({grouping})", mysql=f"{grouping} with rollup", duckdb="all")
            if by == "ordinal" and self.dialect == "postgres":
                grouping = grouping.removeprefix("rollup ").strip("()")
        where = f" where {self.test(source.terms)}" if self.odds(0.5) else ""
        having = f" having {self.aggregate(source.terms)} is not null" if self.odds(0.2) else ""
        having = having or (f" having count(*) > {self.of('0', '1', '2')}" if self.odds(0.3) else "")
        chosen = ", ".join([*named, *(f"{figure} as f{at}" for at, figure in enumerate(figures))])
        end = self.of(
            "", " order by f0 desc", " order by 1", f" order by {len(keys) + 1} desc limit 5", " order by k0, f0"
        )
        if "with rollup" in grouping:
            end = ""
        return f"select {chosen} from {source.text}{where} group by {grouping}{having}{end}"

    def total(self) -> str:
        source = self.source()
        figures = ", ".join(self.aggregate(source.terms) for _ in range(self.chance.randrange(1, 4)))
        where = f" where {self.test(source.terms)}" if self.odds(0.6) else ""
        return f"select {figures} from {source.text}{where}"

    def windowed(self) -> str:
        source = self.source()
        shown = self.value("text", source.terms, 0)
        made = f"select {shown} as a, {self.window(source.terms)} as w from {source.text}"
        if self.odds(0.5):
            made += f" where {self.test(source.terms, 1)}"
        if self.odds(0.4):
            return f"select a, w from ({made}) q where w is not null order by 2, 1"
        if self.dialect == "duckdb" and self.odds(0.2):
            return f"{made} qualify row_number() over (order by {self.order(source.terms)}) < 5"
        return made + self.of("", " order by 2", " limit 7")

    def common(self) -> str:
        first, kinds = self.select()
        named = self.of("w", "recent", "best", "teams")
        terms = [(f"{named}.c{at}", kind) for at, kind in enumerate(kinds)]
        head = named
        if self.odds(0.3):
            terms = [(f"{named}.x{at}", kind) for at, kind in enumerate(kinds)]
            head = f"{named} ({', '.join(f'x{at}' for at in range(len(kinds)))})"
        first = _BARE_TEAMS.sub("from sales.teams", first) if named == "teams" else first
        kind = self.of(*kinds)
        if self.odds(0.4):
            chosen = self.value(kind, terms, 1)
            second = f"select {chosen} as y, count(*) as n from {named} group by 1"
            final = self.of(
                "select y, n from v order by n desc, y", "select max(n) from v", "select * from v where n > 1"
            )
            return f"with {head} as ({first}), v as ({second}) {final}"
        where = f" where {self.test(terms, 1)}" if self.odds(0.5) else ""
        return f"with {head} as ({first}) " + self.of(
            f"select {self.value(kind, terms, 1)} as y from {named}{where} order by 1",
            f"select * from {named}{where}",
            f"select {named}.* from {named}{where} limit 9",
            f"select {self.aggregate(terms)} from {named}{where}",
        )

    def combined(self) -> str:
        kinds = [self.of("int", "number", "text", "date") for _ in range(self.chance.randrange(1, 3))]
        parts = [self.select(kinds=kinds)[0] for _ in range(self.chance.choice((2, 2, 3)))]
        kind = self.of("union", "union all", "union distinct", "intersect", "except")
        return f" {kind} ".join(parts) + self.of("", " order by 1", " order by 1 desc limit 5", " limit 5")

    def starred(self) -> str:
        name = self.of("teams", "jobs", "teams", "orders")
        source = Source(name, [(f"{name}.{column}", kind) for column, kind in OPEN[name]])
        where = f" where {self.test(source.terms)}" if self.odds(0.7) else ""
        star = self.of("*", f"{name}.*", f"{name}.*, {self.value('text', source.terms)} as more", "count(*)")
        made = f"select {star} from {name}{where}"
        return f"select count(*) from ({made}) q" if self.odds(0.3) else made + self.of("", " order by 1", " limit 4")

    def scalar(self) -> str:
        source, inner = self.source(), self.table("u")
        kind = self.of("int", "text")
        met = f"{self.value(kind, inner.terms, 0)} = {self.value(kind, source.terms, 0)}"
        shown = self.value("text", source.terms, 1)
        return (
            f"select {shown} as a, (select {self.aggregate(inner.terms)} from {inner.text} where {met}) as b"
            f" from {source.text} where {self.test(source.terms, 1)}"
        )

    def special(self) -> str:
        source = self.source()
        a, b = self.column(source.terms), self.value("text", source.terms, 1)
        number = str(self.chance.randrange(1, 30))
        where = f" where {self.test(source.terms, 1)}"
        return self.per(
            postgres=self.of(
                f"select distinct on ({a}) {a} as x, {b} as y from {source.text}{where} order by 1, 2",
                f"select {b} from {source.text}{where} fetch first {number} rows only",
                f"select {a}, count(*) from {source.text}{where} group by grouping sets (({a}), ())",
                f"select {b} from {source.text}{where} order by {a} desc nulls last offset 1",
                f"with w as materialized (select {b} as x from {source.text}{where}) select x from w",
            ),
            mysql=self.of(
                f"select {b} from {source.text}{where} order by {a} limit 2, {number}",
                f"select if({a} > {number}, {b}, 'few') from {source.text}{where}",
                f"select `q`.`x` from (select {b} as `x` from {source.text}{where}) as `q`",
                f"select {b} as 'a name' from {source.text}{where} and {a} <> {number}",
            ),
            duckdb=self.of(
                f"select {a}, {b}, count(*) from {source.text}{where} group by all",
                f"select {b}, max({a}) from {source.text}{where} group by all order by 2, 1",
                f"from {source.text} select {b}{where} limit {number}",
                f"select distinct on ({a}) {a}, {b} from {source.text}{where}",
                f"select * exclude (city) from teams where id < {number} and {self.test([('name', 'text')], 1)}",
            ),
        )


_SHAPES: Final[tuple[tuple[Callable[[_Writer], str], int], ...]] = (
    (_Writer.plain, 1800),
    (_Writer.ordered, 1000),
    (_Writer.grouped, 2000),
    (_Writer.total, 1000),
    (_Writer.windowed, 1200),
    (_Writer.common, 1100),
    (_Writer.combined, 900),
    (_Writer.starred, 500),
    (_Writer.scalar, 500),
    (_Writer.special, 300),
)


def _styled(chance: random.Random, dialect: str, text: str) -> str:
    """As different people would lay it out."""
    kind = chance.randrange(8)
    if kind == 0:
        keep = tokens(text)
        return "".join(one.upper() if one in _KEYWORDS else one for one in keep)
    if kind == 1:
        return "".join(f"\n{one}" if one in ("from", "where", "group", "order") else one for one in tokens(text)) + ";"
    if kind == 2:
        return f"-- for the report\n{text} /* as agreed */"
    if kind == 3:
        return "".join(quoted(one, dialect) if one in ("name", "city", "staff") else one for one in tokens(text))
    return text


_KEYWORDS: Final = frozenset(
    (
        *("select", "from", "where", "group", "by", "order", "having", "join", "left", "right", "on", "as", "and"),
        *("or", "not", "in", "is", "null", "case", "when", "then", "else", "end"),
    )
)


@functools.cache  # many tests of one dialect take a part each
def harmless(dialect: str) -> tuple[Draft, ...]:
    """All harmless drafts of a dialect, no two of which differ only in case or white space."""
    found: dict[str, Draft] = {}
    for shape, number in _SHAPES:

        def make(chance: random.Random, dialect: str, shape: Callable[[_Writer], str] = shape) -> str:
            return _styled(chance, dialect, shape(_Writer(chance, dialect)))

        for draft in distinct(shape.__name__, make, dialect, number, plain=True):
            found.setdefault(" ".join(draft.text.casefold().split()), draft)
    return tuple(found.values())
