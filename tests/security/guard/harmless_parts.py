"""The parts of harmless drafts: expressions by their kind, conditions, and where rows come from."""

import random
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from tests.security.guard.ground import CLOSED, SELECTED, columns

Terms = list[tuple[str, str]]
"""Expressions that may be used, each with its kind."""

OPEN: Final = {
    table.split(".")[1]: [(name, kind) for name, kind in columns()[table] if (f"shop.live.{table}", name) not in CLOSED]
    for table in SELECTED
}
_LINKS: Final = (
    ("staff", "teams", "<A>.team_id = <B>.id"),
    ("teams", "staff", "<A>.id = <B>.team_id"),
    ("orders", "staff", "<A>.staff_id = <B>.id"),
    ("staff", "orders", "<A>.id = <B>.staff_id"),
    ("orders", "customers", "<A>.customer_id = <B>.id"),
    ("customers", "orders", "<B>.customer_id = <A>.id"),
    ("staff", "staff", "<A>.boss_id = <B>.id"),
    ("staff", "jobs", "<A>.level = <B>.level"),
    ("teams", "customers", "<A>.city = <B>.city"),
)
_CITIES: Final = ("Bonn", "Lyon", "Oslo", "Rome", "it''s", "a%b", "50_50")
_WORDS: Final = ("a", "Te", "paid", "open", "Ada", "Job", "x-y", "é", "O''Neil")
_PATTERNS: Final = ("A%", "%a%", "_o%", "%Ltd", "Team%", "%''%", "%e_")


@dataclass
class Source:
    text: str
    terms: Terms


