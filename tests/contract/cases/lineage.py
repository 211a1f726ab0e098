"""Lineage: statements that tell of it, and what follows it."""

from typing import Any
from uuid import uuid4

from schema.utils.lineage import LineageStatementCreate
from schema.utils.lineage_import import DbtImport, OpenLineageEvent
from schema.utils.metadata_asset import RelationshipCreate
from tests.contract.stage import MARK, Case, Place, Stage

SCHEMAS = "https://schemas.getdbt.com/dbt"


async def a_table(stage: Stage, place: Place) -> dict[str, Any]:
    """A table with one column in the catalog of a data connection."""
    uri, database = await stage.connection(place), f"db{uuid4().hex}"
    for kind, name in (
        ("database", database),
        ("database_schema", f"{database}.s"),
        ("table", f"{database}.s.t"),
        ("column", f"{database}.s.t.c"),
    ):
        body = {"fully_qualified_name": f"svc.{name}", "type": kind, "description": f"{MARK} words"}
        await stage.made(place, "POST", f"/utils/data_connection/{uri}/metadata", body)
    return {"resource_type": "data_connection", "resource_uri": uri, "fqn": f"svc.{database}.s.t"}


async def a_way(stage: Stage, place: Place) -> dict[str, Any]:
    """A table, and a column of it."""
    table = await a_table(stage, place)
    return table | {"to_fqn": f"{table['fqn']}.c"}


async def a_catalog(stage: Stage, place: Place) -> dict[str, Any]:
    """A connection whose statements are listed."""
    table = await a_table(stage, place)
    return {name: table[name] for name in ("resource_type", "resource_uri")}


async def a_statement(stage: Stage, place: Place) -> dict[str, Any]:
    """A statement to hand in."""
    table = await a_table(stage, place)
    statement = LineageStatementCreate(statement="select c from t", target_fqn=table.pop("fqn"))
    return table | {"statement": statement}


async def a_standing_statement(stage: Stage, place: Place) -> dict[str, Any]:
    """A statement that stands."""
    table = await a_table(stage, place)
    body = {"statement": f"select c as {MARK} from t", "target_fqn": table.pop("fqn")}
    path = f"/utils/data_connection/{table['resource_uri']}/lineage/statements"
    return table | {"statement_id": (await stage.made(place, "POST", path, body))["id"]}


async def a_manifest(stage: Stage, place: Place) -> dict[str, Any]:
    """The manifest of a dbt project with one model, which is in the catalog."""
    table = await a_table(stage, place)
    _, database, schema, name = table.pop("fqn").split(".")
    model = {"resource_type": "model", "database": database, "schema": schema, "alias": name}
    manifest = {
        "metadata": {"dbt_schema_version": f"{SCHEMAS}/manifest/v12.json", "project_name": "shop"},
        "nodes": {"model.shop.t": model | {"compiled_code": f"select c as {MARK} from t"}},
    }
    return table | {"file": DbtImport(manifest=manifest)}


async def an_event(stage: Stage, place: Place) -> dict[str, Any]:
    """An event of a job that writes a table, which is in the catalog."""
    table = await a_table(stage, place)
    name = table.pop("fqn").split(".", 1)[1]
    of = {"namespace": "shop", "name": name, "field": "c"}
    written = {"facets": {"columnLineage": {"fields": {"c": {"inputFields": [of]}}}}}
    job = {"namespace": "jobs", "name": f"{MARK} nightly"}
    event = OpenLineageEvent(job=job, outputs=[{"namespace": "shop", "name": name} | written])
    return table | {"namespace": "shop", "event": event}


async def a_reference(stage: Stage, place: Place) -> dict[str, Any]:
    """Two columns, one of which is to refer to the other."""
    table = await a_table(stage, place)
    other = f"{table['fqn']}.d"
    body = {"fully_qualified_name": other, "type": "column", "description": f"{MARK} words"}
    await stage.made(place, "POST", f"/utils/data_connection/{table['resource_uri']}/metadata", body)
    return table | {"fqn": f"{table['fqn']}.c", "relationship": RelationshipCreate(target_fqn=other)}


async def a_standing_reference(stage: Stage, place: Place) -> dict[str, Any]:
    """A column that refers to another one."""
    given = await a_reference(stage, place)
    target = given.pop("relationship").target_fqn
    path = f"/utils/data_connection/{given['resource_uri']}/metadata/relationships?fqn={given['fqn']}"
    await stage.made(place, "POST", path, {"target_fqn": target})
    return given | {"target_fqn": target}


CASES = [
    Case("add_relationship", "connection", "can_manage_metadata", a_reference, "resource_uri", header=True),
    Case("remove_relationship", "connection", "can_manage_metadata", a_standing_reference, "resource_uri", header=True),
    Case("get_lineage", "connection", "can_read_metadata", a_table, "resource_uri", header=True),
    Case("list_lineage_edges", "connection", "can_read_metadata", a_table, "resource_uri", header=True),
    Case("get_lineage_impact", "connection", "can_read_metadata", a_table, "resource_uri", header=True),
    Case("get_lineage_path", "connection", "can_read_metadata", a_way, "resource_uri", header=True),
    Case("get_lineage_answers", "connection", "can_read_metadata", a_table, "resource_uri", header=True),
    Case("list_lineage_statements", "connection", "can_read_metadata", a_catalog, "resource_uri", header=True),
    Case("create_lineage_statement", "connection", "can_manage_metadata", a_statement, "resource_uri", header=True),
    Case("import_dbt_manifest", "connection", "can_manage_metadata", a_manifest, "resource_uri", header=True),
    Case("import_openlineage_event", "connection", "can_manage_metadata", an_event, "resource_uri", header=True),
    Case(
        "end_lineage_statement", "connection", "can_manage_metadata", a_standing_statement, "resource_uri", header=True
    ),
]
