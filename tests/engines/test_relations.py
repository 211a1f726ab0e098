"""How tables belong together and what is remarkable about them, from facts and figures alone."""

from collections.abc import Sequence
from typing import Any

import pytest

from resolvers.engines.describing.known import DescribedTable, Surroundings
from resolvers.engines.intelligence.insights import Brief, brief_of, scope_insights, table_insights
from resolvers.engines.intelligence.relations import KeyOf, keys_of, relations_of
from schema.data_readiness.profile import ForeignKeyCandidate
from tests.engines.test_words import SCHEMA, figures, profile, subject
from tests.world import Clock


def key(name: str, kind: str | None = "BIGINT") -> KeyOf:
    """The key of a table, `table.column`."""
    table, column = name.split(".")
    return KeyOf(f"{SCHEMA}.{table}", column, kind)


def related(of: DescribedTable, *keys: KeyOf) -> dict[str, dict[str, Any]]:
    """Return what is found, by the end of the asset's name and the type."""
    found = relations_of(of, keys_of(keys, Surroundings()))
    return {f"{one.asset_fqn.removeprefix(SCHEMA + '.')} {one.value['type']}": one.value for one in found}


def candidate(column: str, target: str, rate: float = 1.0, **given: Any) -> ForeignKeyCandidate:
    """A foreign key that values show."""
    table, name = target.split(".")
    values = {
        "columns": [column], "target_fqn": f"{SCHEMA}.{table}", "target_columns": [name], "match_rate": rate,
        "is_declared": False, "is_exact": True,
    }  # fmt: skip
    return ForeignKeyCandidate.model_validate(values | given)


@pytest.mark.parametrize(
    ("column", "keys", "expected"),
    [
        ("customer_id:BIGINT", [key("customers.id")], "customers"),
        ("cust_no:BIGINT", [key("customers.no")], "customers"),
        ("CustomerId:INTEGER", [key("Customer.CustomerId")], "Customer"),
        ("emp_code:TEXT", [key("tbl_employees.code", "VARCHAR")], "tbl_employees"),
        ("customer_id:BIGINT", [key("customers.id", "UUID")], None),
        ("customer_id:BIGINT", [key("orders.id")], None),
        ("id:BIGINT", [key("customers.id")], None),
        ("customer_id:BIGINT", [key("customers.id"), key("customers.part")], None),
        ("number:BIGINT", [key("customers.number"), key("people.number")], None),
        ("customer:BIGINT", [key("customers.id")], None),
    ],
)
def test_a_name_points_to_one_key_or_to_none(column: str, keys: list[KeyOf], expected: str | None) -> None:
    found = related(subject("orders", "key:BIGINT:pk", column), *keys)
    assert [one["table"] for one in found.values()] == ([] if expected is None else [expected])


def test_a_column_never_points_to_its_own_table_by_name() -> None:
    assert related(subject("orders", "order_id:BIGINT:pk", "parent:BIGINT"), key("orders.order_id")) == {}


@pytest.mark.parametrize(
    ("rate", "distinct", "names", "sure"),
    [(1.0, 50, True, 0.95), (1.0, 50, False, 0.7), (0.95, 50, True, 0.9), (1.0, 5, False, 0.5), (0.89, 50, True, None),
     (0.95, 5, False, None)],
)  # fmt: skip
def test_values_and_names_speak_together(rate: float, distinct: int, names: bool, sure: float | None) -> None:
    measured = profile(
        figures("ward_id", distinct_count=distinct), foreign_keys=[candidate("ward_id", "wards.id", rate)]
    )
    of = subject("stays", "key:BIGINT:pk", "ward_id:BIGINT", profile=measured)
    found = relations_of(of, keys_of([key("wards.id")] if names else [], Surroundings()))
    assert [one.confidence for one in found] == ([] if sure is None else [sure])


def test_the_name_decides_between_targets_that_hold_all_values() -> None:
    measured = profile(
        figures("ward_id", distinct_count=50),
        foreign_keys=[candidate("ward_id", "numbers.n"), candidate("ward_id", "wards.id", 0.97)],
    )
    of = subject("stays", "key:BIGINT:pk", "ward_id:BIGINT", profile=measured)
    assert related(of, key("wards.id"))["stays.ward_id FOREIGN_KEY"]["table"] == "wards"


def test_a_key_does_not_refer_back_to_what_refers_to_it() -> None:
    measured = profile(figures("id", distinct_count=100), foreign_keys=[candidate("id", "stays.ward_id")])
    around = Surroundings(referrers={f"{SCHEMA}.wards": [(f"{SCHEMA}.stays", "ward_id", "id")]})
    assert related(subject("wards", "id:BIGINT:pk", profile=measured, around=around)) == {}
    counted = profile(figures("id", distinct_count=100), foreign_keys=[candidate("id", "numbers.n")])
    assert related(subject("wards", "id:BIGINT:pk", profile=counted)) == {}, "two keys that count from 1"


@pytest.mark.parametrize(
    ("given", "cardinality", "optional"),
    [
        ({"distinct_count": 100}, "one_to_one", False),
        ({"distinct_count": 40}, "many_to_one", False),
        ({"distinct_count": 90, "null_count": 10}, "one_to_one", True),
        ({"distinct_count": 100, "approximate": ["distinct_count"]}, "many_to_one", False),
    ],
)
def test_joins_along_declared_keys_come_to_what_figures_show(
    given: dict[str, Any], cardinality: str, optional: bool
) -> None:
    of = subject("stays", "id:BIGINT:pk", "ward_id:BIGINT:>wards.id", profile=profile(figures("ward_id", **given)))
    joined = related(of)["stays.ward_id JOIN"]
    assert (joined["cardinality"], joined["optional"]) == (cardinality, optional)


