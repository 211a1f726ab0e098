"""Defines what engines that write words need of the catalog, and what was proposed about its assets before."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import sqlalchemy as sa

from persistence.queries.catalog_rows import chunks
from persistence.queries.knowledge import stands_at
from persistence.queries.metadata_search import in_scope
from persistence.repository import Scope
from persistence.tables.catalog import metadata_assets
from persistence.tables.data_readiness import proposals, workflow_runs
from persistence.tables.glossary import glossary_term_assets, glossary_terms
from persistence.tables.knowledge import memories
from persistence.tables.quality import violations
from schema.data_readiness.glossary import TermStatus
from schema.data_readiness.proposal import FLAGS, SETS, Proposal, ProposalKind, ProposalState
from schema.data_readiness.violation import ViolationStatus
from schema.data_readiness.workflow_run import RunStatus
from schema.identifiers import Fqn
from schema.utils.memory import MemoryStatus, MemoryType

MOST_TERMS: Final = 5000
MOST_NOTES: Final = 500
"""How many memories of a context pack are read."""
MOST_REFERENCES: Final = 20_000
"""How many columns with references are looked through for those that refer to a table."""

_ASSET = metadata_assets.c
_WORDS: Final = ("description", "display_name", "business_definition", "tags", "column_relationships")


@dataclass(frozen=True, slots=True)
class StandingWords:
    """Holds what stands about one asset, and which of it people wrote."""

    fqn: str
    resource_uri: str
    type: str
    name: str
    description: str | None
    display_name: str | None
    business_definition: str | None
    source_description: str | None
    column_relationships: Sequence[Mapping[str, Any]]
    people_fields: frozenset[str]


MODEL: Final = "model "
"""How the name of an engine begins that is a model."""


@dataclass(frozen=True, slots=True)
class Earlier:
    """A proposal of an earlier run about the same field."""

    state: ProposalState
    basis: str
    asked: str | None = None
    """The basis on which a model was asked that said nothing usable about the field."""
    engine: str = ""
    """What has proposed it: an engine with its version, or a model by its name."""
    value: Any = None
    group: str | None = None
    """What it was like, whatever the figures in it."""


def standing_words(connection: sa.Connection, scope: Scope, fqns: Sequence[str]) -> dict[str, StandingWords]:
    """Return what stands about live assets, by FQN."""
    names = (
        "fully_qualified_name", "resource_uri", "type", "name", "description", "display_name", "business_definition",
        "source_description", "column_relationships", "people_fields",
    )  # fmt: skip
    found: dict[str, StandingWords] = {}
    for some in chunks(sorted(set(fqns))):
        query = sa.select(*[_ASSET[name] for name in names]).where(
            *in_scope(scope), _ASSET.deleted_at.is_(None), _ASSET.fully_qualified_name.in_(some)
        )
        for row in connection.execute(query).mappings():
            told = {name: row[name] for name in names[1:-2]}
            fqn, relationships = row["fully_qualified_name"], tuple(row["column_relationships"] or ())
            found[fqn] = StandingWords(
                fqn=fqn, column_relationships=relationships, people_fields=frozenset(row["people_fields"]), **told
            )
    return found


def names_below(
    connection: sa.Connection, scope: Scope, parents: Sequence[str], *, most: int = 5000
) -> dict[str, list[tuple[str, str | None]]]:
    """The name and table type of what stands directly below each parent, by the parent's FQN."""
    found: dict[str, list[tuple[str, str | None]]] = {}
    for some in chunks(sorted(set(parents))):
        query = sa.select(_ASSET.parent_fqn, _ASSET.name, _ASSET.table_type).where(
            *in_scope(scope), _ASSET.deleted_at.is_(None), _ASSET.parent_fqn.in_(some)
        )
        for parent, name, kind in connection.execute(query.order_by(_ASSET.parent_fqn, _ASSET.name).limit(most)):
            found.setdefault(parent, []).append((name, kind))
    return found


def references_in(
    connection: sa.Connection, scope: Scope, schemas: Sequence[str]
) -> dict[str, list[tuple[str, str, str]]]:
    """Return who refers to which table, from columns of some schemas: by FQN, (referring table, its column, the
    other).
    """
    found: dict[str, list[tuple[str, str, str]]] = {}
    for schema in sorted(set(schemas)):
        query = sa.select(_ASSET.parent_fqn, _ASSET.name, _ASSET.column_relationships).where(
            *in_scope(scope),
            _ASSET.deleted_at.is_(None),
            _ASSET.type == "column",
            _ASSET.parent_fqn > f"{schema}.",
            _ASSET.parent_fqn < f"{schema}/",
            _ASSET.column_relationships.is_not(None),
        )
        query = query.order_by(_ASSET.parent_fqn, _ASSET.ordinal_position, _ASSET.name).limit(MOST_REFERENCES)
        for table, column, relationships in connection.execute(query):
            for one in relationships or ():
                if one.get("type") == "FOREIGN_KEY" and one.get("table") and one.get("column"):
                    service, database, own, *_ = Fqn.parse(table).parts
                    target = str(Fqn.of(service, database, one.get("schema") or own, one["table"]))
                    found.setdefault(target, []).append((table, column, str(one["column"])))
    return found