class Parts:
    """Writes the parts of one draft at a time."""

    def __init__(self, chance: random.Random, dialect: str) -> None:
        self.chance, self.dialect = chance, dialect

    def of(self, *choices: str) -> str:
        return self.chance.choice(choices)

    def odds(self, share: float) -> bool:
        return self.chance.random() < share

    def per(self, **by_dialect: str) -> str:
        return by_dialect[self.dialect]

    # Expressions

    def value(self, kind: str, terms: Terms, depth: int = 2) -> str:
        """An expression of a kind."""
        fitting = [text for text, held in terms if held == kind]
        if depth <= 0 or (fitting and self.odds(0.4)):
            return self.chance.choice(fitting) if fitting and self.odds(0.85) else self.literal(kind)
        made: Callable[[Terms, int], str] = {
            "int": self.whole, "number": self.number, "text": self.text, "date": self.date,
        }[kind]  # fmt: skip
        return made(terms, depth - 1)

    def literal(self, kind: str) -> str:
        number = self.chance.randrange(1, 40)
        return {
            "int": str(number),
            "number": f"{number}.5",
            "text": f"'{self.of(*_CITIES, *_WORDS)}'",
            "date": f"date '2023-0{number % 9 + 1}-1{number % 10}'",
        }[kind]

    def whole(self, terms: Terms, depth: int) -> str:
        a, b = self.value("int", terms, depth), self.value("int", terms, 0)
        text, day = self.value("text", terms, depth), self.value("date", terms, 0)
        return self.of(
            f"{a} + {b}",
            f"({a} - {b})",
            f"abs({a} - {b})",
            f"{b} * 2",
            f"length({text})",
            f"coalesce({a}, {b})",
            f"nullif({a}, {b})",
            f"mod({b}, 3)",
            f"extract({self.of('year', 'month', 'day', 'quarter')} from {day})",
            f"case when {self.test(terms, 0)} then {a} else {b} end",
            f"case {b} when 1 then 10 when 2 then {a} end",
            f"greatest({a}, {b})",
            f"least({a}, 7)",
            f"-{b}",
            f"cast(sign({b}) as {self.per(postgres='int', mysql='signed', duckdb='int')})",
            self.per(postgres=f"{b} % 4", mysql=f"{b} % 4", duckdb=f"{b} % 4"),
            self.per(
                postgres=f"date_part('year', {day})::int", mysql=f"year({day})", duckdb=f"date_part('month', {day})"
            ),
            self.per(postgres=f"strpos({text}, 'a')", mysql=f"instr({text}, 'a')", duckdb=f"strpos({text}, 'a')"),
            self.per(
                postgres=f"cast({b} as bigint)", mysql=f"cast({b} as signed)", duckdb=f"try_cast({text} as integer)"
            ),
            self.per(
                postgres=f"(cast({day} as date) - date '2020-01-01')",
                mysql=f"datediff({day}, '2020-01-01')",
                duckdb=f"date_diff('day', date '2020-01-01', {day})",
            ),
            self.per(postgres=f"position('a' in {text})", mysql=f"if({b} > 3, 1, 0)", duckdb=f"month({day})"),
            self.per(postgres=f"char_length({text})", mysql=f"ifnull({a}, 0)", duckdb=f"ifnull({a}, 0)"),
        )

    def number(self, terms: Terms, depth: int) -> str:
        a, b = self.value("number", terms, depth), self.value("int", terms, 0)
        return self.of(
            f"round({a}, 1)",
            f"{a} * 1.1",
            f"{a} / 2",
            f"({a} + {b})",
            f"coalesce({a}, 0)",
            f"abs({a} - 10)",
            f"floor({a})",
            f"ceil({a})",
            f"cast({b} as decimal(10, 2))",
            f"case when {self.test(terms, 0)} then {a} else 0 end",
            f"{b} * 100.0 / 7",
            f"round({b} / 3.0, 2)",
            f"nullif({a}, 0)",
            f"cast(sqrt(abs({b})) as decimal(10, 4))",
            f"{b} * {b}",
            self.per(postgres=f"{b}::numeric / 4", mysql=f"truncate({a}, 1)", duckdb=f"{b}::double / 4"),
        )

    def text(self, terms: Terms, depth: int) -> str:
        a, b = self.value("text", terms, depth), self.value("text", terms, 0)
        number, day = self.value("int", terms, 0), self.value("date", terms, 0)
        return self.of(
            f"upper({a})",
            f"lower({a})",
            f"trim({a})",
            f"substring({a}, 1, 3)",
            f"concat({a}, '-', {b})",
            f"concat({b}, {number})",
            f"replace({a}, 'a', 'e')",
            f"left({a}, 2)",
            f"right({a}, 2)",
            f"coalesce({a}, 'none')",
            f"nullif({a}, '')",
            f"case when {self.test(terms, 0)} then {a} else {b} end",
            f"case {b} when 'Rome' then 'R' else {a} end",
            f"reverse({b})",
            f"greatest({a}, {b})",
            self.per(
                postgres=f"to_char({day}, 'YYYY-MM')",
                mysql=f"date_format({day}, '%Y-%m')",
                duckdb=f"strftime({day}, '%Y-%m')",
            ),
            self.per(postgres=f"{a} || ' ' || {b}", mysql=f"concat_ws(' ', {a}, {b})", duckdb=f"{a} || ' ' || {b}"),
            self.per(
                postgres=f"split_part({a}, ' ', 1)",
                mysql=f"substring_index({a}, ' ', 1)",
                duckdb=f"split_part({a}, ' ', 1)",
            ),
            self.per(postgres=f"{number}::text", mysql=f"cast({number} as char)", duckdb=f"{number}::varchar"),
            self.per(postgres=f"initcap({a})", mysql=f"ltrim({a})", duckdb=f"regexp_extract({a}, '[a-z]+')"),
        )

    def date(self, terms: Terms, depth: int) -> str:
        day, other = self.value("date", terms, depth), self.value("date", terms, 0)
        return self.of(
            f"coalesce({day}, {other})",
            f"case when {self.test(terms, 0)} then {day} else {other} end",
            f"greatest({day}, {other})",
            f"cast({day} as date)",
            self.per(
                postgres=f"date_trunc('{self.of('month', 'year', 'week', 'quarter')}', {day})",
                mysql=f"last_day({day})",
                duckdb=f"date_trunc('{self.of('month', 'year', 'week', 'quarter')}', {day})",
            ),
            self.per(
                postgres=f"{day} + interval '{self.of('1 day', '2 months', '1 year')}'",
                mysql=f"date_add({day}, interval {self.of('1 day', '2 month', '1 year')})",
                duckdb=f"{day} + interval {self.of('1 day', '2 months', '1 year')}",
            ),
            self.per(
                postgres=f"({day} - interval '3 days')::date",
                mysql=f"{day} - interval 3 day",
                duckdb=f"last_day({day})",
            ),
        )

    def test(self, terms: Terms, depth: int = 2) -> str:
        """A condition."""
        kind = self.of("int", "number", "text", "text", "date")
        a, b = self.value(kind, terms, depth), self.value(kind, terms, 0)
        text = self.value("text", terms, min(depth, 1))
        if depth > 0 and self.odds(0.3):
            one, other = self.test(terms, depth - 1), self.test(terms, 0)
            return self.of(f"{one} and {other}", f"({one} or {other})", f"not ({one})")
        if depth > 1 and self.odds(0.25):
            return self.nested(terms)
        return self.of(
            f"{a} {self.of('=', '<>', '<', '>', '<=', '>=', '!=')} {b}",
            f"{a} between {b} and {self.value(kind, terms, 0)}",
            f"{a} not between {b} and {self.value(kind, terms, 0)}",
            f"{a} in ({b}, {self.literal(kind)}, {self.literal(kind)})",
            f"{a} not in ({self.literal(kind)}, {self.literal(kind)})",
            f"{a} is null",
            f"{a} is not null",
            f"{text} like '{self.of(*_PATTERNS)}'",
            f"{text} not like '{self.of(*_PATTERNS)}'",
            f"({a}, 1) = ({b}, 1)",
            self.per(postgres=f"{text} ilike '%A%'", mysql=f"{text} rlike '^A'", duckdb=f"{text} ilike '%A%'"),
            self.per(postgres=f"{text} ~ '^[A-M]'", mysql=f"{a} <=> {b}", duckdb=f"regexp_matches({text}, '^[A-M]')"),
            self.per(
                postgres=f"{a} is distinct from {b}",
                mysql=f"not {a} <=> {b}",
                duckdb=f"{a} is not distinct from {b}",
            ),
        )

    def nested(self, terms: Terms) -> str:
        """A condition with a query in it."""
        inner = self.table("n")
        kind = self.of("int", "text", "date", "number")
        outer = self.value(kind, terms, 0)
        within = self.value(kind, inner.terms, 0)
        where = f" where {self.test(inner.terms, 0)}" if self.odds(0.6) else ""
        return self.of(
            f"{outer} in (select {within} from {inner.text}{where})",
            f"exists (select 1 from {inner.text} where {within} = {outer})",
            f"not exists (select 1 from {inner.text} where {within} = {outer})",
            f"{outer} {self.of('>', '<', '>=')} (select {self.of('max', 'min')}({within}) from {inner.text}{where})",
            f"{outer} = any (select {within} from {inner.text}{where})",
            f"{outer} > all (select {within} from {inner.text}{where})",
            f"(select count(*) from {inner.text} where {within} = {outer}) > {self.of('0', '1', '2')}",
            f"{outer} not in (select {within} from {inner.text} where {within} is not null)",
        )

    def aggregate(self, terms: Terms) -> str:
        kind = self.of("int", "number", "text", "date")
        a, number = self.value(kind, terms, 1), self.value(self.of("int", "number"), terms, 1)
        made = self.of(
            "count(*)",
            f"count({a})",
            f"count(distinct {a})",
            f"min({a})",
            f"max({a})",
            f"sum({number})",
            f"avg({number})",
            f"round(avg({number}), 2)" if self.dialect != "postgres" else f"round(avg({number})::numeric, 2)",
            f"sum(case when {self.test(terms, 0)} then 1 else 0 end)",
            f"coalesce(sum({number}), 0)",
            f"max({number}) - min({number})",
            f"sum({number}) * 1.0 / count(*)",
            f"stddev({self.value('int', terms, 0)})",
            f"count(nullif({a}, {self.literal(kind)}))",
        )
        if self.dialect != "mysql" and self.odds(0.15):
            return f"count(*) filter (where {self.test(terms, 1)})"
        if self.dialect != "mysql" and self.odds(0.08):
            return f"percentile_cont(0.5) within group (order by {self.value('int', terms, 0)})"
        return made

    def window(self, terms: Terms) -> str:
        a, key = self.column(terms), self.value(self.of("int", "text"), terms, 0)
        number, order = self.value("int", terms, 0), self.order(terms)
        by = f"partition by {key} " if self.odds(0.6) else ""
        frame = self.of("", "", " rows between 1 preceding and current row", " rows unbounded preceding")
        return self.of(
            f"row_number() over ({by}order by {order})",
            f"rank() over ({by}order by {order})",
            f"dense_rank() over (order by {order})",
            f"lag({a}) over ({by}order by {order})",
            f"lead({a}, 2) over ({by}order by {order})",
            f"sum({number}) over ({by}order by {order}{frame})",
            f"avg({number}) over (partition by {key})",
            f"count(*) over ({by.strip()})",
            f"first_value({a}) over ({by}order by {order})",
            f"ntile(4) over (order by {order})",
            f"max({a}) over ()",
            f"{number} - avg({number}) over ({by.strip()})",
            f"percent_rank() over (order by {order})",
            f"cume_dist() over ({by}order by {order})",
        )

    def order(self, terms: Terms) -> str:
        return self.column(terms) + self.of("", " desc", " asc")

    def column(self, terms: Terms) -> str:
        """A column, where a number would mean a place."""
        return self.chance.choice(terms)[0]

    # Where rows come from

    def table(self, alias: str, name: str | None = None) -> Source:
        name = name or self.of(*OPEN)
        spelled = self.of(name, name, f"sales.{name}")
        joint = self.of(" ", " as ")
        return Source(f"{spelled}{joint}{alias}", [(f"{alias}.{column}", kind) for column, kind in OPEN[name]])

    def bare(self) -> Source:
        name = self.of(*OPEN)
        before = f"{name}." if name == "jobs" else self.of("", "", f"{name}.")  # `salary` alone is somebody else's
        return Source(name, [(before + column, kind) for column, kind in OPEN[name]])

    def joined(self) -> Source:
        first, second, on = self.chance.choice(_LINKS)
        a, b = self.table("a", first), self.table("b", second)
        kinds = ["join", "inner join", "left join", "left outer join", "right join"]
        if self.dialect != "mysql":
            kinds.append("full join")
        text = f"{a.text} {self.of(*kinds)} {b.text} on {on.replace('<A>', 'a').replace('<B>', 'b')}"
        terms = a.terms + b.terms
        if self.odds(0.1):
            return Source(f"{a.text}, {b.text}", terms)
        if self.odds(0.12) and first != second:
            shared = [name for name, _ in OPEN[first] if name in dict(OPEN[second]) and name in ("city", "level")]
            if shared:
                text = f"{a.text} {self.of('join', 'left join')} {b.text} using ({shared[0]})"
        if self.odds(0.3):
            third = self.table("c")
            kind = self.of("int", "text")
            met = f"{self.value(kind, terms, 0)} = {self.value(kind, third.terms, 0)}"
            text += f" {self.of('join', 'left join')} {third.text} on {met}"
            terms = terms + third.terms
        return Source(text, terms)
