"""What people noted shapes the plans."""

import asyncio

import pytest

from resolvers.engines.nl2sql.drafter import Planner
from resolvers.engines.nl2sql.model import Asked, Clarification, ColumnKey, Exchange, QueryDraft, Unanswerable
from resolvers.engines.nl2sql.planner.atoms import cut
from resolvers.engines.nl2sql.planner.catalog import catalog_of
from resolvers.engines.nl2sql.planner.choosing import unused
from resolvers.engines.nl2sql.schema_linking.link import link
from resolvers.engines.nl2sql.schema_linking.vocabulary import Vocabulary
from schema.talk2data.chat_settings import UNSURE
from schema.utils.memory import MemoryType
from tests.engines.nl2sql.asking import NOW, asked, knowledge, loaded, memory, rows


def drafted(text: str, *memories: object, name: str = "shop") -> QueryDraft:
    """The draft of a question to the shop."""
    found = asked(text, knowledge(name, memories=tuple(memories)), name)
    assert isinstance(found, QueryDraft), found
    return found


REVENUE = memory(
    MemoryType.KPI,
    {
        "name": "revenue",
        "synonyms": ["turnover"],
        "table": "OrderItems",
        "expression": "SUM(quantity * (1 - discount))",
    },
    "revenue",
)


def test_a_measure_is_asked_for_by_its_name() -> None:
    """The expression of the note is computed."""
    found = drafted("What is the revenue?", REVENUE)
    assert rows(found.sql, "shop") == rows("select sum(quantity * (1 - discount)) from OrderItems", "shop")
    assert found.memories == ("memory-revenue",)
    assert 'AS "revenue"' in found.sql
    assert found.reading.startswith("The revenue")


def test_a_measure_is_grouped_along_the_keys() -> None:
    """A synonym names it too."""
    found = drafted("Show the turnover for each product category.", REVENUE)
    gold = "select category, sum(quantity * (1 - discount)) from OrderItems join Products using (productId) group by 1"
    assert sorted(map(str, loaded("shop").rows(found.sql)))[0].count("Electronics") == 0
    assert {frozenset(map(str, row)) for row in rows(found.sql, "shop")} == {
        frozenset(map(str, row)) for row in rows(gold, "shop")
    }


SUMMED = "sum(quantity * (1 - discount))"
LINES = "OrderItems join Orders using (orderId) join Customers using (customerId) join Products using (productId)"


@pytest.mark.parametrize(
    ("question", "gold"),
    [
        (
            "Which three products have the highest revenue?",
            "productName {0} group by 1 order by {revenue} desc limit 3",
        ),
        ("top 3 products by revenue", "productName {0} group by 1 order by {revenue} desc limit 3"),
        ("Which category has the lowest revenue?", "category {0} group by 1 order by {revenue} limit 1"),
        ("products with a revenue above 100", "productName {0} group by 1 having {revenue} > 100"),
        ("Which customers have a revenue of less than 500?", "customerName {0} group by 1 having {revenue} < 500"),
        ("revenue by month", "{revenue}, date_trunc('month', orderDate)::date {0} group by 2"),
        (
            "revenue per country and month",
            "{revenue}, country, date_trunc('month', orderDate)::date {0} group by 2, 3",
        ),
        ("total quantity by month", "sum(quantity), date_trunc('month', orderDate)::date {0} group by 2"),
        ("What was the revenue in 2024?", "{revenue} {0} where year(orderDate) = 2024"),
        (
            "Which country made the most revenue in 2024?",
            "country {0} where year(orderDate) = 2024 group by 1 order by {revenue} desc limit 1",
        ),
        ("What is the revenue of customers who joined in 2024?", "{revenue} {0} where year(joinedOn) = 2024"),
        ("Show the monthly revenue", "{revenue}, date_trunc('month', orderDate)::date {0} group by 2"),
        ("revenue over time", "{revenue}, date_trunc('month', orderDate)::date {0} group by 2"),
        ("Show the monthly revenue over time.", "{revenue}, date_trunc('month', orderDate)::date {0} group by 2"),
        ("Compare the revenue across countries", "{revenue}, country {0} group by 2"),
        (
            "Compare revenue in 2023 and 2024",
            "{revenue}, year(orderDate) {0} where year(orderDate) in (2023, 2024) group by 2",
        ),
        ("How did revenue develop over the years?", "{revenue}, year(orderDate) {0} group by 2"),
        (
            "How has the total quantity changed over time?",
            "sum(quantity), date_trunc('month', orderDate)::date {0} group by 2",
        ),
        ("What is the yearly revenue per country?", "{revenue}, year(orderDate), country {0} group by 2, 3"),
        (
            "Which month had the highest revenue?",
            "date_trunc('month', orderDate)::date {0} group by 1 order by {revenue} desc limit 1",
        ),
    ],
)
def test_a_measure_orders_compares_and_has_its_own_time(question: str, gold: str) -> None:
    """It is no column, and stands where one would."""
    found = drafted(question, REVENUE)
    wanted = f"select {gold.format(f'from {LINES}', revenue=SUMMED)}"
    assert rows(found.sql, "shop") == rows(wanted, "shop")
    assert ("memory-revenue" in found.memories) == ("revenue" in question)


