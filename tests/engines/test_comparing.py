"""Whether rows say the same, and by which rule they miss."""

from collections.abc import Sequence
from datetime import UTC, date, datetime, time
from decimal import Decimal
from typing import Any

import pytest

from resolvers.engines.answering import comparing
from resolvers.engines.answering.comparing import RightAnswer, misses, of_json, right_query, same_answer


def test_rows_are_compared_as_a_multiset_of_values() -> None:
    assert same_answer([(1, "a"), (2, "b")], [("b", 2), ("a", 1)])
    assert same_answer([(Decimal("1.50"), date(2024, 1, 2))], [(1.5, datetime.fromisoformat("2024-01-02"))])
    assert same_answer([(0.1 + 0.2,)], [(0.3,)])
    assert same_answer([], [])
    assert not same_answer([(1,), (1,)], [(1,)])
    assert not same_answer([(1,), (1,), (2,)], [(1,), (2,), (2,)])
    assert not same_answer([("a",)], [("A",)])
    assert not same_answer([(1, 2)], [(1, 2, 3)])
    assert not same_answer([(1.5,)], [(1.51,)])
    assert not same_answer([(1, 3), (2, 4)], [(1, 4), (2, 3)]), "columns fit and rows do not"


def test_columns_of_equal_values_are_told_apart_by_their_rows() -> None:
    assert same_answer([(1, 2, "x"), (2, 1, "y")], [(2, 1, "x"), (1, 2, "y")])
    assert not same_answer([(1, 2, "x"), (2, 1, "y")], [(1, 1, "x"), (2, 2, "y")])


def test_odd_values_are_compared_too() -> None:
    odd = (float("nan"), [1, 2], {"a": 1}, b"\x01", time(1, 2), None)
    assert same_answer([odd], [(float("nan"), [1, 2], {"a": 1}, b"\x01", time(1, 2), None)])
    assert same_answer([(datetime(2024, 1, 2, 3, tzinfo=UTC),)], [(datetime.fromisoformat("2024-01-02T03:00:00"),)])
    assert same_answer(
        [of_json(["2024-01-02T03:00:00Z", "2024-01-02"])],
        [(datetime.fromisoformat("2024-01-02T03:00:00"), date(2024, 1, 2))],
    )
    assert of_json(["2024-13-45T99:00", 1]) == ("2024-13-45T99:00", 1), "what is no moment stays a text"


Rows = Sequence[tuple[Any, ...]]


@pytest.mark.parametrize(
    ("right", "answer", "told"),
    [
        pytest.param([(1,), (2,)], [(1,)], {"missing_rows": 1}, id="fewer"),
        pytest.param([(1,)], [(1,), (2,), (3,)], {"extra_rows": 2}, id="more"),
        pytest.param([(1,), (2,)], [(1,), (3,)], {"missing_rows": 1, "extra_rows": 1}, id="others"),
        pytest.param([], [(1,)], {"extra_rows": 1}, id="nothing is right"),
        pytest.param([(1,)], [], {"missing_rows": 1}, id="nothing is answered"),
        pytest.param([(5,)], [(7,)], {"other_values": 1}, id="one figure"),
        pytest.param([("a", 1), ("b", 2)], [("a", 1), ("b", 3)], {"other_values": 1}, id="a figure beside a name"),
        pytest.param([("a", 1), ("b", 2)], [(1, "b"), (2, "a")], {"other_values": 2}, id="figures of one another"),
        pytest.param([("a", 1), ("b", 2)], [("a", 9)], {"missing_rows": 1, "other_values": 1}, id="fewer and others"),
        pytest.param([("a", 1)], [("a",), ("b",)], {"missing_columns": 1, "extra_rows": 1}, id="a column less"),
        pytest.param([("a",)], [("a", 1, 2)], {"extra_columns": 2}, id="columns more"),
        pytest.param([("a", 1), ("b", 2)], [("c", 5), ("d", 6)], {"missing_rows": 2, "extra_rows": 2}, id="all other"),
    ],
)
def test_each_way_to_miss_has_its_rule(right: Rows, answer: Rows, told: dict[str, int]) -> None:
    found = misses(RightAnswer(tuple(right)), answer)
    assert {one.rule.value: one.count for one in found} == told
    assert all(one.message.endswith(".") for one in found)


def test_order_is_a_rule_of_its_own_and_ties_are_none() -> None:
    right = RightAnswer((("a", 1), ("b", 2), ("c", 2)), ((1,), (2,), (2,)))
    assert misses(right, [(1, "a"), (2, "c"), (2, "b")]) == []
    (told,) = misses(right, [("b", 2), ("a", 1), ("c", 2)])
    assert (told.rule, told.count) == ("other_order", 3)
    assert misses(RightAnswer(right.rows), [("b", 2), ("a", 1), ("c", 2)]) == []


def test_a_figure_beside_the_right_columns_may_be_allowed() -> None:
    right = RightAnswer((("a",), ("b",)))
    assert misses(right, [(2, "a"), (1, "b")], extra_columns=True) == []
    (told,) = misses(right, [(2, "a"), (1, "c")][:1], extra_columns=True)
    assert (told.rule, told.message) == ("missing_rows", "1 row of the right answer is missing.")
    assert [one.rule for one in misses(RightAnswer((), width=2), [], width=1)] == ["missing_columns"]


@pytest.mark.parametrize(
    ("sql", "keys", "added"),
    [
        ("select name from kite", None, 0),
        ("select name, price as cost from kite order by cost, 1", (1, 0), 0),
        ("select name from kite order by price", (-1,), 1),
        ("select name, price from kite order by kite.price, name", (-1, 0), 1),
        ("select * from kite order by price", (-1,), 1),
        ("select distinct name from kite order by name", (0,), 0),
        ("select distinct lower(name) from kite order by lower(name)", (), 0),
        ("select name from kite union select name from maker order by name", (0,), 0),
        ("select (select 1 order by 1) as one from kite", None, 0),
    ],
)
def test_a_right_query_tells_by_what_its_rows_are_ordered(sql: str, keys: tuple[int, ...] | None, added: int) -> None:
    asked = right_query(sql)
    assert (asked.keys, asked.added) == (keys, added)
    assert (asked.sql == sql) is (added == 0)


def test_what_was_added_to_a_right_query_is_no_part_of_the_answer() -> None:
    answer = right_query("select name from kite order by price").answer([("Swift", 20), ("Rook", 35)], 2)
    assert (answer.rows, answer.keys, answer.columns) == ((("Swift",), ("Rook",)), ((20,), (35,)), 1)
    placed = right_query("select distinct lower(name) from kite order by lower(name)").answer([("a",), ("b",)])
    assert placed.keys == ((0,), (1,))


def test_columns_that_hold_the_same_are_not_tried_one_for_another(monkeypatch: pytest.MonkeyPatch) -> None:
    tried: list[Any] = []
    monkeypatch.setattr(comparing, "_turned", lambda rows, order: tried.append(order) or list(rows))
    right = RightAnswer(tuple((None,) * 12 + (at, at % 7) for at in range(50)))
    assert misses(right, [(None,) * 12 + (at, at % 5) for at in range(50)])
    assert len(tried) < 5
