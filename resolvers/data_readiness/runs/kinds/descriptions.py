"""The work that proposes words: descriptions, display names, business definitions and links to the glossary.

Words come from names, keys, comments, figures and the glossary; when the configuration names a language model, its
better ones are taken field by field. What people wrote is never proposed over; a comment of the source only by a
model's words, or with `use_validation`, which keeps the comment and adds what it does not say.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Final

from persistence.queries.enrichment import (
    Earlier,
    StandingWords,
    links_of,
    names_below,
    proposed_before,
    references_in,
    standing_words,
)
from persistence.store import UnitOfWork
from resolvers.data_readiness.approval.proposing import ProposalDraft, basis_of, put_new
from resolvers.data_readiness.runs.description_context import (
    DescriptionContext,
    configuration_of,
    option,
    subjects_of,
    told,
)
from resolvers.data_readiness.runs.executor import RunUnit, RunWork, Write
from resolvers.data_readiness.runs.model_descriptions import ModelWriter, writer_of
from resolvers.data_readiness.runs.reading import tables_of
from resolvers.engines.describing.columns import column_offers
from resolvers.engines.describing.containers import Container, container_offers
from resolvers.engines.describing.known import ENGINE, DescribedTable, Offer
from resolvers.engines.describing.prompts import COLUMNS_AT_ONCE, column_data, table_data
from resolvers.engines.describing.tables import table_offers
from resolvers.engines.describing.terms import (
    Glossary,
    TermMatch,
    column_matches,
    definition_offer,
    glossary_of,
    table_matches,
)
from resolvers.engines.joint import ONLY_TABLE
from schema.data_readiness.proposal import ProposalKind, ProposalState
from schema.data_readiness.source import ColumnFacts, is_view_type
from schema.data_readiness.workflow import WorkflowConfiguration
from schema.identifiers import Fqn

TABLES_AT_ONCE: Final = 20
WITH_A_MODEL: Final = 2
"""How many tables one task describes: few when each is a call that takes its time."""

MOST_QUESTIONS: Final = 10
"""How often a model is asked about one table; the columns beyond keep the words without a model."""

TABLE_FIELDS: Final = ("description", "display_name")
COLUMN_FIELDS: Final = ("description", "display_name", "business_definition")
_KINDS: Final = {
    "description": ProposalKind.DESCRIPTION,
    "display_name": ProposalKind.DISPLAY_NAME,
    "business_definition": ProposalKind.BUSINESS_DEFINITION,
}


@dataclass(frozen=True, slots=True)
class _Scene:
    """Holds what one task knows beside its tables."""

    told: DescriptionContext
    glossary: Glossary
    writer: ModelWriter | None
    validated: bool
    standing: Mapping[str, StandingWords]
    before: Mapping[tuple[str, str, str], Sequence[Earlier]]
    links: Mapping[str, Sequence[tuple[str, str]]]


class Describing(RunWork):
    """Words for tables and their columns."""

    proposes = True
    of_table: ClassVar[tuple[str, ...]] = ()
    of_column: ClassVar[tuple[str, ...]] = ()
    links: ClassVar[bool] = False
    """Whether links to the glossary are proposed."""
    when_failed = "; what the others found is proposed"

    async def units(self) -> Sequence[RunUnit]:
        """Some tables each; with a model fewer."""
        configuration = await configuration_of(self)
        size = WITH_A_MODEL if configuration.config.get("llm_model") else TABLES_AT_ONCE
        names = [fqn for fqn, _ in await tables_of(self)]
        groups = [names[start : start + size] for start in range(0, len(names), size)]
        return [RunUnit(_label(some), {"tables": some}) for some in groups]

    async def carry_out(self, arguments: Mapping[str, Any]) -> Write:
        """Find the words for some tables; they are written down as the task closes."""
        drafts = await self.drafts_of(arguments, arguments["tables"])
        return lambda uow: {"proposals": put_new(self, uow, drafts, arguments)}

    async def drafts_of(self, arguments: Mapping[str, Any], fqns: Sequence[str]) -> list[ProposalDraft]:
        """Return what could be proposed about some tables and their columns."""
        configuration = await configuration_of(self)
        known = await told(self, configuration)
        subjects = await subjects_of(self.ctx, fqns, known)
        scene = await self._scene(configuration, known, subjects)
        drafts: list[ProposalDraft] = []
        for at, subject in enumerate(subjects):
            drafts += await self._of_subject(subject, scene)
            await self.progress(arguments, at + 1, len(subjects))
        return drafts

    async def _scene(
        self, configuration: WorkflowConfiguration, known: DescriptionContext, subjects: Sequence[DescribedTable]
    ) -> _Scene:
        validated = option(self, configuration, "use_validation") is True
        writer = await writer_of(self, configuration, strict=validated)
        fqns = [subject.facts.fqn for subject in subjects]
        fqns += [column.fqn for subject in subjects for column in subject.facts.columns]

        def read(uow: UnitOfWork) -> tuple[Any, Any, Any]:
            kinds = [*_KINDS.values()]
            return (
                standing_words(uow.connection, self.scope, fqns),
                proposed_before(uow.connection, self.scope, fqns, kinds) if writer is not None else {},
                links_of(uow.connection, self.scope, fqns) if self.links else {},
            )

        standing, before, links = await self.ctx.store.read(read)
        glossary = glossary_of(known.terms, known.abbreviations)
        return _Scene(known, glossary, writer, validated, standing, before, links)

    async def _of_subject(self, subject: DescribedTable, scene: _Scene) -> list[ProposalDraft]:
        """The drafts about one table and its columns; a model's words in place of the others where it has better."""
        facts = subject.facts
        matches = {facts.fqn: table_matches(subject, scene.glossary)}
        offers: dict[str, list[Offer]] = {}
        if self.of_table:
            extend = _comment(scene, facts.fqn) if scene.validated else None
            offers[facts.fqn] = [
                *table_offers(subject, extend=extend),
                *_definition(matches[facts.fqn]),
            ]
        for column in facts.columns:
            matches[column.fqn] = column_matches(subject, column, scene.glossary) if self.of_column else []
            if self.of_column:
                extend = _comment(scene, column.fqn) if scene.validated else None
                offers[column.fqn] = [
                    *column_offers(subject, column, extend=extend),
                    *_definition(matches[column.fqn]),
                ]
        drafts: dict[tuple[str, str], ProposalDraft] = {}
        for fqn, found in offers.items():
            fields = self.of_table if fqn == facts.fqn else self.of_column
            for offer in found:
                if offer.field in fields:
                    drafts[fqn, offer.field] = _draft(fqn, offer, scene.validated and _comment(scene, fqn) is not None)
        if scene.writer is not None:
            await self._better(subject, scene, scene.writer, drafts, matches)
        if self.links:
            for fqn, found_matches in matches.items():
                for draft in _link_drafts(fqn, found_matches, scene.links.get(fqn, ())):
                    drafts[fqn, draft.field] = draft
        return list(drafts.values())

    async def _better(
        self,
        subject: DescribedTable,
        scene: _Scene,
        writer: ModelWriter,
        drafts: dict[tuple[str, str], ProposalDraft],
        matches: Mapping[str, Sequence[TermMatch]],
    ) -> None:
        """Put a model's words in place of the drafts, for assets about which it was not asked before as they are."""
        facts = subject.facts
        fields = {facts.fqn: self.of_table} | {column.fqn: self.of_column for column in facts.columns}
        bases = {facts.fqn: self._model_basis(writer, table_data(subject), scene)}
        for column in facts.columns:
            bases[column.fqn] = self._model_basis(writer, [facts.name, column_data(subject, column)], scene)
        wanted = {fqn for fqn, names in fields.items() if names and self._asks(fqn, names, bases[fqn], scene, drafts)}
        columns = [column for column in facts.columns if column.fqn in wanted]
        if not wanted:
            return
        # Where only the table is asked about, its columns stand there to tell of it.
        context = columns or list(facts.columns[:COLUMNS_AT_ONCE])
        for start in range(0, min(max(len(context), 1), MOST_QUESTIONS * COLUMNS_AT_ONCE), COLUMNS_AT_ONCE):
            some = context[start : start + COLUMNS_AT_ONCE]
            terms = [match.term for fqn in (facts.fqn, *(one.fqn for one in some)) for match in matches.get(fqn, ())]
            answer = await writer.words(
                subject, some, drafts=_said(subject, some, drafts), terms=terms, notes=scene.told.notes
            )
            asked = {column.fqn: column.name for column in some}
            if not start:
                asked[facts.fqn] = ""
            for fqn, name in asked.items():
                for field in fields[fqn] if fqn in wanted else ():
                    _merge(drafts, fqn, name, field, answer, writer, bases[fqn])

    @staticmethod
    def _model_basis(writer: ModelWriter, data: Any, scene: _Scene) -> str:
        return basis_of("model", writer.name, data, scene.told.industry, scene.told.notes)

    def _asks(
        self,
        fqn: str,
        fields: Sequence[str],
        basis: str,
        scene: _Scene,
        drafts: dict[tuple[str, str], ProposalDraft],
    ) -> bool:
        """Return whether a model is asked about an asset: some field may be proposed, and it was not asked as it is
        before.

        What it said before is not said over by the words without a model.
        """
        asset = scene.standing.get(fqn)
        if asset is None or all(field in asset.people_fields for field in fields):
            return False
        takes_undecided = bool(self.run.input.get("save_all"))
        before = False
        for field in fields:
            for one in scene.before.get((fqn, _KINDS[field].value, field), ()):
                if takes_undecided and one.state is ProposalState.PROPOSED:
                    continue
                if one.basis == basis:
                    drafts.pop((fqn, field), None)
                before = before or basis in (one.basis, one.asked)
        return not before


