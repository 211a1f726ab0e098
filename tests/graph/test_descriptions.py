"""Everything that a front end sees in the graph is described."""

import re
from typing import Any

import pytest
from graphql import (
    GraphQLEnumType,
    GraphQLInputObjectType,
    GraphQLInterfaceType,
    GraphQLList,
    GraphQLNonNull,
    GraphQLObjectType,
    GraphQLScalarType,
    get_named_type,
    get_nullable_type,
)
from strawberry import Maybe

from rest_compat.app import SERVICES, openapi_of
from schema.descriptions import described, texts_below
from tests.doors import SDL


def missing() -> list[str]:
    """Every type, field, argument and value without a description."""
    found: list[str] = []

    def check(name: str, thing: Any) -> None:
        if not (thing.description or "").strip():
            found.append(name)

    for name, type_ in SDL.type_map.items():
        if name.startswith("__"):
            continue
        check(name, type_)
        if isinstance(type_, GraphQLObjectType | GraphQLInterfaceType | GraphQLInputObjectType):
            for field_name, field in type_.fields.items():
                check(f"{name}.{field_name}", field)
                for argument_name, argument in getattr(field, "args", {}).items():
                    check(f"{name}.{field_name}({argument_name})", argument)
        if isinstance(type_, GraphQLEnumType):
            for value_name, value in type_.values.items():
                check(f"{name}.{value_name}", value)
    return found


def test_every_type_field_argument_and_value_is_described() -> None:
    assert missing() == []


def test_the_documents_of_rest_say_the_same() -> None:
    governance = next(service for service in SERVICES if service.name == "governance")
    project = openapi_of(governance)["components"]["schemas"]["Project"]["properties"]
    graph = SDL.type_map["Project"].fields  # type: ignore[attr-defined]
    assert (
        project["created_by"]["description"] == graph["createdBy"].description == "The id of the user who created it."
    )
    limits = openapi_of(governance)["components"]["schemas"]["RateLimits"]["properties"]
    assert limits["reads"]["description"] == "Requests a minute that only read."


def test_a_value_says_how_rest_spells_it() -> None:
    status = SDL.type_map["RunStatus"].values  # type: ignore[attr-defined]
    assert "`pending` in REST." in status["PENDING"].description


def test_the_text_below_a_value_is_its_description() -> None:
    class Colour:
        RED = "red"
        """Stop."""
        GREEN = "green"

    assert texts_below(Colour) == {"RED": "Stop."}
    assert described("anything", int) is None
    assert described("created_at", int) == "When it was created, in UTC."


NUMBERS = ("Int", "Float", "Long")
OF_NULL = re.compile(r"\bnull (when|while|until|where|if|on|at|for|once|before|after)\b")


def misplaced(told: str, kind: str, *, takes_null: bool, is_list: bool, is_plain: bool) -> str | None:
    """Return what is wrong with a description for a value of a kind: it speaks of what such a value cannot be."""
    if not takes_null and OF_NULL.search(told):
        return "speaks of null"
    if re.match(r"How (many|long)\b", told) and is_plain and not is_list and kind not in NUMBERS:
        return "speaks of a number"
    if told.startswith("Whether ") and is_plain and kind != "Boolean":
        return "speaks of yes and no"
    if kind == "Boolean" and re.match(r"(How|When|Where|What|Which|Why|The ids?|The name)\b", told):
        return "does not speak of yes and no"
    if re.search(r"^When\b.*, in UTC\b", told) and kind != "DateTime":
        return "speaks of a moment"
    if re.match(r"The (ids|names|URIs) of\b", told) and not is_list:
        return "speaks of several"
    return None


def test_no_description_belongs_to_another_field() -> None:
    found = []
    for name, type_ in SDL.type_map.items():
        if name.startswith("__") or not isinstance(
            type_, GraphQLObjectType | GraphQLInterfaceType | GraphQLInputObjectType
        ):
            continue
        is_root = type_ in (SDL.query_type, SDL.mutation_type, SDL.subscription_type)  # which describe operations
        for field_name, field in type_.fields.items():
            things = [] if is_root else [(field_name, field)]
            things += [(f"{field_name}({argument})", told) for argument, told in getattr(field, "args", {}).items()]
            for where, thing in things:
                kind = get_named_type(thing.type)
                wrong = misplaced(
                    thing.description or "",
                    kind.name,
                    takes_null=not isinstance(thing.type, GraphQLNonNull),
                    is_list=isinstance(get_nullable_type(thing.type), GraphQLList),
                    is_plain=isinstance(kind, GraphQLScalarType) and kind.name not in ("JSON", "String"),
                )
                if wrong is not None:
                    found.append(f"{name}.{where}: {thing.type} {wrong}: {thing.description}")
    assert found == []


KINDS = {"boolean": "Boolean", "integer": "Int", "number": "Float", "array": "", "object": ""}


@pytest.mark.parametrize("service", SERVICES, ids=lambda service: service.name)
def test_no_description_of_a_document_belongs_to_another_field(service: Any) -> None:
    found = []
    for name, schema in openapi_of(service)["components"]["schemas"].items():
        for field, told in schema.get("properties", {}).items():
            kind = "DateTime" if told.get("format") == "date-time" else KINDS.get(str(told.get("type")), "String")
            wrong = misplaced(
                told.get("description", ""),
                kind,
                takes_null=told.get("nullable", False) or "type" not in told,
                is_list=told.get("type") == "array",
                is_plain=kind not in ("String", ""),
            )
            if wrong is not None:
                found.append(f"{name}.{field}: {told} {wrong}")
            assert field != "owner_id" or told.get("deprecated") is True, name
    assert found == []


def test_a_common_meaning_is_told_as_its_type_allows() -> None:
    assert described("project_id", str | None) == described("project_id", str)[:-1] + (  # type: ignore[index]
        "; null when it belongs to the whole organization."
    )
    assert described("project_id", Maybe[str]) == described("project_id", str)
    assert described("deleted", bool) == "Whether it is deleted."
    assert described("deleted", int) == "How many were deleted."


def test_what_the_contract_deprecates_is_deprecated_in_the_graph() -> None:
    for name in ("File", "Artifact", "DataConnection"):
        field = SDL.type_map[name].fields["ownerId"]  # type: ignore[attr-defined]
        assert field.deprecation_reason == "Use createdBy instead."
    create = SDL.mutation_type.fields["createViolationDefinition"]  # type: ignore[union-attr]
    assert "term" not in create.args["definition"].description