@pytest.mark.parametrize(
    "question",
    [
        "Show product names and revenue, sorted from highest to lowest",
        "Show each product and its revenue, highest first",
        "Show each product and its total quantity, highest first",
    ],
)
def test_sizes_put_figures_in_order_and_not_names(question: str) -> None:
    """Names beside a figure are not what is high or low."""
    found = drafted(question, REVENUE)
    figures = [row[1] for row in loaded("shop").rows(found.sql)]
    assert figures == sorted(figures, reverse=True)


def test_the_average_of_a_measure_that_is_a_sum_is_asked_back() -> None:
    """Return what is averaged over is not said by its expression."""
    known = knowledge("shop", memories=(REVENUE,))
    assert isinstance(asked("average revenue per customer", known, "shop"), Clarification)


def test_a_pattern_of_words_is_a_condition() -> None:
    """`local customers` are those that the note says."""
    note = memory(
        MemoryType.TEXTUAL_PATTERN,
        {"phrase": "local customer", "condition": "Customers.country = 'Switzerland'"},
        "local customer",
    )
    found = drafted("How many local customers are there?", note)
    assert rows(found.sql, "shop") == {(2,): 1}
    assert found.memories == ("memory-local customer",)


def test_a_pattern_of_numbers_is_a_condition() -> None:
    """`pricey` is what costs more than the note says."""
    note = memory(
        MemoryType.NUMERIC_PATTERN,
        {"phrase": "pricey", "column": "Products.unitPrice", "operator": ">", "value": 50},
        "pricey",
    )
    found = drafted("List the names of pricey products.", note)
    assert rows(found.sql, "shop") == rows("select productName from Products where unitPrice > 50", "shop")


def test_a_measure_by_something_is_computed_for_each() -> None:
    """`by` behind a measure groups: rows that were computed of many have no order of their own."""
    joined = "select sum(quantity * (1 - discount)), {0} from OrderItems join Orders using (orderId) group by {0}"
    for question, of in (("turnover by year", "year(orderDate)"), ("Revenue by status", "status")):
        found = drafted(question, REVENUE)
        assert rows(found.sql, "shop") == rows(joined.format(of), "shop")


def test_rows_that_nobody_wants_are_left_out() -> None:
    """Unless the question speaks of them."""
    note = memory(MemoryType.PREFERENCE, {"exclude": "Orders.status = 'cancelled'"}, "no cancelled")
    found = drafted("How many orders are there?", note)
    assert rows(found.sql, "shop") == {(5,): 1}
    assert found.memories == ("memory-no cancelled",)
    assert rows(drafted("How many orders have the status cancelled?", note).sql, "shop") == {(1,): 1}


def test_preferred_columns_and_order_are_used_where_nothing_is_said() -> None:
    """A list of customers shows what people want to see."""
    note = memory(
        MemoryType.PREFERENCE,
        {"table": "Customers", "columns": ["customerName", "city"], "order_by": "customerName desc", "limit": 2},
        "customers",
    )
    found = drafted("List all customers.", note)
    assert loaded("shop").rows(found.sql) == [("Echo Mart", "Geneva"), ("Delta Labs", "Paris")]


