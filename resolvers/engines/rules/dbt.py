"""dbt's four generic tests as rules, and back: not_null, unique, accepted_values, relationships.

Read are the properties files of models, sources, seeds and snapshots, with `tests` or `data_tests`. Written is one
file of sources, since the tables stand in a database and not in a dbt project.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

from resolvers.engines.documents import (
    LONGEST_TEXT,
    NotUnderstood,
    Tables,
    UnreadableDocument,
    column_fqn,
    dump,
    load,
    mappings,
    text_of,
    texts_of,
)
from resolvers.engines.rules.draft import RuleDraft, measured_by, rule_name
from resolvers.engines.rules.exchange import Exported, Imported, by_table, plain
from schema.data_readiness.rule import Expectation, RuleOperator, RuleType, RuleUnit
from schema.data_readiness.source import TableFacts
from schema.data_readiness.violation import Severity
from schema.identifiers import Fqn
from schema.naming import as_name

METRICS: Final = {
    "not_null": "nullValues",
    "unique": "duplicateValues",
    "accepted_values": "invalidValues",
    "relationships": "brokenReferences",
}
_SEVERITIES: Final = {"error": Severity.HIGH, "warn": Severity.MEDIUM}
_SECTIONS: Final = ("models", "seeds", "snapshots")
_HARMLESS: Final = frozenset(
    {"store_failures", "store_failures_as", "tags", "meta", "limit", "alias", "schema", "database"}
)
"""What says nothing about which data are right."""

_REF: Final = re.compile(r"""\s*(?:\{\{)?\s*ref\(\s*(?:['"][^'"]*['"]\s*,\s*)?['"]([^'"]+)['"][^)]*\)\s*(?:\}\})?\s*""")
_SOURCE: Final = re.compile(
    r"""\s*(?:\{\{)?\s*source\(\s*['"]([^'"]+)['"]\s*,\s*['"]([^'"]+)['"]\s*\)\s*(?:\}\})?\s*"""
)
_MORE_THAN: Final = re.compile(r"\s*>\s*(\d{1,15})\s*")


def read_dbt(text: str, tables: Sequence[TableFacts]) -> Imported:
    """The rules of a properties file about tables that are known. Raises UnreadableDocument."""
    document = load(text)
    if not any(isinstance(document.get(name), list) for name in (*_SECTIONS, "sources")):
        raise UnreadableDocument(
            "The file is no dbt properties file: it has neither models nor sources, seeds or snapshots."
        )
    found = Imported()
    reader = _Reader(found, Tables(tables), _sources(document))
    for where, name, schema, table in _tables(document):
        facts = reader.tables.find(name, schema)
        if not isinstance(facts, str):
            reader.table(facts, table, where)
        elif _has_tests(table):
            found.miss(where, facts)
    return found


def _sources(document: Mapping[str, Any]) -> dict[tuple[str, str], tuple[str, str | None]]:
    """The table and schema that each source of the file stands for."""
    found: dict[tuple[str, str], tuple[str, str | None]] = {}
    for source in mappings(document.get("sources")):
        name = text_of(source.get("name")) or ""
        for table in mappings(source.get("tables")):
            label = text_of(table.get("name")) or ""
            found[(name, label)] = (
                text_of(table.get("identifier")) or label,
                text_of(source.get("schema")) or name or None,
            )
    return found


def _tables(document: Mapping[str, Any]) -> Iterator[tuple[str, str, str | None, Mapping[str, Any]]]:
    """Yield where each table of the file stands, its name and schema, and what is said of it."""
    for section in _SECTIONS:
        for at, model in enumerate(mappings(document.get(section))):
            yield f"{section}[{at}]", text_of(model.get("alias")) or text_of(model.get("name")) or "", None, model
    for at, source in enumerate(mappings(document.get("sources"))):
        schema = text_of(source.get("schema")) or text_of(source.get("name"))
        for number, table in enumerate(mappings(source.get("tables"))):
            name = text_of(table.get("identifier")) or text_of(table.get("name")) or ""
            yield f"sources[{at}].tables[{number}]", name, schema, table


def _tests(item: Mapping[str, Any]) -> list[Any]:
    return [one for name in ("tests", "data_tests") for one in (item[name] if isinstance(item.get(name), list) else [])]


def _has_tests(table: Mapping[str, Any]) -> bool:
    return bool(_tests(table)) or any(_tests(column) for column in mappings(table.get("columns")))


class _Missed(Exception):
    """Describes why a test became no rule."""


class _Reader:
    def __init__(
        self, found: Imported, tables: Tables, sources: Mapping[tuple[str, str], tuple[str, str | None]]
    ) -> None:
        self.found, self.tables, self.sources = found, tables, sources

    def table(self, facts: TableFacts, table: Mapping[str, Any], where: str) -> None:
        """Read the tests of a table and of its columns."""
        for at, test in enumerate(_tests(table)):
            self.one(facts, None, test, f"{where}.tests[{at}]")
        for at, column in enumerate(mappings(table.get("columns"))):
            name = text_of(column.get("name")) or ""
            tests = _tests(column)
            place = column_fqn(facts, name)
            if place is None:
                if tests:
                    self.found.miss(f"{where}.columns[{at}]", f"The table {facts.name!r} has no column {name!r}.")
                continue
            for number, test in enumerate(tests):
                self.one(facts, place, test, f"{where}.columns[{at}].tests[{number}]")

    def one(self, facts: TableFacts, place: tuple[str, str] | None, test: Any, where: str) -> None:
        """Read one test."""
        try:
            name, told = _named(test)
            self.found.add(self.draft(facts, place, name, told, where), where)
        except _Missed as missed:
            self.found.miss(where, str(missed))

    def draft(
        self, facts: TableFacts, place: tuple[str, str] | None, test: str, told: dict[str, Any], where: str
    ) -> RuleDraft:
        """The rule that a test is."""
        metric = METRICS.get(test)
        if metric is None:
            raise _Missed(f"The test {test[:100]!r} is none of {', '.join(METRICS)}.")
        given = told.pop("arguments", None)
        told |= given if isinstance(given, dict) else {}
        if place is None:
            # A generic test of a table says in `column_name` what it is about.
            place = column_fqn(facts, text_of(told.pop("column_name", None)) or "")
            if place is None:
                raise _Missed(f"{test} is said of a column.")
        config = told.pop("config", None)
        settings = {**(config if isinstance(config, dict) else {})}
        for name in ("severity", "where", "error_if", "warn_if", "enabled", *_HARMLESS):
            if name in told:
                settings.setdefault(name, told.pop(name))
        severity, most = self.settings(settings, where)
        called = text_of(told.pop("name", None))
        description = text_of(told.pop("description", None))
        arguments, asset = self.arguments(facts, place, test, told)
        if told:
            self.found.miss(where, f"{', '.join(sorted(map(str, told)))[:200]} is not kept.")
        dimension, definition = measured_by(metric)
        return RuleDraft(
            name=as_name(called or rule_name(place[1], test), "rule"),
            description=None if description is None else description[:LONGEST_TEXT],
            asset_fqn=asset,
            resource_uri=facts.resource_uri,
            type=RuleType.CUSTOM if metric == "brokenReferences" else RuleType.LIBRARY,
            metric=metric,
            operator=RuleOperator.MUST_BE_LESS_OR_EQUAL_TO if most else RuleOperator.MUST_BE,
            threshold=(float(most),),
            unit=RuleUnit.ROWS,
            dimension_id=dimension,
            metric_definition_id=definition,
            severity=severity,
            arguments=arguments,
            evidence={"source": "dbt", "test": test},
        )

    def settings(self, settings: dict[str, Any], where: str) -> tuple[Severity, int]:
        """The severity and how many rows may fail. Raises _Missed for what makes it another rule."""
        if settings.pop("enabled", True) in (False, "false"):
            raise _Missed("It is switched off.")
        if text_of(settings.pop("where", None)) is not None:
            raise _Missed("It is about some of the rows (where), and rules are about all of them.")
        severity = _SEVERITIES.get((text_of(settings.pop("severity", None)) or "error").lower(), Severity.HIGH)
        most = 0
        error_if, warn_if = text_of(settings.pop("error_if", None)), text_of(settings.pop("warn_if", None))
        bound = error_if if severity is Severity.HIGH else warn_if
        if bound is not None and bound.replace(" ", "") != "!=0":
            more = _MORE_THAN.fullmatch(bound)
            if more is None:
                raise _Missed(f"The threshold {bound[:50]!r} is none of the form >10.")
            most = int(more[1])
        lost = sorted(str(name) for name in settings if name not in _HARMLESS)
        if lost:
            self.found.miss(where, f"{', '.join(lost)[:200]} is not kept.")
        return severity, most

    def arguments(
        self, facts: TableFacts, place: tuple[str, str], test: str, told: dict[str, Any]
    ) -> tuple[dict[str, Any], str]:
        """The arguments of the rule, and the asset that it is about."""
        if test == "unique":
            return {"properties": [place[1]]}, place[0]
        if test == "accepted_values":
            values = texts_of(told.pop("values", None))
            told.pop("quote", None)
            if values is None:
                raise _Missed("accepted_values names its `values`.")
            return {"validValues": values}, place[0]
        if test == "relationships":
            target = self.target(text_of(told.pop("to", None)) or "")
            column = column_fqn(target, text_of(told.pop("field", None)) or "")
            if column is None:
                raise _Missed(f"The table {target.name!r} has no such column as `field` names.")
            return {"columns": [place[1]], "targetFqn": target.fqn, "targetColumns": [column[1]]}, facts.fqn
        return {}, place[0]

    def target(self, to: str) -> TableFacts:
        """The table that `to` names."""
        if (source := _SOURCE.fullmatch(to)) is not None:
            found = self.tables.find(*self.sources.get((source[1], source[2]), (source[2], source[1])))
        elif (reference := _REF.fullmatch(to)) is not None:
            found = self.tables.find(reference[1])
        else:
            raise _Missed("relationships names its table in `to` with ref('...') or source('...', '...').")
        if isinstance(found, str):
            raise _Missed(found)
        return found


def _named(test: Any) -> tuple[str, dict[str, Any]]:
    if isinstance(test, str):
        return test, {}
    if not isinstance(test, dict) or not test:
        raise _Missed("It is no test.")
    if isinstance(test.get("test_name"), str):
        return test["test_name"], {name: value for name, value in test.items() if name != "test_name"}
    names = [name for name in test if name in METRICS] or [
        name for name in test if name not in ("name", "config", "description", "severity")
    ]
    if len(names) != 1 or not isinstance(names[0], str):
        raise _Missed("It is not one test.")
    told = test[names[0]]
    if told is not None and not isinstance(told, dict):
        raise _Missed("What it takes is no mapping.")
    return names[0], {**{name: value for name, value in test.items() if name != names[0]}, **(told or {})}


def write_dbt(rules: Iterable[Expectation]) -> Exported:
    """A properties file of sources with the rules that are one of the four tests; the others are told."""
    done = Exported("")
    sources: dict[tuple[str, str], dict[str, dict[str, list[Any]]]] = {}
    for fqn, columns in by_table(rules).items():
        _, database, schema, table = Fqn.parse(fqn).parts
        for column, some in columns.items():
            for rule in some:
                written = _test_of(rule, column)
                if isinstance(written, str):
                    done.left_out.append(NotUnderstood(rule.name, written))
                    continue
                name, test = written
                of_table = sources.setdefault((database, schema), {}).setdefault(table, {})
                of_table.setdefault(name, []).append(test)
    document = {
        "version": 2,
        "sources": [
            {
                "name": schema,
                "database": database,
                "schema": schema,
                "tables": [
                    {
                        "name": table,
                        "columns": [{"name": column, "data_tests": tests} for column, tests in columns.items()],
                    }
                    for table, columns in tables.items()
                ],
            }
            for (database, schema), tables in sources.items()
        ],
    }
    done.text = dump(document)
    return done


def _test_of(rule: Expectation, column: str | None) -> tuple[str, Any] | str:
    """The column and the test that a rule is, or why it is none."""
    test = next((name for name, metric in METRICS.items() if metric == rule.metric), None)
    if test is None:
        return "dbt has no generic test for it."
    if (uncounted := _uncounted(rule)) is not None:
        return uncounted
    arguments: dict[str, Any] = {}
    if test == "unique":
        properties = rule.arguments.get("properties") or ([column] if column is not None else [])
        if len(properties) != 1:
            return "dbt's unique is about one column."
        column = properties[0]
    elif test == "accepted_values":
        if set(rule.arguments) != {"validValues"}:
            return "dbt has no generic test for patterns, formats and ranges."
        arguments = {"values": list(rule.arguments["validValues"])}
    elif test == "relationships":
        names, targets = rule.arguments.get("columns") or [], rule.arguments.get("targetColumns") or []
        if len(names) != 1 or len(targets) != 1:
            return "dbt's relationships is about one column."
        _, _, schema, table = Fqn.parse(str(rule.arguments["targetFqn"])).parts
        arguments = {"to": f"source('{schema}', '{table}')", "field": targets[0]}
        column = names[0]
    if column is None:
        return "dbt's generic tests are about columns."
    return column, {test: _body_of(rule, arguments)}


def _uncounted(rule: Expectation) -> str | None:
    """Return why a test cannot count as the rule does; None where it can."""
    if rule.unit is not RuleUnit.ROWS:
        return "dbt's tests count rows, and no percentages."
    strict = rule.operator is RuleOperator.MUST_BE and rule.threshold[0] == 0
    if not strict and rule.operator is not RuleOperator.MUST_BE_LESS_OR_EQUAL_TO:
        return f"dbt's tests have no threshold of the kind {rule.operator.value}."
    if rule.threshold[0] != int(rule.threshold[0]) or rule.threshold[0] < 0:
        return "dbt's tests count whole rows."
    return None


def _body_of(rule: Expectation, arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Return what stands under the name of a test: how grave it is, from how many rows on, and its arguments."""
    config: dict[str, Any] = {"severity": "error" if rule.severity in (Severity.HIGH, Severity.CRITICAL) else "warn"}
    most = plain(rule.threshold[0])
    if most:
        config["error_if" if config["severity"] == "error" else "warn_if"] = f">{most}"
    body: dict[str, Any] = {"name": rule.name}
    if rule.description:
        body["description"] = rule.description
    if arguments:
        body["arguments"] = arguments
    return body | {"config": config}
