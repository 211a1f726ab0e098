"""The checks of a table that nobody wrote rules for: what declarations, the profile and the values themselves expect.

They measure completeness of every column, uniqueness of keys, the form of texts that nearly all have one form, and
references. Where a rule says more about the same metric of the same asset, the rule counts. Only what is expected of
the data without doubt becomes a violation: a key that repeats, a reference without a target, a value of another form.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final
from uuid import NAMESPACE_URL, uuid5

from resolvers.engines.checks.impossible import impossible
from resolvers.engines.checks.model import Check
from resolvers.engines.checks.predicates import FORMATS, TEXTS, type_of
from resolvers.engines.profiling.key_names import is_meant_as_key, sparse_keys
from schema.data_readiness.profile import TableProfile
from schema.data_readiness.quality_builtin import METRICS
from schema.data_readiness.rule import RuleOperator, RuleUnit
from schema.data_readiness.source import Sample, TableFacts
from schema.identifiers import Fqn

NEARLY_ALL: Final = 0.95
"""The share of values that must have a form, of keys that must be unique, and of references that must have a target."""

FEWEST: Final = 20
"""Values that a form is concluded from."""

MOST_KEYS: Final = 5
_METRIC: Final = {metric.name: metric.id for metric in METRICS}
_FORMS: Final = {name: re.compile(pattern) for name, pattern in FORMATS.items() if not name.endswith("-year")}
"""The forms that values can be seen to have; which of day and month comes first takes more than a look."""


@dataclass(frozen=True, slots=True)
class Builtin:
    """A check that nobody wrote, and whether breaking it is a violation."""

    check: Check
    finds: bool
    why: str
    is_guess: bool = False
    """Whether it rests on what values look like, on nothing that anybody declared: its breach is no grave thing."""


def builtin_checks(
    table: TableFacts, profile: TableProfile | None, sample: Sample | None, *, fresh_within: float | None = None
) -> list[Builtin]:
    """The checks of a table, each with a key that stays from run to run."""
    found = [*_completeness(table), *_keys(table, profile), *_references(table, profile), *_forms(table, sample)]
    found += _impossible(table, sample)
    column = profile.freshness_column if profile is not None else None
    if fresh_within is not None and column is not None and column in {one.name for one in table.columns}:
        told = {"column": column, "maxAgeSeconds": fresh_within}
        found.append(_made(table.fqn, "staleData", "fresh_data", told, True, "The run asks for data as fresh as this."))
    return list({one.check.key: one for one in found}.values())


def uncovered(builtins: Sequence[Builtin], rules: Sequence[Check]) -> list[Builtin]:
    """The built-in checks that no rule makes: the same metric of the same columns is neither counted nor told twice.

    A rule may be about a table and name columns where the built-in check is about the column itself. What is impossible
    stays whatever a rule says of the column: it may have learned to allow it.
    """
    said = {_about(rule) for rule in rules}
    return [one for one in builtins if not one.check.is_fallback or _about(one.check) not in said]


def _about(check: Check) -> tuple[str | None, str, frozenset[str]]:
    """The metric, the table and the columns that a check is about."""
    parts = Fqn.parse(check.asset_fqn).parts
    named = check.arguments.get("columns") or check.arguments.get("properties") or parts[4:5]
    return check.metric, str(Fqn.of(*parts[:4])), frozenset(map(str, named))


def _completeness(table: TableFacts) -> Iterator[Builtin]:
    for column in table.columns:
        yield _made(column.fqn, "nullValues", "non_null_values", {}, False, "Every column is measured.")
        if type_of(column) in TEXTS:
            yield _made(column.fqn, "missingValues", "non_missing_values", {}, False, "Every text is measured.")


def _keys(table: TableFacts, profile: TableProfile | None) -> Iterator[Builtin]:
    """Declared keys, what the profile found to be one but for a few rows, and what is one of the rows that have it."""
    names = {column.name for column in table.columns}
    profiles = {column.name: column for column in profile.columns} if profile is not None else {}
    keys: dict[tuple[str, ...], str] = {}
    declared = set(table.key_sets)
    for columns in table.key_sets:
        keys[columns] = "The source declares the key."
    for candidate in profile.candidate_keys if profile is not None else ():
        if candidate.uniqueness < NEARLY_ALL or len(keys) >= MOST_KEYS or len(candidate.columns) != 1:
            continue
        if is_meant_as_key(candidate, profiles.get(candidate.columns[0])):
            keys.setdefault(tuple(candidate.columns), "The profile found that it is nearly always unique.")
    for candidate in sparse_keys(profile) if profile is not None else ():
        if len(keys) < MOST_KEYS:
            keys.setdefault(
                tuple(candidate.columns), "The profile found that nearly all values differ where there is one."
            )
    for columns, why in keys.items():
        if columns and names.issuperset(columns):
            about = _column(table, columns[0]) if len(columns) == 1 else table.fqn
            yield _made(
                about,
                "duplicateValues",
                "unique_values",
                {"properties": list(columns)},
                True,
                why,
                columns not in declared,
            )


def _references(table: TableFacts, profile: TableProfile | None) -> Iterator[Builtin]:
    """Declared foreign keys, and what the profile found to refer to another table's key nearly always."""
    names = {column.name for column in table.columns}
    seen: set[tuple[str, ...]] = set()
    for known in table.references:
        told = {
            "columns": list(known.columns),
            "targetFqn": known.target_fqn,
            "targetColumns": list(known.target_columns),
        }
        seen.add(known.columns)
        about = _column(table, known.columns[0]) if len(known.columns) == 1 else table.fqn
        why, is_guess = "The catalog records the reference.", not known.is_declared
        yield _made(about, "brokenReferences", "valid_references", told, True, why, is_guess)
    for one in profile.foreign_keys if profile is not None else ():
        if one.match_rate >= NEARLY_ALL and tuple(one.columns) not in seen and names.issuperset(one.columns):
            seen.add(tuple(one.columns))
            told = {
                "columns": list(one.columns),
                "targetFqn": one.target_fqn,
                "targetColumns": list(one.target_columns),
            }
            about = _column(table, one.columns[0]) if len(one.columns) == 1 else table.fqn
            why = "The profile found that nearly all values have a target."
            yield _made(about, "brokenReferences", "valid_references", told, True, why, not one.is_declared)


