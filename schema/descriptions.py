"""Defines what front ends read about a field, an argument or a value.

A field is described by the text below it or its `Field(description=...)`. Where neither stands, its type tells: the
description that an annotated type carries, the common meaning of its name, or the first sentence of its class. A common
meaning is told as the type allows: what it says of null only where null can stand, and where a name means something
else for another kind of value, only what it means for this one.
"""

import ast
import inspect
import re
import textwrap
import types
from collections.abc import Iterable, Iterator, Mapping
from enum import Enum
from typing import Annotated, Any, Final, Union, get_args, get_origin

from pydantic import BaseModel
from pydantic.fields import FieldInfo

COMMON: Final[Mapping[str, str | Mapping[type, str]]] = {
    "id": "The id, a UUID that never changes.",
    "name": "What people call it.",
    "description": "What it is, in the words of its owners.",
    "organization_id": "The organization that it belongs to.",
    "project_id": "The project that it belongs to; null when it belongs to the whole organization.",
    "resource_uri": "Its URI, which names it in permissions and in other resources.",
    "owner_id": "The user who owns it.",
    "created_at": "When it was created, in UTC.",
    "updated_at": "When it was last changed, in UTC.",
    "created_by": "The id of the user who created it.",
    "updated_by": "The id of the user who changed it last.",
    "started_at": "When it started, in UTC; null while it has not.",
    "completed_at": "When it ended, in UTC; null while it has not.",
    "expires_at": "When it ceases to hold, in UTC.",
    "deleted_at": "When it was deleted, in UTC; null while it stands.",
    "tags": "Free labels to find it by.",
    "message": "What happened, as a sentence.",
    "details": "What a program may want to know beside the message.",
    "items": "The items of this window, in the order of the list.",
    "total": "How many there are in all.",
    "offset": "How many items stand before the first of this window.",
    "limit": "How many items a window holds at most.",
    "configuration_id": "The workflow configuration.",
    "run_id": "The run.",
    "session_id": "The chat session.",
    "user_id": "The user.",
    "metadata": "Whatever its owners keep with it.",
    "config": "Its settings, whose fields depend on its type.",
    "status_message": "Why it has its status; null when there is nothing to say.",
    "database_config": "Where a database is and what to read of it; its fields depend on the type.",
    "storage_config": "Where an object store is and what to read of it; its fields depend on the type.",
    "filesystem_config": "Where a file system is and what to read of it; its fields depend on the type.",
    "credentials": "Names and values of what the store asks for to let us in.",
    "secret_names": "The names of the credentials that are kept.",
    "fully_qualified_name": "The dotted name: service.database.schema.table.column.",
    "version": "The version, major and minor.",
    "version_major": "The first number of the version; it counts changes of structure.",
    "version_minor": "The second number of the version; it counts changes of text.",
    "version_change_reason": "Why this version was made.",
    "display_name": "The name to show instead of the technical one.",
    "summary_text": "The description in a sentence or two.",
    "service_name": "The first part of the dotted name: the connection.",
    "schema_definition": "How the source defines it, such as the text of a view.",
    "extension": "Further fields that its owners keep with it.",
    "is_dq_tagged": "Whether a tag for data quality stands on it, or people have marked it so.",
    "is_pii_tagged": "Whether a tag for personal data stands on it, or people have marked it so.",
    "is_sensitivity_tagged": "Whether a tag for sensitivity stands on it, or people have marked it so.",
    "children_total": "How many direct children there are, however many are shown.",
    "table_type": "What kind of table it is, such as TABLE or VIEW.",
    "row_count": "How many rows the table has, as its source says or a profile has measured.",
    "column_count": "How many columns the table has.",
    "table_count": "How many tables the schema has.",
    "data_type": "The type of the column, in one spelling for all sources.",
    "data_type_display": "The type of the column as the source spells it.",
    "ordinal_position": "Where the column stands in its table.",
    "nullable": "Whether the column takes null.",
    "constraint": "The constraints on it, such as a primary key.",
    "column_relationships": "The columns that it refers to.",
    "precision": "How many digits the column holds.",
    "scale": "How many of the digits stand after the point.",
    "data_length": "How many characters or bytes the column holds.",
    "business_definition": "What it means to the business.",
    "business_rules": "The rules that its values follow.",
    "change_summary": "Who described which field last, by field.",
    "changed_by": "The ids of the users who changed this version.",
    "tag_id": "The id of the tag.",
    "tag_fqn": "The dotted name of the tag.",
    "category_name": "The category that the tag comes from.",
    "tag_name": "The name of the tag.",
    "tag_description": "What the tag says.",
    "previous_version": "The version before this one; empty on the first.",
    "field_name": "The name of the field.",
    "resource_type": "The type of the object that permissions are checked on.",
    "resource_id": "The id of the object that permissions are checked on.",
    "resource_name": "What people call the resource.",
    "permission": "The permission that is asked about.",
    "user": "The user who is asked about; the caller when left out.",
    "allowed": "Whether the permission is held.",
    "category": "The category of the work.",
    "data_asset_types": "The types of assets that it works on.",
    "is_default": "Whether it came with the platform.",
    "require_reference_pack": "Whether it needs a reference pack to run.",
    "schedule": "When it runs by itself; null when it does not.",
    "status": "Where it stands.",
    "triggers": "What starts it, beside people.",
    "workflow_name": "The name of the workflow that runs.",
    "workflow_definition_id": "The workflow definition, which names the type.",
    "asset_fqn": "The dotted name that it works on: service[.database[.schema[.table]]].",
    "database_name": "The database part of the dotted name.",
    "schema_name": "The schema part of the dotted name.",
    "table_name": "The table part of the dotted name.",
    "duration_seconds": "How long it took, in seconds; null until it has ended.",
    "error_message": "Why it failed; null when it did not.",
    "input": "What it was given to work on.",
    "output": "What it made.",
    "parameters": "Further settings of this one run.",
    "save_all": "Whether to keep every result, not only the accepted ones.",
    "enabled": "Whether it is switched on.",
    "success": "Whether it went well.",
    "latency_ms": "How long the other side took to answer, in milliseconds.",
    "value": "The value.",
    "is_group": "Whether the subject is a group of users.",
    "deleted": {bool: "Whether it is deleted.", int: "How many were deleted."},
    "org_id": "The organization.",
    "entity_type": "What kind of thing it is.",
    "entity_id": "Its id in the service that it comes from.",
    "title": "The line to show first.",
    "subtitle": "The line to show second.",
    "url": "Where it can be opened.",
    "search_attributes": "Further values that a search finds it by.",
    "extra_metadata": "Further values to show with it.",
    "type": "What kind of thing it is.",
    "page": "1-indexed page.",
    "sort": "field:order, comma-separated, such as name:desc.",
    "search": "Part of the name or description.",
    "total_items": "How many there are in all.",
    "total_pages": "How many pages there are.",
    "next_page": "The number of the next page; null on the last one.",
    "prev_page": "The number of the page before; null on the first one.",
    "per_page": "How many items a page holds at most.",
    "has_next": "Whether another page follows.",
    "has_prev": "Whether a page stands before.",
    "results": "What was found, in the order that was asked for.",
    "definitions": "All there are.",
    "pagination": "Where this window stands in the list.",
    "data": "What it carries.",
    "model_version": "The authorization model that decided.",
    "chain": "The relations that lead from the user to the permission.",
    "grants": "The grants that would give the permission.",
    "content_type": "The media type.",
    "content": "What it holds.",
    "columns": "The names of the columns.",
    "rows": "The rows, each with a value for every column.",
    "file_uri": "The URI of a file that was uploaded before, whose bytes are taken.",
    "text": "The text, cut where `truncated` says so.",
    "width": "In pixels; null when it is not known.",
    "height": "In pixels; null when it is not known.",
    "key": "The key that the bytes are stored under, unique in the project.",
    "verified": "Whether the credentials were accepted.",
    "meta_data": "Whatever its owners keep with it.",
    "schedule_id": "The schedule.",
    "statement_id": "The statement that tells of lineage.",
    "schedule_name": "What people call the schedule.",
    "scheduled_for": "The moment that it was due, in UTC.",
    "reference_id": "What it acts on, for instance a workflow configuration.",
    "domain": "The part of the business that it belongs to.",
    "priority": "How much it matters; normal unless somebody says otherwise.",
    "sensitivity": "How carefully it is to be handled.",
    "content_url": "Where its content can be read in full.",
    "document_url": "The document that it comes from.",
    "conversation_id": "The conversation that it comes from.",
    "actor": "Who it comes from.",
    "expected_version": "The version that was read; if it has changed since, the answer is VERSION_CONFLICT.",
    "task_id": "The task that answers the turn.",
    "turn_id": "The turn.",
    "message_id": "The message.",
    "generated_artifacts": "The URIs of the artifacts that were made for it.",
    "context": "What the question is about.",
    "turn_count": "How many turns there are.",
    "message_count": "How many messages there are.",
    "artifact_count": "How many artifacts were made.",
    "final": "Whether it is the last one.",
    "agent": "Which part of the engine it comes from.",
    "artifact_type": "What kind of artifact it is.",
    "artifact_title": "The title of the artifact.",
    "artifact_description": "What the artifact shows.",
    "comment": "What the user says about it.",
    "purpose": "What it is good for.",
    "definition": {str: "What the term means."},
    "synonyms": "Other words for it.",
    "related_terms": "The ids of terms that have to do with it.",
    "parent_term_id": "The term that it stands below; null at the top.",
    "term_id": "The glossary term.",
    "reviewed_at": "When it was reviewed, in UTC; null while it was not.",
    "reviewed_by": "The id of the user who reviewed it.",
    "review_notes": "What the reviewer said.",
    "notes": "What the person who decided said.",
    "dimension_id": "The dimension.",
    "metric_definition_id": "The metric.",
    "violation_id": "The violation.",
    "asset_id": "The asset of the catalog.",
    "workflow_run_id": "The workflow run that it comes from.",
    "dq_rule_execution_id": "The execution of the rule that found it.",
    "measured_at": "When it was measured, in UTC.",
    "numerator": "How many are as they should be.",
    "denominator": "How many were looked at.",
    "unit": "What is counted.",
    "field": "The field that is meant.",
    "as_of": "The moment to look back to, in UTC; null for now.",
    "fqn": "The dotted name.",
    "service": "The first part of the dotted name: the connection.",
    "database": "The database part of the dotted name.",
    "schema": "The schema part of the dotted name.",
    "table": "The table part of the dotted name.",
    "column": "The column part of the dotted name.",
    "resolved_by": "The id of the user who resolved it.",
    "resolved_at": "When it was resolved, in UTC; null while it is not.",
    "resolution_notes": "How it was resolved.",
    "last_seen_at": "When it was found last, in UTC.",
    "applicable_asset_types": "The types of assets that it applies to.",
    "is_active": "Whether it is looked for.",
    "default_severity": "How much it matters unless somebody says otherwise.",
    "at": "When it happened, in UTC.",
    "include_children": "Whether to answer with the direct children too, 500 at most.",
}
"""What a name means wherever it stands, unless a field says something else: by the kind of value where that decides.

What is behind "; null" is told where null can stand.
"""

