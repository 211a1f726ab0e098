"""Rules in the words of dbt and of data contracts: what is read, what is told as not understood, and round trips."""

from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st
from open_data_contract_standard.model import OpenDataContractStandard

from benchmarks.quality.tables import orders, people
from benchmarks.quality.twins import drafts_for, loaded
from resolvers.engines.documents import MOST_CHARACTERS, UnreadableDocument, load
from resolvers.engines.rules.dbt import read_dbt, write_dbt
from resolvers.engines.rules.draft import RuleDraft, measured_by
from resolvers.engines.rules.exchange import Imported
from resolvers.engines.rules.odcs import read_odcs, write_odcs
from schema.data_readiness.quality_builtin import METRICS
from schema.data_readiness.rule import RuleOperator, RuleType, RuleUnit
from schema.data_readiness.source import ColumnFacts, TableFacts
from schema.data_readiness.violation import Severity
from schema.text import is_storable

NOW = datetime(2026, 3, 1, tzinfo=UTC)
URI = "data:o:p:shop"


def table(fqn: str, *columns: str) -> TableFacts:
    """A table that the catalog knows."""
    _, database, schema, name = fqn.split(".")
    made = tuple(ColumnFacts(f"{fqn}.{one}", one, at, "VARCHAR") for at, one in enumerate(columns, 1))
    return TableFacts(fqn, URI, database, schema, name, made)


ORDERS = table("shop.db.sales.orders", "id", "customer_id", "status", "placed")
CUSTOMERS = table("shop.db.sales.customers", "id", "email")
ELSEWHERE = table("shop.db.archive.orders", "id")
TABLES = (ORDERS, CUSTOMERS)


def said(found: Imported) -> list[tuple[Any, ...]]:
    """The rules in short."""
    return [
        (one.asset_fqn.removeprefix("shop.db.sales."), one.metric, one.operator.value, one.threshold, one.arguments)
        for one in found.drafts
    ]


def bare(draft: RuleDraft) -> RuleDraft:
    """A rule without what only its engine knows."""
    return replace(draft, evidence={}, confidence=None, expected_false_positive_rate=None)


def contract(*quality: Any, column: str | None = None, name: str = "orders", **more: Any) -> str:
    """A data contract with one table and its checks."""
    part: dict[str, Any] = {"name": name, **more}
    if column is None:
        part["quality"] = list(quality)
    else:
        part["properties"] = [{"name": column, "quality": list(quality)}]
    return str(yaml.safe_dump({"apiVersion": "v3.1.0", "kind": "DataContract", "schema": [part]}))


def read_one(item: Any, column: str | None = None) -> tuple[list[RuleDraft], list[str]]:
    found = read_odcs(contract(item, column=column), TABLES)
    return found.drafts, [one.reason for one in found.not_understood]


DBT = """
version: 2
sources:
  - name: raw
    schema: sales
    tables:
      - name: people
        identifier: customers
        columns:
          - name: email
            tests: [unique]
models:
  - name: orders
    columns:
      - name: id
        data_tests:
          - unique
          - not_null:
              name: every_order_has_an_id
              description: Orders are numbered.
              config: {severity: warn}
      - name: STATUS
        tests:
          - accepted_values:
              values: [open, closed, 3, true]
              severity: warn
          - accepted_values:
              arguments: {values: [again]}
      - name: customer_id
        tests:
          - relationships: {to: "source('raw', 'people')", field: id}
          - relationships:
              arguments: {to: "{{ ref('customers') }}", field: email}
              config: {error_if: '>10'}
"""


