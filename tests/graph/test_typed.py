"""What REST has as a text has a type of its own in the graph, beside the text, which stays and is deprecated."""

import re
from inspect import signature
from itertools import pairwise
from typing import Annotated, Any

import pytest
from graphql import GraphQLObjectType, get_named_type, get_nullable_type
from pydantic import Field

from schema.errors import InvalidParameter
from schema.governance.permission import TypeName
from schema.grammar import sort_by
from schema.typed import ALL_TAGS, as_texts, texts_of, with_typed
from tests.data_readiness.quality import find, finding
from tests.doors import SDL, camel
from tests.world import World

pytestmark = pytest.mark.anyio


def listed(
    *,
    kind: TypeName,
    sort: Annotated[str, Field(max_length=9), sort_by(["name"], of="Thing")] = "name:asc",
    tags: Annotated[str, Field(max_length=9), ALL_TAGS] | None = None,
    page: int = 1,
) -> None:
    """An operation's arguments."""


PARAMETERS = list(signature(listed).parameters.values())


def test_a_text_that_has_a_type_in_the_graph_may_be_left_out() -> None:
    shown = with_typed(PARAMETERS)
    names = [one.name for one, _ in shown]
    assert names == ["kind", "of_type", "sort", "order_by", "tags", "all_tags", "page"]
    assert [one.name for one, typed in shown if typed] == ["kind", "sort", "tags"]
    defaults = {one.name: one.default for one, _ in shown}
    assert defaults == dict.fromkeys(names) | {"sort": "name:asc", "page": 1}


@pytest.mark.parametrize(
    ("given", "taken"),
    [
        ({"kind": None, "of_type": "file"}, {"kind": "file"}),
        ({"kind": "project", "of_type": "file"}, {"kind": "file"}),
        ({"kind": "project", "of_type": None}, {"kind": "project"}),
        ({"kind": None, "of_type": None, "page": 2}, {"page": 2}),
        ({"sort": "name:asc", "order_by": ["name:desc", "name:asc"]}, {"sort": "name:desc,name:asc"}),
        ({"sort": "name:asc", "order_by": []}, {"sort": "name:asc"}),
        ({"tags": None, "all_tags": ["a", "b c"]}, {"tags": "a,b c"}),
        ({"tags": None, "all_tags": []}, {"tags": None}),
    ],
)
def test_values_become_the_text_that_the_operation_takes(given: dict[str, Any], taken: dict[str, Any]) -> None:
    assert as_texts(texts_of(PARAMETERS), given) == taken


def test_one_value_is_not_taken_for_two() -> None:
    with pytest.raises(InvalidParameter) as refused:
        as_texts(texts_of(PARAMETERS), {"all_tags": ["a,b"]})
    assert refused.value.details == {"field": "all_tags"}


def test_every_such_text_of_the_graph_is_deprecated_and_its_values_stand_beside_it() -> None:
    found = set()
    for root in (SDL.query_type, SDL.mutation_type, SDL.subscription_type):
        assert isinstance(root, GraphQLObjectType)
        for field in root.fields.values():
            metadata = field.extensions["strawberry-definition"].metadata
            op = metadata.get("operation") or metadata.get("connects")
            shown = with_typed(op.parameters) if op is not None else []
            for (one, typed), (values, _) in pairwise(shown):
                if typed is None or camel(one.name) not in field.args:
                    continue
                text = field.args[camel(one.name)]
                assert text.deprecation_reason is not None
                assert f"`{camel(values.name)}`" in text.deprecation_reason
                found.add(f"{one.name}: {get_named_type(field.args[camel(values.name)].type)}")
    orders = {
        f"sort: {of}OrderBy"
        for of in ("Artifact", "DataConnection", "File", "GlossaryTerm", "SuspectCell", "Violation")
    }
    assert found == orders | {"resource_type: ResourceType", "status: TaskStatus", "tags: String"}


FREE = {"entityType"}
"""Whose values are anybody's."""


def test_no_order_status_or_type_is_a_text_alone() -> None:
    """A new one says by `Typed` what it is in the graph."""
    alone = {
        f"{root.name}.{name}({argument})"
        for root in (SDL.query_type, SDL.mutation_type, SDL.subscription_type)
        if root is not None
        for name, field in root.fields.items()
        for argument, told in field.args.items()
        if re.search(r"(status|state|type|kind|sort|order|tags)$", argument, re.IGNORECASE)
        and str(get_nullable_type(told.type)) == "String"
        and told.deprecation_reason is None
    }
    assert {one for one in alone if one.partition("(")[2][:-1] not in FREE} == set()


async def ask(world: World, query: str) -> Any:
    """The answer of the graph."""
    return (await world.request("POST", "/graphql", token=world.owner, json={"query": query})).json()


async def test_an_order_by_values_is_that_of_the_text_and_has_the_same_cursors(world: World) -> None:
    for kind, severity in (("null_values", "low"), ("stale_data", "high"), ("invalid_values", "high")):
        await find(world, finding(kind, severity=severity))
    whole = "violations({}) {{ items {{ name severity }} }}"
    part = "violationsConnection(first: 1, {}) {{ nodes {{ name }} pageInfo {{ endCursor }} }}"
    asked = {"text": 'sort: "severity:desc,name:asc"', "values": "orderBy: [SEVERITY_DESC, NAME_ASC]"}
    for query in (whole, part):
        told = [await ask(world, f"{{ {query.format(one)} }}") for one in asked.values()]
        assert "errors" not in told[0], told[0]
        assert told[0]["data"] == told[1]["data"]
    one = (await ask(world, f"{{ {whole.format('orderBy: SEVERITY_DESC')} }}"))["data"]["violations"]["items"]
    assert [each["severity"] for each in one] == ["HIGH", "HIGH", "LOW"]


async def test_a_type_and_tags_by_values(world: World) -> None:
    holders = "roleHolders({}) {{ total items {{ userOrGroup }} }}"
    where = f'resourceId: "{world.shop}"'
    text, values = [
        await ask(world, f"{{ {holders.format(f'{one}, {where}')} }}")
        for one in ('resourceType: "project"', "ofType: PROJECT")
    ]
    assert "errors" not in text, text
    assert text["data"] == values["data"]
    missing = await ask(world, f"{{ {holders.format(where)} }}")
    (error,) = missing["errors"]
    assert error["extensions"]["details"]["field"] == "resource_type", error
    for tags in ('tags: "a,b"', 'allTags: ["a", "b"]'):
        assert (await ask(world, f"{{ files({tags}) {{ total }} }}"))["data"] == {"files": {"total": 0}}
