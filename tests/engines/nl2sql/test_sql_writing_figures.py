"""Plans of figures over joins, groups and other plans are written as queries that answer rightly, on DuckDB."""

from dataclasses import replace
from decimal import Decimal
from typing import Any

import pytest

from resolvers.engines.nl2sql.joining.joins import joins_of
from resolvers.engines.nl2sql.plan import (
    Aggregate,
    Arithmetic,
    Both,
    Combined,
    Either,
    Expression,
    Figure,
    Member,
    Nested,
    Operator,
    Output,
    Plan,
    Related,
    Share,
    Span,
    Unit,
)
from resolvers.engines.nl2sql.sql_writing.comparing import Unwritable
from resolvers.engines.nl2sql.sql_writing.query import written
from resolvers.engines.sql_guard import guard_sql, tables_of_catalog
from tests.engines.nl2sql.plans import (
    COUNT,
    CUSTOMER,
    EMPLOYEE,
    LINE,
    NAME,
    ORDERS,
    PRODUCT,
    TOTAL,
    best,
    column,
    day,
    equal,
    figure,
    number,
    outputs,
    rows_of,
    single,
    text,
    where,
)
from tests.engines.nl2sql.shop import ROWS, answer, fqn, known, ordered, rows, sql, table
from tests.engines.nl2sql.test_joining import memory

# Joins and figures.


def test_rows_are_not_multiplied_by_what_they_are_chosen_by() -> None:
    tea = equal("product.title", text("Tea"))
    assert answer(Plan(CUSTOMER, outputs("customer.id"), tea)) == [(1,), (3,)]
    assert answer(Plan(CUSTOMER, outputs(COUNT), tea)) == [(2,)]
    assert answer(Plan(ORDERS, outputs(TOTAL), tea)) == [(Decimal("40.00"),)]
    both = Both((tea, where("line.amount", Operator.MORE, number(3))))
    assert answer(Plan(CUSTOMER, outputs("customer.id"), both)) == [(1,)]  # the same line is both
    assert "EXISTS" in sql(Plan(CUSTOMER, outputs("customer.id"), tea))


def test_what_is_shown_is_joined() -> None:
    plan = Plan(ORDERS, outputs("orders.id", "customer.name"), equal("customer.city", text("Rome")))
    assert answer(plan) == [(3, "Bob"), (4, "Ann")]
    assert "EXISTS" not in sql(plan)
    plan = Plan(CUSTOMER, outputs("customer.name", "product.title"), where("line.amount", Operator.MORE, number(3)))
    assert answer(plan) == [("Ann", "Oil"), ("Ann", "Tea")]


def test_tables_that_no_term_names_are_joined_when_asked_for() -> None:
    assert answer(Plan(CUSTOMER, outputs(figure(Aggregate.COUNT, "customer.id", distinct=True)), also=(ORDERS,))) == [
        (3,)
    ]
    assert answer(Plan(CUSTOMER, outputs(COUNT), also=(ORDERS,))) == [(3,)]


def test_rows_of_the_counted_table_are_counted_once() -> None:
    assert answer(Plan(CUSTOMER, outputs("product.title", COUNT))) == [("Jam", 2), ("Oil", 1), ("Tea", 2)]
    assert answer(Plan(CUSTOMER, outputs("product.title", rows_of("orders")))) == [("Jam", 2), ("Oil", 1), ("Tea", 3)]
    assert answer(Plan(CUSTOMER, outputs("product.title", rows_of("line")))) == [("Jam", 2), ("Oil", 1), ("Tea", 3)]


def test_sums_beside_multiplied_rows_take_each_row_once() -> None:
    plan = Plan(ORDERS, outputs("product.title", TOTAL, COUNT))
    assert answer(plan) == [("Jam", Decimal("15.50"), 2), ("Oil", Decimal("10.00"), 1), ("Tea", Decimal("40.00"), 3)]
    average = Plan(ORDERS, outputs("product.title", figure(Aggregate.AVG, "orders.total")), orders=best(TOTAL), limit=1)
    (row,) = answer(average)
    assert row[0] == "Tea"
    assert row[1] == pytest.approx(40 / 3)
    more = replace(plan, having=where(TOTAL, Operator.MORE, number(15)), orders=best(TOTAL))
    assert [row[0] for row in answer(more)] == ["Tea", "Jam"]


