"""The six subgraphs as Apollo's own composer sees them."""

import sys

import pytest
from graphql import GraphQLObjectType, build_schema

from rest_compat.app import SERVICES
from schema.graph import build_graph
from tests.support.subgraphs import subgraph
from tests.support.supergraph import Composed, compose

OF_SUBGRAPHS_ALONE = {"node", "nodes"}
"""What the whole graph offers and a gateway does not: it has a way of its own to an entity."""


@pytest.fixture(scope="module")
def composed() -> Composed:
    return compose({s.name: (f"http://{s.name}.test/graphql", subgraph(s.name).sdl) for s in SERVICES})


def test_the_six_subgraphs_compose_without_an_error_or_a_hint(
    composed: Composed, capsys: pytest.CaptureFixture[str]
) -> None:
    with capsys.disabled():
        sys.stdout.write(
            f"\n@apollo/composition {composed.version}: {len(SERVICES)} subgraphs, {len(composed.errors)} errors, "
            f"{len(composed.hints)} hints, a supergraph of {len(composed.supergraph):,} characters\n"
        )
    assert (composed.errors, composed.hints) == ([], [])


def test_the_composed_graph_offers_what_the_whole_one_offers(composed: Composed) -> None:
    whole = build_graph()._schema
    together = build_schema(composed.supergraph, assume_valid=True)
    for name, type_ in whole.type_map.items():
        if not isinstance(type_, GraphQLObjectType) or name.startswith("__"):
            continue
        expected = {field: str(value.type) for field, value in type_.fields.items()}
        if name == "Query":
            expected = {field: shown for field, shown in expected.items() if field not in OF_SUBGRAPHS_ALONE}
        found = together.type_map[name]
        assert isinstance(found, GraphQLObjectType)
        assert {field: str(value.type) for field, value in found.fields.items()} == expected, name


def test_a_subgraph_that_does_not_share_what_others_have_is_an_error() -> None:
    subgraphs = {s.name: (f"http://{s.name}.test", subgraph(s.name).sdl) for s in SERVICES}
    url, sdl = subgraphs["utils"]
    assert "type Done @shareable" in sdl
    changed = compose(subgraphs | {"utils": (url, sdl.replace("type Done @shareable", "type Done"))})
    assert {error["code"] for error in changed.errors} == {"INVALID_FIELD_SHARING"}
