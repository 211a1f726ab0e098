"""The hooks of a schema's extensions, run in their order without the library's machinery around each.

The library looks at every hook of every extension four times a request, and puts each into a context manager inside of
a stack of such. What these do to hooks that are asynchronous generators is written here in a few lines; a schema that
has any other kind of hook is served by the library's own.
"""

import inspect
from collections.abc import AsyncIterator, Callable, Sequence
from functools import lru_cache
from types import TracebackType
from typing import Any, cast

from strawberry.extensions import SchemaExtension
from strawberry.extensions.context import (
    ExecutingContextManager,
    ExtensionContextManagerBase,
    OperationContextManager,
    ParsingContextManager,
    ValidationContextManager,
)
from strawberry.extensions.runner import SchemaExtensionsRunner

_Hook = Callable[[SchemaExtension], AsyncIterator[None]]


class StepsRunner(SchemaExtensionsRunner):
    """Strawberry's runner of extensions; give it to a schema by its `create_extensions_runner`."""

    def operation(self) -> OperationContextManager:
        """Around the whole of one request."""
        return cast("OperationContextManager", _steps(self.extensions, OperationContextManager))

    def parsing(self) -> ParsingContextManager:
        """Around reading its document."""
        return cast("ParsingContextManager", _steps(self.extensions, ParsingContextManager))

    def validation(self) -> ValidationContextManager:
        """Around checking it."""
        return cast("ValidationContextManager", _steps(self.extensions, ValidationContextManager))

    def executing(self) -> ExecutingContextManager:
        """Around carrying it out."""
        return cast("ExecutingContextManager", _steps(self.extensions, ExecutingContextManager))


class _Steps:
    """Some hooks as an asynchronous context manager: begun in their order, ended in the opposite one."""

    __slots__ = ("_begun", "_hooks", "_whole")

    def __init__(
        self, hooks: Sequence[tuple[SchemaExtension, _Hook]], whole: Callable[[], ExtensionContextManagerBase]
    ) -> None:
        self._hooks, self._whole = hooks, whole
        self._begun: list[Any] = []

    def __enter__(self) -> None:
        """Without a loop the library has them, and says that they cannot be run."""
        whole = self._whole()
        whole.__enter__()
        self._begun.append(whole)

    def __exit__(
        self, kind: type[BaseException] | None, failure: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._begun.pop().__exit__(kind, failure, trace)

    async def __aenter__(self) -> None:
        for extension, hook in self._hooks:
            running = hook(extension)
            await anext(running)
            self._begun.append(running)

    async def __aexit__(
        self, kind: type[BaseException] | None, failure: BaseException | None, trace: TracebackType | None
    ) -> None:
        raised = failure
        for running in reversed(self._begun):
            try:
                await (anext(running) if failure is None else running.athrow(failure))
            except StopAsyncIteration:
                failure = None  # ended; one that takes a failure keeps it from the hooks around, not from the request
            except BaseException as other:
                failure = other
            else:
                failure = RuntimeError("A hook of an extension yields once.")
        if failure is not None and failure is not raised:
            raise failure


def _steps(extensions: Sequence[SchemaExtension], manager: type[ExtensionContextManagerBase]) -> Any:
    kinds = tuple(map(type, extensions))
    hooks = _hooks(kinds, manager.HOOK_NAME)
    if hooks is None:
        return manager(list(extensions))
    return _Steps([(extensions[at], hook) for at, hook in hooks], lambda: manager(list(extensions)))


@lru_cache(256)
def _hooks(kinds: tuple[type[SchemaExtension], ...], name: str) -> tuple[tuple[int, _Hook], ...] | None:
    """Which of the extensions have a hook here; None when one is of another kind than a generator."""
    default = getattr(SchemaExtension, name)
    own = [(at, getattr(kind, name)) for at, kind in enumerate(kinds)]
    found = tuple((at, hook) for at, hook in own if hook is not default)
    return found if all(inspect.isasyncgenfunction(hook) for _, hook in found) else None