def test_counts_of_values_beside_multiplied_rows_take_each_row_once() -> None:
    plan = Plan(ORDERS, outputs("product.title", figure(Aggregate.COUNT, "orders.note")))
    assert answer(plan) == [("Jam", 2), ("Oil", 1), ("Tea", 2)]
    plan = Plan(ORDERS, outputs("product.title", figure(Aggregate.COUNT, "orders.total", distinct=True)))
    assert answer(plan) == [("Jam", 2), ("Oil", 1), ("Tea", 2)]
    plan = Plan(ORDERS, outputs("product.title", figure(Aggregate.MAX, "orders.total")))
    assert answer(plan) == [("Jam", Decimal("10.00")), ("Oil", Decimal("10.00")), ("Tea", Decimal("20.00"))]


def test_sums_of_two_tables_at_once_are_refused_rather_than_wrong() -> None:
    with pytest.raises(Unwritable, match="one figure at a time"):
        sql(Plan(ORDERS, outputs("product.title", TOTAL, figure(Aggregate.SUM, "line.amount"))))


def test_products_of_columns_of_two_tables_are_summed_over_the_finer_one() -> None:
    revenue = Figure(Aggregate.SUM, Arithmetic("*", column("line.amount"), column("product.price")))
    plan = Plan(CUSTOMER, outputs("customer.id", revenue))
    assert answer(plan) == [(1, 19.0), (2, 4.0), (3, 2.5)]


def test_tables_without_any_key_are_not_counted_beside_others() -> None:
    knowledge = known(
        table("visit", "place VARCHAR, guest VARCHAR"),
        table("town", "place VARCHAR, mayor VARCHAR"),
        memories=[memory({"left": "visit.place", "right": "town.place"})],
    )
    plan = Plan(fqn("visit"), outputs("town.mayor", COUNT))
    with pytest.raises(Unwritable, match="counted more than once"):
        sql(plan, knowledge)


def test_a_join_memory_with_more_than_columns_is_written_as_it_says() -> None:
    content = {"condition": "orders.customer_id = customer.id AND orders.total > 9"}
    knowledge = known(memories=[memory(content)])
    plan = Plan(ORDERS, outputs("orders.id", "customer.name"))
    found = written(plan, knowledge, joins_of(knowledge)).sql(dialect="duckdb")
    assert '"orders"."total" > 9' in found
    assert ordered(run(found)) == [(1, "Ann"), (2, "Ann"), (4, "Ann")]


def run(query: str) -> list[tuple[Any, ...]]:
    """The rows of a query over the shop."""
    import duckdb

    database = duckdb.connect(":memory:")
    try:
        database.execute(ROWS)
        return database.execute(query).fetchall()
    finally:
        database.close()


def test_a_number_and_a_text_are_joined_by_what_they_say() -> None:
    knowledge = known(
        table("hall", "hall_id INTEGER!, name VARCHAR", key=["hall_id"]),
        table("event", "id INTEGER!, hall_id VARCHAR", key=["id"]),
    )
    setup = "CREATE TABLE hall(hall_id INTEGER, name VARCHAR); INSERT INTO hall VALUES (1, 'A'), (2, 'B');"
    setup += "CREATE TABLE event(id INTEGER, hall_id VARCHAR); INSERT INTO event VALUES (7, '2'), (8, 'x');"
    assert answer(Plan(fqn("event"), outputs("event.id", "hall.name")), knowledge=knowledge, setup=setup) == [(7, "B")]


# Groups.


