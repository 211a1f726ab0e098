"""Whoever may only ask for groups learns nothing of a group that is too small, whatever they ask about it.

The offices differ only in a department of two at most: their number, pay, names and orders. Generated questions, each
grouped by department, must be answered alike in all, and fail alike.
"""

import random
from typing import Final

import duckdb
import pytest

from resolvers.engines.sql_guard import QueryRefused
from tests.engines.sql_guard.office import guarded, office, policy

POLICIES: Final = {
    "column": (policy("aggregate_only", columns=("staff.salary",), minimum=3),),
    "table": (policy("minimum_group_size", tables=("staff",), minimum=3),),
    "both": (
        policy("aggregate_only", columns=("staff.salary",), minimum=2),
        policy("minimum_group_size", tables=("staff",), minimum=3),
        policy("mask", columns=("staff.email",)),
    ),
}
AGGREGATES: Final = (
    "count(*)", "avg(s.salary)", "sum(s.salary)", "count(s.salary)", "count(distinct s.salary)", "stddev(s.salary)",
    "sum(s.salary) / count(*)", "1 / (avg(s.salary) - 5000)", "cast(cast(sum(s.salary) as varchar) as int)",
    "case when avg(s.salary) > 1090 then 1 else 0 end", "coalesce(sum(s.salary), 0) * 2",
)  # fmt: skip
CONDITIONS: Final = (
    "s.id > 2", "s.name like 'n%'", "s.dept <> 'd0'", "s.dept in ('d1', 'tiny')", "s.dept = 'tiny'",
    "s.email = '****'", "s.boss_id is not null", "s.born < date '1999-01-01'", "lower(s.name) <> 'n3'",
    "exists (select 1 from depts e where e.dept = s.dept)", "s.dept in (select dept from depts)",
    "not exists (select 1 from orders o2 where o2.staff_id = s.id and o2.amount > 100)",
)  # fmt: skip
JOINS: Final = (
    "", " join depts d on d.dept = s.dept", " left join depts d on d.dept = s.dept", " cross join depts d",
    " join (select distinct staff_id from orders) o on o.staff_id = s.id", " join orders o on o.staff_id = s.id",
)  # fmt: skip
HAVINGS: Final = (
    "count(*) < 3", "avg(s.salary) > 2000", "1 / (avg(s.salary) - 7777) > 0", "sum(s.salary) = 15554",
    "cast(avg(s.salary) as varchar) <> 'x'", "max(s.dept) = 'tiny'",
)  # fmt: skip
WRAPS: Final = (
    "{}", "{}", "select count(*) from ({}) x", "with x as ({}) select * from x order by 1 limit 5",
    "select k from ({}) x union select title from depts",
    "select title from depts where dept in (select k from ({}) x)",
    "select title, (select count(*) from ({}) x where x.k = depts.dept) from depts",
)  # fmt: skip


def small(people: int, pay: int, name: str) -> duckdb.DuckDBPyConnection:
    """The office with a department of few."""
    connection = office()
    for number in range(people):
        connection.execute(
            "insert into staff values (?, ?, 'tiny', ?, ?, date '1990-01-01', 3)",
            [90 + number, name, pay + number, f"{name}@example.com"],
        )
        connection.execute("insert into orders values (?, ?, 3.5, timestamp '2021-01-01')", [900 + number, 90 + number])
    connection.execute("insert into depts values ('tiny', 'Tiny')")
    return connection


def question(seed: int) -> str:
    """A question about departments."""
    dice = random.Random(seed)
    shown = ", ".join(f"{one} as a{at}" for at, one in enumerate(dice.sample(AGGREGATES, dice.randint(1, 2))))
    key = dice.choice(("s.dept", "s.dept", "upper(s.dept)"))
    where = " where " + " and ".join(dice.sample(CONDITIONS, dice.randint(1, 2))) if dice.random() < 0.7 else ""
    having = f" having {dice.choice(HAVINGS)}" if dice.random() < 0.4 else ""
    order = dice.choice(("", " order by 1", " order by a0 desc, 1", " order by count(*), 1"))
    return dice.choice(WRAPS).format(
        f"select {key} as k, {shown} from staff s{dice.choice(JOINS)}{where} group by {key}{having}{order}"
    )


def answer(connection: duckdb.DuckDBPyConnection, sent: str) -> object:
    try:
        return sorted(map(repr, connection.execute(sent).fetchall()))
    except duckdb.Error as error:
        return type(error).__name__


@pytest.mark.parametrize("kind", POLICIES)
def test_a_group_that_is_too_small_changes_no_answer(kind: str) -> None:
    offices = [small(2, 7777, "ada"), small(1, 1, "bo"), small(0, 0, "")]
    if kind == "column":  # only the pay is protected
        offices = [small(2, pay, "ada") for pay in (7777, 1, 5000)]
    told, same = 0, 0
    for seed in range(130):
        text = question(seed)
        try:
            sent = guarded(text, *POLICIES[kind]).query.sql("duckdb")
        except QueryRefused:
            continue
        told += 1
        answers = [answer(one, sent) for one in offices]
        assert answers[0] == answers[1] == answers[2], (text, sent)
        plain = guarded(text).query.sql("duckdb")
        same += answer(offices[0], plain) == answer(offices[1], plain) == answer(offices[2], plain)
    assert told > 65
    assert same < told * 0.7, "without policies many answers differ, or the test would show nothing"