_OF_NULL: Final = re.compile(r"; null [^.]*")


def describe(cls: type[BaseModel]) -> None:
    """Give each field of a resource or input that has no description the one that its type or name implies."""
    for name, field in cls.model_fields.items():
        if field.description is None:
            field.description = described(name, field.annotation, field.metadata)


def described(name: str, *annotations: Any) -> str | None:
    """Return what a field or argument is, by its type or name."""
    parts = [part for annotation in annotations for part in _parts(annotation)]
    return _told(parts) or common(name, *annotations) or next(filter(None, map(_first_sentence, parts)), None)


def described_argument(name: str, annotation: Any) -> str | None:
    """Return what an argument is: a body is what its class is, whatever it is called."""
    parts = list(_parts(annotation))
    bodies = [part for part in parts if isinstance(part, type) and issubclass(part, BaseModel)]
    return _told(parts) or next(filter(None, map(_first_sentence, bodies)), None) or described(name, annotation)


def common(name: str, *annotations: Any) -> str | None:
    """The common meaning of a name, for a value of a type."""
    meaning = COMMON.get(name)
    if isinstance(meaning, Mapping):
        kinds = [part for annotation in annotations for part in _parts(annotation)]
        meaning = next((text for kind, text in meaning.items() if kind in kinds), None)
    if meaning is None or any(map(takes_null, annotations)):
        return meaning
    return _OF_NULL.sub("", meaning)