def test_the_same_question_is_answered_by_its_example() -> None:
    """A checked example is sure, an unchecked one says so."""
    content = {"question": "Who buys from us?", "sql": "select city from Customers", "dialect": "duckdb"}
    checked = drafted("who buys from us", memory(MemoryType.EXEMPLAR, content, "buyers"))
    assert checked.sql == "SELECT city FROM Customers"
    assert checked.memories == ("memory-buyers",)
    open_one = memory(MemoryType.EXEMPLAR, content, "buyers", validation_status="unvalidated")
    unchecked = drafted("Who buys from us?", open_one)
    assert unchecked.confidence < checked.confidence
    assert "Nobody has checked" in unchecked.reading


def test_an_example_answers_for_other_values() -> None:
    """Numbers and values that stand once in its SQL are swapped."""
    content = {
        "question": "Which buyers from France owe more than 100?",
        "sql": "select customerName from Customers where country = 'France' and creditLimit > 100",
        "dialect": "duckdb",
    }
    found = drafted("Which buyers from Portugal owe more than 700?", memory(MemoryType.EXEMPLAR, content, "owe"))
    assert rows(found.sql, "shop") == {("Casa Verde",): 1}


def test_a_question_that_builds_on_an_example_is_asked_for_as_a_whole() -> None:
    """An example has no plan to build on."""
    before = Exchange("Who buys from us?", "select city from Customers")
    found = asyncio.run(
        Planner().draft(Asked("and by country?", NOW, (before,)), knowledge("shop"), loaded("shop").found)
    )
    assert isinstance(found, Unanswerable)
    assert found.message.startswith("This builds on the question before it")


def test_unchecked_examples_that_contradict_each_other_are_not_followed() -> None:
    """Until one of them is checked."""
    question = {"question": "How many customers are there?", "dialect": "duckdb"}
    notes = [
        memory(MemoryType.EXEMPLAR, question | {"sql": sql}, sql, validation_status="unvalidated")
        for sql in ("select 41", "select 42")
    ]
    assert drafted("How many customers are there?", notes[0]).memories == ("memory-select 41",)
    both = drafted("How many customers are there?", *notes)
    assert both.memories == ()
    assert loaded("shop").rows(both.sql) == [(5,)]
    checked = memory(MemoryType.EXEMPLAR, question | {"sql": "select 42"}, "checked")
    assert drafted("How many customers are there?", *notes, checked).memories == ("memory-checked",)


def test_a_disputed_example_is_not_used() -> None:
    """Nor one whose words differ."""
    content = {"question": "How many customers are there?", "sql": "select 42", "dialect": "duckdb"}
    disputed = memory(MemoryType.EXEMPLAR, content, "disputed", validation_status="disputed")
    assert drafted("How many customers are there?", disputed).memories == ()
    other = memory(MemoryType.EXEMPLAR, content, "other")
    assert drafted("How many products are there?", other).memories == ()


def test_a_forbidden_column_is_refused_by_name() -> None:
    """Return whether it is shown, filtered by, ordered by or averaged."""
    salary = ColumnKey(next(one.fqn for one in loaded("staff").tables if one.name == "employee"), "Salary")
    known = knowledge("staff", forbidden=frozenset((salary,)))
    for question in (
        "What is the average salary of employees?",
        "Show the names of employees with a salary above 60000.",
        "List the names of employees ordered by salary.",
    ):
        found = asked(question, known, "staff")
        assert isinstance(found, Unanswerable), question
        assert found.forbidden == (salary,)
        assert "may not read" in found.message
    everything = asked("List all information about employees.", known, "staff")
    assert isinstance(everything, QueryDraft)
    assert "Salary" not in everything.sql


def test_words_that_nothing_stands_for_are_named() -> None:
    """The refusal says what is missing."""
    found = asked("What is the shoe size of the students?", knowledge("school"), "school")
    assert isinstance(found, Unanswerable)
    assert "shoe" in " ".join(found.missing)


def test_two_ways_between_tables_are_offered() -> None:
    """Flights leave from airports and go to airports: the question does not say which is meant."""
    found = asked(
        "Show the names of airports with the number of flights of each airport.", knowledge("flights"), "flights"
    )
    assert isinstance(found, Clarification), found
    assert len(found.readings) == 2


def test_ways_that_are_offered_differ_in_their_words() -> None:
    """Who chooses must see between what."""
    found = asked("List the airport names of all flights.", knowledge("flights"), "flights")
    assert isinstance(found, Clarification), found
    assert [one.text.rpartition(", by ")[2] for one in found.readings] == [
        "the destination airport of the flight.",
        "the source airport of the flight.",
    ]


