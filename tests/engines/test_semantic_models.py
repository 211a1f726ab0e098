"""Semantic models of dbt, Cube and Ossie as memories, and memories as Ossie and ODCS."""

import importlib.resources
import json
from typing import Any

import jsonschema
import pytest
import yaml

from resolvers.engines.documents import UnreadableDocument
from resolvers.engines.nl2sql.drafter import Planner
from resolvers.engines.nl2sql.model import Asked, Knowledge, QueryDraft, no_lookup
from resolvers.engines.nl2sql.planner.catalog import Catalog
from resolvers.engines.semantics.exporting import FAMILY, writing_of
from resolvers.engines.semantics.model import ModelMemory, Taken
from resolvers.engines.semantics.odcs_writing import write_semantic_contract
from resolvers.engines.semantics.ossie_writing import write_ossie
from resolvers.engines.semantics.reading import _as_memory, understood
from schema.utils.memory import Memory, MemoryType
from schema.utils.semantic_model import SemanticFormat
from tests.engines.nl2sql.asking import NOW
from tests.engines.nl2sql.shop import TABLES, table

OTHERS = (
    table("order", 'id INTEGER, "Net Total" DECIMAL, group VARCHAR'.replace('"', "").replace("Net Total", "net_total")),
    table("customer", "id INTEGER, since DATE", schema="old"),
)

DBT = """
version: 2
semantic_models:
  - name: orders
    model: ref('orders')
    defaults: {agg_time_dimension: placed}
    entities:
      - {name: order, type: primary, expr: id}
      - {name: customer, type: foreign, expr: customer_id}
    dimensions:
      - {name: placed, type: time, type_params: {time_granularity: day}}
      - {name: remark, type: categorical, expr: note, label: Remark of the clerk}
      - {name: is_large, type: categorical, expr: total > 100}
    measures:
      - {name: order_total, agg: sum, expr: total}
      - {name: order_count, agg: count, expr: id, description: How many orders there are.}
      - {name: large_orders, agg: sum_boolean, expr: total > 100}
      - {name: ninety, agg: percentile, expr: total, agg_params: {percentile: 0.9}}
      - {name: sleepy, agg: sum, expr: pg_sleep(9)}
  - name: customers
    model: source('main', 'customer')
    entities: [{name: customer, type: primary, expr: id}]
  - name: nowhere
    model: ref('nowhere')
metrics:
  - {name: revenue, label: Turnover, type: simple, type_params: {measure: order_total}}
  - name: noted_revenue
    type: simple
    type_params: {measure: {name: order_total}}
    filter: "{{ Dimension('order__remark') }} is not null"
  - name: foreign_filter
    type: simple
    type_params: {measure: order_total}
    filter: "{{ Dimension('customer__city') }} = 'Oslo'"
  - {name: per_order, type: ratio, type_params: {numerator: revenue, denominator: order_count}}
  - name: share
    type: ratio
    type_params: {numerator: {name: revenue, filter: "{{ Dimension('order__is_large') }}"}, denominator: revenue}
  - name: twice
    type: derived
    type_params: {expr: r * 2, metrics: [{name: revenue, alias: r}]}
  - name: growth
    type: derived
    type_params: {expr: a - b, metrics: [{name: revenue, alias: a}, {name: revenue, alias: b, offset_window: 1 month}]}
  - {name: running, type: cumulative, type_params: {measure: order_total}}
"""

CUBE = """
cubes:
  - name: sales
    sql_table: main.orders
    title: Sales
    joins:
      - {name: customer, relationship: many_to_one, sql: "{CUBE}.customer_id = {customer.id}"}
      - {name: line, relationship: one_to_many, sql: "{CUBE}.id = {line}.order_id"}
    dimensions:
      - {name: id, sql: id, type: number, primary_key: true}
      - {name: remark, sql: "{CUBE}.note", type: string}
      - {name: large, sql: "{CUBE}.total > 100", type: boolean}
    measures:
      - {name: count, type: count}
      - {name: revenue, sql: total, type: sum, title: Turnover}
      - {name: buyers, sql: customer_id, type: count_distinct, format: number, public: true}
      - {name: large_revenue, sql: "{CUBE}.total", type: sum, filters: [{sql: "{large}"}, {sql: "{remark} = 'x'"}]}
      - {name: per_order, sql: "{revenue} / NULLIF({count}, 0)", type: number}
      - {name: rolling, sql: total, type: sum, rolling_window: {trailing: 1 month}}
      - {name: itself, sql: "{itself} + 1", type: number}
    segments: [{name: cheap, sql: "{CUBE}.total < 1"}]
  - {name: customer, sql: SELECT * FROM main.customer, dimensions: [{name: id, sql: id, type: number}]}
  - {name: line, sql_table: line}
  - {name: odd, sql: SELECT * FROM orders WHERE total > 1}
views: [{name: all}]
"""

