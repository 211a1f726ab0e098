"""Rules of quality, and which of its dimensions matter: one unit reads one table and draws up what is expected of it.

A unit takes the latest profile of its table, or measures it when there is none or it is older than the run allows,
and reads a sample. What a rule says of values is tried in the store at once, and dropped where that does not say the
same. Rules are written in the state proposed with a proposal each. What a person wrote, approved, disabled or rejected
stays as it is and is not proposed again; nor is the same rule with the same figures.
"""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, ClassVar, Final

from persistence.queries.profiles import profile_id
from persistence.queries.rules import KeptRule
from persistence.store import UnitOfWork
from resolvers.data_readiness.approval.proposing import ProposalDraft, basis_of, put_new
from resolvers.data_readiness.runs.dimension_tags import ENGINE, put_dimension_tags
from resolvers.data_readiness.runs.executor import RunUnit, RunWork, Write
from resolvers.data_readiness.runs.latest_profiles import latest_profiles
from resolvers.data_readiness.runs.parameters import parameters_of
from resolvers.data_readiness.runs.reading import facts_of, gone, require_columns, tables_of, use_table, without_columns
from resolvers.data_readiness.runs.sampling import sample_size
from resolvers.engines.profiling import Header, profile_table
from resolvers.engines.rules.draft import RuleDraft
from resolvers.engines.rules.generate import draft_rules
from resolvers.engines.rules.severity import earned
from resolvers.engines.rules.tags import DimensionTag, beyond_rules, dimension_tags
from resolvers.engines.rules.trial import tried
from schema.data_readiness.profile import ProfileTier, TableProfile
from schema.data_readiness.proposal import ProposalKind
from schema.data_readiness.rule import RuleOrigin, RuleState
from schema.data_readiness.source import Sample, Source, TableFacts

SAMPLE_ROWS: Final = 10_000
MOST_ROWS: Final = 100_000
MOST_CELLS: Final = 2_000_000
OLDEST: Final = timedelta(days=7)
"""The age up to which a profile is taken when the run does not say another."""


@dataclass(frozen=True, slots=True)
class DraftedRules:
    """Holds what is known of a table, and the rules that were drawn up for it."""

    facts: TableFacts
    profile: TableProfile
    is_measured_here: bool
    drafts: list[RuleDraft]


