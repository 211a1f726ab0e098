"""Whole queries by a plan: what is answered, and what resolvers are called with, is what it is by the library."""

import asyncio
import logging
from collections.abc import Callable, Iterator
from enum import Enum
from typing import Any

import pytest
import strawberry
from hypothesis import given, settings
from hypothesis import strategies as st
from strawberry.extensions import FieldExtension, ParserCache, SchemaExtension
from strawberry.permission import BasePermission
from strawberry.scalars import JSON

from schema.plan import PlanExecutor, execute_planned
from schema.plan.operations import MOST_WAYS, plans_of

pytestmark = pytest.mark.anyio

CALLS: list[tuple[str, str]] = []
IT = strawberry.ID("it")


def called(name: str, /, **values: Any) -> str:
    """Write down a call, and say it."""
    CALLS.append((name, repr(values)))
    return f"{name} {values!r}"


@strawberry.enum
class Colour(Enum):
    """A choice."""

    RED = "red"
    BLUE = "blue"


@strawberry.input
class Filter:
    """What is looked for."""

    name: str
    colours: list[Colour] = strawberry.field(default_factory=lambda: [Colour.RED])
    inner: "Filter | None" = None


@strawberry.type
class Box:
    """Something plain, but for one field."""

    said: str
    note: str | None = None
    boxes: "list[Box] | None" = None
    wrong: int | None = None

    @strawberry.field
    def shouted(self) -> str:
        """Return what a resolver says."""
        return self.said.upper()


@strawberry.interface
class Named:
    """Whatever has a name."""

    name: str


@strawberry.type
class Screw(Named):
    """One kind of it."""


class Nobody(BasePermission):
    """Nobody may."""

    message = "Not for you."

    def has_permission(self, *_: Any, **__: Any) -> bool:
        """See the class."""
        return False


class Louder(FieldExtension):
    """Answers in capitals."""

    async def resolve_async(self, next_: Any, source: Any, info: Any, **named: Any) -> Any:
        """See the class."""
        return str(await next_(source, info, **named)).upper()

    def resolve(self, next_: Any, source: Any, info: Any, **named: Any) -> Any:
        """See the class."""
        return str(next_(source, info, **named)).upper()


@strawberry.type
class Query:
    """Resolvers of all kinds."""

    @strawberry.field
    def box(
        self,
        info: strawberry.Info,
        name: str,
        size: int = 3,
        colour: Colour = Colour.RED,
        tags: list[str] | None = None,
    ) -> Box:
        """One, by arguments; it says all that its resolver is told of the request."""
        told = (info.path.key, info.field_name, info.variable_values, info.context, info.operation.name is not None)
        return Box(
            said=called("box", name=name, size=size, colour=colour, tags=tags, told=told), boxes=[Box(said="in")]
        )

    @strawberry.field
    def found(self, where: Filter, at: strawberry.Maybe[int | None] = None, extra: JSON | None = None) -> Box | None:
        """One, by an object."""
        if where.name == "none":
            return None
        return Box(said=called("found", where=where, at=at, extra=extra), wrong=2**40 if where.name == "big" else 1)

    @strawberry.field
    def word(self, of: strawberry.ID = IT, weight: float | None = 1.5, yes: bool = True) -> str:
        """A leaf."""
        return called("word", of=of, weight=weight, yes=yes)

    @strawberry.field
    def boxes(self, many: int = 1) -> list[Box | None]:
        """A list; more than two are too many, and of none there is nothing."""
        called("boxes", many=many)
        if many > 2:
            raise LookupError(f"{many} are too many.")
        return None if many < 0 else [*(Box(said="x") for _ in range(many)), None]  # type: ignore[return-value]

    @strawberry.field
    def refused(self, because: str = "so", source: int = 1) -> str | None:
        """A failure where null may be, of an argument that is called as the library calls one of its own."""
        called("refused", because=because, source=source)
        raise PermissionError(because)

    @strawberry.field
    def given(self) -> str:
        """A failure that is given, not raised."""
        return LookupError(called("given"))  # type: ignore[return-value]

    @strawberry.field
    def later(self, name: str = "x") -> Box:
        """Something that has to be awaited in the end."""
        return Box(said=called("later", name=name), note=None)

    @strawberry.field(permission_classes=[Nobody])
    def closed(self) -> str | None:
        """Nobody reads it."""
        return called("closed")

    @strawberry.field(extensions=[Louder()])
    def loud(self) -> str:
        """Said louder."""
        return called("loud")

    @strawberry.field
    def named(self) -> Named:
        """Of a kind that is not known before."""
        return Screw(name=called("named"))

    @strawberry.field
    def screw(self) -> Screw:
        """Of a kind that looks at what it is given."""
        return Screw(name=called("screw"))

    @strawberry.field
    def parent(self, parent: strawberry.Parent[Any]) -> str:
        """Return what the root is."""
        return called("parent", parent=parent)


