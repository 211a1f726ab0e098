"""Keys are sets of columns: what is unique together says nothing about the parts, in no engine."""

from typing import Any

import pytest

from persistence.connectors.core.base import ColumnInfo, KeyInfo, TableInfo
from persistence.queries.source_facts import read_facts
from persistence.tables.catalog import metadata_assets
from resolvers.data_readiness.runs.kinds.ingestion import source_assets
from resolvers.engines.checks.builtin import builtin_checks
from resolvers.engines.describing.known import Surroundings
from resolvers.engines.intelligence.relations import keys_of, relations_of
from resolvers.engines.rules.draft import RuleDraft
from resolvers.engines.rules.generate import draft_rules
from schema.data_readiness.profile import PatternCount, TableProfile
from schema.data_readiness.source import Sample, TableFacts
from tests.data_readiness.workflows import cataloged, scope, written
from tests.engines.test_relations import related
from tests.engines.test_words import SCHEMA, figures, profile, said, subject
from tests.world import World

RENTED = {"type": "UNIQUE", "columns": ["day", "copy", "customer_id"]}
PAID = {"type": "PRIMARY_KEY", "columns": ["day", "no"]}
TO_COPY = {
    "type": "FOREIGN_KEY", "columns": ["film", "copy"], "target_schema": "app", "target_table": "copies",
    "target_columns": ["film", "no"],
}  # fmt: skip


def drafts_of(of: TableFacts, measured: TableProfile) -> list[RuleDraft]:
    """The rules that facts and figures lead to, without a sample."""
    return list(draft_rules(of, measured, Sample((), (), is_whole=True)))


def test_a_part_of_a_unique_key_is_not_marked_unique_by_the_source() -> None:
    columns = tuple(
        ColumnInfo(name, "INTEGER", "integer", at, True) for at, name in enumerate(("id", "day", "copy"), 1)
    )
    keys = (
        KeyInfo("PRIMARY_KEY", "p", ("id",)), KeyInfo("UNIQUE", "u", ("day", "copy")),
        KeyInfo("UNIQUE", "v", ("copy",)),
    )  # fmt: skip
    rental = TableInfo("rental", "TABLE", columns, keys)
    found = {one.path[-1]: one for one in source_assets("db", "s", None, [rental])}
    together = [{"type": "UNIQUE", "columns": ["day", "copy"]}]
    assert found["id"].constraint == {"keys": ["PRIMARY_KEY"]}
    assert found["day"].constraint == {"part_of": together}
    assert found["copy"].constraint == {"keys": ["UNIQUE"], "part_of": together}
    assert [key["columns"] for key in found["rental"].constraint["keys"]] == [["id"], ["day", "copy"], ["copy"]]


@pytest.mark.anyio
async def test_catalogs_that_marked_every_part_are_read_right(world: World) -> None:
    await cataloged(world, "svc.db.s.rental.day", "svc.db.s.rental.copy", "svc.db.s.rental.code")
    keys = [RENTED, {"type": "UNIQUE", "columns": ["code"]}]

    def work(uow: Any) -> Any:
        for fqn, constraint in (("svc.db.s.rental", {"keys": keys}), *(
            (f"svc.db.s.rental.{name}", {"keys": ["UNIQUE"]}) for name in ("day", "copy", "code")
        )):  # fmt: skip
            of = metadata_assets.c.fully_qualified_name == fqn
            uow.connection.execute(metadata_assets.update().where(of).values(constraint=constraint))
        return read_facts(uow.connection, scope(world), ["svc.db.s.rental"])

    [table] = await written(world, work)
    assert {one.name: one.is_unique for one in table.columns} == {"day": False, "copy": False, "code": True}