class _OfTables(RunWork):
    """Describes what the works have in common: one unit per table, read and drawn up."""

    proposes = True
    when_failed = "; what was found in the other tables is proposed"

    async def units(self) -> Sequence[RunUnit]:
        """One unit per table. Raises JobError when there is none."""
        return [RunUnit(fqn, {"table": fqn, "resource_uri": uri}) for fqn, uri in await tables_of(self)]

    async def found(self, arguments: Mapping[str, Any]) -> DraftedRules:
        """Read a table and draw up its rules."""
        fqn = str(arguments["table"])
        facts = next(iter(await facts_of(self.ctx, [fqn])), None)
        if facts is None:
            raise gone(fqn)
        if not facts.columns:
            raise without_columns(facts)
        profile = (await latest_profiles(self.ctx, [fqn])).get(fqn)
        if profile is not None and not self._is_recent(profile):
            profile = None
        known, drafts, rows = await use_table(self.ctx, facts, lambda source: self._drawn_up(source, facts, profile))
        if profile is None:
            await require_columns(self.ctx, facts, known)
        await self.progress(arguments, rows, rows)
        return DraftedRules(facts, known, profile is None, drafts)

    def record(self, uow: UnitOfWork, found: DraftedRules) -> None:
        """Keep the profile that the unit measured itself."""
        if found.is_measured_here:
            uow.table_profiles.record(self.scope, [found.profile])

    def put_rules(self, uow: UnitOfWork, found: DraftedRules, arguments: Mapping[str, Any]) -> dict[str, int]:
        """Write the rules down, and propose those that are news."""
        self.record(uow, found)
        standing = uow.quality_rules.by_keys(self.scope, [draft.key for draft in found.drafts])
        before = {key: rule.evidence for key, rule in standing.items()}
        drafts = [earned(draft, before.get(draft.key)) for draft in found.drafts]
        kept = uow.quality_rules.put_drafts(
            self.scope, drafts, run_id=self.run.id, actor=self.ctx.caller.user_id, at=self.ctx.now()
        )
        open_ = [
            one for one in kept
            if one.rule.state is RuleState.PROPOSED and one.rule.origin is RuleOrigin.GENERATED
        ]  # fmt: skip
        made = put_new(self, uow, [_proposal(one) for one in open_], arguments)
        return {
            "proposals": made,
            "rules_found": len(found.drafts),
            "new_rules": sum(1 for one in kept if one.is_new),
            "renewed_rules": sum(1 for one in kept if one.is_renewed),
            "standing_rules": sum(1 for one in kept if not one.is_new and not one.is_renewed),
            "profiled": int(found.is_measured_here),
        }

    def put_tags(
        self,
        uow: UnitOfWork,
        found: DraftedRules,
        about: Sequence[str],
        tags: Sequence[DimensionTag],
        arguments: Mapping[str, Any],
    ) -> dict[str, int]:
        """Keep and propose the tags of the assets that are spoken of."""
        self.record(uow, found)
        # What the tags rest on: the profile, and what the catalog declares.
        fingerprint = basis_of(found.profile.id, sorted(draft.key for draft in found.drafts))
        counts = put_dimension_tags(self, uow, about, tags, arguments, fingerprint)
        return {**counts, "profiled": int(found.is_measured_here)}

    def _is_recent(self, profile: TableProfile) -> bool:
        """Return whether a profile is new enough, and more than what the database knows by itself."""
        told = (parameters_of(self.run).model_extra or {}).get("max_profile_age_seconds")
        oldest = timedelta(seconds=told) if isinstance(told, int | float) and 0 <= told <= 10**9 else OLDEST
        return profile.tier is not ProfileTier.STATISTICS and self.ctx.now() - profile.measured_at <= oldest

    def _drawn_up(
        self, source: Source, facts: TableFacts, profile: TableProfile | None
    ) -> tuple[TableProfile, list[RuleDraft], int]:
        """The profile, the rules that hold where they were learned, and how many rows they were learned from."""
        known, sample = self._read(source, facts, profile)
        return known, tried(source, facts, draft_rules(facts, known, sample), sample), len(sample.rows)

    def _read(self, source: Source, facts: TableFacts, profile: TableProfile | None) -> tuple[TableProfile, Sample]:
        if profile is None:
            header = Header(profile_id(self.scope, self.run.id, facts.fqn), self.run.id, self.ctx.now())
            profile = profile_table(source, facts, header)
        names = {column.name for column in facts.columns}
        readable = [column.name for column in profile.columns if column.name in names]
        if not readable:
            return profile, Sample((), (), True)
        most = max(1, min(MOST_ROWS, MOST_CELLS // len(readable)))
        rows = sample_size(self.run, source, facts, usual=SAMPLE_ROWS, most=most)
        relation = source.relation(facts.database, facts.schema, facts.name)
        return profile, source.sample(relation, readable, rows)


class RuleGeneration(_OfTables):
    """dq-rule-generation."""

    async def carry_out(self, arguments: Mapping[str, Any]) -> Write:
        """Draw up the rules of one table."""
        found = await self.found(arguments)
        return lambda uow: self.put_rules(uow, found, arguments)


def _proposal(kept: KeptRule) -> ProposalDraft:
    """The proposal of a rule: approving it lets the rule be executed."""
    rule = kept.rule
    said = {
        "rule_id": rule.id,
        "name": rule.name,
        "description": rule.description,
        "type": rule.type.value,
        "metric": rule.metric,
        "arguments": rule.arguments,
        "operator": rule.operator.value,
        "threshold": rule.threshold,
        "unit": rule.unit.value,
        "severity": rule.severity.value,
    }
    evidence = {
        "engine": ENGINE,
        "expected_false_positive_rate": rule.expected_false_positive_rate,
        **{name: value for name, value in rule.evidence.items() if name != "measured_at"},
    }
    # That it has held again makes it graver, and no other proposal.
    basis = basis_of(ENGINE, {name: value for name, value in said.items() if name != "severity"})
    return ProposalDraft(rule.asset_fqn, ProposalKind.RULE, "rule", said, evidence, rule.confidence, basis)


class _DimensionTags(_OfTables):
    of_tables: ClassVar[bool]
    """Whether tables are tagged, and else their columns."""

    async def carry_out(self, arguments: Mapping[str, Any]) -> Write:
        """Tell which dimensions matter for one table, or for its columns."""
        found = await self.found(arguments)
        about = [found.facts.fqn] if self.of_tables else [column.fqn for column in found.facts.columns]
        tags = [one for one in dimension_tags(found.facts, found.profile, found.drafts) if one.asset_fqn in about]
        return lambda uow: self.put_tags(uow, found, about, tags, arguments)


class ColumnDimensions(_DimensionTags):
    """generate-dq-tags: which dimensions matter for columns."""

    of_tables = False


class TableDimensions(_DimensionTags):
    """dq-tag-generation: which dimensions matter for tables."""

    of_tables = True


class RulesAndDimensions(_OfTables):
    """Rules and the dimensions that matter, of one reading of each table, as run-all-enrichment wants them."""

    async def carry_out(self, arguments: Mapping[str, Any]) -> Write:
        """Draw up the rules of one table, and tell which dimensions matter for it beyond what its rules say."""
        found = await self.found(arguments)
        every = await asyncio.to_thread(dimension_tags, found.facts, found.profile, found.drafts)
        tags = beyond_rules(found.facts, every)

        def write(uow: UnitOfWork) -> dict[str, int]:
            rules = self.put_rules(uow, found, arguments)
            dimensions = self.put_tags(uow, found, [found.facts.fqn], tags, arguments)
            return {**rules, **dimensions, "proposals": rules["proposals"] + dimensions["proposals"]}

        return write
