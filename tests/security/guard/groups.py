"""Drafts that try to see single rows of a table that is shown only in groups, and the ground that tells.

Visits to four wards: two of many rows, one of three and one of one. What each of two policies protects differs between
two states, and no answer may. Under a minimum group size one row of the small ward differs. Where a column is only to
be aggregated, two rows of a ward have exchanged their values, so that its totals are the same. Every draft chooses
fewer rows than the policy asks for, or goes by ward. Besides, what only a single row or a small ward bears is marked.
"""

import random
from collections.abc import Iterable
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Final

import duckdb
import psycopg

from resolvers.engines.sql_guard import Effect, Policy, Table
from tests.security.guard.drafts import SEED, filled
from tests.security.guard.engines import Outcome

LEAST: Final = 5
SMALL: Final = ("east", "west")
DRAFTS: Final = 300

COLUMNS: Final = {
    "visits": (("id", "INTEGER"), ("patient", "VARCHAR"), ("ward", "VARCHAR"), ("age", "INTEGER"), ("cost", "INTEGER")),
    "wards": (("id", "INTEGER"), ("name", "VARCHAR")),
}
TABLES: Final = [
    Table(
        f"care.live.main.{name}",
        "live",
        "main",
        name,
        tuple(one for one, _ in of),
        tuple(one for _, one in of),
        key="id",
    )
    for name, of in COLUMNS.items()
]


@dataclass(frozen=True, slots=True)
class Ground:
    """A policy, and the rows of the visits in the two states that differ in what it protects."""

    policy: Policy
    states: tuple[list[tuple[Any, ...]], list[tuple[Any, ...]]]
    marks: frozenset[str]
    """What no answer may bear."""


def _visits() -> list[tuple[Any, ...]]:
    wards = ("north",) * 12 + ("south",) * 9 + ("east",) * 3 + ("west",)
    return [
        (at, f"patient {at:02d}", ward, 40 + at % 2 if at < 22 else 70, 611_000 + at * at * 37)
        for at, ward in enumerate(wards, 1)
    ]


def _changed(rows: Iterable[tuple[Any, ...]], costs: dict[int, int], ages: dict[int, int]) -> list[tuple[Any, ...]]:
    return [(*row[:3], ages.get(row[0], row[3]), costs.get(row[0], row[4])) for row in rows]


def grounds() -> dict[str, Ground]:
    """The ground of each policy."""
    rows = _visits()
    cost = {row[0]: row[4] for row in rows}
    one = _changed(rows, {23: 650_001}, {23: 71})
    exchanged = _changed(rows, {3: cost[5], 5: cost[3], 22: cost[24], 24: cost[22]}, {})
    told = {str(row[4]) for row in (*rows, *one)}
    told |= {str(sum(row[4] for row in state if row[2] == ward)) for state in (rows, one) for ward in SMALL}
    names = {row[1] for row in rows}
    size = Policy("p1", "Small wards", Effect.MINIMUM_GROUP_SIZE, tables=("main.visits",), minimum=LEAST)
    only = Policy("p2", "Costs", Effect.AGGREGATE_ONLY, columns=("main.visits.cost",), minimum=LEAST)
    return {
        "minimum group size": Ground(size, (rows, one), frozenset({*told, *names, *SMALL})),
        "aggregate only": Ground(only, (rows, exchanged), frozenset(told)),
    }