OSSIE = """
version: 0.2.0.dev0
name: shop
datasets:
  - name: orders
    source: db.main.orders
    primary_key: [id]
    fields:
      - name: customer_id
        expression: {dialects: [{dialect: ANSI_SQL, expression: customer_id}]}
      - name: turnover
        expression: {dialects: [{dialect: ANSI_SQL, expression: total}]}
        description: What was paid.
        ai_context: {synonyms: [sales], instructions: Net of tax.}
        custom_extensions: [{vendor_name: DBT, data: '{"a": 1}'}]
      - name: days_since
        expression: {dialects: [{dialect: ANSI_SQL, expression: total * 2}]}
  - name: client
    source: db.main.customer
    ai_context: {synonyms: [buyer, customer base]}
relationships:
  - {name: orders_to_client, from: orders, to: client, from_columns: [customer_id], to_columns: [id]}
metrics:
  - name: total_revenue
    expression:
      dialects:
        - {dialect: ANSI_SQL, expression: SUM(orders.turnover)}
        - {dialect: MDX, expression: "[Measures].[Sales]"}
    description: All of it.
    ai_context: {synonyms: [revenue], examples: [How much did we sell?]}
  - name: per_client
    expression:
      dialects: [{dialect: ANSI_SQL, expression: "SUM(orders.total) / NULLIF(COUNT(DISTINCT client.id), 0)"}]
  - name: whose
    expression: {dialects: [{dialect: ANSI_SQL, expression: COUNT(*)}]}
  - name: injected
    expression: {dialects: [{dialect: ANSI_SQL, expression: "SUM(total)) FROM orders; DROP TABLE orders; --"}]}
"""


def read(text: str, format: SemanticFormat) -> tuple[dict[str, ModelMemory], dict[str, str]]:
    """The memories of a file by what they are in it, and the reasons of what is none, by place."""
    found = understood(text, format, (*TABLES, *OTHERS), "postgres")
    return {one.key: one for one in found.memories}, {one.where: one.reason for one in found.not_understood}


def kept(found: Taken) -> list[Memory]:
    """The memories of a file as they would stand."""
    return [
        _as_memory(one, str(at)).model_copy(update={"meta_data": {FAMILY: {"kept": dict(one.kept)}}})
        for at, one in enumerate(found.memories)
    ]


def said(found: Taken) -> list[Any]:
    """Return what the memories of a file say, whatever their order."""
    return sorted(
        (one.kind, one.name, json.dumps(one.content, sort_keys=True), str(one.asset_fqn)) for one in found.memories
    )


def test_metrics_and_entities_of_dbt_are_measures_and_joins() -> None:
    told, missed = read(DBT, SemanticFormat.DBT)
    sql = {key.removeprefix("measure "): one.content["expression"] for key, one in told.items() if "measure" in key}
    assert sql == {
        "revenue": "SUM(total)",
        "noted_revenue": "SUM(CASE WHEN (NOT note IS NULL) THEN total END)",
        "order_count": "COUNT(id)",
        "large_orders": "SUM(CASE WHEN total > 100 THEN 1 ELSE 0 END)",
        "per_order": "CAST((SUM(total)) AS DOUBLE) / NULLIF(CAST((COUNT(id)) AS DOUBLE), 0)",
        "share": "CAST((SUM(CASE WHEN ((total > 100)) THEN total END)) AS DOUBLE)"
        " / NULLIF(CAST((SUM(total)) AS DOUBLE), 0)",
        "twice": "(SUM(total)) * 2",
    }
    assert told["measure revenue"].content["synonyms"] == ["Turnover"]
    assert told["measure order_count"].content["description"] == "How many orders there are."
    assert told["join orders to customers"].content == {
        "left": "svc.db.main.orders.customer_id", "right": "svc.db.main.customer.id"
    }  # fmt: skip
    assert told["field orders.remark"].asset_fqn == "svc.db.main.orders.note"
    assert told["field orders.is_large"].content["expression"] == "total > 100"
    reasons = {
        name: " ".join(r for w, r in missed.items() if name in w or name in r) for name in ("metrics", "nowhere")
    }
    assert "its own rows are not" in missed["metrics[2]"]
    assert "offset_window" in missed["metrics[6]"]
    assert "cumulative" in missed["metrics[7]"]
    assert "nowhere" in reasons["nowhere"]
    assert any("percentile" in one for one in missed.values())
    assert any("pg_sleep" in one for one in missed.values())


