"""Texts that come in: every field of every operation refuses what a store cannot keep, at both doors."""

import json
from collections.abc import Iterator
from functools import cache
from typing import Annotated, Any, get_args, get_origin
from urllib.parse import quote

import pytest
from pydantic import BaseModel, TypeAdapter

from resolvers.assets.artifacts import create_artifact
from resolvers.entities import ENTITIES
from resolvers.operation import Operation
from resolvers.search.bulk import index_entities
from resolvers.utils.context_packs import create_context_pack
from resolvers.utils.memories import create_memory
from resolvers.utils.metadata import create_metadata
from resolvers.utils.schedules import create_schedule
from schema.content import Upload
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
    """What an operation must have; of a body only that there is one."""
    return _valid(op) | ({op.body.name: {}} if op.body is not None and op.body.default is op.body.empty else {})


def _takes(kind: TypeAdapter[Any], value: str) -> bool:
    try:
        kind.validate_strings(value)
    except ValueError:
        return False
    return True


def _names(answer: Any, op: Operation[..., Any], name: str, path: Path) -> bool:
    """Whether an answer refuses the very field; places in lists are passed over."""
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
