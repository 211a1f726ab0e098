"""What a text must look like stands in the documents, and what they tell is what the server takes, in both doors."""

import re
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rest_compat.app import SERVICES, openapi_of
from schema.grammar import ANY_NAME, COLUMN_NAME, TABLE_NAME, UP_TO_COLUMN, UP_TO_TABLE, Grammar, sort_by
from tests.world import World

ORDER = sort_by(["name", "created_at"], of="Thing")
GRAMMARS = [ANY_NAME, TABLE_NAME, COLUMN_NAME, UP_TO_TABLE, UP_TO_COLUMN, ORDER]
DOTTED = {"asset_fqn", "fqn", "fqn_prefix"}


def parameters() -> Iterator[tuple[str, dict[str, Any]]]:
    """Each parameter of each document, with where it stands."""
    for service in SERVICES:
        for path, methods in openapi_of(service)["paths"].items():
            for method, op in methods.items():
                for one in op.get("parameters", ()):
                    yield f"{method} {path} {one['name']}", one


def test_every_order_and_every_dotted_name_tells_its_pattern() -> None:
    found = [(where, one["schema"]) for where, one in parameters() if one["name"] in DOTTED | {"sort"}]
    assert len(found) > 20
    assert [where for where, schema in found if "pattern" not in schema] == []
    for service in SERVICES:
        for name, schema in openapi_of(service)["components"]["schemas"].items():
            if schema.get("additionalProperties") is False and name.endswith(("Create", "Request", "Import")):
                for field in {"asset_fqn", "fully_qualified_name"} & set(schema.get("properties", {})):
                    assert "pattern" in schema["properties"][field], f"{name}.{field}"


def test_every_event_id_tells_its_maximum() -> None:
    named = {where: one["schema"] for where, one in parameters() if "event" in one["name"].lower()}
    told = {where: schema["maximum"] for where, schema in named.items() if schema.get("type") != "string"}
    assert len(told) >= 3
    assert set(told.values()) == {2_000_000_000}


def test_the_project_that_a_request_selects_is_more_than_blanks() -> None:
    assert {one["schema"].get("pattern") for _, one in parameters() if one["name"] == "X-Project-ID"} == {r"\S"}


def takes(grammar: Grammar, text: str) -> bool:
    try:
        grammar.check(text)
    except ValueError:
        return False
    return True


@given(
    st.text(alphabet='ab". :,\n\x00é', max_size=14) | st.from_regex(r'([ab"]{1,3}\.){0,5}[ab"]{1,3}', fullmatch=True)
)
@settings(max_examples=300, deadline=None)
def test_the_pattern_and_the_check_of_a_name_agree(text: str) -> None:
    for grammar in GRAMMARS:
        assert (re.fullmatch(grammar.pattern.removesuffix("$"), text) is not None) == takes(grammar, text), grammar


@pytest.mark.parametrize(
    ("text", "taken"),
    [
        ("name", True),
        ("name:asc", True),
        ("name:desc, created_at", True),
        ("name:", True),
        ("", False),
        ("name,", False),
        ("nam", False),
        ("name:up", False),
        ("name :asc", False),
        ("name\n", False),
    ],
)
def test_an_order_is_a_list_of_fields(text: str, taken: bool) -> None:
    assert takes(ORDER, text) is taken
    assert (re.fullmatch(ORDER.pattern, text) is not None) is taken


REFUSED = [
    ("/data-readiness/profiles/table?asset_fqn=a.b.c", "asset_fqn", 'tableProfile(assetFqn: "a.b.c") { assetFqn }'),
    ("/data-readiness/profiles?asset_fqn=a", "asset_fqn", 'tableProfiles(assetFqn: "a") { total }'),
    ("/data-readiness/metrics/results?asset_fqn=a..b", "asset_fqn", 'metricResults(assetFqn: "a..b") { total }'),
    ("/assets/data?sort=secret", "sort", 'dataConnections(sort: "secret") { total }'),
    ("/assets/files?sort=name:up", "sort", 'files(sort: "name:up") { total }'),
    ("/data-readiness/violations?sort=", "sort", 'violations(sort: "") { total }'),
    ("/data-readiness/glossary/terms?sort=owners", "sort", 'glossaryTerms(sort: "owners") { total }'),
]


@pytest.mark.anyio
@pytest.mark.parametrize(("path", "field", "asked"), REFUSED)
async def test_what_breaks_a_grammar_is_refused_with_a_sentence(
    world: World, path: str, field: str, asked: str
) -> None:
    answer = await world.request("GET", path, token=world.owner)
    assert answer.status_code == 400, answer.text
    error = answer.json()["error"]
    assert (error["code"], error["details"]["field"]) == ("INVALID_PARAMETER", field)
    assert "pattern" not in error["message"]
    graph = await world.request("POST", "/graphql", token=world.owner, json={"query": "{ %s }" % asked})
    (problem,) = graph.json()["errors"]
    assert problem["extensions"]["code"] == "INVALID_PARAMETER", problem
    assert problem["message"] == error["message"]
