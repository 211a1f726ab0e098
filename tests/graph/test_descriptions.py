"""Everything that a front end sees in the graph is described."""

from typing import Any

from graphql import GraphQLEnumType, GraphQLInputObjectType, GraphQLInterfaceType, GraphQLObjectType

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