def test_the_four_tests_of_dbt_become_rules() -> None:
    found = read_dbt(DBT, TABLES)
    assert said(found) == [
        ("orders.id", "duplicateValues", "mustBe", (0.0,), {"properties": ["id"]}),
        ("orders.id", "nullValues", "mustBe", (0.0,), {}),
        ("orders.status", "invalidValues", "mustBe", (0.0,), {"validValues": ["open", "closed", "3", "true"]}),
        (
            "orders", "brokenReferences", "mustBe", (0.0,),
            {"columns": ["customer_id"], "targetFqn": CUSTOMERS.fqn, "targetColumns": ["id"]},
        ),
        (
            "orders", "brokenReferences", "mustBeLessOrEqualTo", (10.0,),
            {"columns": ["customer_id"], "targetFqn": CUSTOMERS.fqn, "targetColumns": ["email"]},
        ),
        ("customers.email", "duplicateValues", "mustBe", (0.0,), {"properties": ["email"]}),
    ]  # fmt: skip
    assert [one.name for one in found.drafts][:3] == ["id.unique", "every_order_has_an_id", "status.accepted_values"]
    assert [one.severity for one in found.drafts][:3] == [Severity.HIGH, Severity.MEDIUM, Severity.MEDIUM]
    assert found.drafts[1].description == "Orders are numbered."
    for one in found.drafts:
        assert (one.confidence, one.expected_false_positive_rate, one.resource_uri) == (None, None, URI)
        assert (one.dimension_id, one.metric_definition_id) == measured_by(one.metric)
    [twice] = found.not_understood
    assert twice.where == "models[0].columns[1].tests[1]"
    assert "first stands" in twice.reason


@pytest.mark.parametrize(
    ("test", "reason"),
    [
        ({"not_null": {"where": "id > 3"}}, "some of the rows"),
        ({"not_null": {"config": {"where": "id > 3"}}}, "some of the rows"),
        ({"not_null": {"config": {"enabled": False}}}, "switched off"),
        ({"not_null": {"config": {"error_if": "between 1 and 3"}}}, "threshold"),
        ({"dbt_utils.at_least_one": {}}, "none of not_null"),
        ("elementary.anomalies", "none of not_null"),
        ({"accepted_values": {"values": []}}, "`values`"),
        ({"accepted_values": {"values": [{"a": 1}]}}, "`values`"),
        ({"accepted_values": None}, "`values`"),
        ({"relationships": {"to": "customers", "field": "id"}}, "ref("),
        ({"relationships": {"to": "ref('nowhere')", "field": "id"}}, "nowhere"),
        ({"relationships": {"to": "ref('customers')", "field": "nothing"}}, "`field`"),
        ({"relationships": {"to": "source('raw', 'customers')", "field": "id"}}, "customers"),
        (3, "no test"),
        ({}, "no test"),
        ({"not_null": 5}, "no mapping"),
        ({"not_null": {}, "unique": {}}, "not one test"),
    ],
)
def test_what_dbt_says_otherwise_is_told(test: Any, reason: str) -> None:
    text = yaml.safe_dump({"models": [{"name": "orders", "columns": [{"name": "id", "tests": [test]}]}]})
    found = read_dbt(text, TABLES)
    assert found.drafts == []
    assert reason in found.not_understood[0].reason


def test_what_of_a_dbt_test_is_not_kept_is_told_and_the_rest_is_read() -> None:
    test = {"not_null": {"config": {"severity": "warn", "store_failures": True, "fail_calc": "sum(n)"}, "odd": 1}}
    found = read_dbt(
        yaml.safe_dump({"models": [{"name": "orders", "columns": [{"name": "id", "tests": [test]}]}]}), TABLES
    )
    assert len(found.drafts) == 1
    assert [one.reason for one in found.not_understood] == ["fail_calc is not kept.", "odd is not kept."]


def test_tables_and_columns_that_are_not_known_are_told_when_something_is_said_of_them() -> None:
    found = read_dbt(
        """
models:
  - {name: nowhere, columns: [{name: id, tests: [unique]}]}
  - {name: silent, columns: [{name: id}]}
  - {name: orders, columns: [{name: gone, tests: [unique]}, {name: quiet}], tests: [unique]}
""",
        TABLES,
    )
    assert found.drafts == []
    assert [one.where for one in found.not_understood] == ["models[0]", "models[2].tests[0]", "models[2].columns[0]"]
    assert "Run service-ingestion" in found.not_understood[0].reason


def test_a_name_that_two_tables_have_needs_its_schema() -> None:
    both = (*TABLES, ELSEWHERE)
    model = "models: [{name: orders, columns: [{name: id, tests: [unique]}]}]"
    assert "Name the schema" in read_dbt(model, both).not_understood[0].reason
    of_source = "sources: [{name: archive, tables: [{name: orders, columns: [{name: id, tests: [unique]}]}]}]"
    assert [one.asset_fqn for one in read_dbt(of_source, both).drafts] == ["shop.db.archive.orders.id"]


