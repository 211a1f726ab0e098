"""Defines what an operation refuses although its schema allows it: rules that OpenAPI 3.0 has no words for, told all
the same.

Each operation's description lists them in a sentence, and its extension `x-stoa-also-refused` as data: the status,
the code, the fields that `details.field` then names (`*` for any part, an empty one for none), and the rule. Nothing
else that fits the document is refused, but for a permission (401, 403), what does not stand (404), what conflicts
(409) and full windows (429); a test sends what the documents allow and takes these notes as the only excuse.
"""

from collections.abc import Callable, Iterator
from typing import Any, Final, NamedTuple

from rest_compat.route import OperationRoute
from schema.naming import NAME_PATTERN, TAG_PATTERN
from schema.text import DEEPEST

EXTENSION: Final = "x-stoa-also-refused"


class Refusal(NamedTuple):
    """One rule: the answer to what breaks it, the fields that it is about, and the rule as a sentence."""

    status: int
    code: str
    fields: tuple[str, ...]
    rule: str

    def told(self) -> dict[str, Any]:
        """The rule as data."""
        return {"status": self.status, "code": self.code, "fields": list(self.fields), "rule": self.rule}


def _value(rule: str, *fields: str) -> Refusal:
    """A value of a body that has the right type and is not one that can be."""
    return Refusal(422, "VALIDATION_ERROR", fields, rule)


def _form(rule: str, *fields: str, code: str = "VALIDATION_ERROR") -> Refusal:
    """A body that has not the right form."""
    return Refusal(400, code, fields, rule)


def _missing(rule: str, *fields: str, status: int = 400) -> Refusal:
    return Refusal(status, "MISSING_REQUIRED_FIELD", fields, rule)


def _parameter(rule: str, *fields: str) -> Refusal:
    return Refusal(400, "INVALID_PARAMETER", fields, rule)