class TableDescriptions(Describing):
    """generate-table-description."""

    of_table = TABLE_FIELDS


class ColumnEnrichment(Describing):
    """enrich-table-columns."""

    of_column = COLUMN_FIELDS


class MetadataEnrichment(Describing):
    """metadata-enrichment: databases and schemas too, everything in them, and links to the glossary."""

    of_table = COLUMN_FIELDS
    of_column = COLUMN_FIELDS
    links = True

    async def units(self) -> Sequence[RunUnit]:
        """The tables in groups, then each schema and each database."""
        units = list(await super().units())
        schemas = sorted({str(Fqn.parse(fqn).parent) for unit in units for fqn in unit.arguments["tables"]})
        for fqn in [*schemas, *sorted({str(Fqn.parse(fqn).parent) for fqn in schemas})]:
            units.append(RunUnit(fqn, {"tables": [], "container": fqn}))
        return units

    async def drafts_of(self, arguments: Mapping[str, Any], fqns: Sequence[str]) -> list[ProposalDraft]:
        """Return what could be proposed about some tables, or about one schema or database."""
        container = arguments.get("container")
        if container is None:
            return await super().drafts_of(arguments, fqns)
        configuration = await configuration_of(self)
        known = await told(self, configuration)
        validated = option(self, configuration, "use_validation") is True

        def read(uow: UnitOfWork) -> tuple[Container, StandingWords | None]:
            standing = standing_words(uow.connection, self.scope, [container]).get(container)
            return _container(uow, self, container), standing

        inside, standing = await self.ctx.store.read(read)
        comment = standing.description if standing is not None and validated else None
        offers = container_offers(inside, industry=known.industry, abbreviations=known.abbreviations, extend=comment)
        drafts = [_draft(container, offer, comment is not None) for offer in offers]
        if inside.only_table is None:
            return drafts
        return [replace(one, evidence={**one.evidence, ONLY_TABLE: inside.only_table}) for one in drafts]


