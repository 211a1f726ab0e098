"""Calls to make: from what an operation declares, valid and hostile, without any id of a certain world.

A call is a base of the world's stock and the edits to it, so that a failure can be read, shrunk and pinned.
"""

import re
from collections.abc import Iterator, Mapping
from copy import deepcopy
from dataclasses import dataclass, field
from functools import cache, cached_property
from typing import Any

from hypothesis import strategies as st

from tests.contract.test_permission_matrix import MATRIX, places_of
from tests.doors import ROUTES, SUBSCRIPTIONS
from tests.parity.doors import ABSENT, Call
from tests.parity.twin import TRACE, Twin
from tests.world import ORG, OTHER_ORG

BODY = "(body)"
BASES = {name: sum(len(places_of(c)) for c in MATRIX if c.operation == name) for name in ROUTES}
CALLERS = (
    *("owner",) * 8,
    *("viewer", "developer", "member", "operator", "nobody", "stranger", "unselected", "nowhere", "expired", "garbage"),
)
PROJECTS = (*(None,) * 6, "own", "sibling", "foreign", "garbage", " ")
MATCHES = (*(None,) * 6, '"1"', '"2"', '"99"', 'W/"1"', "*", "garbage")
KEYS = (*(None,) * 4, "key", "another key", "x" * 256)
TEXTS = (
    "",
    " ",
    "x",
    "x" * 256,
    "x" * 5000,
    "null",
    "na\u00efve \u202e\U0001f4a5\u0000"[:-1],
    "nul\x00nul",
    "'; drop table projects; --",
    "%",
    "_",
    "a.b.c",
    "svc.db",
    "not-a-uuid",
    "00000000-0000-0000-0000-000000000000",
    "{00000000-0000-0000-0000-000000000000}",
    "2026-01-31T12:00:00Z",
    "2026-01-31",
    "2026-13-31T12:00:00Z",
    "name:asc",
    "name:sideways",
    "name:*",
    "\u00e9" * 300,
    "\n",
    ORG,
    OTHER_ORG,
    "acme:b",
    "data:acme:x:y",
    "ACTIVE",
)
NUMBERS = (0, 1, -1, 2, 50, 100, 101, 200, 201, 1000, 10_000, 20_000_001, 2**31 - 1, 2**31, -(2**31) - 1, 2**53, 2**63)
JSONS = ({}, {"a": 1}, {"a": {"b": [1, None, "\u00e9"]}}, {"a": "nul\x00"}, {"n": 2**63}, {"": 0.5})


@dataclass(frozen=True)
class Known:
    """An id of the stock by the name that it goes under; which one, counted round."""

    name: str
    index: int


@dataclass(frozen=True)
class Edit:
    """One change to a base: the value at a path, or that it is left out."""

    path: tuple[str | int, ...]
    value: Any = ABSENT


@dataclass(frozen=True)
class Step:
    """One call."""

    operation: str
    base: int = 0
    edits: tuple[Edit, ...] = ()
    caller: str = "owner"
    project: str | None = None
    match: str | None = None
    key: str | None = None
    about: tuple[str, int] | None = None
    """The base of another operation whose resource this call is about."""

    def call(self, twin: Twin) -> Call:
        """The call in a certain world."""
        base = twin.bases[self.operation][self.base]
        sent = {"plain": deepcopy(base.plain), BODY: deepcopy(base.body)}
        if self.about is not None:
            other = twin.bases[self.about[0]][self.about[1]]
            sent["plain"] |= {name: value for name, value in other.plain.items() if name in sent["plain"]}
        for edit in self.edits:
            value = edit.value
            if isinstance(value, Known):
                pool = twin.known[value.name]
                value = pool[value.index % len(pool)]
            if edit.path[0] == BODY:
                _put(sent, edit.path, value)
            else:
                _put(sent["plain"], edit.path, value)
        world = twin.world
        projects = {"own": world.shop, "sibling": world.lab, "foreign": world.theirs}
        headers = {"traceparent": TRACE, **base.headers}
        if self.project is not None:
            headers["X-Project-ID"] = projects.get(self.project, self.project)
        if self.match is not None:
            headers["If-Match"] = self.match
        if self.key is not None:
            headers["Idempotency-Key"] = self.key
        token = twin.tokens[self.caller]
        if token is not None:
            headers["Authorization"] = f"Bearer {token}"
        if base.file is not None and self.caller != "owner":  # REST refuses who may not before it reads the form
            sent = {"plain": deepcopy(base.plain), BODY: deepcopy(base.body)}
        if base.file is not None:  # a form holds texts, and says neither null nor another type
            sent[BODY] = {n: v for n, v in sent[BODY].items() if isinstance(v, str) and n != "tags"}
        if ROUTES[self.operation].project == "required":  # its absence is a difference of its own
            headers.setdefault("X-Project-ID", world.shop)
        return Call(self.operation, sent["plain"], sent[BODY], base.file, headers)