def test_those_of_the_same_name_stay_apart() -> None:
    plan = Plan(CUSTOMER, outputs("customer.name", rows_of("orders")))
    assert answer(plan) == [("Ann", 1), ("Ann", 2), ("Bob", 1)]
    assert answer(Plan(CUSTOMER, outputs("customer.name", COUNT))) == [("Ann", 2), ("Bob", 1), ("Cid", 1)]
    assert answer(Plan(CUSTOMER, outputs("customer.city", rows_of("orders")), groups=(column("customer.city"),))) == [
        ("Oslo", 2),
        ("Rome", 2),
    ]


def test_every_output_that_is_no_figure_is_grouped_by() -> None:
    plan = Plan(CUSTOMER, outputs("customer.city", "customer.active", COUNT), groups=(column("customer.city"),))
    assert answer(plan) == [("Oslo", True, 1), ("Rome", False, 1), ("Rome", True, 1), (None, None, 1)]


def test_figures_in_conditions_become_having() -> None:
    many = where(rows_of("orders"), Operator.MORE, number(1))
    assert answer(Plan(CUSTOMER, NAME, many)) == [("Ann",)]
    assert answer(Plan(CUSTOMER, NAME, having=many)) == [("Ann",)]
    assert answer(Plan(CUSTOMER, outputs("customer.id"), having=replace(many, negated=True))) == [(2,), (3,)]
    above = where(TOTAL, Operator.MORE, single("orders", figure(Aggregate.AVG, "orders.total")))
    assert answer(Plan(CUSTOMER, outputs("customer.id"), having=above)) == [(1,)]


def test_kept_tables_keep_rows_that_nothing_joins() -> None:
    plan = Plan(CUSTOMER, outputs("customer.id", rows_of("orders"), TOTAL), keep=(CUSTOMER,))
    assert answer(plan) == [
        (1, 2, Decimal("30.00")),
        (2, 1, Decimal("5.50")),
        (3, 1, Decimal("10.00")),
        (4, 0, None),
    ]
    late = where("orders.placed", Operator.AT_LEAST, day("2021-01-01"))
    assert answer(replace(plan, where=late, outputs=outputs("customer.id", rows_of("orders")))) == [
        (1, 0),
        (2, 1),
        (3, 1),
        (4, 0),
    ]
    rome = equal("customer.city", text("Rome"))
    assert answer(replace(plan, where=rome, outputs=outputs("customer.id", rows_of("orders")))) == [(2, 1), (3, 1)]
    tea = equal("product.title", text("Jam"))
    assert answer(replace(plan, where=tea, outputs=outputs("customer.id", rows_of("orders")))) == [
        (1, 1),
        (2, 1),
        (3, 0),
        (4, 0),
    ]
    listed = Plan(CUSTOMER, outputs("customer.name", "orders.id"), keep=(CUSTOMER,))
    assert answer(listed) == [("Ann", 1), ("Ann", 2), ("Ann", 4), ("Bob", 3), ("Cid", None)]


def test_shares_are_percent_of_all_groups() -> None:
    plan = Plan(CUSTOMER, outputs("customer.city", Share(COUNT)))
    assert answer(plan) == [("Oslo", 25.0), ("Rome", 50.0), (None, 25.0)]
    most = replace(plan, having=where(COUNT, Operator.MORE, number(1)))
    assert answer(most) == [("Rome", 50.0)]
    share = Plan(CUSTOMER, outputs("customer.id", Share(TOTAL)), orders=best(Share(TOTAL)), limit=1)
    (row,) = answer(share)
    assert row == (1, pytest.approx(100 * 30 / 45.5))