def comments_of(connection: sa.Connection, scope: Scope, fqns: Sequence[str]) -> dict[str, str]:
    """The descriptions of assets that have one, by FQN."""
    found: dict[str, str] = {}
    for some in chunks(sorted(set(fqns))):
        query = sa.select(_ASSET.fully_qualified_name, _ASSET.description).where(
            *in_scope(scope),
            _ASSET.deleted_at.is_(None),
            _ASSET.fully_qualified_name.in_(some),
            _ASSET.description.is_not(None),
        )
        found.update((fqn, text) for fqn, text in connection.execute(query))
    return found


def keys_in(connection: sa.Connection, scope: Scope, schemas: Sequence[str]) -> list[tuple[str, str, str | None]]:
    """The columns of the primary keys of some schemas' tables, as (table, column, type)."""
    found: list[tuple[str, str, str | None]] = []
    for schema in sorted(set(schemas)):
        query = sa.select(_ASSET.parent_fqn, _ASSET.name, _ASSET.data_type, _ASSET.constraint).where(
            *in_scope(scope),
            _ASSET.deleted_at.is_(None),
            _ASSET.type == "column",
            _ASSET.parent_fqn > f"{schema}.",
            _ASSET.parent_fqn < f"{schema}/",
            sa.cast(_ASSET.constraint, sa.Text).contains("PRIMARY_KEY"),
        )
        query = query.order_by(_ASSET.parent_fqn, _ASSET.ordinal_position, _ASSET.name).limit(MOST_REFERENCES)
        for table, column, data_type, constraint in connection.execute(query):
            if "PRIMARY_KEY" in (constraint or {}).get("keys", ()):
                found.append((table, column, data_type))
    return found


def open_violations(connection: sa.Connection, scope: Scope, targets: Sequence[str]) -> dict[str, dict[str, int]]:
    """Return how many violations are open at or below some names, by table and severity."""
    row = violations.c
    parts = (row.service, row.database, row.schema, row.table)
    query = (
        sa.select(*parts, row.severity, sa.func.count())
        .where(
            row.organization_id == scope.organization_id,
            row.project_id == scope.project_id,
            row.status.in_((ViolationStatus.OPEN, ViolationStatus.ACKNOWLEDGED)),
            row.table.is_not(None),
        )
        .group_by(*parts, row.severity)
    )
    wanted = [Fqn.parse(name).parts for name in targets]
    found: dict[str, dict[str, int]] = {}
    for *names, severity, many in connection.execute(query):
        if not wanted or any(tuple(names)[: len(part)] == part for part in wanted):
            found.setdefault(str(Fqn.of(*names)), {})[severity] = many
    return found


def usable_terms(connection: sa.Connection, scope: Scope) -> list[dict[str, Any]]:
    """The words of the glossary that are neither rejected nor deprecated."""
    term = glossary_terms.c
    query = (
        sa.select(term.id, term.name, term.display_name, term.synonyms, term.definition, term.status)
        .where(
            term.organization_id == scope.organization_id,
            term.project_id == scope.project_id,
            term.status.not_in((TermStatus.REJECTED, TermStatus.DEPRECATED)),
        )
        .order_by(term.name)
        .limit(MOST_TERMS)
    )
    return [dict(row) for row in connection.execute(query).mappings()]


def notes_of(connection: sa.Connection, scope: Scope, pack_id: str, now: Any) -> list[dict[str, Any]]:
    """The active glossary and ontology memories of a context pack, pinned ones first."""
    note = memories.c
    query = (
        sa.select(note.id, note.name, note.content, note.memory_type, note.asset_fqn)
        .where(
            note.organization_id == scope.organization_id,
            note.project_id == scope.project_id,
            note.context_pack_id == pack_id,
            note.memory_type.in_((MemoryType.GLOSSARY, MemoryType.ONTOLOGY)),
            stands_at(now, MemoryStatus.ACTIVE),
        )
        .order_by(note.pinned.desc(), note.name, note.id)
        .limit(MOST_NOTES)
    )
    return [dict(row) for row in connection.execute(query).mappings()]


