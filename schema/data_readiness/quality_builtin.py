"""The dimensions, metrics and kinds of violation that stand in every project. Their ids never change."""

from typing import Final
from uuid import NAMESPACE_URL, uuid5

from schema.data_readiness.quality import AssessmentType, Dimension, MetricDefinition
from schema.data_readiness.violation import Severity, ViolationDefinition

DATA, METADATA = AssessmentType.DATA_QUALITY, AssessmentType.METADATA


def _id(kind: str, fqn: str) -> str:
    return str(uuid5(NAMESPACE_URL, f"stoa:{kind}:{fqn}"))


def _dimension(type_: AssessmentType, name: str, label: str, purpose: str, description: str) -> Dimension:
    fqn = f"{type_}.{name}"
    return Dimension(
        id=_id("dimension", fqn),
        name=name,
        fqn=fqn,
        assessment_type=type_,
        display_name=label,
        purpose=purpose,
        description=description,
        weight="1.0000",
        is_built_in=True,
    )


DIMENSIONS: Final = (
    _dimension(DATA, "completeness", "Completeness", "Is everything there?", "The share of values that are present."),
    _dimension(DATA, "uniqueness", "Uniqueness", "Is each thing there once?", "The share of keys that occur once."),
    _dimension(DATA, "validity", "Validity", "Does it look as it should?", "The share of values in the right form."),
    _dimension(
        DATA, "consistency", "Consistency", "Do the data agree?", "The share of rows whose values and references agree."
    ),
    _dimension(DATA, "timeliness", "Timeliness", "Is it recent enough?", "The share of data as fresh as expected."),
    _dimension(DATA, "accuracy", "Accuracy", "Can it be true?", "The share of values that are plausible."),
    _dimension(
        METADATA, "description", "Description", "Is it explained?", "The share of assets that have a description."
    ),
    _dimension(
        METADATA, "ownership", "Ownership", "Does somebody answer for it?", "The share of assets that have an owner."
    ),
    _dimension(METADATA, "tagging", "Tagging", "Is it classified?", "The share of assets that have a tag."),
    _dimension(
        METADATA,
        "glossary_coverage",
        "Glossary coverage",
        "Is it tied to the business's words?",
        "The share of assets that are linked to a glossary term.",
    ),
)
_BY_NAME: Final = {dimension.name: dimension for dimension in DIMENSIONS}


def _metric(dimension: str, name: str, label: str, unit: str, description: str) -> MetricDefinition:
    of = _BY_NAME[dimension]
    fqn = f"{of.fqn}.{name}"
    return MetricDefinition(
        id=_id("metric", fqn),
        dimension_id=of.id,
        name=name,
        fqn=fqn,
        display_name=label,
        unit=unit,
        purpose=of.purpose,
        description=description,
        is_built_in=True,
    )


METRICS: Final = (
    _metric("completeness", "non_null_values", "Values that are not null", "values", "Values that are not null."),
    _metric(
        "completeness",
        "non_missing_values",
        "Values that are not missing",
        "values",
        "Values that are neither null, blank, nor a stand-in for a missing value.",
    ),
    _metric("uniqueness", "unique_values", "Unique values", "values", "Values of a key that occur once."),
    _metric("validity", "valid_values", "Valid values", "values", "Values of the right form, range and value set."),
    _metric("consistency", "valid_references", "Valid references", "values", "References whose target exists."),
    _metric("consistency", "consistent_rows", "Consistent rows", "rows", "Rows whose values agree with one another."),
    _metric("timeliness", "fresh_data", "Fresh data", "tables", "Tables as fresh as is expected of them."),
    _metric("accuracy", "plausible_values", "Plausible values", "values", "Values that are no outlier and no error."),
    _metric("description", "described_assets", "Described assets", "assets", "Assets that have a description."),
    _metric("ownership", "owned_assets", "Owned assets", "assets", "Assets that have an owner."),
    _metric("tagging", "tagged_assets", "Tagged assets", "assets", "Assets that have a tag."),
    _metric("glossary_coverage", "linked_assets", "Linked assets", "assets", "Assets linked to a glossary term."),
)


def _violation(
    dimension: str, name: str, severity: Severity, label: str, description: str, *types: str
) -> ViolationDefinition:
    of = _BY_NAME[dimension]
    fqn = f"{of.fqn}.{name}"
    return ViolationDefinition(
        id=_id("violation", fqn),
        name=name,
        fqn=fqn,
        dimension=of.reference(),
        default_severity=severity,
        is_active=True,
        display_name=label,
        description=description,
        applicable_asset_types=list(types),
        is_built_in=True,
    )


_ALL: Final = ("database", "database_schema", "table", "column")
_LOW, _MEDIUM, _HIGH = Severity.LOW, Severity.MEDIUM, Severity.HIGH
VIOLATIONS: Final = (
    _violation("completeness", "null_values", _MEDIUM, "Null values", "Nulls where values are expected.", "column"),
    _violation("completeness", "missing_values", _MEDIUM, "Missing values", "Blanks and stand-ins.", "column"),
    _violation("completeness", "missing_rows", _HIGH, "Missing rows", "Fewer rows than expected.", "table"),
    _violation(
        "uniqueness", "duplicate_values", _HIGH, "Duplicate values", "A key that occurs twice.", "table", "column"
    ),
    _violation("validity", "invalid_values", _MEDIUM, "Invalid values", "Values of a wrong form or range.", "column"),
    _violation(
        "consistency",
        "broken_references",
        _HIGH,
        "Broken references",
        "References without a target.",
        "table",
        "column",
    ),
    _violation("consistency", "inconsistent_rows", _MEDIUM, "Inconsistent rows", "Values that disagree.", "table"),
    _violation("timeliness", "stale_data", _MEDIUM, "Stale data", "Data older than expected.", "table", "column"),
    _violation("accuracy", "implausible_values", _LOW, "Implausible values", "Outliers and likely errors.", "column"),
    _violation("description", "missing_description", _LOW, "Missing description", "No description.", *_ALL),
    _violation("ownership", "missing_owner", _MEDIUM, "Missing owner", "Nobody answers for it.", *_ALL),
    _violation("tagging", "missing_tags", _LOW, "Missing tags", "No tag.", "table", "column"),
    _violation("glossary_coverage", "missing_glossary_term", _LOW, "Missing glossary term", "No link.", "table"),
)