def _label(fqns: Sequence[str]) -> str:
    more = f" and {len(fqns) - 1} more" if len(fqns) > 1 else ""
    return f"{'.'.join(Fqn.parse(fqns[0]).parts[1:])}{more}"


def _comment(scene: _Scene, fqn: str) -> str | None:
    asset = scene.standing.get(fqn)
    return None if asset is None or "description" in asset.people_fields else asset.description


def _definition(matches: Sequence[TermMatch]) -> list[Offer]:
    offer = definition_offer(matches)
    return [] if offer is None else [offer]


def _draft(fqn: str, offer: Offer, over_comment: bool) -> ProposalDraft:
    basis = basis_of(ENGINE, offer.field, offer.value)
    return ProposalDraft(
        fqn, _KINDS[offer.field], offer.field, offer.value, offer.evidence, offer.confidence, basis, over_comment
    )


def _said(
    subject: DescribedTable, columns: Sequence[ColumnFacts], drafts: Mapping[tuple[str, str], ProposalDraft]
) -> dict[str, str]:
    """The descriptions that stand without a model, by column name; the table's under `table`."""
    found: dict[str, str] = {}
    for fqn, name in ((subject.facts.fqn, "table"), *((column.fqn, column.name) for column in columns)):
        if (draft := drafts.get((fqn, "description"))) is not None:
            found[name] = str(draft.value)
    return found


