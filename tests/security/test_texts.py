"""Texts that come in: every field of every operation refuses what a store cannot keep, at both doors."""

import itertools
import json
import re
from collections.abc import Iterator
from functools import cache
from typing import Annotated, Any, get_args, get_origin
from urllib.parse import quote

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from pydantic import BaseModel, TypeAdapter

from resolvers.assets.artifacts import create_artifact, list_artifacts
from resolvers.data_readiness.rules import import_quality_rules
from resolvers.entities import ENTITIES
from resolvers.operation import Operation
from resolvers.search.bulk import index_entities
from resolvers.utils.context_packs import create_context_pack, get_context_pack
from resolvers.utils.memories import create_memory
from resolvers.utils.metadata import create_metadata
from resolvers.utils.schedules import create_schedule
from rest_compat.openapi.refusals import REFUSALS
from schema.content import Upload
from schema.naming import NAME_PATTERN, TAG_PATTERN, Name, as_name
from schema.node import encode
from schema.text import DEEPEST
from tests.doors import OPERATIONS, ROUTES, Door, GraphDoor, Refused, RestDoor, Sent, form_of
from tests.world import World

pytestmark = [pytest.mark.anyio, pytest.mark.filterwarnings("ignore:Pydantic serializer warnings")]

NUL = "a\x00b"
VALUES = ("x", "project", "can_read", "odcs", "1.0", "a.b.c.d", "a.b.c.d.e", "00000000-0000-0000-0000-000000000000")
"""Plain arguments of every kind that an operation may demand."""
Path = tuple[str, ...]


def texts(kind: Any, path: Path = (), seen: tuple[type, ...] = ()) -> Iterator[Path]:
    """Where a value of a type may hold text; `*` stands for the items of a list, `{}` for free JSON."""
    origin = get_origin(kind)
    if origin is Annotated:
        yield from texts(get_args(kind)[0], path, seen)
    elif origin in (dict, list) and kind != list[str]:
        if origin is dict:
            yield (*path, "{}")
        else:
            yield from texts(get_args(kind)[0], (*path, "*"), seen)
    elif origin is not None:
        for part in get_args(kind):
            yield from texts(part, (*path, "*") if kind == list[str] else path, seen)
    elif kind is Any:
        yield (*path, "{}")
    elif kind is str:
        yield path
    elif isinstance(kind, type) and issubclass(kind, BaseModel) and kind not in seen:
        for name, field in kind.model_fields.items():
            yield from texts(field.rebuild_annotation(), (*path, name), (*seen, kind))


def placed(text: str, path: Path) -> Any:
    """A value that holds the text at a path and nothing else."""
    if not path:
        return text
    step, *rest = path
    if step == "{}":
        return {"deep": [{text: 1}]}
    inner = placed(text, tuple(rest))
    return [inner] if step == "*" else {step: inner}


@cache
def every_text() -> list[tuple[Operation[..., Any], str, Path]]:
    """Every place of every operation that takes a text: the operation, the argument, and the path in it."""
    return [
        (op, parameter.name, path)
        for op in OPERATIONS.values()
        for parameter in op.parameters
        if parameter.annotation is not Upload
        for path in dict.fromkeys(texts(parameter.annotation))
    ]


@pytest.mark.parametrize("store_kind", ["sqlite"], indirect=True)  # what is refused never comes to a store
async def test_every_text_of_every_operation_refuses_a_nul(world: World) -> None:
    """A store of one kind would answer with 500, that of another would keep it."""
    rest, graph = RestDoor(world.client), GraphDoor(world.client)
    taken = []
    for op, name, path in every_text():
        for door in (rest, graph):
            answer = await _sent(door, op, required(op) | {name: placed(NUL, path)}, world)
            if not _names(answer, op, name, path):
                taken.append(f"{door.name} {op.name} {name} {path}: {answer}")
    assert not taken, "\n".join(taken[:40]) + f"\n{len(taken)} in all"