def _forms(table: TableFacts, sample: Sample | None) -> Iterator[Builtin]:
    """Texts that nearly all have one form, such as dates or numbers."""
    for column in table.columns:
        if sample is None or type_of(column) not in TEXTS or column.name not in sample.columns:
            continue
        at = sample.columns.index(column.name)
        values = [row[at] for row in sample.rows if isinstance(row[at], str) and row[at].strip()]
        name = _form_of(values)
        if name is not None:
            why = f"Nearly all values are written as {name}."
            yield _made(column.fqn, "invalidValues", "valid_values", {"format": name}, True, why, True)


def _impossible(table: TableFacts, sample: Sample | None) -> Iterator[Builtin]:
    """Return what no value can be, however few there are."""
    for column in table.columns:
        for told, why in impossible(column, sample):
            made = _made(column.fqn, "invalidValues", "valid_values", told, True, why, True)
            yield replace(made, check=replace(made.check, is_fallback=False))


def _form_of(values: Sequence[str]) -> str | None:
    if len(values) < FEWEST:
        return None
    for name, form in _FORMS.items():
        if sum(1 for value in values if form.search(value)) >= NEARLY_ALL * len(values):
            return name
    return None


def _column(table: TableFacts, name: str) -> str:
    return str(Fqn.of(*Fqn.parse(table.fqn).parts, name))


def _made(
    asset_fqn: str,
    metric: str,
    counts_in: str,
    arguments: dict[str, Any],
    finds: bool,
    why: str,
    is_guess: bool = False,
) -> Builtin:
    apart = repr(sorted(arguments.items())) if metric != "staleData" else str(arguments.get("column"))
    key = uuid5(NAMESPACE_URL, f"stoa:builtin:{asset_fqn}:{metric}:{apart}")
    check = Check(
        key=f"builtin:{key}",
        metric=metric,
        asset_fqn=asset_fqn,
        counts_in=_METRIC[counts_in],
        arguments=arguments,
        operator=RuleOperator.MUST_BE,
        threshold=(0.0,),
        unit=RuleUnit.ROWS,
        is_fallback=True,
    )
    return Builtin(check, finds, why, is_guess)