def _put(target: Any, path: tuple[str | int, ...], value: Any) -> None:
    *parents, last = path
    if isinstance(value, dict | list):
        value = deepcopy(value)  # a later edit may go into it, and it is shared by all steps
    for parent, below in zip(parents, path[1:], strict=True):
        fitting: type = list if isinstance(below, int) else dict
        if isinstance(target, list):
            if not target:
                target.append(fitting())
            target = target[0]
        else:
            if not isinstance(target.get(parent), fitting):
                target[parent] = fitting()
            target = target[parent]
        if not isinstance(target, fitting):
            return
    if isinstance(target, list):
        target[:1] = [] if value is ABSENT else [value]
    elif value is ABSENT and last != BODY:
        target.pop(last, None)
    else:
        target[last] = value


@dataclass
class Place:
    """Somewhere in an operation's input, and what the document says of it."""

    path: tuple[str | int, ...]
    schema: Mapping[str, Any]
    definitions: Mapping[str, Any] = field(repr=False)
    in_path: bool = False
    """Whether it is a segment of the path."""
    required: bool = False

    @property
    def listed(self) -> bool:
        """Return whether it holds a list."""
        return any(one.get("type") == "array" for one in _choices(self.schema, self.definitions))

    @cached_property
    def fitting(self) -> st.SearchStrategy[Any]:
        """Values of the documented type: making a strategy costs more than drawing from it."""
        return _fitting(self.schema, self.definitions)

    @cached_property
    def hostile(self) -> st.SearchStrategy[Any]:
        """Values that are not meant to be there."""
        return _hostile(self)


@cache
def places(operation: str) -> list[Place]:
    """Every place of an operation's input that can be edited."""
    op, route = ROUTES[operation].operation, ROUTES[operation]
    shown = op.arguments.model_json_schema()
    needed = shown.get("required", ())
    found = [
        Place((name,), schema, shown.get("$defs", {}), "{%s}" % name in route.path, name in needed)
        for name, schema in shown["properties"].items()
    ]
    if op.body_type is not None:
        body = op.body_type.json_schema(mode="validation")
        found += _below((BODY,), body, body.get("$defs", {}))
    return found


def _below(path: tuple[str | int, ...], schema: Mapping[str, Any], defs: Mapping[str, Any]) -> Iterator[Place]:
    if len(path) > 4:
        return
    for one in _choices(schema, defs):
        for name, inner in one.get("properties", {}).items():
            yield Place((*path, name), inner, defs, required=name in one.get("required", ()))
            yield from _below((*path, name), inner, defs)
        if one.get("type") == "array":
            yield Place((*path, 0), one.get("items", {}), defs)
            yield from _below((*path, 0), one.get("items", {}), defs)


