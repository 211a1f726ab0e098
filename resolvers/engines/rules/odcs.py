"""Rules as the `quality` sections of the Open Data Contract Standard, version 3.1, and back.

Library metrics and SQL are written in the standard's own words. What it has no metric for is of type `custom` with the
engine `stoa`; a reader that does not know the engine passes it over, as the standard asks.
"""

from collections.abc import Iterable, Mapping, Sequence
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
    value_text,
)
from resolvers.engines.error_detection.formula_arguments import finite, formula_of
from resolvers.engines.rules.draft import RuleDraft, measured_by, rule_name
from resolvers.engines.rules.exchange import Exported, Imported, asset_of_key, by_table, plain
from schema.data_readiness.quality_builtin import DIMENSIONS, METRICS
from schema.data_readiness.rule import CUSTOM_METRICS, LIBRARY_METRICS, Expectation, RuleOperator, RuleType, RuleUnit
from schema.data_readiness.source import TableFacts
from schema.data_readiness.violation import Severity
from schema.identifiers import Fqn
from schema.naming import as_name

VERSION: Final = "v3.1.0"
ENGINE: Final = "stoa"
COUNTED_IN: Final = "stoaMetricDefinition"
LONGEST_QUERY: Final = 20_000

_WORDS: Final = {
    "completeness": "completeness",
    "uniqueness": "uniqueness",
    "validity": "conformity",
    "consistency": "consistency",
    "timeliness": "timeliness",
    "accuracy": "accuracy",
}
"""Our dimensions in the standard's words."""

_SEVERITIES: Final = {
    "info": Severity.LOW,
    "low": Severity.LOW,
    "warning": Severity.MEDIUM,
    "warn": Severity.MEDIUM,
    "medium": Severity.MEDIUM,
    "error": Severity.HIGH,
    "high": Severity.HIGH,
    "critical": Severity.CRITICAL,
}
_FORMER: Final = {
    "nullCheck": "nullValues",
    "duplicateCount": "duplicateValues",
    "duplicates": "duplicateValues",
    "rowCount": "rowCount",
}
"""What version 3.0 called `rule`."""

_ARGUMENTS: Final[dict[str, tuple[str, ...]]] = {
    "rowCount": (),
    "nullValues": (),
    "missingValues": ("missingValues",),
    "invalidValues": ("validValues", "pattern", "minimum", "maximum", "format", "missingValues"),
    "duplicateValues": ("properties",),
    "brokenReferences": ("columns", "targetFqn", "targetColumns"),
    "inconsistentRows": ("determinant", "dependent"),
    "staleData": ("column", "maxAgeSeconds"),
    "outlierValues": ("minimum", "maximum"),
    "nearDuplicates": ("columns", "similarity"),
    "suspectValues": ("columns",),
    "brokenFormulas": (
        "formula", "columns", "result", "factors", "factor", "constant", "rate", "rateScale", "added", "part",
        "tolerance", "relative",
    ),
}  # fmt: skip
"""The arguments of each metric."""

_LISTS: Final = frozenset({"validValues", "missingValues", "properties", "columns", "targetColumns", "determinant"})
_NUMBERS: Final = frozenset({"maxAgeSeconds", "similarity", "factor", "constant", "rateScale", "tolerance", "relative"})
_OF_TABLES: Final = frozenset(
    [
        "rowCount",
        "brokenReferences",
        "inconsistentRows",
        "staleData",
        "nearDuplicates",
        "suspectValues",
        "brokenFormulas",
    ]
)
"""What is said of a table, though a file may say it beside a column."""
_METRIC_IDS: Final = {metric.fqn: metric for metric in METRICS}


def read_odcs(text: str, tables: Sequence[TableFacts]) -> Imported:
    """The rules of a contract about tables that are known. Raises UnreadableDocument."""
    document = load(text)
    if document.get("kind") != "DataContract":
        raise UnreadableDocument("The file is no data contract: its `kind` is not DataContract.")
    version = text_of(document.get("apiVersion")) or ""
    if not version.lstrip("v").startswith("3."):
        raise UnreadableDocument(f"Data contracts of version 3 are read, and this is {version or 'of none'}.")
    found = Imported()
    known = Tables(tables)
    for at, table in enumerate(document.get("schema") or [] if isinstance(document.get("schema"), list) else []):
        where = f"schema[{at}]"
        if not isinstance(table, dict):
            found.miss(where, "It is no mapping.")
            continue
        facts = _table(table, known)
        if isinstance(facts, str):
            found.miss(where, facts)
            continue
        _read_table(found, facts, table, where, known)
    return found


