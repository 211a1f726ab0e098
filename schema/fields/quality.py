"""Defines what the graph offers of quality and the glossary, which are parts of Data Readiness: one line per field."""

import strawberry

from resolvers.data_readiness.actions import list_actions
from resolvers.data_readiness.classifications import (
    decide_classification,
    get_classification,
    list_classifications,
    list_taxonomy,
)
from resolvers.data_readiness.glossary import (
    create_glossary_term,
    delete_glossary_term,
    get_glossary_term,
    link_glossary_term,
    list_glossary_term_assets,
    list_glossary_terms,
    review_glossary_term,
    unlink_glossary_term,
    update_glossary_term,
)
from resolvers.data_readiness.metrics import (
    create_dimension,
    create_metric_definition,
    delete_dimension,
    delete_metric_definition,
    list_dimensions,
    list_metric_definitions,
    list_metric_results,
    update_dimension,
    update_metric_definition,
)
from resolvers.data_readiness.profiles import get_column_profile, get_table_profile, list_table_profiles
from resolvers.data_readiness.reports import create_report
from resolvers.data_readiness.rule_checks import check_quality_rule
from resolvers.data_readiness.rule_trials import try_quality_rule
from resolvers.data_readiness.rules import (
    create_quality_rule,
    delete_quality_rule,
    export_quality_rules,
    get_quality_rule,
    import_quality_rules,
    list_quality_rules,
    list_rule_executions,
    update_quality_rule,
)
from resolvers.data_readiness.scorecard import get_scorecard
from resolvers.data_readiness.suspects import (
    decide_suspect_cells,
    export_suspect_cells,
    list_suspect_cell_groups,
    list_suspect_cells,
)
from resolvers.data_readiness.violations import (
    create_violation_definition,
    decide_violations,
    delete_violation_definition,
    get_violation,
    get_violation_impact,
    list_violation_definitions,
    list_violation_history,
    list_violations,
    update_violation,
    update_violation_definition,
)
from schema.assets.artifact import Artifact
from schema.data_readiness.action import Action
from schema.data_readiness.classification import Classification, TaxonomyTag
from schema.data_readiness.glossary import GlossaryTerm, GlossaryTermDeleted, TermAsset, TermAssetUnlinked
from schema.data_readiness.profile import ColumnProfile, ProfileEntry, TableProfile
from schema.data_readiness.quality import DefinitionDeleted, Dimension, MetricDefinition, MetricResult
from schema.data_readiness.rule import QualityRule, RuleExecution
from schema.data_readiness.rule_change import (
    QualityRuleDeleted,
    QualityRulesExported,
    QualityRulesImported,
    RuleCheck,
    RuleTrial,
)
from schema.data_readiness.scorecard import Scorecard
from schema.data_readiness.suspect import SuspectCell, SuspectCellGroup, SuspectCellsDecided
from schema.data_readiness.violation import Violation, ViolationDefinition, ViolationEvent, ViolationsDecided
from schema.door import connects, opens
from schema.pagination import Connection, Page
from schema.utils.lineage import LineageImpact


