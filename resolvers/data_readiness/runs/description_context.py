"""Defines what engines that write words are told: tables with profiles, neighbours, glossary, and what a context pack
says.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from persistence.queries.enrichment import (
    comments_of,
    names_below,
    notes_of,
    references_in,
    text_in,
    usable_terms,
)
from persistence.queries.source_facts import read_facts
from persistence.repository import Scope
from persistence.store import UnitOfWork
from resolvers.context import Context
from resolvers.data_readiness.runs.executor import RunWork
from resolvers.data_readiness.runs.latest_profiles import latest_profiles
from resolvers.engines.describing.known import DescribedTable, Surroundings, Term
from resolvers.engines.english.identifiers import abbreviations_in
from schema.data_readiness.classification import ClassificationKind, ClassificationState
from schema.data_readiness.glossary import TermStatus
from schema.data_readiness.source import TableFacts
from schema.data_readiness.workflow import WorkflowConfiguration
from schema.identifiers import Fqn

LONGEST_NOTE: Final = 2000
"""How many characters of one memory are used."""


@dataclass(frozen=True, slots=True)
class DescriptionContext:
    """Holds what a run is told beside the data: the deployment's words."""

    terms: Sequence[Term] = ()
    notes: Sequence[str] = ()
    """What the context pack says, for a model."""
    industry: str | None = None
    abbreviations: Mapping[str, str] = field(default_factory=dict)


async def configuration_of(work: RunWork) -> WorkflowConfiguration:
    """The configuration that a run carries out, also when it was deleted meanwhile."""
    return await work.ctx.store.read(
        lambda uow: uow.workflow_configurations.get_deleted_too(work.scope, work.run.configuration_id)
    )


def option(work: RunWork, configuration: WorkflowConfiguration, name: str) -> Any:
    """Return what the run's parameters say of an option, or else the configuration."""
    parameters = work.run.input.get("parameters") or {}
    return parameters.get(name) if parameters.get(name) is not None else configuration.config.get(name)


async def told(work: RunWork, configuration: WorkflowConfiguration) -> DescriptionContext:
    """The glossary, what the context pack says, and what the data is about."""
    pack = option(work, configuration, "context_pack_id")
    industry = option(work, configuration, "industry_info")
    now = work.ctx.now()

    def read(uow: UnitOfWork) -> tuple[Sequence[Mapping[str, Any]], Sequence[Mapping[str, Any]]]:
        notes = notes_of(uow.connection, work.scope, pack, now) if isinstance(pack, str) and pack else []
        return usable_terms(uow.connection, work.scope), notes

    terms, notes = await work.ctx.store.read(read)
    said = industry.strip() if isinstance(industry, str) and industry.strip() else None
    own = [*map(_term, terms), *map(_note, notes)]
    texts = [text for one in notes if (text := _text(one))]
    abbreviations: dict[str, str] = {}
    for text in (said or "", *texts):
        abbreviations |= abbreviations_in(text)
    for term in own:
        abbreviations |= _short_names(term)
    lines = [f"{one['name']}: {text}" for one in notes if (text := _text(one))]
    return DescriptionContext(own, lines, said, abbreviations)


def _term(row: Mapping[str, Any]) -> Term:
    names = [row["name"], *([row["display_name"]] if row["display_name"] else []), *row["synonyms"]]
    approved = row["status"] == TermStatus.APPROVED
    return Term(row["id"], row["name"], tuple(dict.fromkeys(names)), row["definition"], approved)


def _note(row: Mapping[str, Any]) -> Term:
    return Term(None, row["name"], (row["name"],), _text(row) or None, is_approved=True, asset_fqn=row["asset_fqn"])


def _text(row: Mapping[str, Any]) -> str:
    return " ".join(" ".join(text_in(row["content"])).split())[:LONGEST_NOTE]


def _short_names(term: Term) -> dict[str, str]:
    """Synonyms that are one short word stand for the term: `cust` for Customer."""
    said = term.name.strip().lower()
    return {
        name.lower(): said
        for name in term.names
        if name.isalpha() and 2 <= len(name) <= 6 and name.lower() != said and len(name) < len(said)
    }


async def subjects_of(ctx: Context, fqns: Sequence[str], known: DescriptionContext) -> list[DescribedTable]:
    """Some tables with their profiles and all that stands around them."""
    profiles = await latest_profiles(ctx, fqns)

    def read(uow: UnitOfWork) -> tuple[list[TableFacts], Surroundings]:
        tables = read_facts(uow.connection, ctx.scope, fqns)
        return tables, surroundings(uow, ctx.scope, tables, known)

    tables, around = await ctx.store.read(read)
    return [DescribedTable(table, profiles.get(table.fqn), around) for table in tables]


def surroundings(
    uow: UnitOfWork, scope: Scope, tables: Sequence[TableFacts], known: DescriptionContext
) -> Surroundings:
    """Return what stands around tables: their siblings, who refers to them, and what is said of what they refer to."""
    schemas = sorted({str(Fqn.parse(table.fqn).parent) for table in tables} | _schemas_referred(tables))
    targets = {
        str(Fqn.parse(column.references[0]).child(column.references[1]))
        for table in tables
        for column in table.columns
        if column.references is not None
    }
    siblings = names_below(uow.connection, scope, schemas)
    return Surroundings(
        siblings={schema: [name for name, _ in found] for schema, found in siblings.items()},
        referrers=references_in(uow.connection, scope, schemas),
        comments=comments_of(uow.connection, scope, sorted(targets)),
        abbreviations=known.abbreviations,
        private=private_columns(uow, scope, tables, targets),
        terms=known.terms,
        industry=known.industry,
    )


def _schemas_referred(tables: Iterable[TableFacts]) -> set[str]:
    found = [column.references[0] for table in tables for column in table.columns if column.references is not None]
    return {str(Fqn.parse(fqn).parent) for fqn in found}


def private_columns(
    uow: UnitOfWork, scope: Scope, tables: Sequence[TableFacts], others: Iterable[str]
) -> frozenset[str]:
    """Columns that hold personal data: by their tags, or by what the engines suggest and nobody has rejected.

    They are those of the tables, and of what the tables refer to.
    """
    parents = sorted({str(Fqn.parse(fqn).parent) for fqn in others})
    columns = [column for table in (*tables, *read_facts(uow.connection, scope, parents)) for column in table.columns]
    suggested = uow.classifications.of_assets(scope, [column.fqn for column in columns], ClassificationKind.PII)
    return frozenset(
        column.fqn
        for column in columns
        if column.is_pii_tagged
        or any(one.state is not ClassificationState.REJECTED for one in suggested.get(column.fqn, ()))
    )