def _table(table: Mapping[str, Any], known: Tables) -> TableFacts | str:
    named = _property(table, "stoaFqn")
    names = [named, text_of(table.get("physicalName")), text_of(table.get("name"))]
    missing = "It has no name."
    for name in names:
        if name is not None:
            found = known.find(name)
            if not isinstance(found, str):
                return found
            missing = found
    return missing


def _property(item: Mapping[str, Any], name: str) -> str | None:
    for one in mappings(item.get("customProperties")):
        if one.get("property") == name:
            return text_of(one.get("value"))
    return None


def _read_table(found: Imported, facts: TableFacts, table: Mapping[str, Any], where: str, known: Tables) -> None:
    for at, item in enumerate(table.get("quality") or [] if isinstance(table.get("quality"), list) else []):
        _read_item(found, facts, None, item, f"{where}.quality[{at}]")
    for at, column in enumerate(mappings(table.get("properties"))):
        place = f"{where}.properties[{at}]"
        name = text_of(column.get("physicalName")) or text_of(column.get("name"))
        place_of = None
        for one in (text_of(column.get("physicalName")), text_of(column.get("name"))):
            place_of = place_of or (column_fqn(facts, one) if one is not None else None)
        has_rules = column.get("quality") or column.get("required") or column.get("unique")
        if place_of is None:
            if has_rules:
                found.miss(place, f"The table {facts.name!r} has no column {name!r}.")
            continue
        _read_flags(found, facts, place_of, column, place)
        items = column.get("quality")
        for number, item in enumerate(items if isinstance(items, list) else []):
            _read_item(found, facts, place_of, item, f"{place}.quality[{number}]")


def _read_flags(
    found: Imported, facts: TableFacts, place: tuple[str, str], column: Mapping[str, Any], where: str
) -> None:
    """`required` and `unique` are expectations of the data as well."""
    for flag, metric in (("required", "nullValues"), ("unique", "duplicateValues")):
        if column.get(flag) is True:
            item = {"type": "library", "metric": metric, "mustBe": 0, "name": f"{place[1]}.{flag}"}
            _read_item(found, facts, place, item, f"{where}.{flag}")


def _read_item(found: Imported, facts: TableFacts, place: tuple[str, str] | None, item: Any, where: str) -> None:
    if not isinstance(item, dict):
        found.miss(where, "It is no mapping.")
        return
    try:
        found.add(_drafted(facts, place, item), where)
    except _Missed as missed:
        found.miss(where, str(missed))


class _Missed(Exception):
    """Describes why an item became no rule."""


def _drafted(facts: TableFacts, place: tuple[str, str] | None, item: Mapping[str, Any]) -> RuleDraft:
    kind = text_of(item.get("type")) or "library"
    if kind == "library":
        metric, arguments, said = _library(item)
    elif kind == "sql":
        metric, arguments, said = None, {}, item
    elif kind == "custom":
        metric, arguments, said = _custom(item)
    else:
        raise _Missed(
            f"Checks of type {kind!r} are for people to read." if kind == "text" else f"The type {kind!r} is not known."
        )
    query = None
    if kind == "sql":
        query = text_of(item.get("query"))
        if query is None or len(query) > LONGEST_QUERY:
            raise _Missed(f"A check of type sql has a `query` of at most {LONGEST_QUERY:,} characters.")
        query = _filled(query, facts, place)
    operator, threshold = _compared(said)
    unit = text_of(said.get("unit")) or "rows"
    if unit not in ("rows", "percent"):
        raise _Missed(f"The unit {unit!r} is neither rows nor percent.")
    arguments = _checked(metric, arguments, facts, place) if metric is not None else {}
    of_table = place is None or metric in _OF_TABLES
    asset = facts.fqn if of_table or place is None else place[0]
    if metric == "duplicateValues":
        asset = asset_of_key(facts, arguments["properties"])
    if asset == facts.fqn and metric in ("nullValues", "missingValues", "invalidValues", "outlierValues"):
        raise _Missed(f"{metric} is said of a column.")
    dimension, definition = measured_by(metric)
    counted = _METRIC_IDS.get(_property(item, COUNTED_IN) or "")
    if counted is not None:
        dimension, definition = counted.dimension_id, counted.id
    elif metric is None:
        dimension, definition = _by_word(text_of(item.get("dimension")), dimension, definition)
    severity = _SEVERITIES.get((text_of(item.get("severity")) or "medium").lower(), Severity.MEDIUM)
    name = text_of(item.get("name")) or rule_name(*([place[1]] if place else []), metric or "sql")
    description = text_of(item.get("description"))
    return RuleDraft(
        name=as_name(name, "rule"),
        description=None if description is None else description[:LONGEST_TEXT],
        asset_fqn=asset,
        resource_uri=facts.resource_uri,
        type=RuleType.SQL if metric is None else RuleType.LIBRARY if metric in LIBRARY_METRICS else RuleType.CUSTOM,
        metric=metric,
        operator=operator,
        threshold=threshold,
        unit=RuleUnit(unit),
        dimension_id=dimension,
        metric_definition_id=definition,
        severity=severity,
        arguments=arguments,
        query=query,
        evidence={"source": "odcs"},
    )