@cache
def _valid(op: Operation[..., Any]) -> dict[str, Any]:
    """A value for each plain argument that an operation must have."""
    found = {}
    for parameter in op.plain:
        if parameter.default is parameter.empty:
            kind = TypeAdapter(parameter.annotation)
            found[parameter.name] = next((value for value in VALUES if _takes(kind, value)), None)
            assert found[parameter.name] is not None, (op.name, parameter)
    return found


def required(op: Operation[..., Any]) -> dict[str, Any]:
    """Return what an operation must have; of a body only that there is one."""
    return _valid(op) | ({op.body.name: {}} if op.body is not None and op.body.default is op.body.empty else {})


def _takes(kind: TypeAdapter[Any], value: str) -> bool:
    try:
        kind.validate_strings(value)
    except ValueError:
        return False
    return True


def _names(answer: Any, op: Operation[..., Any], name: str, path: Path) -> bool:
    """Return whether an answer refuses the very field; places in lists are passed over."""
    if not isinstance(answer, Refused) or answer.status not in (400, 422):
        return False
    steps = [step for step in path if step not in ("*", "{}")]
    wanted = steps if op.body is not None and name == op.body.name else [name, *steps]
    for problem in answer.details.get("problems", ()):
        told = [step for step in problem["field"].split(".") if not step.isdigit()]
        unknown = problem["message"] == "Extra inputs are not permitted"  # this door has no such field at all
        if told == (wanted[: len(told)] if unknown else wanted):
            return True
    return False


DEEP: dict[str, tuple[Operation[..., Any], str, dict[str, Any]]] = {
    "memory": (create_memory, "content", {"name": "m", "memory_type": "fact"}),
    "memory's own data": (create_memory, "meta_data", {"name": "m", "memory_type": "fact", "content": {"text": "x"}}),
    "pack": (create_context_pack, "config", {"name": "p", "pack_type": "team"}),
    "schedule": (
        create_schedule,
        "config.extra_data",
        {"schedule_name": "s", "schedule": {"type": "CRON", "cron": "0 5 * * *"}, "reference_id": "r"},
    ),
    "asset": (create_metadata, "extension", {"fully_qualified_name": "s.db", "type": "database"}),
    "artifact": (create_artifact, "content", {"name": "a", "artifact_type": "json"}),
    "entity": (
        index_entities,
        "search_attributes",
        {"organization_id": "acme", "entity_type": "table", "entity_id": "e", "title": "t", "permission_id": "x"},
    ),
}
"""Operations of each room that keep free JSON, the field that holds it, and what else they must have."""
NAMES = ("name", "schedule_name", "entity_id", "fully_qualified_name")


def nested(levels: int) -> Any:
    """As many objects and lists in one another as are asked for."""
    value: Any = "x"
    for level in range(levels):
        value = [value] if level % 2 and level < levels - 1 else {"a": value}
    return value


@pytest.mark.parametrize("kept", DEEP)
async def test_free_json_is_taken_to_its_last_level_and_no_deeper(world: World, door: Door, kept: str) -> None:
    """The hundredth level met a second count on its way into the store, and was answered with 500."""
    op, name, body = DEEP[kept]
    assert op.body is not None
    body = dict(body)
    if op is create_memory:
        pack = await door(create_context_pack, world.owner, pack={"name": "p", "pack_type": "team"})
        body["context_pack_id"] = pack["id"]
    if op is index_entities:
        body["project_id"] = body["permission_id"] = world.shop
    head, _, tail = name.partition(".")
    for levels in (DEEPEST - 1, DEEPEST, DEEPEST + 1):
        deep = {"type": "NOTIFICATION", "topic": "t", tail: nested(levels)} if tail else nested(levels)
        sent = body | {n: f"{value}{levels}" for n, value in body.items() if n in NAMES} | {head: deep}
        if name == "meta_data":
            sent["content"] = {"text": str(levels)}
        place = {name: world.shop if name == "resource_uri" else value for name, value in _valid(op).items()}
        answer = await door(op, world.owner, **place, **{op.body.name: [sent] if op is index_entities else sent})
        if levels > DEEPEST:
            assert (answer.code, answer.status) == ("VALIDATION_ERROR", 422)
            assert answer.details["field"].removeprefix("0.") == name
        else:
            assert isinstance(answer, dict), (levels, answer)
            assert answer.get(name, nested(levels)) == nested(levels)