@strawberry.type(name="Query")
class QualityQuery:
    """What can be read of quality and the glossary."""

    table_profiles: Page[ProfileEntry] = opens(list_table_profiles)
    table_profiles_connection: Connection[ProfileEntry] = connects(list_table_profiles)
    table_profile: TableProfile = opens(get_table_profile)
    column_profile: ColumnProfile = opens(get_column_profile)
    classifications: Page[Classification] = opens(list_classifications)
    classifications_connection: Connection[Classification] = connects(list_classifications)
    classification: Classification = opens(get_classification)
    taxonomy: Page[TaxonomyTag] = opens(list_taxonomy)
    taxonomy_connection: Connection[TaxonomyTag] = connects(list_taxonomy)
    dimensions: Page[Dimension] = opens(list_dimensions)
    dimensions_connection: Connection[Dimension] = connects(list_dimensions)
    metric_definitions: Page[MetricDefinition] = opens(list_metric_definitions)
    metric_definitions_connection: Connection[MetricDefinition] = connects(list_metric_definitions)
    metric_results: Page[MetricResult] = opens(list_metric_results)
    metric_results_connection: Connection[MetricResult] = connects(list_metric_results)
    scorecard: Scorecard = opens(get_scorecard)
    quality_rules: Page[QualityRule] = opens(list_quality_rules)
    quality_rules_connection: Connection[QualityRule] = connects(list_quality_rules)
    quality_rule: QualityRule = opens(get_quality_rule)
    export_quality_rules: QualityRulesExported = opens(export_quality_rules)
    rule_executions: Page[RuleExecution] = opens(list_rule_executions)
    rule_executions_connection: Connection[RuleExecution] = connects(list_rule_executions)
    violation_definitions: Page[ViolationDefinition] = opens(list_violation_definitions)
    violation_definitions_connection: Connection[ViolationDefinition] = connects(list_violation_definitions)
    actions: Page[Action] = opens(list_actions)
    actions_connection: Connection[Action] = connects(list_actions)
    violations: Page[Violation] = opens(list_violations)
    violations_connection: Connection[Violation] = connects(list_violations)
    violation: Violation = opens(get_violation)
    violation_impact: LineageImpact = opens(get_violation_impact)
    violation_history: Page[ViolationEvent] = opens(list_violation_history)
    violation_history_connection: Connection[ViolationEvent] = connects(list_violation_history)
    suspect_cells: Page[SuspectCell] = opens(list_suspect_cells)
    suspect_cells_connection: Connection[SuspectCell] = connects(list_suspect_cells)
    suspect_cell_groups: Page[SuspectCellGroup] = opens(list_suspect_cell_groups)
    suspect_cell_groups_connection: Connection[SuspectCellGroup] = connects(list_suspect_cell_groups)
    glossary_terms: Page[GlossaryTerm] = opens(list_glossary_terms)
    glossary_terms_connection: Connection[GlossaryTerm] = connects(list_glossary_terms)
    glossary_term: GlossaryTerm = opens(get_glossary_term)
    glossary_term_assets: Page[TermAsset] = opens(list_glossary_term_assets)
    glossary_term_assets_connection: Connection[TermAsset] = connects(list_glossary_term_assets)


@strawberry.type(name="Mutation")
class QualityMutation:
    """What can be changed of quality and the glossary."""

    create_dimension: Dimension = opens(create_dimension)
    update_dimension: Dimension = opens(update_dimension)
    delete_dimension: DefinitionDeleted = opens(delete_dimension)
    create_metric_definition: MetricDefinition = opens(create_metric_definition)
    update_metric_definition: MetricDefinition = opens(update_metric_definition)
    delete_metric_definition: DefinitionDeleted = opens(delete_metric_definition)
    create_violation_definition: ViolationDefinition = opens(create_violation_definition)
    update_violation_definition: ViolationDefinition = opens(update_violation_definition)
    delete_violation_definition: DefinitionDeleted = opens(delete_violation_definition)
    update_violation: Violation = opens(update_violation)
    decide_violations: ViolationsDecided = opens(decide_violations)
    create_quality_rule: QualityRule = opens(create_quality_rule)
    update_quality_rule: QualityRule = opens(update_quality_rule)
    delete_quality_rule: QualityRuleDeleted = opens(delete_quality_rule)
    import_quality_rules: QualityRulesImported = opens(import_quality_rules)
    check_quality_rule: RuleCheck = opens(check_quality_rule)
    try_quality_rule: RuleTrial = opens(try_quality_rule)
    decide_classification: Classification = opens(decide_classification)
    create_report: Artifact = opens(create_report)
    decide_suspect_cells: SuspectCellsDecided = opens(decide_suspect_cells)
    export_suspect_cells: Artifact = opens(export_suspect_cells)
    create_glossary_term: GlossaryTerm = opens(create_glossary_term)
    update_glossary_term: GlossaryTerm = opens(update_glossary_term)
    review_glossary_term: GlossaryTerm = opens(review_glossary_term)
    delete_glossary_term: GlossaryTermDeleted = opens(delete_glossary_term)
    link_glossary_term: TermAsset = opens(link_glossary_term)
    unlink_glossary_term: TermAssetUnlinked = opens(unlink_glossary_term)