def test_division_is_exact_and_safe_from_zero() -> None:
    rome = Nested(Plan(CUSTOMER, outputs(COUNT), equal("customer.city", text("Rome"))))
    plan = Plan(CUSTOMER, outputs(Arithmetic("/", rome, single("customer", COUNT))))
    assert answer(plan) == [(0.5,)]
    none = Nested(Plan(CUSTOMER, outputs(COUNT), equal("customer.city", text("Bern"))))
    assert answer(Plan(CUSTOMER, outputs(Arithmetic("/", rome, none)))) == [(None,)]
    per = Arithmetic("/", TOTAL, COUNT)
    assert answer(Plan(ORDERS, outputs("orders.customer_id", per))) == [(1, 15.0), (2, 5.5), (3, 10.0)]
    with pytest.raises(Unwritable, match="divided by zero"):
        sql(Plan(ORDERS, outputs(Arithmetic("/", TOTAL, number(0)))))
    chained = Arithmetic("*", Arithmetic("-", column("product.price"), number(1)), number(2))
    assert answer(Plan(PRODUCT, outputs(chained), equal("product.id", number(1)))) == [(3.0,)]
    for dialect in ("postgres", "mysql", "sqlite"):
        assert "NULLIF" in sql(plan, known(dialect=dialect))
    assert "AS DOUBLE PRECISION" in sql(plan, known(dialect="postgres"))


def test_kpis_are_written_over_the_tables_that_they_name() -> None:
    kpi = Expression("sum(orders.total) / count(DISTINCT orders.customer_id)", (ORDERS,), aggregates=True)
    assert answer(Plan(ORDERS, (Output(kpi, "per customer"),))) == [(pytest.approx(45.5 / 3),)]
    assert answer(Plan(CUSTOMER, outputs("customer.id", kpi))) == [(1, 30.0), (2, 5.5), (3, 10.0)]
    with pytest.raises(Unwritable, match="one figure at a time"):
        sql(Plan(ORDERS, outputs("product.title", kpi)))
    row = Expression("amount * 2", (LINE,), aggregates=False)
    assert answer(Plan(LINE, outputs(row), equal("line.amount", number(5)))) == [(10,)]
    for broken in ("sum(", "SELECT 1", "sum(nothing)", "(SELECT max(total) FROM orders)", "DROP TABLE orders"):
        with pytest.raises(Unwritable):
            sql(Plan(ORDERS, outputs(Expression(broken, (ORDERS,), aggregates=True))))


# The first and the best.


def test_superlatives_leave_out_what_has_no_value() -> None:
    plan = Plan(PRODUCT, outputs("product.title"), orders=best("product.price"), limit=1)
    assert answer(plan)[0][0] in ("Jam", "Rye")
    assert answer(replace(plan, orders=best("product.price", descending=False), limit=9)) == [
        ("Tea",),
        ("Jam",),
        ("Rye",),
    ]
    everything = Plan(PRODUCT, outputs("product.title"), orders=best("product.price"))
    assert answer(everything)[-1] == ("Oil",)


def test_ties_belong_to_the_best() -> None:
    plan = Plan(PRODUCT, outputs("product.title"), orders=best("product.price"), limit=1, ties=True)
    assert ordered(answer(plan)) == [("Jam",), ("Rye",)]
    with_tea = replace(plan, orders=best("product.price", descending=False), limit=2)
    assert ordered(answer(with_tea)) == [("Jam",), ("Rye",), ("Tea",)]
    rome = Plan(
        CUSTOMER, outputs("customer.id"), equal("customer.city", text("Rome")), orders=best("customer.id"), limit=1
    )
    assert answer(replace(rome, ties=True)) == [(3,)]


def test_ties_belong_to_the_best_groups() -> None:
    fewest = best(rows_of("orders"), descending=False)
    plan = Plan(CUSTOMER, outputs("customer.id"), orders=fewest, limit=1, ties=True)
    assert ordered(answer(plan)) == [(2,), (3,)]
    assert answer(replace(plan, orders=best(rows_of("orders")))) == [(1,)]
    cities = Plan(CUSTOMER, outputs("customer.city"), orders=best(COUNT), limit=1, ties=True)
    assert answer(cities) == [("Rome",)]


def test_distinct_rows_may_be_ordered_by_what_is_not_shown() -> None:
    plan = Plan(CUSTOMER, outputs("customer.city"), orders=best("customer.id"), distinct=True)
    assert answer(plan) == [(None,), ("Rome",), ("Oslo",)]
    shown = Plan(CUSTOMER, outputs("customer.city"), orders=best("customer.city", descending=False), distinct=True)
    assert answer(shown) == [("Oslo",), ("Rome",), (None,)]