async def test_a_graph_literal_nests_as_deep_as_a_variable(world: World, door: Door) -> None:
    if door.name == "rest":
        return
    pack = await door(create_context_pack, world.owner, pack={"name": "p", "pack_type": "team"})
    for levels in (DEEPEST - 1, DEEPEST, DEEPEST + 1, 150, 5_000):
        literal = "{a:" * levels + "1" + "}" * levels
        query = """mutation {createMemory(memory: {contextPackId: "%s", name: "m%d", memoryType: FACT, content: %s})
            {content}}""" % (pack["id"], levels, literal)
        headers = {"Authorization": f"Bearer {world.owner}"}
        answer = (await world.client.post("/graphql", json={"query": query}, headers=headers)).json()
        if levels <= DEEPEST:
            assert answer["data"]["createMemory"]["content"] == json.loads('{"a":' * levels + "1" + "}" * levels)
        else:
            assert answer["errors"][0]["extensions"]["code"] == "VALIDATION_ERROR", answer


async def test_no_store_is_asked_for_a_key_that_it_cannot_hold(world: World) -> None:
    """`node` takes a key of any type apart from the operations, and finds nothing under what cannot stand."""
    for model in ENTITIES:
        name = model.__name__
        query = f'{{node(id: "{encode(name, NUL)}") {{__typename}}}}'
        headers = {"Authorization": f"Bearer {world.owner}"}
        answer = (await world.client.post("/graphql", json={"query": query}, headers=headers)).json()
        assert answer.get("data") == {"node": None}, (name, answer)


async def _sent(door: Door, op: Operation[..., Any], arguments: dict[str, Any], world: World) -> Any:
    """Call an operation with what no client library would send."""
    if isinstance(door, GraphDoor):
        if op.upload is not None:
            arguments[op.upload.name] = Sent(b"x")
        return await door(op, world.owner, **arguments)
    route = ROUTES[op.name]
    body = arguments.pop(op.body.name, None) if op.body is not None else None
    path = route.path
    for name in [name for name in arguments if "{%s}" % name in path]:
        path = path.replace("{%s}" % name, quote(str(arguments.pop(name)), safe=""))
    query = "&".join(f"{name}={quote(str(value), safe='')}" for name, value in arguments.items())
    how: dict[str, Any] = {"json": body} if op.upload is None else {"data": form_of(body), "files": {"file": b"x"}}
    headers = {"Authorization": f"Bearer {world.owner}", "X-Project-ID": world.shop}
    answer = await door.client.request(next(iter(route.methods)), f"{path}?{query}", headers=headers, **how)
    if not answer.is_error:
        return answer.status_code, answer.text[:200]
    error = answer.json()["error"]
    return Refused(error["code"], answer.status_code, error.get("details", {}), error["message"])


UNSEEN = (
    *(
        "",
        "   ",
        " a",
        "a\u3000",
        "\u3164",
        "\u2800",
        "\ufe0f",
        "\u200d",
        "a\u200d",
        "\u200ca",
        "a\u200db",
        "a\nb",
        "a\x1bb",
    ),
    *("a\u200bb", "\ufeffa", "a\xadb", "a\u2060b", "\u202egnp.exe", "a\u2066b", "\U000e0041b"),
)
"""What cannot be seen, or lets what is seen pass for another thing: no name may hold it."""
SEEN = (
    *("Größe №1", "日本語", "सूची", "❤️ orders", "a", "🎉", "a  b", 'O\'Reilly, "x" <y>', "葛\U000e0100城"),
    *("\u0661\u0600\u0662", "\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645", "PDF\u200c\u0647\u0627"),
    *("क्\u200dष", "👩\u200d💻", "❤️\u200d🔥", "👩🏽\u200d⚕️"),
)  # fmt: skip
"""Names in many scripts; the joiners of the last lines are seen, in the shapes of what stands beside them."""

