"""A workflow definition says what a type of workflow does and what it can be told; the fifteen of them are code."""

from typing import Any, Final

from pydantic import Field

from schema.base import JsonObject, Resource, resource
from schema.data_readiness.profile import ProfileTier
from schema.data_readiness.workflow import WorkflowType, category_of


@resource
class WorkflowDefinition(Resource):
    """What one type of workflow does, what it works on, and what a configuration and a run of it can say."""

    id: str = Field(description="The id that `workflow_definition_id` takes.")
    name: str
    workflow_type: WorkflowType
    category: str = Field(description="ingestion, profiling, classification, data_quality or enrichment.")
    description: str
    data_asset_types: list[str] = Field(description="The types of catalog assets that it works on.")
    default_config: JsonObject = Field(description="The config that a configuration without any stands for.")
    config_schema: JsonObject = Field(description="JSON Schema of a configuration's `config`; it may hold more.")
    parameters_schema: JsonObject = Field(description="JSON Schema of a run's `parameters`; they may hold more.")
    available: bool = Field(description="Whether this version has its engine; without one every run fails and says so.")


_TABLES: Final = ["table"]
_DATA: Final = ["table", "column"]
_EVERYTHING: Final = ["database", "database_schema", "table", "column"]

_PACK: Final[dict[str, Any]] = {
    "context_pack_id": {"type": "string", "description": "The context pack that a run may draw on."}
}
_URI: Final[dict[str, Any]] = {
    "resource_uri": {"type": "string", "description": "The data connection to read, such as data:org:project:shop."}
}
_INCLUDE: Final[dict[str, Any]] = {
    "include": {
        "type": "array",
        "items": {"type": "string", "minLength": 1, "maxLength": 2000},
        "minItems": 1,
        "maxItems": 1000,
        "description": "Dotted names of tables, or of what they are in: nothing else is worked on.",
    }
}
_SAMPLING: Final[dict[str, Any]] = {
    "sampling": {
        "type": "object",
        "properties": {
            "rows": {"type": "integer", "minimum": 1, "maximum": 10_000_000},
            "percent": {"type": "number", "exclusiveMinimum": 0, "maximum": 100},
        },
        "description": "How many rows of each table are looked at: `rows`, or `percent` of all; the fewer of both.",
    }
}
_TIER: Final[dict[str, Any]] = {
    "tier": {
        "type": "string",
        "enum": [tier.value for tier in ProfileTier],
        "default": ProfileTier.SAMPLE.value,
        "description": "How much is read: `statistics` no row, `sample` one scan for the exact basics and a sample "
        "(`sampling`) for the rest, `full` every row.",
    }
}
_AGE: Final[dict[str, Any]] = {
    "max_profile_age_seconds": {
        "type": "number",
        "minimum": 0,
        "maximum": 1_000_000_000,
        "default": 604_800,
        "description": "A profile that is older is measured anew; so is one of the tier `statistics`.",
    }
}
_INDUSTRY: Final[dict[str, Any]] = {
    "industry_info": {"type": "string", "maxLength": 10_000, "description": "What the data is about."}
}
_VALIDATION: Final[dict[str, Any]] = {
    "use_validation": {"type": "boolean", "description": "Whether results are checked before they are proposed."}
}

_MODEL: Final[dict[str, Any]] = {
    "llm_model": {
        "type": "string",
        "maxLength": 500,
        "description": "The language model that writes better words, as `provider/model`; none: words without a model.",
    },
    "provider": {"type": "string", "maxLength": 100, "description": "Its provider, when `llm_model` does not name it."},
    "api_base": {
        "type": "string",
        "maxLength": 1000,
        "description": "The address of its API, when it is not the provider's own. Together with `credentials_secret` "
        "it is used when who wrote both and who starts the run may read the project's secrets, or when the secret "
        "itself names it.",
    },
    "api_version": {"type": "string", "maxLength": 50, "description": "The version of its API; Azure needs it."},
    "credentials_secret": {
        "type": "string",
        "maxLength": 255,
        "description": "The name of the project's secret with its key: the key alone, or JSON as "
        '`{"api_key", "api_base", "provider"}`, which says for whom it is. Else it is used when who wrote this may '
        "read the project's secrets.",
    },
}
_FRESH: Final[dict[str, Any]] = {
    "fresh_within_seconds": {
        "type": "integer",
        "minimum": 1,
        "description": "How old the newest row of a table may be, for tables without a rule that says so.",
    }
}


_TIME: Final[dict[str, Any]] = {
    "timeout_seconds": {
        "type": "integer",
        "minimum": 1,
        "maximum": 86_400,
        "description": "How long each task may work, never longer than the deployment allows.",
    }
}


def _object(*properties: dict[str, Any]) -> dict[str, Any]:
    joined = {name: schema for part in properties for name, schema in part.items()}
    return {"type": "object", "properties": joined, "additionalProperties": True}


_WORDS_VALIDATION: Final[dict[str, Any]] = {
    "use_validation": {
        "type": "boolean",
        "description": "Whether a model's words are taken only as far as the data bears them out, and comments of the "
        "source are kept and added to.",
    }
}

