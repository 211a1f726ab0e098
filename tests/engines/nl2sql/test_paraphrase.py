"""A plan is said in one plain sentence."""

from dataclasses import replace

import pytest

from resolvers.engines.nl2sql.model import ColumnKey
from resolvers.engines.nl2sql.paraphrase import called, said
from resolvers.engines.nl2sql.plan import (
    Aggregate,
    Arithmetic,
    Combined,
    Condition,
    Either,
    Expression,
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
from tests.engines.nl2sql.plans import (
    COUNT,
    CUSTOMER,
    EMPLOYEE,
    LINE,
    NAME,
    ORDERS,
    PRODUCT,
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
from tests.engines.nl2sql.shop import TABLES, known, table

ROME = equal("customer.city", text("Rome"))


@pytest.mark.parametrize(
    ("plan", "sentence"),
    [
        (Plan(CUSTOMER, NAME), "The names of customers."),
        (Plan(CUSTOMER, outputs("customer.name", "customer.city")), "The names and the cities of customers."),
        (Plan(CUSTOMER, outputs(COUNT), ROME), "The number of customers where the city is “Rome”."),
        (
            Plan(CUSTOMER, outputs("customer.name", rows_of("orders"))),
            "The number of orders for each customer.",
        ),
        (
            Plan(CUSTOMER, outputs("customer.city", COUNT)),
            "The number of customers for each city.",
        ),
        (
            Plan(ORDERS, outputs("orders.customer_id", COUNT)),
            "The number of orders for each customer.",
        ),
        (
            Plan(ORDERS, outputs("customer.name", "customer.id", COUNT)),
            "The number of orders for each customer.",
        ),
        (
            Plan(LINE, outputs("orders.customer_id", COUNT)),
            "The number of lines for each customer of the order.",
        ),
        (Plan(CUSTOMER, NAME, limit=1), "The name of customers, only the first one."),
        (
            Plan(CUSTOMER, NAME, orders=best(rows_of("orders")), limit=1),
            "The name of customers, only the one with the highest number of orders.",
        ),
        (
            Plan(PRODUCT, outputs("product.title"), orders=best("product.price"), limit=3, ties=True),
            "The titles of products, only the 3 with the highest price and those equal to the last.",
        ),
        (
            Plan(CUSTOMER, NAME, Related(CUSTOMER, Plan(ORDERS, ()), negated=True)),
            "The names of customers that have no orders.",
        ),
        (
            Plan(EMPLOYEE, outputs("employee.name"), Related(EMPLOYEE, Plan(EMPLOYEE, ()))),
            "The names of employees that are the manager of some employees.",
        ),
        (
            Plan(
                PRODUCT,
                outputs("product.title"),
                Related(
                    PRODUCT,
                    Plan(
                        PRODUCT,
                        (),
                        where("product.price", Operator.LESS, column("product.price", 1)),
                        via=((column("product.code", 1), column("product.code")),),
                    ),
                    negated=True,
                ),
            ),
            "The titles of products that have the lowest price among those of the same code.",
        ),
        (
            Plan(
                PRODUCT,
                outputs("product.title"),
                where("product.price", Operator.MORE, single("product", figure(Aggregate.AVG, "product.price"))),
            ),
            "The titles of products where the price is more than the average price of products.",
        ),
        (
            Plan(EMPLOYEE, outputs("employee.name"), where("employee.pay", Operator.MORE, column("employee.pay", 1))),
            "The names of employees where the pay is more than the pay of the manager.",
        ),
        (
            Plan(
                CUSTOMER, NAME, Member(column("customer.id"), Plan(ORDERS, outputs("orders.customer_id")), negated=True)
            ),
            "The names of customers where the customer is not among those of orders.",
        ),
        (
            Plan(
                CUSTOMER,
                NAME,
                Member(
                    column("customer.id"), Plan(CUSTOMER, outputs("customer.id"), orders=best("customer.born"), limit=3)
                ),
            ),
            "The names of customers where the customer is among the customers, only the 3 with the latest born.",
        ),
        (
            Plan(CUSTOMER, NAME, Member(column("customer.name"), Plan(EMPLOYEE, outputs("employee.name")))),
            "The names of customers where the name is among: the names of employees.",
        ),
        (
            Plan(CUSTOMER, outputs("customer.city"), distinct=True, orders=best("customer.city", descending=False)),
            "The different cities of customers, sorted by the city.",
        ),
        (
            Plan(
                CUSTOMER,
                NAME,
                ROME,
                combined=Combined("except", Plan(CUSTOMER, NAME, equal("customer.active", text("x")))),
            ),
            "The names of customers where the city is “Rome”, but not: the names of customers where the active is “x”.",
        ),
        (
            Plan(CUSTOMER, outputs("customer.city", Share(COUNT))),
            "The share of the number of customers in percent for each city.",
        ),
        (
            Plan(ORDERS, outputs(Span(column("orders.placed"), Unit.MONTH), figure(Aggregate.AVG, "orders.total"))),
            "The average total of orders for each month of the placed.",
        ),
        (
            Plan(ORDERS, outputs(figure(Aggregate.MAX, "orders.placed"), figure(Aggregate.MIN, "orders.total"))),
            "The latest placed and the lowest total of orders.",
        ),
        (
            Plan(ORDERS, outputs(figure(Aggregate.COUNT, "orders.note", distinct=True))),
            "The number of different notes of orders.",
        ),
        (
            Plan(CUSTOMER, outputs(Arithmetic("/", single("customer", COUNT), single("orders", COUNT)))),
            "The number of customers divided by the number of orders.",
        ),
        (
            Plan(
                ORDERS,
                outputs(Arithmetic("*", number(100), Arithmetic("/", COUNT, Nested(Plan(ORDERS, outputs(COUNT)))))),
                where=equal("orders.note", text("late")),
            ),
            "The percentage of orders where the note is “late”.",
        ),
        (
            Plan(ORDERS, (Output(Expression("sum(orders.total)", (ORDERS,), aggregates=True), "net revenue"),)),
            "The net revenue.",
        ),
        (Plan(CUSTOMER, NAME, limit=5), "The names of customers, only the first 5."),
        (
            Plan(CUSTOMER, outputs("customer.name", rows_of("orders")), keep=(CUSTOMER,)),
            "The number of orders for each customer, also customers that have none.",
        ),
    ],
)
def test_a_plan_is_one_sentence(plan: Plan, sentence: str) -> None:
    assert said(plan, known()) == sentence


@pytest.mark.parametrize(
    ("condition", "words"),
    [
        (ROME, "the city is “Rome”"),
        (replace(ROME, negated=True), "the city is not “Rome”"),
        (where("customer.city", Operator.IS_NULL), "the city is missing"),
        (where("customer.city", Operator.IS_NULL, negated=True), "the city is known"),
        (where("customer.city", Operator.LIKE, text("%om%")), "the city contains “om”"),
        (where("customer.city", Operator.LIKE, text("R%"), negated=True), "the city does not begin with “R”"),
        (where("customer.city", Operator.LIKE, text("%e")), "the city ends with “e”"),
        (where("customer.city", Operator.IN, text("Rome"), text("Oslo")), "the city is “Rome” or “Oslo”"),
        (where("customer.id", Operator.IN, *map(number, range(9))), "the ID is one of 9 values"),
        (where("customer.id", Operator.AT_MOST, number("2.50")), "the ID is at most 2.5"),
        (where("customer.id", Operator.BETWEEN, number(1), number(3)), "the ID is between 1 and 3"),
        (where("customer.born", Operator.MORE, day("1990-05-01")), "the born is after 1 May 1990"),
        (where("customer.born", Operator.BETWEEN, day("1990-01-01"), day("1990-12-31")), "the born is in 1990"),
        (
            where("customer.born", Operator.BETWEEN, day("1992-02-01"), day("1992-02-29")),
            "the born is in February 1992",
        ),
        (equal("customer.born", number(1990)), "the born is in 1990"),
        (Either((ROME, equal("customer.id", number(1)))), "either the city is “Rome” or the ID is 1"),
    ],
)
def test_conditions_read_as_people_say_them(condition: Condition, words: str) -> None:
    assert said(Plan(CUSTOMER, NAME, condition), known()) == f"The names of customers where {words}."


def test_values_of_private_columns_are_not_quoted() -> None:
    private = known(private=frozenset({ColumnKey(CUSTOMER, "city")}))
    assert said(Plan(CUSTOMER, NAME, ROME), private) == "The names of customers where the city is the value asked for."


def test_a_value_that_the_question_says_is_quoted_though_its_column_is_private() -> None:
    private = known(private=frozenset({ColumnKey(CUSTOMER, "city")}))
    told = said(Plan(CUSTOMER, NAME, ROME), private, "Who lives in rome?")
    assert told == "The names of customers where the city is “Rome”."
    inside = said(Plan(CUSTOMER, NAME, ROME), private, "Who likes chrome?")
    assert inside == "The names of customers where the city is the value asked for.", "a part of a word says nothing"


def test_all_columns_of_a_table_are_not_named_one_by_one() -> None:
    names = [f"fact_{at}" for at in range(12)]
    meter = table("meter", ", ".join(f"{name} INTEGER" for name in names))
    every = Plan(meter.fqn, outputs(*(f"meter.{name}" for name in names)))
    assert said(every, known(meter)) == "All columns of meters."
    most = said(replace(every, outputs=every.outputs[:11]), known(meter))
    assert most.endswith("the fact 7s and 3 more of meters.")


def test_a_name_that_tells_no_noun_is_said_whole() -> None:
    sheet = table("NE data", "county VARCHAR, fips INTEGER")
    assert said(Plan(sheet.fqn, outputs(COUNT)), known(sheet)) == "The number of ne data."


def test_display_names_stand_over_names() -> None:
    (customer, *others) = TABLES
    named = replace(
        customer,
        display_name="client",
        columns=(customer.columns[0], replace(customer.columns[1], display_name="full name"), *customer.columns[2:]),
    )
    assert (
        said(Plan(CUSTOMER, NAME, ROME), known(named, *others)) == "The full names of clients where the city is “Rome”."
    )


def test_names_of_columns_lose_the_name_of_their_table() -> None:
    facts = table("tbl_students", "StuID INTEGER!, student_name VARCHAR, f_name VARCHAR", key=["StuID"])
    one = known(facts)
    assert called(one, facts.fqn) == "student"
    assert called(one, facts.fqn, "student_name") == "name"
    assert called(one, facts.fqn, "f_name") == "first name"