def test_a_manifest_of_dbt_and_its_later_form_say_the_same() -> None:
    relation = {"database": "db", "schema_name": "main", "alias": "orders", "relation_name": '"db"."main"."orders"'}
    manifest = {
        "semantic_models": [
            {
                "name": "orders", "node_relation": relation, "primary_entity": "order", "entities": [],
                "dimensions": [{"name": "note", "type": "categorical", "expr": None}],
                "measures": [{"name": "m", "agg": "sum", "expr": "total", "create_metric": False}],
            }
        ],
        "metrics": [
            {
                "name": "revenue", "type": "simple",
                "type_params": {"measure": {"name": "m", "filter": None}, "numerator": None, "window": None},
                "filter": {"where_filters": [{"where_sql_template": "{{ Dimension('order__note') }} = 'é😀'"}]},
            }
        ],
        "project_configuration": {},
    }  # fmt: skip
    later = """
models:
  - name: orders
    semantic_model: {enabled: true}
    primary_entity: order
    columns: [{name: note, dimension: {type: categorical}}]
    metrics:
      - {name: revenue, type: simple, agg: sum, expr: total, filter: "{{ Dimension('order__note') }} = 'é😀'"}
"""
    one, missed = read(json.dumps(manifest), SemanticFormat.DBT)
    other, missed_too = read(later, SemanticFormat.DBT)
    assert not missed
    assert not missed_too
    assert one["measure revenue"].content == other["measure revenue"].content
    assert one["measure revenue"].content["expression"] == "SUM(CASE WHEN (note = 'é😀') THEN total END)"


@pytest.mark.anyio
async def test_the_planner_answers_by_what_was_taken_in() -> None:
    found = understood(DBT, SemanticFormat.DBT, TABLES, "duckdb")
    known = Knowledge(tables=TABLES, memories=[_as_memory(one, one.key) for one in found.memories])
    for question, part, memory in (
        ("What is the turnover?", 'SUM("total")', "measure revenue"),
        ("What is the noted revenue?", "CASE WHEN", "measure noted_revenue"),
        ("What is the revenue per customer?", "GROUP BY", "measure revenue"),
    ):
        draft = await Planner().draft(Asked(question, NOW), known, no_lookup)
        assert isinstance(draft, QueryDraft), draft
        assert part in draft.sql, draft.sql
        assert memory in draft.memories


def test_cubes_are_measures_joins_and_words() -> None:
    told, missed = read(CUBE, SemanticFormat.CUBE)
    sql = {key.removeprefix("measure "): one.content["expression"] for key, one in told.items() if "measure" in key}
    assert sql == {
        "count": "COUNT(*)",
        "revenue": "SUM(total)",
        "buyers": "COUNT(DISTINCT customer_id)",
        "large_revenue": "SUM(CASE WHEN ((total > 100)) AND (note = 'x') THEN total END)",
        "per_order": "(SUM(total)) / NULLIF((COUNT(*)), 0)",
    }
    assert {one.asset_fqn for key, one in told.items() if "measure" in key} == {"svc.db.main.orders"}
    joins = {key: (one.content["left"], one.content["right"]) for key, one in told.items() if "join" in key}
    assert joins == {
        "join sales to customer": ("svc.db.main.orders.customer_id", "svc.db.main.customer.id"),
        "join line to sales": ("svc.db.main.line.order_id", "svc.db.main.orders.id"),
    }
    assert told["dataset sales"].asset_fqn == "svc.db.main.orders"
    assert "defined by itself" in missed["cubes[0].measures[6]"]
    assert "rolling_window" in missed["cubes[0].measures[5]"]
    assert {"views", "cubes[0].segments[0]", "cubes[3]"} <= set(missed)
    assert missed["cubes[0].measures[2]"] == "format, public is not kept."