def _merge(
    drafts: dict[tuple[str, str], ProposalDraft],
    fqn: str,
    name: str,
    field: str,
    answer: Any,
    writer: ModelWriter,
    basis: str,
) -> None:
    """One field of a model's answer, in place of the draft; or the draft, with why the model's was not taken."""
    draft = drafts.get((fqn, field))
    text = None if isinstance(answer, str) else (answer.columns.get(name, {}) if name else answer.table).get(field)
    if text is not None:
        evidence: dict[str, Any] = {
            "engine": "model",
            "model": writer.name,
            "validated": writer.strict,
            "from": ["model"],
        }
        if draft is not None:
            evidence["without_a_model"] = draft.value
        confidence = 0.75 if writer.strict else 0.65
        drafts[fqn, field] = ProposalDraft(
            fqn, _KINDS[field], field, text, evidence, confidence, basis, over_comment=True
        )
        return
    if draft is None:
        return
    if isinstance(answer, str):
        why = answer
    else:
        why = answer.refused.get(f"{name}.{field}" if name else field, "The model said nothing about it.")
    evidence = {**draft.evidence, "model": writer.name, "model_not_used": why}
    if not isinstance(answer, str):
        evidence["asked"] = basis
    drafts[fqn, field] = ProposalDraft(
        fqn, draft.kind, field, draft.value, evidence, draft.confidence, draft.basis, draft.over_comment
    )


def _link_drafts(fqn: str, matches: Sequence[TermMatch], linked: Sequence[tuple[str, str]]) -> list[ProposalDraft]:
    """Links to the terms of the glossary that an asset is about and not linked to yet; the surest alone per asset."""
    standing = [{"term_id": id, "name": name} for id, name in linked]
    for match in matches:
        term = match.term
        if term.id is None or any(id == term.id for id, _ in linked):
            continue
        value = {"term_id": term.id, "name": term.name}
        evidence = {"engine": ENGINE, "from": ["glossary"], "matched": match.how, "said": match.said}
        basis = basis_of(ENGINE, "link", term.id, match.how)
        return [
            ProposalDraft(
                fqn, ProposalKind.GLOSSARY_LINK, "glossary_terms", value, evidence, match.sure, basis, current=standing
            )
        ]
    return []


def _container(uow: UnitOfWork, work: RunWork, fqn: str) -> Container:
    """A schema or database as the catalog has it."""
    name = Fqn.parse(fqn)
    below = names_below(uow.connection, work.scope, [fqn]).get(fqn, [])
    if len(name.parts) > 2:
        views = sum(1 for _, kind in below if is_view_type(kind))
        referred: dict[str, int] = {}
        for target, by in references_in(uow.connection, work.scope, [fqn]).items():
            if str(Fqn.parse(target).parent) == fqn:
                referred[Fqn.parse(target).name] = len({table for table, _, _ in by} - {target})
        only = str(name.child(below[0][0])) if len(below) == 1 else None
        return Container("schema", name.name, [one for one, _ in below], views, referred, only_table=only)
    inside = names_below(uow.connection, work.scope, [str(name.child(one)) for one, _ in below])
    tables = [str(Fqn.parse(schema).child(table)) for schema, some in inside.items() for table, _ in some]
    only = tables[0] if len(tables) == 1 else None
    return Container("database", name.name, [one for one, _ in below], tables=len(tables), only_table=only)