@strawberry.type
class Later:
    """The same, of which some have to be awaited."""

    @strawberry.field
    async def box(self, info: strawberry.Info, name: str, size: int = 3) -> Box:
        """One, by arguments."""
        await asyncio.sleep(0)
        if size < 0:
            raise LookupError("Too small.")
        return Box(said=called("box", name=name, size=size, key=info.path.key))

    @strawberry.field
    async def boxes(self, many: int = 1) -> list[Box | None]:
        """A list."""
        await asyncio.sleep(0)
        called("boxes", many=many)
        if many > 2:
            raise LookupError(f"{many} are too many.")
        return [Box(said="x", wrong=2**40 if many == 2 else None)] * many

    @strawberry.field
    async def refused(self, because: str = "so", source: int = 1) -> str | None:
        """A failure where null may be, of an argument that is called as the library calls one of its own."""
        called("refused", because=because, source=source)
        raise PermissionError(because)

    @strawberry.field
    def word(self, of: strawberry.ID = IT) -> str:
        """A leaf, at once."""
        if of == "no":
            raise LookupError("No word.")
        return called("word", of=of)

    @strawberry.field(extensions=[Louder()])
    async def loud(self) -> str:
        """Said louder."""
        return called("loud")


class Planned(strawberry.Schema):
    """A schema that goes every short way there is."""

    def _get_execute_function(self) -> Callable[..., Any]:
        return execute_planned


class Unchecked(SchemaExtension):
    """Takes a query with variables that it does not use, as a generator makes them."""

    def on_validate(self) -> Iterator[None]:
        """See the class."""
        self.execution_context.pre_execution_errors = []
        yield


ONCE: list[Any] = [lambda: ParserCache(maxsize=100), Unchecked]


def both(query: type) -> tuple[Planned, strawberry.Schema]:
    """A schema that plans, and one that does not."""
    return (
        Planned(query, types=[Screw], execution_context_class=PlanExecutor, extensions=ONCE),
        strawberry.Schema(query, types=[Screw], extensions=ONCE),
    )


PLANNED, WHOLE = both(Query)
PLANNED_LATER, WHOLE_LATER = both(Later)