def test_ossie_tells_measures_joins_words_and_what_is_dropped() -> None:
    told, missed = read(OSSIE, SemanticFormat.OSSIE)
    assert told["measure total_revenue"].content == {
        "name": "total_revenue", "expression": "SUM(total)", "synonyms": ["revenue"], "description": "All of it.",
        "examples": ["How much did we sell?"],
    }  # fmt: skip
    assert told["measure per_client"].asset_fqn is None
    assert "main.customer.id" in told["measure per_client"].content["expression"], "two tables are called customer"
    known = Knowledge(tables=(*TABLES, *OTHERS), memories=[_as_memory(told["measure per_client"], "1")])
    expression = Catalog(known).noted.kpi("1")
    assert expression is not None
    assert expression.sql == 'SUM("orders"."total") / NULLIF(COUNT(DISTINCT "customer"."id"), 0)'
    assert expression.tables == ("svc.db.main.orders", "svc.db.main.customer")
    assert told["field orders.turnover"].content == {
        "term": "turnover", "synonyms": ["sales"], "description": "What was paid.", "instructions": "Net of tax."
    }  # fmt: skip
    assert told["dataset client"].asset_fqn == "svc.db.main.customer"
    assert "not clear whose rows" in missed["metrics[2]"]
    assert "The guard refused" in missed["metrics[3]"]
    assert "MDX" in missed["metrics[0]"]


@pytest.mark.parametrize(("format", "text"), [("dbt", DBT), ("cube", CUBE), ("ossie", OSSIE)])
def test_what_is_written_as_ossie_is_read_as_the_same_memories(format: str, text: str) -> None:
    tables = (*TABLES, *OTHERS)
    first = understood(text, SemanticFormat(format), tables, "postgres")
    made = writing_of(kept(first), tables)
    written, many = write_ossie(made, "shop")
    assert [one.where for one in made.not_understood] == []
    assert many == len(first.memories)
    again = understood(written, SemanticFormat.OSSIE, tables, "postgres")
    assert said(again) == said(first)
    assert [one.reason for one in again.not_understood] == []
    assert write_ossie(writing_of(kept(again), tables), "shop")[0].count("vendor_name: DBT") == text.count(
        "vendor_name: DBT"
    )


def test_what_would_be_counted_wrongly_over_joined_rows_is_no_measure() -> None:
    """Joined rows are counted once for each that they are joined to."""
    dbt = """
semantic_models:
  - name: orders
    model: ref('orders')
    measures: [{name: orders, agg: sum, expr: "1"}, {name: large, agg: sum_boolean, expr: total > 9}]
  - {name: lines, model: ref('line'), measures: [{name: lines, agg: count, expr: order_id}]}
metrics:
  - {name: lines_per_order, type: ratio, type_params: {numerator: lines, denominator: orders}}
  - {name: large_share, type: ratio, type_params: {numerator: large, denominator: orders}}
"""
    told, missed = read(dbt, SemanticFormat.DBT)
    assert "several tables" in missed["metrics[0]"]
    assert told["measure large_share"].asset_fqn == told["measure orders"].asset_fqn == "svc.db.main.orders"
    cube = """
cubes:
  - name: orders
    sql_table: orders
    measures:
      - {name: count, type: count}
      - {name: odd, type: number, sql: "{count} / MAX({line.amount})"}
      - {name: between, type: number, sql: "{count} / {line.count}"}
  - {name: line, sql_table: line, measures: [{name: count, type: count}]}
"""
    told, missed = read(cube, SemanticFormat.CUBE)
    assert list(told) == ["measure count"]
    assert "beside columns of another" in missed["cubes[0].measures[1]"]
    assert "several tables" in missed["cubes[0].measures[2]"]