def test_no_engine_takes_a_part_of_a_key_for_a_key() -> None:
    measured = profile(
        *(figures(name, rows=16044, distinct_count=599) for name in ("day", "copy", "customer_id")), rows=16044
    )
    of = subject(
        "rental", "id:BIGINT:pk", "day:DATE:unique", "copy:BIGINT:unique", "customer_id:BIGINT:unique:>customers.id",
        keys=(RENTED,), profile=measured,
    )  # fmt: skip
    assert of.facts.key_sets == (("id",), ("day", "copy", "customer_id"))
    assert "nique" not in (said(of, "customer_id") or "")
    assert related(of)["rental.customer_id JOIN"]["cardinality"] == "many_to_one"
    checked = [one.check.arguments["properties"] for one in builtin_checks(of.facts, measured, None)
               if one.check.metric == "duplicateValues"]  # fmt: skip
    assert checked == [["id"], ["day", "copy", "customer_id"]]
    drafts = [one for one in drafts_of(of.facts, measured) if one.metric == "duplicateValues"]
    assert [one.arguments["properties"] for one in drafts] == checked


def test_flags_of_a_primary_key_of_several_columns_are_one_key() -> None:
    of = subject("payment", "day:DATE:pk", "no:BIGINT:pk:>orders.no", profile=profile(figures("no", distinct_count=9)))
    assert of.facts.key_sets == (("day", "no"),)
    assert related(of)["payment.no JOIN"]["cardinality"] == "many_to_one"
    rules = drafts_of(of.facts, profile(figures("day"), figures("no")))
    assert [one.arguments["properties"] for one in rules if one.metric == "duplicateValues"] == [["day", "no"]]


def test_a_reference_of_several_columns_is_one_join_and_one_rule() -> None:
    measured = profile(figures("film", distinct_count=9), figures("copy", distinct_count=9))
    of = subject(
        "loans", "id:BIGINT:pk", "film:BIGINT:>copies.film", "copy:BIGINT:>copies.no", keys=(TO_COPY,), profile=measured
    )
    [join] = [one for one in relations_of(of, keys_of((), Surroundings())) if one.value["type"] == "JOIN"]
    assert join.asset_fqn == f"{SCHEMA}.loans"
    assert (join.value["columns"], join.value["target_columns"]) == (["film", "copy"], ["film", "no"])
    assert (join.value["cardinality"], join.value["optional"]) == ("many_to_one", False)
    drafts = [one for one in drafts_of(of.facts, measured) if one.metric == "brokenReferences"]
    assert [one.arguments["columns"] for one in drafts] == [["film", "copy"]]
    checks = [one.check for one in builtin_checks(of.facts, measured, None) if one.check.metric == "brokenReferences"]
    assert [(one.asset_fqn, one.arguments["columns"]) for one in checks] == [(f"{SCHEMA}.loans", ["film", "copy"])]


def test_what_not_every_row_has_is_expected_to_differ_where_there_is_one() -> None:
    def checked(name: str, **given: Any) -> bool:
        [pattern] = given.pop("patterns", ["A{2}9{6}"])
        told = {"row_count": 100, "null_count": 30, "distinct_count": 69, "mean_length": 8.0}
        shape = [PatternCount(pattern=pattern, count=70)]
        measured = profile(figures("id"), figures(name, **(told | {"patterns": shape} | given)))
        of = subject("animals", "id:BIGINT:pk", f"{name}:VARCHAR")
        return ("duplicateValues", name) in {
            (one.check.metric, *one.check.columns) for one in builtin_checks(of.facts, measured, None) if one.is_guess
        }

    assert checked("transponder"), "69 different in 70 rows that have one"
    assert checked("tag_no", kind="number", data_type="BIGINT", patterns=["-"], minimum="1", maximum="900")
    assert not checked("tag_height", kind="number", data_type="BIGINT", patterns=["-"], minimum="1", maximum="900")
    assert not checked("transponder", distinct_count=65), "too many have that of another"
    assert not checked("transponder", null_count=70, distinct_count=29), "too few have one"
    assert not checked("transponder", approximate=["distinct_count"])
    assert not checked("seen_first", patterns=["9{4}-9{2}-9{2}"]), "days differ by chance"
