"""The short way through plain objects answers what the library answers, and a query is validated once."""

import logging
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from enum import Enum
from functools import lru_cache
from types import SimpleNamespace
from typing import Any

import pytest
import strawberry
from graphql import (
    GraphQLError,
    GraphQLObjectType,
    OperationDefinitionNode,
    OverlappingFieldsCanBeMergedRule,
    SelectionSetNode,
    Undefined,
    parse,
    validate,
)
from hypothesis import given, settings
from hypothesis import strategies as st
from strawberry.extensions import FieldExtension, ParserCache, SchemaExtension
from strawberry.permission import BasePermission
from strawberry.scalars import JSON
from strawberry.types import ExecutionResult
from strawberry.types.field import StrawberryField

from schema.checked import CheckedDocuments
from schema.graph_bounds import GraphSettings
from schema.limits import extensions
from schema.plan import ENUM, PlanExecutor, Read, execute_planned, read_in
from schema.plan.collected import CollectedSelections
from schema.plan.projection import Chosen, Projections, Shape

pytestmark = pytest.mark.anyio


@strawberry.enum
class Colour(Enum):
    """A choice."""

    RED = "red"
    BLUE = "blue"


class Nobody(BasePermission):
    """Nobody may read the field."""

    message = "Not for you."

    def has_permission(self, *given: Any, **named: Any) -> bool:
        """See the class."""
        return False


class Louder(FieldExtension):
    """Answers in capitals."""

    def resolve(self, next_: Any, source: Any, info: Any, **given: Any) -> Any:
        """See the class."""
        return str(next_(source, info, **given)).upper()


class Counted(StrawberryField):
    """A field that has a way of its own to its value."""

    def get_result(self, source: Any, *given: Any, **named: Any) -> Any:
        """See the class."""
        return len(source.name)


@strawberry.interface
class Named:
    """Whatever has a name."""

    name: str


@strawberry.type
class Screw(Named):
    """One kind of it."""

    turns: int


@strawberry.type
class Nail(Named):
    """Another."""

    heads: list[Colour]


@strawberry.type
class Thing:
    """Something with fields of each plain kind, and some of kinds that are not plain."""

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
    grid: list[list[int | None]] | None = None
    rows: "list[list[Thing | None]] | None" = None
    twin: "Thing | None" = None
    fixed: Screw | Nail | None = None
    held: Named | None = None
    screw: Screw | None = None
    hidden: str | None = strawberry.field(default="hidden", permission_classes=[Nobody])
    loud: str = strawberry.field(default="loud", extensions=[Louder()])
    counted: int = Counted(python_name="counted", default=0)

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


