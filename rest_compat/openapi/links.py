"""Defines where a client goes on from a create: OpenAPI links from its answer to what is done with the new resource.

One line per create: the operation, the path under which its resource stands, and where each parameter is found.
"""

from typing import Any

BODY, PATH, SENT = "$response.body#/", "$request.path.", "$request.body#/"

CREATED: dict[str, tuple[str, dict[str, str]]] = {
    "create_project": ("/governance/projects/", {"project_id": f"{BODY}id"}),
    "create_project_secret": ("/governance/resources/projects/secrets/", {"name": f"{BODY}name"}),
    "create_resource_secret": (
        "/governance/resources/{resource_type}/",
        {"resource_type": f"{BODY}resource_type", "resource_id": f"{BODY}resource_id", "name": f"{BODY}name"},
    ),
    "create_data_connection": ("/assets/data/", {"resource_uri": f"{BODY}resource_uri"}),
    "create_registered_server": ("/assets/servers/", {"resource_uri": f"{BODY}resource_uri"}),
    "upload_file": ("/assets/files/", {"resource_uri": f"{BODY}resource_uri"}),
    "create_artifact": ("/assets/artifacts/", {"resource_uri": f"{BODY}resource_uri"}),
    "create_metadata": (
        "/utils/{resource_type}/",
        {
            "resource_type": f"{PATH}resource_type",
            "resource_uri": f"{PATH}resource_uri",
            "fqn": f"{BODY}fully_qualified_name",
        },
    ),
    "create_lineage_statement": (
        "/utils/{resource_type}/{resource_uri}/lineage/statements/",
        {
            "resource_type": f"{PATH}resource_type",
            "resource_uri": f"{PATH}resource_uri",
            "statement_id": f"{BODY}id",
        },
    ),
    "create_schedule": ("/utils/schedules/", {"schedule_id": f"{BODY}schedule_id"}),
    "create_webhook": ("/utils/webhooks/", {"webhook_id": f"{BODY}webhook/id"}),
    "create_context_pack": ("/utils/context-packs/", {"pack_id": f"{BODY}id"}),
    "create_memory": ("/utils/memories/", {"memory_id": f"{BODY}id"}),
    "create_chat_session": ("/talk2data/chat/sessions/", {"session_id": f"{BODY}session_id"}),
    "create_turn": (
        "/talk2data/chat/",
        {"session_id": f"{BODY}session_id", "turn_id": f"{BODY}turn_id", "task_id": f"{BODY}task_id"},
    ),
    "create_benchmark": ("/talk2data/benchmarks/", {"benchmark_id": f"{BODY}id"}),
    "create_workflow_configuration": ("/data-readiness/workflows/", {"configuration_id": f"{BODY}id"}),
    "trigger_run": (
        "/data-readiness/workflows/",
        {"configuration_id": f"{BODY}configuration_id", "run_id": f"{BODY}id"},
    ),
    "create_dimension": ("/data-readiness/metrics/dimensions/", {"dimension_id": f"{BODY}id"}),
    "create_metric_definition": ("/data-readiness/metrics/definitions/", {"definition_id": f"{BODY}id"}),
    "create_violation_definition": ("/data-readiness/violations/definitions/", {"definition_id": f"{BODY}id"}),
    "create_quality_rule": ("/data-readiness/quality-rules/", {"rule_id": f"{BODY}id"}),
    "create_glossary_term": ("/data-readiness/glossary/terms/", {"term_id": f"{BODY}id"}),
}


def add_links(paths: dict[str, dict[str, Any]]) -> None:
    """Give the answer of each create the operations that its resource leads to."""
    operations = {op["operationId"]: (path, op) for path, methods in paths.items() for op in methods.values()}
    for name, (root, sources) in CREATED.items():
        if name not in operations:
            continue
        links = {
            target: {
                "operationId": target,
                "description": op["summary"] + ".",
                "parameters": {p: sources[p] for p in _wanted(op) if p in sources},
            }
            for target, (path, op) in operations.items()
            if path.startswith(root) and target != name and _reached(op, sources)
        }
        for status, response in operations[name][1]["responses"].items():
            if links and status.startswith("2"):
                response["links"] = links


def _wanted(op: dict[str, Any]) -> list[str]:
    return [
        p["name"] for p in op.get("parameters", ()) if p["in"] == "path" or (p.get("required") and p["in"] == "query")
    ]


def _reached(op: dict[str, Any], sources: dict[str, str]) -> bool:
    """Return whether every parameter is known, and one of them only since the create."""
    wanted = _wanted(op)
    new = [p for p, source in sources.items() if source.startswith(BODY)]
    return set(wanted) <= set(sources) and any(p in wanted for p in new[-1:] + new)