_FEW: Final = (
    "v.ward = 'east'", "v.ward in ('east', 'west')", "v.id = 23", "v.id = 3", "v.id in (3, 22)",
    "v.patient = 'patient 23'",
    "v.patient like '%03'", "v.id between 22 and 25", "v.id > 22", "not v.id < 23", "v.id * 2 = 46", "v.id % 23 = 0",
    "v.id = (select max(w.id) from wards w) + 19", "exists (select 1 from wards w where w.name = v.ward and w.id = 3)",
    "v.ward in (select w.name from wards w where w.id > 2)", "v.cost > 611000 and v.id = 3", "v.id = 23 or v.id = 3",
)  # fmt: skip
"""What chooses fewer rows than a group must have."""
_ROW: Final = (
    "v.cost", "v.cost + 0", "-v.cost", "abs(v.cost)", "cast(v.cost as bigint)", "coalesce(v.cost, 0)",
    "v.cost * 2 - v.cost",
    "case when v.cost > <K> then 1 else 0 end", "nullif(v.cost, <K>)", "v.cost % 100", "greatest(v.cost, 0)",
    "(v.cost)",
    "first_value(v.cost) over (order by v.id)", "sum(v.cost) over (partition by v.id)", "v.cost > <K>",
)  # fmt: skip
_MANY: Final = (
    "count(*)", "sum(v.cost)", "avg(v.cost)", "max(v.cost)", "min(v.cost)", "count(distinct v.cost)", "stddev(v.cost)",
    "sum(v.cost) + 0", "sum(v.cost) / count(*)", "sum(distinct v.cost)", "sum(v.cost * v.id)", "avg(v.cost * 1.0)",
    "sum(case when v.id = 23 then v.cost end)", "sum(case when v.id = 3 then v.cost else 0 end)", "count(v.cost)",
    "sum(v.cost) filter (where v.id = 3)", "count(case when v.cost > <K> then 1 end)", "max(v.patient)", "sum(v.age)",
    "sum(nullif(v.cost, <K>))", "avg(v.cost) over ()", "min(v.cost) + max(v.cost)", "-sum(-v.cost)",
    "count(distinct v.id)",
)  # fmt: skip
_BY: Final = (
    "v.ward",
    "v.id",
    "v.patient",
    "v.ward, v.age",
    "v.cost",
    "v.ward, v.id",
    "lower(v.ward)",
    "v.id % 25",
    "v.ward, v.cost",
)
_SHAPES: Final = (
    "select <A> from visits v where <F>",
    "select v.ward, <A> from visits v group by v.ward",
    "select <G>, <A> from visits v where <F> group by <G>",
    "select <G>, <A> from visits v group by <G>",
    "select <A> from visits v join wards w on w.name = v.ward where <F>",
    "select <A> from visits v cross join wards w where <F>",
    "select <A> from visits v, wards w, wards x where <F>",
    "select <A> from visits v join visits u on u.ward = v.ward where <F>",
    "select v.* from visits v where <F>",
    "select <R> from visits v where <F>",
    "select distinct <R> from visits v where <F>",
    "select <R> from visits v where <F> order by <R> limit 1",
    "select v.id from visits v where <F> order by <R>",
    "select x.a from (select <A> as a from visits v where <F>) x",
    "select sum(x.a) from (select <R> as a from visits v where <F>) x",
    "select max(x.a) from (select v.ward as ward, <A> as a from visits v group by v.ward) x where x.ward = 'east'",
    "with c as (select <R> as a from visits v where <F>) select count(*), sum(a) from c",
    "with c as (select v.ward as ward, <A> as a from visits v group by v.ward) select w.name, c.a from "
    "wards w left join c on c.ward = w.name",
    "select w.name, (select <A> from visits v where v.ward = w.name) from wards w",
    "select w.name, (select <R> from visits v where <F> limit 1) from wards w",
    "select w.name from wards w where (select <A> from visits v where v.ward = w.name) > <K>",
    "select w.name from wards w where exists (select 1 from visits v where v.ward = w.name and v.id = 23 "
    "and v.cost > <K>)",
    "select w.id from wards w where <K> in (select <R> from visits v where <F>)",
    "select w.name from wards w join visits v on v.cost > w.id + <K> where <F>",
    "select w.name, <A> from wards w left join visits v on v.ward = w.name and <F> group by w.name",
    "select v.ward from visits v group by v.ward having <A> > <K>",
    "select v.ward, count(*) from visits v group by v.ward order by <A>",
    "select v.ward, count(*) from visits v where <F> group by v.ward having <A> < <K>",
    "select <A> from visits v where <F> union all select <A> from visits v where <F>",
    "select <A> from visits v where <F> having count(*) > 0",
    "select count(*) from visits v where <F> and v.cost > <K>",
    "select count(*) from visits v where <F> and <R> is not null",
    "select v.ward, <A> from visits v where <F> group by rollup (v.ward)",
    "select <A> from (select * from visits union all select * from visits) v where <F>",
    "select <A> from (select * from visits where id > 22) v",
    "select <A> from (select v.*, w.id as other from visits v cross join wards w) v where <F>",
    "select <A> from (select id, ward, patient, age, cost from visits) v where <F> group by v.ward",
    "select count(*) from (select <R> as a from visits v where <F>) x where x.a > <K>",
)  # fmt: skip


def drafts(policy: str, number: int = DRAFTS) -> list[str]:
    """So many drafts, no two alike, the same in every run."""
    chance = random.Random(f"{SEED}:{policy}")
    found: dict[str, None] = {}
    while len(found) < number:
        text = filled(
            chance.choice(_SHAPES),
            A=chance.choice(_MANY),
            R=chance.choice(_ROW),
            G=chance.choice(_BY),
            F=chance.choice(_FEW),
        )
        found.setdefault(filled(text, K=str(chance.choice((0, 4, 3_000, 611_500, 620_000, 632_000)))))
    return list(found)


class Wards:
    """An engine with the visits on it, without anything that restricts a reader."""

    def __init__(self, dialect: str, url: str = "") -> None:
        self.dialect = dialect
        self._session: Any = duckdb.connect() if dialect == "duckdb" else psycopg.connect(url, autocommit=True)
        for name, columns in COLUMNS.items():
            self._run(f"create table {name} ({', '.join(f'{one} {kind}' for one, kind in columns)})")
        self._run("insert into wards values (1, 'north'), (2, 'south'), (3, 'east'), (4, 'west')")

    def load(self, rows: Iterable[tuple[Any, ...]]) -> None:
        """Put the visits of a state in the place of those that stand."""
        values = ", ".join(f"({at}, '{patient}', '{ward}', {age}, {cost})" for at, patient, ward, age, cost in rows)
        self._run("delete from visits")
        self._run(f"insert into visits values {values}")

    def _run(self, statement: str) -> Any:
        return self._session.execute(statement.encode() if self.dialect == "postgres" else statement)

    def run(self, statement: str) -> Outcome:
        """Return what comes of a query: every value of it as a text."""
        try:
            return Outcome(tuple("|".join(map(_told, row)) for row in self._run(statement).fetchall()))
        except (duckdb.Error, psycopg.Error) as error:
            return Outcome(error=str(error))

    def close(self) -> None:
        """End the session."""
        self._session.close()


def _told(value: Any) -> str:
    """A value as a text: a number alike in every type and without its sign, rounded as sums of any order are alike."""
    return f"{abs(value):.10g}" if isinstance(value, int | float | Decimal) else str(value)