def test_a_join_that_people_noted_is_named_by_the_queries_that_go_along_it() -> None:
    """It shapes them as every other note does."""
    note = memory(MemoryType.JOIN, {"left": "Orders.customerId", "right": "Customers.customerId"}, "who orders")
    assert drafted("How many orders are there for each customer name?", note).memories == ("memory-who orders",)
    assert drafted("Which customers have no orders?", note).memories == ("memory-who orders",)
    assert drafted("How many orders are there?", note).memories == ()


def test_what_builds_on_an_answer_names_the_notes_behind_it() -> None:
    """The note still says what is computed."""
    known = knowledge("shop", memories=(REVENUE,))
    before = drafted("Show the turnover for each product category.", REVENUE)
    earlier = Exchange("Turnover?", before.sql, before.plan, confidence=1.0, memories=before.memories)
    found = asyncio.run(Planner().draft(Asked("only the top three", NOW, (earlier,)), known, loaded("shop").found))
    assert isinstance(found, QueryDraft)
    assert (found.evidence.get("follows"), found.memories) == (True, ("memory-revenue",))


def test_a_column_that_is_named_and_not_used_is_noticed() -> None:
    """Whatever a plan leaves out of what was asked for makes it less sure."""
    known = knowledge("library")
    linked = link("Show the title and the price of all books.", Vocabulary.of(known), NOW, loaded("library").found)
    book = next(one.fqn for one in known.tables if one.name == "Book")
    title, price = (ColumnKey(book, name) for name in ("Title", "Price"))
    pieces, catalog = cut(linked), catalog_of(known)
    assert unused({title}, pieces, catalog) == ["price"]
    assert unused({title, price}, pieces, catalog) == []


def test_a_sum_of_what_one_hour_costs_is_doubted() -> None:
    """Wages by the hour do not add up to what is paid."""
    known = knowledge("zoo")
    total = asked("What is the total wage of the keepers?", known, "zoo")
    said = asked("What is the total hourly wage of the keepers?", known, "zoo")
    assert isinstance(total, QueryDraft)
    assert isinstance(said, QueryDraft)
    assert (total.sql, total.confidence < UNSURE, said.confidence < UNSURE) == (said.sql, True, False)


def test_a_preference_for_a_table_of_other_data_changes_nothing_here() -> None:
    plain = drafted("Show the names of the customers.").sql
    for about in ("buyers", "elsewhere.main.buyers"):
        limit = memory(MemoryType.PREFERENCE, {"table": about, "limit": 5, "order_by": "name"}, "five")
        without = memory(MemoryType.PREFERENCE, {"table": about, "exclude": "status = 'cancelled'"}, "no cancelled")
        assert drafted("Show the names of the customers.", limit, without).sql == plain
    everywhere = memory(MemoryType.PREFERENCE, {"limit": 5}, "five")
    assert "LIMIT 5" in drafted("Show the names of the customers.", everywhere).sql


def test_spans_of_time_come_in_their_order_where_nobody_asked_for_another() -> None:
    """Rows of months are read one after the other; those of countries have no order of their own."""
    by_month = loaded("shop").rows(drafted("revenue by month", REVENUE).sql)
    months = [row[-1] for row in by_month]
    assert len(months) > 2
    assert months == sorted(months)
    highest = [row[0] for row in loaded("shop").rows(drafted("revenue by month, highest first", REVENUE).sql)]
    assert highest == sorted(highest, reverse=True) != [row[0] for row in by_month]
    both = [row[1:] for row in loaded("shop").rows(drafted("revenue per country and month", REVENUE).sql)]
    assert both == sorted(both)
    assert "ORDER BY" not in drafted("revenue per country", REVENUE).sql


def test_a_figure_goes_on_over_time_in_the_next_question() -> None:
    known = knowledge("shop", memories=(REVENUE,))
    before = drafted("What is the revenue in 2024?", REVENUE)
    earlier = Exchange("Revenue?", before.sql, before.plan, confidence=1.0, memories=before.memories)
    found = asyncio.run(Planner().draft(Asked("and over time?", NOW, (earlier,)), known, loaded("shop").found))
    assert isinstance(found, QueryDraft)
    wanted = (
        f"select date_trunc('month', orderDate)::date, {SUMMED} from {LINES} where year(orderDate) = 2024 group by 1"
    )
    assert rows(found.sql, "shop") == rows(wanted, "shop")