def test_checks_of_a_contract_become_rules() -> None:
    [rule], missed = read_one(
        {
            "metric": "invalidValues", "name": "good", "description": "Right.", "severity": "error",
            "arguments": {"validValues": ["a", 1, True]}, "mustBeLessThan": 5, "unit": "percent",
        },
        "status",
    )  # fmt: skip
    assert missed == []
    assert (rule.name, rule.description, rule.severity) == ("good", "Right.", Severity.HIGH)
    assert (rule.asset_fqn, rule.type, rule.unit) == (f"{ORDERS.fqn}.status", RuleType.LIBRARY, RuleUnit.PERCENT)
    assert (rule.operator, rule.threshold) == (RuleOperator.MUST_BE_LESS_THAN, (5.0,))
    assert rule.arguments == {"validValues": ["a", "1", "true"]}


@pytest.mark.parametrize("operator", list(RuleOperator))
def test_every_operator_is_read_and_written(operator: RuleOperator) -> None:
    value: Any = [1, 2.5] if operator.value.endswith("Between") else 7
    [rule], _ = read_one({"type": "library", "metric": "rowCount", operator.value: value})
    assert rule.threshold == ((1.0, 2.5) if isinstance(value, list) else (7.0,))
    written = yaml.safe_load(write_odcs([rule], id="i", name="n").text)
    assert written["schema"][0]["quality"][0][operator.value] == value


def test_sql_keeps_its_query_and_counts_in_the_dimension_that_it_names() -> None:
    [rule], _ = read_one(
        {"type": "sql", "query": "select count(*) from {object} where ${property} < 0", "mustBe": 0,
         "dimension": "conformity"}, "placed",
    )  # fmt: skip
    assert rule.query == "select count(*) from orders where placed < 0"
    assert (rule.type, rule.metric, rule.asset_fqn) == (RuleType.SQL, None, f"{ORDERS.fqn}.placed")
    [other], _ = read_one({"type": "sql", "query": "select 1", "mustBe": 0, "dimension": "timeliness"})
    assert next(metric.name for metric in METRICS if metric.id == other.metric_definition_id) == "fresh_data"


def test_flags_of_a_column_and_words_of_version_3_0_are_read() -> None:
    text = """
apiVersion: v3.0.2
kind: DataContract
schema:
  - name: whatever
    physicalName: sales.orders
    properties:
      - {name: id, required: true, unique: true}
      - {name: status, quality: [{rule: nullCheck, mustBe: 0}, {rule: duplicateCount, mustBeLessThan: 10}]}
"""
    assert said(read_odcs(text, TABLES)) == [
        ("orders.id", "nullValues", "mustBe", (0.0,), {}),
        ("orders.id", "duplicateValues", "mustBe", (0.0,), {"properties": ["id"]}),
        ("orders.status", "nullValues", "mustBe", (0.0,), {}),
        ("orders.status", "duplicateValues", "mustBeLessThan", (10.0,), {"properties": ["status"]}),
    ]


