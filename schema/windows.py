"""Lists inside of resources: by cursors, as the lists at the root are, and read in batches for all parents at once."""

import inspect
from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass
from typing import Annotated, Any, Final, NamedTuple

import strawberry
from pydantic import ConfigDict
from pydantic import ValidationError as PydanticError

from schema.base import Received
from schema.descriptions import described_argument
from schema.errors import InvalidParameter
from schema.pagination import Cursor, First, Last
from schema.problems import refused_parameters

DEFAULT_SIZE: Final = 20
"""How many items a list by cursors answers with where nobody says otherwise."""


class Window(Received):
    """Which part of a list is asked for."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    first: First | None = None
    after: Cursor | None = None
    last: Last | None = None
    before: Cursor | None = None

    @property
    def size(self) -> int:
        """How many items it has at most."""
        return self.first or self.last or DEFAULT_SIZE


@dataclass(frozen=True, slots=True)
class Listing:
    """A part of a list, and what chooses and orders the items of the list: values that can be compared."""

    window: Window
    filters: tuple[Any, ...] = ()


class Asked(NamedTuple):
    """A part of the list of one parent."""

    project_id: str | None
    """Where the parent is; None when that is found out by the items of its list."""
    parent: tuple[str, ...]
    """What tells it from others."""
    listing: Listing


def asked_of(id: str, listing: Listing, project_id: str | None = None) -> Asked:
    """A part of the list of a parent that is told by its id."""
    return Asked(project_id, (id,), listing)


def chosen(values: Iterable[Any] | None) -> tuple[Any, ...] | None:
    """The values of a filter, each once; None when nothing is said, which is another thing than no value."""
    return None if values is None else tuple(dict.fromkeys(values))


def window_of(**bounds: Any) -> Window:
    """The window that arguments ask for. Raises InvalidParameter for bounds that do not hold."""
    try:
        window = Window(**{name: value for name, value in bounds.items() if value is not None})
    except PydanticError as error:
        raise refused_parameters(error) from None
    if window.first is not None and window.last is not None:
        raise InvalidParameter("Send first or last, not both.", field="last")
    return window


_BOUNDS: Final = tuple(
    inspect.Parameter(
        name,
        inspect.Parameter.KEYWORD_ONLY,
        annotation=Annotated[
            field.rebuild_annotation(),
            strawberry.argument(description=described_argument(name, field.rebuild_annotation())),
        ],
        default=None,
    )
    for name, field in Window.model_fields.items()
)


def listed(method: Callable[..., Awaitable[Any]]) -> Any:
    """Make a method a relationship to many in the graph, with `first`, `after`, `last` and `before`.

    The method takes the resource, `info`, the window, and its own filters and order by their names.
    """

    async def resolve(self: Any, info: Any, **values: Any) -> Any:
        window = window_of(**{name: values.pop(name, None) for name in Window.model_fields})
        return await method(self, info, window, **values)

    own, info, _, *filters = inspect.signature(method).parameters.values()
    shown = [own, info, *_BOUNDS, *(one.replace(annotation=_described(one), kind=one.KEYWORD_ONLY) for one in filters)]
    returns = inspect.signature(method).return_annotation
    resolve.__annotations__ = {one.name: one.annotation for one in shown if one is not own} | {"return": returns}
    resolve.__name__, resolve.__module__ = method.__name__, method.__module__
    setattr(resolve, "__signature__", inspect.Signature(shown, return_annotation=returns))  # noqa: B010 (mypy refuses the plain assignment)
    text = f"{inspect.getdoc(method)} By cursors, {DEFAULT_SIZE} unless `first` or `last` says otherwise."
    return strawberry.pydantic.field(resolve, description=text, metadata={"size": DEFAULT_SIZE})


_FILTERS: Final = {
    "status": "Only those that stand at one of these.",
    "state": "Only those in one of these states.",
    "verdict": "Only those of which one of these was said.",
    "kind": "Only those of these kinds.",
    "severity": "Only those that are so bad.",
    "outcome": "Only those that ended so.",
    "workflow_type": "Only those of these types of workflows.",
    "relation": "Only those who have one of these roles.",
    "order": "Which of them come first.",
}


def _described(parameter: inspect.Parameter) -> Any:
    text = _FILTERS.get(parameter.name) or described_argument(parameter.name, parameter.annotation)
    return Annotated[parameter.annotation, strawberry.argument(description=text)]