_NO_SUCH_PERMISSION = _parameter("Not every type of resource has every permission.", "permission")
_RELATION = _value("Not every type of resource has every relation, and some are only for users.", "relation")
_QUERY = Refusal(
    400, "SEARCH_QUERY_INVALID", ("q", ""), "q is an expression of the grammar that its description tells."
)
_WORD = Refusal(
    400,
    "SEARCH_QUERY_INVALID",
    ("q",),
    "q holds a letter or a digit, or nothing; the operators && and ||, and ! and - before a word, are reserved.",
)
_EMPTY_SECRET = _value("A change names a new value, a new description, or both.", "value")
_OF_TYPE = (
    _value(
        "The connection_type says which one of database_config, storage_config and filesystem_config is taken, and "
        "which fields it and the credentials have.",
        "*_config",
        "*_config.*",
        "credentials",
        "credentials.*",
    ),
    _form("Fields of a configuration that its type does not know, or of another JSON type.", "*_config.*"),
    _form("Fields of a configuration that its type does not know, or of another JSON type.", "credentials.*"),
    _form("A value of a configuration has its JSON type.", "*_config.*", "credentials.*", code="INVALID_FORMAT"),
    _missing("Each type of connection has settings that it cannot be without.", "*_config", "*_config.*"),
    _missing("Each type of connection has credentials that it cannot be without.", "credentials", "credentials.*"),
)
_TIMING = (
    _value(
        "cron has the five fields of crontab, timezone is a name of the IANA database, run_at is a moment to come, and "
        "the type says which of cron and run_at is there.",
        "schedule.*",
    ),
    _missing("A CRON schedule has cron, a ONE_OFF schedule has run_at.", "schedule.*", status=422),
    _missing("A schedule has a reference_id, a config, or both.", "config", status=422),
    _value("extra_data has a greatest size as JSON.", "config.extra_data"),
)
_PERIOD = _value(
    "cron_expression has the five fields of crontab, and timezone is a name of the IANA database.",
    "schedule.*",
    "timezone",
)
_CONFIG = _form("config has no name that is nearly, but not quite, one that its type knows.", "config.*")
_MEMORY_STATE = _value("Not every state of a memory takes this.", "status")
_EXPIRY = _value("expires_at has an offset and lies in the future.", "expires_at")
_PACK = _value("The context pack is active.", "context_pack_id")
_POLICY = _value("The effect of a policy can be read.", "content")
_BUILT_IN = _value("What came with the platform stays as it is.", "id")
_PLACE = _parameter("A table or a column is named: four or five dotted parts.", "fqn", "to_fqn")
_DIMENSION = _value("The dimension stands in the project.", "dimension_id")
_PAST = _parameter("The moment has passed.", "as_of")
_PAST_IN_BODY = _value("The moment has passed.", "as_of")
_RUN_STATE = _value("Not every state of a run takes this.", "status")
_LAST_EVENT = _parameter("No event after the last one of the turn can be the last that was seen.", "last_event_id")
_HOOK = _value(
    "The address fits the channel; it names a host that the deployment reaches, and neither a user nor a fragment, or "
    "the mailboxes of a domain that it sends e-mail to.",
    "url",
)
_HOOK_MAIL = _value("E-mail is sent where the deployment has a mail server.", "channel")
_HOOK_WAITS = _value(
    "People alone are told later than at once; quiet hours lie between two times of day, as hh:mm, of a time zone of "
    "the IANA database.",
    "digest_minutes",
    "quiet_hours",
    "quiet_hours.*",
)
_HOOK_FORMAT = _value("OpenLineage goes to programs alone, and tells of runs alone.", "format", "types")
_HOOK_HEADERS = _value(
    "E-mail carries no headers; what the platform says itself is none of them, and each stands once. They are given "
    "anew for another server.",
    "headers",
    "headers.*",
)
_SERVER = _value(
    "The address names a host that the deployment reaches, without user and fragment, and of an API without a query.",
    "url",
)
_SERVER_DOCUMENT = _value(
    "An API alone has a document; its address is one that the deployment reaches.", "document_url"
)
_SERVER_LETS_IN = _value(
    "What the platform says itself is no header, and each stands once. They are given anew for another server.",
    "credentials",
    "credentials.*",
)
_SERVER_ENABLED = _value("A server that is not enabled is not reached.", "enabled")
_HOOK_RUNS = _value("A webhook of OpenLineage is told of run.started and run.ended alone.", "types")
_HOOK_SENDS = _value("A paused webhook sends nothing.", "status")
_HOOK_SIGNS = _value("What goes to people is not signed.", "channel")
_PARENT = _value("The parent stands, is no term below this one, and is not too deep.", "parent_term_id")
_RULE = _value(
    "The asset stands in the catalog; type, metric, arguments, query, operator and threshold go together.",
    "asset_fqn",
    "metric",
    "metric_definition_id",
    "query",
    "arguments",
    "arguments.*",
    "threshold",
    "unit",
    "operator",
)
_RANGE = Refusal(416, "INVALID_REQUEST", ("Range",), "The range lies within the bytes.")

_NAME: Final = (
    "A name or tag shows every character that it holds: no format character, and a joiner (U+200C, U+200D) only where "
    "it joins what stands on its two sides."
)

