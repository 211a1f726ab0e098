"""The files of dbt: which models a manifest has, what is followed through, and what is no such file."""

from typing import Any

import pytest

from resolvers.engines.lineage.dbt import MOST_MODELS, read_columns, read_manifest
from resolvers.engines.lineage.handed_in import Refused

SCHEMAS = "https://schemas.getdbt.com/dbt"


def manifest(nodes: Any, version: object = 12, **metadata: Any) -> dict[str, Any]:
    """A manifest of the project `shop`."""
    told = {"dbt_schema_version": f"{SCHEMAS}/manifest/v{version}.json", "project_name": "shop"}
    return {"metadata": told | metadata, "nodes": nodes, "sources": {}}


def node(kind: str = "model", **given: Any) -> dict[str, Any]:
    """A node as dbt writes it, as far as it is read."""
    return {
        "resource_type": kind, "database": "d", "schema": "s", "name": "n", "alias": "a", "language": "sql",
        "compiled_code": "select 1 as one", "config": {"materialized": "table"}, "depends_on": {"nodes": []},
    } | given  # fmt: skip


def test_models_and_snapshots_that_are_tables_are_read() -> None:
    project = read_manifest(
        manifest(
            {
                "model.shop.b": node(alias=None, database=None),
                "model.shop.a": node(compiled_code="  "),
                "snapshot.shop.c": node("snapshot"),
                "model.shop.inner": node(config={"materialized": "ephemeral"}),
                "seed.shop.d": node("seed"),
                "test.shop.e": node("test"),
            },
            9,
        )
    )
    assert project.name == "shop"
    assert [(one.id, one.place, one.sql) for one in project.models] == [
        ("model.shop.a", ("d", "s", "a"), None),
        ("model.shop.b", ("s", "n"), "select 1 as one"),
        ("snapshot.shop.c", ("d", "s", "a"), "select 1 as one"),
    ]


def test_ephemeral_models_are_followed_through_and_circles_end() -> None:
    ephemeral = {"config": {"materialized": "ephemeral"}}
    [model] = read_manifest(
        manifest(
            {
                "model.shop.top": node(depends_on={"nodes": ["model.shop.e1", "seed.shop.x", 7]}),
                "model.shop.e1": node(**ephemeral, depends_on={"nodes": ["model.shop.e2", "model.shop.top"]}),
                "model.shop.e2": node(**ephemeral, depends_on={"nodes": ["model.shop.e1", "source.shop.raw.y"]}),
            }
        )
    ).models
    assert model.depends_on == ("seed.shop.x", "source.shop.raw.y")


@pytest.mark.parametrize(
    ("file", "field", "reason"),
    [
        ({}, "manifest.metadata", "no manifest.json of dbt"),
        ({"metadata": []}, "manifest.metadata", "no manifest.json of dbt"),
        (manifest({}, 8), "manifest.metadata", "version 8 of its schema, and versions 9 to 12 are read"),
        (manifest({}, 13), "manifest.metadata", "version 13"),
        (manifest({}, dbt_schema_version=f"{SCHEMAS}/catalog/v1.json"), "manifest.metadata", "no manifest.json"),
        (manifest({}, project_name="a/b"), "manifest.metadata", "does not name its project"),
        (manifest([]), "manifest.nodes", "no `nodes`"),
        (manifest({"model.shop.a": 1}), "manifest.nodes", "no `nodes`"),
        (manifest({f"model.shop.{at}": node() for at in range(MOST_MODELS + 1)}), "manifest.nodes", "At most 2000"),
    ],
)
def test_what_is_no_manifest_is_refused_with_what_to_do(file: dict[str, Any], field: str, reason: str) -> None:
    with pytest.raises(Refused, match=reason) as refused:
        read_manifest(file)
    assert refused.value.field == field


def test_a_project_without_a_name_is_known_by_its_id() -> None:
    project = read_manifest(manifest({}, 9, project_name=None, project_id="06e5b98c2db46f8a72cc4f66410e9b3b"))
    assert project.name == "06e5b98c2db46f8a72cc4f66410e9b3b"


def test_the_columns_of_a_catalog_are_in_their_order() -> None:
    table = {
        "metadata": {"database": "d", "schema": "s", "name": "a"},
        "columns": {"Y": {"name": "Y", "index": 2}, "X": {"name": "X", "index": 1}, "Z": 3},
    }
    metadata = {"dbt_schema_version": f"{SCHEMAS}/catalog/v1.json"}
    assert read_columns({"metadata": metadata, "nodes": {"model.shop.a": table, "odd": 1}}) == [
        (("d", "s", "a"), ("X", "Y")),
        ((), ()),
    ]
    with pytest.raises(Refused, match=r"no catalog\.json of dbt"):
        read_columns({"metadata": {}})
