"""The rows behind groups, and the sketches that tell how sets of them differ."""

from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from resolvers.engines.sql_guard.sketches import MOST_FEW, combined, is_few, point_of, sketch_of, tell_few, whole_of
from tests.engines.sql_guard.office import guarded, office, policy

POINTS = [point_of((row,)) for row in range(60)]
SETS = st.frozensets(st.integers(0, 59))


@given(SETS, SETS, SETS, st.sampled_from([2, 5, 40]), st.sampled_from([1, -1]))
def test_a_sketch_tells_exactly_whether_few_rows_are_left(
    a: frozenset[int], b: frozenset[int], c: frozenset[int], few: int, sign: int
) -> None:
    kept = [sketch_of([POINTS[row] for row in rows], few) for rows in (a, b, c)]
    left = [(row in a) - (row in b) + sign * (row in c) for row in range(60)]
    many = sum(value != 0 for value in left)
    made = combined([(1, kept[0]), (-1, kept[1]), (sign, kept[2])])
    assert is_few(made, few) == (0 < many < min(few, MOST_FEW))
    assert is_few(made, 3) == (0 < many < min(few, 3))
    assert is_few(combined([(1, kept[0]), (-1, kept[1])]), few) == (0 < len(a ^ b) < min(few, MOST_FEW))


def test_sets_of_which_the_number_alone_is_known_are_told_as_few_in_doubt() -> None:
    many = (1000,)
    assert not tell_few([many], [(1000,)], 5)
    assert tell_few([many], [(1001,)], 5)
    assert tell_few([many], [(996,)], 5)
    assert not tell_few([many], [(1005,)], 5)
    assert whole_of([sketch_of(POINTS[:9], 5), many]) == (1009,)


def test_a_key_is_the_same_point_in_every_query_and_values_are_told_apart() -> None:
    assert point_of((1, "a")) == point_of([1, "a"])
    keys = [(1,), ("1",), (1, None), (None, 1), ("a", "b"), ("a, 'b",)]
    assert len({point_of(key) for key in keys}) == len(keys)


@pytest.mark.parametrize(
    "text",
    [
        "select dept, count(*) from staff group by dept",
        "select upper(dept) as d, count(*) from staff where id > 3 group by 1 order by 2 desc limit 1",
        "select s.dept, count(distinct s.id) from staff s join orders o on o.staff_id = s.id group by s.dept",
        "with most as (select max(amount) as amount from orders) "
        "select s.dept, count(distinct s.id) from staff s cross join most group by s.dept",
        "with x as (select dept, count(*) as n from staff group by dept) select * from x where n > 6",
        "select dept, n from (select dept, count(*) as n from staff group by dept) as x where n > 6",
    ],
)
def test_the_rows_behind_groups_are_those_that_are_counted(text: str) -> None:
    found = guarded(text, policy("minimum_group_size", tables=("staff",), minimum=2))
    (behind,) = found.behind
    assert behind.query is not None
    assert (behind.table, behind.column, behind.least) == ("s.memory.main.staff", None, 2)
    connection = office()
    rows = connection.execute(behind.query.sql("duckdb")).fetchall()
    sizes: dict[object, int] = {}
    for *key, _ in rows:
        sizes[tuple(key)] = sizes.get(tuple(key), 0) + 1
    shown = [tuple(row) for row in connection.execute(found.query.sql("duckdb")).fetchall()]
    counted = {(*key, many) for key, many in sizes.items()}
    assert shown
    assert set(shown) <= counted


def test_a_table_without_a_key_is_told_by_what_may_be_read_of_it() -> None:
    rules = (
        policy("minimum_group_size", tables=("orders",), minimum=2),
        policy("forbid", columns=("orders.amount",)),
    )
    (behind,) = guarded("select count(*) from orders where oid < 50", *rules).behind
    assert behind.query is not None
    assert "amount" not in behind.query.sql("duckdb")
    rows = office().execute(behind.query.sql("duckdb")).fetchall()
    assert (len(rows), len(rows[0])) == (50, 3)
    assert rows == list(dict.fromkeys(rows))


def test_only_rows_that_have_a_value_are_behind_an_aggregate_of_a_protected_column() -> None:
    (behind,) = guarded(
        "select avg(boss_id) from staff", policy("aggregate_only", columns=("staff.boss_id",), minimum=3)
    ).behind
    assert behind.query is not None
    assert (behind.column, behind.least, behind.keys) == ("boss_id", 3, 0)
    rows = office().execute(behind.query.sql("duckdb")).fetchall()
    assert sorted(rows) == [(id,) for id in range(1, 20)]


def test_what_is_read_for_each_row_of_another_table_has_no_rows_of_its_own() -> None:
    text = "select dept, (select count(*) from staff s where s.dept = d.dept) from depts d"
    (behind,) = guarded(text, policy("minimum_group_size", tables=("staff",), minimum=2)).behind
    assert behind.query is None
    rules = (
        policy("minimum_group_size", tables=("depts",), minimum=2),
        policy("forbid", columns=("depts.dept", "depts.title")),
    )
    (behind,) = guarded("select count(*) from depts", *rules).behind
    assert behind.query is None, "nothing that may be read tells one row from another"


def test_queries_without_protected_tables_have_nothing_behind_them() -> None:
    for effect, how in product(("mask", "forbid"), ({"columns": ("staff.email",)},)):
        assert guarded("select count(*) from staff", policy(effect, **how)).behind == ()