_WORDS: Final = _object(_INCLUDE, _INDUSTRY, _WORDS_VALIDATION, _PACK)
_VALUES: Final = _object(_INCLUDE, _SAMPLING, _VALIDATION, _PACK)
_RULES: Final = _object(_INCLUDE, _SAMPLING, _AGE, _VALIDATION, _PACK)

_TABLE: Final[dict[WorkflowType, tuple[str, str, list[str], dict[str, Any]]]] = {
    WorkflowType.SERVICE_INGESTION: (
        "Service ingestion",
        "Reads the databases, schemas, tables and columns of a data connection into the catalog.",
        _EVERYTHING,
        _object(_INCLUDE),
    ),
    WorkflowType.PROFILING: (
        "Profiling",
        "Measures tables and columns: rows, nulls, distinct values, ranges, distributions, patterns, keys.",
        _DATA,
        _object(_INCLUDE, _SAMPLING, _TIER),
    ),
    WorkflowType.GENERATE_PII_TAGS: (
        "Personal data tags",
        "Proposes tags for columns that hold personal data, each with its evidence.",
        _DATA,
        _VALUES,
    ),
    WorkflowType.GENERATE_SENSITIVITY_TAGS: (
        "Sensitivity tags",
        "Proposes how sensitive tables and columns are, from what they hold.",
        _DATA,
        _VALUES,
    ),
    WorkflowType.GENERATE_DQ_TAGS: (
        "Data quality tags",
        "Proposes which quality dimensions matter for columns.",
        _DATA,
        _RULES,
    ),
    WorkflowType.DQ_TAG_GENERATION: (
        "Data quality tag generation",
        "Proposes quality tags for tables from their profiles.",
        _DATA,
        _RULES,
    ),
    WorkflowType.DQ_RULE_GENERATION: (
        "Data quality rule generation",
        "Proposes quality rules from profiles, keys, patterns, value sets and ranges.",
        _DATA,
        _RULES,
    ),
    WorkflowType.DQ_EXECUTION: (
        "Data quality execution",
        "Executes the approved quality rules and records violations.",
        _DATA,
        _object(_INCLUDE),
    ),
    WorkflowType.DQ_ASSESSMENT: (
        "Data quality assessment",
        "Scores the quality of data from the outcomes of its rules, and of built-in checks where there are none.",
        _EVERYTHING,
        _object(_INCLUDE, _FRESH),
    ),
    WorkflowType.METADATA_ASSESSMENT: (
        "Metadata assessment",
        "Scores how well assets are described, owned, tagged and linked to the glossary.",
        _EVERYTHING,
        _object(_INCLUDE),
    ),
    WorkflowType.GENERATE_TABLE_DESCRIPTION: (
        "Table descriptions",
        "Proposes descriptions and display names for tables, from names, keys, comments, figures and the glossary; a "
        "language model writes better ones when the configuration names it. What people wrote stays.",
        _TABLES,
        _WORDS,
    ),
    WorkflowType.ENRICH_TABLE_COLUMNS: (
        "Column enrichment",
        "Proposes descriptions, display names and business definitions for columns, as table descriptions are made. "
        "No value of personal data stands in them.",
        ["column"],
        _WORDS,
    ),
    WorkflowType.METADATA_ENRICHMENT: (
        "Metadata enrichment",
        "Proposes words for databases, schemas and everything in them, and links to the glossary.",
        _EVERYTHING,
        _WORDS,
    ),
    WorkflowType.INTELLIGENCE: (
        "Intelligence",
        "Proposes relationships between tables that nobody declared, and insights about tables, with their figures.",
        _DATA,
        _WORDS,
    ),
    WorkflowType.RUN_ALL_ENRICHMENT: (
        "Run all enrichment",
        "A pipeline over a service, database or schema: tags for every table, enrichment for every schema.",
        _EVERYTHING,
        _object(_INCLUDE, _SAMPLING, _INDUSTRY, _VALIDATION, _PACK),
    ),
}

_WRITING: Final = frozenset(
    {
        WorkflowType.DQ_EXECUTION,
        WorkflowType.DQ_ASSESSMENT,
        WorkflowType.METADATA_ASSESSMENT,
        WorkflowType.GENERATE_TABLE_DESCRIPTION,
        WorkflowType.ENRICH_TABLE_COLUMNS,
        WorkflowType.METADATA_ENRICHMENT,
        WorkflowType.RUN_ALL_ENRICHMENT,
    }
)
"""The types that a language model can write words for."""

AVAILABLE: Final = frozenset(WorkflowType)
"""The types whose engine is part of this version."""

DEFINITIONS: Final[dict[str, WorkflowDefinition]] = {
    kind.value: WorkflowDefinition(
        id=kind.value,
        name=name,
        workflow_type=kind,
        category=category_of(kind),
        description=description,
        data_asset_types=assets,
        default_config={},
        config_schema=_object(
            _URI if kind is WorkflowType.SERVICE_INGESTION else _PACK, _MODEL if kind in _WRITING else {}
        ),
        parameters_schema={**parameters, "properties": {**parameters["properties"], **_TIME}},
        available=kind in AVAILABLE,
    )
    for kind, (name, description, assets, parameters) in _TABLE.items()
}
"""Every definition by its id, in the order in which work on a new source usually goes."""
