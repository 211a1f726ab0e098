"""Questions that build on the one before them."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest

from resolvers.engines.nl2sql.followup.followups import cannot_stand, followed, leans
from resolvers.engines.nl2sql.model import Asked, ColumnKey, Exchange, FoundValue
from resolvers.engines.nl2sql.plan import (
    Aggregate,
    Both,
    Combined,
    Literal,
    Member,
    Operator,
    Order,
    Plan,
    Related,
    Share,
    Span,
    Unit,
)
from tests.engines.nl2sql.plans import (
    COUNT,
    CUSTOMER,
    EMPLOYEE,
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
    text,
    where,
)
from tests.engines.nl2sql.shop import known, rows

# ruff: noqa: E501 - tables of cases

NOW = datetime(2024, 5, 1, tzinfo=UTC)
ROME = equal("customer.city", text("Rome"))
OSLO = equal("customer.city", text("Oslo"))
CITY = column("customer.city")
VALUES = {("customer", "city"): ("Rome", "Oslo"), ("customer", "name"): ("Ann", "Bob", "Cid"), ("product", "title"): ("Tea", "Jam", "Oil", "Rye")}  # fmt: skip


def found(columns: Sequence[ColumnKey], texts: Sequence[str]) -> list[FoundValue]:
    """Return what the columns of the shop hold."""
    return [
        FoundValue(key, value)
        for key in columns
        for value in VALUES.get((key.table.rsplit(".", 1)[-1], key.column), ())
        if value.lower() in {one.lower() for one in texts}
    ]


def after(plan: Plan, question: str, **parsed: Plan) -> Plan | None:
    """The plan of a question that follows; `parsed` is what whole questions lead to, with _ for spaces."""
    by_text = {said.replace("_", " "): one for said, one in parsed.items()}
    asked = Asked(question, NOW, (Exchange("before", "", plan),))
    return followed(asked, known(), by_text.get, found)


BY_CITY = Plan(CUSTOMER, outputs("customer.city", COUNT), groups=(CITY,))
LISTED = Plan(CUSTOMER, NAME, ROME)
MANY = Plan(CUSTOMER, outputs(COUNT), ROME)
REVENUE = Plan(ORDERS, outputs(TOTAL))
PER_CUSTOMER = Plan(CUSTOMER, outputs("customer.name", rows_of("orders")))


# Whether it leans.


@pytest.mark.parametrize(
    "question",
    [
        "and by month?",
        "only the top three",
        "what about Rome?",
        "and the average?",
        "how many of them are active?",
        "sort them by name",
        "show their cities too",
        "exclude Rome",
        "the same for 2012",
        "Which of those live in Rome?",
        "how many are there",
        "How many orders do they have?",
        "by city",
        "in 2020",
        "but not in Rome",
        "just the first one",
        "... and in Oslo",
        "only the names",
        "in descending order",
        "since 2020",
    ],
)
def test_fragments_and_pronouns_lean_on_what_was_asked_before(question: str) -> None:
    assert leans(Asked(question, NOW, (Exchange("before", "", LISTED),)), known())
    assert not leans(Asked(question, NOW), known())


@pytest.mark.parametrize(
    "question",
    [
        "How many customers are there?",
        "Show all products",
        "What is the average total of orders?",
        "List the names of customers and their cities",
        "Which employees earn more than their managers?",
        "Show the customers with the orders that they placed",
        "Show only the names of customers",
        "Which products are not in any order?",
        "Find those customers who live in Rome",
        "What is the capital of France?",
        "For each customer, show the number of orders",
        "In 2020, how many orders were placed?",
        "Average total of orders by customer",
        "Names of the customers who placed no orders",
        "",
        "?",
    ],
)
def test_whole_questions_stand_alone(question: str) -> None:
    assert not leans(Asked(question, NOW, (Exchange("before", "", LISTED),)), known())
    assert after(LISTED, question) is None


def test_some_questions_have_no_meaning_alone() -> None:
    for question, expected in (("how many of them are active?", True), ("what about Rome?", True), ("in Rome", False)):
        assert cannot_stand(Asked(question, NOW, (Exchange("before", "", LISTED),)), known()) == expected
    assert not cannot_stand(Asked("what about Rome?", NOW), known())


def test_nothing_follows_an_answer_without_a_plan() -> None:
    asked = Asked("and in Oslo?", NOW, (Exchange("before", "SELECT 1"),))
    assert followed(asked, known(), lambda text: None) is None
    assert followed(Asked("and in Oslo?", NOW), known(), lambda text: None) is None


# The first few, and their order.


@pytest.mark.parametrize(
    ("question", "limit", "descending"),
    [
        ("only the top three", 3, True),
        ("top 5", 5, True),
        ("only the two with the most", 2, True),
        ("just the best one", 1, True),
        ("the bottom 2", 2, False),
        ("the 3 lowest", 3, False),
        ("only the one with the fewest", 1, False),
        ("show me the top ten", 10, True),
    ],
)
def test_the_first_few_are_taken_by_the_figure(question: str, limit: int, descending: bool) -> None:
    assert after(BY_CITY, question) == replace(BY_CITY, orders=(Order(COUNT, descending),), limit=limit)


def test_the_first_few_keep_the_order_that_is_there() -> None:
    ordered = replace(LISTED, orders=best("customer.born", descending=False))
    assert after(ordered, "only the first two") == replace(ordered, limit=2)
    assert after(ordered, "the last two") == replace(ordered, orders=best("customer.born"), limit=2)
    assert after(LISTED, "the first 2") == replace(LISTED, limit=2)
    assert after(LISTED, "the worst 2") is None  # nothing says what is worse
    top = replace(BY_CITY, orders=best(COUNT), limit=3)
    assert after(top, "only the top two") == replace(top, limit=2)
    assert after(top, "and the bottom two") == replace(top, orders=best(COUNT, descending=False), limit=2)


def test_the_first_few_by_something_else() -> None:
    aged = Plan(CUSTOMER, NAME, orders=best("customer.born", descending=False))
    plan = after(LISTED, "the top two by birthday", show_the_customers_sorted_by_birthday=aged)
    assert plan == replace(LISTED, orders=best("customer.born"), limit=2)
    assert after(LISTED, "the top two by size") is None


def test_rows_are_sorted() -> None:
    assert after(LISTED, "sort them by name") == replace(LISTED, orders=best("customer.name", descending=False))
    down = replace(LISTED, orders=best("customer.name"))
    assert after(LISTED, "sort by name in descending order") == down
    assert after(LISTED, "order them by name, descending") == down
    assert after(BY_CITY, "sorted by number") == replace(BY_CITY, orders=best(COUNT, descending=False))
    assert after(down, "the other way round") == replace(LISTED, orders=best("customer.name", descending=False))
    assert after(down, "in ascending order") == replace(LISTED, orders=best("customer.name", descending=False))
    aged = Plan(CUSTOMER, NAME, orders=best("customer.born"))
    plan = after(LISTED, "sort them by birthday", show_the_customers_sorted_by_birthday=aged)
    assert plan == replace(LISTED, orders=best("customer.born"))
    assert after(LISTED, "sort them by shoe size") is None


def test_the_first_few_are_sorted_among_themselves() -> None:
    cheap = Plan(PRODUCT, outputs("product.title"), orders=best("product.price", descending=False), limit=2)
    plan = after(cheap, "sort them by title")
    assert plan is not None
    assert rows(plan) == [("Jam",), ("Tea",)]
    assert after(replace(BY_CITY, orders=best(COUNT), limit=2), "sort them by city") is None


def test_a_single_figure_is_put_in_no_order_but_the_list_before_it_is() -> None:
    assert after(MANY, "sort them by name") is None
    assert after(MANY, "only the top two") is None
    asked = Asked("sort them by name", NOW, (Exchange("a", "", LISTED), Exchange("how many?", "", MANY)))
    assert followed(asked, known(), lambda text: None) == replace(
        LISTED, orders=best("customer.name", descending=False)
    )


# How many.


@pytest.mark.parametrize("question", ["how many are there?", "how many?", "and how many are they?", "count them"])
def test_rows_are_counted(question: str) -> None:
    plan = after(LISTED, question)
    assert plan == Plan(CUSTOMER, outputs(COUNT), ROME)


def test_what_is_counted_are_the_rows_of_the_answer() -> None:
    def many(plan: Plan) -> Any:
        counted = after(plan, "how many are there?")
        return None if counted is None else rows(counted)

    assert many(replace(LISTED, outputs=outputs("customer.city"), distinct=True)) == [(1,)]
    assert many(BY_CITY) == [(2,)]
    assert many(Plan(CUSTOMER, NAME, orders=best("customer.born"), limit=3)) == [(3,)]
    assert many(Plan(CUSTOMER, NAME, having=where(rows_of("orders"), Operator.MORE, number(1)))) == [(1,)]
    assert many(PER_CUSTOMER) is not None
    assert many(replace(LISTED, combined=Combined("union", LISTED))) is None


# Groups and figures.


def test_figures_are_grouped() -> None:
    span = Span(column("orders.placed"), Unit.MONTH)
    assert after(REVENUE, "and by month?") == Plan(ORDERS, outputs(span, TOTAL), groups=(span,))
    year = Span(column("orders.placed"), Unit.YEAR)
    assert after(REVENUE, "yearly") == Plan(ORDERS, outputs(year, TOTAL), groups=(year,))
    by_city = Plan(ORDERS, outputs("customer.city", COUNT), groups=(CITY,))
    plan = after(REVENUE, "per city", show_the_number_of_orders_for_each_city=by_city)
    assert plan == Plan(ORDERS, outputs("customer.city", TOTAL), groups=(CITY,))
    assert plan is not None
    assert sorted(rows(plan)) == [("Oslo", 30), ("Rome", 15.5)]


def test_groups_take_the_place_of_others_or_stand_beside_them() -> None:
    year = Span(column("orders.placed"), Unit.YEAR)
    grouped = Plan(ORDERS, outputs("customer.city", TOTAL), groups=(CITY,), orders=best(TOTAL), limit=2)
    assert after(grouped, "by year") == replace(grouped, outputs=outputs(year, TOTAL), groups=(year,))
    beside = after(grouped, "also by year")
    assert beside == replace(grouped, outputs=outputs("customer.city", year, TOTAL), groups=(CITY, year))


def test_a_list_is_counted_by_group() -> None:
    by_city = Plan(CUSTOMER, outputs("customer.city", COUNT), groups=(CITY,))
    plan = after(LISTED, "by city", show_the_number_of_customers_for_each_city=by_city)
    assert plan == Plan(CUSTOMER, outputs("customer.city", COUNT), ROME, groups=(CITY,))
    assert after(LISTED, "by colour") is None


def test_the_column_of_time_is_the_one_that_was_spoken_of() -> None:
    placed = where("orders.placed", Operator.BETWEEN, day("2020-01-01"), day("2020-12-31"))
    plan = after(Plan(CUSTOMER, outputs(COUNT), placed), "by year")
    span = Span(column("orders.placed"), Unit.YEAR)
    assert plan == Plan(CUSTOMER, outputs(span, COUNT), placed, groups=(span,))


def test_figures_take_the_place_of_others() -> None:
    average = figure(Aggregate.AVG, "orders.total")
    assert after(REVENUE, "and the average?") == Plan(ORDERS, outputs(average))
    grouped = Plan(ORDERS, outputs("customer.city", TOTAL), groups=(CITY,), orders=best(TOTAL), limit=1)
    assert after(grouped, "and the average?") == replace(
        grouped, outputs=outputs("customer.city", average), orders=best(average)
    )
    assert after(grouped, "and also the average") == replace(grouped, outputs=outputs("customer.city", TOTAL, average))
    assert after(MANY, "and the average?") is None
    pay = Plan(EMPLOYEE, outputs("employee.name", "employee.pay"))
    assert after(pay, "and the maximum?") == Plan(EMPLOYEE, outputs(figure(Aggregate.MAX, "employee.pay")))
    parsed = Plan(EMPLOYEE, outputs(figure(Aggregate.AVG, "employee.pay")))
    plan = after(Plan(EMPLOYEE, outputs(COUNT)), "and the average pay?", show_the_average_pay_of_the_employees=parsed)
    assert plan == parsed


# Conditions.


@pytest.mark.parametrize(
    "question", ["what about Oslo?", "and in Oslo?", "the same for Oslo", "and Oslo", "in Oslo", "for oslo"]
)
def test_a_value_takes_the_place_of_one_of_the_same_column(question: str) -> None:
    assert after(MANY, question) == replace(MANY, where=OSLO)
    both = replace(MANY, where=Both((ROME, equal("customer.active", Literal("boolean", True)))))
    plan = after(both, question)
    assert plan is not None
    assert plan.where == Both((OSLO, equal("customer.active", Literal("boolean", True))))


def test_a_value_takes_its_place_in_rows_tied_to_others_too() -> None:
    tea = Plan(CUSTOMER, NAME, Related(CUSTOMER, Plan(PRODUCT, (), equal("product.title", text("Tea")))))
    plan = after(tea, "what about Jam?")
    assert plan == replace(tea, where=Related(CUSTOMER, Plan(PRODUCT, (), equal("product.title", text("Jam")))))
    assert plan is not None
    assert sorted(rows(plan)) == [("Ann",), ("Bob",)]


def test_a_year_takes_the_place_of_another_in_the_same_column() -> None:
    placed = where("orders.placed", Operator.BETWEEN, day("2020-01-01"), day("2020-12-31"))
    plan = after(Plan(ORDERS, outputs(TOTAL), placed), "and in 2021?")
    assert plan is not None
    assert plan.where == where("orders.placed", Operator.BETWEEN, day("2021-01-01"), day("2021-12-31"))
    year = equal(Span(column("orders.placed"), Unit.YEAR), number(2020))
    plan = after(Plan(ORDERS, outputs(TOTAL), year), "what about 2021?")
    assert plan is not None
    assert plan.where == equal(Span(column("orders.placed"), Unit.YEAR), number(2021))
    plan = after(REVENUE, "only for 2020")
    assert plan is not None
    assert rows(plan) == [(30,)]


def test_later_days_replace_the_days_that_were_asked_for() -> None:
    placed = where("orders.placed", Operator.BETWEEN, day("2020-01-01"), day("2020-12-31"))
    born = Plan(ORDERS, outputs("orders.id"), where("customer.born", Operator.AT_LEAST, day("2021-06-01")))
    plan = after(Plan(ORDERS, outputs("orders.id"), placed), "since June", show_the_orders_since_June=born)
    assert plan is not None
    assert plan.where == where("orders.placed", Operator.AT_LEAST, day("2021-06-01"))


def test_other_conditions_are_added() -> None:
    active = equal("customer.active", Literal("boolean", True))
    parsed = Plan(CUSTOMER, NAME, active)
    for question, whole in (
        ("only those that are active", "show_the_customers_that_are_active"),
        ("only active ones", "show_the_customers_that_are_active_ones"),
        ("that are active", "show_the_customers_that_are_active"),
    ):
        assert after(LISTED, question, **{whole: parsed}) == replace(LISTED, where=Both((ROME, active)))
    assert after(LISTED, "only those that are purple") is None


def test_conditions_of_the_first_few_choose_among_them() -> None:
    young = Plan(CUSTOMER, outputs("customer.id"), orders=best("customer.id"), limit=3)
    active = Plan(CUSTOMER, NAME, equal("customer.active", Literal("boolean", True)))
    plan = after(young, "only those that are active", show_the_customers_that_are_active=active)
    assert plan is not None
    assert rows(plan) == [(3,)]


@pytest.mark.parametrize(
    "question",
    ["which of them have more than 3?", "which have more than 3", "Which of those are above 3?", "more than 3"],
)
def test_groups_are_chosen_by_their_figure(question: str) -> None:
    """The number is compared with what is shown of each group."""
    plan = after(BY_CITY, question)
    assert plan == replace(BY_CITY, where=where(COUNT, Operator.MORE, number(3)))


@pytest.mark.parametrize(
    "question", ["as a percentage", "in percent", "show it as a share of the total", "as percentages instead"]
)
def test_figures_of_groups_become_parts_of_their_sum(question: str) -> None:
    """Return what was counted stays the order, too."""
    share = Share(COUNT)
    assert after(BY_CITY, question) == replace(BY_CITY, outputs=outputs("customer.city", share))


@pytest.mark.parametrize(
    "plan",
    [LISTED, MANY, Plan(CUSTOMER, outputs("customer.city", figure(Aggregate.AVG, "customer.age")), groups=(CITY,))],
)
def test_what_does_not_add_up_has_no_percentage(plan: Plan) -> None:
    """Neither rows, nor a single figure, nor averages."""
    assert after(plan, "as a percentage") is None


def test_conditions_on_figures_choose_groups() -> None:
    plan = after(BY_CITY, "only those with more than one")
    assert plan is not None
    assert rows(plan) == [("Rome", 2)]
    many = Plan(CUSTOMER, NAME, having=where(rows_of("orders"), Operator.MORE, number(1)))
    plan = after(MANY_OF_ALL, "only those with several orders", show_the_customers_with_several_orders=many)
    assert plan is not None
    assert rows(plan) == [(1,)]


MANY_OF_ALL = Plan(CUSTOMER, outputs(COUNT))


@pytest.mark.parametrize("question", ["exclude Rome", "without Rome", "but not Rome", "except for those from Rome"])
def test_what_is_excluded_is_left_out(question: str) -> None:
    assert after(BY_CITY, question) == replace(BY_CITY, where=replace(ROME, negated=True))


def test_rows_tied_to_what_is_excluded_are_left_out_whole() -> None:
    tea = Plan(CUSTOMER, NAME, equal("product.title", text("Tea")))
    plan = after(Plan(CUSTOMER, outputs("customer.id")), "exclude Tea", show_the_customers_in_Tea=tea)
    assert plan is not None
    assert sorted(rows(plan)) == [(2,), (4,)]


# Outputs.


def test_further_columns_are_shown() -> None:
    parsed = Plan(CUSTOMER, outputs("customer.city"))
    plan = after(LISTED, "show their cities too", show_the_cities_of_the_customers=parsed)
    assert plan == replace(LISTED, outputs=outputs("customer.name", "customer.city"))
    assert after(plan, "show their cities too", show_the_cities_of_the_customers=parsed) is None if plan else False
    for question in ("only the cities", "show only the cities", "just the cities"):
        whole = {"show_the_cities_of_the_customers": parsed}
        assert after(LISTED, question, **whole) == replace(LISTED, outputs=outputs("customer.city"))


def test_the_rows_behind_a_figure_are_shown() -> None:
    plan = after(MANY, "list their names", show_the_names_of_the_customers=Plan(CUSTOMER, NAME))
    assert plan == Plan(CUSTOMER, NAME, ROME)


# Pronouns in whole questions.


def test_them_stands_for_the_earlier_answer() -> None:
    active = equal("customer.active", Literal("boolean", True))
    parsed = Plan(CUSTOMER, outputs(COUNT), active)
    plan = after(LISTED, "how many of them are active?", how_many_customers_are_active=parsed)
    assert plan == Plan(CUSTOMER, outputs(COUNT), Both((ROME, active)))
    oldest = Plan(CUSTOMER, NAME, orders=best("customer.born", descending=False), limit=1)
    plan = after(LISTED, "which of those is the oldest?", which_customers_is_the_oldest=oldest)
    assert plan == replace(oldest, where=ROME)


def test_them_may_be_the_first_few() -> None:
    top = Plan(CUSTOMER, outputs("customer.id"), orders=best("customer.id"), limit=2)
    parsed = Plan(CUSTOMER, NAME, ROME)
    plan = after(top, "which of them live in Rome?", which_customers_live_in_Rome=parsed)
    assert plan is not None
    assert isinstance(plan.where, Both)
    assert isinstance(plan.where.parts[0], Member)
    assert rows(plan) == [("Ann",)]


def test_questions_about_other_tables_are_tied_to_the_earlier_answer() -> None:
    parsed = Plan(ORDERS, outputs(COUNT))
    plan = after(LISTED, "how many orders do they have?", how_many_orders_do_the_customers_have=parsed)
    assert plan == Plan(ORDERS, outputs(COUNT), Related(ORDERS, Plan(CUSTOMER, (), ROME)))
    assert plan is not None
    assert rows(plan) == [(2,)]
    other = Plan(EMPLOYEE, outputs(COUNT))
    assert after(LISTED, "how many employees do they have?", how_many_employees_do_the_customers_have=other) is None
