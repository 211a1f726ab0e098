"""The short way through plain objects answers what the library answers, and a query is validated once."""

from datetime import UTC, datetime
from enum import Enum
from typing import Any

import pytest
import strawberry
from graphql import Undefined
from hypothesis import given, settings
from hypothesis import strategies as st
from strawberry.extensions import SchemaExtension
from strawberry.scalars import JSON
from strawberry.types import ExecutionResult

from schema.checked import CheckedDocuments
from schema.graph_bounds import GraphSettings
from schema.limits import extensions
from schema.plan import PlanExecutor
from schema.plan.projection import Chosen, Projections, Shape

pytestmark = pytest.mark.anyio


@strawberry.enum
class Colour(Enum):
    """A choice."""

    RED = "red"
    BLUE = "blue"


@strawberry.type
class Thing:
    """Something with fields of each plain kind, and one of a kind that is not plain."""

    name: str
    note: str | None
    size: int
    weight: float | None
    open: bool
    colour: Colour
    made_at: datetime
    extra: JSON
    words: list[str]
    parts: "list[Thing] | None"

    @strawberry.field
    def shouted(self) -> str:
        """A field with a resolver."""
        return str(self.name).upper()

    @strawberry.field
    def repeated(self, times: int = 2) -> str:
        """A field with an argument."""
        return str(self.name) * times


def _thing(**changed: Any) -> Any:
    values: dict[str, Any] = {
        "name": "bolt",
        "note": None,
        "size": 3,
        "weight": 0.5,
        "open": True,
        "colour": Colour.BLUE,
        "made_at": datetime(2026, 1, 2, tzinfo=UTC),
        "extra": {"a": [1, None]},
        "words": ["x", "y"],
        "parts": [],
    }
    return Thing(**(values | changed))


async def _later() -> str:
    return "late"


WRONG: list[dict[str, Any]] = [
    {"name": None},
    {"size": "many"},
    {"size": 2**40},
    {"colour": "green"},
    {"made_at": "yesterday"},
    {"note": LookupError("gone")},
    {"extra": LookupError("gone")},
    {"extra": None},
    {"weight": float("nan")},
]


@strawberry.type
class Query:
    """Many things: good ones, and one of each wrong kind."""

    @strawberry.field
    def things(self) -> list[Thing | None]:
        """With parts, so that wrong ones stand at two depths."""
        wrong = [_thing(**changed) for changed in WRONG]
        return [_thing(), _thing(note="n", parts=[_thing(), *wrong]), *wrong, None]

    @strawberry.field
    def good(self) -> list[Thing]:
        """Only good ones."""
        return [_thing(), _thing(note="n", parts=[_thing(weight=None)])]

    @strawberry.field
    def mixed(self) -> list[Thing]:
        """Good ones, with parts of a wrong kind each."""
        parts: list[Any] = [_later, LookupError("gone"), "text", 7, None, {"name": "bolt"}, [_thing()]]
        lists: list[Any] = [(_thing(),), {"a": 1}, iter([_thing()]), "text", LookupError("gone"), _thing()]
        words: list[Any] = [["x", None], ["x", 1], ("x",), "x", [LookupError("gone")], [["x"]], Undefined]
        return [
            *(_thing(parts=[_thing(), part]) for part in parts),
            *(_thing(parts=some) for some in lists),
            *(_thing(words=some) for some in words),
        ]


SHORT = strawberry.Schema(Query, execution_context_class=PlanExecutor)
WHOLE = strawberry.Schema(Query)

_plain = [
    *("name", "note", "size", "weight", "open", "colour", "madeAt", "extra", "words", "shouted", "__typename"),
    *("again: name", "name note", "repeated(times: 3)", "note @skip(if: true)", "size @include(if: $yes)"),
    *("... on Thing { weight }", "...some"),
]
_selections = st.recursive(
    st.lists(st.sampled_from(_plain), min_size=1, max_size=5).map(" ".join),
    lambda inner: st.tuples(st.lists(st.sampled_from(_plain), max_size=3).map(" ".join), inner).map(
        lambda pair: f"{pair[0]} parts {{ {pair[1]} }}"
    ),
    max_leaves=4,
)


def _told(result: ExecutionResult) -> tuple[Any, Any]:
    errors = [error.formatted for error in result.errors or ()]
    return repr(result.data), sorted(errors, key=repr)  # NaN differs from itself, its spelling does not