BELOW = (
    *("{ said }", "{ said note boxes { said } }", "{ a: said ...more }", "{ said @skip(if: $yes) note }"),
    *("{ __typename wrong said }", "{ said shouted }", "{ ... on Box @include(if: $yes) { said } note }"),
)
ROOTS = (
    *("box(name: $name, size: $size) %s", 'box(name: "it", colour: BLUE, tags: ["a", "b"]) %s'),
    *('box(name: $name, tags: "one") %s', "box(name: $name, size: $size, tags: $tags, colour: $colour) %s"),
    *('found(where: {name: "big"}) %s', 'found(where: {name: "none"}) %s', "found(where: $where, at: $size) %s"),
    *("found(where: {name: $name, inner: $where}, at: null, extra: {a: [1, $size]}) %s", "later { said note }"),
    *("boxes %s", "boxes(many: $size) %s", "boxes(many: 3) %s", "boxes(many: -1) %s", "parent"),
    *("word", "word(of: $id, weight: 2, yes: $yes)", "word(of: 7)", "__typename", "...roots", "refused"),
    *("refused(because: $name) @include(if: $yes)", "given", "closed", "loud", "named { name }", "screw { name }"),
    "__schema { queryType { name } }",
)
LATER = (
    *("box(name: $name, size: $size) %s", 'box(name: "it", size: -1) %s', "boxes %s", "boxes(many: $size) %s"),
    *("boxes(many: 2) %s", "refused", "word", 'word(of: "no")', "word(of: $id)", "loud", "__typename", "...roots"),
)
HEAD = (
    'query Q($name: String! = "n", $size: Int = 1, $yes: Boolean! = true, $id: ID! = 4, $tags: [String!], '
    '$colour: Colour! = RED, $where: Filter! = {name: "w"})'
)
TAIL = "fragment more on Box { note wrong } fragment roots on Query { word other: word(of: $id) }"
VALUES: dict[str, tuple[list[Any], list[Any]]] = {
    "name": (["x", "Grüße", ""], [None, 7]),
    "size": ([0, 2, 9, -3, None, 1.0], ["3", 2**40, True]),
    "yes": ([True, False], [1, None]),
    "id": (["a", 5], [1.5, None]),
    "tags": ([None, [], ["a"], "b"], [[None]]),
    "colour": (["BLUE"], ["green", None]),
    "where": ([{"name": "big"}, {"name": "v", "colours": ["BLUE", "RED"]}], [{}, {"name": "v", "x": 1}]),
}
"""What each variable takes, and what is refused for it before anything is called."""
fitting = st.lists(st.sampled_from(sorted(VALUES)), max_size=3, unique=True).flatmap(
    lambda names: st.fixed_dictionaries({name: st.sampled_from(VALUES[name][0]) for name in names})
)
refused = st.sampled_from([{name: value} for name, (_, values) in sorted(VALUES.items()) for value in values])
variables = st.tuples(fitting, st.integers(0, 9), refused).map(
    lambda drawn: drawn[0] | (drawn[2] if drawn[1] == 9 else {})
)
"""A few queries are refused: whatever it asks for, nothing of it is carried out then."""


def roots(fields: tuple[str, ...]) -> st.SearchStrategy[str]:
    """Some root fields, each with what is chosen of it and a name of its own."""
    one = st.tuples(st.sampled_from(fields), st.sampled_from(BELOW))
    return st.lists(one, min_size=1, max_size=3).map(
        lambda chosen: " ".join(
            f"{f'r{at}: ' if at and not field.startswith('...') else ''}{field.replace('%s', below)}"
            for at, (field, below) in enumerate(chosen)
        )
    )


def document(selection: str) -> str:
    """A document with every variable and fragment that a root field may name."""
    return f"{HEAD} {{ {selection} }} {TAIL}"


@pytest.fixture(autouse=True)
def _untold_in_the_log(caplog: pytest.LogCaptureFixture) -> None:
    """Errors are what many of these queries are made for."""
    caplog.set_level(logging.CRITICAL + 1, "strawberry.execution")


def told(result: Any) -> tuple[Any, Any, Any]:
    """Return what is answered, in the order of its names, and what was called for it."""
    errors = sorted(repr(error.formatted) for error in result.errors or ())
    calls, CALLS[:] = CALLS.copy(), []
    return repr(result.data), errors, calls


def compared(selection: str, values: dict[str, Any]) -> None:
    """Both schemas say the same, from the first time on."""
    how: dict[str, Any] = {"variable_values": values, "context_value": "who", "root_value": "root"}
    whole = told(WHOLE.execute_sync(document(selection), **how))
    for _ in range(3):
        assert told(PLANNED.execute_sync(document(selection), **how)) == whole


def compared_later(selection: str, values: dict[str, Any]) -> None:
    """The same, where something has to be awaited. What fails first decides what is told of several."""

    async def asked() -> None:
        how: dict[str, Any] = {"variable_values": values, "context_value": "who"}
        whole = told(await WHOLE_LATER.execute(document(selection), **how))
        for _ in range(3):
            answered = told(await PLANNED_LATER.execute(document(selection), **how))
            assert answered[::2] == whole[::2]
            if whole[0] != "None" or not whole[1]:
                assert answered[1] == whole[1]
            else:
                assert len(answered[1]) == len(whole[1]) == 1 or answered[1] == whole[1]

    asyncio.run(asked())


@settings(max_examples=7_500, deadline=None)
@given(selection=roots(ROOTS), values=variables)
def test_a_plan_answers_and_calls_what_the_library_does(selection: str, values: dict[str, Any]) -> None:
    compared(selection, values)


@settings(max_examples=3_750, deadline=None)
@given(selection=roots(LATER), values=variables)
def test_it_does_so_where_resolvers_wait(selection: str, values: dict[str, Any]) -> None:
    compared_later(selection, values)


