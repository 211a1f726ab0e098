"""Operations that may refuse what their schema allows, by a rule that no schema of OpenAPI 3.0 can tell.

Each names the status and the rule. Every other operation must accept whatever fits its document.
"""

WHOLE = "an open object holds whole numbers of up to 64 bits"

RULES: dict[str, tuple[int, str]] = {
    "index_entities": (422, WHOLE),
    "create_context_pack": (422, WHOLE),
    "update_metadata": (422, WHOLE),
    "check_permission": (400, "not every type of resource has every permission"),
    "explain_permission": (400, "not every type of resource has every permission"),
    "grant_permission": (422, "not every type of resource has every relation, and some only for users"),
    "revoke_permission": (422, "not every type of resource has every relation, and some only for users"),
    "set_parent": (422, "not every type of resource can be the parent of every other"),
    "update_project_secret": (422, "a new value or a new description, one of them at least"),
    "update_resource_secret": (422, "a new value or a new description, one of them at least"),
    "create_data_connection": (422, "the type says which of the three settings it takes, and their fields"),
    "update_data_connection": (422, "the type says which of the three settings it takes, and their fields"),
    "verify_data_connection": (422, "a disabled connection is not verified"),
    "create_artifact": (422, "the type says which of content, rows and file_uri it takes"),
    "list_data_connections": (400, "sort names fields of the list"),
    "list_files": (400, "sort names fields of the list"),
    "list_artifacts": (400, "sort names fields of the list"),
    "search_metadata": (400, "q is an expression"),
    "create_metadata": (422, "the type says how many parts the dotted name has"),
    "create_schedule": (422, "the type says whether it takes cron or run_at; cron and timezone have a grammar"),
    "update_schedule": (422, "the type says whether it takes cron or run_at; cron and timezone have a grammar"),
    "update_context_pack": (422, "a pack is deleted by DELETE"),
    "create_memory": (422, "expires_at lies in the future; the pack is active"),
    "update_memory": (422, "expires_at lies in the future; not in every state"),
    "pin_memory": (422, "not in every state"),
    "unpin_memory": (422, "not in every state"),
    "archive_memory": (422, "not in every state"),
    "reactivate_memory": (422, "not in every state"),
    "supersede_memory": (422, "superseded_by or replacement, one of them; not in every state"),
    "validate_memory": (422, "not in every state"),
    "create_turn": (422, "one question at a time"),
    "cancel_task": (422, "a task that has ended cannot be canceled"),
    "stream_turn": (400, "no event beyond the last one of a running turn can be the last seen"),
    "follow_turn": (400, "no event beyond the last one of a running turn can be the last seen"),
}
