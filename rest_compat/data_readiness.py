"""Every path under /data-readiness, which /api/data-readiness serves alike. Additions to the contract are marked."""

from resolvers.data_readiness import (
    actions,
    classifications,
    data_assets,
    glossary,
    metrics,
    pipelines,
    profiles,
    reports,
    rule_checks,
    rule_trials,
    rules,
    scorecard,
    suspects,
    violations,
    workflows,
)
from resolvers.data_readiness.approval import operations as approvals
from resolvers.data_readiness.runs import openlineage
from resolvers.data_readiness.runs import operations as runs
from rest_compat.door import Door
from rest_compat.envelopes import DefinitionList, PageLimitList, PerPageList

data_readiness = Door("/data-readiness", tag="Data Readiness", also=("/api/data-readiness",))

_configuration, _run = "/workflows/{configuration_id}", "/workflows/{configuration_id}/runs/{run_id}"
data_readiness.get("/workflows", workflows.list_workflow_configurations, envelope=PageLimitList)
data_readiness.post("/workflows", workflows.create_workflow_configuration)
# Before the path that takes an id in the same place.
data_readiness.get("/workflows/definitions", workflows.list_workflow_definitions, envelope=PageLimitList)  # addition
data_readiness.get("/workflows/pipelines", pipelines.list_pipeline_runs, envelope=PageLimitList)  # addition
data_readiness.get("/workflows/pipelines/{pipeline_id}", pipelines.get_pipeline_run)
data_readiness.get("/workflows/runs", runs.list_project_runs, envelope=PageLimitList)  # addition
data_readiness.get(_configuration, workflows.get_workflow_configuration)
data_readiness.put(_configuration, workflows.update_workflow_configuration)  # addition
data_readiness.delete(_configuration, workflows.delete_workflow_configuration)  # addition
data_readiness.post(f"{_configuration}/runs", runs.trigger_run, status=202)
data_readiness.get(f"{_configuration}/runs", runs.list_workflow_runs, envelope=PageLimitList)
data_readiness.get(_run, runs.get_workflow_run)
data_readiness.get(f"{_run}/tasks", runs.list_run_tasks, envelope=PerPageList)
data_readiness.get(f"{_run}/openlineage", openlineage.get_run_openlineage)  # addition
data_readiness.post(f"{_run}/cancel", runs.cancel_run, status=200)  # addition
data_readiness.post(f"{_run}/retry", runs.retry_run, status=202)  # addition

_approval = "/workflows/runs/{run_id}/approval"
data_readiness.get("/workflows/runs/{run_id}/proposals", approvals.list_run_proposals, envelope=PageLimitList)
data_readiness.get(
    "/workflows/runs/{run_id}/proposals/groups", approvals.list_proposal_groups, envelope=PageLimitList
)  # addition
data_readiness.get(_approval, approvals.get_run_approval)
data_readiness.post(_approval, approvals.decide_run, status=200)

_assets, _asset = "/data-assets", "/data-assets/{asset_id}"
data_readiness.get(_assets, data_assets.list_data_assets, envelope=PageLimitList)
data_readiness.get(_asset, data_assets.get_data_asset)
data_readiness.get(f"{_asset}/runs", data_assets.list_data_asset_runs, envelope=PageLimitList)

data_readiness.get("/profiles", profiles.list_table_profiles, envelope=PageLimitList)  # addition
data_readiness.get("/profiles/table", profiles.get_table_profile)  # addition
data_readiness.get("/profiles/column", profiles.get_column_profile)  # addition

_classification = "/classifications/{classification_id}"
data_readiness.get("/classifications", classifications.list_classifications, envelope=PageLimitList)  # addition
data_readiness.get("/classifications/taxonomy", classifications.list_taxonomy, envelope=DefinitionList)  # addition
data_readiness.get(_classification, classifications.get_classification)  # addition
data_readiness.patch(_classification, classifications.decide_classification)  # addition

