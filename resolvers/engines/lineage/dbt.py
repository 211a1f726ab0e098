"""The files of dbt: which models a manifest has, what their SQL is, and what they depend on.

dbt has put the SQL of a model together already: references are names of tables, and models that are no tables of their
own (ephemeral ones) stand in it as queries of a WITH. So what is read here is which models there are; what they say is
read as any other statement.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from resolvers.engines.lineage.handed_in import Refused, mapping

VERSIONS: Final = range(9, 13)
"""The versions of the manifest's schema that are read: those of dbt 1.5 to 1.10."""
MOST_MODELS: Final = 2000
"""Models of one manifest. Each takes some hundredths of a second to understand."""
MOST_NODES: Final = 200_000
"""Nodes of one manifest: models, tests, seeds, snapshots and the rest."""
LONGEST_NAME: Final = 1000

_BUILT: Final = frozenset({"model", "snapshot"})
"""The nodes whose SQL fills a table or is a view. Seeds are filled from files, and tests fill nothing."""
_SCHEMA: Final = re.compile(r"/dbt/(manifest|catalog)/v(\d{1,4})\.json$")
_PROJECT: Final = re.compile(r"\w{1,200}")


@dataclass(frozen=True, slots=True)
class DbtModel:
    """A model or a snapshot that is a table or a view."""

    id: str
    """dbt's own: `model.package.name`."""
    place: tuple[str, ...]
    """Database, schema and name, without those that its adapter does not have."""
    sql: str | None
    """As dbt has compiled it; None where it has not."""
    language: str
    depends_on: tuple[str, ...]
    """The unique ids of what it reads as far as dbt knows; in the place of an ephemeral model, what that reads."""


@dataclass(frozen=True, slots=True)
class DbtProject:
    """What a manifest tells."""

    name: str
    models: tuple[DbtModel, ...]
    """In the order of their ids."""


def read_manifest(manifest: Mapping[str, Any]) -> DbtProject:
    """The models of a manifest. Raises Refused."""
    metadata = _metadata(manifest, "manifest", VERSIONS)
    name = metadata.get("project_name") or metadata.get("project_id")  # the name is told since version 10
    if not isinstance(name, str) or not _PROJECT.fullmatch(name):
        raise Refused("manifest.metadata", "The manifest does not name its project by letters, digits and _.")
    nodes = manifest.get("nodes")
    if not isinstance(nodes, dict) or not all(isinstance(one, dict) for one in nodes.values()):
        raise Refused("manifest.nodes", "The manifest has no `nodes` that are objects under their ids.")
    if len(nodes) > MOST_NODES:
        raise Refused("manifest.nodes", f"The manifest has {len(nodes)} nodes. At most {MOST_NODES} are read.")
    built = {id: node for id, node in nodes.items() if node.get("resource_type") in _BUILT and len(id) <= LONGEST_NAME}
    models = {id: node for id, node in built.items() if not _is_ephemeral(node)}
    if len(models) > MOST_MODELS:
        raise Refused(
            "manifest.nodes", f"The manifest has {len(models)} models that are tables. At most {MOST_MODELS} are read."
        )
    return DbtProject(name, tuple(_model(id, models[id], nodes) for id in sorted(models)))


def read_columns(catalog: Mapping[str, Any]) -> list[tuple[tuple[str, ...], tuple[str, ...]]]:
    """The tables of a catalog.json, each with its columns in their order. Raises Refused."""
    _metadata(catalog, "catalog", range(1, 2))
    found: list[tuple[tuple[str, ...], tuple[str, ...]]] = []
    for kind in ("nodes", "sources"):
        tables = catalog.get(kind, {})
        if not isinstance(tables, dict) or len(tables) > MOST_NODES:
            raise Refused(f"catalog.{kind}", f"`{kind}` is no object of at most {MOST_NODES} tables.")
        for one in tables.values():
            table, columns = (mapping(one, name) for name in ("metadata", "columns"))
            place = _names(table.get(part) for part in ("database", "schema", "name"))
            told = [column for column in columns.values() if isinstance(column, dict)]
            told.sort(key=lambda column: column["index"] if isinstance(column.get("index"), int) else 0)
            found.append((place, _names(column.get("name") for column in told)))
    return found


def _metadata(file: Mapping[str, Any], kind: str, versions: range) -> Mapping[str, Any]:
    metadata = mapping(file, "metadata")
    told = metadata.get("dbt_schema_version")
    found = _SCHEMA.search(told) if isinstance(told, str) else None
    if found is None or found.group(1) != kind:
        raise Refused(
            f"{kind}.metadata",
            f"This is no {kind}.json of dbt: metadata.dbt_schema_version does not say that it is one. "
            f"Hand in target/{kind}.json as dbt has written it.",
        )
    if int(found.group(2)) not in versions:
        read = str(versions[0]) if len(versions) == 1 else f"{versions[0]} to {versions[-1]}"
        raise Refused(
            f"{kind}.metadata",
            f"This {kind}.json has version {found.group(2)} of its schema, and versions {read} are read. "
            "Write it with another version of dbt: 1.5 to 1.10 write what is read.",
        )
    return metadata


def _model(id: str, node: Mapping[str, Any], nodes: Mapping[str, Any]) -> DbtModel:
    place = _names((node.get("database"), node.get("schema"), node.get("alias") or node.get("name")))
    sql, language = node.get("compiled_code"), node.get("language")
    return DbtModel(
        id,
        place,
        sql if isinstance(sql, str) and sql.strip() else None,
        language if isinstance(language, str) else "sql",
        _depends_on(id, nodes),
    )


def _depends_on(id: str, nodes: Mapping[str, Any]) -> tuple[str, ...]:
    """Return what a model reads, through ephemeral ones; it ends, whatever circles there are."""
    found: set[str] = set()
    waiting, seen = [id], {id}
    while waiting:
        further = mapping(nodes.get(waiting.pop()), "depends_on").get("nodes")
        for one in further if isinstance(further, list) else ():
            if not isinstance(one, str) or one in seen:
                continue
            seen.add(one)
            if _is_ephemeral(nodes.get(one)):
                waiting.append(one)
            else:
                found.add(one)
    return tuple(sorted(found))


def _is_ephemeral(node: Any) -> bool:
    return bool(mapping(node, "config").get("materialized") == "ephemeral")


def _names(values: Iterable[Any]) -> tuple[str, ...]:
    return tuple(one for one in values if isinstance(one, str) and one)