REFUSALS: Final[dict[str, tuple[Refusal, ...]]] = {
    "search_entities": (_WORD,),
    "search_metadata": (_QUERY,),
    "check_permission": (_NO_SUCH_PERMISSION,),
    "explain_permission": (_NO_SUCH_PERMISSION,),
    "grant_permission": (_RELATION,),
    "revoke_permission": (_RELATION,),
    "set_parent": (_value("Not every type of resource can be the parent of every other.", "parent_type"),),
    "delete_all_permissions": (_value("An organization keeps its relations.", "resource_type"),),
    "update_project_secret": (_EMPTY_SECRET,),
    "update_resource_secret": (_EMPTY_SECRET,),
    "create_data_connection": _OF_TYPE,
    "update_data_connection": _OF_TYPE,
    "verify_data_connection": (_value("A disabled connection is not verified.", "status"),),
    "create_registered_server": (_SERVER, _SERVER_DOCUMENT, _SERVER_LETS_IN),
    "update_registered_server": (_SERVER, _SERVER_DOCUMENT, _SERVER_LETS_IN),
    "verify_registered_server": (_SERVER_ENABLED,),
    "approve_registered_server_tools": (_value("The tools of the server were read.", "sha256"),),
    "call_registered_server": (
        _SERVER_ENABLED,
        _value("Somebody has approved the tools of the server.", "approved_sha256"),
        _value("The tool is one of the approved ones.", "tool"),
        _value("The arguments fit the tool's schema as it was approved.", "arguments"),
    ),
    "create_artifact": (
        _value(
            "The type says which one of content, columns with rows, and file_uri is taken; each row has a cell for "
            "every column, and no two columns have one name.",
            "content",
            "columns",
            "rows",
            "rows.*",
            "file_uri",
        ),
        _missing("columns come with rows.", "rows"),
    ),
    "preview_artifact": (_parameter("Only a Parquet table is shown page by page.", "offset"),),
    "download_artifact": (
        _RANGE,
        _parameter(
            "Only a Parquet table of a bounded size is had in other formats, and XLSX with an optional package.",
            "format",
        ),
    ),
    "download_file": (_RANGE,),
    "upload_file": (
        _value(
            "A key takes what can be printed, and no part of it is empty, `.`, `..`, or begins or ends with a blank.",
            "key",
        ),
        _value(_NAME, "tags.*"),  # in a form they are one text, whose schema tells nothing of its parts
    ),
    "create_metadata": (
        _value("The type says how many parts the dotted name has; its parent stands.", "fully_qualified_name"),
        _value("name is the last part of the dotted name.", "name"),
    ),
    "get_metadata": (
        _parameter("version and include_children=true exclude each other.", "version"),
        _form("The asset has the asset_type that was asked for.", "asset_type"),
    ),
    "get_lineage": (_PLACE,),
    "list_lineage_edges": (_PLACE,),
    "get_lineage_impact": (_PLACE,),
    "get_lineage_path": (_PLACE,),
    "get_lineage_answers": (_PLACE,),
    "add_relationship": (_value("Both are columns of one database in the catalog.", "fqn", "target_fqn"),),
    "remove_relationship": (_value("It is a column, and people said what it refers to.", "fqn", "target_fqn"),),
    "create_lineage_statement": (
        _value("The catalog has the table, on this connection.", "target_fqn"),
        _value("A project has a bounded number of statements of lineage.", "statement"),
    ),
    "import_dbt_manifest": (
        _value(
            "Both files are as dbt writes them, in a version that is read, and of a bounded number of models.",
            "manifest",
            "manifest.*",
            "catalog.*",
        ),
    ),
    "import_openlineage_event": (
        _value("The job and each dataset have a namespace and a name.", "job.*", "inputs.*", "outputs", "outputs.*"),
    ),
    "create_schedule": _TIMING,
    "update_schedule": (
        *_TIMING,
        _value("The schedule of a workflow configuration is changed there.", "schedule_id"),
    ),
    "delete_schedule": (_value("The schedule of a workflow configuration is changed there.", "schedule_id"),),
    "create_webhook": (_HOOK, _HOOK_MAIL, _HOOK_FORMAT, _HOOK_HEADERS, _HOOK_WAITS),
    "update_webhook": (_HOOK, _HOOK_MAIL, _HOOK_RUNS, _HOOK_HEADERS, _HOOK_WAITS),
    "rotate_webhook_secret": (_HOOK_SIGNS,),
    "send_webhook_test": (_HOOK_SENDS,),
    "replay_webhook": (
        _HOOK_SENDS,
        _value("since has passed and lies before until, with a bounded number of events between them.", "since"),
    ),
    "update_context_pack": (_value("A pack is deleted by DELETE.", "status"),),
    "import_semantic_model": (
        _PACK,
        _value("The file is one of its format, of a bounded size, and names a bounded number of tables.", "text"),
    ),
    "export_semantic_model": (_value("The pack has a bounded number of memories and of tables.", "pack_id"),),
    "create_memory": (_EXPIRY, _PACK, _POLICY),
    "update_memory": (_MEMORY_STATE, _EXPIRY, _POLICY),
    "pin_memory": (_MEMORY_STATE,),
    "unpin_memory": (_MEMORY_STATE,),
    "archive_memory": (_MEMORY_STATE,),
    "reactivate_memory": (_MEMORY_STATE, _POLICY),
    "validate_memory": (_MEMORY_STATE,),
    "supersede_memory": (
        _missing("superseded_by or replacement, one of them.", "superseded_by", status=422),
        _value("The successor is another active memory of the same pack.", "superseded_by", "replacement"),
        _MEMORY_STATE,
        _PACK,
        _POLICY,
        _EXPIRY,
    ),
    "create_turn": (
        _value("A session takes one question at a time.", "session_id"),
        _value("The reading is one of a question that was asked back in the session.", "reading_id"),
    ),
    "correct_turn": (
        _value("The guard passes the query, and it can be told which data it is for; the pack is active.", "sql"),
    ),
    "cancel_task": (_value("A task that has ended cannot be canceled.", "task_id"),),
    "create_benchmark": (
        _value("The data is one connection that is enabled and that the caller may ask.", "datasource"),
        _value("A question stands once; it has sql or rows, whose rows have equally many cells.", "questions.*"),
        _missing("A first benchmark of its name has questions.", "questions", status=422),
        _value("One benchmark of a name runs at a time.", "name"),
    ),
    "cancel_benchmark": (_value("A benchmark that is over cannot be canceled.", "status"),),
    "set_chat_settings": (
        _value(
            "A model that drafts has a name and can be asked: with a key and an address where its provider needs them.",
            "llm_model",
            "provider",
            "credentials_secret",
            "api_base",
            "api_version",
        ),
    ),
    "stream_turn": (_LAST_EVENT,),
    "stream_events": (
        _parameter("No event after the last one of the project can be the last that was seen.", "last_event_id"),
    ),
    "create_workflow_configuration": (
        _missing("workflow_type or workflow_definition_id is there.", "workflow_type"),
        _value("The definition stands; both name one type.", "workflow_definition_id", "workflow_type"),
        _CONFIG,
        _PERIOD,
    ),
    "update_workflow_configuration": (_CONFIG, _PERIOD),
    "trigger_run": (
        _value("The configuration is active, and so is the connection.", "status"),
        _value("The asset is of the configuration's connection.", "asset_fqn", "config.resource_uri"),
        _missing("run-all-enrichment works below a name.", "asset_fqn"),
        _parameter("The first part of the name is the service of a connection.", "asset_fqn"),
        _value("parameters have the fields that their description tells.", "parameters.*"),
        _form("parameters have no name that is nearly, but not quite, one that is known.", "parameters.*"),
        _form("parameters have the JSON types that their description tells.", "parameters.*", code="INVALID_FORMAT"),
    ),
    "cancel_run": (_RUN_STATE,),
    "retry_run": (_RUN_STATE,),
    "decide_run": (
        _RUN_STATE,
        _value("Not every state of a proposal takes every decision.", "proposal_ids"),
    ),
    "decide_classification": (_value("Not every state follows every other.", "state"),),
    "create_metric_definition": (_DIMENSION,),
    "create_violation_definition": (_DIMENSION,),
    "update_dimension": (_BUILT_IN,),
    "delete_dimension": (
        _BUILT_IN,
        _value("No definition of a metric or a violation belongs to it.", "dimension_id"),
    ),
    "update_metric_definition": (_BUILT_IN,),
    "delete_metric_definition": (_BUILT_IN,),
    "update_violation_definition": (_BUILT_IN,),
    "delete_violation_definition": (_BUILT_IN,),
    "update_violation": (_value("Not every state follows every other.", "status"),),
    "decide_violations": (_value("A decision has a status, a user to assign to, or both.", "status"),),
    "get_scorecard": (
        _value("A weight is a decimal number of few digits, and its dimension stands.", "weight_overrides.*"),
        _form("A weight is a text or a number.", "weight_overrides.*", code="INVALID_FORMAT"),
        _PAST_IN_BODY,
    ),
    "create_report": (_PAST_IN_BODY,),
    "get_table_profile": (_PAST,),
    "get_column_profile": (_PAST,),
    "list_metric_results": (_PAST,),
    "create_glossary_term": (_value("A new term is a draft or in review.", "status"), _PARENT),
    "update_glossary_term": (
        _value("Not every state follows every other.", "status"),
        _value("What has a value keeps one.", "name", "synonyms", "related_terms", "owners", "tags", "status"),
        _PARENT,
    ),
    "review_glossary_term": (
        _value("Only a term in review is approved or rejected, and only a defined one.", "decision", "definition"),
    ),
    "link_glossary_term": (_value("The asset stands in the catalog.", "asset_fqn"),),
    "create_quality_rule": (_RULE,),
    "try_quality_rule": (_RULE,),
    "update_quality_rule": (
        _RULE,
        _value("Not every state follows every other; what has a value keeps one.", "state", "name", "severity"),
    ),
    "import_quality_rules": (_value("The text is a file of the named format.", "text"),),
    "export_quality_rules": (_value("A file has a greatest number of rules.", "asset_fqn"),),
}
"""The rules of each operation, by its name."""