NOT_NAMES = {
    # prose
    "business_definition", "business_rules", "comment", "definition", "description", "message", "notes", "purpose",
    "question", "resolution_notes", "schema_definition", "search_text", "status_message", "subtitle", "summary_text",
    "tag_description", "embedded_text", "version_change_reason",
    # statements and files
    "query", "sql", "statement", "text", "value",
    # what something else is called: dotted names, ids, addresses, formats
    "after_table", "asset_prefix", "assets_like", "assigned_to", "dimension", "domains", "group", "under",
    "api_base", "api_version", "artifacts", "asset_fqn", "attachments", "category_name", "columns", "content_url",
    "credentials_secret", "cron", "cron_expression", "data_type", "data_type_display", "datasource", "datasources",
    "dimension_id",
    "document_url", "entity_id", "expected_version", "file_uri", "fully_qualified_name", "llm_model", "metric",
    "metric_definition_id", "organization_id", "parent_id", "parent_term_id", "permission_id", "project_id",
    "provider", "reading_id", "reference_id", "refuse_below", "resolution", "resource_id", "resource_uri", "table_type",
    "target_fqn", "timezone", "tool", "url", "user_or_group", "warn_below", "weight", "workflow_definition_id",
    # of an event that another system sends
    "eventTime", "eventType", "producer", "schemaURL",
}  # fmt: skip
"""The texts of bodies that name nothing by themselves; any other text has to be one that can be seen."""
TAKEN_FROM_A_SOURCE = {("create_metadata", "name"), "typed_config", "typed_credentials"}
"""As a source calls it: the last part of a dotted name, and what a connection has to say to be let in."""


def every_name() -> Iterator[tuple[Operation[..., Any], str, Path, str]]:
    """Every field of a body that people name something by, with its own name at the end."""
    for op, name, path in every_text():
        last = next((step for step in reversed(path) if step not in ("*", "{}")), name)
        in_body = op.body is not None and name == op.body.name and path[-1:] != ("{}",)
        if in_body and not TAKEN_FROM_A_SOURCE & {(op.name, last), *path}:
            yield op, name, path, last


@pytest.mark.parametrize("store_kind", ["sqlite"], indirect=True)  # what is refused never comes to a store
async def test_every_name_can_be_seen(world: World) -> None:
    doors = RestDoor(world.client), GraphDoor(world.client)
    taken, number, spared = [], 0, set()
    for op, name, path, last in every_name():
        if last in NOT_NAMES:
            spared.add(last)
            continue
        for wrong in (*UNSEEN, "a,b") if path[-2:] == ("tags", "*") else UNSEEN:
            number += 1
            door = doors[number % 2]
            if op.upload is not None and path[-1] == "*" and door.name == "rest" and (wrong != "a\u200bb"):
                continue  # a form parts its tags by commas, and leaves out the blanks between them
            answer = await _sent(door, op, required(op) | {name: placed(wrong, path)}, world)
            if not _names(answer, op, name, path):
                taken.append(f"{door.name} {op.name} {path} {wrong!r}: {answer}")
    assert not taken, "\n".join(taken[:40]) + f"\n{len(taken)} in all"
    assert spared == NOT_NAMES, "a field of this name stands nowhere any more"


@pytest.mark.parametrize("name", SEEN)
def test_a_name_of_any_language_is_one(name: str) -> None:
    assert TypeAdapter(Name).validate_python(name) == name
    assert as_name(name, "else") == name
    assert re.search(NAME_PATTERN, name)


@pytest.mark.parametrize("wrong", UNSEEN)
def test_a_name_that_the_platform_makes_is_one(wrong: str) -> None:
    """Of a question or a dotted name, say, which hold what they like."""
    with pytest.raises(ValueError, match=r"leave|write|at least 1 character"):
        TypeAdapter(Name).validate_python(wrong)
    for made in (as_name(wrong, "else"), as_name(wrong * 200, "else")):
        assert TypeAdapter(Name).validate_python(made) == made