def _compared(selection: str, field: str) -> None:
    query = (
        f"query Q($yes: Boolean! = true) {{ {field} {{ {selection} }} }} fragment some on Thing {{ name open }} "
        "query R($yes: Boolean! = true) { good { ...some size @include(if: $yes) } }"
    )
    whole = _told(WHOLE.execute_sync(query, operation_name="Q"))
    for _ in range(2):  # the second time with projections for all that it chooses
        assert _told(SHORT.execute_sync(query, operation_name="Q")) == whole


_generated = given(selection=_selections, field=st.sampled_from(["things", "good", "mixed"]))


@settings(max_examples=500, deadline=None)
@_generated
def test_the_short_way_answers_exactly_what_the_library_answers(selection: str, field: str) -> None:
    _compared(selection, field)


@pytest.mark.long
@settings(max_examples=10_000, deadline=None)
@_generated
def test_it_does_so_for_ten_thousand_queries(selection: str, field: str) -> None:
    _compared(selection, field)


def test_plain_objects_take_the_short_way_and_others_do_not(monkeypatch: pytest.MonkeyPatch) -> None:
    resolved: list[str] = []

    def note(self: Any, parent_type: Any, source: Any, details: Any, *rest: Any) -> Any:
        resolved.append(details[0].node.name.value)
        return original(self, parent_type, source, details, *rest)

    original = PlanExecutor.execute_field
    monkeypatch.setattr(PlanExecutor, "execute_field", note)
    plain = "{ good { name note size colour madeAt extra words __typename parts { name parts { open } } } }"
    for query, by_the_library in (
        (plain, {"good"}),
        ("{ good { name shouted } }", {"good", "name", "shouted"}),
        ("{ good { repeated(times: 1) } }", {"good", "repeated"}),
        ("{ good { parts { name shouted } } }", {"good", "parts", "name", "shouted"}),
    ):
        for _ in range(2):
            resolved.clear()
            assert SHORT.execute_sync(query).errors is None
        assert set(resolved) == by_the_library


def test_shapes_are_remembered_within_bounds() -> None:
    projections, type_ = Projections(most=2), SHORT._schema.type_map["Thing"]
    shapes = [Shape(type_, (Chosen(name, "name", None),)) for name in "abc"]  # type: ignore[arg-type]
    assert [projections.of(shape) for shape in shapes] == [None] * 3
    assert projections.of(shapes[0]) is None  # the oldest was forgotten
    made = projections.of(shapes[2])
    assert made is not None
    assert made(_thing()) == {"c": "bolt"}
    assert projections.of(shapes[2]) is made


async def test_a_value_that_has_to_be_awaited_is_awaited() -> None:
    class Late:
        def __init__(self) -> None:
            self.extra = _later()

    @strawberry.type
    class Waiting:
        @strawberry.field
        def late(self) -> Thing:
            return Late()  # type: ignore[return-value]

    schema = strawberry.Schema(Waiting, execution_context_class=PlanExecutor)
    result = await schema.execute("{ late { extra } }")
    assert result.errors is None
    assert result.data == {"late": {"extra": "late"}}


def test_an_extension_that_resolves_fields_sees_every_one() -> None:
    seen: list[str] = []

    class Watch(SchemaExtension):
        def resolve(self, _next: Any, root: Any, info: Any, *args: Any, **kwargs: Any) -> Any:
            seen.append(info.field_name)
            return _next(root, info, *args, **kwargs)

    schema = strawberry.Schema(Query, extensions=[Watch], execution_context_class=PlanExecutor)
    assert schema.execute_sync("{ good { name } }").errors is None
    watched = seen.copy()
    seen.clear()
    whole = strawberry.Schema(Query, extensions=[Watch])
    assert whole.execute_sync("{ good { name } }").errors is None
    assert watched == seen


def test_a_document_is_checked_once_whoever_sends_it() -> None:
    made = extensions(GraphSettings())
    assert made[0]()._documents is made[0]()._documents  # type: ignore[attr-defined]
    documents, schema = CheckedDocuments(GraphSettings()), SHORT._schema
    document = documents.parsed("{ good { name } }")
    assert documents.parsed("{ good { name } }") is document
    assert documents.errors(schema, "{ good { name } }", document) == []
    assert list(documents._right) == [(id(schema), "{ good { name } }")]
