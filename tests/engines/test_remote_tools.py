"""Lists of tools have one hash, and arguments are held to schemas of strangers in bounded work."""

from typing import Any

import pytest

from resolvers.engines.remote_tools.answers import TooDeep, cleaned, secrets_in
from resolvers.engines.remote_tools.arguments import UnfitArguments, check_arguments
from resolvers.engines.remote_tools.listing import UnusableList, differences, listing_of
from resolvers.engines.remote_tools.openapi import read_openapi
from schema.assets.registered_server import ToolState

OBJECT = {"type": "object"}


def tool(name: str, **more: Any) -> dict[str, Any]:
    """A tool as a server tells it."""
    return {"name": name, "inputSchema": OBJECT} | more


def test_the_hash_covers_what_counts_and_nothing_else() -> None:
    first = listing_of([tool("b", description="x"), tool("a")])
    again = listing_of([tool("a", _meta={"at": 1}, icons=[]), tool("b", description="x")])
    assert first.sha256 == again.sha256
    assert first.tools == again.tools
    for other in (
        [tool("a"), tool("b", description="y")],
        [tool("a", inputSchema={"type": "object", "required": ["x"]}), tool("b", description="x")],
        [tool("a", annotations={"readOnlyHint": True}), tool("b", description="x")],
        [tool("a")],
    ):
        assert listing_of(other).sha256 != first.sha256
    states = differences([tool("a"), tool("b"), tool("c")], [tool("a"), tool("b", title="B"), tool("d")])
    assert states == {
        "a": ToolState.APPROVED,
        "b": ToolState.CHANGED,
        "c": ToolState.REMOVED,
        "d": ToolState.ADDED,
    }
    with pytest.raises(UnusableList):
        listing_of([tool("a", annotations={"x": float("inf")})])


DEAR: dict[str, Any] = {"$defs": {f"d{at}": {"allOf": [{"$ref": f"#/$defs/d{at + 1}"}] * 2} for at in range(60)}}
DEAR |= {"$ref": "#/$defs/d0"}
DEAR["$defs"]["d60"] = {}


@pytest.mark.timeout(60)
@pytest.mark.parametrize(
    ("schema", "arguments", "fits"),
    [
        (OBJECT, {}, True),
        ({"required": ["a"]}, {}, False),
        ({"properties": {"a": {"type": "integer"}}}, {"a": True}, False),
        ({"additionalProperties": False, "properties": {"a": {}}}, {"b": 1}, False),
        # what a server's own regular expression would take for ever, by the newest draft and by an older one
        ({"properties": {"a": {"pattern": "^(a+)+$"}}}, {"a": "a" * 40 + "!"}, True),
        ({"$schema": "http://json-schema.org/draft-07/schema#", "properties": {"a": {"pattern": "^(a+)+$"}}},
         {"a": "a" * 40 + "!"}, True),
        ({"properties": {"a": {"$schema": "http://json-schema.org/draft-04/schema#", "pattern": "^(a+)+$"}}},
         {"a": "a" * 40 + "!"}, True),
        ({"patternProperties": {"^(a+)+$": {}}, "additionalProperties": False}, {"a" * 40 + "!": 1}, True),
        (DEAR, {}, False),
        ({"$ref": "#"}, {}, False),
        ({"$ref": "http://127.0.0.1:1/schema.json"}, {}, False),
        ({"$ref": "#/$defs/none"}, {}, False),
        ({"type": 5}, {}, False),
        ({"properties": {"a": {"items": {"allOf": [{}] * 500}}}}, {"a": [1] * 5000}, False),
    ],
)  # fmt: skip
def test_arguments_are_checked_in_bounded_work(schema: dict[str, Any], arguments: dict[str, Any], fits: bool) -> None:
    if fits:
        check_arguments(schema, arguments)
    else:
        with pytest.raises(UnfitArguments):
            check_arguments(schema, arguments)


def test_schemas_of_openapi_stand_by_themselves() -> None:
    listing = read_openapi(
        """
openapi: 3.0.0
info: {title: t, version: "1"}
paths:
  /a/{b}:
    post:
      operationId: make
      parameters: [{$ref: "#/components/parameters/B"}]
      requestBody: {content: {application/json: {schema: {$ref: "#/components/schemas/A"}}}}
  /away:
    get: {parameters: [{name: q, in: query, schema: {$ref: "http://elsewhere/x"}}]}
  /../up:
    get: {}
components:
  parameters:
    B: {name: b, in: path, required: true, schema: {type: integer, minimum: 1, exclusiveMinimum: true}}
  schemas:
    A:
      type: object
      properties: {nullable: {type: string, nullable: true, enum: [x]}, more: {$ref: "#/components/schemas/C"}}
    C: {type: array, items: {$ref: "#/components/schemas/A"}}
    Unused: {type: string}
"""
    )
    (made,) = listing.tools
    schema = made["inputSchema"]
    assert schema["properties"]["path"]["properties"]["b"] == {"type": "integer", "exclusiveMinimum": 1}
    assert set(schema["$defs"]) == {"A", "C"}
    assert schema["$defs"]["A"]["properties"]["nullable"] == {"type": ["string", "null"], "enum": ["x", None]}
    assert [line.partition(":")[0] for line in listing.left_out] == ["GET /away", "GET /../up"]
    check_arguments(schema, {"path": {"b": 2}, "body": {"more": [{"nullable": None}]}})
    with pytest.raises(UnfitArguments):
        check_arguments(schema, {"path": {"b": 2}, "body": {"more": [{"nullable": 1}]}})


def test_secrets_are_taken_out_wherever_they_stand() -> None:
    secrets = secrets_in({"Authorization": "Bearer t0ken-t0ken", "X-Version": "1"})
    assert secrets == ["Bearer t0ken-t0ken", "t0ken-t0ken"]
    said = {"t0ken-t0ken": ["a t0ken-t0ken b", {"x": "Bearer t0ken-t0ken"}], "n": [2**70, float("nan"), True, 1.5]}
    assert cleaned(said, secrets) == {
        "[secret]": ["a [secret] b", {"x": "[secret]"}],
        "n": [str(2**70), "nan", True, 1.5],
    }
    deep: Any = 1
    for _ in range(100):
        deep = [deep]
    with pytest.raises(TooDeep):
        cleaned(deep, secrets)