_dimensions, _metrics = "/metrics/dimensions", "/metrics/definitions"
data_readiness.get(_dimensions, metrics.list_dimensions, envelope=PageLimitList)  # addition
data_readiness.post(_dimensions, metrics.create_dimension)  # addition
data_readiness.put(f"{_dimensions}/{{dimension_id}}", metrics.update_dimension)  # addition
data_readiness.delete(f"{_dimensions}/{{dimension_id}}", metrics.delete_dimension)  # addition
data_readiness.get(_metrics, metrics.list_metric_definitions, envelope=PageLimitList)  # addition
data_readiness.post(_metrics, metrics.create_metric_definition)  # addition
data_readiness.put(f"{_metrics}/{{definition_id}}", metrics.update_metric_definition)  # addition
data_readiness.delete(f"{_metrics}/{{definition_id}}", metrics.delete_metric_definition)  # addition
data_readiness.get("/metrics/results", metrics.list_metric_results, envelope=PageLimitList)  # addition
data_readiness.post("/metrics/scorecard", scorecard.get_scorecard, status=200)
data_readiness.post("/reports", reports.create_report)  # addition

_kinds, _violation = "/violations/definitions", "/violations/{violation_id}"
data_readiness.get("/actions", actions.list_actions, envelope=PageLimitList)  # addition
data_readiness.get("/violations", violations.list_violations, envelope=PageLimitList)
data_readiness.get(_kinds, violations.list_violation_definitions, envelope=DefinitionList)
data_readiness.post(_kinds, violations.create_violation_definition)  # addition
data_readiness.put(f"{_kinds}/{{definition_id}}", violations.update_violation_definition)  # addition
data_readiness.delete(f"{_kinds}/{{definition_id}}", violations.delete_violation_definition)  # addition
data_readiness.post("/violations/decisions", violations.decide_violations, status=200)  # addition
data_readiness.get(_violation, violations.get_violation)
data_readiness.patch(_violation, violations.update_violation)
data_readiness.get(f"{_violation}/impact", violations.get_violation_impact)  # addition
data_readiness.get(f"{_violation}/history", violations.list_violation_history, envelope=PageLimitList)  # addition

_suspects = "/suspect-cells"
data_readiness.get(_suspects, suspects.list_suspect_cells, envelope=PageLimitList)  # addition
data_readiness.get(f"{_suspects}/groups", suspects.list_suspect_cell_groups, envelope=PageLimitList)  # addition
data_readiness.post(f"{_suspects}/decisions", suspects.decide_suspect_cells, status=200)  # addition
data_readiness.post(f"{_suspects}/exports", suspects.export_suspect_cells)  # addition

_rules, _rule = "/quality-rules", "/quality-rules/{rule_id}"
data_readiness.get(_rules, rules.list_quality_rules, envelope=PageLimitList)  # addition
data_readiness.post(_rules, rules.create_quality_rule)  # addition
# Before the path that takes an id in the same place.
data_readiness.get(f"{_rules}/executions", rules.list_rule_executions, envelope=PageLimitList)  # addition
data_readiness.get(f"{_rules}/export", rules.export_quality_rules)  # addition
data_readiness.post(f"{_rules}/try", rule_trials.try_quality_rule, status=200)  # addition
data_readiness.post(f"{_rules}/import", rules.import_quality_rules, status=200)  # addition
data_readiness.get(_rule, rules.get_quality_rule)  # addition
data_readiness.put(_rule, rules.update_quality_rule)  # addition
data_readiness.delete(_rule, rules.delete_quality_rule)  # addition
data_readiness.post(f"{_rule}/check", rule_checks.check_quality_rule, status=200)  # addition

_terms, _term = "/glossary/terms", "/glossary/terms/{term_id}"
data_readiness.get(_terms, glossary.list_glossary_terms, envelope=PageLimitList)
data_readiness.post(_terms, glossary.create_glossary_term)
data_readiness.get(_term, glossary.get_glossary_term)
data_readiness.put(_term, glossary.update_glossary_term)
data_readiness.delete(_term, glossary.delete_glossary_term)
data_readiness.post(f"{_term}/approval", glossary.review_glossary_term, status=200)  # addition
data_readiness.get(f"{_term}/assets", glossary.list_glossary_term_assets, envelope=PageLimitList)  # addition
data_readiness.post(f"{_term}/assets", glossary.link_glossary_term)  # addition
data_readiness.delete(f"{_term}/assets", glossary.unlink_glossary_term, versioned=False)  # addition