@given(text=st.text(max_size=8))
@example(text="a\u200d")
@example(text="\U000e0041b")
def test_what_is_told_of_names_refuses_no_name(text: str) -> None:
    """The pattern of the documents is wider than the rule, never narrower; within its plane only joiners differ."""
    try:
        TypeAdapter(Name).validate_python(text)
    except ValueError:
        inside = text.strip("\n").translate(dict.fromkeys(map(ord, "\u200c\u200d"), None))
        if inside == text and all(letter < "\U00010000" for letter in text):
            assert not re.search(NAME_PATTERN, text)
        return
    assert re.search(NAME_PATTERN, text)
    assert bool(re.search(TAG_PATTERN, text)) is ("," not in text)


async def test_a_name_is_refused_with_a_sentence_and_kept_as_it_was_sent(world: World, door: Door) -> None:
    for name, sentence in {
        "\u200b\u2060": "name: it shows nothing; write at least one character that can be seen.",
        "sales\u202e": "name: it holds a character that cannot be seen, U+202E at position 5; leave it out.",
        "sales ": "name: it begins or ends with a blank; leave that out.",
    }.items():
        refused = await door(create_context_pack, world.owner, pack={"name": name, "pack_type": "team"})
        assert (refused.code, refused.status, refused.message) == ("VALIDATION_ERROR", 422, sentence)
    for name in SEEN:
        made = await door(create_context_pack, world.owner, pack={"name": name, "pack_type": "team"})
        assert (await door(get_context_pack, world.owner, pack_id=made["id"]))["name"] == name


async def test_a_tag_holds_no_comma_so_that_each_is_found(world: World, door: Door) -> None:
    table = {"artifact_type": "json", "content": {}}
    refused = await door(create_artifact, world.owner, artifact=table | {"name": "a", "tags": ["gold", "b,c"]})
    assert (refused.code, refused.status, refused.details["field"]) == ("VALIDATION_ERROR", 422, "tags.1")
    assert "comma" in refused.message
    await door(create_artifact, world.owner, artifact=table | {"name": "a", "tags": ["gold", "b; c"]})
    found = await door(list_artifacts, world.owner, tags="b; c,gold")
    assert [one["name"] for one in found["items"]] == ["a"]


@pytest.mark.long  # asks by every text of every operation, seven times
@pytest.mark.parametrize("store_kind", ["sqlite"], indirect=True)
async def test_every_search_that_refuses_nonsense_says_so_in_its_document(world: World) -> None:
    """Any text of a query may be a language of its own; who answers that a search is malformed lists it."""
    rest, graph, refusing = RestDoor(world.client), GraphDoor(world.client), set()
    for op in OPERATIONS.values():
        for parameter in op.plain:
            if parameter.name not in _valid(op) and () in texts(parameter.annotation):
                for door, nonsense in itertools.product(
                    (rest, graph), ("!!!", "!a", "a &&", "|| a", '"', "nope:1", "(")
                ):
                    answer = await _sent(door, op, required(op) | {parameter.name: nonsense}, world)
                    if isinstance(answer, Refused) and answer.code == "SEARCH_QUERY_INVALID":
                        refusing.add(op.name)
    told = {name for name, rules in REFUSALS.items() if any(one.code == "SEARCH_QUERY_INVALID" for one in rules)}
    assert refusing == told >= {"search_metadata", "search_entities"}


async def test_an_escape_in_a_file_of_rules_hides_nothing(world: World, door: Door) -> None:
    """The text is whole; what it says once it is read is not."""
    text = 'apiVersion: v3.1.0\nkind: DataContract\nname: "a\\0b"\n'
    answer = await door(import_quality_rules, world.owner, file={"format": "odcs", "text": text})
    assert (answer.code, answer.status, answer.details["field"]) == ("VALIDATION_ERROR", 422, "text")