class Kept:
    """What stands for a thing, as a row of its values; some are kept as they are written."""

    FIELDS = ("name", "note", "size", "weight", "open", "colour", "made_at", "extra", "words", "parts", "grid", "rows",
              "twin", "fixed", "held", "screw", "hidden", "loud", "counted")  # fmt: skip
    __plan_row__ = "row"
    __plan_reads__ = {
        **{
            name: Read(f"r[{at}]")
            for at, name in enumerate(FIELDS)
            if name in ("name", "note", "size", "weight", "open")
        },
        "colour": Read("r[5]", ENUM),
        "made_at": Read("r[6]", "DateTime"),
        "words": Read("r[8]", "String"),  # a list, which no scalar writes: the attribute is asked for
    }

    def __init__(self, thing: Thing) -> None:
        self.row = [getattr(thing, name) for name in self.FIELDS]
        if isinstance(thing.colour, Colour):
            self.row[5] = thing.colour.value
        if isinstance(thing.made_at, datetime):
            self.row[6] = thing.made_at.isoformat()

    def __getattr__(self, name: str) -> Any:
        """A field, as the thing has it."""
        if name not in self.FIELDS:
            raise AttributeError(name)
        value = self.row[self.FIELDS.index(name)]
        if name == "colour" and value in ("red", "blue"):
            return Colour(value)
        return datetime.fromisoformat(value) if name == "made_at" and value[0] == "2" else value


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
    {"grid": [[1, None], [2**40]]},
    {"grid": [[1], None]},
    {"grid": [[1], 2]},
    {"rows": [[None], [Colour.RED]]},
    {"rows": [[None], None]},
    {"screw": Nail(name="nail", heads=[])},
    {"fixed": "loose"},
    {"held": Nail(name="nail", heads=["green"])},  # type: ignore[list-item]
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
    def kept(self) -> list[Thing | None]:
        """The same and other ones as rows, among those that are none."""
        good: list[Any] = [_thing(twin=Kept(_thing(note="n"))), _thing(parts=[Kept(_thing()), _thing()], size=0)]
        # A row that says it keeps moments as they are written keeps no other text.
        wrong: list[Any] = [Kept(_thing(**changed)) for changed in WRONG if "made_at" not in changed]
        return [*map(Kept, good), *good, *wrong, Kept(_thing(parts=wrong)), None]

    @strawberry.field
    def good(self) -> list[Thing]:
        """Only good ones."""
        screw, nail = Screw(name="screw", turns=3), Nail(name="nail", heads=[Colour.RED])
        edges = {"fixed": screw, "held": nail, "screw": screw, "grid": [[1, None], []], "twin": _thing(fixed=nail)}
        return [_thing(**edges), _thing(note="n", parts=[_thing(weight=None)], rows=[[_thing(), None], []])]

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
            *(_thing(twin=_thing(name="twin", **changed)) for changed in WRONG),
            *(_thing(rows=[[_thing(), part]]) for part in parts),
        ]


KINDS = [Screw, Nail]


@lru_cache(maxsize=100)
def _faults(text: str) -> list[GraphQLError]:
    return validate(WHOLE._schema, parse(text), [OverlappingFieldsCanBeMergedRule])


class ValidatedOnce(SchemaExtension):
    """By the one rule that a made-up query can break and that execution rests on; both graphs have the same types.

    Half of what a query costs here would be the other rules, and most queries leave a variable unused.
    """

    def on_validate(self) -> Iterator[None]:
        """See the class."""
        context = self.execution_context
        assert context.query is not None
        context.pre_execution_errors = _faults(context.query)
        yield


# The same text is the same nodes, as it is for the platform's own graph.
ONCE: list[Any] = [lambda: ParserCache(maxsize=100), ValidatedOnce]


class Planned(strawberry.Schema):
    """A schema that goes every short way there is."""

    def _get_execute_function(self) -> Callable[..., Any]:
        return execute_planned


SHORT = Planned(Query, types=KINDS, execution_context_class=PlanExecutor, extensions=ONCE)
WHOLE = strawberry.Schema(Query, types=KINDS, extensions=ONCE)

_plain = [
    *("name", "note", "size", "weight", "open", "colour", "madeAt", "extra", "words", "shouted", "__typename"),
    *("again: name", "name note", "repeated(times: 3)", "note @skip(if: true)", "size @include(if: $yes)"),
    *("... on Thing { weight }", "...some", "hidden", "loud counted", "grid", "... @include(if: $yes) { grid }"),
    *("twin { name colour grid }", "twin { hidden }", "twin @skip(if: $yes) { name }", "twin { name } twin { size }"),
    *(
        "rows { name size }",
        "screw { turns }",
        "screw { turns: name ... on Named { name } }",
        "held { name __typename }",
    ),
    *("held { ... on Nail { heads } }", "fixed { ... on Named { name } ... on Screw { turns } ... on Nail { heads } }"),
]
_selections = st.recursive(
    st.lists(st.sampled_from(_plain), min_size=1, max_size=5).map(" ".join),
    lambda inner: st.tuples(st.lists(st.sampled_from(_plain), max_size=3).map(" ".join), inner).map(
        lambda pair: f"{pair[0]} parts {{ {pair[1]} }}"
    ),
    max_leaves=4,
)