def _by_word(word: str | None, dimension: str, definition: str) -> tuple[str, str]:
    """The metric that a check in SQL counts in, from the dimension that it names."""
    ours = next((name for name, theirs in _WORDS.items() if word in (name, theirs)), None)
    at = next((one.id for one in DIMENSIONS if one.name == ours and one.fqn.startswith("data_quality")), None)
    first = next((metric for metric in METRICS if metric.dimension_id == at), None)
    return (first.dimension_id, first.id) if first is not None else (dimension, definition)


def _library(item: Mapping[str, Any]) -> tuple[str, dict[str, Any], Mapping[str, Any]]:
    metric = text_of(item.get("metric")) or _FORMER.get(text_of(item.get("rule")) or "")
    if metric not in LIBRARY_METRICS:
        raise _Missed(f"The metric {metric or item.get('rule')!r} is none of {', '.join(LIBRARY_METRICS)}.")
    arguments = item.get("arguments")
    given = dict(arguments) if isinstance(arguments, dict) else {}
    if "validValues" in item:  # as 3.0 had it
        given.setdefault("validValues", item["validValues"])
    return metric, given, item


def _custom(item: Mapping[str, Any]) -> tuple[str, dict[str, Any], Mapping[str, Any]]:
    engine, told = text_of(item.get("engine")), item.get("implementation")
    if engine != ENGINE:
        raise _Missed(f"Checks of the engine {engine!r} are evaluated elsewhere.")
    if not isinstance(told, dict) or told.get("metric") not in CUSTOM_METRICS:
        raise _Missed(f"Its `implementation` names no metric of {', '.join(CUSTOM_METRICS)}.")
    arguments = told.get("arguments")
    return str(told["metric"]), dict(arguments) if isinstance(arguments, dict) else {}, {**item, **told}


def _compared(item: Mapping[str, Any]) -> tuple[RuleOperator, tuple[float, ...]]:
    given = [operator for operator in RuleOperator if item.get(operator.value) is not None]
    if len(given) != 1:
        raise _Missed("It compares with no one operator such as mustBe." if not given else "It has several operators.")
    operator, value = given[0], item[given[0].value]
    is_range = operator in (RuleOperator.MUST_BE_BETWEEN, RuleOperator.MUST_NOT_BE_BETWEEN)
    numbers = value if isinstance(value, list) else [value]
    if len(numbers) != (2 if is_range else 1):
        raise _Missed(f"{operator.value} takes {'two numbers' if is_range else 'one number'}.")
    try:
        threshold = tuple(finite(one, operator.value) for one in numbers)
    except ValueError:
        raise _Missed(f"{operator.value} takes numbers.") from None
    if is_range and threshold[0] > threshold[1]:
        raise _Missed(f"The first number of {operator.value} is the smaller one.")
    return operator, threshold


def _checked(metric: str, given: Mapping[str, Any], facts: TableFacts, place: tuple[str, str] | None) -> dict[str, Any]:
    """The arguments of a metric, of the right kinds; names of columns as the catalog writes them."""
    unknown = sorted(str(name) for name in given if name not in _ARGUMENTS[metric])
    if unknown:
        raise _Missed(f"{metric} takes no argument {unknown[0]!r}.")
    arguments = {name: _argument(name, value) for name, value in given.items()}
    if metric == "duplicateValues" and "properties" not in arguments:
        if place is None:
            raise _Missed("duplicateValues of a table names its columns in `properties`.")
        arguments["properties"] = [place[1]]
    for name in ("properties", "columns", "determinant"):
        if name in arguments:
            arguments[name] = [_known(facts, one) for one in arguments[name]]
    for name in ("dependent", "column", "result", "rate", "added"):
        if name in arguments:
            arguments[name] = _known(facts, arguments[name])
    _complete(metric, arguments)
    return arguments


