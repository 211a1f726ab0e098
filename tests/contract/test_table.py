"""What is served, the documents and the graph say exactly what the table of the contract says."""

from dataclasses import replace

import pytest

from tests.contract.published import HEADERS, Described, Graphed, differences, line, routes
from tests.contract.table import ADDED_FIELDS, ADDED_STATUS, ADDITIONS, IN_THE_GRAPH, TABLE, Documented
from tests.contract.table.kinds import Field, Fields, record
from tests.doors import QUERIES

ROWS = pytest.mark.parametrize("row", TABLE, ids=[row.line for row in TABLE])
LISTS = ("data", "results", "definitions")
"""Where the items of a list stand."""


def both(row_line: str) -> list[str]:
    """The lines of a row: Data Readiness is served under two prefixes."""
    return [row_line, *([row_line.replace(" /", " /api/", 1)] if " /data-readiness/" in row_line else [])]


def list_in(answer: Fields) -> str | None:
    """Under which name an answer holds its items, if it is a list."""
    if "pagination" not in answer and "total" not in answer and set(answer) != {"data"}:
        return None
    return next(name for name in LISTS if name in answer)


def named(paths: set[str]) -> set[str]:
    """Fields by their names in a resource, whichever list it stands in."""
    found = set()
    for path in paths:
        for name in (*LISTS, "items"):
            path = path.replace(f"answer.{name}.*.", "answer.")
        found.add(path.replace("body.*.", "body."))
    return found


def sent(row: Documented) -> Field | None:
    """Return what a row takes as its body; a form writes arrays with commas and knows no null."""
    if row.items is not None:
        return Field("array", items=record(row.items))
    if row.body is None:
        return None
    if not row.form:
        return record(row.body)
    plain = {
        name: replace(Field("string") if field.type == "array" else field, null=False, required=field.required)
        for name, field in row.body.items()
    }
    return record(plain)


def test_every_documented_operation_is_served_and_nothing_that_is_not_listed() -> None:
    served = [line(route) for route in routes()]
    assert len(served) == len(set(served))
    wanted = {path for row in [*(row.line for row in TABLE), *ADDITIONS] for path in both(row)}
    assert sorted(set(served) - wanted) == []
    assert sorted(wanted - set(served)) == []
    assert {row.line for row in TABLE} & set(ADDITIONS) == set()
    assert all(ADDITIONS.values())
    assert set(ADDED_STATUS) <= set(ADDITIONS)


def test_a_line_of_the_table_stands_once() -> None:
    assert len({row.line for row in TABLE}) == len(TABLE)
    assert len({row.operation for row in TABLE}) == len(TABLE)


def test_every_success_has_the_status_of_the_table_and_every_path_its_project_header() -> None:
    rows = {path: row for row in TABLE for path in both(row.line)}
    for route in routes():
        path = line(route)
        told = route.answer_status, route.created, route.empty, route.project
        if path in rows:
            row = rows[path]
            assert route.operation.name == row.operation, path
            assert told == (row.status, row.created, row.empty, row.project), path
        else:
            status = ADDED_STATUS.get(path.replace(" /api/", " /"), 200)
            assert told == (status, None, False, "optional"), path


def test_data_readiness_is_served_under_both_prefixes_alike() -> None:
    short = {line(r): r for r in routes() if r.path.startswith("/data-readiness/")}
    long = {line(r).replace(" /api/", " /"): r for r in routes() if r.path.startswith("/api/data-readiness/")}
    assert short.keys() == long.keys() != set()
    for path, one in short.items():
        other = long[path]
        assert one.operation is other.operation, path
        for name in ("answer_status", "created", "empty", "envelope", "project"):
            assert getattr(one, name) == getattr(other, name), (path, name)


@ROWS
def test_the_document_says_what_the_table_says(row: Documented) -> None:
    found, added = Described.at(row.line), set[str]()
    known = {name: replace(field, null=False) for name, field in found.params.items()}
    wanted = {name: replace(field, null=False) for name, field in row.params.items()}  # a path writes no null
    wrong = list(differences(record(wanted), record(known), "params", takes=True, added=added))
    body = sent(row)
    assert (body is None) == (found.body is None)
    if body is not None and found.body is not None:
        told = found.body if not row.form else _without(found.body, "file")
        wrong += differences(replace(body, null=told.null), told, "body", takes=True, added=added)
        assert found.about["requestBody"].get("required", False) is not row.optional_body
    statuses = {row.status, row.created or row.status, 206 if row.ranges else row.status}
    assert found.answers.keys() == statuses
    for status, answer in found.answers.items():
        if row.answer is not None:
            assert answer is not None, status
            wrong += differences(record(row.answer), answer, "answer", added=added)
    assert wrong == []
    assert sorted(named(added) - ADDED_FIELDS.get(row.operation, set())) == []
    assert set(found.headers) <= HEADERS
    assert found.headers["X-Project-ID"] == (row.project == "required")


@ROWS
def test_the_graph_says_what_the_table_says(row: Documented) -> None:
    found, added = Graphed(row.operation), set[str]()
    wrong = list(differences(record(row.params), record(found.params), "params", bounds=False, takes=True, added=added))
    body = sent(replace(row, form=False))
    if body is not None:
        assert found.body is not None
        wanted = replace(body, required=not row.optional_body)
        wrong += differences(wanted, found.body, "body", bounds=False, takes=True, added=added)
    if row.answer is not None:
        listed = list_in(row.answer)
        wanted = record({"items": row.answer[listed]}) if listed else record(row.answer)
        wrong += differences(wanted, found.answer, "answer", bounds=False, added=added)
        if listed:
            added -= IN_THE_GRAPH
    assert wrong == []
    assert sorted(named(added) - ADDED_FIELDS.get(row.operation, set())) == []


def test_no_addition_of_a_field_is_left_over() -> None:
    for operation, names in ADDED_FIELDS.items():
        row = next(row for row in TABLE if row.operation == operation)
        described, graphed = Described.at(row.line), Graphed(operation)
        known: set[str] = set()
        for where, kinds in (
            ("params", [record(described.params), record(graphed.params)]),
            ("body", [described.body, graphed.body]),
            ("answer", [*described.answers.values(), graphed.answer]),
        ):
            for kind in kinds:
                known |= named(set(_paths(kind, where)))
        assert sorted(names - known) == [], operation


def test_reads_are_queries_and_writes_are_mutations() -> None:
    for row in TABLE:
        if row.operation in ("get_scorecard", "stream_turn"):
            continue  # a POST that changes nothing
        assert (row.method == "GET") == (row.operation in QUERIES), row.line


def _paths(kind: Field | None, where: str) -> list[str]:
    if kind is None:
        return []
    if kind.items is not None:
        return [where, *_paths(kind.items, f"{where}.*")]
    inner = [path for name, f in (kind.fields or {}).items() for path in _paths(f, f"{where}.{name}")]
    return [where, *(f"{where}={choice}" for choice in kind.choices or ()), *inner]


def _without(kind: Field, name: str) -> Field:
    return replace(kind, fields={n: f for n, f in (kind.fields or {}).items() if n != name})