def _choices(schema: Mapping[str, Any], defs: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """The schemas that a value may follow, references resolved."""
    if "$ref" in schema:
        return _choices(defs[schema["$ref"].rpartition("/")[2]], defs)
    for several in ("anyOf", "oneOf", "allOf"):
        if several in schema:
            return [one for part in schema[several] for one in _choices(part, defs)]
    return [schema]


def _fitting(schema: Mapping[str, Any], defs: Mapping[str, Any], depth: int = 0) -> st.SearchStrategy[Any]:
    """Values of the documented type, mostly within its bounds."""
    choices = _choices(schema, defs)
    return st.one_of([_of_one(one, defs, depth) for one in choices])


def _of_one(schema: Mapping[str, Any], defs: Mapping[str, Any], depth: int) -> st.SearchStrategy[Any]:
    if "enum" in schema:
        return st.sampled_from(schema["enum"])
    if "const" in schema:
        return st.just(schema["const"])
    kind = schema.get("type")
    if kind == "null":
        return st.none()
    if kind == "boolean":
        return st.booleans()
    if kind == "integer":
        low, high = schema.get("minimum", -(2**31)), schema.get("maximum", 2**31 - 1)
        return st.integers(low, high) | st.sampled_from([low - 1, low, high, high + 1])
    if kind == "number":
        low, high = schema.get("minimum", -1e9), schema.get("maximum", 1e9)
        return st.floats(low, high, allow_nan=False) | st.sampled_from([low - 1, low, high, high + 1])
    if kind == "array":
        deeper = depth < 3  # an array that stands deeper is empty
        few = st.lists(_fitting(schema.get("items", {}), defs, depth + 1), max_size=3) if deeper else st.just([])
        return few if "maxItems" not in schema else few | st.just(["x"] * (schema["maxItems"] + 1))
    if kind == "object":
        if "properties" not in schema or depth > 2:
            return st.sampled_from(JSONS)
        needed = schema.get("required", ())
        return st.fixed_dictionaries(
            {n: _fitting(s, defs, depth + 1) for n, s in schema["properties"].items() if n in needed},
            optional={n: _fitting(s, defs, depth + 1) for n, s in schema["properties"].items() if n not in needed},
        )
    if kind == "string":
        return _text_of(schema)
    return st.sampled_from([*TEXTS, *NUMBERS[:5], None, True, *JSONS])


def _text_of(schema: Mapping[str, Any]) -> st.SearchStrategy[str]:
    if schema.get("format") == "uuid":
        return st.uuids().map(str)
    if schema.get("format") == "date-time":
        return st.sampled_from(
            ["2026-01-31T12:00:00Z", "2026-01-31T12:00:00+02:00", "2026-01-31T12:00:00", "2031-01-31T12:00:00.123456Z"]
        )
    low, high = schema.get("minLength", 0), schema.get("maxLength", 2000)
    bounds = {max(low - 1, 0), low, high, high + 1}
    return st.text(
        st.characters(codec="utf-8", exclude_characters="\x00"), min_size=low, max_size=max(low, min(high, 12))
    ) | (st.sampled_from(sorted("x" * size for size in bounds if size <= 30_000)))


def _hostile(place: Place) -> st.SearchStrategy[Any]:
    """Return what is not meant to be there."""
    kinds = {one.get("type") for one in _choices(place.schema, place.definitions)}
    if place.path[0] != BODY:
        texts = [text for text in TEXTS if not place.in_path or (text.strip("./") and "/" not in text)]
        if kinds & {"integer", "number"}:
            return st.sampled_from([*NUMBERS, "x", "", "ten", "1e"])
        if "boolean" in kinds:
            return st.sampled_from([True, False, "maybe", "x"])
        return st.sampled_from(texts)
    return st.sampled_from([*TEXTS, *NUMBERS, 0.5, True, None, [], *JSONS])


POOLS = frozenset(
    re.findall(
        r"\w+",
        """org_id project_id resource_type resource_id name permission relation user_or_group resource_uri fqn asset_fqn
        fully_qualified_name configuration_id run_id pipeline_id asset_id session_id turn_id task_id term_id pack_id
        context_pack_id memory_id dimension_id definition_id violation_id schedule_id reference_id key""",
    )
)
"""Names under which the stock has values."""
KNOWN = sorted({"org_id", "project_id", "resource_uri", "fqn", "resource_id"} | {"run_id", "session_id", "memory_id"})


def _edit(draw: st.DrawFn, operation: str) -> Edit | None:
    found = places(operation)
    if not found:
        return None
    place = draw(st.sampled_from(found))
    how = draw(st.sampled_from(["fitting", "fitting", "hostile", "known", "left out", "unknown field"]))
    if how == "left out" and not place.in_path:
        return Edit(place.path)
    if how == "unknown field" and place.path[0] == BODY and isinstance(place.path[-1], str):
        return Edit((*place.path[:-1], "no_such_field"), draw(st.sampled_from([1, "x", None])))
    if how == "known":  # of the other tenant's too
        name = str(place.path[-1])
        known = Known(
            draw(st.sampled_from([name if name in POOLS else "resource_uri", *KNOWN])), draw(st.integers(0, 60))
        )
        return Edit((*place.path, 0) if place.listed else place.path, known)
    value = draw(place.fitting if how == "fitting" else place.hostile)
    if place.in_path and (not isinstance(value, str) or not value.strip("./") or "/" in value):
        return None
    if place.path[0] != BODY and value is None:
        return Edit(place.path)
    if place.listed and value is not None and not isinstance(value, list):
        value = [value]  # the graph takes a lone value for a list of it: a difference of its own
    return Edit(place.path, value)


@st.composite
def steps(draw: st.DrawFn, operation: str) -> Step:
    """Calls of one operation."""
    edits = [_edit(draw, operation) for _ in range(draw(st.sampled_from([0, 1, 1, 1, 1, 2, 3])))]
    return Step(
        operation,
        draw(st.sampled_from([0, 0, 0, *range(BASES[operation])])),
        tuple(edit for edit in edits if edit is not None),
        draw(st.sampled_from(CALLERS)),
        draw(st.sampled_from(PROJECTS)),
        draw(st.sampled_from(MATCHES)),
        draw(st.sampled_from(KEYS)),
    )


GROUPS = {
    name: [
        op for op in sorted(BASES) if name in ROUTES[op].operation.arguments.model_fields and op not in SUBSCRIPTIONS
    ]
    for name in (
        "memory_id",
        "pack_id",
        "schedule_id",
        "term_id",
        "session_id",
        "turn_id",
        "run_id",
        "configuration_id",
        "violation_id",
        "definition_id",
        "dimension_id",
        "resource_uri",
        "resource_id",
        "org_id",
    )
}
"""Operations that can be about one and the same resource, by the argument that names it."""


@st.composite
def sequences(draw: st.DrawFn, group: str) -> tuple[Step, ...]:
    """Several calls about one resource, mostly by its owner, each seeing what the ones before it did."""
    operations = GROUPS[group]
    writes = [op for op in operations if ROUTES[op].operation.kind != "reads"]
    subject = draw(st.sampled_from(writes))
    about = (subject, draw(st.integers(0, BASES[subject] - 1)))
    made = []
    for _ in range(draw(st.integers(2, 4))):
        chosen = draw(st.sampled_from([*writes, *operations]))
        edits = [_edit(draw, chosen) for _ in range(draw(st.sampled_from([0, 0, 1])))]
        made.append(
            Step(
                chosen,
                draw(st.integers(0, BASES[chosen] - 1)),
                tuple(edit for edit in edits if edit is not None),
                draw(st.sampled_from(["owner"] * 6 + ["developer", "stranger"])),
                draw(st.sampled_from([None, None, "own"])),
                draw(st.sampled_from([None, None, None, '"1"', '"2"', '"3"'])),
                draw(st.sampled_from([None, None, "key"])),
                about,
            )
        )
    return tuple(made)