# Other plans within.


def test_rows_without_others_are_found() -> None:
    without = Plan(CUSTOMER, NAME, Related(CUSTOMER, Plan(ORDERS, ()), negated=True))
    assert answer(without) == [("Cid",)]
    assert answer(Plan(PRODUCT, outputs("product.title"), Related(PRODUCT, Plan(CUSTOMER, ()), negated=True))) == [
        ("Rye",)
    ]


def test_rows_with_others_that_fit_are_found() -> None:
    jam = Plan(PRODUCT, (), equal("product.title", text("Jam")))
    assert answer(Plan(CUSTOMER, outputs("customer.id"), Related(CUSTOMER, jam))) == [(1,), (2,)]
    assert answer(Plan(CUSTOMER, outputs("customer.id"), Related(CUSTOMER, jam, negated=True))) == [(3,), (4,)]
    big = Plan(ORDERS, (), where("orders.total", Operator.MORE, number(15)))
    assert answer(Plan(CUSTOMER, outputs("customer.id"), Related(CUSTOMER, big))) == [(1,)]
    owner = Plan(CUSTOMER, (), equal("customer.city", text("Oslo")))
    assert answer(Plan(ORDERS, outputs("orders.id"), Related(ORDERS, owner))) == [(1,), (2,)]
    either = Either((Related(CUSTOMER, jam), equal("customer.id", number(4))))
    assert answer(Plan(CUSTOMER, outputs("customer.id"), either)) == [(1,), (2,), (4,)]


def test_others_may_have_to_be_many() -> None:
    def related(operator: Operator, many: int, what: str = "orders", negated: bool = False) -> Plan:
        having = where(COUNT, operator, number(many))
        inner = Plan(fqn(what), (), having=having)
        return Plan(CUSTOMER, outputs("customer.id"), Related(CUSTOMER, inner, negated))

    assert answer(related(Operator.MORE, 1)) == [(1,)]
    assert answer(related(Operator.EQUAL, 0)) == [(4,)]
    assert answer(related(Operator.LESS, 2)) == [(2,), (3,), (4,)]
    assert answer(related(Operator.AT_LEAST, 2, "product")) == [(1,), (3,)]
    assert answer(related(Operator.MORE, 1, negated=True)) == [(2,), (3,), (4,)]


def test_rows_are_tied_to_their_own_table() -> None:
    bosses = Plan(EMPLOYEE, outputs("employee.name"), Related(EMPLOYEE, Plan(EMPLOYEE, ())))
    assert answer(bosses) == [("Dan",), ("Eve",)]
    paid = Plan(EMPLOYEE, (), where("employee.pay", Operator.LESS, number(45)))
    assert answer(replace(bosses, where=Related(EMPLOYEE, paid))) == [("Dan",)]
    upward = ((column("employee.id"), column("employee.manager_id", 1)),)
    rich = Plan(EMPLOYEE, (), where("employee.pay", Operator.MORE, number(60)), via=upward)
    assert answer(replace(bosses, where=Related(EMPLOYEE, rich))) == [("Dan",), ("Fay",)]


def test_a_table_beside_itself_tells_each_from_the_other() -> None:
    pairs = Plan(EMPLOYEE, outputs("employee.name", column("employee.name", 1)))
    assert answer(pairs) == [("Dan", "Eve"), ("Fay", "Eve"), ("Gus", "Dan")]
    better = where("employee.pay", Operator.MORE, column("employee.pay", 1))
    assert answer(Plan(EMPLOYEE, outputs("employee.name"), better)) == [("Fay",)]
    counted = Plan(EMPLOYEE, outputs(column("employee.name", 1), COUNT))
    assert answer(counted) == [("Dan", 1), ("Eve", 2)]


