"""A small version of the oracle: change a cell of a database, and see whether what moves is what was said."""

import pytest

from benchmarks.quality.lineage import by_hand, made_up
from benchmarks.quality.lineage_oracle import View, figures, judge, predicted
from benchmarks.quality.lineage_views import SHAPE


def test_what_moves_is_what_was_said_of_views_made_up_by_chance() -> None:
    found = figures(made_up("sqlite", 12, seed=3))
    assert (found.views, found.gaps, found.refused) == (12, 0, 0)
    assert found.missed == 0
    assert found.precision >= 0.9


def test_what_moves_is_what_was_said_of_some_views_by_hand() -> None:
    found = figures(one for one, _ in zip(by_hand("sqlite"), range(12), strict=False))
    assert (found.judged, found.missed) == (12, 0)
    assert found.precision >= 0.9


def test_the_oracle_finds_what_is_said_wrongly(monkeypatch: pytest.MonkeyPatch) -> None:
    view = View("v", ("create view v as select a, b from t where g > 1",))
    said, columns, gaps = predicted(view, SHAPE, "sqlite")
    assert said == {("t", "a", "a"), ("t", "b", "b"), ("t", "g", "a"), ("t", "g", "b")}
    claimed = {("t", "a", "a"), ("t", "b", "b"), ("t", "g", "a"), ("t", "s", "b")}
    monkeypatch.setattr("benchmarks.quality.lineage_oracle.predicted", lambda *_: (claimed, columns, gaps))
    judged = judge(view, SHAPE, "sqlite", seed=1)
    assert (judged.wrong, judged.missed) == ([("t", "s", "b")], [("t", "g", "b")])


def test_the_rows_whose_key_was_not_changed_show_what_a_key_decides() -> None:
    view = View("v", ("create view v as select id, a - lag(a) over (order by g, id) as n from t",), keys={0: "t.id"})
    judged = judge(view, SHAPE, "sqlite", seed=2)
    assert (judged.wrong, judged.missed) == ([], [])


def test_a_column_does_not_move_where_rows_that_are_alike_in_it_are_ordered_anew() -> None:
    view = View("v", ("create view v as select g, g + 1 as h, a from t order by g, a",), ordered_by=(0, 2))
    judged = judge(view, SHAPE, "sqlite", seed=2)
    assert (judged.wrong, judged.missed) == ([], [])