@pytest.fixture(autouse=True)
def _untold_in_the_log(caplog: pytest.LogCaptureFixture) -> None:
    """Errors are what many of these queries are made for: writing a traceback of each is most of what they cost."""
    caplog.set_level(logging.CRITICAL + 1, "strawberry.execution")


def _told(result: ExecutionResult) -> tuple[Any, Any]:
    errors = [error.formatted for error in result.errors or ()]
    return repr(result.data), [repr(error) for error in errors]  # NaN differs from itself, its spelling does not


def _compared(selection: str, field: str) -> None:
    query = (
        f"query Q($yes: Boolean! = true) {{ {field} {{ {selection} }} }} fragment some on Thing {{ name open }} "
        "query R($yes: Boolean! = true) { good { ...some size @include(if: $yes) } }"
    )

    def told(schema: strawberry.Schema, yes: bool) -> tuple[Any, Any]:
        return _told(schema.execute_sync(query, variable_values={"yes": yes}, operation_name="Q"))

    whole = {yes: told(WHOLE, yes) for yes in (True, False)}
    for yes in (True, True, False, True):  # from the second time on with a plan, or with projections at least
        assert told(SHORT, yes) == whole[yes]


@settings(max_examples=2_500, deadline=None)
@given(selection=_selections, field=st.sampled_from(["things", "good", "mixed", "kept"]))
def test_the_short_way_answers_exactly_what_the_library_answers(selection: str, field: str) -> None:
    _compared(selection, field)


@pytest.mark.parametrize(
    "selection", ["screw { turns } screw { turns: name }", "name: size name", "name note @skip(if: $yes) { size }"]
)
def test_what_is_not_valid_is_refused_as_the_library_refuses_it(selection: str) -> None:
    validated = [lambda: ParserCache(maxsize=100)]
    short = Planned(Query, types=KINDS, execution_context_class=PlanExecutor, extensions=validated)
    whole = strawberry.Schema(Query, types=KINDS, extensions=validated)
    query = f"query($yes: Boolean!) {{ good {{ {selection} }} }}"
    for _ in range(3):
        refused = _told(short.execute_sync(query, variable_values={"yes": True}))
        assert refused == _told(whole.execute_sync(query, variable_values={"yes": True}))
        assert refused[1]


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
        short = strawberry.Schema(Query, types=KINDS, execution_context_class=PlanExecutor, extensions=ONCE)
        for _ in range(2):
            resolved.clear()
            assert short.execute_sync(query).errors is None
        assert set(resolved) == by_the_library


def test_shapes_are_remembered_within_bounds() -> None:
    projections, type_ = Projections(most=2), SHORT._schema.type_map["Thing"]
    shapes = [Shape(type_, (Chosen(name, "name", None),), 1) for name in "abc"]  # type: ignore[arg-type]
    assert [projections.of(shape) for shape in shapes] == [None] * 3
    assert projections.of(shapes[0]) is None  # the oldest was forgotten
    made = projections.of(shapes[2])
    assert made is not None
    assert made(_thing()) == {"c": "bolt"}
    assert projections.of(shapes[2]) is made
    few = Projections(most_fields=2)
    assert [few.of(shape) for shape in (*shapes, shapes[0])] == [None] * 4
    assert few.of(shapes[2]) is not None


def test_fragments_that_name_each_other_do_not_make_a_shape_without_end() -> None:
    ways = " ".join(f"w{at}: parts {{ ...F%d }}" for at in range(10))
    fragments = " ".join(f"fragment F{at} on Thing {{ {ways % ((at + 1,) * 10)} }}" for at in range(11))
    query = f"{{ good {{ ...F0 }} }} {fragments} fragment F11 on Thing {{ name }}"
    answer = SHORT.execute_sync(query)
    assert answer.errors is None
    assert answer.data == WHOLE.execute_sync(query).data


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


