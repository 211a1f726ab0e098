"""A plan is kept as JSON and comes back as it was."""

import json
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from resolvers.engines.nl2sql.plan import (
    Aggregate,
    Arithmetic,
    Both,
    Column,
    Combined,
    Comparison,
    Either,
    Expression,
    Figure,
    Literal,
    Member,
    Nested,
    Operator,
    Order,
    Output,
    Plan,
    Related,
    Share,
    Span,
    Unit,
)
from resolvers.engines.nl2sql.stored import restored, stored

names = st.text(max_size=8)
columns = st.builds(Column, names, names, st.integers(0, 3))
numbers = st.decimals(allow_nan=False, allow_infinity=False)
literals = st.one_of(
    st.builds(Literal, st.just("text"), names),
    st.builds(Literal, st.just("number"), numbers),
    st.builds(Literal, st.just("boolean"), st.booleans()),
    st.builds(Literal, st.sampled_from(("date", "moment")), st.just("2020-01-31")),
)
spans = st.builds(Span, columns, st.sampled_from(Unit), st.booleans())


@st.composite
def terms(draw: st.DrawFn, plans: st.SearchStrategy[Plan] | None) -> Any:
    """Terms of some depth, with the given plans inside."""
    simple = st.one_of(columns, literals, spans, st.builds(Expression, names, st.just(("a", "b")), st.booleans()))
    if plans is not None:
        simple = st.one_of(simple, st.builds(Nested, plans))
    figures = st.builds(Figure, st.sampled_from(Aggregate), st.none() | simple, st.booleans(), st.none() | names)
    signs = st.sampled_from(("+", "-", "*", "/"))
    return draw(st.one_of(simple, figures, st.builds(Share, figures), st.builds(Arithmetic, signs, simple, figures)))


@st.composite
def conditions(draw: st.DrawFn, plans: st.SearchStrategy[Plan] | None) -> Any:
    """Conditions of some depth, with the given plans inside."""
    some = terms(plans)
    leaves: list[st.SearchStrategy[Any]] = [
        st.builds(Comparison, some, st.sampled_from(Operator), st.lists(some, max_size=2).map(tuple), st.booleans())
    ]
    if plans is not None:
        leaves += [st.builds(Member, columns, plans, st.booleans()), st.builds(Related, names, plans, st.booleans())]
    found = st.recursive(
        st.one_of(leaves),
        lambda inner: (
            st.builds(Both, st.lists(inner, max_size=2).map(tuple))
            | st.builds(Either, st.lists(inner, max_size=2).map(tuple))
        ),
        max_leaves=3,
    )
    return draw(found)


@st.composite
def plans_over(draw: st.DrawFn, inner: st.SearchStrategy[Plan] | None) -> Plan:
    """Plans with the given plans inside."""
    some = terms(inner)
    tuples = st.lists(names, max_size=2).map(tuple)
    combined: st.SearchStrategy[Combined | None] = st.none()
    if inner is not None:
        combined = st.none() | st.builds(Combined, st.sampled_from(("union", "intersect", "except")), inner)
    found = st.builds(
        Plan,
        names,
        st.lists(st.builds(Output, some, st.none() | names), max_size=2).map(tuple),
        where=st.none() | conditions(inner),
        groups=st.lists(columns | spans, max_size=2).map(tuple),
        having=st.none() | conditions(inner),
        orders=st.lists(st.builds(Order, some, st.booleans()), max_size=2).map(tuple),
        limit=st.none() | st.integers(0, 1000),
        ties=st.booleans(),
        distinct=st.booleans(),
        also=tuples,
        keep=tuples,
        via=st.lists(st.tuples(columns, columns), max_size=2).map(tuple),
        combined=combined,
    )
    return draw(found)


@settings(max_examples=150, deadline=None)
@given(plans_over(plans_over(None)))
def test_every_plan_comes_back_as_it_was(plan: Plan) -> None:
    again = restored(json.loads(json.dumps(stored(plan))))
    assert again == plan
    assert repr(again) == repr(plan)


def test_numbers_stay_exact_and_kinds_stay_apart() -> None:
    column = Column("t", "c")
    number = Literal("number", Decimal("0.10000000000000000000000000000001"))
    plan = Plan("t", (Output(column), Output(number)), where=Both((Either(()), Both(()))))
    again = restored(json.loads(json.dumps(stored(plan))))
    assert again == plan
    assert again is not None
    assert isinstance(again.where, Both)
    assert isinstance(again.where.parts[0], Either)
    assert str(again.outputs[1].term.value) == "0.10000000000000000000000000000001"  # type: ignore[union-attr]


def test_a_whole_number_and_a_boolean_are_not_mixed_up() -> None:
    plan = Plan("t", (Output(Literal("boolean", True)), Output(Literal("number", Decimal(1)))), limit=1)
    told = stored(plan)
    assert told["plan"]["outputs"][0]["term"] == {"is": "literal", "kind": "boolean", "value": True}
    assert told["plan"]["outputs"][1]["term"] == {"is": "literal", "kind": "number", "value": {"number": "1"}}
    assert restored(told) == plan


PLAIN: dict[str, Any] = stored(Plan("t", (Output(Column("t", "c")),), limit=3))


@pytest.mark.parametrize(
    "content",
    [
        None,
        [],
        "plan",
        {},
        {"version": 1},
        {"version": 2, "plan": PLAIN["plan"]},
        {"version": 1, "plan": {"is": "column", "table": "t", "column": "c"}},
        {"version": 1, "plan": {**PLAIN["plan"], "unknown": 1}},
        {"version": 1, "plan": {**PLAIN["plan"], "limit": "3"}},
        {"version": 1, "plan": {**PLAIN["plan"], "limit": True}},
        {"version": 1, "plan": {**PLAIN["plan"], "main": None}},
        {"version": 1, "plan": {"is": "plan", "main": "t"}},
        {"version": 1, "plan": {**PLAIN["plan"], "outputs": {"is": "output"}}},
        {"version": 1, "plan": {**PLAIN["plan"], "outputs": [{"is": "order", "term": {"is": "column"}}]}},
        {"version": 1, "plan": {**PLAIN["plan"], "via": [[{"is": "column", "table": "t", "column": "c"}]]}},
        {"version": 1, "plan": {**PLAIN["plan"], "main": "x" * 20_001}},
        {"version": 1, "plan": {**PLAIN["plan"], "also": ["x"] * 6_000}},
    ],
)
def test_what_is_no_plan_gives_none(content: Any) -> None:
    assert restored(content) is None


@pytest.mark.parametrize("number", ["NaN", "Infinity", "one", "1" * 1_001, 1])
def test_what_is_no_number_gives_none(number: Any) -> None:
    literal = {"is": "literal", "kind": "number", "value": {"number": number}}
    assert restored({"version": 1, "plan": {**PLAIN["plan"], "outputs": [{"is": "output", "term": literal}]}}) is None


def test_depth_is_bounded() -> None:
    inner: dict[str, Any] = {"is": "both", "parts": []}
    for _ in range(100):
        inner = {"is": "both", "parts": [inner]}
    assert restored({"version": 1, "plan": {**PLAIN["plan"], "where": inner}}) is None


@settings(max_examples=100, deadline=None)
@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | names, lambda of: st.lists(of) | st.dictionaries(names, of)
    )
)
def test_no_json_makes_it_fail(content: Any) -> None:
    assert restored({"version": 1, "plan": content}) is None