EVERYWHERE: Final = (
    _value("No text holds the character NUL or half a character.", "*"),
    _parameter("No parameter holds the character NUL.", "*"),
)
"""The rules of every operation; the document has them at its root."""

_OPEN: Final = f"An open object is nested at most {DEEPEST} deep, and its whole numbers have at most 64 bits."


def refusals_of(route: OperationRoute, body: Any, schemas: dict[str, Any]) -> list[Refusal]:
    """The rules of one operation; `body` is the schema of what it takes."""
    told = REFUSALS.get(route.operation.name, ())
    rules = ((_OPEN, _is_open), (_NAME, _is_name))
    found = [(rule, tuple(dict.fromkeys(_places(body, holds, schemas, "", ())))) for rule, holds in rules]
    return [*told, *(_value(rule, *places) for rule, places in found if places)]


def tell_refusals(operation: dict[str, Any], refusals: list[Refusal]) -> None:
    """Put the rules into the description of an operation, and as data beside it."""
    if refusals:
        operation[EXTENSION] = [one.told() for one in refusals]
        operation["description"] = "\n".join([operation["description"], "", _HEAD, "", *_lines(refusals)])


_HEAD = "Refused too, though the schema allows it:"


def _lines(refusals: list[Refusal]) -> Iterator[str]:
    for rule in dict.fromkeys(one.rule for one in refusals):
        answers = dict.fromkeys(f"{one.status} {one.code}" for one in refusals if one.rule == rule)
        yield f"- {rule} ({', '.join(answers)})"


def _is_open(schema: Any) -> bool:
    """Return whether it is of objects whose fields are not told."""
    return schema.get("additionalProperties") is True


def _is_name(schema: Any) -> bool:
    return schema.get("pattern") in (NAME_PATTERN, TAG_PATTERN)


def _places(
    schema: Any, holds: Callable[[Any], bool], schemas: dict[str, Any], path: str, above: tuple[str, ...]
) -> Iterator[str]:
    """Yield where in a body stand values whose schema is of a kind."""
    if "$ref" in schema:
        name = schema["$ref"].rpartition("/")[2]
        if name not in above:
            yield from _places(schemas[name], holds, schemas, path, (*above, name))
        return
    if holds(schema):
        yield path
    for union in ("allOf", "anyOf", "oneOf"):
        for option in schema.get(union, ()):
            yield from _places(option, holds, schemas, path, above)
    items = {"*": schema["items"]} if "items" in schema else {}
    for field, told in (schema.get("properties", {}) | items).items():
        yield from _places(told, holds, schemas, f"{path}.{field}".lstrip("."), above)