def test_a_field_that_only_casts_a_column_is_the_column_and_none_takes_its_name() -> None:
    text = """
name: m
datasets:
  - name: orders
    source: orders
    fields:
      - {name: id, expression: {dialects: [{dialect: ANSI_SQL, expression: CAST(id AS VARCHAR)}]}}
      - {name: sum, expression: {dialects: [{dialect: ANSI_SQL, expression: CAST(total AS DOUBLE)}]}}
      - {name: note, expression: {dialects: [{dialect: ANSI_SQL, expression: UPPER(note)}]}}
metrics:
  - {name: all, expression: {dialects: [{dialect: ANSI_SQL, expression: SUM(orders.sum)}]}}
"""
    told, missed = read(text, SemanticFormat.OSSIE)
    assert {key: one.content.get("expression") for key, one in told.items()} == {
        "field orders.sum": None, "measure all": "SUM((CAST(total AS DOUBLE)))",
    }  # fmt: skip
    assert list(missed) == ["datasets[0].fields[2]"]


def memory(kind: MemoryType, name: str, content: dict[str, Any], about: str | None = None) -> Memory:
    return _as_memory(ModelMemory(kind, name, content, about, name), name)


def test_what_ossie_cannot_say_is_named() -> None:
    memories = [
        memory(MemoryType.KPI, "a", {"expression": "SUM(orders.total)", "unit": "EUR"}),
        memory(MemoryType.KPI, "gone", {"expression": "SUM(nowhere.total)"}),
        memory(MemoryType.JOIN, "between", {"condition": "orders.id > customer.id"}),
        memory(MemoryType.GLOSSARY, "values", {"term": "north", "column": "product.code", "values": ["N"]}),
        memory(MemoryType.GLOSSARY, "nothing", {"synonyms": {"a": ["b"]}}),
        memory(MemoryType.GLOSSARY, "taken", {"term": "id", "asset_fqn": "svc.db.main.product.code"}),
        memory(MemoryType.EXEMPLAR, "example", {"question": "?", "sql": "select 1"}),
    ]
    made = writing_of(memories, TABLES)
    written, many = write_ossie(made, "x")
    assert {one.where for one in made.not_understood} == {one.name for one in memories}
    assert many == 2, "the measure and the word are written without what they say besides"
    assert yaml.safe_load(written)["metrics"][0]["name"] == "a"


def test_a_contract_of_odcs_is_valid_and_names_the_measures_that_it_has_no_words_for() -> None:
    found = understood(OSSIE, SemanticFormat.OSSIE, (*TABLES, *OTHERS), "postgres")
    made = writing_of(kept(found), (*TABLES, *OTHERS))
    written, many = write_semantic_contract(made, "shop", "Shop")
    contract = yaml.safe_load(written)
    schema = json.loads(importlib.resources.files("open_data_contract_standard").joinpath("schema.json").read_text())
    jsonschema.Draft201909Validator(schema).validate(contract)
    assert contract["apiVersion"] == "v3.1.0"
    orders = next(one for one in contract["schema"] if one["name"] == "orders")
    assert orders["relationships"] == [{"type": "foreignKey", "from": "orders.customer_id", "to": "customer.id"}]
    total = next(one for one in orders["properties"] if one["name"] == "total")
    assert (total["businessName"], total["description"], total["logicalType"]) == (
        "turnover",
        "What was paid.",
        "number",
    )
    dropped = {one.where for one in made.not_understood}
    assert {"total_revenue", "per_client", "days_since", "turnover"} == dropped
    assert many == 3


@pytest.mark.parametrize("format", list(SemanticFormat))
@pytest.mark.parametrize(
    "text", ["{", "a: 1", "- a", "a: &a [*a]", "x: " + "[" * 50 + "]" * 50, '{"a":' * 60 + "1" + "}" * 60]
)
def test_what_is_no_semantic_model_is_refused(format: SemanticFormat, text: str) -> None:
    with pytest.raises(UnreadableDocument):
        understood(text, format, TABLES, "postgres")


def test_fields_that_grow_when_they_are_written_out_end() -> None:
    fields = [{"name": "f0", "sql": "total", "type": "number"}]
    fields += [{"name": f"f{at}", "sql": f"{{f{at - 1}}} + {{f{at - 1}}}", "type": "number"} for at in range(1, 18)]
    many = [{"name": f"m{at}", "sql": "{f9}", "type": "sum"} for at in range(900)]
    text = yaml.safe_dump({"cubes": [{"name": "c", "sql_table": "orders", "dimensions": fields, "measures": many}]})
    with pytest.raises(UnreadableDocument, match="parts of SQL"):
        understood(text, SemanticFormat.CUBE, TABLES, "postgres")