def by_the_library(monkeypatch: pytest.MonkeyPatch, query: str, **how: Any) -> list[str]:
    """The fields that the library resolves the third time that a query is asked."""
    resolved: list[str] = []

    def note(self: Any, parent_type: Any, source: Any, details: Any, *rest: Any) -> Any:
        resolved.append(details[0].node.name.value)
        return original(self, parent_type, source, details, *rest)

    original = PlanExecutor.execute_field
    with monkeypatch.context() as during:
        during.setattr(PlanExecutor, "execute_field", note)
        for _ in range(3):
            resolved.clear()
            PLANNED.execute_sync(query, **how)
    CALLS.clear()
    return resolved


@pytest.mark.parametrize(
    ("query", "resolved"),
    [
        ("{ word }", []),
        ('{ box(name: "a") { said boxes { note } } again: box(name: "b", colour: BLUE, tags: "t") { said } }', []),
        ("query($n: String!) { box(name: $n) { ...a } __typename } fragment a on Box { said }", []),
        ('{ found(where: {name: "x"}, at: 3) { said note } boxes { said } parent }', []),
        ('{ word box(name: "a") { shouted } }', ["word", "box", "shouted"]),
        ("{ closed }", ["closed"]),
        ("{ loud word }", ["loud", "word"]),
        ("{ screw { name } }", ["screw"]),
        ("{ named { name } }", ["named"]),
        ("{ refused word }", ["refused", "word"]),
    ],
)
def test_what_is_plain_is_planned(monkeypatch: pytest.MonkeyPatch, query: str, resolved: list[str]) -> None:
    assert by_the_library(monkeypatch, query, variable_values={"n": "x"}) == resolved


def test_what_was_called_is_not_called_again_when_the_library_tells_a_failure() -> None:
    query = '{ word refused found(where: {name: "big"}) { wrong } }'
    for _ in range(3):
        CALLS.clear()
        result = PLANNED.execute_sync(query)
        assert [name for name, _ in CALLS] == ["word", "refused", "found"]
        assert [error.path for error in result.errors or ()] == [["refused"], ["found", "wrong"]]


def test_plans_of_one_document_are_bounded_and_hold_nothing_of_a_request() -> None:
    names = [f"v{at}" for at in range(5)]
    head = ", ".join(f"${name}: Boolean!" for name in names)
    query = f"query({head}) {{ word {' '.join(f'{n}: word @include(if: ${n})' for n in names)} }}"
    for way in range(2 ** len(names)):
        values = {name: bool(way >> at & 1) for at, name in enumerate(names)}
        chosen = [name for name in names if values[name]]
        for _ in range(2):
            result = PLANNED.execute_sync(query, variable_values=values, context_value="secret")
            assert result.data is not None
            assert list(result.data) == ["word", *chosen]
    known = list(plans_of(PLANNED._schema)._kept.values())[-1]
    assert len(known.plans) == MOST_WAYS
    for plan in known.plans.values():
        assert plan is not None
        for root in plan._roots:
            assert (root.info.context, root.info.variable_values) == (None, {})
    CALLS.clear()


def test_an_extension_that_resolves_fields_sees_every_one() -> None:
    seen: list[str] = []

    class Watch(SchemaExtension):
        def resolve(self, _next: Any, root: Any, info: Any, *args: Any, **kwargs: Any) -> Any:
            seen.append(info.field_name)
            return _next(root, info, *args, **kwargs)

    watched = Planned(Query, execution_context_class=PlanExecutor, extensions=[*ONCE, Watch])
    for _ in range(3):
        seen.clear()
        watched.execute_sync("{ word }")
        assert seen == ["word"]


async def test_resolvers_that_wait_do_so_together() -> None:
    met = asyncio.Barrier(2)

    @strawberry.type
    class Meeting:
        @strawberry.field
        async def here(self, name: str) -> str:
            await asyncio.wait_for(met.wait(), 5)
            return name

    planned = Planned(Meeting, execution_context_class=PlanExecutor, extensions=ONCE)
    for _ in range(3):
        result = await planned.execute('{ a: here(name: "a") b: here(name: "b") }')
        assert result.data == {"a": "a", "b": "b"}