@pytest.mark.parametrize(
    ("item", "column", "reason"),
    [
        ({"type": "text", "description": "Be good."}, None, "people to read"),
        ({"type": "odd"}, None, "not known"),
        ({"metric": "odd", "mustBe": 0}, None, "none of rowCount"),
        ({"metric": "rowCount"}, None, "no one operator"),
        ({"metric": "rowCount", "mustBe": 1, "mustBeLessThan": 3}, None, "several operators"),
        ({"metric": "rowCount", "mustBe": "many"}, None, "takes numbers"),
        ({"metric": "rowCount", "mustBe": [1, 2]}, None, "one number"),
        ({"metric": "rowCount", "mustBeBetween": 1}, None, "two numbers"),
        ({"metric": "rowCount", "mustBeBetween": [3, 1]}, None, "smaller"),
        ({"metric": "rowCount", "mustBe": float("inf")}, None, "takes numbers"),
        ({"metric": "rowCount", "mustBe": 1, "unit": "apples"}, None, "unit"),
        ({"metric": "nullValues", "mustBe": 0}, None, "said of a column"),
        ({"metric": "nullValues", "mustBe": 0, "arguments": {"odd": 1}}, "id", "no argument"),
        ({"metric": "invalidValues", "mustBe": 0}, "id", "what is valid"),
        ({"metric": "invalidValues", "mustBe": 0, "arguments": {"validValues": 3}}, "id", "list"),
        ({"metric": "invalidValues", "mustBe": 0, "arguments": {"pattern": [1]}}, "id", "one value"),
        ({"metric": "duplicateValues", "mustBe": 0}, None, "properties"),
        ({"metric": "duplicateValues", "mustBe": 0, "arguments": {"properties": ["gone"]}}, None, "no column"),
        ({"type": "sql", "mustBe": 0}, None, "`query`"),
        ({"type": "sql", "query": "x" * 20_001, "mustBe": 0}, None, "`query`"),
        ({"type": "custom", "engine": "soda", "implementation": "checks: 1"}, None, "elsewhere"),
        ({"type": "custom", "engine": "stoa", "implementation": {"metric": "odd"}}, None, "names no metric"),
        (
            {"type": "custom", "engine": "stoa", "implementation": {"metric": "staleData", "mustBe": 0}},
            None, "needs the argument",
        ),
        ("odd", None, "no mapping"),
    ],
)  # fmt: skip
def test_what_a_contract_says_otherwise_is_told(item: Any, column: str | None, reason: str) -> None:
    drafts, [missed, *_] = read_one(item, column)
    assert drafts == []
    assert reason in missed


def test_contracts_find_their_tables_by_physical_name_and_tell_those_they_do_not() -> None:
    item = {"metric": "rowCount", "mustBeGreaterThan": 0}
    both = (*TABLES, ELSEWHERE)
    found = read_odcs(contract(item, name="Orders of old", physicalName="archive.orders"), both)
    assert [one.asset_fqn for one in found.drafts] == [ELSEWHERE.fqn]
    assert "nowhere" in read_odcs(contract(item, name="nowhere"), both).not_understood[0].reason
    assert "Name the schema" in read_odcs(contract(item), both).not_understood[0].reason


@pytest.mark.parametrize("make", [orders, people])
def test_generated_rules_come_back_from_a_contract_as_they_were(make: Any) -> None:
    made = make(600)
    with loaded(made.columns, made.dirty) as one:
        drafts = drafts_for(one, NOW)
    written = write_odcs(drafts, id="urn:shop", name="shop")
    assert written.left_out == []
    OpenDataContractStandard.from_string(written.text)
    found = read_odcs(written.text, [one.facts])
    assert found.not_understood == []
    assert {rule.key: bare(rule) for rule in found.drafts} == {rule.key: bare(rule) for rule in drafts}
    assert write_odcs(found.drafts, id="urn:shop", name="shop").text == written.text


def test_generated_rules_come_back_from_dbt_and_the_others_are_told() -> None:
    made = people(600)
    with loaded(made.columns, made.dirty) as one:
        drafts = drafts_for(one, NOW)
    written = write_dbt(drafts)
    found = read_dbt(written.text, [one.facts])
    assert found.not_understood == []
    known = {rule.key: bare(rule) for rule in drafts}
    assert len(found.drafts) >= 8
    assert len(found.drafts) + len(written.left_out) == len(drafts)
    for rule in found.drafts:
        assert known[rule.key] == bare(rule)
    assert write_dbt(found.drafts).text == written.text


def test_dbt_rules_come_back_from_a_contract_and_to_dbt() -> None:
    drafts = read_dbt(DBT, TABLES).drafts
    again = read_odcs(write_odcs(drafts, id="i", name="n").text, TABLES).drafts
    assert {one.key: bare(one) for one in again} == {one.key: bare(one) for one in drafts}
    assert {one.key: bare(one) for one in read_dbt(write_dbt(again).text, TABLES).drafts} == {
        one.key: bare(one) for one in drafts
    }