def links_of(connection: sa.Connection, scope: Scope, fqns: Sequence[str]) -> dict[str, list[tuple[str, str]]]:
    """The words of the glossary that assets are linked to, as (term id, name), by the asset's FQN."""
    link, term = glossary_term_assets.c, glossary_terms.c
    found: dict[str, list[tuple[str, str]]] = {}
    for some in chunks(sorted(set(fqns))):
        query = (
            sa.select(link.asset_fqn, term.id, term.name)
            .join(glossary_terms, term.id == link.term_id)
            .where(
                link.organization_id == scope.organization_id,
                link.project_id == scope.project_id,
                link.asset_fqn.in_(some),
            )
            .order_by(link.asset_fqn, term.name)
        )
        for fqn, id, name in connection.execute(query):
            found.setdefault(fqn, []).append((id, name))
    return found


def proposed_before(
    connection: sa.Connection, scope: Scope, fqns: Sequence[str], kinds: Sequence[ProposalKind]
) -> dict[tuple[str, str, str], list[Earlier]]:
    """Return what completed runs have proposed about assets, by asset, kind and field; only what says what it is
    based on.
    """
    found: dict[tuple[str, str, str], list[Earlier]] = {}
    row = proposals.c
    for some in chunks(sorted(set(fqns))):
        query = (
            sa.select(row.asset_fqn, row.kind, row.field, row.state, row.evidence, row.proposed_value, row.group)
            .join(workflow_runs, workflow_runs.c.id == row.run_id)
            .where(
                row.organization_id == scope.organization_id,
                row.project_id == scope.project_id,
                row.asset_fqn.in_(some),
                row.kind.in_([kind.value for kind in kinds]),
                workflow_runs.c.status == RunStatus.COMPLETED,
            )
        )
        for fqn, kind, field, state, evidence, kept, group in connection.execute(query):
            if basis := (evidence or {}).get("basis"):
                value = (kept or {}).get("value")
                found.setdefault((fqn, kind, field), []).append(
                    Earlier(ProposalState(state), str(basis), evidence.get("asked"), engine_of(evidence), value, group)
                )
    return found


def engine_of(evidence: Mapping[str, Any]) -> str:
    """Return what has proposed something, by its evidence: an engine with its version, or a model by its name."""
    engine = str(evidence.get("engine") or "")
    return f"{MODEL}{evidence.get('model')}" if engine == "model" else engine


def beside_standing(connection: sa.Connection, scope: Scope, items: Sequence[Proposal]) -> list[Proposal]:
    """The proposals, each with what stands now in the field that it is about."""
    fqns = [item.asset_fqn for item in items]
    assets: dict[tuple[str, str], sa.RowMapping] = {}
    for some in chunks(sorted(set(fqns))):
        query = sa.select(_ASSET.fully_qualified_name, _ASSET.resource_uri, *[_ASSET[name] for name in _WORDS]).where(
            *in_scope(scope), _ASSET.deleted_at.is_(None), _ASSET.fully_qualified_name.in_(some)
        )
        for asset in connection.execute(query).mappings():
            assets[asset["fully_qualified_name"], asset["resource_uri"]] = asset
    linked = [item.asset_fqn for item in items if item.kind is ProposalKind.GLOSSARY_LINK]
    links = links_of(connection, scope, linked) if linked else {}
    return [item.model_copy(update={"standing_value": _stands(item, assets, links)}) for item in items]


def _stands(
    item: Proposal,
    assets: Mapping[tuple[str, str], sa.RowMapping],
    links: Mapping[str, Sequence[tuple[str, str]]],
) -> Any:
    asset = assets.get((item.asset_fqn, item.resource_uri))
    if asset is None:
        return None
    if item.kind is ProposalKind.GLOSSARY_LINK:
        return [{"term_id": id, "name": name} for id, name in links.get(item.asset_fqn, ())]
    if item.kind in FLAGS:
        return asset["tags"]
    if item.kind is ProposalKind.RELATIONSHIP:
        return asset["column_relationships"]
    return asset[SETS[item.kind]] if item.kind in SETS else None


def text_in(content: Any) -> Iterator[str]:
    """The texts of a memory's content, whatever form it has: `{type: text, text: ...}`, a definition, a list."""
    if isinstance(content, str):
        yield content
    elif isinstance(content, Mapping):
        for name, value in content.items():
            if name != "type":
                yield from text_in(value)
    elif isinstance(content, list):
        for value in content:
            yield from text_in(value)