@pytest.mark.parametrize("field", ["hidden", "loud", "counted"])
def test_what_stands_before_an_attribute_is_never_gone_past(field: str) -> None:
    query = f"{{ good {{ name {field} twin {{ {field} }} }} }}"
    whole = _told(WHOLE.execute_sync(query))
    assert (field == "hidden") is bool(whole[1])
    for _ in range(2):
        assert _told(SHORT.execute_sync(query)) == whole


def test_a_document_is_checked_once_whoever_sends_it() -> None:
    made = extensions(GraphSettings())
    assert made[0]()._documents is made[0]()._documents  # type: ignore[attr-defined]
    documents, schema = CheckedDocuments(GraphSettings()), SHORT._schema
    document = documents.parsed("{ good { name } }")
    assert documents.parsed("{ good { name } }") is document
    assert documents.errors(schema, "{ good { name } }", document) == []
    assert list(documents._right) == [(id(schema), "{ good { name } }")]


READS: list[frozenset[str] | None] = []


@strawberry.type
class Box:
    """Something with things in it."""

    things: list[Thing]


@strawberry.type
class Boxes:
    """A box, whose resolver asks what is read of its things."""

    @strawberry.field
    def box(self, info: strawberry.Info) -> Box:
        """One."""
        READS.append(read_in(info._raw_info, "things"))
        return Box(things=[_thing()])


@pytest.mark.parametrize(
    ("selection", "read"),
    [
        ("things { name again: size __typename }", {"name", "size"}),
        (
            "things { name @skip(if: true) ... on Thing @include(if: false) { open } ...more }",
            {"name", "open", "note", "size"},
        ),
        ("things { name } other: things { madeAt twin { weight } }", {"name", "made_at", "twin"}),
        ("things { name shouted }", None),
        ("things { name hidden }", None),
        ("things { repeated(times: 2) }", None),
        ("things { held { name } }", None),
        ("__typename", set()),
    ],
)
def test_a_resolver_is_told_what_is_read_of_the_objects_that_it_gives(selection: str, read: set[str] | None) -> None:
    schema = strawberry.Schema(Boxes, types=KINDS, execution_context_class=PlanExecutor)
    READS.clear()
    used = "...more" in selection
    fragments = "fragment more on Thing { note ...last } fragment last on Thing { size }" if used else ""
    for _ in range(2):
        schema.execute_sync(f"{{ box {{ {selection} }} }} {fragments}")
    assert [None if read is None else frozenset(read)] * 2 == READS


def test_what_a_selection_chooses_is_kept_where_nothing_else_decides_it() -> None:
    kept = CollectedSelections(most=2)
    thing = WHOLE._schema.type_map["Thing"]
    assert isinstance(thing, GraphQLObjectType)

    def chosen(text: str) -> SelectionSetNode:
        (operation,) = parse(text).definitions
        assert isinstance(operation, OperationDefinitionNode)
        return operation.selection_set

    def fields() -> Any:
        return SimpleNamespace(grouped_field_set={})

    for text in (
        "query Q($a: Boolean!) { name @include(if: $a) }",
        "{ parts { name @skip(if: false) } }",
        "{ name ... { size } }",
        "{ parts { ...some } }",
        "{ " + " ".join(f"a{number}: name" for number in range(1000)) + " }",
    ):
        selection = chosen(text)
        kept.keep(thing, selection, fields())
        assert kept.of(thing, selection) is None, text
    selections = [chosen("{ name parts { size } }") for _ in range(3)]
    made = [fields() for _ in selections]
    for selection, one in zip(selections, made, strict=True):
        kept.keep(thing, selection, one)
    assert [kept.of(thing, selection) for selection in selections] == [None, *made[1:]]
    assert kept.of_set(made[0].grouped_field_set) is None
    assert kept.of_set(made[1].grouped_field_set) is not None
    assert len(kept._kept) == len(kept._by_set) == 2