def takes_null(annotation: Any) -> bool:
    """Return whether null can stand where something has a type; a value that may be left out is another matter."""
    origin = get_origin(annotation)
    if origin is Annotated:
        return takes_null(get_args(annotation)[0])
    if origin in (Union, types.UnionType) or getattr(origin, "__name__", "") == "Maybe":
        return any(map(takes_null, get_args(annotation)))
    return annotation is None or annotation is types.NoneType


def _told(parts: Iterable[Any]) -> str | None:
    return next((part.description for part in parts if isinstance(part, FieldInfo) and part.description), None)


def own_doc(cls: type[Any]) -> str | None:
    """The docstring of a class itself, not of its base."""
    own = cls.__dict__.get("__doc__")
    return inspect.cleandoc(own) if own else None


def texts_below(cls: type[Any]) -> dict[str, str]:
    """The docstrings below the assignments of a class, by name; none where the source is not there."""
    try:
        body = ast.parse(textwrap.dedent(inspect.getsource(cls))).body[0]
    except (OSError, TypeError, SyntaxError):
        return {}
    assert isinstance(body, ast.ClassDef)
    found = {}
    for before, after in zip(body.body, body.body[1:], strict=False):
        is_text = isinstance(after, ast.Expr) and isinstance(after.value, ast.Constant)
        if isinstance(before, ast.Assign) and isinstance(before.targets[0], ast.Name) and is_text:
            found[before.targets[0].id] = inspect.cleandoc(str(after.value.value))  # type: ignore[attr-defined]
    return found


def _parts(annotation: Any) -> Iterator[Any]:
    """An annotation and everything in it: union members, items, metadata."""
    yield annotation
    inner = annotation if isinstance(annotation, list | tuple) else get_args(annotation)
    for part in inner:
        yield from _parts(part)


def _first_sentence(part: Any) -> str | None:
    if not (isinstance(part, type) and issubclass(part, BaseModel | Enum)):
        return None
    own = own_doc(part)
    return own.split("\n\n")[0].replace("\n", " ") if own else None
