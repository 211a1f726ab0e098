"""Hooks of extensions: run the short way, they see and do what they do in the library's own."""

from collections.abc import AsyncIterator, Callable, Iterator
from typing import Any

import pytest
import strawberry
from strawberry.extensions import SchemaExtension

from schema.plan import StepsRunner

pytestmark = pytest.mark.anyio

HOOKS = ("on_operation", "on_parse", "on_validate", "on_execute")


@strawberry.type
class Query:
    """One field."""

    @strawberry.field
    def name(self) -> str:
        """A name."""
        return "bolt"


class Short(strawberry.Schema):
    """A schema whose hooks run the short way."""

    def create_extensions_runner(self, execution_context: Any, extensions: Any) -> StepsRunner:
        """See `StepsRunner`."""
        return StepsRunner(execution_context, extensions)


def _extension(name: str, seen: list[str], fails: str | None, takes: bool) -> type[SchemaExtension]:
    def hook_of(point: str) -> Callable[..., AsyncIterator[None]]:
        async def hook(self: Any) -> AsyncIterator[None]:
            seen.append(f"{name} begins {point}")
            if fails == f"{name} {point} before":
                raise LookupError(fails)
            try:
                yield
            except Exception as failure:
                seen.append(f"{name} is told of {failure}")
                if not takes:
                    raise
            if fails == f"{name} {point} after":
                raise LookupError(fails)
            seen.append(f"{name} ends {point}")

        return hook

    return type(name, (SchemaExtension,), {point: hook_of(point) for point in HOOKS})


FAILURES = [None, *(f"{name} {point} {when}" for name in "ab" for point in HOOKS for when in ("before", "after"))]


@pytest.mark.parametrize("takes", [False, True])
async def test_hooks_run_as_the_library_runs_them(takes: bool) -> None:
    for fails in FAILURES:
        told: list[Any] = []
        for kind in (Short, strawberry.Schema):
            seen: list[str] = []
            schema = kind(Query, extensions=[_extension(name, seen, fails, takes) for name in "ab"])
            try:
                result = await schema.execute("{ name }")
                answer: Any = result.data, [error.message for error in result.errors or ()]
            except Exception as failure:
                answer = type(failure), str(failure)
            told.append((answer, seen))
        assert told[0] == told[1], fails


async def test_other_kinds_of_hooks_run_in_the_library() -> None:
    seen: list[str] = []

    class Plain(SchemaExtension):
        def on_execute(self) -> Iterator[None]:
            seen.append("begins")
            yield
            seen.append("ends")

    assert (await Short(Query, extensions=[Plain]).execute("{ name }")).data == {"name": "bolt"}
    assert seen == ["begins", "ends"]


def test_without_a_loop_the_library_has_them() -> None:
    hooked = [_extension("a", [], None, takes=False)]
    for kind in (Short, strawberry.Schema):
        assert kind(Query).execute_sync("{ name }").data == {"name": "bolt"}
        refused = kind(Query, extensions=hooked).execute_sync("{ name }")
        assert refused.errors is not None
        assert refused.errors[0].message.endswith("on_operation failed to complete synchronously.")