def test_members_of_other_answers_are_found_and_nulls_do_not_spoil_it() -> None:
    bosses = Plan(EMPLOYEE, outputs("employee.manager_id"))
    member = Member(column("employee.id"), bosses)
    assert answer(Plan(EMPLOYEE, outputs("employee.name"), member)) == [("Dan",), ("Eve",)]
    assert answer(Plan(EMPLOYEE, outputs("employee.name"), replace(member, negated=True))) == [("Fay",), ("Gus",)]
    top = Plan(ORDERS, outputs("orders.customer_id"), orders=best("orders.total"), limit=1)
    assert answer(Plan(CUSTOMER, NAME, Member(column("customer.id"), top))) == [("Ann",)]
    assert "LIMIT 1) AS " in sql(Plan(CUSTOMER, NAME, Member(column("customer.id"), top)), known(dialect="mysql"))


def test_values_are_compared_to_other_answers() -> None:
    average = single("product", figure(Aggregate.AVG, "product.price"))
    plan = Plan(PRODUCT, outputs("product.title"), where("product.price", Operator.MORE, average))
    assert answer(plan) == [("Jam",), ("Rye",)]
    twice = Arithmetic("*", average, number(2))
    assert answer(replace(plan, where=where("product.price", Operator.LESS, twice))) == [("Jam",), ("Rye",), ("Tea",)]


def test_answers_are_put_together() -> None:
    rome, oslo = equal("customer.city", text("Rome")), equal("customer.city", text("Oslo"))
    plan = Plan(CUSTOMER, NAME, rome, orders=best("customer.name", descending=False))
    for how, expected in (("union", ["Ann", "Bob"]), ("intersect", ["Ann"]), ("except", ["Bob"])):
        combined = replace(plan, combined=Combined(how, Plan(CUSTOMER, NAME, oslo)))  # type: ignore[arg-type]
        assert answer(combined) == [(one,) for one in expected]


def test_what_is_put_together_is_ordered_by_bare_names() -> None:
    plan = Plan(
        CUSTOMER,
        NAME,
        orders=best("customer.name"),
        combined=Combined("union", Plan(EMPLOYEE, outputs("employee.name"))),
    )
    assert sql(plan, known(dialect="mysql")).endswith("ORDER BY `name` DESC")


def test_every_span_and_plan_passes_the_guard() -> None:
    for dialect in ("duckdb", "postgres", "mysql"):
        knowledge = known(dialect=dialect)
        catalog = tables_of_catalog(knowledge.tables)
        for path in ("orders.placed", "customer.born", "employee.since"):
            for unit in (one for one in Unit if one not in (Unit.HOUR, Unit.CLOCK) or path == "orders.placed"):
                for part in (False, True):
                    span = Span(column(path), unit, part)
                    plan = Plan(fqn(path.split(".")[0]), outputs(span, Share(COUNT)), orders=best(span), limit=2)
                    query = guard_sql(sql(plan, knowledge), dialect=dialect, tables=catalog)
                    assert len(query.tables) == 1
        jam = Plan(
            PRODUCT,
            (),
            where("product.title", Operator.LIKE, text("J%")),
            having=where(COUNT, Operator.MORE, number(0)),
        )
        plan = Plan(
            CUSTOMER, outputs("customer.name", TOTAL), Related(CUSTOMER, jam), orders=best(TOTAL), limit=1, ties=True
        )
        assert guard_sql(sql(plan, knowledge), dialect=dialect, tables=catalog).query is not None


def test_parts_of_what_is_put_together_keep_their_own_limits() -> None:
    cheap = Plan(PRODUCT, outputs("product.title"), orders=best("product.price", descending=False), limit=1)
    poor = Plan(EMPLOYEE, outputs("employee.name"), orders=best("employee.pay", descending=False), limit=1)
    assert ordered(rows(replace(cheap, combined=Combined("union", poor)))) == [("Gus",), ("Tea",)]
    with pytest.raises(Unwritable, match="as many columns"):
        sql(replace(cheap, combined=Combined("union", Plan(CUSTOMER, outputs("customer.id", "customer.name")))))