def test_bridges_and_subtypes() -> None:
    bridge = subject("stay_nurses", "stay_id:INT:pk:>stays.id", "nurse_id:INT:pk:>nurses.id", "since:DATE")
    assert related(bridge)["stay_nurses MANY_TO_MANY"]["between"] == [
        {"schema": "app", "table": "stays"}, {"schema": "app", "table": "nurses"}
    ]  # fmt: skip
    wide = subject("visits", "a:INT:pk:>as.id", "b:INT:pk:>bs.id", "c:INT", "d:INT", "e:INT")
    assert related(wide) == {}
    subtype = subject("nurses", "person_id:INT:pk:>people.id", "grade:TEXT")
    assert related(subtype)["nurses SUBTYPE_OF"] == {
        "type": "SUBTYPE_OF", "schema": "app", "table": "people", "columns": ["person_id"], "target_columns": ["id"],
    }  # fmt: skip
    assert related(subject("nurses", "id:INT:pk", "person_id:INT:>people.id")) == {}


def brief(name: str, rows: int | None = 10, **given: Any) -> Brief:
    """A table among others."""
    values: dict[str, Any] = {
        "fqn": f"{SCHEMA}.{name}", "rows": rows, "is_exact": True, "form": name, "columns": 4, "personal": (),
        "refers": frozenset(), "is_view": False,
    }  # fmt: skip
    return Brief(**(values | given))


def kinds(briefs: Sequence[Brief], violations: dict[str, dict[str, int]] | None = None) -> list[tuple[str, str]]:
    """The insights, as (kind, table)."""
    return [(one.kind, one.asset_fqn.removeprefix(f"{SCHEMA}.")) for one in scope_insights(briefs, violations or {})]


def test_tables_beside_one_another() -> None:
    assert kinds([brief("a"), brief("b")]) == [], "two tables have no largest one"
    assert kinds([brief("a", 10), brief("b", 10), brief("c", 70)]) == [("largest_table", "c")]
    twins = [brief("a", form="f"), brief("b", form="f"), brief("c", form="f", is_view=True)]
    assert kinds(twins) == [("duplicate_table", "b")]
    assert kinds([brief("a", form="f", columns=2), brief("b", form="f", columns=2)]) == []
    related = [brief(name, refers=frozenset({f"{SCHEMA}.hub"})) for name in "abc"]
    assert kinds([*related, brief("hub"), brief("alone")]) == [("orphan_table", "alone")]
    assert kinds([brief(name) for name in "abcde"]) == [], "where nothing is related, nothing is an orphan"
    assert kinds([brief("a", personal=("x", "y")), brief("b", personal=("x", "y", "z"))]) == [("personal_data", "b")]


def test_what_is_stale_is_so_beside_the_others() -> None:
    now = Clock()()
    old, new = {"newest": "2020-01-01", "measured_at": now}, {"newest": now.isoformat(), "measured_at": now}
    assert kinds([brief("a", **old), brief("b", **new)]) == [("stale_table", "a")]
    assert kinds([brief("a", **old), brief("b", **old)]) == [], "an archive is as old everywhere"
    assert kinds([brief("a", **old)]) == [("stale_table", "a")]
    assert kinds([brief("a", newest="not a day", measured_at=now)]) == []


def test_the_worst_tables_are_those_with_the_heaviest_violations() -> None:
    found = scope_insights([], {f"{SCHEMA}.a": {"low": 5}, f"{SCHEMA}.b": {"critical": 1, "low": 1}})
    assert [one.asset_fqn for one in found] == [f"{SCHEMA}.b", f"{SCHEMA}.a"]
    assert found[0].sentence == "`app.b` has 2 open violations: 1 critical and 1 low."


def test_the_age_of_a_person_is_not_the_age_of_a_table() -> None:
    measured = profile(figures("birth_date"), freshness_column="birth_date", newest="1990-05-05")
    assert brief_of(subject("members", "id:INT:pk", "birth_date:DATE", profile=measured)).newest is None
    placed = profile(figures("placed_at"), freshness_column="placed_at", newest="1990-05-05")
    assert brief_of(subject("orders", "id:INT:pk", "placed_at:DATE", profile=placed)).newest == "1990-05-05"


def test_a_table_by_itself() -> None:
    one = figures("gap", null_count=100, distinct_count=0)
    two = figures("fixed", distinct_count=1)
    found = table_insights(subject("things", "id:INT:pk", "gap:TEXT", "fixed:TEXT", profile=profile(one, two)))
    assert [(each.kind, each.figures["columns"]) for each in found] == [
        ("empty_columns", ["gap"]), ("constant_columns", ["fixed"])
    ]  # fmt: skip
    guessed = figures("gap", null_count=100, distinct_count=0, approximate=["null_count"])
    assert table_insights(subject("things", "id:INT:pk", "gap:TEXT", profile=profile(guessed))) == []
    assert [each.kind for each in table_insights(subject("things", "id:INT:pk", profile=profile(rows=0)))] == [
        "empty_table"
    ]
    sampled = profile(rows=0, approximate=["row_count"])
    assert table_insights(subject("things", "id:INT:pk", profile=sampled)) == []
    assert table_insights(subject("things", "id:INT:pk")) == []