@pytest.mark.parametrize(
    "change",
    [
        {"unit": RuleUnit.PERCENT},
        {"operator": RuleOperator.MUST_BE_GREATER_THAN},
        {"operator": RuleOperator.MUST_BE_LESS_OR_EQUAL_TO, "threshold": (0.5,)},
        {"metric": "suspectValues"},
        {"metric": "invalidValues", "arguments": {"pattern": "^a$"}},
        {"metric": "duplicateValues", "arguments": {"properties": ["id", "status"]}},
        {"metric": None, "type": RuleType.SQL, "query": "select 1"},
    ],
)
def test_what_dbt_has_no_test_for_is_left_out_and_told(change: dict[str, Any]) -> None:
    [rule, *_] = [one for one in read_dbt(DBT, TABLES).drafts if one.metric == "nullValues"]
    written = write_dbt([replace(rule, **change)])
    assert yaml.safe_load(written.text) == {"version": 2, "sources": []}
    assert [one.where for one in written.left_out] == ["every_order_has_an_id"]


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "no mapping"),
        ("- a", "no mapping"),
        ("a: [1 2}", "no YAML in line 1"),
        ("a: b\n\tc: d", "no YAML in line 2"),
        ("a: !!python/object:os.system {}", "no YAML"),
        ("a: 1\n---\nb: 2", "one document"),
        ("a: &x 1\nb: {<<: {c: 1}}", "Merge keys"),
        ("a: &x [*x]", "alias inside"),
        ("x" * (MOST_CHARACTERS + 1), "characters"),
        ("[" * 60 + "]" * 60, "levels"),
        ("a: [" + ",".join("1" * 100_001) + "]", "values"),
        ("a: &x [1]\nb: [" + ",".join(["*x"] * 101) + "]", "aliases"),
        (
            "a: &a [1,1,1,1,1,1,1,1,1,1]\n"
            + "\n".join(f"{chr(98 + at)}: &{chr(98 + at)} [{','.join(['*' + chr(97 + at)] * 10)}]" for at in range(6)),
            "aliases written out",
        ),
        ("a: " + "9" * 5000, "cannot read"),
        ("a: 2026-99-99", "cannot read"),
    ],
)
def test_what_is_no_small_plain_yaml_is_refused(text: str, reason: str) -> None:
    with pytest.raises(UnreadableDocument, match=reason):
        load(text)


@pytest.mark.parametrize("read", [read_dbt, read_odcs])
@pytest.mark.parametrize("text", ["a: 1", "models: 3", "kind: DataContract", "schema: [1]"])
def test_other_documents_are_refused(read: Any, text: str) -> None:
    with pytest.raises(UnreadableDocument):
        read(text, TABLES)


NONSENSE: Any = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=6), st.dates()),
    lambda some: st.one_of(
        st.lists(some, max_size=3),
        st.dictionaries(
            st.sampled_from(
                [
                    "name",
                    "columns",
                    "tests",
                    "data_tests",
                    "quality",
                    "properties",
                    "type",
                    "metric",
                    "arguments",
                    "mustBe",
                    "unit",
                    "sources",
                    "tables",
                    "not_null",
                    "accepted_values",
                    "relationships",
                    "values",
                    "to",
                    "field",
                    "config",
                    "severity",
                    "custom",
                    "engine",
                    "query",
                ]
            ),
            some,
            max_size=4,
        ),
    ),
    max_leaves=12,
)


@settings(max_examples=150, deadline=None)
@given(NONSENSE)
def test_nonsense_is_told_and_never_breaks_it(nonsense: Any) -> None:
    column = {"name": "id", "tests": [nonsense], "quality": [nonsense]}
    table = {"name": "orders", "columns": [column], "properties": [column], "quality": [nonsense], "tests": nonsense}
    for read, head in (
        (read_dbt, {"models": [table, nonsense], "sources": [nonsense]}),
        (read_odcs, {"apiVersion": "v3.1.0", "kind": "DataContract", "schema": [table, nonsense]}),
    ):
        if not is_storable(yaml.safe_load(yaml.safe_dump(head))):
            with pytest.raises(UnreadableDocument, match="cannot be kept"):
                read(yaml.safe_dump(head), TABLES)
            continue
        found = read(yaml.safe_dump(head), TABLES)
        assert isinstance(found, Imported)
        for one in found.drafts:
            assert one.name