def _complete(metric: str, arguments: Mapping[str, Any]) -> None:
    """Raises _Missed where a metric lacks an argument that it cannot do without."""
    if metric == "invalidValues" and not arguments:
        raise _Missed("invalidValues says by validValues, pattern, format, minimum or maximum what is valid.")
    needed = (
        _ARGUMENTS[metric] if metric in ("brokenReferences", "inconsistentRows", "staleData", "suspectValues") else ()
    )
    if metric == "brokenFormulas":
        try:
            formula_of(arguments)
        except ValueError as error:
            raise _Missed(f"{metric}: {error}") from None
    for name in needed:
        if name not in arguments:
            raise _Missed(f"{metric} needs the argument {name!r}.")


def _argument(name: str, value: Any) -> Any:
    if name in _LISTS:
        texts = texts_of(value) or ([] if value == [] else None)
        if texts is None:
            raise _Missed(f"{name} is a list of values.")
        return texts
    if name == "factors" or name in _NUMBERS:
        try:
            if name == "factors" and isinstance(value, list):
                return [plain(finite(one, name)) for one in value]
            return plain(finite(value, name))
        except ValueError:
            raise _Missed(f"{name} is a number.") from None
    text = value_text(value)
    if text is None:
        raise _Missed(f"{name} is one value.")
    return text


def _known(facts: TableFacts, name: str) -> str:
    found = column_fqn(facts, name)
    if found is None:
        raise _Missed(f"The table {facts.name!r} has no column {name!r}.")
    return found[1]


def _filled(query: str, facts: TableFacts, place: tuple[str, str] | None) -> str:
    """A query with the names that the standard has placeholders for."""
    names = {
        "object": facts.name,
        "table": facts.name,
        "property": place[1] if place else "",
        "column": place[1] if place else "",
    }
    for name, value in names.items():
        query = query.replace(f"${{{name}}}", value).replace(f"{{{name}}}", value)
    return query


def write_odcs(rules: Iterable[Expectation], *, id: str, name: str, version: str = "1.0.0") -> Exported:
    """A contract with the rules as its quality sections."""
    done = Exported("")
    schema = []
    for fqn, columns in by_table(rules).items():
        _, database, within, table = Fqn.parse(fqn).parts
        made: dict[str, Any] = {
            "name": table,
            "physicalName": str(Fqn.of(database, within, table)),
            "physicalType": "table",
            "logicalType": "object",
            "customProperties": [{"property": "stoaFqn", "value": fqn}],
        }
        if None in columns:
            made["quality"] = [_written(rule, done) for rule in columns[None]]
        of_columns = [
            {"name": column, "quality": [_written(rule, done) for rule in some]}
            for column, some in columns.items()
            if column is not None
        ]
        if of_columns:
            made["properties"] = of_columns
        schema.append(made)
    document = {
        "apiVersion": VERSION,
        "kind": "DataContract",
        "id": id,
        "name": name,
        "version": version,
        "status": "active",
        "schema": schema,
    }
    done.text = dump(document)
    return done


def _written(rule: Expectation, done: Exported) -> dict[str, Any]:
    between = rule.operator in (RuleOperator.MUST_BE_BETWEEN, RuleOperator.MUST_NOT_BE_BETWEEN)
    bounds = [plain(one) for one in rule.threshold]
    compared: dict[str, Any] = {rule.operator.value: bounds if between else bounds[0]}
    item: dict[str, Any] = {"name": rule.name}
    if rule.description:
        item["description"] = rule.description
    word = next((_WORDS.get(one.name) for one in DIMENSIONS if one.id == rule.dimension_id), None)
    if word is not None:
        item["dimension"] = word
    item["severity"] = rule.severity.value
    if rule.type is RuleType.SQL:
        item |= {"type": "sql", "query": rule.query, "unit": rule.unit.value, **compared}
    elif rule.type is RuleType.LIBRARY:
        item |= {"type": "library", "metric": rule.metric, "unit": rule.unit.value}
        if rule.arguments:
            item["arguments"] = dict(rule.arguments)
        item |= compared
    else:
        told = {"metric": rule.metric, "arguments": dict(rule.arguments), "unit": rule.unit.value, **compared}
        item |= {"type": "custom", "engine": ENGINE, "implementation": told}
    if rule.metric_definition_id != measured_by(rule.metric)[1]:
        counted = next((one.fqn for one in METRICS if one.id == rule.metric_definition_id), None)
        if counted is None:
            done.left_out.append(
                NotUnderstood(rule.name, "The metric that it counts in is the project's own, and is not written.")
            )
        else:
            item["customProperties"] = [{"property": COUNTED_IN, "value": counted}]
    return item
